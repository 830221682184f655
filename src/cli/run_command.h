/* run_command.h - `ogive run` for the commands that are one with something more. */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

#include "cli/options.h"

enum run_debugged { RUN_PLAIN, RUN_DEBUGGED, RUN_DEBUGGED_FROM_END };

/* Reads the command line and does it; the exit code. */
int run_command(const struct command *self, int argc, char **argv, enum run_debugged debugged);

#endif
