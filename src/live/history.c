/* history.c - bins of counters that are joined two by two when they are all used, copies of a
 * part of them, and their JSON. */
#include "live/history.h"

#include <stdlib.h>
#include <string.h>

#include "result/tally.h"

static void group_mark(void *context, const struct stat_group *group, u32 cell)
{
    struct history *history = context;
    const struct stat_row *rows = group->unit->type->stats;
    for (u32 i = 0; rows[i].name; i++)
        history->keeps[cell + i] = rows[i].combine == MAX;
}

void history_init(struct history *history, const struct plan *plan, cycle start)
{
    *history = (struct history){ .start = start, .merge = 1 };
    history->cells = tally_groups(plan, NULL, NULL);
    history->keeps = heap_array(history->cells, sizeof *history->keeps);
    history->ends = heap_array(HISTORY_BINS, sizeof *history->ends);
    history->values = heap_array((size_t)HISTORY_BINS * history->cells, sizeof *history->values);
    history->partial = heap_array(history->cells, sizeof *history->partial);
    tally_groups(plan, group_mark, history);
}

void history_fini(struct history *history)
{
    free(history->keeps);
    free(history->ends);
    free(history->values);
    free(history->partial);
    *history = (struct history){ 0 };
}

static void cells_join(const struct history *history, u64 *into, const u64 *from)
{
    for (u32 i = 0; i < history->cells; i++)
        into[i] = history->keeps[i] ? max_u64(into[i], from[i]) : into[i] + from[i];
}

static u64 *bin_cells(const struct history *history, u32 bin)
{
    return &history->values[(size_t)bin * history->cells];
}

static void history_halve(struct history *history)
{
    size_t bytes = history->cells * sizeof *history->values;
    for (u32 b = 0; b < history->bins / 2; b++) {
        if (b)
            memcpy(bin_cells(history, b), bin_cells(history, 2 * b), bytes);
        cells_join(history, bin_cells(history, b), bin_cells(history, 2 * b + 1));
        history->ends[b] = history->ends[2 * b + 1];
    }
    history->bins /= 2;
    history->merge *= 2;
    history->generation++;
}

void history_add(struct history *history, cycle end, const u64 *grown)
{
    size_t bytes = history->cells * sizeof *history->values;
    cells_join(history, history->partial, grown);
    if (++history->pending < history->merge)
        return;
    memcpy(bin_cells(history, history->bins), history->partial, bytes);
    history->ends[history->bins++] = end;
    memset(history->partial, 0, bytes);
    history->pending = 0;
    if (history->bins == HISTORY_BINS)
        history_halve(history);
}

/* ---- Parts of it ---- */

void history_part_copy(struct history_part *part, const struct history *history, u64 from,
                       u64 generation)
{
    if (generation != history->generation || from > history->bins)
        from = 0;
    *part = (struct history_part){ .start = history->start,
                                   .generation = history->generation,
                                   .merge = history->merge,
                                   .from = (u32)from,
                                   .bins = history->bins - (u32)from,
                                   .cells = history->cells };
    size_t cells = (size_t)part->bins * part->cells;
    part->ends = heap_array((size_t)part->bins + 1, sizeof *part->ends);
    part->values = heap_array(cells + 1, sizeof *part->values);
    memcpy(part->ends, history->ends + from, part->bins * sizeof *part->ends);
    memcpy(part->values, bin_cells(history, part->from), cells * sizeof *part->values);
}

void history_part_fini(struct history_part *part)
{
    free(part->ends);
    free(part->values);
    *part = (struct history_part){ 0 };
}

/* There may be a million of them. */
static void number_add(struct text *json, char before, u64 number)
{
    char digits[24], *end = digits + sizeof digits, *at = end;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    *--at = before;
    text_add_bytes(json, at, (size_t)(end - at));
}

void history_part_write(const struct history_part *part, struct text *json)
{
    text_add(json, "{\"start\":%llu,\"generation\":%u,\"merge\":%u,\"from\":%u,\"ends\":[",
             (unsigned long long)part->start, part->generation, part->merge, part->from);
    for (u32 b = 0; b < part->bins; b++)
        number_add(json, b ? ',' : ' ', part->ends[b]);
    text_add(json, "],\"rows\":[");
    for (u32 b = 0; b < part->bins; b++) {
        const u64 *cells = &part->values[(size_t)b * part->cells];
        text_add(json, b ? ",\n[" : "\n[");
        for (u32 i = 0; i < part->cells; i++)
            number_add(json, i ? ',' : ' ', cells[i]);
        text_add(json, "]");
    }
    text_add(json, "]}");
}
