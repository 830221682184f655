/* task.h - what the kernels of programs/kernels.c work on.
 *
 * A task is one program: arrays, a grid, and one launch or several. Every hart keeps a copy of it
 * in its private memory, for that is where a kernel's parameters are cheap to read: a GPU has them
 * in a constant cache, and loads of theirs would count among those of the kernel.
 *
 * Arrays are filled by all harts, each element with the number that a linear congruential generator
 * reaches after so many steps; so a large array takes no longer than the launch that reads it. A
 * task that is only measured leaves out what no branch and no address depends on: memory that was
 * never touched takes the same time, and it is in no cache yet. */
#ifndef PROGRAMS_KERNELS_TASK_H
#define PROGRAMS_KERNELS_TASK_H

#include <ogive/device.h>

#define FILLS_MAX    6
#define FILL_THREADS 256
#define FILL_EACH    8 /* elements that a thread fills, in large arrays */
#define FILL_SEED    12345

struct task {
    uint32_t size, stride;    /* arguments */
    uint32_t blocks, threads; /* the same; 0: as the kernel likes */
    uint32_t unchecked;
    uint32_t steps, step; /* launches in a row, and which of them this is */
    uint32_t across;      /* of grids with two dimensions: blocks side by side */
    uint64_t across_part; /* 2^32 by that, rounded up */
    struct ogv_grid grid;
    void (*next)(struct task *task); /* sets the grid of a step, if steps differ */
    void (*fill)(void);              /* fills what is no plain array; all harts call it */
    float *a, *b, *c;
    uint32_t *u, *v;
    int32_t *start, *column, *level;
};

/* ---- Where a thread is ---- */

static inline size_t thread_index(void)
{
    return (size_t)ogv_block() * ogv_block_dim() + ogv_block_thread();
}

/* A GPU has both numbers in registers; a multiplication stands for the division. It is exact while
 * there are fewer than 2^32 / across blocks. */
static inline size_t block_y(const struct task *t)
{
    return (size_t)(ogv_block() * t->across_part >> 32);
}

static inline size_t block_x(const struct task *t)
{
    return ogv_block() - block_y(t) * t->across;
}

static inline void grid_plane(struct task *t, uint32_t across, uint32_t down, uint32_t threads)
{
    t->across = across;
    t->across_part = ((UINT64_C(1) << 32) + across - 1) / across;
    t->grid.blocks = across * down;
    t->grid.threads = threads;
}

/* A grid of size / width x size / height blocks. */
static inline void grid_square(struct task *t, uint32_t width, uint32_t height, uint32_t threads)
{
    grid_plane(t, t->size / width, t->size / height, threads);
}

/* Of a block of a kernel that goes with any number. */
static inline uint32_t task_threads(const struct task *t, uint32_t otherwise)
{
    return t->threads ? t->threads : otherwise;
}

static inline void grid_line(struct task *t, uint32_t threads)
{
    t->grid.blocks = (t->size + threads - 1) / threads;
    t->grid.threads = threads;
}

/* ---- Order of instructions ---- */

/* Loads before it stay there: compilers for CPUs put each where it is needed, those for GPUs as
 * many as possible first, for a warp to wait once. */
static inline void loads_first(void)
{
    __asm__ volatile("" ::: "memory");
}

/* A pointer of its own in a register, from which elements are reached by constant distances. */
static inline float *base_keep(float *base)
{
    __asm__("" : "+r"(base));
    return base;
}

/* A number of which the compiler knows nothing more. Compilers for CPUs lead whoever was told no
 * past the next questions that get the same answer, with copies of all barriers on the way; those
 * for GPUs never copy a barrier, for threads of a warp would come apart there. */
static inline size_t number_forget(size_t number)
{
    __asm__("" : "+r"(number));
    return number;
}

/* ---- Words that threads write without an order among them ---- */

#ifdef OGIVE_DEVICE

