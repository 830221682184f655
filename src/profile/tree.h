/* tree.h - a profile as people think of it: functions, lines, and who called whom.
 *
 * The tree has a node for every function on every call path, inlined functions among them: their
 * calls never happened, but they were written. Nodes of the same name below the same node are one.
 *
 * Always true: a node's inclusive cost is its own cost plus the inclusive costs of its children;
 * the root's is that of the whole profile. */
#ifndef PROFILE_TREE_H
#define PROFILE_TREE_H

#include "base/text.h"
#include "profile/places.h"
#include "profile/profile.h"

/* A sample with its place. */
struct tree_item {
    const struct profile_sample *sample;
    const char *file; /* NULL: not known */
    u32 line;
    u32 node;
};

struct tree_node {
    const char *function;
    const char *file;      /* of the first line seen; NULL: not known */
    const char *call_file; /* where the one above calls it */
    u32 call_line;
    bool inlined;
    u32 parent, child, next; /* PATH_NONE: none; children by cost, largest first */
    u64 calls;
    double own, inclusive;
    struct profile_counts counts, counts_inclusive;
};

struct profile_tree {
    const struct profile *profile;
    const struct profile_measure *measure;
    struct places *places;
    u8 *file;
    size_t file_bytes;
    struct tree_node *nodes; /* the first is the root */
    struct tree_item *items; /* one per sample of the profile, in its order */
    u32 node_count;
};

/* Reads the program for the names; the profile and the measure must live as long. NULL on failure.
 */
struct profile_tree *tree_create(const struct profile *profile,
                                 const struct profile_measure *measure, struct ogv_error *error);
void tree_destroy(struct profile_tree *tree);

/* ---- Views: each adds a text ---- */

struct view_options {
    double least; /* share of the whole below which lines are left out, 0 to 1 */
};

/* A summary of reasons, the call tree, and the functions by their own cost. */
void view_tree(const struct profile_tree *tree, const struct view_options *options,
               struct text *out);

/* Source lines and instructions with what they cost. */
void view_source(const struct profile_tree *tree, const struct view_options *options,
                 struct text *out);
void view_disassembly(const struct profile_tree *tree, const struct view_options *options,
                      struct text *out);

/* "main;shade;trace 123": for flame graphs. */
void view_folded(const struct profile_tree *tree, struct text *out);

/* For KCachegrind and callgrind_annotate. */
void view_callgrind(const struct profile_tree *tree, struct text *out);

#endif
