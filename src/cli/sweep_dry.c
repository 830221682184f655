/* sweep_dry.c - what a sweep would do: its runs, with the time and memory that they will take. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/sweep.h"
#include "cli/sweep_dry.h"
#include "explore/estimate.h"
#include "explore/sheet.h"

#define COLUMNS_MORE 4 /* besides the axes */

static void heading_fill(struct sheet *sheet, const struct manifest *manifest)
{
    static const char *const more[] = { "time", "memory", "key", "" };
    for (u32 i = 0; i < manifest->axis_count; i++)
        sheet_put(sheet, 0, i, heap_copy(manifest->axes[i].name));
    for (u32 i = 0; i < COLUMNS_MORE; i++)
        sheet_put(sheet, 0, manifest->axis_count + i, heap_copy(more[i]));
}

static void run_fill(struct sheet *sheet, const struct manifest *manifest, u32 number,
                     const struct estimate *estimate)
{
    const struct manifest_run *run = &manifest->runs[number];
    char time[32] = "?", bytes[32];
    u32 column = manifest->axis_count;
    for (u32 i = 0; i < manifest->axis_count; i++)
        sheet_put(sheet, number + 1, i, heap_copy(manifest_label(manifest, run, i)));
    if (estimate->known)
        sweep_write_seconds(time, sizeof time, estimate->seconds);
    sweep_write_bytes(bytes, sizeof bytes, estimate->bytes);
    sheet_put(sheet, number + 1, column, heap_copy(time));
    sheet_put(sheet, number + 1, column + 1, heap_copy(bytes));
    sheet_put(sheet, number + 1, column + 2, text_format("%.8s", run->key));
    sheet_put(sheet, number + 1, column + 3,
              heap_copy(estimate->there ? run_classes[estimate->class].words : ""));
}

static void sum_print(const struct manifest *manifest, const struct estimate *estimates,
                      u32 at_once, u32 threads)
{
    double seconds = 0;
    u32 there = 0, unknown = 0;
    char time[32];
    for (u32 i = 0; i < manifest->count; i++) {
        there += estimates[i].there;
        unknown += !estimates[i].known;
        seconds += estimates[i].there ? 0 : estimates[i].seconds;
    }
    printf("%u runs", manifest->count);
    if (manifest->excluded)
        printf(" (%u more are excluded)", manifest->excluded);
    printf(", %u of them are there", there);
    if (at_once)
        printf("; %u at once with %u thread%s each", at_once, threads, threads == 1 ? "" : "s");
    sweep_write_seconds(time, sizeof time, seconds / (at_once ? at_once : 1));
    if (unknown == manifest->count - there && unknown)
        printf("; how long they take is not known before any of them has run\n");
    else
        printf("; about %s%s\n", time, unknown ? ", and those whose time is not known" : "");
}

int sweep_dry(const struct store *store, const struct manifest *manifest, u32 at_once, u32 threads)
{
    struct ogv_error error;
    struct estimate *estimates = estimates_make(store, manifest, &error);
    struct sheet sheet;
    struct text out = { 0 };
    if (!estimates)
        return fail(&error);
    sheet_init(&sheet, manifest->count + 1, manifest->axis_count + COLUMNS_MORE,
               manifest->axis_count);
    heading_fill(&sheet, manifest);
    for (u32 i = 0; i < manifest->count; i++)
        run_fill(&sheet, manifest, i, &estimates[i]);
    sheet_write(&sheet, SHEET_TEXT, &out);
    fputs(text_get(&out), stdout);
    sum_print(manifest, estimates, at_once, threads);
    text_fini(&out);
    sheet_fini(&sheet);
    free(estimates);
    return EXIT_GOOD;
}
