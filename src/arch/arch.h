/* arch.h - an architecture as it was written: a tree, read from files or put together by calls. */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "base/region.h"
#include "base/tree.h"
#include "ogive/ogive.h"

struct ogv_arch {
    struct region region;
    struct node *root; /* a map; files named by `extends` are merged into it */
};

/* Whether a text may bring other files with it, through `extends` and `unit_path`. */
enum arch_reach { ARCH_ALONE, ARCH_WITH_FILES };

extern const struct tree_words arch_words;

/* Reads from text instead of a file; `name` stands for the file in messages and is where relative
 * names start from. */
ogv_arch *arch_parse(const char *name, const char *text, size_t length, enum arch_reach reach,
                     struct ogv_error *error);
ogv_arch *arch_copy(const ogv_arch *arch);

/* Settings as on the command line: "PATH=VALUE". */
bool arch_apply_settings(ogv_arch *arch, const char *const *settings, u32 count,
                         struct ogv_error *error);

/* The file behind a name: itself, or NAME.yaml next to `from` (may be NULL), or among the shipped
 * architectures. The caller frees. */
char *arch_find(const char *name, const char *from, struct ogv_error *error);

/* Calls `visit` for each file of the folders in which shipped architectures are looked for. */
void arch_list(void (*visit)(void *context, const char *name, const char *path), void *context);

/* Lays `over` onto `base`: maps are merged, other values replaced, `null` takes away what must be
 * there, links are added (or replaced where both ends are written alike). */
bool tree_merge(struct region *region, struct node *base, const struct node *over,
                struct ogv_error *error);

#endif
