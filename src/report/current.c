/* current.c - tallies of two looks, and the search for what limits on their difference. The
 * older tally's memory becomes the newer one's. */
#include "report/current.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/tally.h"

static json_t *stats_of(const struct record *record)
{
    char *text = record_stats_text(record);
    json_t *stats = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return stats;
}

bool current_init(struct current *current, const struct record *record, const char *folder,
                  struct ogv_error *error)
{
    const struct plan *plan = record->system->plan;
    u32 cells = tally_groups(plan, NULL, NULL);
    *current = (struct current){ 0 };
    current->result = result_of(folder, record_of_run(record), stats_of(record), error);
    if (!current->result)
        return false;
    json_object_del(current->result->stats, "units"); /* they were counted, and are many */
    current->now = heap_array(cells, sizeof *current->now);
    current->before = heap_array(cells, sizeof *current->before);
    current->grown = heap_array(cells, sizeof *current->grown);
    current_look(current, record);
    return true;
}

void current_fini(struct current *current)
{
    bottleneck_free(current->bottleneck);
    result_close(current->result);
    free(current->now);
    free(current->before);
    free(current->grown);
    *current = (struct current){ 0 };
}

void current_look(struct current *current, const struct record *record)
{
    const struct plan *plan = record->system->plan;
    cycle now = system_cycles(record->system);
    if (current->bottleneck && now <= current->to)
        return;
    u64 *before = current->now;
    current->now = current->before;
    current->before = before;
    tally_take(record->system, current->now);
    tally_grown(plan, current->now, current->before, current->grown);
    current->from = current->to;
    current->to = now;
    bottleneck_free(current->bottleneck);
    result_renew(current->result, record_groups(plan, current->grown),
                 (double)(current->to - current->from));
    current->bottleneck = bottleneck_find(current->result);
}

/* ---- In a few words ---- */

/* What works at its limit; else where most waiting passes; else what comes closest to a limit. */
void current_words(const struct current *current, char *buffer, size_t size)
{
    const struct bottleneck *found = current->bottleneck;
    const struct resource *work = bottleneck_busiest(found, RESOURCE_WORK);
    const struct resource *waited = found->resource_count ? &found->resources[0] : NULL;
    *buffer = 0;
    if (work && work->utilisation < RESOURCE_AT_LIMIT && waited->waiting > 0)
        snprintf(buffer, size, "%s %s (%.0f%% of waiting)", waited->group->name, waited->name,
                 100 * fmin(waited->waiting, 1));
    else if (work && work->utilisation > 0)
        snprintf(buffer, size, "%s %s (%.0f%% busy)", work->group->name, work->name,
                 100 * work->utilisation);
}
