/* library.c - the part of ogive/ogive.h that is about workloads: loading one, running it, and what
 * it has done.
 *
 * The system keeps the scene of rays that were made beforehand, to judge their hits and to draw
 * them; everything else is read from the chip itself. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/error.h"
#include "rt/rays.h"
#include "run/compile.h"
#include "run/load.h"
#include "run/program.h"
#include "run/workload.h"

void ogv_program_list(ogv_list_visit *visit, void *context)
{
    compile_list(visit, context);
}

void ogv_scene_list(ogv_list_visit *visit, void *context)
{
    scene_list(visit, context);
}

/* ---- Loading ---- */

static u32 number_or(u32 number, u32 otherwise)
{
    return number ? number : otherwise;
}

static bool workload_asks_for_scene(const struct ogv_workload *workload)
{
    return workload->scene || workload->rays || workload->own_rays || workload->camera ||
           workload->view || workload->triangles || workload->software;
}

static bool numbers_read(const struct ogv_workload *workload, struct world_options *options,
                         struct ogv_error *error)
{
    options->width = number_or(workload->width, WORLD_SIDE_DEFAULT);
    options->height = number_or(workload->height, WORLD_SIDE_DEFAULT);
    options->samples = number_or(workload->samples, WORLD_SAMPLES_DEFAULT);
    options->bounces = number_or(workload->bounces, WORLD_BOUNCES_DEFAULT);
    if (workload->bounces == OGV_NO_BOUNCES)
        options->bounces = 0;
    options->seed = workload->seed ? workload->seed : WORLD_SEED_DEFAULT;
    if (options->width > WORLD_SIDE_MAX || options->height > WORLD_SIDE_MAX)
        return error_user(error, "a picture of %u x %u pixels: a side has 1 to %d", options->width,
                          options->height, WORLD_SIDE_MAX);
    if (options->samples > WORLD_SAMPLES_MAX)
        return error_user(error, "%u samples: there can be 1 to %d", options->samples,
                          WORLD_SAMPLES_MAX);
    if (options->bounces > WORLD_BOUNCES_MAX)
        return error_user(error, "%u bounces: there can be 0 to %d", options->bounces,
                          WORLD_BOUNCES_MAX);
    return true;
}

/* As many as pixels; without a size of the picture they are one row of it. */
static bool own_rays_read(const struct ogv_workload *workload, struct world_options *options,
                          struct ogv_error *error)
{
    static_assert(sizeof(struct ogv_ray) == sizeof(struct rt_ray), "they are the same");
    u64 count = workload->own_ray_count;
    if (!workload->own_rays)
        return true;
    if (workload->rays)
        return error_user(error, "there are both `rays` and `own_rays`: only one of them can be");
    if (!workload->width && !workload->height && count && count <= WORLD_SIDE_MAX) {
        options->width = (u32)count;
        options->height = 1;
    }
    if (count != (u64)options->width * options->height || count > RAYS_MAX)
        return error_user(error,
                          "there are %llu rays for a picture of %u x %u pixels: each pixel has "
                          "one, and there can be up to %llu; without a size, up to %d rays are "
                          "one row",
                          (unsigned long long)count, options->width, options->height,
                          (unsigned long long)RAYS_MAX, WORLD_SIDE_MAX);
    options->traced = true;
    options->own_rays = (const struct rt_ray *)(const void *)workload->own_rays;
    return true;
}

static bool words_read(const struct ogv_workload *workload, struct world_options *options,
                       struct ogv_error *error)
{
    options->traced = workload->rays;
    options->builder_given = workload->builder;
    if (workload->rays && !ray_kind_find(workload->rays, &options->rays, error))
        return false;
    if (workload->builder && !bvh_builder_find(workload->builder, &options->builder, error))
        return false;
    if (workload->nodes && !(options->nodes = node_format_find(workload->nodes, error)))
        return false;
    return !workload->primitives ||
           (options->primitives = primitive_format_find(workload->primitives, error));
}

