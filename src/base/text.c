/* text.c - see text.h. */
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void heap_exhausted(size_t bytes)
{
    fprintf(stderr, "ogive: out of memory (%zu bytes more were needed)\n", bytes);
    exit(1);
}

void *heap_array(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        heap_exhausted(count * size);
    return memory;
}

void *heap_grow(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count ? count : 1, size ? size : 1);
    if (!memory)
        heap_exhausted(count * size);
    return memory;
}

char *heap_copy(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        heap_exhausted(strlen(text));
    return copy;
}

static void text_reserve(struct text *text, size_t extra)
{
    size_t need = text->length + extra + 1;
    if (need <= text->capacity)
        return;
    text->capacity = need < 64 ? 64 : need + need / 2;
    text->chars = heap_grow(text->chars, text->capacity, 1);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    text_reserve(text, length);
    memcpy(text->chars + text->length, bytes, length);
    text->length += length;
    text->chars[text->length] = 0;
}

void text_add_v(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        ogv_bug("cannot format '%s'", format);
    text_reserve(text, (size_t)length);
    vsnprintf(text->chars + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_v(text, format, arguments);
    va_end(arguments);
}

void text_fini(struct text *text)
{
    free(text->chars);
    *text = (struct text){ 0 };
}

const char *text_get(const struct text *text)
{
    return text->chars ? text->chars : "";
}

char *text_format(const char *format, ...)
{
    struct text text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&text, format, arguments);
    va_end(arguments);
    return text.chars;
}

#define NEAREST_LONGEST 64 /* longer names are compared by their first 64 letters */

static size_t text_distance(const char *a, const char *b)
{
    size_t m = strnlen(a, NEAREST_LONGEST), n = strnlen(b, NEAREST_LONGEST);
    size_t row[NEAREST_LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t change = diagonal + !same;
            size_t insert = row[j - 1] + 1, delete = row[j] + 1;
            diagonal = row[j];
            row[j] = min_u64(change, min_u64(insert, delete));
        }
    }
    return row[n];
}

void nearest_init(struct nearest *nearest, const char *typed)
{
    *nearest = (struct nearest){ typed, NULL, SIZE_MAX };
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t distance = text_distance(nearest->typed, candidate);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

const char *nearest_hint(const struct nearest *nearest, char *buffer, size_t size)
{
    size_t length = strnlen(nearest->typed, NEAREST_LONGEST);
    size_t tolerance = length < 4 ? 1 : length / 2 < 3 ? length / 2 : 3;
    if (!nearest->best || nearest->distance > tolerance)
        return "";
    snprintf(buffer, size, "; did you mean '%s'?", nearest->best);
    return buffer;
}
