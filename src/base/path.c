/* path.c - takes paths of units apart: names, indices in brackets, and paths without them.
 *
 * Words point into the path, which ends with a zero: looking behind a word's end is safe. */
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

struct path_word path_name_cut(const char **path)
{
    struct path_word name = { *path, strcspn(*path, ".[") };
    *path += name.length;
    return name;
}

bool path_index_cut(const char **path, struct path_word *inside)
{
    if (**path != '[')
        return false;
    *inside = (struct path_word){ *path + 1, strcspn(*path + 1, "]") };
    if (!inside->length || !inside->chars[inside->length])
        return false;
    *path = inside->chars + inside->length + 1;
    return true;
}

bool path_word_copy(struct path_word word, char *buffer, size_t size)
{
    if (word.length >= size)
        return false;
    memcpy(buffer, word.chars, word.length);
    buffer[word.length] = 0;
    return true;
}

bool path_word_is_all(struct path_word word)
{
    return word.length == 1 && *word.chars == '*';
}

bool path_word_number(struct path_word word, u64 *number)
{
    *number = strtoull(word.chars, NULL, 10);
    return word.length && strspn(word.chars, "0123456789") == word.length;
}

bool path_word_copies(struct path_word word, struct path_copies *copies)
{
    *copies = (struct path_copies){ 0, UINT64_MAX };
    if (path_word_is_all(word))
        return true;
    struct path_word first = word, last = word;
    size_t digits = strspn(word.chars, "0123456789");
    if (digits + 2 < word.length && !strncmp(word.chars + digits, "..", 2)) {
        first.length = digits;
        last = (struct path_word){ word.chars + digits + 2, word.length - digits - 2 };
    }
    return path_word_number(first, &copies->first) && path_word_number(last, &copies->last) &&
           copies->first <= copies->last;
}

/* Behind the index that begins here. */
static const char *index_skip(const char *path)
{
    path += strcspn(path, "]");
    return *path ? path + 1 : path;
}

void path_plain(const char *path, const char *instead, char *buffer, size_t size)
{
    size_t used = 0;
    while (*path) {
        bool index = *path == '[';
        size_t length = index ? strlen(instead) : 1;
        if (used + length >= size)
            break;
        memmove(buffer + used, index ? instead : path, length);
        used += length;
        path = index ? index_skip(path) : path + 1;
    }
    buffer[used] = 0;
}

bool path_plain_is(const char *path, const char *name, size_t length)
{
    size_t used = 0;
    while (*path) {
        if (*path == '[')
            path = index_skip(path);
        else if (used == length || name[used++] != *path++)
            return false;
    }
    return used == length;
}
