/* text.h - growing strings, and the nearest known name to a mistyped one. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>

#include "ogive/types.h"

/* A string that grows. Zero-initialised is empty; text_fini frees. `chars` is NULL while nothing
 * was added. */
struct text {
    char *chars;
    size_t length, capacity;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_v(struct text *text, const char *format, va_list arguments);
void text_add_bytes(struct text *text, const char *bytes, size_t length);

/* The same as "%s" and "%llu", for those who add very many. */
void text_add_words(struct text *text, const char *words);
void text_add_whole(struct text *text, u64 number);

void text_fini(struct text *text);

/* The contents, never NULL. */
const char *text_get(const struct text *text);

/* Control characters become '?': what a file holds must not steer a terminal. */
void text_make_printable(char *text);

/* A heap copy of formatted text; the caller frees it. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Allocation for small things: says what is wrong and ends the process instead of returning NULL.
 */
_Noreturn void heap_exhausted(size_t bytes);
void *heap_array(size_t count, size_t size);
void *heap_grow(void *old, size_t count, size_t size);

/* Room for one item more in a list of `count`, NULL if it is empty, that only this function has
 * grown: it doubles, so that a long list is not copied for each item. */
void *heap_append(void *list, size_t count, size_t size);
char *heap_copy(const char *text);

/* Collects candidates and remembers the one nearest to a mistyped name (Levenshtein distance,
 * letter case free). */
struct nearest {
    const char *typed;
    const char *best;
    size_t distance;
};

void nearest_init(struct nearest *nearest, const char *typed);
void nearest_offer(struct nearest *nearest, const char *candidate);

/* "; did you mean 'x'?" when something known is near enough to have been meant, else "". The text
 * lives in `buffer`. */
const char *nearest_hint(const struct nearest *nearest, char *buffer, size_t size);

#endif
