/* text.c - strings on the heap, and the distance between a mistyped name and those that are
 * known.
 *
 * Text that grows takes half as much room again, and always has a zero behind it. */
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

void *heap_append(void *list, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0;
    return full ? heap_grow(list, count ? 2 * count : 1, size) : list;
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

void text_add_words(struct text *text, const char *words)
{
    text_add_bytes(text, words, strlen(words));
}

void text_add_whole(struct text *text, u64 number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    text_add_bytes(text, digits + first, sizeof digits - first);
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

void text_make_printable(char *text)
{
    for (; *text; text++)
        if ((u8)*text < ' ' || *text == 0x7f)
            *text = '?';
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

static bool letters_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: insertions, deletions, changes and swaps of neighbours. */
static size_t text_distance(const char *a, const char *b)
{
    size_t m = strnlen(a, NEAREST_LONGEST), n = strnlen(b, NEAREST_LONGEST);
    size_t rows[3][NEAREST_LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = min_u64(last[j - 1] + !letters_same(a[i - 1], b[j - 1]),
                             min_u64(row[j - 1], last[j]) + 1);
            bool swapped = i > 1 && j > 1 && letters_same(a[i - 1], b[j - 2]) &&
                           letters_same(a[i - 2], b[j - 1]);
            if (swapped)
                row[j] = min_u64(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
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
    size_t tolerance = length < 2 ? 0 : length < 4 ? 1 : length / 2 < 3 ? length / 2 : 3;
    if (!nearest->best || nearest->distance > tolerance)
        return "";
    snprintf(buffer, size, "; did you mean '%s'?", nearest->best);
    return buffer;
}
