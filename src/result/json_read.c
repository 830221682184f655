/* json_read.c - see json_read.h.
 *
 * stats.json of a large chip holds hundreds of thousands of small whole numbers under plain names.
 * These are read here; a string with escapes and any other number goes to jansson by itself, and a
 * text in which anything is not as expected goes to jansson as a whole, which then says what is
 * wrong with it. Always true: what jansson refuses is refused, and what it reads has the same
 * value. */
#include "result/json_read.h"

#include <string.h>

#define DEPTH_MAX  64 /* deeper text is left to jansson */
#define DIGITS_MAX 18 /* of a number that surely fits into 63 bits */

struct reader {
    char *at;
    u32 depth;
};

static json_t *value_read(struct reader *reader);

static void blanks_skip(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' || *reader->at == '\r')
        reader->at++;
}

static bool letter_take(struct reader *reader, char letter)
{
    blanks_skip(reader);
    if (*reader->at != letter)
        return false;
    reader->at++;
    return true;
}

/* ---- Strings ---- */

/* The first letter that ends a string or needs a closer look: escapes, control characters, and what
 * is not ASCII. */
static char *plain_end(char *at)
{
    while ((u8)*at >= ' ' && (u8)*at < 0x7f && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* A string that is not plain, of which `at` is within. */
static json_t *string_decode(struct reader *reader, char *at)
{
    char *first = reader->at;
    while (*at && *at != '"')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    if (!*at)
        return NULL;
    reader->at = at + 1;
    return json_loadb(first, (size_t)(at + 1 - first), JSON_DECODE_ANY, NULL);
}

static json_t *string_read(struct reader *reader)
{
    char *first = reader->at + 1, *end = plain_end(first);
    if (*end != '"')
        return string_decode(reader, end);
    reader->at = end + 1;
    return json_stringn_nocheck(first, (size_t)(end - first));
}

/* ---- Numbers ---- */

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static json_t *number_decode(struct reader *reader)
{
    size_t length = strspn(reader->at, "+-.0123456789eE");
    const char *first = reader->at;
    reader->at += length;
    return length ? json_loadb(first, length, JSON_DECODE_ANY, NULL) : NULL;
}

static json_t *number_read(struct reader *reader)
{
    const char *first = reader->at;
    json_int_t value = 0;
    u32 digits = 0;
    for (; digits < DIGITS_MAX && is_digit(first[digits]); digits++)
        value = value * 10 + (first[digits] - '0');
    char next = first[digits];
    bool plain = digits && (digits == 1 || *first != '0') && !is_digit(next) && next != '.' &&
                 next != 'e' && next != 'E';
    if (!plain)
        return number_decode(reader);
    reader->at += digits;
    return json_integer(value);
}

/* ---- Objects and arrays ---- */

/* False if there is no value, or the key was there before. */
static bool member_put(json_t *object, const char *key, json_t *value)
{
    size_t before = json_object_size(object);
    return !json_object_set_new_nocheck(object, key, value) && json_object_size(object) > before;
}

static bool member_decode(struct reader *reader, json_t *object, char *within)
{
    json_t *key = string_decode(reader, within);
    bool good = key && letter_take(reader, ':') &&
                member_put(object, json_string_value(key), value_read(reader));
    json_decref(key);
    return good;
}

/* For a moment the quotation mark behind the key is the zero that jansson wants there. */
static bool member_read(struct reader *reader, json_t *object)
{
    char *key = reader->at + 1, *end;
    if (*reader->at != '"')
        return false;
    end = plain_end(key);
    if (*end != '"')
        return member_decode(reader, object, end);
    reader->at = end + 1;
    if (!letter_take(reader, ':'))
        return false;
    json_t *value = value_read(reader);
    *end = 0;
    bool good = member_put(object, key, value);
    *end = '"';
    return good;
}

static bool members_read(struct reader *reader, json_t *object)
{
    if (letter_take(reader, '}'))
        return true;
    do {
        blanks_skip(reader);
        if (!member_read(reader, object))
            return false;
    } while (letter_take(reader, ','));
    return letter_take(reader, '}');
}

static bool items_read(struct reader *reader, json_t *array)
{
    if (letter_take(reader, ']'))
        return true;
    do {
        if (json_array_append_new(array, value_read(reader)))
            return false;
    } while (letter_take(reader, ','));
    return letter_take(reader, ']');
}

static json_t *container_read(struct reader *reader, bool object)
{
    if (reader->depth == DEPTH_MAX)
        return NULL;
    json_t *made = object ? json_object() : json_array();
    reader->at++;
    reader->depth++;
    bool good = object ? members_read(reader, made) : items_read(reader, made);
    reader->depth--;
    if (good)
        return made;
    json_decref(made);
    return NULL;
}

/* ---- All ---- */

static json_t *word_read(struct reader *reader, const char *word, json_t *value)
{
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length))
        return NULL;
    reader->at += length;
    return value;
}

static json_t *value_read(struct reader *reader)
{
    blanks_skip(reader);
    switch (*reader->at) {
    case '{':
        return container_read(reader, true);
    case '[':
        return container_read(reader, false);
    case '"':
        return string_read(reader);
    case 't':
        return word_read(reader, "true", json_true());
    case 'f':
        return word_read(reader, "false", json_false());
    case 'n':
        return word_read(reader, "null", json_null());
    default:
        return number_read(reader);
    }
}

json_t *json_read(char *text, size_t length, json_error_t *why)
{
    struct reader reader = { .at = text };
    blanks_skip(&reader);
    json_t *value = *reader.at == '{' || *reader.at == '[' ? value_read(&reader) : NULL;
    blanks_skip(&reader);
    if (value && reader.at == text + length)
        return value;
    json_decref(value);
    return json_loadb(text, length, JSON_REJECT_DUPLICATES, why);
}
