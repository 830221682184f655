/* stats_name.c - patterns of statistics' names; see stats_query.h. */
#include <string.h>

#include "base/path.h"
#include "result/stats_query.h"

/* A name, or a pattern, up to the next dot: letters, and which copies. */
struct part {
    struct path_word letters;
    struct path_copies copies;
    bool indexed;
};

/* Takes a part off the front of the text. */
static bool part_read(const char **text, struct part *part)
{
    struct path_word inside;
    *part = (struct part){ .letters = path_name_cut(text) };
    part->indexed = path_index_cut(text, &inside);
    if (part->indexed && !path_word_copies(inside, &part->copies))
        return false;
    if (**text && **text != '.')
        return false;
    *text += **text == '.';
    return true;
}

static bool letters_fit(struct path_word wanted, struct path_word found)
{
    const char *pattern = wanted.chars, *end = pattern + wanted.length;
    const char *name = found.chars, *name_end = name + found.length;
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
    if (!letters_fit(pattern->letters, name->letters))
        return false;
    if (!pattern->indexed)
        return true;
    return pattern->copies.first <= name->copies.first &&
           name->copies.first <= pattern->copies.last;
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

static bool letters_are_exact(struct path_word letters)
{
    for (size_t i = 0; i < letters.length; i++)
        if (letters.chars[i] == '*' || letters.chars[i] == '?')
            return false;
    return letters.length;
}

bool stat_name_is_exact(const char *pattern)
{
    struct part part = { 0 };
    for (u32 i = 0; i < 3; i++)
        if (!part_read(&pattern, &part))
            return false;
    return letters_are_exact(part.letters);
}

bool figure_is_meant(const char *pattern)
{
    return !strchr(pattern, '.');
}

bool figure_name_fits(const char *pattern, const char *name)
{
    return letters_fit((struct path_word){ pattern, strlen(pattern) },
                       (struct path_word){ name, strlen(name) });
}
