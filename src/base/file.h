/* file.h - whole files in and out. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Reads a file of at most `limit` bytes. The bytes are followed by a zero that `length` does not
 * count; the caller frees. */
char *file_read(const char *path, size_t limit, size_t *length, struct ogv_error *error);

/* Writes a file so that readers see the old or the new contents, never half: beside it, then
 * renamed. */
bool file_write(const char *path, const void *bytes, size_t length, struct ogv_error *error);

/* An empty file of its own in $TMPDIR or /tmp; the caller removes it and frees the path. */
char *file_create_temporary(struct ogv_error *error);

bool file_exists(const char *path);

/* A file, not a folder. */
bool file_is_plain(const char *path);

/* Of a plain file, in bytes; false if it is none. */
bool file_size(const char *path, u64 *bytes);

/* Creates a folder and those above it; an existing one is fine. */
bool folder_create(const char *path, struct ogv_error *error);

#endif
