/* stalls.c - see stalls.h.
 *
 * A tree is described by rows: depth, statistic, words. The value of a row is the sum of its
 * statistic over all units of the type; that of a row without a statistic is the sum of its parts.
 * What the parts of a row do not account for, if anything, becomes a part of its own, so that sums
 * are exact whatever the file says. */
#include "report/stalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct row {
    u32 depth;
    const char *stat; /* NULL: the sum of its parts */
    const char *words;
};

static const struct row core_rows[] = {
    { 0, "cycles", "thread-cycles of all cores" },    { 1, "issued", "an instruction issued" },
    { 1, "passed", "ready, another thread issued" },  { 1, "hazard", "waited for a result" },
    { 1, "busy", "waited for room in a unit" },       { 1, "fetch", "waited for an instruction" },
    { 1, "fence", "waited for own memory accesses" }, { 1, "halted", "the program had ended" },
};

static const struct row ray_rows[] = {
    { 0, "ray_cycles", "ray-cycles of all RT cores" },
    { 1, NULL, "memory" },
    { 2, "wait_node_fetch", "a node was on its way" },
    { 2, "wait_block_fetch", "triangles were on their way" },
    { 2, "wait_stack_fetch", "stack entries were on their way" },
    { 1, NULL, "box tests" },
    { 2, "wait_box_queue", "waited for a box pipe" },
    { 2, "wait_box", "in a box pipe" },
    { 1, NULL, "triangle tests" },
    { 2, "wait_triangle_queue", "waited for a triangle pipe" },
    { 2, "wait_triangle", "in a triangle pipe" },
    { 1, "wait_schedule", "ready, before its turn" },
    { 1, NULL, "done" },
    { 2, "wait_warp", "waited for its warp" },
    { 2, "wait_answer", "waited to leave" },
    { 2, "wait_held", "waited to be asked for" },
};

static const struct row slot_rows[] = {
    { 0, "slot_cycles", "slot-cycles of all RT cores" },
    { 1, "ray_cycles", "in use" },
};

static double type_sum(const struct result *result, const char *type, const char *stat)
{
    double sum = 0;
    for (u32 i = 0; i < result->group_count; i++)
        if (!strcmp(result->groups[i].type, type))
            sum += result_stat(&result->groups[i], stat);
    return sum;
}

static struct stall *stall_add(struct stall *parent, const char *name, const char *words,
                               double value)
{
    parent->parts = heap_grow(parent->parts, parent->part_count + 1, sizeof *parent->parts);
    struct stall *part = &parent->parts[parent->part_count++];
    *part = (struct stall){ .name = name, .label = heap_copy(words), .value = value };
    return part;
}

/* The classes of instructions: all statistics whose names begin with that of the row. */
static void stall_add_classes(const struct result *result, const char *type, struct stall *stall)
{
    const json_t *rows = json_object_get(json_object_get(result->stats, "types"), type);
    const char *name;
    json_t *row;
    size_t length = strlen(stall->name);
    json_object_foreach((json_t *)rows, name, row)
    {
        if (strncmp(name, stall->name, length) || name[length] != '_')
            continue;
        double value = type_sum(result, type, name);
        if (value > 0)
            stall_add(stall, name, name + length + 1, value);
    }
}

/* What the parts leave over; a row without a statistic is what they are. */
static void stall_settle(struct stall *stall, const char *rest, bool counted)
{
    double sum = 0;
    for (u32 i = 0; i < stall->part_count; i++)
        sum += stall->parts[i].value;
    if (!counted)
        stall->value = sum;
    else if (stall->part_count && sum < stall->value)
        stall_add(stall, rest, rest, stall->value - sum);
    else if (stall->part_count && sum > stall->value)
        stall->value = sum;
}

/* Reads rows from *at on into `stall`, which is described by the one before. */
static void stall_fill(const struct result *result, const char *type, const struct row *rows,
                       u32 count, u32 *at, struct stall *stall, const char *rest)
{
    const struct row *self = &rows[*at - 1];
    while (*at < count && rows[*at].depth > self->depth) {
        const struct row *row = &rows[(*at)++];
        double value = row->stat ? type_sum(result, type, row->stat) : 0;
        const char *name = row->stat ? row->stat : row->words;
        struct stall *part = stall_add(stall, name, row->words, value);
        stall_fill(result, type, rows, count, at, part, rest);
    }
    if (!stall->part_count && !strcmp(type, "core"))
        stall_add_classes(result, type, stall);
    stall_settle(stall, rest, self->stat);
}

static u32 tree_add(const struct result *result, const char *type, const struct row *rows,
                    u32 count, const char *rest, struct stall *tree)
{
    double value = type_sum(result, type, rows->stat);
    u32 at = 1;
    if (!(value > 0))
        return 0;
    *tree = (struct stall){ rows->stat, heap_copy(rows->words), value, NULL, 0 };
    stall_fill(result, type, rows, count, &at, tree, rest);
    return 1;
}

#define ROWS(rows) rows, (u32)(sizeof rows / sizeof *rows)

u32 stalls_find(const struct result *result, struct stall **trees)
{
    u32 count = 0;
    *trees = heap_array(3, sizeof **trees);
    count += tree_add(result, "core", ROWS(core_rows), "not accounted for", *trees + count);
    count += tree_add(result, "rtcore", ROWS(ray_rows), "not accounted for", *trees + count);
    count += tree_add(result, "rtcore", ROWS(slot_rows), "empty", *trees + count);
    return count;
}

void stall_fini(struct stall *stall)
{
    for (u32 i = 0; i < stall->part_count; i++)
        stall_fini(&stall->parts[i]);
    free(stall->parts);
    free(stall->label);
}

double stall_value(const struct stall *stall, const char *name)
{
    double sum = strcmp(stall->name, name) ? 0 : stall->value;
    for (u32 i = 0; i < stall->part_count && !(sum > 0); i++)
        sum += stall_value(&stall->parts[i], name);
    return sum;
}
