/* command_scene.c - `ogive scene`: what is in a scene, and how it looks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/image.h"
#include "base/text.h"
#include "base/wall.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "cli/view_options.h"
#include "rt/render.h"
#include "rt/scene_file.h"

#define LIST_MAX 12 /* materials that `info` names */

struct scene_arguments {
    struct scene_options options;
    const char *out, *size, *progress;
    struct view_arguments view;
    struct camera eye;
    enum progress_style style;
    u64 samples, threads;
};

/* ---- ogive scene info ---- */

static void print_vector(const char *name, const float v[3])
{
    printf("%s(%.6g, %.6g, %.6g)", name, (double)v[0], (double)v[1], (double)v[2]);
}

static void print_cameras(const struct scene *scene)
{
    for (u32 i = 0; i < scene->camera_count; i++) {
        const struct camera *camera = &scene->cameras[i];
        printf("%-12s %s: ", i ? "" : "cameras", camera->name);
        print_vector("from ", camera->eye);
        print_vector(" to ", camera->target);
        printf(", %.3g degrees high\n", (double)camera->fov_degrees);
    }
}

static void print_materials(const struct scene *scene)
{
    static const char *const surfaces[] = { "diffuse", "mirror", "glass" };
    for (u32 i = 0; i < scene->material_count && i < LIST_MAX; i++) {
        const struct material *material = &scene->materials[i];
        const float *glow = material->emission;
        printf("%-12s %s: %s, ", i ? "" : "materials", *material->name ? material->name : "-",
               surfaces[material->surface]);
        print_vector("colour ", material->colour);
        if (glow[0] > 0 || glow[1] > 0 || glow[2] > 0)
            print_vector(", emission ", glow);
        putchar('\n');
    }
    if (scene->material_count > LIST_MAX)
        printf("%-12s and %u more\n", "", scene->material_count - LIST_MAX);
}

static void print_scene(const struct scene *scene)
{
    struct box box = mesh_bounds(&scene->mesh);
    printf("scene        %s\n", scene->name);
    printf("triangles    %u\n", scene->mesh.triangle_count);
    printf("vertices     %u\n", scene->mesh.vertex_count);
    printf("memory       %.1f MiB\n", (double)mesh_bytes(&scene->mesh) / (double)MiB);
    print_vector("bounds       ", box.low);
    print_vector(" to ", box.high);
    putchar('\n');
    if (scene->instance_count)
        printf("instances    %u, of %u parts\n", scene->instance_count, scene->part_count);
    print_cameras(scene);
    printf("lights       %u\n", scene->light_count);
    print_materials(scene);
}

static int scene_info(const struct command *self, int argc, char **argv)
{
    struct scene_arguments a = { 0 };
    const struct option_row rows[] = {
        { 0, "triangles", "N", "about how many, for scenes that are made by rule", OPTION_NUMBER,
          &a.options.triangles },
        { 0, "seed", "N", "what else such a scene is made from", OPTION_NUMBER, &a.options.seed },
        { 0, "instances", NULL, "also say what stands in it several times", OPTION_FLAG,
          &a.options.keep_instances },
        { 0, NULL, NULL, NULL, OPTION_FLAG, NULL },
    };
    struct text_list rest = { 0 };
    struct scene scene;
    struct ogv_error error = { 0 };
    int code;
    if (!options_parse(self, rows, argc, argv, &rest, &code))
        return code;
    code = EXIT_USER;
    if (rest_one(self, &rest, "scene")) {
        bool good = scene_load(rest.items[0], &a.options, &scene, &error);
        code = good ? EXIT_GOOD : fail(&error);
        if (good)
            print_scene(&scene);
        if (good)
            scene_free(&scene);
    }
    list_fini(&rest);
    return code;
}

/* ---- ogive scene render ---- */

static bool arguments_check(const struct scene_arguments *a, struct ogv_error *error)
{
    if (!a->out)
        return error_user(error, "scene render: needs --out FILE.png (or -o) for the picture");
    if (!output_check("--out", a->out, ".png", error))
        return false;
    if (!a->samples || a->samples > RENDER_SAMPLES_MAX)
        return error_user(error, "--samples %llu: can be 1 to %d", (unsigned long long)a->samples,
                          RENDER_SAMPLES_MAX);
    return true;
}

static bool render_write(const struct scene *scene, const struct scene_arguments *a,
                         struct render_options *options, struct ogv_error *error)
{
    struct progress_task progress = progress_task("rendering", a->style);
    options->camera = view_choose(&a->view, &a->eye, scene, error);
    if (!options->camera)
        return false;
    options->progress = progress_task_show;
    options->user = &progress;
    u8 *pixels = render_scene(scene, options, error);
    progress_clear(&progress.line);
    bool good = pixels && image_write(a->out, pixels, options->width, options->height, error);
    if (good)
        printf("%s: %s, %ux%u pixels, %u samples each, %u triangles, %.1f s\n", a->out, scene->name,
               options->width, options->height, options->samples, scene->mesh.triangle_count,
               wall_clock() - progress.begun);
    free(pixels);
    return good;
}

