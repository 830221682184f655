/* axis.c - an axis of a study: a list of values, a range of numbers, named cases, or modifiers.
 *
 *     rays: [primary, secondary]                                an option of `ogive run`
 *     sm.l1.size: [64 KiB, 128 KiB]                             a parameter of the machine
 *     l1: { set: sm.l1.size, from: 32 KiB, to: 256 KiB, times: 2 }
 *     chip: { cases: { small: { set: {...} }, large: {...} } }
 *     variant: { modifiers: [none, wide, wide+deep] }           each over those before it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/text.h"
#include "explore/study.h"

#define AXIS_VALUES_MAX 4096
#define MODIFIER_NONE   "none" /* of them */

/* What an axis changes: an option, or a parameter of the machine. */
struct subject {
    u32 option; /* STUDY_OPTIONS: a parameter */
    const char *path;
};

static bool value_add(struct study *study, struct axis *axis, const char *label, struct place place,
                      const struct patch *patch, struct ogv_error *error)
{
    if (axis_value(axis, label) != UINT32_MAX)
        return place_error(error, place, "axis '%s' has the value '%s' already", axis->name, label);
    if (axis->count == AXIS_VALUES_MAX)
        return place_error(error, place, "an axis has at most %d values", AXIS_VALUES_MAX);
    axis->values = region_grow(&study->region, axis->values, axis->count, sizeof *axis->values);
    axis->values[axis->count++] =
        (struct axis_value){ region_copy(&study->region, label, strlen(label)), place, *patch };
    return true;
}

/* The words of a list of arguments, for people. */
static const char *words_label(struct study *study, const char *words)
{
    char *label = region_copy(&study->region, words, strlen(words));
    for (char *c = label; *c; c++)
        if (*c == VALUE_BREAK)
            *c = ' ';
    return label;
}

static bool value_read(struct study *study, struct axis *axis, const struct subject *subject,
                       const struct node *node, struct ogv_error *error)
{
    struct patch patch = { 0 };
    const char *text = node->text, *label = node->text;
    if (subject->option < STUDY_OPTIONS) {
        text = option_read(&study->region, subject->option, node, study->path, error);
        if (!text)
            return false;
        patch.options[subject->option] = (struct patch_value){ text, node->place };
        if (node->kind != NODE_TEXT)
            label = words_label(study, text);
    } else if (node->kind == NODE_TEXT) {
        patch_set(&study->region, &patch, subject->path, (struct patch_value){ text, node->place });
    } else {
        return place_error(error, node->place, "%s: a value is needed here, not %s", subject->path,
                           node_kind_name(node->kind));
    }
    return value_add(study, axis, label, node->place, &patch, error);
}

static bool values_read(struct study *study, struct axis *axis, const struct subject *subject,
                        const struct node *list, struct ogv_error *error)
{
    if (list->kind == NODE_TEXT)
        return value_read(study, axis, subject, list, error);
    if (list->kind != NODE_LIST)
        return place_error(error, list->place, "values are a list, as in [1, 2, 4]");
    for (u32 i = 0; i < list->count; i++)
        if (!value_read(study, axis, subject, list->items[i], error))
            return false;
    return true;
}

/* ---- Ranges ---- */

/* A number, and what stands behind it: " KiB". */
static bool bound_read(const struct node *map, const char *key, double *number, const char **unit,
                       struct ogv_error *error)
{
    const struct node *node = node_get(map, key);
    char *end = NULL;
    if (!node)
        return place_error(error, map->place, "a range needs `%s`", key);
    *number = node->kind == NODE_TEXT ? strtod(node->text, &end) : 0;
    if (!end || end == node->text || !isfinite(*number))
        return place_error(error, node->place, "%s: is not a number", key);
    if (*unit && strcmp(*unit, end))
        return place_error(error, node->place,
                           "%s: all of a range is written in one unit, here '%s'", key,
                           **unit ? *unit : "none");
    *unit = end;
    return true;
}

static bool range_fill(struct study *study, struct axis *axis, const struct subject *subject,
                       const struct node *map, const double bounds[3], bool times, const char *unit,
                       struct ogv_error *error)
{
    double first = bounds[0], last = bounds[1], step = bounds[2];
    if (last < first || (times ? step <= 1 || first <= 0 : step <= 0))
        return place_error(error, map->place,
                           "a range goes up: `to` is not less than `from`, `step` is more than 0, "
                           "`times` more than 1");
    double value = first, slack = 1e-9 * fabs(last);
    for (u32 i = 0; value <= last + slack; i++) {
        char *text = region_format(&study->region, "%.10g%s", value, unit);
        struct node *node = node_text(&study->region, text, map->place);
        if (!value_read(study, axis, subject, node, error))
            return false;
        value = times ? value * step : first + (i + 1) * step;
    }
    return true;
}

static bool range_read(struct study *study, struct axis *axis, const struct subject *subject,
                       const struct node *map, struct ogv_error *error)
{
    double bounds[3] = { 0, 0, 1 };
    const char *unit = NULL, *plain = "";
    const struct node *times = node_get(map, "times"), *step = node_get(map, "step");
    if (times && step)
        return place_error(error, times->born, "a range has either `step` or `times`");
    if (!bound_read(map, "from", &bounds[0], &unit, error) ||
        !bound_read(map, "to", &bounds[1], &unit, error) ||
        (step && !bound_read(map, "step", &bounds[2], &unit, error)) ||
        (times && !bound_read(map, "times", &bounds[2], &plain, error)))
        return false;
    return range_fill(study, axis, subject, map, bounds, times, unit, error);
}

/* ---- Cases and modifiers ---- */

