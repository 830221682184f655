/* command_rays.c - `ogive rays`: makes ray files, and looks into them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "rt/rays.h"

#define SHOWN_RAYS 8

struct rays_arguments {
    const char *kind, *order, *size, *out;
    const char *camera, *eye, *target, *up, *fov, *length;
    u64 seed, triangles, threads;
    bool jitter;
};

/* ---- What was typed ---- */

static bool options_read(const struct rays_arguments *arguments, struct ray_options *options,
                         struct ogv_error *error)
{
    *options = (struct ray_options){ .seed = arguments->seed,
                                     .jitter = arguments->jitter,
                                     .threads = (u32)arguments->threads };
    return ray_kind_find(arguments->kind, &options->kind, error) &&
           ray_order_find(arguments->order, &options->order, error) &&
           pixels_read(arguments->size, 1, PIXELS_MAX, &options->width, &options->height, error) &&
           (!arguments->length ||
            number_read("length", arguments->length, &options->occlusion_length, error));
}

/* ---- Making ---- */

/* What takes a while, said on a terminal while it does. */
static void stage_show(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s\033[K%s", what, *what ? " ..." : "");
}

static void set_print(const struct ray_set *set)
{
    printf("kind        %s\n", ray_kind_names[set->kind]);
    printf("picture     %u x %u pixels, in %s order\n", set->width, set->height,
           ray_order_names[set->order]);
    printf("rays        %llu, %llu of them real (%.2f%%)\n", (unsigned long long)set->count,
           (unsigned long long)set->real, 100.0 * (double)set->real / (double)set->count);
}

static bool make_with(const struct scene *scene, const struct camera *camera,
                      const struct ray_options *options, const char *out, struct ogv_error *error)
{
    struct ray_set set = { 0 };
    struct reference *reference = NULL;
    if (options->kind != RAYS_PRIMARY) {
        stage_show("building the tree for reference hits");
        reference = reference_create(&scene->mesh, error);
        if (!reference)
            return false;
    }
    stage_show("making rays");
    bool good =
        rays_make(scene, camera, reference, options, &set, error) && rays_save(&set, out, error);
    stage_show("");
    if (good)
        set_print(&set);
    rays_free(&set);
    reference_free(reference);
    return good;
}

/* What was given replaces the camera's. */
static bool view_read(const struct rays_arguments *arguments, struct camera *camera,
                      struct ogv_error *error)
{
    return (!arguments->eye || vector_read("eye", arguments->eye, camera->eye, error)) &&
           (!arguments->target ||
            vector_read("target", arguments->target, camera->target, error)) &&
           (!arguments->up || vector_read("up", arguments->up, camera->up, error)) &&
           (!arguments->fov || number_read("fov", arguments->fov, &camera->fov_degrees, error));
}

static int make_from(struct scene *scene, const struct rays_arguments *arguments,
                     struct ray_options *options)
{
    struct ogv_error error;
    const struct camera *named = scene_camera(scene, arguments->camera, &error);
    if (!named)
        return fail(&error);
    struct camera camera = *named;
    if (!view_read(arguments, &camera, &error))
        return fail(&error);
    if (!make_with(scene, &camera, options, arguments->out, &error)) {
        stage_show("");
        return fail(&error);
    }
    printf("camera      eye %g,%g,%g target %g,%g,%g up %g,%g,%g, %g degrees high\n",
           (double)camera.eye[0], (double)camera.eye[1], (double)camera.eye[2],
           (double)camera.target[0], (double)camera.target[1], (double)camera.target[2],
           (double)camera.up[0], (double)camera.up[1], (double)camera.up[2],
           (double)camera.fov_degrees);
    printf("written to  %s\n", arguments->out);
    return EXIT_GOOD;
}

static int make(const struct rays_arguments *arguments, const char *what)
{
    struct ogv_error error;
    struct ray_options options;
    struct scene_options scene_options = { .triangles = arguments->triangles };
    static struct scene scene;
    signals_catch();
    if (!options_read(arguments, &options, &error))
        return fail(&error);
    if (!arguments->out) {
        say_error("rays: needs -o FILE, where to write the rays");
        return EXIT_USER;
    }
    stage_show("loading the scene");
    bool loaded = scene_load(what, &scene_options, &scene, &error);
    stage_show("");
    if (!loaded)
        return fail(&error);
    int code = make_from(&scene, arguments, &options);
    scene_free(&scene);
    return code;
}

/* ---- Looking ---- */

struct rays_summary {
    float low[3], high[3]; /* of origins */
    double length;         /* sum over directions */
};

static struct rays_summary summarise(const struct ray_set *set)
{
    struct rays_summary summary = { { INFINITY, INFINITY, INFINITY },
                                    { -INFINITY, -INFINITY, -INFINITY },
                                    0 };
    for (u64 i = 0; i < set->count; i++) {
        const struct rt_ray *ray = &set->rays[i];
        double square = 0;
        if (rt_ray_is_empty(ray))
            continue;
        for (u32 k = 0; k < 3; k++) {
            summary.low[k] = fminf(summary.low[k], ray->origin[k]);
            summary.high[k] = fmaxf(summary.high[k], ray->origin[k]);
            square += (double)ray->direction[k] * (double)ray->direction[k];
        }
        summary.length += sqrt(square);
    }
    return summary;
}

static void ray_print(const struct ray_set *set, u64 i)
{
    const struct rt_ray *ray = &set->rays[i];
    printf("ray %-7llu pixel %u,%u ", (unsigned long long)i, set->pixels[i] % set->width,
           set->pixels[i] / set->width);
    if (rt_ray_is_empty(ray))
        printf("empty\n");
    else
        printf("origin %g,%g,%g direction %g,%g,%g t %g to %g\n", (double)ray->origin[0],
               (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
               (double)ray->direction[1], (double)ray->direction[2], (double)ray->t_min,
               (double)ray->t_max);
}

static int info(const char *path)
{
    struct ogv_error error;
    struct ray_set set;
    if (!rays_load(path, &set, &error))
        return fail(&error);
    struct rays_summary summary = summarise(&set);
    set_print(&set);
    if (set.real) {
        printf("origins     within %g,%g,%g and %g,%g,%g\n", (double)summary.low[0],
               (double)summary.low[1], (double)summary.low[2], (double)summary.high[0],
               (double)summary.high[1], (double)summary.high[2]);
        printf("directions  of length %.6f on average\n", summary.length / (double)set.real);
    }
    for (u64 i = 0; i < min_u64(set.count, SHOWN_RAYS); i++)
        ray_print(&set, i);
    rays_free(&set);
    return EXIT_GOOD;
}

/* ---- The command ---- */

static int rays_with(const struct command *self, const struct rays_arguments *arguments,
                     const struct text_list *rest)
{
    if (rest->count == 2 && !strcmp(rest->items[0], "info"))
        return info(rest->items[1]);
    if (rest->count == 1 && strcmp(rest->items[0], "info") != 0)
        return make(arguments, rest->items[0]);
    say_error("rays: usage: ogive rays %s", self->usage);
    return EXIT_USER;
}

static int rays_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct rays_arguments arguments = { .kind = "primary", .order = "tile", .size = "1024x1024" };
    const struct option_row rows[] = {
        { 'o', "out", "FILE", "file for the rays", OPTION_TEXT, &arguments.out },
        { 0, "kind", "KIND", "primary, secondary, tertiary, shadow or occlusion (primary)",
          OPTION_TEXT, &arguments.kind },
        { 0, "size", "WxH", "pixels, one ray for each (1024x1024)", OPTION_TEXT, &arguments.size },
        { 0, "order", "ORDER", "tile (4x8 pixels), row or morton (tile)", OPTION_TEXT,
          &arguments.order },
        { 0, "seed", "N", "another seed, other samples (0)", OPTION_NUMBER, &arguments.seed },
        { 0, "jitter", NULL, "primary rays anywhere through their pixel, not its centre",
          OPTION_FLAG, &arguments.jitter },
        { 0, "length", "L", "of occlusion rays (a tenth of the scene's diagonal)", OPTION_TEXT,
          &arguments.length },
        { 0, "camera", "NAME", "one of the scene's cameras (its first)", OPTION_TEXT,
          &arguments.camera },
        { 0, "eye", "X,Y,Z", "see from there instead", OPTION_TEXT, &arguments.eye },
        { 0, "target", "X,Y,Z", "look there instead", OPTION_TEXT, &arguments.target },
        { 0, "up", "X,Y,Z", "up in the picture instead", OPTION_TEXT, &arguments.up },
        { 0, "fov", "DEG", "vertical field of view instead, in degrees", OPTION_TEXT,
          &arguments.fov },
        { 0, "triangles", "N", "size of a generated scene", OPTION_NUMBER, &arguments.triangles },
        THREADS_ROW(arguments.threads),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = rays_with(self, &arguments, &rest);
    list_fini(&rest);
    return code;
}

const struct command command_rays = {
    .name = "rays",
    .usage = "SCENE -o FILE [options] | info FILE",
    .summary = "Make the rays of a picture from a scene, or look into a file of them.",
    .details =
        "SCENE is the name of a shipped scene, a scene file or a mesh file. There is one ray per\n"
        "pixel; where the picture needs none, an empty one (t_max < t_min):\n"
        "  primary    from the camera through the pixel\n"
        "  secondary  from what the primary ray hits, sampled by the cosine with the normal\n"
        "  tertiary   the same once more\n"
        "  shadow     from what the primary ray hits to a light\n"
        "  occlusion  like secondary, but short\n"
        "The same scene, camera and seed give the same file on any number of threads.\n"
        "Examples:\n"
        "  ogive rays sponza.ply --eye -900.6,150.8,120.74 --target 79.7,14,-17.4 --fov 90 -o "
        "p.rays\n"
        "  ogive rays sponza.ply --kind secondary --size 512x512 --seed 7 -o s.rays\n"
        "  ogive rays info s.rays\n",
    .function = rays_main,
};
