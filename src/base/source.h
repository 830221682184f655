/* source.h - the bytes of a file from first to last, unpacked on the way if its name ends in .xz.
 *
 * Memory does not grow with the file. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

struct source;

/* More than this cannot be taken at once. */
#define SOURCE_TAKE_MAX 65536
#define SOURCE_WORD_MAX 127

struct source *source_open(const char *path, struct ogv_error *error);
void source_close(struct source *source);

/* The next bytes, good until the next call; NULL if the file has no more, or is damaged. */
const u8 *source_take(struct source *source, size_t count);

bool source_skip(struct source *source, u64 count);

/* Up to a line's end, which is cut off; NULL if there is none within SOURCE_TAKE_MAX bytes. */
char *source_line(struct source *source);

/* The next word between blanks, good until the next call; NULL if the file has no more, or is
 * damaged, and empty if it is longer than SOURCE_WORD_MAX. Line ends on the way to it are added to
 * `*lines`. */
const char *source_word(struct source *source, u32 *lines);

/* After a NULL: says what is wrong with the file, or `otherwise` if it just ended. False. */
bool source_error(const struct source *source, const char *otherwise, struct ogv_error *error);

/* All of a file, of at most `limit` bytes once unpacked; the caller frees. */
u8 *source_read(const char *path, u64 limit, size_t *length, struct ogv_error *error);

bool source_is_packed(const char *path);

#endif
