/* patch.h - some of what a run is: options and settings of the machine. A run is several of them
 * laid over each other, what comes later over what came before. */
#ifndef EXPLORE_PATCH_H
#define EXPLORE_PATCH_H

#include "explore/option.h"

struct patch_value {
    const char *text; /* NULL: not given */
    struct place place;
};

struct patch_setting {
    const char *path;
    struct patch_value value;
};

struct patch {
    struct patch_value options[STUDY_OPTIONS];
    struct patch_setting *settings;
    u32 setting_count;
};

/* A map of options, with `set` for the machine's parameters. `where` says what it is of. */
bool patch_read(struct region *region, const struct node *map, const char *from, const char *where,
                struct patch *patch, struct ogv_error *error);

void patch_set(struct region *region, struct patch *patch, const char *path,
               struct patch_value value);

/* Lays `over` onto the patch. */
void patch_lay(struct region *region, struct patch *patch, const struct patch *over);

#endif
