/* completion.h - scripts that make shells complete commands, options and their values, made from
 * the tables of options. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "base/text.h"
#include "cli/cli.h"

/* Prints the script for `bash` or `zsh`. */
int completion_main(const struct program_option *self, const char *shell);

/* What can stand somewhere, as words: `files`, `folders`, the command that lists the names
 * (`archs`, `scenes`, `programs`, `units`), or `+word` itself. Nothing where anything can. */
void completion_of_option(const struct option_row *row, struct text *kinds);

/* The same for what follows a command, as its usage says: at the first place, at all others. */
void completion_of_usage(const char *usage, struct text *first, struct text *others);

/* In completion_bash.c and completion_zsh.c. */
void completion_bash(void);
void completion_zsh(void);

#endif
