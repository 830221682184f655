/* load.c - architecture files into one tree: reading, `extends`, `--set`. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define ARCH_FILE_MAX    (4 * MiB)
#define ARCH_EXTENDS_MAX 16

/* The file being read and those that led to it. */
struct reading {
    const char *path;
    const struct reading *because_of;
    u32 depth;
};

static struct node *arch_read(ogv_arch *arch, const struct reading *reading,
                              struct ogv_error *error);

/* "a -> b" as written is what makes two links the same. */
static const char *link_text(const struct node *link)
{
    if (link->kind == NODE_TEXT)
        return link->text;
    return link->kind == NODE_MAP && link->count == 1 ? link->items[0]->key : "";
}

static void links_merge(struct region *region, struct node *base, const struct node *over)
{
    for (u32 i = 0; i < over->count; i++) {
        struct node *link = over->items[i];
        bool away = link->kind == NODE_MAP && link->count == 1 && node_is_null(link->items[0]);
        u32 k = 0;
        while (k < base->count && strcmp(link_text(base->items[k]), link_text(link)))
            k++;
        if (k == base->count && !away)
            node_append(region, base, link);
        else if (k < base->count && !away)
            base->items[k] = link;
        else if (k < base->count)
            memmove(&base->items[k], &base->items[k + 1],
                    (--base->count - k) * sizeof *base->items);
    }
}

void tree_merge(struct region *region, struct node *base, const struct node *over)
{
    for (u32 i = 0; i < over->count; i++) {
        struct node *value = over->items[i];
        struct node *old = node_get(base, value->key);
        bool both_maps = old && old->kind == NODE_MAP && value->kind == NODE_MAP;
        bool both_lists = old && old->kind == NODE_LIST && value->kind == NODE_LIST;
        if (node_is_null(value))
            node_remove(base, value->key);
        else if (both_maps)
            tree_merge(region, old, value);
        else if (both_lists)
            links_merge(region, old, value);
        else
            node_put(region, base, value->key, value);
    }
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
    for (const struct reading *r = reading; r; r = r->because_of) {
        if (!strcmp(r->path, path) || reading->depth >= ARCH_EXTENDS_MAX) {
            free(path);
            return place_error(error, name->place, "extending '%s' comes back to this file",
                               name->text);
        }
    }
    struct reading next = { path, reading, reading->depth + 1 };
    struct node *tree = arch_read(arch, &next, error);
    free(path);
    if (!tree)
        return false;
    tree_merge(&arch->region, base, tree);
    return true;
}

/* Names of shared objects are relative to the file that gives them. */
static void arch_anchor_paths(ogv_arch *arch, const struct reading *reading, struct node *tree)
{
    struct node *paths = node_get(tree, "unit_path");
    const char *slash = strrchr(reading->path, '/');
    if (!paths || !slash)
        return;
    u32 count = paths->kind == NODE_LIST ? paths->count : 1;
    for (u32 i = 0; i < count; i++) {
        struct node *path = paths->kind == NODE_LIST ? paths->items[i] : paths;
        if (path->kind == NODE_TEXT && path->text[0] != '/')
            path->text = region_format(&arch->region, "%.*s/%s", (int)(slash - reading->path),
                                       reading->path, path->text);
    }
}

static struct node *arch_complete(ogv_arch *arch, const struct reading *reading, struct node *tree,
                                  struct ogv_error *error)
{
    if (tree->kind != NODE_MAP) {
        place_error(error, tree->place, "an architecture is a map with `domains:`, not %s",
                    node_kind_name(tree->kind));
        return NULL;
    }
    arch_anchor_paths(arch, reading, tree);
    const struct node *extends = node_get(tree, "extends");
    if (!extends)
        return tree;
    struct node *base = node_new(&arch->region, NODE_MAP, tree->place);
    u32 count = extends->kind == NODE_LIST ? extends->count : 1;
    for (u32 i = 0; i < count; i++) {
        const struct node *name = extends->kind == NODE_LIST ? extends->items[i] : extends;
        if (!arch_extend(arch, reading, base, name, error))
            return NULL;
    }
    node_remove(tree, "extends");
    tree_merge(&arch->region, base, tree);
    return base;
}

static struct node *arch_read(ogv_arch *arch, const struct reading *reading,
                              struct ogv_error *error)
{
    size_t length;
    char *text = file_read(reading->path, ARCH_FILE_MAX, &length, error);
    if (!text)
        return NULL;
    struct node *tree = tree_parse(&arch->region, reading->path, text, length, error);
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
    struct reading reading = { path, NULL, 0 };
    arch->root = arch_read(arch, &reading, error);
    free(path);
    return arch_or_nothing(arch);
}

ogv_arch *arch_parse(const char *name, const char *text, size_t length, struct ogv_error *error)
{
    ogv_arch *arch = arch_new();
    struct reading reading = { name, NULL, 0 };
    struct node *tree = tree_parse(&arch->region, name, text, length, error);
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

void ogv_arch_destroy(ogv_arch *arch)
{
    if (!arch)
        return;
    region_fini(&arch->region);
    free(arch);
}