/* A plain store, as on a GPU: compilers for RISC-V make an atomic exchange of an atomic store. */
static inline void word_put(int32_t *word, int32_t value)
{
    *(volatile int32_t *)word = value;
}

#else

static inline void word_put(int32_t *word, int32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

#endif

static inline int32_t word_get(const int32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* ---- Numbers that arrays are filled with ---- */

struct lcg {
    uint32_t multiplier, increment;
};

static const struct lcg lcg_step = { 1664525u, 1013904223u };

static inline uint32_t lcg_next(uint32_t state)
{
    return state * lcg_step.multiplier + lcg_step.increment;
}

/* As one step what takes `count` of them. */
static inline struct lcg lcg_steps(uint64_t count)
{
    struct lcg all = { 1, 0 }, power = lcg_step;
    for (; count; count >>= 1) {
        if (count & 1) {
            all.multiplier *= power.multiplier;
            all.increment = all.increment * power.multiplier + power.increment;
        }
        power.increment = (power.multiplier + 1) * power.increment;
        power.multiplier *= power.multiplier;
    }
    return all;
}

static inline uint32_t lcg_after(uint32_t state, uint64_t count)
{
    struct lcg steps = lcg_steps(count);
    return state * steps.multiplier + steps.increment;
}

/* ---- Filling ---- */

enum fill_type { FILL_FLOAT, FILL_WORD };

/* at[i * apart] = base + (number i of the generator) % most. */
struct fill {
    void *at;
    uint64_t count, apart;
    uint32_t base, most;
    enum fill_type type;
    uint32_t steers; /* a branch or an address depends on it */
};

struct fills {
    struct fill of[FILLS_MAX];
    uint32_t count;
};
static struct fills fills;

static inline void fill_element(const struct fill *fill, uint64_t i, uint32_t state)
{
    uint32_t number = fill->base + (state >> 8) % fill->most;
    if (fill->type == FILL_FLOAT)
        ((float *)fill->at)[i * fill->apart] = (float)number;
    else
        ((uint32_t *)fill->at)[i * fill->apart] = number;
}

static void fill_run(void *argument)
{
    const struct fill *fill = (const struct fill *)argument;
    uint64_t threads = (uint64_t)ogv_blocks() * FILL_THREADS, i = thread_index();
    uint32_t state = lcg_after(FILL_SEED, i + 1);
    struct lcg all = lcg_steps(threads);
    for (; i < fill->count; i += threads) {
        fill_element(fill, i, state);
        state = state * all.multiplier + all.increment;
    }
}

/* All harts call it. */
static inline void fill_launch(struct fill *fill)
{
    uint64_t blocks = fill->count / (FILL_THREADS * FILL_EACH) + 1;
    struct ogv_grid grid = { .blocks = (uint32_t)blocks, .threads = FILL_THREADS };
    ogv_launch(&grid, fill_run, fill);
}

/* The lists below are called by one hart, before the arrays are filled. Memory that cannot be had
 * is a null pointer, which faults where it is touched. */
static inline void *array_fill(uint64_t count, uint32_t most, enum fill_type type)
{
    struct fill *fill = &fills.of[fills.count++];
    *fill = (struct fill){ ogv_reserve(count * 4), count, 1, 0, most, type, type == FILL_WORD };
    return fill->at;
}

static inline float *floats_fill(uint64_t count, uint32_t most)
{
    return (float *)array_fill(count, most, FILL_FLOAT);
}

static inline uint32_t *words_fill(uint64_t count, uint32_t most)
{
    return (uint32_t *)array_fill(count, most, FILL_WORD);
}

/* The elements of an array that lie on a diagonal of its matrix are large. */
static inline void diagonal_fill(float *matrix, uint32_t rows, uint32_t base)
{
    fills.of[fills.count++] =
        (struct fill){ matrix, rows, rows + UINT64_C(1), base, 1000, FILL_FLOAT, 0 };
}

static inline void *array_zero(uint64_t count)
{
    return ogv_reserve(count * 4);
}

#endif
