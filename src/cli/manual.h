/* manual.h - manual pages, made from what --help shows. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "cli/cli.h"

#define PROGRAM_SUMMARY "a cycle-level simulator for massively parallel ray-tracing hardware"

/* Prints ogive-COMMAND(1), or ogive(1) if `command` is NULL. */
int manual_main(const struct program_option *self, const char *command);

#endif
