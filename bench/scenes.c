/* scenes.c - what it takes to load a scene and to build and encode its tree, next to what Embree
 * takes for its own tree of the best quality; and how fast rays are traced, next to Embree.
 *
 *   ./run bench scenes [THREADS [SCENE[:TRIANGLES] ...]]
 *
 * Every measurement is a process of its own, so that its peak of memory is its own too. Times are
 * of the processor, over all threads: they do not depend on who else is on the machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "embree.h"
#include "measure.h"
#include "rt/bvh.h"
#include "rt/rays.h"

#define SPONZA "../shared/scenes/sponza.ply.xz"
#define SIDE   512 /* pixels, of the rays' pictures */
#define ROUNDS 5

struct bench {
    const char *name;
    u64 triangles;
    u32 threads;
};

static void fail_with(const struct ogv_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

/* A bare mesh is seen from outside, where most rays miss it or end at its first wall. Sponza is
 * traced from the view within that is usual for it. */
static const struct camera sponza_camera = {
    .name = "nave",
    .eye = { -900.6f, 150.8f, 120.74f },
    .target = { 79.7f, 14.0f, -17.4f },
    .up = { 0, 1, 0 },
    .fov_degrees = 90,
};

static void scene_get(const struct bench *bench, struct scene *scene)
{
    struct scene_options options = { .triangles = bench->triangles };
    struct ogv_error error;
    if (!scene_load(bench->name, &options, scene, &error))
        fail_with(&error);
    if (!strcmp(bench->name, SPONZA))
        scene->cameras[0] = sponza_camera;
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* ---- Measurements, each in its process ---- */

static void measure_embree(const struct bench *bench, double *results)
{
    struct scene scene;
    scene_get(bench, &scene);
    struct embree embree = embree_make(&scene.mesh, bench->threads);
    double begun = work_clock();
    rtcCommitScene(embree.scene);
    results[0] = work_clock() - begun;
    results[1] = peak_bytes() / scene.mesh.triangle_count;
    embree_free(&embree);
    scene_free(&scene);
}

static void measure_tree(const struct bench *bench, enum bvh_builder builder, double *results)
{
    struct bvh_options options = bvh_options_default();
    struct ogv_error error;
    struct scene scene;
    struct bvh bvh;
    double begun = work_clock();
    scene_get(bench, &scene);
    double loaded = work_clock();
    options.builder = builder;
    options.threads = bench->threads;
    if (!bvh_build(&scene.mesh, &options, &bvh, &error))
        fail_with(&error);
    results[0] = work_clock() - loaded;
    results[1] = peak_bytes() / scene.mesh.triangle_count;
    results[2] = loaded - begun;
    results[3] = bvh.statistics.sah_cost;
    results[4] = scene.mesh.triangle_count;
    results[5] = bvh.statistics.encode_seconds /
                 (bvh.statistics.encode_seconds + bvh.statistics.build_seconds);
    bvh_free(&bvh);
    scene_free(&scene);
}

static void measure_sah(const struct bench *bench, double *results)
{
    measure_tree(bench, BVH_sah, results);
}

static void measure_spatial(const struct bench *bench, double *results)
{
    measure_tree(bench, BVH_spatial, results);
}

static double trace_ours(const struct bvh *bvh, const struct ray_set *set)
{
    double begun = work_clock();
    u64 hits = 0;
    for (u64 i = 0; i < set->count; i++)
        hits += bvh_trace(bvh, &set->rays[i], 0, false, NULL).triangle != RT_NOTHING;
    double spent = work_clock() - begun;
    return hits ? spent : 0;
}

/* Million rays per second of the one and the other, side by side, by kind of ray. */
static void measure_rays(const struct bench *bench, double *results)
{
    static const enum ray_kind kinds[] = { RAYS_PRIMARY, RAYS_SECONDARY };
    struct bvh_options options = bvh_options_default();
    struct ogv_error error;
    struct scene scene;
    struct bvh bvh;
    scene_get(bench, &scene);
    struct embree embree = embree_make(&scene.mesh, bench->threads);
    rtcCommitScene(embree.scene);
    options.threads = bench->threads;
    struct reference *reference = reference_create(&scene.mesh, &error);
    if (!reference || !bvh_build(&scene.mesh, &options, &bvh, &error))
        fail_with(&error);
    for (u32 kind = 0; kind < 2; kind++) {
        struct ray_options ray_options = { .kind = kinds[kind], .width = SIDE, .height = SIDE };
        struct ray_set set;
        double ours[ROUNDS], theirs[ROUNDS];
        if (!rays_make(&scene, &scene.cameras[0], reference, &ray_options, &set, &error))
            fail_with(&error);
        for (u32 i = 0; i < ROUNDS; i++) {
            ours[i] = trace_ours(&bvh, &set);
            theirs[i] = embree_trace(embree.scene, &set);
        }
        results[2 * kind] = (double)set.real / measure_median(ours, ROUNDS) / 1e6;
        results[2 * kind + 1] = (double)set.real / measure_median(theirs, ROUNDS) / 1e6;
        rays_free(&set);
    }
    reference_free(reference);
    bvh_free(&bvh);
    embree_free(&embree);
    scene_free(&scene);
}

/* ---- Processes ---- */

#define RESULTS 6
#define TREES   3   /* of which the fastest counts */
#define LARGE   4e6 /* triangles, from which no rays are traced */

static void apart(void (*measure)(const struct bench *bench, double *results),
                  const struct bench *bench, double results[RESULTS])
{
    int ends[2], status;
    if (pipe(ends))
        exit(1);
    pid_t child = fork();
    if (!child) {
        double found[RESULTS] = { 0 };
        measure(bench, found);
        _exit(write(ends[1], found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    bool good =
        read(ends[0], results, RESULTS * sizeof *results) == (ssize_t)(RESULTS * sizeof *results);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status || !good)
        exit(1);
}

/* Keeps the results of the fastest so far. */
static void apart_best(void (*measure)(const struct bench *bench, double *results),
                       const struct bench *bench, double best[RESULTS])
{
    double found[RESULTS];
    apart(measure, bench, found);
    if (found[0] < best[0])
        memcpy(best, found, sizeof found);
}

static void tree_print(const char *what, const double *tree, const double *embree)
{
    printf("  %-28s %7.2f s, %4.2f x Embree (%2.0f%% of it encoding), %4.0f bytes per triangle, "
           "sah cost %.2f\n",
           what, tree[0], tree[0] / embree[0], 100 * tree[5], tree[1], tree[3]);
}

static void bench_scene(const struct bench *bench)
{
    double embree[RESULTS] = { INFINITY }, sah[RESULTS] = { INFINITY };
    double spatial[RESULTS] = { INFINITY }, rays[RESULTS];
    for (u32 i = 0; i < TREES; i++) {
        apart_best(measure_spatial, bench, spatial);
        apart_best(measure_sah, bench, sah);
        apart_best(measure_embree, bench, embree);
    }
    printf("%s, %.0f triangles: loaded or made in %.2f s\n", bench->name, spatial[4], spatial[2]);
    printf("  %-28s %7.2f s, %4.0f bytes per triangle at the peak\n", "Embree, high quality",
           embree[0], embree[1]);
    tree_print("bvh6c, spatial splits", spatial, embree);
    tree_print("bvh6c, binned sah", sah, embree);
    fflush(stdout);
    if (spatial[4] > LARGE)
        return;
    apart(measure_rays, bench, rays);
    printf("  primary rays, one core       %7.2f M/s, %4.2f x Embree\n", rays[0],
           rays[0] / rays[1]);
    printf("  secondary rays, one core     %7.2f M/s, %4.2f x Embree\n", rays[2],
           rays[2] / rays[3]);
    fflush(stdout);
}

static void bench_named(const char *text, u32 threads)
{
    char name[256];
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    struct bench bench = { name, colon ? strtoull(colon + 1, NULL, 10) : 0, threads };
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    bench_scene(&bench);
}

int main(int argc, char **argv)
{
    const char *usual[] = { "arcade:262267", "arcade:1000000", "arcade:10000000" };
    u32 threads = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : 0;
    printf("Scenes; times of the processor, targets: build and encode <= 2 x Embree, <= 400 bytes "
           "per triangle,\nrays >= 0.5 x Embree\n");
    for (int i = 2; i < argc; i++)
        bench_named(argv[i], threads);
    if (argc <= 2 && file_exists(SPONZA))
        bench_named(SPONZA, threads);
    for (u32 i = 0; argc <= 2 && i < 3; i++)
        bench_named(usual[i], threads);
    return 0;
}
