/* file.h - whole files in and out, and pieces of those that are open.
 *
 * What is read is a plain file: a pipe, a device or a folder is refused at once, where opening or
 * reading it could wait for ever. What is written is there in whole or not at all, and a write that
 * fails says so. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdio.h>

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Opens a plain file to read it: as a stream, or NULL; as a descriptor, or -1. */
FILE *file_open(const char *path, struct ogv_error *error);
int file_open_descriptor(const char *path, struct ogv_error *error);

/* Reads a file of at most `limit` bytes. The bytes are followed by a zero that `length` does not
 * count; the caller frees. */
char *file_read(const char *path, size_t limit, size_t *length, struct ogv_error *error);

/* Writes a file so that readers see the old or the new contents, never half. */
bool file_write(const char *path, const void *bytes, size_t length, struct ogv_error *error);

/* An empty file of its own in $TMPDIR or /tmp; the caller removes it and frees the path. */
char *file_create_temporary(struct ogv_error *error);

/* The same in steps. A draft lies beside the file and takes its place when it is finished; only
 * where there is something else than a plain file (a device, a pipe, a link), that is written
 * itself, and neither replaced nor removed. */
struct draft {
    const char *path; /* the caller's */
    char *beside;     /* NULL: none, written in place */
    int descriptor;
};
bool draft_open(struct draft *draft, const char *path, struct ogv_error *error);
bool draft_add(struct draft *draft, const void *bytes, size_t length, struct ogv_error *error);

/* Ends it in any case. If it is good so far, the file is there afterwards; otherwise, or if that
 * fails, nothing is. Returns which. */
bool draft_finish(struct draft *draft, bool good, struct ogv_error *error);

/* A file that grows by whole pieces: of one that does not fit, nothing is left. */
struct journal {
    char *path;
    int descriptor;
};
/* The path is the journal's from here on. False, and closed, on failure. */
bool journal_open(struct journal *journal, char *path, bool fresh, struct ogv_error *error);
bool journal_add(struct journal *journal, const void *bytes, size_t length,
                 struct ogv_error *error);

/* Keeps room on the disk for so many bytes, where the file system can. */
void journal_reserve(struct journal *journal, u64 bytes);

/* False if any of it may be lost. One that is closed, or all zero, may be closed again. */
bool journal_close(struct journal *journal, struct ogv_error *error);

/* Changes bytes that are there already, for which no disk is too full. */
bool file_patch(const char *path, u64 offset, const void *bytes, size_t length,
                struct ogv_error *error);

/* Flushes a stream that was written to. Why some of it is lost, now or before; NULL if nothing is.
 */
const char *stream_loss(FILE *stream);

/* The same, and closes it. False if anything is lost. */
bool file_close(FILE *stream, const char *path, struct ogv_error *error);

/* All of that many bytes, from or to an open file; false if it cannot be. */
bool descriptor_read(int descriptor, void *to, u64 length);
bool descriptor_write(int descriptor, const void *from, u64 length);

/* Whether what is open is still what lies at the path. */
bool descriptor_is(int descriptor, const char *path);

bool file_exists(const char *path);

/* A file, not a folder. */
bool file_is_plain(const char *path);

bool folder_exists(const char *path);

/* Of a plain file, in bytes; false if it is none. */
bool file_size(const char *path, u64 *bytes);

/* Creates a folder and those above it; an existing one is fine. */
bool folder_create(const char *path, struct ogv_error *error);

#endif
