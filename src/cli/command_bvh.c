/* command_bvh.c - `ogive bvh`: the acceleration structure of a scene, in numbers and as a picture.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/image.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "cli/view_options.h"
#include "ogive/memory.h"
#include "rt/heat.h"
#include "rt/prepared.h"

#define LEAF_MAX 255

struct bvh_arguments {
    struct scene_options scene;
    const char *nodes, *primitives, *builder, *treelets;
    const char *json, *picture, *size, *progress;
    struct view_arguments view;
    struct camera eye;
    enum progress_style style;
    u64 leaf, threads;
    u32 width, height;
    bool formats, builders, markdown;
};

/* What is known of a tree when everything asked for is done. */
struct bvh_report {
    const struct bvh_arguments *arguments;
    const struct scene *scene;
    struct bvh bvh;
    struct heat heat; /* none: rays is 0 */
    u32 heat_scale;
    bool cached;
};

/* ---- What is printed ---- */

static void formats_print(void)
{
    printf("Formats of nodes (--format):\n");
    for (u32 i = 0; node_formats[i]; i++)
        printf("  %-12s %s\n", node_formats[i]->name, node_formats[i]->help);
    printf("Formats of triangles (--primitives):\n");
    for (u32 i = 0; primitive_formats[i]; i++)
        printf("  %-12s %s\n", primitive_formats[i]->name, primitive_formats[i]->help);
}

/* The tables of docs/formats.md. */
static void formats_print_page(void)
{
    printf("| nodes | children | bytes | %d-byte sectors | blocks in a leaf "
           "|\n|---|---|---|---|---|\n",
           MEMORY_SECTOR);
    for (u32 i = 0; node_formats[i]; i++) {
        const struct node_format *format = node_formats[i];
        printf("| `%s` | %u%s | %u | %g | %u |\n", format->name, format->width,
               format->grid ? ", quantised" : "", format->bytes,
               (double)format->bytes / MEMORY_SECTOR, format->leaf_blocks);
    }
    printf("\n| primitives | bytes | triangles in a block |\n|---|---|---|\n");
    for (u32 i = 0; primitive_formats[i]; i++) {
        const struct primitive_format *format = primitive_formats[i];
        printf("| `%s` | %u | %s%u |\n", format->name, format->bytes,
               format->triangles > 1 ? "up to " : "", format->triangles);
    }
}

static void builders_print(void)
{
    printf("Builders (--builder):\n");
    for (u32 i = 0; bvh_builder_names[i]; i++)
        printf("  %-12s %s\n", bvh_builder_names[i], bvh_builder_help((enum bvh_builder)i));
}

/* The table of docs/bvh.md. */
static void builders_print_page(void)
{
    printf("| builder | how |\n|---|---|\n");
    for (u32 i = 0; bvh_builder_names[i]; i++)
        printf("| `%s` | %s |\n", bvh_builder_names[i], bvh_builder_help((enum bvh_builder)i));
}

static int markdown_misused(void)
{
    say_error("bvh: --markdown is for lists: --formats, --builders");
    return EXIT_USER;
}

/* The lists that were asked for. */
static void lists_print(const struct bvh_arguments *a)
{
    if (a->formats && a->markdown)
        formats_print_page();
    else if (a->formats)
        formats_print();
    if (a->builders && a->markdown)
        builders_print_page();
    else if (a->builders)
        builders_print();
}

