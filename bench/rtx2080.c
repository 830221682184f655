/* rtx2080.c - how fast frames are simulated on the RTX 2080, with the same rays through Embree as
 * the yardstick.
 *
 *   ./run bench rtx2080 [SIZE [THREADS ...]]      default: 256 and 1024 pixels, 1 and 2 threads
 *
 * Sponza if its mesh is at hand (in $OGIVE_MESHES or ../shared/scenes), else the arcade. Every run
 * is a process of its own, so that its peak of memory is its own, too; `work` is processor time
 * over all threads, which does not depend on who else is on the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "embree.h"
#include "measure.h"
#include "run/run.h"
#include "run/validate.h"

static const char *const kinds[] = { "primary", "secondary", "tertiary" };

struct workload {
    char *mesh; /* NULL: the arcade */
    const struct camera *view;
};

/* What a process leaves for its parent. */
struct outcome {
    bool good;
    u64 rays;
    cycle cycles;
    double wall, work, memory_bytes;
    double embree; /* seconds for the same rays on one thread */
};

static struct world_options world_of(const struct workload *workload, u32 kind, u32 size)
{
    return (struct world_options){
        .scene = workload->mesh,
        .view = workload->view,
        .traced = true,
        .rays = (enum ray_kind)kind,
        .width = size,
        .height = size,
        .samples = 1,
        .seed = 1,
    };
}

static void measure_run(const struct world_options *world, u32 threads, struct outcome *outcome)
{
    const char *temporary = getenv("TMPDIR");
    char *folder = text_format("%s/ogive-bench-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    struct run_options options = {
        .arch = "rtx2080",
        .out = folder,
        .world = world,
        .world_given = true,
        .sim = { .threads = threads },
        .stop_after = NEVER,
    };
    struct run_result result;
    struct run_listener listener = { 0 };
    struct ogv_error error;
    struct rusage usage;
    outcome->good =
        run_execute(&options, &listener, &result, &error) && result.status == RUN_FINISHED;
    if (!outcome->good)
        fprintf(stderr, "%s\n", error.message);
    getrusage(RUSAGE_SELF, &usage);
    outcome->memory_bytes = 1024.0 * (double)usage.ru_maxrss;
    outcome->rays = result.figures.rays;
    outcome->cycles = result.cycles;
    outcome->wall = result.wall_seconds;
    outcome->work = result.work_seconds;
    char *remove = text_format("rm -rf '%s'", folder);
    if (system(remove) != 0)
        fprintf(stderr, "%s: cannot be removed\n", folder);
    free(remove);
    free(folder);
}

static void measure_embree(const struct world_options *world, u32 threads, struct outcome *outcome)
{
    struct ogv_error error;
    struct scene scene;
    struct ray_set set;
    (void)threads;
    struct ray_options rays = {
        .kind = world->rays, .width = world->width, .height = world->height, .seed = world->seed
    };
    if (!scene_load(world->scene ? world->scene : SCENE_DEFAULT, &world->generator, &scene, &error))
        return;
    struct reference *reference = reference_create(&scene.mesh, &error);
    const struct camera *camera = world->view ? world->view : &scene.cameras[0];
    if (!reference || !rays_make(&scene, camera, reference, &rays, &set, &error))
        return;
    struct embree embree = embree_make(&scene.mesh, 1);
    rtcCommitScene(embree.scene);
    embree_trace(embree.scene, &set);
    outcome->embree = embree_trace(embree.scene, &set);
    outcome->good = true;
    embree_free(&embree);
}

static struct outcome apart(void (*measure)(const struct world_options *world, u32 threads,
                                            struct outcome *outcome),
                            const struct world_options *world, u32 threads)
{
    struct outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        measure(world, threads, shared);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    struct outcome outcome = *shared;
    munmap(shared, sizeof *shared);
    return outcome;
}

static void row_print(const struct world_options *world, u32 kind, u32 threads, double embree)
{
    struct outcome outcome = apart(measure_run, world, threads);
    if (!outcome.good)
        exit(1);
    printf("%5u %-10s %2u  %9llu cycles %8.0f k rays  %7.1f k cycles/s %7.1f k per second of work  "
           "%6.1f s = %5.0f x Embree  %4.0f MiB\n",
           world->width, kinds[kind], threads, (unsigned long long)outcome.cycles,
           (double)outcome.rays / 1e3, (double)outcome.cycles / outcome.wall / 1e3,
           (double)outcome.cycles / outcome.work / 1e3, outcome.wall, outcome.wall / embree,
           outcome.memory_bytes / MiB);
    fflush(stdout);
}

static struct workload workload_find(void)
{
    struct ogv_error error;
    const char *folder = getenv("OGIVE_MESHES");
    const struct validation *validation = validation_find("rtx2080", &error);
    const struct validation_scene *scene = validation_scene(validation, "sponza", &error);
    char *mesh = validation_mesh(scene, folder ? folder : "../shared/scenes", &error);
    return (struct workload){ mesh, mesh ? &scene->view : NULL };
}

int main(int argc, char **argv)
{
    u32 sizes[] = { 256, 1024 }, size_count = 2;
    u32 threads[16] = { 1, 2 }, thread_count = 2;
    if (argc > 1) {
        sizes[0] = (u32)atoi(argv[1]);
        size_count = 1;
    }
    for (int i = 2; i < argc && i < 18; i++) {
        threads[i - 2] = (u32)atoi(argv[i]);
        thread_count = (u32)i - 1;
    }
    struct workload workload = workload_find();
    printf("RTX 2080, %s; size, rays, host threads\n", workload.mesh ? "Sponza" : "arcade");
    for (u32 i = 0; i < size_count; i++) {
        for (u32 kind = 0; kind < 3; kind++) {
            struct world_options world = world_of(&workload, kind, sizes[i]);
            double embree = apart(measure_embree, &world, 1).embree;
            for (u32 k = 0; k < thread_count; k++)
                row_print(&world, kind, threads[k], embree);
        }
    }
    return 0;
}
