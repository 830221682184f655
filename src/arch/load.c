/* load.c - architecture files into one tree: reading, `extends`, `--set`. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define ARCH_FILE_MAX    (4 * MiB)
#define ARCH_EXTENDS_MAX 16

const struct tree_words arch_words = { "an architecture needs `domains:`",
                                       "use `extends:` to share parts" };

/* The file being read and those that led to it. */
struct reading {
    const char *path;
    const struct reading *because_of;
    u32 depth;
    enum arch_reach reach;
};

static struct node *arch_read(ogv_arch *arch, const struct reading *reading,
                              struct ogv_error *error);

/* ---- Laying one tree over another ---- */

/* "a -> b" as written is what makes two links the same. */
static const char *link_text(const struct node *link)
{
    if (link->kind == NODE_TEXT)
        return link->text;
    return link->kind == NODE_MAP && link->count == 1 ? link->items[0]->key : "";
}

/* The n-th link of that text, counting from 0; the list's count if there is none. */
static u32 links_find(const struct node *links, const char *text, u32 nth)
{
    u32 k = 0;
    while (k < links->count && (strcmp(link_text(links->items[k]), text) || nth-- > 0))
        k++;
    return k;
}

static bool links_remove(struct node *links, const struct node *link, struct ogv_error *error)
{
    const char *text = link_text(link);
    u32 k = links_find(links, text, 0);
    if (k < links->count) {
        memmove(&links->items[k], &links->items[k + 1],
                (--links->count - k) * sizeof *links->items);
        return true;
    }
    struct nearest nearest;
    char hint[300];
    nearest_init(&nearest, text);
    for (u32 i = 0; i < links->count; i++)
        nearest_offer(&nearest, link_text(links->items[i]));
    return place_error(error, link->place, "there is no link '%s' to take away%s", text,
                       nearest_hint(&nearest, hint, sizeof hint));
}

/* A text that stands twice in both lists is two links: the first replaces the first. */
static bool links_merge(struct region *region, struct node *base, const struct node *over,
                        struct ogv_error *error)
{
    for (u32 i = 0; i < over->count; i++) {
        struct node *link = over->items[i];
        if (link->kind == NODE_MAP && link->count == 1 && node_is_null(link->items[0])) {
            if (!links_remove(base, link, error))
                return false;
            continue;
        }
        u32 nth = 0;
        for (u32 k = 0; k < i; k++)
            nth += !strcmp(link_text(over->items[k]), link_text(link));
        u32 k = links_find(base, link_text(link), nth);
        if (k < base->count)
            base->items[k] = link;
        else
            node_append(region, base, link);
    }
    return true;
}

static bool key_remove(struct node *base, const struct node *value, struct ogv_error *error)
{
    if (node_get(base, value->key)) {
        node_remove(base, value->key);
        return true;
    }
    struct nearest nearest;
    char hint[300];
    nearest_init(&nearest, value->key);
    for (u32 i = 0; i < base->count; i++)
        nearest_offer(&nearest, base->items[i]->key);
    return place_error(error, value->born,
                       "`null` takes away what another file gave, but there is no '%s' here%s",
                       value->key, nearest_hint(&nearest, hint, sizeof hint));
}

bool tree_merge(struct region *region, struct node *base, const struct node *over,
                struct ogv_error *error)
{
    bool good = true;
    for (u32 i = 0; good && i < over->count; i++) {
        struct node *value = over->items[i];
        if (node_is_null(value)) {
            good = key_remove(base, value, error);
            continue;
        }
        struct node *old = node_get(base, value->key);
        if (value->kind != NODE_TEXT && (!old || old->kind != value->kind)) {
            old = node_new(region, value->kind, value->place);
            old->born = value->born;
            node_put(region, base, value->key, old);
        }
        if (value->kind == NODE_MAP)
            good = tree_merge(region, old, value, error);
        else if (value->kind == NODE_LIST)
            good = links_merge(region, old, value, error);
        else
            node_put(region, base, value->key, value);
    }
    return good;
}

/* ---- Files ---- */

/* Names may differ ("./a.yaml") where the file does not. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool arch_extend_file(ogv_arch *arch, const struct reading *reading, struct node *base,
                             const struct node *name, const char *path, struct ogv_error *error)
{
    for (const struct reading *r = reading; r; r = r->because_of)
        if (same_file(r->path, path))
            return place_error(error, name->place,
                               r == reading
                                   ? "'%s' is this file, which cannot extend itself"
                                   : "extending '%s' goes in a circle: that file led to this one",
                               name->text);
    if (reading->depth == ARCH_EXTENDS_MAX)
        return place_error(error, name->place, "more than %d files extend one another",
                           ARCH_EXTENDS_MAX);
    struct reading next = { path, reading, reading->depth + 1, reading->reach };
    const struct node *tree = arch_read(arch, &next, error);
    return tree && tree_merge(&arch->region, base, tree, error);
}

static bool arch_extend(ogv_arch *arch, const struct reading *reading, struct node *base,
                        const struct node *name, struct ogv_error *error)
{
    if (name->kind != NODE_TEXT)
        return place_error(error, name->place,
                           "`extends` takes the name of a file or a list of them");
    struct ogv_error why;
    char *path = arch_find(name->text, reading->path, &why);
    if (!path)
        return place_error(error, name->place, "%s", why.message);
    bool good = arch_extend_file(arch, reading, base, name, path, error);
    free(path);
    return good;
}

/* Names of shared objects are relative to the file that gives them. One alone becomes a list, so
 * that files that extend one another add to it. */