static void view_read(const struct ogv_view *from, struct camera *view)
{
    const float *up = from->up;
    *view = (struct camera){ .name = "view", .up = { 0, 1, 0 }, .fov_degrees = 60 };
    memcpy(view->eye, from->eye, sizeof view->eye);
    memcpy(view->target, from->target, sizeof view->target);
    if (up[0] != 0 || up[1] != 0 || up[2] != 0)
        memcpy(view->up, up, sizeof view->up);
    if (from->fov_degrees != 0)
        view->fov_degrees = from->fov_degrees;
}

static bool workload_read(const struct ogv_workload *workload, u32 threads, struct camera *view,
                          struct world_options *options, struct ogv_error *error)
{
    *options = (struct world_options){
        .scene = workload->scene,
        .camera = workload->camera,
        .software = workload->software,
        .heatmap = workload->heatmap,
        .threads = threads,
    };
    if (!numbers_read(workload, options, error) || !words_read(workload, options, error) ||
        !own_rays_read(workload, options, error))
        return false;
    options->generator =
        (struct scene_options){ .triangles = workload->triangles, .seed = options->seed };
    if (workload->view)
        view_read(workload->view, view);
    options->view = workload->view ? view : NULL;
    return true;
}

static void workload_drop(void *workload)
{
    world_free(workload);
    free(workload);
}

/* The scene stays with the system if its rays are to be judged. */
static bool system_load_scene(ogv_system *system, const struct world_options *options,
                              struct ogv_error *error)
{
    struct world *world = heap_array(1, sizeof *world);
    bool good = load_world(system, options, world, error);
    if (good && world->answers) {
        system->workload = world;
        system->workload_free = workload_drop;
    } else {
        workload_drop(world);
    }
    return good;
}

static bool system_can_load(const ogv_system *system, struct ogv_error *error)
{
    if (system->chip->now)
        return error_user(error, "%s has run for %llu cycles: work is loaded before the first",
                          system->plan->name, (unsigned long long)system->chip->now);
    if (program_present(system))
        return error_user(error, "%s has a program already; make another system for another one",
                          system->plan->name);
    return true;
}

static bool nothing_to_run(const ogv_system *system, struct ogv_error *error)
{
    struct text names = { 0 };
    compile_list_names(&names);
    error_user(error,
               "%s traces no rays by itself, and no program is given: a C or C++ source, an ELF "
               "file, or the name of a shipped program (%s)",
               system->plan->name, text_get(&names));
    text_fini(&names);
    return false;
}

bool ogv_system_load(ogv_system *system, const struct ogv_workload *workload,
                     struct ogv_error *error)
{
    struct world_options options;
    struct camera view;
    bool has_world;
    if (!system_can_load(system, error) ||
        !workload_read(workload, system->options.threads, &view, &options, error) ||
        !load_choose_world(system, &options, workload_asks_for_scene(workload), &has_world, error))
        return false;
    const struct world_options *world = has_world ? &options : NULL;
    struct load_program program = { .name = load_program_name(workload->program, world),
                                    .arguments = workload->arguments,
                                    .argument_count = workload->argument_count,
                                    .world = world,
                                    .quiet = true };
    if (!program.name)
        return nothing_to_run(system, error);
    return load_program(system, &program, error) &&
           (!world || system_load_scene(system, world, error));
}

/* ---- Running ---- */

static void system_explain_fault(ogv_system *system, struct ogv_error *error)
{
    struct text words = { 0 };
    if (program_fault(system, &words))
        error_user(error, "%s", text_get(&words));
    else
        error_user(error, "%s was stopped by one of its units at cycle %llu", system->plan->name,
                   (unsigned long long)system->chip->now);
    text_fini(&words);
}

enum ogv_end ogv_system_run(ogv_system *system, uint64_t until, struct ogv_error *error)
{
    switch (system_run(system, until, (struct sim_poll){ 0 }, error)) {
    case SIM_FINISHED:
        return OGV_END_FINISHED;
    case SIM_REACHED:
        return OGV_END_REACHED;
    case SIM_STOPPED:
        system_explain_fault(system, error);
        return OGV_END_FAILED;
    default:
        return OGV_END_FAILED;
    }
}