static void tree_print(const struct bvh_report *report)
{
    const struct bvh *bvh = &report->bvh;
    const struct bvh_statistics *s = &bvh->statistics;
    printf("scene        %s, %u triangles\n", report->scene->name,
           report->scene->mesh.triangle_count);
    printf("formats      %s, %s, built with %s\n", bvh->nodes_format->name,
           bvh->primitives_format->name, report->arguments->builder);
    printf("nodes        %llu, with %.2f children on average, in %llu levels\n",
           (unsigned long long)s->nodes, s->children, (unsigned long long)s->depth);
    printf("leaves       %llu, with %.2f triangles on average\n", (unsigned long long)s->leaves,
           s->leaves ? (double)s->references / (double)s->leaves : 0);
    printf("blocks       %llu of triangles\n", (unsigned long long)s->blocks);
    printf("references   %llu, %.3f per triangle\n", (unsigned long long)s->references,
           s->duplication);
    printf("memory       %.2f MiB: %.1f bytes per triangle\n", (double)s->bytes / (double)MiB,
           (double)s->bytes / report->scene->mesh.triangle_count);
    printf("sah cost     %.2f (a node 1, a triangle 1)\n", s->sah_cost);
    if (report->cached)
        printf("time         from the cache; it took %.2f s to build, %.2f s to encode\n",
               s->build_seconds, s->encode_seconds);
    else
        printf("time         %.2f s to build, %.2f s to encode\n", s->build_seconds,
               s->encode_seconds);
}

static double treelets_fill(const struct bvh *bvh)
{
    double bytes = 0;
    for (u32 i = 0; i < bvh->treelet_count; i++)
        bytes += bvh->treelets[i].bytes;
    return bytes / ((double)bvh->treelet_bytes * bvh->treelet_count);
}

static u32 treelets_depth(const struct bvh *bvh)
{
    return bvh->treelets[bvh->treelet_count - 1].depth + 1;
}

static void treelets_print(const struct bvh *bvh)
{
    printf("treelets     %u of at most %u bytes, %.1f%% full, in %u levels\n", bvh->treelet_count,
           bvh->treelet_bytes, 100 * treelets_fill(bvh), treelets_depth(bvh));
    printf("             a random ray is expected to enter %.2f of them\n",
           bvh->statistics.treelet_visits);
}

static void heat_print(const struct bvh_report *report)
{
    const struct heat *heat = &report->heat;
    double rays = (double)heat->rays;
    printf("rays         %llu, %.1f%% of them hit; on average %.2f nodes, %.2f blocks, "
           "%.2f triangles\n",
           (unsigned long long)heat->rays, 100 * (double)heat->hits / rays,
           (double)heat->visits.nodes / rays, (double)heat->visits.blocks / rays,
           (double)heat->visits.triangles / rays);
    printf("picture      %s, from black (no node) to white (%u nodes or more)\n",
           report->arguments->picture, report->heat_scale);
}

/* ---- JSON ---- */

static json_t *tree_json(const struct bvh_report *report)
{
    const struct bvh *bvh = &report->bvh;
    const struct bvh_statistics *s = &bvh->statistics;
    return json_pack("{ss, sI, ss, ss, ss, sI, sI, sI, sI, sI, sI, sf, sf, sf, sf, sf, sb}",
                     "scene", report->scene->name, "triangles",
                     (json_int_t)report->scene->mesh.triangle_count, "nodes_format",
                     bvh->nodes_format->name, "primitives_format", bvh->primitives_format->name,
                     "builder", report->arguments->builder, "nodes", (json_int_t)s->nodes, "leaves",
                     (json_int_t)s->leaves, "blocks", (json_int_t)s->blocks, "references",
                     (json_int_t)s->references, "depth", (json_int_t)s->depth, "bytes",
                     (json_int_t)s->bytes, "sah_cost", s->sah_cost, "children_per_node",
                     s->children, "duplication", s->duplication, "build_seconds", s->build_seconds,
                     "encode_seconds", s->encode_seconds, "cached", report->cached);
}

static json_t *treelets_json(const struct bvh *bvh)
{
    return json_pack("{sI, sI, sf, sI, sf}", "count", (json_int_t)bvh->treelet_count, "size_bytes",
                     (json_int_t)bvh->treelet_bytes, "fill", treelets_fill(bvh), "levels",
                     (json_int_t)treelets_depth(bvh), "expected_visits",
                     bvh->statistics.treelet_visits);
}

