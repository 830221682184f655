/* batch.c - which points of a study are run: `runs`, `exclude` and `derive`.
 *
 *     runs:
 *       - { product: [l1, rays] }                  every l1 with every kind of rays
 *       - { together: [l1, l2], product: [rays] }  the first l1 with the first l2, and so on
 *       - { points: [{ l1: 64 KiB, rays: shadow }] }
 *     exclude:
 *       - { l1: [32 KiB, 64 KiB], rays: primary }
 *       - { more: l1 * sms, than: 8 MiB }
 *     derive:
 *       sm.l1.mshrs: l1 / 256
 *       partition.l2.size: l1 * 8 B */
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"
#include "explore/study.h"

/* ---- Axes and values by name ---- */

static bool axis_find(const struct study *study, const char *name, struct place place, u32 *axis,
                      struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    *axis = study_axis(study, name);
    if (*axis != UINT32_MAX)
        return true;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < study->axis_count; i++)
        nearest_offer(&nearest, study->axes[i].name);
    return place_error(error, place, "there is no axis '%s'%s", name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

static bool value_find(const struct axis *axis, const struct node *node, u32 *value,
                       struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    *value = axis_value(axis, node->text);
    if (*value != UINT32_MAX)
        return true;
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < axis->count; i++)
        nearest_offer(&nearest, axis->values[i].label);
    return place_error(error, node->place, "axis '%s' has no value '%s'%s", axis->name, node->text,
                       nearest_hint(&nearest, hint, sizeof hint));
}

/* ---- Runs ---- */

static void tuple_add(struct study *study, struct batch *batch, u32 axis)
{
    batch->tuples =
        region_grow(&study->region, batch->tuples, batch->tuple_count, sizeof *batch->tuples);
    batch->tuples[batch->tuple_count++] = (struct tuple){ { axis }, 1 };
}

static bool batch_has(const struct batch *batch, u32 axis)
{
    for (u32 t = 0; t < batch->tuple_count; t++)
        for (u32 i = 0; i < batch->tuples[t].count; i++)
            if (batch->tuples[t].axes[i] == axis)
                return true;
    return false;
}

static bool axes_list(struct study *study, struct batch *batch, const struct node *list,
                      bool together, struct ogv_error *error)
{
    struct tuple *joint = NULL;
    if (!node_expect(list, NODE_LIST, error))
        return false;
    for (u32 i = 0; i < list->count; i++) {
        const struct node *item = list->items[i];
        u32 axis;
        if (!node_expect(item, NODE_TEXT, error) ||
            !axis_find(study, item->text, item->place, &axis, error))
            return false;
        if (batch_has(batch, axis))
            return place_error(error, item->place, "axis '%s' is named twice", item->text);
        if (!joint || !together) {
            tuple_add(study, batch, axis);
            joint = &batch->tuples[batch->tuple_count - 1];
            continue;
        }
        if (study->axes[axis].count != study->axes[joint->axes[0]].count)
            return place_error(error, item->place,
                               "axes that go together have as many values each: '%s' has %u, '%s' "
                               "%u",
                               study->axes[joint->axes[0]].name, study->axes[joint->axes[0]].count,
                               item->text, study->axes[axis].count);
        joint->axes[joint->count++] = axis;
    }
    return true;
}

static bool point_read(const struct study *study, const struct node *map, u32 *at,
                       struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < STUDY_AXES_MAX; i++)
        at[i] = AXIS_NONE;
    for (u32 i = 0; i < map->count; i++) {
        u32 axis;
        if (!axis_find(study, map->items[i]->key, map->items[i]->born, &axis, error) ||
            !value_find(&study->axes[axis], map->items[i], &at[axis], error))
            return false;
    }
    return true;
}

static bool points_read(struct study *study, struct batch *batch, const struct node *list,
                        struct ogv_error *error)
{
    if (!node_expect(list, NODE_LIST, error))
        return false;
    batch->points = region_alloc(&study->region, list->count + 1, sizeof *batch->points);
    for (u32 i = 0; i < list->count; i++)
        if (!point_read(study, list->items[i], batch->points[batch->point_count++], error))
            return false;
    return true;
}

static bool batch_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    static const char *const known[] = { "product", "together", "points", NULL };
    struct batch *batch = &study->batches[study->batch_count++];
    batch->place = map->place;
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        bool product = !strcmp(item->key, known[0]), together = !strcmp(item->key, known[1]);
        bool good = product || together            ? axes_list(study, batch, item, together, error)
                    : !strcmp(item->key, known[2]) ? points_read(study, batch, item, error)
                                                   : key_unknown(item, "runs", known, error);
        if (!good)
            return false;
    }
    return !batch->points || !batch->tuple_count ||
           place_error(error, map->place, "`points` stand alone; products are an entry of theirs");
}

/* Where nothing is said, all axes with each other. */
static void batch_default(struct study *study)
{
    study->batches = region_alloc(&study->region, 1, sizeof *study->batches);
    study->batch_count = 1;
    for (u32 i = 0; i < study->axis_count - study->repeats; i++)
        tuple_add(study, study->batches, i);
}

/* Seeds go with everything. */
bool batches_read(struct study *study, const struct node *list, struct ogv_error *error)
{
    if (!list) {
        batch_default(study);
    } else if (node_expect(list, NODE_LIST, error)) {
        study->batches = region_alloc(&study->region, list->count + 1, sizeof *study->batches);
        for (u32 i = 0; i < list->count; i++)
            if (!batch_read(study, list->items[i], error))
                return false;
    } else {
        return false;
    }
    for (u32 i = 0; study->repeats && i < study->batch_count; i++)
        if (!study->batches[i].points && !batch_has(&study->batches[i], study->axis_count - 1))
            tuple_add(study, &study->batches[i], study->axis_count - 1);
    return true;
}

