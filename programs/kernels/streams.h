/* streams.h - kernels that read arrays once: sums, gathers, transpositions, histograms.
 *
 * Blocks and accesses are those of the CUDA kernels of the same names that an H200 was measured
 * with (docs/simt.md). Where a thread's sums are few, they are exact in any order: elements are
 * integers below 1000. */
#ifndef PROGRAMS_KERNELS_STREAMS_H
#define PROGRAMS_KERNELS_STREAMS_H

#include "task.h"

#define LINE_THREADS  256
#define REDUCE_BLOCKS 264 /* two for each of an H200's SMs */
#define BINS          256
#define TILE          32
#define TILE_ROWS     8 /* of a tile that threads of a block do at once */

/* ---- vector_add ---- */

static void vector_add_make(struct task *t)
{
    t->a = floats_fill(t->size, 1000);
    t->b = floats_fill(t->size, 1000);
    t->c = (float *)array_zero(t->size);
    grid_line(t, task_threads(t, LINE_THREADS));
}

static void vector_add(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t i = thread_index();
    if (i < t->size)
        t->c[i] = t->a[i] + t->b[i];
}

static uint32_t vector_add_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < t->size; i++)
        wrong += t->c[i] != t->a[i] + t->b[i];
    return wrong;
}

/* ---- strided_read: a warp's loads lie `stride` elements apart ---- */

static void strided_read_make(struct task *t)
{
    t->a = floats_fill(t->size * UINT64_C(8), 1000);
    t->c = (float *)array_zero(t->size);
    grid_line(t, task_threads(t, LINE_THREADS));
}

static void strided_read(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t i = thread_index();
    if (i < t->size)
        t->c[i] = t->a[i * t->stride % (t->size * UINT64_C(8))];
}

static uint32_t strided_read_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < t->size; i++)
        wrong += t->c[i] != t->a[i * t->stride % (t->size * UINT64_C(8))];
    return wrong;
}

/* ---- gather: loads at random places ---- */

#define GATHER_MOST (1u << 24) /* elements that are gathered from; fewer where all are filled */

static void gather_make(struct task *t)
{
    uint32_t most = t->size < (1u << 16) && !t->unchecked ? t->size : GATHER_MOST;
    t->a = floats_fill(most, 1000);
    t->u = words_fill(t->size, most);
    t->c = (float *)array_zero(t->size);
    grid_line(t, task_threads(t, LINE_THREADS));
}

static void gather(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t i = thread_index();
    if (i < t->size)
        t->c[i] = t->a[t->u[i]];
}

static uint32_t gather_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < t->size; i++)
        wrong += t->c[i] != t->a[t->u[i]];
    return wrong;
}

/* ---- reduce: a sum in shared memory by halves ---- */

static void grid_reduce(struct task *t, uint32_t threads)
{
    uint32_t most = t->blocks ? t->blocks : REDUCE_BLOCKS;
    grid_line(t, threads);
    if (t->grid.blocks > most || t->blocks)
        t->grid.blocks = most;
}

static void reduce_make(struct task *t)
{
    t->a = floats_fill(t->size, 1000);
    t->c = (float *)array_zero(1);
    grid_reduce(t, LINE_THREADS);
    t->grid.shared_bytes = LINE_THREADS * sizeof(float);
}

static void reduce(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float *part = (float *)ogv_block_shared(), sum = 0;
    size_t thread = ogv_block_thread(), threads = (size_t)ogv_blocks() * LINE_THREADS;
    for (size_t i = thread_index(); i < t->size; i += threads)
        sum += t->a[i];
    part[thread] = sum;
    ogv_block_barrier();
#pragma GCC unroll 8
    for (size_t half = LINE_THREADS / 2; half; half /= 2) {
        if (__builtin_expect(number_forget(thread) < half, 1)) /* in line, as on the GPU */
            part[thread] += part[thread + half];
        ogv_block_barrier();
    }
    if (number_forget(thread) == 0)
        ogv_atomic_add_float(t->c, part[0]);
}

