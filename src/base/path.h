/* path.h - paths of units and patterns of them: "sm[3].core[2]", "sm[*].l1", "rt[0..3][*2].fetch".
 *
 * A path is names with dots between them. Behind a name, indices may stand in brackets; a dot in
 * brackets ends no name. Every reader of paths takes them apart with these. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "ogive/types.h"

/* A piece of a path, within the path. */
struct path_word {
    const char *chars;
    size_t length;
};

/* Copies of a domain or unit, both included. */
struct path_copies {
    u64 first, last;
};

/* Takes the name off the front; the path then stands at a bracket, a dot or its end. */
struct path_word path_name_cut(const char **path);

/* Takes "[...]" off the front: what stands inside. False, and the path as it was, if there is none,
 * or an empty or unclosed one. */
bool path_index_cut(const char **path, struct path_word *inside);

/* A copy with a zero behind it; false if it does not fit. */
bool path_word_copy(struct path_word word, char *buffer, size_t size);

/* "*" */
bool path_word_is_all(struct path_word word);

/* "17" */
bool path_word_number(struct path_word word, u64 *number);

/* "3", "0..7" or "*", which is 0 to UINT64_MAX. */
bool path_word_copies(struct path_word word, struct path_copies *copies);

/* The path with `instead` in the place of each index, cut to the buffer. An unclosed index reaches
 * to the end. The buffer may be the path itself if `instead` is empty. */
void path_plain(const char *path, const char *instead, char *buffer, size_t size);

/* Whether the path without its indices is this name. */
bool path_plain_is(const char *path, const char *name, size_t length);

#endif
