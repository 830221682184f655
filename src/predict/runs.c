/* runs.c - see runs.h. Beside the folder of a run lie the list of its pieces (.txt) and, once it
 * has ended well, what it was made of (.key). */
#include "predict/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/jobs.h"
#include "base/text.h"
#include "run/pieces.h"

#define SERIES_CYCLES  1000
#define WATCHDOG       10000000
#define FILE_BYTES_MAX (1 * GiB)

struct crew {
    const struct crew_orders *orders;
    const struct part_runs *runs;
    u32 *wanted; /* of the runs: still to do */
    u32 count;
    bool failed;
    struct ogv_error *error;
};

char *run_folder(const struct crew_orders *orders, const struct part_run *run)
{
    return text_format("%s/%s", orders->folder, run->name);
}

/* ---- What a run is made of ---- */

static void pieces_list(const struct crew_orders *orders, const struct part_run *run,
                        struct text *text)
{
    const struct tiles *tiles = orders->tiles;
    for (u32 i = 0; i < run->tile_count; i++) {
        u32 end = tiles->starts[run->tiles[i] + 1];
        for (u32 p = tiles->starts[run->tiles[i]]; p < end; p++) {
            u32 first = tiles->pieces[p];
            while (p + 1 < end && tiles->pieces[p + 1] == tiles->pieces[p] + 1)
                p++;
            text_add(text, first == tiles->pieces[p] ? "%u\n" : "%u-%u\n", first, tiles->pieces[p]);
        }
    }
}