static uint32_t reduce_check(const struct task *t)
{
    float sum = 0;
    for (size_t i = 0; i < t->size; i++)
        sum += t->a[i];
    return t->c[0] != sum;
}

/* ---- transpose, from memory to memory and through shared memory ---- */

static void transpose_plain_make(struct task *t)
{
    t->a = floats_fill((uint64_t)t->size * t->size, 1000);
    t->c = (float *)array_zero((uint64_t)t->size * t->size);
    grid_square(t, TILE, TILE, TILE * TILE_ROWS);
}

static void transpose_plain(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t thread = ogv_block_thread(), n = t->size;
    size_t x = block_x(t) * TILE + thread % TILE, y = block_y(t) * TILE + thread / TILE;
    const float *from = t->a + y * n + x;
    float *to = t->c + x * n + y;
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE; j += TILE_ROWS, from += TILE_ROWS * n)
        to[j] = *from;
}

static uint32_t transpose_plain_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t y = 0; y < t->size; y++)
        for (size_t x = 0; x < t->size; x++)
            wrong += t->c[x * t->size + y] != t->a[y * t->size + x];
    return wrong;
}

static void transpose_tiled_make(struct task *t)
{
    transpose_plain_make(t);
    t->grid.shared_bytes = TILE * (TILE + 1) * sizeof(float);
}

static void transpose_tiled(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float(*tile)[TILE + 1] = (float(*)[TILE + 1]) ogv_block_shared();
    size_t thread = ogv_block_thread(), tx = thread % TILE, ty = thread / TILE;
    size_t n = t->size, x = block_x(t) * TILE, y = block_y(t) * TILE;
    const float *from = t->a + (y + ty) * n + x + tx;
    float *to = t->c + (x + ty) * n + y + tx, values[TILE / TILE_ROWS];
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE; j += TILE_ROWS, from += TILE_ROWS * n)
        values[j / TILE_ROWS] = *from;
    loads_first();
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE; j += TILE_ROWS)
        tile[ty + j][tx] = values[j / TILE_ROWS];
    ogv_block_barrier();
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE; j += TILE_ROWS)
        values[j / TILE_ROWS] = tile[tx][ty + j];
    loads_first();
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE; j += TILE_ROWS, to += TILE_ROWS * n)
        *to = values[j / TILE_ROWS];
}

static uint32_t transpose_tiled_check(const struct task *t)
{
    return transpose_plain_check(t);
}

/* ---- histogram, by atomics in memory and in shared memory ---- */

static void histogram_make(struct task *t, uint32_t threads)
{
    t->u = words_fill(t->size, 1u << 24);
    t->v = (uint32_t *)array_zero(BINS);
    grid_reduce(t, threads);
}

static void histogram_global_make(struct task *t)
{
    histogram_make(t, task_threads(t, LINE_THREADS));
}

static void histogram_global(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t threads = (size_t)ogv_blocks() * ogv_block_dim(), size = t->size;
    const uint32_t *u = t->u;
    uint32_t *bins = t->v;
    for (size_t i = thread_index(); i < size; i += threads)
        ogv_atomic_add_u32(&bins[u[i] % BINS], 1);
}

static uint32_t histogram_global_check(const struct task *t)
{
    uint32_t *bins = (uint32_t *)array_zero(BINS), wrong = 0;
    for (size_t i = 0; i < t->size; i++)
        bins[t->u[i] % BINS]++;
    for (size_t i = 0; i < BINS; i++)
        wrong += t->v[i] != bins[i];
    return wrong;
}

static void histogram_shared_make(struct task *t)
{
    histogram_make(t, LINE_THREADS);
    t->grid.shared_bytes = BINS * sizeof(uint32_t);
}

static void histogram_shared(void *argument)
{
    const struct task *t = (const struct task *)argument;
    uint32_t *local = (uint32_t *)ogv_block_shared();
    size_t thread = ogv_block_thread(), threads = (size_t)ogv_blocks() * LINE_THREADS;
    size_t size = t->size;
    const uint32_t *u = t->u;
    local[thread] = 0;
    ogv_block_barrier();
    for (size_t i = thread_index(); i < size; i += threads)
        ogv_atomic_add_u32(&local[u[i] % BINS], 1);
    ogv_block_barrier();
    ogv_atomic_add_u32(&t->v[thread], local[thread]);
}