/* ---- Formulas ---- */

struct axes_context {
    const struct study *study;
    const u32 *at;
};

static double axes_number(void *context, const char *name)
{
    const struct axes_context *axes = context;
    u32 axis = study_axis(axes->study, name);
    double number = 0;
    if (axes->at[axis] != AXIS_NONE)
        label_number(axes->study->axes[axis].values[axes->at[axis]].label, &number);
    return number;
}

double axes_value(const struct study *study, const struct formula *formula, const u32 *at)
{
    struct axes_context context = { study, at };
    return formula_value(formula, axes_number, &context);
}

static bool formula_check(const struct study *study, const struct formula *formula,
                          const struct node *node, struct ogv_error *error)
{
    for (u32 i = 0; i < formula->step_count; i++) {
        const char *name = formula->steps[i].name;
        double number;
        u32 axis;
        if (!name)
            continue;
        if (!axis_find(study, name, node->place, &axis, error))
            return false;
        for (u32 v = 0; v < study->axes[axis].count; v++)
            if (!label_number(study->axes[axis].values[v].label, &number))
                return place_error(error, node->place, "'%s' of axis '%s' is not a number",
                                   study->axes[axis].values[v].label, name);
    }
    return true;
}

struct formula *axes_formula(const struct study *study, const struct node *node, const char *text,
                             struct ogv_error *error)
{
    struct ogv_error why;
    struct formula *formula = formula_parse(text, &why);
    if (!formula)
        place_error(error, node->place, "%s", why.message);
    if (formula && !formula_check(study, formula, node, error)) {
        formula_free(formula);
        formula = NULL;
    }
    return formula;
}

/* ---- Exclusions ---- */

static bool exclusion_values(struct study *study, struct exclusion *exclusion,
                             const struct node *item, struct ogv_error *error)
{
    u32 axis, value;
    if (!axis_find(study, item->key, item->born, &axis, error))
        return false;
    u32 words = study->axes[axis].count / 64 + 1, count = item->kind == NODE_LIST ? item->count : 1;
    u64 *bits = region_alloc(&study->region, words, sizeof *bits);
    for (u32 i = 0; i < count; i++) {
        const struct node *node = item->kind == NODE_LIST ? item->items[i] : item;
        if (!value_find(&study->axes[axis], node, &value, error))
            return false;
        bits[value / 64] |= UINT64_C(1) << value % 64;
    }
    exclusion->allowed[axis] = bits;
    return true;
}

static bool exclusion_bound(struct study *study, struct exclusion *exclusion,
                            const struct node *map, struct ogv_error *error)
{
    const struct node *more = node_get(map, "more"), *than = node_get(map, "than");
    if (!more || !than || map->count != 2)
        return place_error(error, map->place,
                           "`more` and `than` go together and alone: { more: l1 * sms, than: 8 "
                           "MiB }");
    if (!node_expect(more, NODE_TEXT, error) || !node_expect(than, NODE_TEXT, error))
        return false;
    if (!label_number(than->text, &exclusion->than))
        return place_error(error, than->place, "than: '%s' is not a number", than->text);
    exclusion->more = axes_formula(study, more, more->text, error);
    return exclusion->more;
}

static bool exclusion_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    struct exclusion *exclusion = &study->exclusions[study->exclusion_count++];
    exclusion->place = map->place;
    if (!node_expect(map, NODE_MAP, error))
        return false;
    if (node_get(map, "more") || node_get(map, "than"))
        return exclusion_bound(study, exclusion, map, error);
    for (u32 i = 0; i < map->count; i++)
        if (!exclusion_values(study, exclusion, map->items[i], error))
            return false;
    return map->count || place_error(error, map->place, "this would exclude everything");
}

bool exclusions_read(struct study *study, const struct node *list, struct ogv_error *error)
{
    if (!node_expect(list, NODE_LIST, error))
        return false;
    study->exclusions = region_alloc(&study->region, list->count + 1, sizeof *study->exclusions);
    for (u32 i = 0; i < list->count; i++)
        if (!exclusion_read(study, list->items[i], error))
            return false;
    return true;
}

/* ---- Derived parameters ---- */

/* A unit stands behind the formula: "l1 * 8 B". What follows the last blank is one if it is of
 * letters, and nothing before it waits for more. */
static const char *unit_cut(struct study *study, const char *text, char **formula)
{
    const char *blank = strrchr(text, ' '), *before = blank;
    while (before && before > text && before[-1] == ' ')
        before--;
    bool unit = before && before > text && !strchr("+-*/(", before[-1]) &&
                !strpbrk(blank + 1, "+-*()0123456789_") && blank[1] != '/';
    *formula = region_copy(&study->region, text, unit ? (size_t)(before - text) : strlen(text));
    return unit ? region_copy(&study->region, blank, strlen(blank)) : "";
}

static bool derivation_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    struct derivation *derivation = &study->derivations[study->derivation_count++];
    char *text;
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    derivation->name = node->key;
    derivation->place = node->place;
    derivation->option = study_option_find(node->key);
    if (derivation->option == STUDY_OPTIONS && !strchr(node->key, '.'))
        return place_error(error, node->born,
                           "'%s' is neither an option of a run nor a parameter like sm.l1.size",
                           node->key);
    derivation->unit = unit_cut(study, node->text, &text);
    derivation->formula = axes_formula(study, node, text, error);
    return derivation->formula;
}

bool derivations_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    study->derivations = region_alloc(&study->region, map->count + 1, sizeof *study->derivations);
    for (u32 i = 0; i < map->count; i++)
        if (!derivation_read(study, map->items[i], error))
            return false;
    return true;
}