static bool cases_read(struct study *study, struct axis *axis, const struct node *map,
                       struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        struct patch patch = { 0 };
        char *where = region_format(&study->region, "case '%s'", item->key);
        if (!patch_read(&study->region, item, study->path, where, &patch, error) ||
            !value_add(study, axis, item->key, item->born, &patch, error))
            return false;
    }
    return true;
}

static bool modifier_lay(struct study *study, struct patch *patch, const char *name,
                         struct place place, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    if (!strcmp(name, MODIFIER_NONE))
        return true;
    for (u32 i = 0; i < study->modifier_count; i++) {
        if (!strcmp(study->modifiers[i].name, name)) {
            patch_lay(&study->region, patch, &study->modifiers[i].patch);
            return true;
        }
        nearest_offer(&nearest, study->modifiers[i].name);
    }
    return place_error(error, place, "there is no modifier '%s'%s", name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

/* "wide+deep": one laid over the other. */
static bool composed_read(struct study *study, struct axis *axis, const struct node *node,
                          struct ogv_error *error)
{
    struct patch patch = { 0 };
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    for (const char *at = node->text;;) {
        size_t length = strcspn(at, "+");
        char *name = region_copy(&study->region, at, length);
        if (!modifier_lay(study, &patch, name, node->place, error))
            return false;
        if (!at[length])
            break;
        at += length + 1;
    }
    return value_add(study, axis, node->text, node->place, &patch, error);
}

static bool modifiers_list(struct study *study, struct axis *axis, const struct node *list,
                           struct ogv_error *error)
{
    if (!node_expect(list, NODE_LIST, error))
        return false;
    for (u32 i = 0; i < list->count; i++)
        if (!composed_read(study, axis, list->items[i], error))
            return false;
    return true;
}

/* ---- All kinds ---- */

static bool subject_unknown(const struct node *node, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, node->key);
    for (u32 i = 0; i < STUDY_OPTIONS; i++)
        nearest_offer(&nearest, study_options[i].name);
    return place_error(error, node->born,
                       "axis '%s' is neither an option of a run nor a parameter like "
                       "sm.l1.size%s; say what it changes: { set: PATH, values: [...] }",
                       node->key, nearest_hint(&nearest, hint, sizeof hint));
}

static bool subject_find(const struct node *node, struct subject *subject, struct ogv_error *error)
{
    const struct node *set = node->kind == NODE_MAP ? node_get(node, "set") : NULL;
    subject->option = set ? STUDY_OPTIONS : study_option_find(node->key);
    subject->path = set ? set->text : node->key;
    if (set && (set->kind != NODE_TEXT || !*set->text))
        return place_error(error, set->place, "set: the path of a parameter is needed");
    if (set || subject->option < STUDY_OPTIONS || strchr(node->key, '.'))
        return true;
    return subject_unknown(node, error);
}

static bool axis_map_read(struct study *study, struct axis *axis, const struct node *map,
                          struct ogv_error *error)
{
    static const char *const known[] = { "set",   "values", "from",      "to", "step",
                                         "times", "cases",  "modifiers", NULL };
    const struct node *cases = node_get(map, "cases"), *modifiers = node_get(map, "modifiers");
    const struct node *values = node_get(map, "values");
    struct subject subject;
    for (u32 i = 0; i < map->count; i++) {
        u32 k = 0;
        while (known[k] && strcmp(known[k], map->items[i]->key))
            k++;
        if (!known[k])
            return key_unknown(map->items[i], "an axis", known, error);
    }
    if ((cases || modifiers) && map->count > 1)
        return place_error(error, map->place, "`cases` and `modifiers` each make an axis alone");
    if (cases)
        return cases_read(study, axis, cases, error);
    if (modifiers)
        return modifiers_list(study, axis, modifiers, error);
    if (!subject_find(map, &subject, error))
        return false;
    return values ? values_read(study, axis, &subject, values, error)
                  : range_read(study, axis, &subject, map, error);
}

static struct axis *axis_new(struct study *study, const char *name, struct place place,
                             struct ogv_error *error)
{
    if (study->axis_count == STUDY_AXES_MAX) {
        place_error(error, place, "a study has at most %d axes", STUDY_AXES_MAX);
        return NULL;
    }
    struct axis *axis = &study->axes[study->axis_count++];
    *axis = (struct axis){ .name = name, .place = place };
    return axis;
}

bool axis_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    struct axis *axis = axis_new(study, node->key, node->born, error);
    struct subject subject;
    if (!axis || (node->kind == NODE_MAP ? !axis_map_read(study, axis, node, error)
                                         : !subject_find(node, &subject, error) ||
                                               !values_read(study, axis, &subject, node, error)))
        return false;
    return axis->count || place_error(error, node->place, "axis '%s' has no values", node->key);
}

/* "seeds: 3" is 1 to 3; a list is as it stands. */
bool seeds_read(struct study *study, const struct node *node, struct ogv_error *error)
{
    struct subject subject = { OPTION_SEED, NULL };
    struct axis *axis = axis_new(study, "seed", node->born, error);
    double count;
    if (!axis || node->kind == NODE_LIST)
        return axis && values_read(study, axis, &subject, node, error) &&
               (study->repeats = axis->count, true);
    if (study_axis(study, "seed") != study->axis_count - 1)
        return place_error(error, node->born, "`seed` is an axis already");
    if (node->kind != NODE_TEXT || !label_number(node->text, &count) || count < 1 || count > 1000)
        return place_error(error, node->place, "seeds: a number from 1 to 1000, or a list");
    for (u32 i = 1; i <= (u32)count; i++) {
        char *text = region_format(&study->region, "%u", i);
        if (!value_read(study, axis, &subject, node_text(&study->region, text, node->place), error))
            return false;
    }
    return study->repeats = true;
}
