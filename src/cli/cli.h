/* cli.h - what the commands share: exit codes, and the only words this program says on its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"

enum exit_code {
    EXIT_GOOD = 0,
    EXIT_SYSTEM = 1,      /* no memory, no disk, no permission */
    EXIT_MOVED = 1,       /* compare: a statistic moved by more than is allowed */
    EXIT_USER = 2,        /* wrong input */
    EXIT_HANG = 3,        /* the simulated chip hangs: a deadlock, or no progress */
    EXIT_PROGRAM = 4,     /* the simulated program failed, or ended with an exit code of its own */
    EXIT_INTERRUPT = 130, /* ended by Ctrl-C or SIGTERM, results kept */
};

/* "ogive: ..." on standard error. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says the error and returns the exit code that goes with it. */
int fail(const struct ogv_error *error);

void list_add_text(struct text_list *list, const char *text);
void list_fini(struct text_list *list);

/* Exactly one argument, named in the message if it is not there. */
bool rest_one(const struct command *command, const struct text_list *rest, const char *what);

/* The commands, each defined at the end of its file. */
#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND

#endif
