/* index.h - the outcomes and figures of all runs of a store in one file, so that a table of ten
 * thousand runs opens a handful of files.
 *
 * index.txt grows by lines; the last one of a run counts. A line is what follows, with tabs
 * between, and a fingerprint of itself at the end, without which it does not count: a process may
 * die while it writes.
 *
 *     R KEY CLASS EXIT_CODE SECONDS PEAK_BYTES TRIES NAMES VALUE...    a run has ended
 *     D KEY                                                            its result was taken away
 *
 * NAMES is the fingerprint of a file in figures/, which has a line for each value: its name and its
 * unit. Runs of machines of the same make share one. The index can be lost: what it says is in the
 * runs' folders. */
#ifndef EXPLORE_INDEX_H
#define EXPLORE_INDEX_H

#include "explore/store.h"

struct figure_names {
    char digits[HASH_TEXT_BYTES];
    char *text;
    const char **names, **units;
    u32 count;
};

struct index_row {
    const char *key;
    struct outcome outcome;
    const struct figure_names *names; /* NULL: it has no figures */
    const char *values;               /* the first; tabs between them */
};

struct index {
    char *text;
    struct index_row *rows; /* by key */
    u32 count;
    struct figure_names **names;
    u32 names_count;
};

bool index_load(const struct store *store, struct index *index, struct ogv_error *error);
void index_fini(struct index *index);

/* NULL if there is none. */
const struct index_row *index_find(const struct index *index, const char *key);

/* UINT32_MAX if there is none of that name. */
u32 figure_find(const struct figure_names *names, const char *name);

/* The text of a figure, into the buffer; false if the run does not have it: it is not a number, or
 * not known. */
bool row_figure(const struct index_row *row, u32 figure, char *buffer, size_t size);

/* Add a line. */
bool index_add(const struct store *store, const char *key, const struct outcome *outcome,
               struct ogv_error *error);
bool index_drop(const struct store *store, const char *key, struct ogv_error *error);

/* Writes it anew with one line for each run that is there. */
bool index_compact(const struct store *store, struct ogv_error *error);

#endif
