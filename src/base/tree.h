/* tree.h - a YAML document as a tree that remembers where each part was written.
 *
 * Three kinds of node: text, map, list. All nodes live in the caller's region. Anchors, aliases and
 * tags are refused: what is meant should stand where it is meant. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/region.h"
#include "ogive/ogive.h"
#include "ogive/types.h"

/* Where something was written. line 0: not in a file (a command-line setting, a call); `file` then
 * says what it was. */
struct place {
    const char *file;
    u32 line, column;
};

enum node_kind { NODE_TEXT, NODE_MAP, NODE_LIST };

struct node {
    enum node_kind kind;
    struct place place;
    const char *text;  /* of a text node */
    const char *key;   /* when it stands in a map */
    struct place born; /* of the key */
    struct node **items;
    u32 count;
    bool quoted; /* a text node written in quotes */
};

/* What messages advise, by what the file describes. */
struct tree_words {
    const char *empty;   /* "an architecture needs ..." */
    const char *sharing; /* what to do instead of anchors and aliases */
};

struct node *tree_parse(struct region *region, const struct tree_words *words, const char *name,
                        const char *text, size_t length, struct ogv_error *error);

struct node *node_text(struct region *region, const char *text, struct place place);
struct node *node_new(struct region *region, enum node_kind kind, struct place place);

/* Of a map: the value of a key, or NULL. */
struct node *node_get(const struct node *map, const char *key);

/* Sets or replaces. */
void node_put(struct region *region, struct node *map, const char *key, struct node *value);
void node_remove(struct node *map, const char *key);
void node_append(struct region *region, struct node *list, struct node *item);

/* `null` or `~`, not in quotes: takes away what a file would otherwise inherit. */
bool node_is_null(const struct node *node);

/* A user's mistake at a place: "file:line:column: ...". Returns false. */
bool place_error(struct ogv_error *error, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *node_kind_name(enum node_kind kind);

#endif
