/* summary.h - the figures of a run's summary: their units and meanings. */
#ifndef RESULT_SUMMARY_H
#define RESULT_SUMMARY_H

#include "ogive/types.h"

struct summary_figure {
    const char *name, *measure, *help;
    bool of_host; /* of the machine that simulated it, not of the chip */
};

extern const struct summary_figure summary_figures[]; /* ended by one without a name */

/* NULL if there is none of that name. */
const struct summary_figure *summary_find(const char *name);

#endif
