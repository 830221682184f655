/* run_files.c - what a run leaves in its folder when it is over.
 *
 * The most important file comes first: on a disk that is filling up, any of them may be the last
 * that fits. One that cannot be written is told, and the others are tried all the same. */
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/program.h"
#include "run/ray_traces.h"
#include "run/run_private.h"
#include "run/workload.h"

static bool run_write_record(struct run *run, struct ogv_error *error)
{
    return record_end(&run->record, &run->folder, error);
}

static bool run_write_stats(struct run *run, struct ogv_error *error)
{
    return record_stats(&run->record, &run->folder, error);
}

static bool run_write_console(struct run *run, struct ogv_error *error)
{
    const struct run_result *result = run->result;
    if (!result->console_bytes)
        return true;
    char *path = folder_file(&run->folder, "console.txt");
    bool good = file_write(path, result->console, result->console_bytes, error);
    free(path);
    return good;
}

static bool run_write_image(struct run *run, struct ogv_error *error)
{
    if (!program_present(run->system))
        return true;
    char *path = folder_file(&run->folder, "image.png");
    bool drawn = false, good;
    if (run->world.answers)
        drawn = good = workload_picture(run->system, &run->world, path, error);
    else
        good = program_image(run->system, path, &drawn, error);
    if (drawn)
        run->result->image = path;
    else
        free(path);
    return good;
}

static bool run_write_heatmap(struct run *run, struct ogv_error *error)
{
    if (!program_present(run->system))
        return true;
    char *path = folder_file(&run->folder, "heatmap.png");
    bool drawn = false, good = workload_heatmap(run->system, path, &drawn, error);
    if (drawn)
        run->result->heatmap = path;
    else
        free(path);
    return good;
}

static bool run_close_series(struct run *run, struct ogv_error *error)
{
    bool good = series_close(run->series, error);
    run->series = NULL;
    return good;
}

static bool run_write_profile(struct run *run, struct ogv_error *error)
{
    struct profile *profile = program_profile(run->system);
    bool good = !profile || profile_write(profile, run->folder.path, error);
    profile_destroy(profile);
    return good;
}

static bool run_write_ray_traces(struct run *run, struct ogv_error *error)
{
    struct text words = { 0 };
    bool good = ray_traces_write(run->system, run->folder.path, &words, error);
    if (good && words.length)
        run_note(run, text_get(&words));
    text_fini(&words);
    return good;
}

typedef bool run_writer(struct run *run, struct ogv_error *error);

void run_write(struct run *run)
{
    static run_writer *const writers[] = {
        run_write_record, run_write_stats,   run_write_console,
        run_write_image,  run_write_heatmap, run_sample,
        run_close_series, run_write_profile, run_write_ray_traces,
    };
    for (u32 i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct ogv_error error;
        if (!writers[i](run, &error))
            run_lose(run, &error);
    }
}

void run_write_log(struct run *run)
{
    const struct run_result *result = run->result;
    struct ogv_error error;
    folder_log(&run->folder, "%s at cycle %llu after %.3f s, digest %s",
               run_status_name(result->status), (unsigned long long)result->cycles,
               result->wall_seconds, result->digest);
    if (!run->folder.log_lost)
        return;
    error_system(&error, "%s/log.txt: not all of it could be written", run->folder.path);
    run_lose(run, &error);
}
