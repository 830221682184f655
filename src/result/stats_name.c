/* stats_name.c - patterns of statistics' names; see stats_query.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "result/stats_query.h"

/* A name, or a pattern, up to the next dot: letters, and which copies. */
struct part {
    const char *letters;
    size_t length;
    u64 first, last; /* copies */
    bool indexed;
};

static bool index_read(const char *text, size_t length, struct part *part)
{
    char *end;
    part->indexed = true;
    part->first = 0;
    part->last = UINT64_MAX;
    if (length == 1 && *text == '*')
        return true;
    if (!isdigit((unsigned char)*text))
        return false;
    part->first = part->last = strtoull(text, &end, 10);
    if (!strncmp(end, "..", 2) && isdigit((unsigned char)end[2]))
        part->last = strtoull(end + 2, &end, 10);
    return end == text + length;
}

/* Takes a part off the front of the text; the dots of an index do not end it. */
static bool part_read(const char **text, struct part *part)
{
    *part = (struct part){ .letters = *text, .length = strcspn(*text, ".[") };
    const char *at = *text + part->length;
    if (*at == '[') {
        size_t length = strcspn(at + 1, "]");
        if (!at[1 + length] || !index_read(at + 1, length, part))
            return false;
        at += length + 2;
    }
    if (*at && *at != '.')
        return false;
    *text = *at ? at + 1 : at;
    return true;
}

static bool letters_fit(const char *pattern, size_t pattern_length, const char *name,
                        size_t name_length)
{
    const char *end = pattern + pattern_length, *name_end = name + name_length;
    const char *star = NULL, *retry = NULL;
    while (name < name_end) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

static bool part_fits(const struct part *pattern, const struct part *name)
{
    if (!letters_fit(pattern->letters, pattern->length, name->letters, name->length))
        return false;
    if (!pattern->indexed)
        return true;
    return pattern->first <= name->first && name->first <= pattern->last;
}

bool stat_name_fits(const char *pattern, const char *name)
{
    for (u32 i = 0; i < 3; i++) {
        struct part wanted, found;
        if (!part_read(&name, &found))
            return false;
        if (i == 2 && !*pattern)
            return true; /* any statistic */
        if (!part_read(&pattern, &wanted) || !part_fits(&wanted, &found))
            return false;
    }
    return !*pattern;
}