static uint32_t histogram_shared_check(const struct task *t)
{
    return histogram_global_check(t);
}

/* ---- scan: running sums within each block, by doubling distances ---- */

static void scan_make(struct task *t)
{
    t->u = words_fill(t->size, 1000);
    t->v = (uint32_t *)array_zero(t->size);
    grid_line(t, LINE_THREADS);
    t->grid.shared_bytes = 2 * LINE_THREADS * sizeof(uint32_t);
}

static void scan(void *argument)
{
    const struct task *t = (const struct task *)argument;
    uint32_t *from = (uint32_t *)ogv_block_shared(), *to = from + LINE_THREADS;
    size_t thread = ogv_block_thread(), i = thread_index();
    from[thread] = i < t->size ? t->u[i] : 0;
    for (size_t distance = 1; distance < LINE_THREADS; distance *= 2) {
        uint32_t *swap = from;
        ogv_block_barrier();
        to[thread] = from[thread] + (thread >= distance ? from[thread - distance] : 0);
        from = to;
        to = swap;
    }
    if (i < t->size)
        t->v[i] = from[thread];
}

static uint32_t scan_check(const struct task *t)
{
    uint32_t wrong = 0, sum = 0;
    for (size_t i = 0; i < t->size; i++) {
        sum = (i % LINE_THREADS ? sum : 0) + t->u[i];
        wrong += t->v[i] != sum;
    }
    return wrong;
}

/* ---- bitonic: sorts 1024 elements in each block ---- */

#define BITONIC 1024

static void bitonic_make(struct task *t)
{
    t->u = words_fill(t->size * UINT64_C(1024), 1u << 24);
    t->grid = (struct ogv_grid){ .blocks = t->size,
                                 .threads = BITONIC,
                                 .shared_bytes = BITONIC * sizeof(uint32_t) };
}

/* Pairs of runs become runs of k. Of two partners the one without the bit j works for both. */
static inline __attribute__((always_inline)) void bitonic_merge(uint32_t *own, size_t thread,
                                                                size_t k)
{
#pragma GCC unroll 10
    for (size_t j = k / 2; j; j /= 2) {
        ogv_block_barrier();
        if (thread & j)
            continue;
        uint32_t x = own[0], y = own[j];
        if ((x > y) != ((thread & k) != 0)) {
            own[0] = y;
            own[j] = x;
        }
    }
}

/* The compiler for the GPU unrolls all of it. */
static void bitonic(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t thread = ogv_block_thread(), i = thread_index();
    uint32_t *own = (uint32_t *)ogv_block_shared() + thread;
    *own = t->u[i];
    bitonic_merge(own, thread, 2);
    bitonic_merge(own, thread, 4);
    bitonic_merge(own, thread, 8);
    bitonic_merge(own, thread, 16);
    bitonic_merge(own, thread, 32);
    bitonic_merge(own, thread, 64);
    bitonic_merge(own, thread, 128);
    bitonic_merge(own, thread, 256);
    bitonic_merge(own, thread, 512);
    bitonic_merge(own, thread, BITONIC);
    ogv_block_barrier();
    t->u[i] = *own;
}

/* Ascending, and of the same numbers: their sum and the sum of their squares say so. */
static uint32_t bitonic_check(const struct task *t)
{
    uint32_t wrong = 0, state = FILL_SEED;
    for (size_t block = 0; block < t->size; block++) {
        uint64_t sum = 0, squares = 0;
        for (size_t i = 0; i < BITONIC; i++) {
            uint64_t number = t->u[block * BITONIC + i], right;
            state = lcg_next(state);
            right = state >> 8;
            sum += right - number;
            squares += right * right - number * number;
            wrong += i > 0 && t->u[block * BITONIC + i - 1] > number;
        }
        wrong += sum != 0 || squares != 0;
    }
    return wrong;
}

#endif