static json_t *heat_json(const struct bvh_report *report)
{
    const struct heat *heat = &report->heat;
    return json_pack("{sI, sI, sI, sI, sI, sI}", "rays", (json_int_t)heat->rays, "hits",
                     (json_int_t)heat->hits, "nodes", (json_int_t)heat->visits.nodes, "blocks",
                     (json_int_t)heat->visits.blocks, "triangles",
                     (json_int_t)heat->visits.triangles, "picture_white_at_nodes",
                     (json_int_t)report->heat_scale);
}

static bool json_save(const struct bvh_report *report, struct ogv_error *error)
{
    json_t *root = tree_json(report);
    if (root && report->bvh.treelet_count)
        json_object_set_new(root, "treelets", treelets_json(&report->bvh));
    if (root && report->heat.rays)
        json_object_set_new(root, "primary_rays", heat_json(report));
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(root);
    if (!text)
        return error_system(error, "no memory for the statistics");
    char *lines = text_format("%s\n", text);
    bool good = file_write(report->arguments->json, lines, strlen(lines), error);
    free(lines);
    free(text);
    return good;
}

/* ---- Doing it ---- */

static bool heat_draw(struct bvh_report *report, const struct camera *camera,
                      struct ogv_error *error)
{
    const struct bvh_arguments *a = report->arguments;
    struct ray_options options = { .kind = RAYS_PRIMARY,
                                   .order = ORDER_TILE,
                                   .width = a->width,
                                   .height = a->height,
                                   .threads = (u32)a->threads };
    struct ray_set rays;
    if (!rays_make(report->scene, camera, NULL, &options, &rays, error))
        return false;
    bool good = heat_trace(&report->bvh, &rays, (u32)a->threads, &report->heat) ||
                stop_error(error, "tracing the rays of the picture");
    rays_free(&rays);
    if (!good)
        return false;
    report->heat_scale = heat_scale(&report->heat);
    u8 *pixels = heat_picture(&report->heat, report->heat_scale);
    good = image_write(a->picture, pixels, a->width, a->height, error);
    free(pixels);
    return good;
}

static bool tree_build(struct bvh_report *report, struct bvh_options *options,
                       struct ogv_error *error)
{
    struct progress_task progress = progress_task("building", report->arguments->style);
    options->progress = progress_task_show;
    options->user = &progress;
    bool good = prepared_bvh(&report->scene->mesh, options, &report->bvh, &report->cached, error);
    progress_clear(&progress.line);
    return good;
}

static bool report_finish(struct bvh_report *report, const struct camera *camera,
                          struct ogv_error *error)
{
    const struct bvh_arguments *a = report->arguments;
    tree_print(report);
    if (report->bvh.treelet_count)
        treelets_print(&report->bvh);
    if (a->picture) {
        if (!heat_draw(report, camera, error))
            return false;
        heat_print(report);
    }
    return !a->json || json_save(report, error);
}

static bool report_make(const struct scene *scene, const struct bvh_arguments *a,
                        struct bvh_options *options, struct ogv_error *error)
{
    struct bvh_report report = { .arguments = a, .scene = scene };
    const struct camera *camera = view_choose(&a->view, &a->eye, scene, error);
    if (!camera || !tree_build(&report, options, error))
        return false;
    bool good = report_finish(&report, camera, error);
    heat_free(&report.heat);
    bvh_free(&report.bvh);
    return good;
}

/* ---- What was typed ---- */

static bool options_read(struct bvh_arguments *a, struct bvh_options *options,
                         struct ogv_error *error)
{
    *options = bvh_options_default();
    options->nodes = node_format_find(a->nodes, error);
    options->primitives = options->nodes ? primitive_format_find(a->primitives, error) : NULL;
    if (!options->primitives || !bvh_builder_find(a->builder, &options->builder, error))
        return false;
    if (a->leaf > LEAF_MAX)
        return error_user(error, "--leaf %llu: can be 1 to %d, or 0 for what costs least",
                          (unsigned long long)a->leaf, LEAF_MAX);
    if (a->picture && !output_check("--picture", a->picture, ".png", error))
        return false;
    options->leaf_triangles = (u32)a->leaf;
    options->threads = (u32)a->threads;
    return pixels_read(a->size, 1, PIXELS_MAX, &a->width, &a->height, error) &&
           treelets_read(a->treelets, &options->treelet_bytes, error);
}