enum ogv_end ogv_system_step(ogv_system *system, uint64_t cycles, struct ogv_error *error)
{
    cycle now = system->chip->now;
    return ogv_system_run(system, cycles > NEVER - now ? NEVER : now + cycles, error);
}

/* ---- What the program did ---- */

char *ogv_system_console(ogv_system *system, size_t *length)
{
    struct text words = { 0 };
    program_console(system, &words);
    if (length)
        *length = words.length;
    return words.chars ? words.chars : heap_copy("");
}

bool ogv_system_exit_code(ogv_system *system, uint64_t *code)
{
    if (!program_present(system) || !system->chip->ended)
        return false;
    *code = program_exit_code(system);
    return true;
}

char *ogv_system_fault(ogv_system *system)
{
    struct text words = { 0 };
    if (program_present(system) && program_fault(system, &words))
        return words.chars;
    return NULL;
}

bool ogv_system_read(ogv_system *system, uint64_t address, void *bytes, uint64_t length,
                     struct ogv_error *error)
{
    return host_read(system, address, bytes, length, error);
}

bool ogv_system_write(ogv_system *system, uint64_t address, const void *bytes, uint64_t length,
                      struct ogv_error *error)
{
    return host_write(system, address, bytes, length, error);
}

/* ---- Pictures ---- */

bool ogv_system_image(ogv_system *system, struct ogv_image *image, struct ogv_error *error)
{
    struct image found = { 0 };
    bool good = true;
    if (system->workload)
        good = workload_pixels(system, system->workload, &found, error);
    else if (program_present(system))
        good = program_pixels(system, &found, error);
    *image = (struct ogv_image){ found.pixels, found.width, found.height };
    return good;
}

bool ogv_system_save_image(ogv_system *system, const char *file, struct ogv_error *error)
{
    struct ogv_image image;
    if (!ogv_system_image(system, &image, error))
        return false;
    bool good = image.pixels
                    ? image_write(file, image.pixels, image.width, image.height, error)
                    : error_user(error, "%s: %s has drawn no picture", file, system->plan->name);
    free(image.pixels);
    return good;
}

bool ogv_system_save_heatmap(ogv_system *system, const char *file, struct ogv_error *error)
{
    bool written = false;
    if (!workload_heatmap(system, file, &written, error))
        return false;
    return written || error_user(error,
                                 "%s: no heat map was kept; the workload has to ask for it "
                                 "(`heatmap`)",
                                 file);
}

/* ---- Judging ---- */

bool ogv_system_judge(ogv_system *system, struct ogv_judgement *judgement, struct ogv_error *error)
{
    struct workload_judgement found;
    if (!system->workload)
        return error_user(error,
                          "%s: there are no hits to judge; the workload has to say which rays "
                          "(`rays`)",
                          system->plan->name);
    if (!workload_judge(system, system->workload, NULL, &found, error))
        return false;
    *judgement = (struct ogv_judgement){ .rays = found.rays,
                                         .equal = found.equal,
                                         .ties = found.ties,
                                         .edges = found.edges,
                                         .wrong = found.wrong };
    memcpy(judgement->first, found.first, sizeof judgement->first);
    return true;
}

bool ogv_system_hits(ogv_system *system, struct ogv_hits *hits, struct ogv_error *error)
{
    static_assert(sizeof(struct ogv_hit) == sizeof(struct rt_hit), "they are the same");
    const struct world *world = system->workload;
    *hits = (struct ogv_hits){ 0 };
    if (!world)
        return error_user(error,
                          "%s: there are no hits to read; the workload has to say which rays "
                          "(`rays` or `own_rays`)",
                          system->plan->name);
    struct rt_hit *found = workload_hits(system, world, error);
    if (!found)
        return false;
    *hits = (struct ogv_hits){ (struct ogv_hit *)(void *)found, world->header.ray_count };
    return true;
}
