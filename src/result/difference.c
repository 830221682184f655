/* difference.c - see difference.h. Objects are walked by key, arrays by index; what is not of the
 * same kind in all trees is a leaf. */
#include "result/difference.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16

struct walking {
    const struct difference_visitor *visitor;
    u32 trees;
};

static void walk(const struct walking *walking, const struct difference *at, u32 depth);

/* Whether a tree before this one has the key too: it has been seen from there. */
static bool seen_before(const struct difference *at, u32 tree, const char *key)
{
    for (u32 i = 0; i < tree; i++)
        if (json_object_get(at->of[i], key))
            return true;
    return false;
}

static void walk_object(const struct walking *walking, const struct difference *at, u32 depth)
{
    const char *key;
    json_t *value;
    for (u32 tree = 0; tree < walking->trees; tree++) {
        json_object_foreach((json_t *)(uintptr_t)at->of[tree], key, value)
        {
            if (seen_before(at, tree, key))
                continue;
            char *path = *at->path ? text_format("%s.%s", at->path, key) : heap_copy(key);
            struct difference below = { .path = path };
            for (u32 i = 0; i < walking->trees; i++)
                below.of[i] = json_object_get(at->of[i], key);
            walk(walking, &below, depth + 1);
            free(path);
        }
    }
}

static void walk_array(const struct walking *walking, const struct difference *at, u32 depth)
{
    size_t count = 0;
    for (u32 i = 0; i < walking->trees; i++)
        count = max_u64(count, json_array_size(at->of[i]));
    for (size_t n = 0; n < count; n++) {
        char *path = text_format("%s[%zu]", at->path, n);
        struct difference below = { .path = path };
        for (u32 i = 0; i < walking->trees; i++)
            below.of[i] = json_array_get(at->of[i], n);
        walk(walking, &below, depth + 1);
        free(path);
    }
}

/* All that are there are of this kind; with `whole`, all are there. */
static bool all_are(const struct walking *walking, const struct difference *at, json_type type)
{
    bool any = false;
    for (u32 i = 0; i < walking->trees; i++) {
        if (at->of[i] ? json_typeof(at->of[i]) != type : walking->visitor->whole)
            return false;
        any = any || at->of[i];
    }
    return any;
}

static bool all_equal(const struct walking *walking, const struct difference *at)
{
    for (u32 i = 1; i < walking->trees; i++) {
        const json_t *a = at->of[0], *b = at->of[i];
        if (!a != !b || (a && !json_equal(a, b)))
            return false;
    }
    return true;
}

static void walk(const struct walking *walking, const struct difference *at, u32 depth)
{
    if (depth > DEPTH_MAX)
        return;
    if (all_are(walking, at, JSON_OBJECT))
        walk_object(walking, at, depth);
    else if (all_are(walking, at, JSON_ARRAY))
        walk_array(walking, at, depth);
    else if (!all_equal(walking, at))
        walking->visitor->visit(walking->visitor->context, at);
}

void difference_walk(const json_t *const *trees, u32 count,
                     const struct difference_visitor *visitor)
{
    struct walking walking = { visitor, count };
    struct difference root = { .path = "" };
    for (u32 i = 0; i < count; i++)
        root.of[i] = trees[i];
    walk(&walking, &root, 0);
}

static void object_words(const json_t *object, struct text *out)
{
    const char *key;
    json_t *value;
    bool first = true;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        text_add(out, "%s%s: ", first ? "" : ", ", key);
        difference_words(value, out);
        first = false;
    }
}

void difference_words(const json_t *leaf, struct text *out)
{
    if (!leaf)
        text_add(out, "-");
    else if (json_is_string(leaf))
        text_add(out, "%s", json_string_value(leaf));
    else if (json_is_integer(leaf))
        text_add(out, "%lld", (long long)json_integer_value(leaf));
    else if (json_is_real(leaf))
        text_add(out, "%.6g", json_real_value(leaf));
    else if (json_is_object(leaf))
        object_words(leaf, out);
    else
        text_add(out, "%s",
                 json_is_true(leaf)    ? "true"
                 : json_is_false(leaf) ? "false"
                 : json_is_null(leaf)  ? "undefined"
                                       : "?");
}

/* ---- Tables ---- */

/* The length of an entry: up to the next comma that is not in brackets. */
static size_t entry_length(const char *text)
{
    size_t length = 0;
    int open = 0;
    for (; text[length] && (open || text[length] != ','); length++)
        open += (text[length] == '{' || text[length] == '[') -
                (text[length] == '}' || text[length] == ']');
    return length;
}

static bool entry_add(json_t *table, const char *entry, size_t length)
{
    size_t name =
        strspn(entry, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*");
    if (!name || name + 2 > length || strncmp(entry + name, ": ", 2))
        return false;
    char *key = text_format("%.*s", (int)name, entry);
    json_object_set_new(table, key, json_stringn(entry + name + 2, length - name - 2));
    free(key);
    return true;
}

json_t *table_split(const char *text)
{
    json_t *table = json_object();
    bool good = *text;
    while (good && *text) {
        size_t length = entry_length(text);
        good = entry_add(table, text, length);
        text += length + (text[length] == ',');
        text += strspn(text, " ");
    }
    if (good)
        return table;
    json_decref(table);
    return NULL;
}
