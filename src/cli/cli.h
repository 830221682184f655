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

/* All of them, in the order in which they are shown. */
extern const struct command *const commands[];
extern const u32 command_count;

/* What the program takes instead of a command. */
struct program_option {
    const char *name;        /* with the dashes */
    const char *placeholder; /* of its value; NULL: it has none */
    const char *help;
    /* `value` is NULL if there is none. Returns the exit code. */
    int (*function)(const struct program_option *self, const char *value);
};

extern const struct program_option program_options[];
extern const u32 program_option_count;

/* The command of that name; NULL, and said with the nearest one, if there is none. */
const struct command *command_find(const char *name);

#endif
