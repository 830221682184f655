/* shipped.h - what comes with the program besides the program: architectures, device programs. */
#ifndef BASE_SHIPPED_H
#define BASE_SHIPPED_H

#include "base/error.h"
#include "base/text.h"
#include "ogive/types.h"

#define SHIPPED_MAX 16

/* Existing folders named `below`, nearest first: under each part of $OGIVE_HOME (separated by
 * colons), around the running program and the library in a source tree or an installation, and
 * under the configured prefix. Returns how many; the caller frees each. */
u32 shipped_folders(const char *below, char *folders[SHIPPED_MAX]);

/* The first of them, or NULL; the caller frees it. */
char *shipped_find(const char *below);

/* The program `ogive` that was installed with the library; the caller frees. */
char *shipped_program(void);

/* Calls `visit` with name (without the ending) and path of each file in a folder that has this
 * ending, sorted. */
void folder_list(const char *folder, const char *ending,
                 void (*visit)(void *context, const char *name, const char *path), void *context);

/* The nearest name among files that are listed: suggestion_offer is a `visit`. Begins with
 * nearest_init; the names need not live on. */
struct suggestion {
    struct nearest nearest;
    char best[256];
};

void suggestion_offer(void *context, const char *name, const char *path);

/* What is said of something that is neither a file nor shipped: a folder, a path to nothing, and a
 * name that nobody knows are different mistakes. */
struct shipped_kind {
    const char *what;    /* "scene" */
    const char *listing; /* "`ogive scenes` lists the shipped ones" */
    void (*list)(void (*visit)(void *context, const char *name, const char *path), void *context);
};

/* `path` is where a file of the name that was typed would be. Returns false. */
bool shipped_refuse(const struct shipped_kind *kind, const char *typed, const char *path,
                    struct ogv_error *error);

#endif
