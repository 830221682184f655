/* json_read.h - JSON from text, as jansson reads it, only faster. */
#ifndef RESULT_JSON_READ_H
#define RESULT_JSON_READ_H

#include <jansson.h>

#include "ogive/types.h"

/* What json_loadb gives with JSON_REJECT_DUPLICATES, errors included. There must be a zero behind
 * the text, which is written to on the way and is afterwards as it was. */
json_t *json_read(char *text, size_t length, json_error_t *why);

#endif
