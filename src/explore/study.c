/* study.c - the top of a study file: its keys, modifiers and limits. */
#include "explore/study.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "unit/quantity.h"

#define STUDY_FILE_MAX (4 * MiB)

static const struct tree_words study_words = { "a study needs `run:` and `axes:`",
                                               "use `modifiers:` to share parts" };

/* ---- Numbers ---- */

bool label_number(const char *label, double *number)
{
    char why[QUANTITY_WHY_BYTES], *end;
    u64 value;
    for (u32 type = PARAM_NUMBER; type <= PARAM_BANDWIDTH; type++) {
        if (quantity_read(label, (enum param_type)type, &value, why)) {
            *number = (double)value;
            return true;
        }
    }
    *number = strtod(label, &end);
    if (end != label && (!*end || !strcmp(end, "%")))
        return true;
    char *second = end;
    double width = *number;
    if (end == label || *end != 'x' || !isdigit((unsigned char)end[1]))
        return false;
    *number = width * strtod(second + 1, &end);
    return !*end;
}

/* "90 s", "10 min", "2 h" */
static bool time_read(const struct node *node, double *seconds, struct ogv_error *error)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
    char *end = NULL;
    double number = node->kind == NODE_TEXT ? strtod(node->text, &end) : 0;
    while (end && *end == ' ')
        end++;
    for (u32 i = 0; end && i < sizeof units / sizeof *units; i++) {
        if (number > 0 && number < 1e9 && !strcmp(end, units[i].unit)) {
            *seconds = number * units[i].seconds;
            return true;
        }
    }
    return place_error(error, node->place, "time: write a time as in '90 s', '10 min' or '2 h'");
}

static bool memory_read(const struct node *node, u64 *bytes, struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES] = "it must be a size as in '4 GiB'";
    if (node->kind == NODE_TEXT && quantity_read(node->text, PARAM_BYTES, bytes, why) && *bytes)
        return true;
    return place_error(error, node->place, "%s: %s", node->key, why);
}

static bool limits_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    static const char *const known[] = { "time", "memory", NULL };
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        bool good = !strcmp(item->key, known[0])   ? time_read(item, &study->time_seconds, error)
                    : !strcmp(item->key, known[1]) ? memory_read(item, &study->memory_bytes, error)
                                                   : key_unknown(item, "limits", known, error);
        if (!good)
            return false;
    }
    return true;
}

/* ---- Names ---- */

/* It names a file of the store, and axes name columns. */
static bool name_read(const struct node *node, const char **name, struct ogv_error *error)
{
    bool good = node->kind == NODE_TEXT && *node->text && *node->text != '.';
    for (const char *c = good ? node->text : ""; *c; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("._-", *c));
    *name = node->text;
    return good || place_error(error, node->place,
                               "name: letters, digits, '.', '_' and '-' make the name of a study");
}

static const char *name_of_file(struct study *study)
{
    const char *slash = strrchr(study->path, '/'), *file = slash ? slash + 1 : study->path;
    char *name = region_copy(&study->region, file, strcspn(file, "."));
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-", *c))
            *c = '_';
    return *name ? name : "study";
}

static bool modifiers_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    study->modifiers = region_alloc(&study->region, map->count, sizeof *study->modifiers);
    for (u32 i = 0; i < map->count; i++) {
        struct modifier *modifier = &study->modifiers[study->modifier_count++];
        char *where = region_format(&study->region, "modifier '%s'", map->items[i]->key);
        modifier->name = map->items[i]->key;
        if (strpbrk(modifier->name, "+ "))
            return place_error(error, map->items[i]->born,
                               "a modifier's name has no '+' or blank, which join modifiers");
        if (!patch_read(&study->region, map->items[i], study->path, where, &modifier->patch, error))
            return false;
    }
    return true;
}

static bool axes_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++)
        if (!axis_read(study, map->items[i], error))
            return false;
    return true;
}

static bool about_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    study->about = node->text;
    return node_expect(node, NODE_TEXT, error);
}

static bool base_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    return patch_read(&study->region, node, study->path, "run", &study->base, error);
}

static bool study_name_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    return name_read(node, &study->name, error);
}

/* ---- All of it ---- */

/* In the order in which they are read, whatever the order in the file: what refers to others comes
 * after them. */
static const struct part {
    const char *key;
    bool (*read)(struct study *study, const struct node *node, struct ogv_error *error);
} parts[] = {
    { "name", study_name_read },     { "about", about_read },        { "run", base_read },
    { "modifiers", modifiers_read }, { "axes", axes_read },          { "seeds", seeds_read },
    { "runs", batches_read },        { "exclude", exclusions_read }, { "derive", derivations_read },
    { "limits", limits_read },       { "search", search_read },
};

#define PARTS (sizeof parts / sizeof *parts)

static bool keys_check(const struct node *root, struct ogv_error *error)
{
    const char *known[PARTS + 1] = { 0 };
    if (!node_expect(root, NODE_MAP, error))
        return false;
    for (size_t p = 0; p < PARTS; p++)
        known[p] = parts[p].key;
    for (u32 i = 0; i < root->count; i++) {
        size_t p = 0;
        while (p < PARTS && strcmp(parts[p].key, root->items[i]->key))
            p++;
        if (p == PARTS)
            return key_unknown(root->items[i], "a study", known, error);
    }
    return true;
}

static bool study_fill(struct study *study, const struct node *root, struct ogv_error *error)
{
    if (!keys_check(root, error))
        return false;
    for (size_t p = 0; p < PARTS; p++) {
        const struct node *node = node_get(root, parts[p].key);
        if (node && !parts[p].read(study, node, error))
            return false;
    }
    if (!node_get(root, "runs"))
        return batches_read(study, NULL, error);
    return true;
}

struct study *study_parse(const char *path, const char *text, size_t length,
                          struct ogv_error *error)
{
    struct study *study = heap_array(1, sizeof *study);
    struct hash *hash = hash_create();
    hash_add(hash, text, length);
    hash_finish(hash, study->hash);
    study->path = region_copy(&study->region, path, strlen(path));
    study->name = name_of_file(study);
    study->about = "";
    const struct node *root = tree_parse(&study->region, &study_words, path, text, length, error);
    if (root && study_fill(study, root, error))
        return study;
    study_destroy(study);
    return NULL;
}

struct study *study_read(const char *path, struct ogv_error *error)
{
    size_t length;
    char *text = file_read(path, STUDY_FILE_MAX, &length, error);
    struct study *study = text ? study_parse(path, text, length, error) : NULL;
    free(text);
    return study;
}

void study_destroy(struct study *study)
{
    if (!study)
        return;
    for (u32 i = 0; i < study->exclusion_count; i++)
        formula_free(study->exclusions[i].more);
    for (u32 i = 0; i < study->derivation_count; i++)
        formula_free(study->derivations[i].formula);
    search_plan_free(study->search);
    region_fini(&study->region);
    free(study);
}

u32 study_axis(const struct study *study, const char *name)
{
    for (u32 i = 0; i < study->axis_count; i++)
        if (!strcmp(study->axes[i].name, name))
            return i;
    return UINT32_MAX;
}

u32 axis_value(const struct axis *axis, const char *label)
{
    for (u32 i = 0; i < axis->count; i++)
        if (!strcmp(axis->values[i].label, label))
            return i;
    return UINT32_MAX;
}