static bool render_named(const char *name, const struct scene_arguments *a, struct ogv_error *error)
{
    struct render_options options = { 0 };
    struct scene scene;
    signals_catch();
    if (!arguments_check(a, error) ||
        !pixels_read(a->size, 1, RENDER_SIZE_MAX, &options.width, &options.height, error) ||
        !scene_load(name, &a->options, &scene, error))
        return false;
    options.samples = (u32)a->samples;
    options.threads = (u32)a->threads;
    bool good = render_write(&scene, a, &options, error);
    scene_free(&scene);
    return good;
}

static int scene_render(const struct command *self, int argc, char **argv)
{
    struct scene_arguments a = { .size = "480x270", .samples = 16 };
    const struct option_row rows[] = {
        { 'o', "out", "FILE.png", "file for the picture", OPTION_TEXT, &a.out },
        { 0, "size", "WxH", "pixels (480x270)", OPTION_TEXT, &a.size },
        { 0, "samples", "N", "light paths per pixel (16); four times as many halve the noise",
          OPTION_NUMBER, &a.samples },
        VIEW_ROWS(a.view),
        THREADS_ROW(a.threads),
        { 0, "triangles", "N", "about how many, for scenes that are made by rule", OPTION_NUMBER,
          &a.options.triangles },
        { 0, "seed", "N", "what else such a scene is made from", OPTION_NUMBER, &a.options.seed },
        PROGRESS_ROW(a.progress),
        { 0, NULL, NULL, NULL, OPTION_FLAG, NULL },
    };
    struct text_list rest = { 0 };
    struct ogv_error error = { 0 };
    int code;
    if (!options_parse(self, rows, argc, argv, &rest, &code))
        return code;
    code = EXIT_USER;
    if (rest_one(self, &rest, "scene") && view_arguments_read("scene render", &a.view, &a.eye) &&
        progress_read("scene render", a.progress, &a.style))
        code = render_named(rest.items[0], &a, &error) ? EXIT_GOOD : fail(&error);
    list_fini(&rest);
    return code;
}

/* ---- ogive scene ---- */

static const struct command scene_parts[] = {
    { .name = "scene info",
      .usage = "SCENE",
      .summary = "What is in a scene.",
      .function = scene_info },
    { .name = "scene render",
      .usage = "SCENE -o picture.png",
      .summary = "A picture of a scene, by path tracing.",
      .function = scene_render },
    { 0 },
};

static int scene_main(const struct command *self, int argc, char **argv)
{
    static const struct option_row none[] = { { 0, NULL, NULL, NULL, OPTION_FLAG, NULL } };
    struct nearest nearest;
    char hint[64];
    if (argc < 2) {
        say_error("scene: what to do? usage: ogive scene %s", self->usage);
        return EXIT_USER;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        options_help(self, none);
        return EXIT_GOOD;
    }
    nearest_init(&nearest, argv[1]);
    for (const struct command *part = scene_parts; part->name; part++) {
        const char *name = strchr(part->name, ' ') + 1;
        if (!strcmp(argv[1], name))
            return part->function(part, argc - 1, argv + 1);
        nearest_offer(&nearest, name);
    }
    say_error("scene: there is no '%s'%s; usage: ogive scene %s", argv[1],
              nearest_hint(&nearest, hint, sizeof hint), self->usage);
    return EXIT_USER;
}

const struct command command_scene = {
    .name = "scene",
    .usage = "info SCENE | render SCENE -o picture.png",
    .summary = "Look at a scene: what is in it, and a picture of it.",
    .details =
        "info    prints triangles, vertices, bounds, cameras, materials, memory\n"
        "render  draws it by path tracing on this machine's processors\n"
        "\n"
        "SCENE is the name of a shipped scene (see `ogive scenes`), a scene file (.yaml), or a "
        "mesh:\n"
        "PLY, OBJ, glTF, FBX, STL and others, also packed (.xz).\n"
        "Examples:\n"
        "  ogive scene info arcade\n"
        "  ogive scene render arcade -o arcade.png\n"
        "  ogive scene render forest --triangles 500000 --seed 7 --camera within -o forest.png\n"
        "  ogive scene render arcade --eye 0,2,5 --target 0,1,0 -o view.png   (as `run` takes it)\n"
        "  ogive scene render my.obj --size 640x360 --samples 64 -o my.png\n",
    .function = scene_main,
    .parts = scene_parts,
};
