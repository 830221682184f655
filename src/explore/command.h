/* command.h - runs a program of the system and hears what it says. */
#ifndef EXPLORE_COMMAND_H
#define EXPLORE_COMMAND_H

#include "base/text.h"
#include "ogive/ogive.h"

/* The words end with NULL; the first is looked for in PATH. What it says on standard output is
 * added to `out`, on standard error to `complaint`. False if it could not be run, or ended with
 * another code than 0. */
bool command_run(char *const *words, struct text *out, struct ogv_error *error);

#endif
