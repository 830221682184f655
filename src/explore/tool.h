/* tool.h - runs a program of the system and hears what it says. */
#ifndef EXPLORE_TOOL_H
#define EXPLORE_TOOL_H

#include "base/text.h"
#include "ogive/ogive.h"

/* The words end with NULL; the first is looked for in PATH. What it says on standard output is
 * added to `out`. False if it could not be run, or ended with another code than 0; the error has
 * the first line of what it says on standard error. */
bool tool_run(char *const *words, struct text *out, struct ogv_error *error);

#endif