static bool bvh_of(const char *name, struct bvh_arguments *a, struct ogv_error *error)
{
    struct bvh_options options;
    struct scene scene;
    signals_catch();
    if (!options_read(a, &options, error) || !scene_load(name, &a->scene, &scene, error))
        return false;
    bool good = report_make(&scene, a, &options, error);
    scene_free(&scene);
    return good;
}

static int bvh_main(const struct command *self, int argc, char **argv)
{
    struct bvh_arguments a = {
        .nodes = "bvh6c", .primitives = "tri64", .builder = "spatial", .size = "1024x1024"
    };
    const struct option_row rows[] = {
        { 'f', "format", "NODES", "format of nodes (bvh6c)", OPTION_TEXT, &a.nodes },
        { 'p', "primitives", "TRIANGLES", "format of triangles (tri64)", OPTION_TEXT,
          &a.primitives },
        { 'b', "builder", "NAME", "how the tree is built (spatial)", OPTION_TEXT, &a.builder },
        { 0, "formats", NULL, "list the formats", OPTION_FLAG, &a.formats },
        { 0, "builders", NULL, "list the builders", OPTION_FLAG, &a.builders },
        { 0, "markdown", NULL, "the lists as tables of the manual", OPTION_FLAG, &a.markdown },
        { 0, "leaf", "N", "triangles in a leaf at most (what costs least)", OPTION_NUMBER,
          &a.leaf },
        { 0, "treelets", "SIZE", "lay the tree out in treelets, such as 32KiB", OPTION_TEXT,
          &a.treelets },
        { 0, "json", "FILE", "write the numbers there too", OPTION_TEXT, &a.json },
        { 0, "picture", "FILE.png", "draw how many nodes the ray of each pixel visits", OPTION_TEXT,
          &a.picture },
        VIEW_ROWS(a.view),
        { 0, "size", "WxH", "pixels of the picture (1024x1024)", OPTION_TEXT, &a.size },
        { 0, "triangles", "N", "about how many, for scenes that are made by rule", OPTION_NUMBER,
          &a.scene.triangles },
        { 0, "seed", "N", "what else such a scene is made from", OPTION_NUMBER, &a.scene.seed },
        THREADS_ROW(a.threads),
        PROGRESS_ROW(a.progress),
        { 0 },
    };
    struct text_list rest = { 0 };
    struct ogv_error error = { 0 };
    int code;
    if (!options_parse(self, rows, argc, argv, &rest, &code))
        return code;
    code = EXIT_GOOD;
    if (a.formats || a.builders)
        lists_print(&a);
    else if (a.markdown)
        code = markdown_misused();
    else if (!rest_one(self, &rest, "scene") || !view_arguments_read("bvh", &a.view, &a.eye) ||
             !progress_read("bvh", a.progress, &a.style))
        code = EXIT_USER;
    else if (!bvh_of(rest.items[0], &a, &error))
        code = fail(&error);
    list_fini(&rest);
    return code;
}

const struct command command_bvh = {
    .name = "bvh",
    .usage = "SCENE [options] | --formats | --builders",
    .summary = "Build the acceleration structure of a scene: its numbers, treelets, a picture of "
               "its cost.",
    .details =
        "SCENE is the name of a shipped scene, a scene file or a mesh file. What is built is kept\n"
        "in the cache folder ($XDG_CACHE_HOME/ogive or ~/.cache/ogive; OGIVE_CACHE=off: nowhere)\n"
        "and found there the next time.\n"
        "Examples:\n"
        "  ogive bvh arcade\n"
        "  ogive bvh arcade --format cwbvh8 --primitives tristrip128 --builder sah\n"
        "  ogive bvh arcade --treelets 32KiB --json arcade.json\n"
        "  ogive bvh arcade --picture heat.png --size 640x360\n"
        "  ogive bvh --formats --builders\n",
    .function = bvh_main,
};