static void arch_anchor_paths(ogv_arch *arch, const struct reading *reading, struct node *tree)
{
    struct node *paths = node_get(tree, "unit_path");
    if (!paths || node_is_null(paths))
        return;
    if (paths->kind == NODE_TEXT) {
        struct node *list = node_new(&arch->region, NODE_LIST, paths->place);
        list->born = paths->born;
        node_append(&arch->region, list, paths);
        node_put(&arch->region, tree, "unit_path", list);
        paths = list;
    }
    const char *slash = strrchr(reading->path, '/');
    int folder = slash ? (int)(slash - reading->path) + 1 : 0;
    for (u32 i = 0; paths->kind == NODE_LIST && i < paths->count; i++) {
        struct node *path = paths->items[i];
        if (path->kind == NODE_TEXT && path->text[0] != '/')
            path->text = region_format(&arch->region, "%.*s%s", folder, reading->path, path->text);
    }
}

static bool arch_check_reach(const struct reading *reading, const struct node *tree,
                             struct ogv_error *error)
{
    const struct node *extends = node_get(tree, "extends");
    const struct node *other = extends ? extends : node_get(tree, "unit_path");
    if (reading->reach == ARCH_WITH_FILES || !other)
        return true;
    return place_error(error, other->born, "`%s` names other files, which this text may not",
                       other->key);
}

static struct node *arch_complete(ogv_arch *arch, const struct reading *reading, struct node *tree,
                                  struct ogv_error *error)
{
    if (tree->kind != NODE_MAP) {
        place_error(error, tree->place, "an architecture is a map with `domains:`, not %s",
                    node_kind_name(tree->kind));
        return NULL;
    }
    if (!arch_check_reach(reading, tree, error))
        return NULL;
    arch_anchor_paths(arch, reading, tree);
    const struct node *extends = node_get(tree, "extends");
    struct node *base = node_new(&arch->region, NODE_MAP, tree->place);
    u32 count = !extends ? 0 : extends->kind == NODE_LIST ? extends->count : 1;
    for (u32 i = 0; i < count; i++) {
        const struct node *name = extends->kind == NODE_LIST ? extends->items[i] : extends;
        if (!arch_extend(arch, reading, base, name, error))
            return NULL;
    }
    node_remove(tree, "extends");
    return tree_merge(&arch->region, base, tree, error) ? base : NULL;
}

static struct node *arch_read(ogv_arch *arch, const struct reading *reading,
                              struct ogv_error *error)
{
    size_t length;
    char *text = file_read(reading->path, ARCH_FILE_MAX, &length, error);
    if (!text)
        return NULL;
    struct node *tree = tree_parse(&arch->region, &arch_words, reading->path, text, length, error);
    free(text);
    return tree ? arch_complete(arch, reading, tree, error) : NULL;
}

static ogv_arch *arch_new(void)
{
    return heap_array(1, sizeof(ogv_arch));
}

static ogv_arch *arch_or_nothing(ogv_arch *arch)
{
    if (arch->root)
        return arch;
    ogv_arch_destroy(arch);
    return NULL;
}

ogv_arch *ogv_arch_load(const char *file_or_name, struct ogv_error *error)
{
    char *path = arch_find(file_or_name, NULL, error);
    if (!path)
        return NULL;
    ogv_arch *arch = arch_new();
    struct reading reading = { path, NULL, 0, ARCH_WITH_FILES };
    arch->root = arch_read(arch, &reading, error);
    free(path);
    return arch_or_nothing(arch);
}

ogv_arch *arch_parse(const char *name, const char *text, size_t length, enum arch_reach reach,
                     struct ogv_error *error)
{
    ogv_arch *arch = arch_new();
    struct reading reading = { name, NULL, 0, reach };
    struct node *tree = tree_parse(&arch->region, &arch_words, name, text, length, error);
    arch->root = tree ? arch_complete(arch, &reading, tree, error) : NULL;
    return arch_or_nothing(arch);
}

static struct node *node_copy(struct region *region, const struct node *node)
{
    struct node *copy = node_new(region, node->kind, node->place);
    copy->born = node->born;
    copy->quoted = node->quoted;
    copy->place.file = region_copy(region, node->place.file, strlen(node->place.file));
    if (node->born.file)
        copy->born.file = region_copy(region, node->born.file, strlen(node->born.file));
    if (node->text)
        copy->text = region_copy(region, node->text, strlen(node->text));
    for (u32 i = 0; i < node->count; i++) {
        struct node *item = node_copy(region, node->items[i]);
        if (node->items[i]->key)
            item->key = region_copy(region, node->items[i]->key, strlen(node->items[i]->key));
        node_append(region, copy, item);
    }
    return copy;
}

ogv_arch *arch_copy(const ogv_arch *arch)
{
    ogv_arch *copy = arch_new();
    copy->root = node_copy(&copy->region, arch->root);
    return copy;
}

ogv_arch *ogv_arch_copy(const ogv_arch *arch)
{
    return arch_copy(arch);
}

void ogv_arch_destroy(ogv_arch *arch)
{
    if (!arch)
        return;
    region_fini(&arch->region);
    free(arch);
}