static void world_hash(struct hash *hash, const struct world_options *world)
{
    const u64 numbers[] = { world->width,
                            world->height,
                            world->samples,
                            world->bounces,
                            world->seed,
                            world->traced,
                            world->rays,
                            world->builder,
                            world->builder_given,
                            world->treelet_bytes,
                            world->heatmap,
                            world->software,
                            world->generator.triangles };
    for (u32 i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash_add_u64(hash, numbers[i]);
    hash_add_text(hash, world->scene ? world->scene : SCENE_DEFAULT);
    hash_add_text(hash, world->camera ? world->camera : "");
    hash_add_text(hash, world->nodes ? world->nodes->name : "");
    hash_add_text(hash, world->primitives ? world->primitives->name : "");
    if (world->view)
        hash_add(hash, world->view->eye, sizeof world->view->eye),
            hash_add(hash, world->view->target, sizeof world->view->target),
            hash_add(hash, world->view->up, sizeof world->view->up),
            hash_add(hash, &world->view->fov_degrees, sizeof world->view->fov_degrees);
    if (world->scene && file_is_plain(world->scene)) {
        char digits[HASH_TEXT_BYTES];
        hash_add_text(hash, hash_file(world->scene, digits) ? digits : "");
    }
}

static void run_key(const struct crew_orders *orders, const struct part_run *run,
                    char digits[HASH_TEXT_BYTES])
{
    const struct run_options *usual = orders->usual;
    char build[HASH_TEXT_BYTES], arch[HASH_TEXT_BYTES] = "", program[HASH_TEXT_BYTES] = "";
    struct text pieces = { 0 };
    struct hash *hash = hash_create();
    hash_build(build);
    hash_file(orders->arch, arch);
    hash_add_text(hash, build);
    hash_add_text(hash, arch);
    hash_add_text(hash, usual->program ? usual->program : "");
    if (usual->program && file_is_plain(usual->program))
        hash_file(usual->program, program);
    hash_add_text(hash, program);
    for (u32 i = 0; i < usual->argument_count; i++)
        hash_add_text(hash, usual->arguments[i]);
    hash_add_u64(hash, usual->world_given);
    world_hash(hash, usual->world);
    if (!run->all)
        pieces_list(orders, run, &pieces);
    hash_add_text(hash, text_get(&pieces));
    hash_add_u64(hash, orders->haunting ? orders->haunting->ghosts.count : 0);
    hash_add_u64(hash, orders->haunting ? (u64)(orders->haunting->missed * 0x1p32) : 0);
    hash_finish(hash, digits);
    text_fini(&pieces);
}

static char *run_file(const struct crew_orders *orders, const struct part_run *run,
                      const char *ending)
{
    return text_format("%s/%s.%s", orders->folder, run->name, ending);
}

static bool run_is_there(const struct crew_orders *orders, const struct part_run *run)
{
    char key[HASH_TEXT_BYTES], *path = run_file(orders, run, "key");
    struct ogv_error ignored;
    size_t length;
    char *found = file_is_plain(path) ? file_read(path, HASH_TEXT_BYTES, &length, &ignored) : NULL;
    run_key(orders, run, key);
    bool there = found && !strcmp(found, key);
    free(found);
    free(path);
    return there;
}

/* ---- In a process of its own ---- */

/* Which of the blocks that are known of are simulated; the caller frees. */
static bool *own_mark(const struct haunting *haunting, const struct pieces *pieces)
{
    u64 count = haunting->count;
    u32 last = 0;
    for (u64 i = 0; i < count; i++)
        last = (u32)max_u64(last, haunting->numbers[i]);
    bool *own = heap_array(count / TILE_BLOCK + 1, sizeof *own);
    bool *chosen = heap_array((size_t)last + 1, sizeof *chosen);
    for (u64 i = 0; i < pieces->count; i++)
        if (pieces->numbers[i] <= last)
            chosen[pieces->numbers[i]] = true;
    for (u64 i = 0; i < count; i += TILE_BLOCK)
        own[i / TILE_BLOCK] = chosen[haunting->numbers[i]];
    free(chosen);
    return own;
}

static bool part_execute(const struct crew_orders *orders, const struct part_run *run,
                         const struct pieces *pieces, struct ogv_error *error)
{
    struct run_options options = *orders->usual;
    struct run_listener listener = { 0 };
    struct run_result result;
    struct ogv_error why = { 0 };
    char *folder = run_folder(orders, run);
    options.arch = orders->arch; /* with all settings in it */
    options.settings = NULL;
    options.setting_count = 0;
    options.out = folder;
    options.pieces = pieces;
    bool *own = orders->haunting && pieces ? own_mark(orders->haunting, pieces) : NULL;
    struct ghosts_around around = { .own = own };
    if (own) {
        around.all = &orders->haunting->ghosts;
        around.missed = orders->haunting->missed;
        options.ghosts = &around;
    }
    options.sim = (struct sim_options){ .threads = 1, .watchdog = WATCHDOG };
    options.interval = SERIES_CYCLES;
    options.stop_after = NEVER;
    bool good = run_execute(&options, &listener, &result, &why);
    if (!good)
        *error = why;
    else if (result.status != RUN_FINISHED || result.unwritten)
        good = error_user(error, "%s: the run has not finished: %s%s%s", folder,
                          run_status_name(result.status), why.kind ? ": " : "",
                          why.kind ? why.message : "");
    free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    free(folder);
    free(own);
    return good;
}

static bool part_run_do(void *context, u32 job, void *result, struct ogv_error *error)
{
    const struct crew *crew = context;
    const struct crew_orders *orders = crew->orders;
    const struct part_run *run = &crew->runs->of[crew->wanted[job]];
    char key[HASH_TEXT_BYTES];
    char *list = run_file(orders, run, "txt"), *mark = run_file(orders, run, "key");
    struct text text = { 0 };
    struct pieces pieces = { 0 };
    if (!run->all)
        pieces_list(orders, run, &text);
    bool good = (run->all || (file_write(list, text_get(&text), text.length, error) &&
                              pieces_read(list, &pieces, error))) &&
                part_execute(orders, run, run->all ? NULL : &pieces, error);
    run_key(orders, run, key);
    good = good && file_write(mark, key, strlen(key), error);
    *(bool *)result = good;
    pieces_fini(&pieces);
    text_fini(&text);
    free(list);
    free(mark);
    return good;
}

/* ---- Here ---- */

static void part_run_take(void *context, u32 job, const void *result, const struct ogv_error *error)
{
    struct crew *crew = context;
    if (result || crew->failed)
        return;
    crew->failed = true;
    error_user(crew->error, "%s: %s", crew->runs->of[crew->wanted[job]].name, error->message);
}

static void part_run_ended(void *context, u32 count)
{
    const struct crew *crew = context;
    if (crew->orders->progress)
        crew->orders->progress(crew->orders->context, (double)count / crew->count);
}

bool runs_do(const struct crew_orders *orders, const struct part_runs *runs, u32 first,
             struct ogv_error *error)
{
    struct crew crew = { .orders = orders,
                         .runs = runs,
                         .wanted = heap_array((size_t)runs->count + 1, sizeof *crew.wanted),
                         .error = error };
    for (u32 i = first; i < runs->count; i++)
        if (!run_is_there(orders, &runs->of[i]))
            crew.wanted[crew.count++] = i;
    struct jobs jobs = { .count = crew.count,
                         .at_once = orders->jobs,
                         .result_bytes = sizeof(bool),
                         .context = &crew,
                         .run = part_run_do,
                         .take = part_run_take,
                         .ended = part_run_ended };
    struct ogv_error why;
    bool good = folder_create(orders->folder, error) && (!crew.count || jobs_run(&jobs, &why));
    if (!good && crew.count && !crew.failed)
        *error = why;
    free(crew.wanted);
    return good && !crew.failed;
}

void part_runs_fini(struct part_runs *runs)
{
    for (u32 i = 0; i < runs->count; i++) {
        free(runs->of[i].name);
        free(runs->of[i].tiles);
    }
    free(runs->of);
    *runs = (struct part_runs){ 0 };
}
