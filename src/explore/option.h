/* option.h - what a study can say of its runs besides the machine's parameters: one row each, which
 * serves reading, checking, the command line of a run, and its key. */
#ifndef EXPLORE_OPTION_H
#define EXPLORE_OPTION_H

#include "base/tree.h"

enum option_value {
    VALUE_COMMAND,
    VALUE_MACHINE,
    VALUE_PROGRAM,
    VALUE_SCENE,
    VALUE_FILE,
    VALUE_CAMERA,
    VALUE_NUMBER,
    VALUE_REAL,
    VALUE_POINT,
    VALUE_PIXELS,
    VALUE_RAYS,
    VALUE_BUILDER,
    VALUE_NODES,
    VALUE_PRIMITIVES,
    VALUE_FLAG,
    VALUE_SHARE,
    VALUE_TEXT,
    VALUE_WORDS, /* several, with VALUE_BREAK between them */
};

#define VALUE_BREAK '\x1f' /* no file of ours can hold one */

struct study_option {
    const char *name; /* as `ogive run` has it, but for the first ones */
    enum option_value value;
    const char *otherwise; /* what it is where nobody gives it; NULL: not the same for all */
    bool resumes;          /* goes with --resume, too */
    const char *help;
    const char *only; /* the command that takes it; NULL: all do */
};

enum {
    OPTION_COMMAND,
    OPTION_MACHINE,
    OPTION_PROGRAM,
    OPTION_ARGUMENTS,
    OPTION_SCENE,
    OPTION_CAMERA,
    OPTION_LOAD,
    OPTION_SIZE,
    OPTION_SEED,
    OPTION_NAMED, /* those above are known by number */
    STUDY_OPTIONS = 29
};

extern const struct study_option study_options[STUDY_OPTIONS];

/* STUDY_OPTIONS if there is none of that name. */
u32 study_option_find(const char *name);

/* Reads the value of an option: what it is, in a text that the region keeps. Files are looked for
 * beside `from`, the study's file, then from where we are. NULL with file, line and column. */
const char *option_read(struct region *region, u32 option, const struct node *node,
                        const char *from, struct ogv_error *error);

#endif
