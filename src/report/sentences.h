/* sentences.h - what limited a run, in words. */
#ifndef REPORT_SENTENCES_H
#define REPORT_SENTENCES_H

#include "report/bottleneck.h"
#include "report/waiting.h"

/* Fills in the sentence of each resource, and the words of the whole. */
void sentences_add(const struct result *result, const struct waiting *waiting,
                   struct bottleneck *found);

#endif
