/* debugging.h - a debugger on a run: the options of it, and gdb itself where it is installed. */
#ifndef CLI_DEBUGGING_H
#define CLI_DEBUGGING_H

#include "cli/options.h"
#include "debug/debug.h"

struct debugging_arguments {
    struct maybe_text gdb; /* where it listens */
    const char *history, *script;
    bool allow_writes;
    bool starts_gdb; /* as `ogive debug` does */
    bool to_end;
};

/* clang-format off */
#define DEBUGGING_ROWS(a)                                                                           \
    { 0, "gdb", "[PORT|SOCKET]", "let gdb connect (default: a free port of this machine)",          \
      OPTION_MAYBE_TEXT, &(a).gdb },                                                               \
    { 0, "history", "SIZE[+DISK]", "memory and disk for going back (default: 1GiB+4GiB; 0: none)",    \
      OPTION_TEXT, &(a).history },                                                                 \
    { 0, "allow-writes", NULL, "let it change registers and memory; the results tell of it",       \
      OPTION_FLAG, &(a).allow_writes }
/* clang-format on */

struct debugging;

/* *debugging is NULL if none is wanted. The exit code if it cannot be. */
int debugging_begin(const struct debugging_arguments *arguments, const char *command,
                    struct debugging **debugging);
const struct run_watcher *debugging_watcher(const struct debugging *debugging);
void debugging_end(struct debugging *debugging);

#endif
