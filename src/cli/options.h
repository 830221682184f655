/* options.h - command-line options from a table: one row serves parsing, checking and --help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "ogive/ogive.h"
#include "ogive/types.h"

/* What a number is that was not given, where that is told from all others. */
#define NUMBER_NONE UINT64_MAX

#define THREADS_MAX 1024

enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_NUMBER,     /* u64 */
    OPTION_LIST,       /* struct text_list: may be given several times */
    OPTION_MAYBE,      /* struct maybe_number: its number may be left out */
    OPTION_THREADS,    /* u64, up to THREADS_MAX */
    OPTION_MAYBE_TEXT, /* struct maybe_text: a number or a path, which may be left out */
};

/* Its value may be left out. */
static inline bool option_is_maybe(enum option_kind kind)
{
    return kind == OPTION_MAYBE || kind == OPTION_MAYBE_TEXT;
}

/* The option of every command that uses threads; `value` is a u64, 0 for all cores. */
#define THREADS_ROW(value)                                                                     \
    {                                                                                          \
        0, "threads", "N", "host threads (default, and 0: all cores); never changes a result", \
            OPTION_THREADS, &(value)                                                           \
    }

struct text_list {
    const char **items;
    u32 count;
};

struct maybe_number {
    bool given;
    u64 number; /* 0: left out */
};

struct maybe_text {
    bool given;
    const char *text; /* NULL: left out */
};

/* A table ends with a row whose name is NULL. */
struct option_row {
    char letter;             /* short form, or 0 */
    const char *name;        /* without the dashes */
    const char *placeholder; /* of its value in --help; NULL for flags */
    const char *help;
    enum option_kind kind;
    void *value;
};

struct command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* more lines for --help, or NULL */
    int (*function)(const struct command *self, int argc, char **argv);
    const struct command *parts; /* commands within it, up to one without a name; NULL: none */
};

/* Fills in the options and leaves the other arguments in `rest`. Returns false when the command is
 * over: --help was asked for, or something was wrong (it has been said); *exit_code is then what to
 * exit with. */
bool options_parse(const struct command *command, const struct option_row *rows, int argc,
                   char **argv, struct text_list *rest, int *exit_code);

/* The name of the first option in a table that was given, or NULL. The values must have begun as
 * false, NULL, NUMBER_NONE or empty. */
const char *options_given(const struct option_row *rows);

/* A command as it is shown when --help is asked for. */
typedef void options_show(void *context, const struct command *command,
                          const struct option_row *rows);

/* On the terminal, or as command_show wants it. */
void options_help(const struct command *command, const struct option_row *rows);

/* Shows a command, then its parts, in another way. */
void command_show(const struct command *command, options_show *show, void *context);

#endif
