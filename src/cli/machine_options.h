/* machine_options.h - the options of every command that reads an architecture: what is changed in
 * it, and what it may do to this machine. */
#ifndef CLI_MACHINE_OPTIONS_H
#define CLI_MACHINE_OPTIONS_H

#include "cli/options.h"

struct machine_arguments {
    struct text_list settings, libraries;
    const char *memory;
};

/* clang-format off */
#define MACHINE_ROWS(a)                                                                            \
    { 0, "set", "PATH=VALUE", "change a parameter, a count or a clock; may be repeated",           \
      OPTION_LIST, &(a).settings },                                                                \
    { 0, "load", "FILE|DIR", "a library, or a folder of them, that `unit_path:` may load; may be "  \
      "repeated", OPTION_LIST, &(a).libraries },                                                   \
    { 0, "memory", "SIZE", "how much a chip may take, as in 16GiB (default: what is available)",    \
      OPTION_TEXT, &(a).memory }
/* clang-format on */

/* Allows the libraries of --load and those in the folders of $OGIVE_UNIT_PATH. */
bool libraries_allow(const struct text_list *libraries, struct ogv_error *error);

/* What holds for the whole command, before any architecture is read; says what is wrong. */
bool machine_arguments_apply(const struct machine_arguments *arguments);
void machine_arguments_fini(struct machine_arguments *arguments);

/* Loads an architecture and applies --set. */
ogv_arch *arch_open(const char *name, const struct machine_arguments *arguments,
                    struct ogv_error *error);

#endif
