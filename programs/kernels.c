/* kernels.c - small kernels with known blocks and accesses, one of them per run: what a model of a
 * GPU is compared with a real one by, and what core models are compared with each other by.
 *
 * Arguments: kernel (vector_add), size (see kernels/kernels.def), then in any order
 *     stride=N    of strided_read (2)
 *     flush=MIB   reads so much of memory that nobody needs before the kernel, so that caches up to
 *                 that size hold nothing of its arrays
 *     blocks=N    of reduce and the histograms, whose grid is as large as one likes
 *     threads=N   of a block, where a kernel goes with any number: vector_add, strided_read,
 * gather, histogram_global, spmv, bfs_level and others with a thread per element unchecked measures
 * only: leaves the result unchecked, and unfilled what has no influence on the time
 *
 * Prints how long the kernel took, and from which cycle on: statistics of that part of a run are in
 * its series. */
#include <ogive/device.h>

#include <string.h>

#include "kernels/dense.h"
#include "kernels/graphs.h"
#include "kernels/planes.h"
#include "kernels/streams.h"
#include "kernels/wavelet.h"
#include "kernels/waves.h"

struct kernel {
    const char *name;
    uint32_t smallest, multiple;
    void (*make)(struct task *task); /* one hart: reserves memory, says how to fill it */
    void (*run)(void *task);
    uint32_t (*check)(const struct task *task); /* one hart: how many results are wrong */
};

static const struct kernel kernels[] = {
#define KERNEL(name, smallest, multiple, study, about) \
    { #name, smallest, multiple, name##_make, name, name##_check },
#include "kernels/kernels.def"
#undef KERNEL
};
#define KERNELS (sizeof kernels / sizeof *kernels)

struct options {
    const struct kernel *kernel;
    uint32_t size, stride, blocks, threads, flush_mib, unchecked;
};

/* ---- Arguments ---- */

#define BLOCK_THREADS_MAX 1024

static const struct kernel *kernel_find(const char *name)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

static int size_fits(const struct kernel *kernel, uint32_t size)
{
    if (size < kernel->smallest)
        return 0;
    return kernel->multiple ? size % kernel->multiple == 0 : (size & (size - 1)) == 0;
}

/* The number behind `word`, if the argument begins with it. */
static int option_read(int argc, char **argv, int index, const char *word, uint32_t *value)
{
    size_t length = strlen(word);
    if (strncmp(argv[index], word, length) != 0)
        return 0;
    argv[index] += length;
    *value = (uint32_t)ogv_argument(argc, argv, index, 0);
    argv[index] -= length;
    return 1;
}

static int options_read(int argc, char **argv, struct options *options)
{
    *options = (struct options){ .kernel = argc > 1 ? kernel_find(argv[1]) : kernels, .stride = 2 };
    if (!options->kernel)
        return 0;
    options->size = (uint32_t)ogv_argument(argc, argv, 2, options->kernel->smallest);
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "unchecked") == 0)
            options->unchecked = 1;
        else if (!option_read(argc, argv, i, "stride=", &options->stride) &&
                 !option_read(argc, argv, i, "blocks=", &options->blocks) &&
                 !option_read(argc, argv, i, "threads=", &options->threads) &&
                 !option_read(argc, argv, i, "flush=", &options->flush_mib))
            return 0;
    return size_fits(options->kernel, options->size) && options->threads <= BLOCK_THREADS_MAX;
}

/* ---- Cold caches ---- */

#define FLUSH_LINE    128 /* bytes that one load brings into a cache, or makes it give up */
#define FLUSH_THREADS 256

static const char *flush_from;

static void flush_run(void *bytes)
{
    size_t threads = (size_t)ogv_blocks() * FLUSH_THREADS, end = (size_t)bytes / FLUSH_LINE;
    for (size_t i = thread_index(); i < end; i += threads)
        (void)*(const volatile uint32_t *)(flush_from + i * FLUSH_LINE);
}

static void flush_launch(uint32_t mib)
{
    size_t bytes = (size_t)mib << 20;
    struct ogv_grid grid = { .blocks = (uint32_t)(bytes / FLUSH_LINE / FLUSH_THREADS / 4) + 1,
                             .threads = FLUSH_THREADS };
    ogv_launch(&grid, flush_run, (void *)bytes);
}

/* ---- A run ---- */

static struct task shared_task;

static void task_make(const struct options *options)
{
    shared_task.size = options->size;
    shared_task.stride = options->stride;
    shared_task.blocks = options->blocks;
    shared_task.threads = options->threads;
    shared_task.unchecked = options->unchecked;
    shared_task.steps = 1;
    options->kernel->make(&shared_task);
    if (options->flush_mib)
        flush_from = (const char *)ogv_reserve((size_t)options->flush_mib << 20);
}

static void task_fill(const struct task *task, const struct options *options)
{
    for (uint32_t i = 0; i < fills.count; i++)
        if (fills.of[i].steers || !options->unchecked)
            fill_launch(&fills.of[i]);
    if (task->fill)
        task->fill();
    if (options->flush_mib)
        flush_launch(options->flush_mib);
}

static void task_run(struct task *task, void (*run)(void *task))
{
    for (task->step = 0; task->step < task->steps; task->step++) {
        if (task->next)
            task->next(task);
        ogv_launch(&task->grid, run, task);
    }
}

/* In a register: a load of the table by all harts would count among those of the kernel. */
static void (*run_keep(void (*run)(void *task)))(void *task)
{
    __asm__ volatile("" : "+r"(run));
    return run;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!options_read(argc, argv, &options)) {
        if (ogv_hart() == 0)
            ogv_print("kernels takes a kernel and a size that fits it, see kernels.def\n");
        return 2;
    }
    if (ogv_hart() == 0)
        task_make(&options);
    ogv_barrier_all();
    struct task task = shared_task;
    void (*run)(void *) = run_keep(options.kernel->run);
    task_fill(&task, &options);
    uint64_t from = ogv_cycles();
    task_run(&task, run);
    uint64_t to = ogv_cycles();
    if (ogv_hart() != 0)
        return 0;
    ogv_print("kernel %s grid %u block %u cycles %lu from %lu\n", options.kernel->name,
              task.grid.blocks, task.grid.threads, (unsigned long)(to - from), (unsigned long)from);
    uint32_t wrong = options.unchecked ? 0 : options.kernel->check(&task);
    if (!options.unchecked)
        ogv_print("kernel %s size %u: %u wrong\n", options.kernel->name, options.size, wrong);
    return wrong != 0;
}
