/* expand.c - from the axes of a study to its runs: every combination that a batch has, once, less
 * those that are excluded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "explore/study.h"

/* ---- One point ---- */

static bool derive(struct study *study, const struct derivation *derivation, struct point *point,
                   struct ogv_error *error)
{
    double value = axes_value(study, derivation->formula, point->at);
    if (!isfinite(value) || fabs(value) > 1e18)
        return place_error(error, derivation->place, "%s: comes to %g", derivation->name, value);
    const char *text = region_format(&study->region, "%.15g%s", value, derivation->unit);
    struct patch_value given = { text, derivation->place };
    if (derivation->option == STUDY_OPTIONS) {
        patch_set(&study->region, &point->patch, derivation->name, given);
        return true;
    }
    struct node *node = node_text(&study->region, text, derivation->place);
    given.text = option_read(&study->region, derivation->option, node, study->path, error);
    point->patch.options[derivation->option] = given;
    return given.text;
}

bool study_point(struct study *study, const u32 *at, struct point *point, struct ogv_error *error)
{
    *point = (struct point){ 0 };
    memcpy(point->at, at, sizeof point->at);
    patch_lay(&study->region, &point->patch, &study->base);
    for (u32 i = 0; i < study->axis_count; i++)
        if (at[i] != AXIS_NONE)
            patch_lay(&study->region, &point->patch, &study->axes[i].values[at[i]].patch);
    for (u32 i = 0; i < study->derivation_count; i++)
        if (!derive(study, &study->derivations[i], point, error))
            return false;
    if (point->patch.options[OPTION_MACHINE].text)
        return true;
    return place_error(error, (struct place){ study->path, 1, 1 },
                       "no machine is named: write `run: { machine: NAME }`, or make it an axis");
}

/* ---- Which ones ---- */

static bool exclusion_fits(const struct study *study, const struct exclusion *exclusion,
                           const u32 *at)
{
    if (exclusion->more)
        return axes_value(study, exclusion->more, at) > exclusion->than;
    for (u32 i = 0; i < study->axis_count; i++) {
        const u64 *bits = exclusion->allowed[i];
        if (bits && (at[i] == AXIS_NONE || !(bits[at[i] / 64] >> at[i] % 64 & 1)))
            return false;
    }
    return true;
}

bool study_excludes(const struct study *study, const u32 *at)
{
    for (u32 i = 0; i < study->exclusion_count; i++)
        if (exclusion_fits(study, &study->exclusions[i], at))
            return true;
    return false;
}

struct expansion {
    struct study *study;
    struct point_list *list;
    u32 (*seen)[STUDY_AXES_MAX]; /* in a table open to collisions; the first word is 1 if used */
    u32 *used;
    u32 size; /* a power of two */
};

static u32 point_hash(const u32 *at)
{
    u32 hash = 2166136261u;
    for (u32 i = 0; i < STUDY_AXES_MAX; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool expansion_knows(struct expansion *expansion, const u32 *at)
{
    u32 slot = point_hash(at) & (expansion->size - 1);
    while (expansion->used[slot]) {
        if (!memcmp(expansion->seen[slot], at, sizeof *expansion->seen))
            return true;
        slot = (slot + 1) & (expansion->size - 1);
    }
    expansion->used[slot] = 1;
    memcpy(expansion->seen[slot], at, sizeof *expansion->seen);
    return false;
}

static bool expansion_add(struct expansion *expansion, const u32 *at, struct ogv_error *error)
{
    struct study *study = expansion->study;
    struct point_list *list = expansion->list;
    if (expansion_knows(expansion, at))
        return true;
    if (study_excludes(study, at)) {
        list->excluded++;
        return true;
    }
    list->items = region_grow(&study->region, list->items, list->count, sizeof *list->items);
    return study_point(study, at, &list->items[list->count++], error);
}

/* The first axis changes slowest, as in a table. */
static bool product_expand(struct expansion *expansion, const struct batch *batch, u32 tuple,
                           u32 *at, struct ogv_error *error)
{
    if (tuple == batch->tuple_count)
        return expansion_add(expansion, at, error);
    const struct tuple *axes = &batch->tuples[tuple];
    for (u32 v = 0; v < expansion->study->axes[axes->axes[0]].count; v++) {
        for (u32 i = 0; i < axes->count; i++)
            at[axes->axes[i]] = v;
        if (!product_expand(expansion, batch, tuple + 1, at, error))
            return false;
    }
    return true;
}

/* A seed that a point does not name is each of them. */
static bool points_expand(struct expansion *expansion, const struct batch *batch,
                          struct ogv_error *error)
{
    const struct study *study = expansion->study;
    u32 last = study->axis_count - 1;
    for (u32 i = 0; i < batch->point_count; i++) {
        bool repeat = study->repeats && batch->points[i][last] == AXIS_NONE;
        for (u32 r = 0; r < (repeat ? study->axes[last].count : 1); r++) {
            u32 at[STUDY_AXES_MAX];
            memcpy(at, batch->points[i], sizeof at);
            if (repeat)
                at[last] = r;
            if (!expansion_add(expansion, at, error))
                return false;
        }
    }
    return true;
}

static double batch_count(const struct study *study, const struct batch *batch)
{
    double count = batch->points ? batch->point_count : 1;
    for (u32 t = 0; t < batch->tuple_count; t++)
        count *= study->axes[batch->tuples[t].axes[0]].count;
    if (batch->points && study->repeats)
        count *= study->axes[study->axis_count - 1].count;
    return count;
}

static bool batches_expand(struct expansion *expansion, struct ogv_error *error)
{
    for (u32 i = 0; i < expansion->study->batch_count; i++) {
        const struct batch *batch = &expansion->study->batches[i];
        u32 at[STUDY_AXES_MAX];
        memset(at, 0xff, sizeof at); /* AXIS_NONE */
        if (!(batch->points ? points_expand(expansion, batch, error)
                            : product_expand(expansion, batch, 0, at, error)))
            return false;
    }
    return true;
}

bool study_expand(struct study *study, struct point_list *points, struct ogv_error *error)
{
    double count = 0;
    *points = (struct point_list){ 0 };
    for (u32 i = 0; i < study->batch_count; i++)
        count += batch_count(study, &study->batches[i]);
    if (count > STUDY_POINTS_MAX)
        return error_user(error, "%s: has %.0f runs, and a study has at most %d", study->path,
                          count, STUDY_POINTS_MAX);
    struct expansion expansion = { .study = study, .list = points, .size = 2 };
    while (expansion.size < 2 * (u32)count)
        expansion.size *= 2;
    expansion.seen = heap_array(expansion.size, sizeof *expansion.seen);
    expansion.used = heap_array(expansion.size, sizeof *expansion.used);
    bool good = batches_expand(&expansion, error);
    free(expansion.seen);
    free(expansion.used);
    return good && (points->count || error_user(error, "%s: no run is left of it", study->path));
}
