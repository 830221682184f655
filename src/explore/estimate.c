/* estimate.c - see estimate.h. Of the runs that were made of the study before, by whatever build of
 * the simulator, those that have the most values of axes in common with a run are its measure. */
#include "explore/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explore/index.h"

#define COMPARISONS_MAX                                                       \
    20000000 /* of two runs; a study of more than this goes by the first ones \
              */

struct earlier {
    const struct manifest *now, *before;
    struct index index;
};

static u32 alike(const struct earlier *earlier, const struct manifest_run *a,
                 const struct manifest_run *b)
{
    u32 count = 0;
    for (u32 i = 0; i < earlier->now->axis_count && i < earlier->before->axis_count; i++)
        count += !strcmp(manifest_label(earlier->now, a, i), manifest_label(earlier->before, b, i));
    return count;
}

static void estimate_compare(const struct earlier *earlier, const struct manifest_run *run,
                             u32 compared, struct estimate *estimate)
{
    u32 best = 0, count = 0;
    double seconds = 0, bytes = 0;
    for (u32 i = 0; i < compared; i++) {
        const struct manifest_run *other = &earlier->before->runs[i];
        const struct index_row *row = index_find(&earlier->index, other->key);
        u32 common = row && row->outcome.class == CLASS_DONE ? 1 + alike(earlier, run, other) : 0;
        if (!common || common < best)
            continue;
        if (common > best)
            count = 0, seconds = bytes = 0;
        best = common;
        count++;
        seconds += row->outcome.seconds;
        bytes += (double)row->outcome.peak_bytes;
    }
    estimate->known = count;
    estimate->seconds = count ? seconds / count : 0;
    if (count && bytes / count > estimate->bytes)
        estimate->bytes = bytes / count;
}

static void estimate_one(const struct earlier *earlier, const struct manifest_run *run,
                         u32 compared, struct estimate *estimate)
{
    const struct index_row *row = index_find(&earlier->index, run->key);
    estimate->bytes = run->memory_bytes;
    if (!row) {
        if (earlier->before)
            estimate_compare(earlier, run, compared, estimate);
        return;
    }
    *estimate = (struct estimate){ .there = true,
                                   .known = true,
                                   .seconds = row->outcome.seconds,
                                   .bytes = (double)row->outcome.peak_bytes,
                                   .class = row->outcome.class };
}

struct estimate *estimates_make(const struct store *store, const struct manifest *manifest,
                                struct ogv_error *error)
{
    struct earlier earlier = { .now = manifest };
    struct ogv_error ignored;
    struct manifest *before = NULL;
    if (store->path) {
        if (!index_load(store, &earlier.index, error))
            return NULL;
        before = manifest_read(store, manifest->study, &ignored);
    }
    earlier.before = before;
    struct estimate *estimates = heap_array(manifest->count + 1, sizeof *estimates);
    u32 compared = before ? before->count : 0;
    if ((double)compared * manifest->count > COMPARISONS_MAX)
        compared = COMPARISONS_MAX / manifest->count;
    for (u32 i = 0; i < manifest->count; i++)
        estimate_one(&earlier, &manifest->runs[i], compared, &estimates[i]);
    manifest_destroy(before);
    index_fini(&earlier.index);
    return estimates;
}
