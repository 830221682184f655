/* cli.h - what the commands share: exit codes, and the only words this program says on its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"

enum exit_code {
#define EXIT_CODE(name, code, help) EXIT_##name = code,
#include "cli/exit_codes.def"
#undef EXIT_CODE
    EXIT_DIFFERENT = EXIT_SYSTEM, /* compare: a statistic moved by more than is allowed */
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
