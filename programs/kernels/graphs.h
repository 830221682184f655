/* graphs.h - kernels whose accesses follow data: sparse matrices, levels of a graph, shortest
 * paths.
 *
 * The rows of a sparse matrix come from one sequence of numbers, in which a row's length says where
 * the next row begins. To fill it by all harts, the sequence is cut into chunks: for each of the
 * few places where a chunk's first row may begin, it is worked out how many rows and columns the
 * chunk has and where the next chunk's first row begins; then one thread goes through the chunks,
 * and all fill the rows. */
#ifndef PROGRAMS_KERNELS_GRAPHS_H
#define PROGRAMS_KERNELS_GRAPHS_H

#include "task.h"

#define ROW_MOST      31  /* columns of a row, at most */
#define ROW_SEED      7   /* as the CUDA program has it */
#define ROW_MEAN      17  /* numbers of a row, its length among them, on average */
#define CHUNK         512 /* numbers of the sequence */
#define CHUNK_PLACES  32  /* of these, the first row begins with one of the first ones */

#define GRAPH_THREADS 128

/* What a chunk has, if its first row begins at a certain place; and what lies before it. */
struct chunk_part {
    uint32_t rows, next;
};
struct chunk {
    struct chunk_part parts[CHUNK_PLACES];
    uint32_t first, rows_before;
};

struct sparse {
    struct chunk *chunks;
    uint32_t count, rows;
    int32_t *start, *column;
};
static struct sparse sparse;

static inline void chunks_look(void *argument)
{
    size_t chunk = ogv_block(), place = ogv_block_thread();
    uint32_t state = lcg_after(ROW_SEED, chunk * CHUNK + place), at = (uint32_t)place, rows = 0;
    (void)argument;
    for (; at < CHUNK; rows++) {
        state = lcg_next(state);
        uint32_t columns = 1 + (state >> 8) % ROW_MOST;
        state = lcg_after(state, columns);
        at += 1 + columns;
    }
    sparse.chunks[chunk].parts[place] = (struct chunk_part){ rows, at - CHUNK };
}

/* One thread does it. */
static inline void chunks_connect(void *argument)
{
    uint32_t rows = 0, first = 0;
    (void)argument;
    for (uint32_t i = 0; i < sparse.count; i++) {
        struct chunk *chunk = &sparse.chunks[i];
        chunk->first = first;
        chunk->rows_before = rows;
        rows += chunk->parts[first].rows;
        first = chunk->parts[first].next;
    }
}

/* Every row before has given one number to its length, the others are columns. */
static inline void chunks_fill(void *argument)
{
    size_t index = thread_index();
    (void)argument;
    if (index >= sparse.count)
        return;
    const struct chunk *chunk = &sparse.chunks[index];
    uint32_t at = chunk->first, row = chunk->rows_before;
    uint32_t state = lcg_after(ROW_SEED, index * CHUNK + at);
    for (; at < CHUNK && row <= sparse.rows; row++) {
        uint32_t start = (uint32_t)index * CHUNK + at - row;
        sparse.start[row] = (int32_t)start;
        if (row == sparse.rows)
            return;
        state = lcg_next(state);
        uint32_t columns = 1 + (state >> 8) % ROW_MOST;
        for (uint32_t i = 0; i < columns; i++) {
            state = lcg_next(state);
            sparse.column[start + i] = (int32_t)((state >> 8) % sparse.rows);
        }
        at += 1 + columns;
    }
}

/* All harts call it. */
static void sparse_fill(void)
{
    struct ogv_grid look = { .blocks = sparse.count, .threads = CHUNK_PLACES };
    struct ogv_grid connect = { .blocks = 1, .threads = 1 };
    struct ogv_grid fill = { .blocks = sparse.count / 32 + 1, .threads = 32 };
    ogv_launch(&look, chunks_look, NULL);
    ogv_launch(&connect, chunks_connect, NULL);
    ogv_launch(&fill, chunks_fill, NULL);
}

/* A quarter more of the sequence than rows take on average: they never take so much. */
static void sparse_make(struct task *t)
{
    uint64_t numbers = ((uint64_t)t->size + 64) * ROW_MEAN * 5 / 4;
    sparse.count = (uint32_t)(numbers / CHUNK + 1);
    sparse.rows = t->size;
    sparse.chunks = (struct chunk *)ogv_reserve(sparse.count * sizeof(struct chunk));
    sparse.start = t->start = (int32_t *)array_zero(t->size + UINT64_C(1));
    sparse.column = t->column = (int32_t *)array_zero(numbers);
    grid_line(t, task_threads(t, GRAPH_THREADS));
    t->fill = sparse_fill;
}

/* The same rows one after another, in plain order. */
static uint32_t sparse_check(const struct task *t)
{
    uint32_t state = ROW_SEED, at = 0, wrong = 0;
    for (size_t row = 0; row < t->size; row++) {
        wrong += t->start[row] != (int32_t)at;
        state = lcg_next(state);
        uint32_t columns = 1 + (state >> 8) % ROW_MOST;
        for (uint32_t i = 0; i < columns; i++, at++) {
            state = lcg_next(state);
            wrong += t->column[at] != (int32_t)((state >> 8) % t->size);
        }
    }
    return wrong + (t->start[t->size] != (int32_t)at);
}

/* ---- spmv: a sparse matrix times a vector, each thread a row ---- */

static void spmv_make(struct task *t)
{
    sparse_make(t);
    t->a = floats_fill(t->size * UINT64_C(32), 10);
    t->b = floats_fill(t->size, 10);
    t->c = (float *)array_zero(t->size);
}

/* A row from here on; `left` elements of it. */
struct spmv_part {
    const int32_t *column;
    const float *value;
    int32_t left;
    float sum;
};

/* So many of them, loads first. */
static inline __attribute__((always_inline)) void spmv_add(struct spmv_part *part, const float *x,
                                                           size_t count)
{
    float left[16], right[16];
    int32_t columns[16];
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++) {
        columns[i] = part->column[i];
        left[i] = part->value[i];
    }
    loads_first();
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++)
        right[i] = x[columns[i]];
    loads_first();
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++)
        part->sum = __builtin_fmaf(left[i], right[i], part->sum);
    part->column += count;
    part->value += count;
    part->left -= (int32_t)count;
}

/* As the compiler for the GPU unrolls it: until the rest is a multiple of four one by one, then 16,
 * 8 and 4 at a time. */
static inline float spmv_row(const struct task *t, size_t row)
{
    int32_t start = t->start[row];
    struct spmv_part part = { t->column + start, t->a + start, t->start[row + 1] - start, 0 };
    const float *x = t->b;
    for (int32_t rest = part.left % 4; rest > 0; rest--)
        spmv_add(&part, x, 1);
    while (part.left > 12)
        spmv_add(&part, x, 16);
    if (part.left > 4)
        spmv_add(&part, x, 8);
    if (part.left > 0)
        spmv_add(&part, x, 4);
    return part.sum;
}

static void spmv(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t row = thread_index();
    if (row < t->size)
        t->c[row] = spmv_row(t, row);
}

static uint32_t spmv_check(const struct task *t)
{
    uint32_t wrong = sparse_check(t);
    for (size_t row = 0; row < t->size; row++)
        wrong += t->c[row] != spmv_row(t, row);
    return wrong;
}

/* ---- pagerank: ranks are integers, so that sums are the same in any order ---- */

#define PAGERANK_STEPS 3
#define PAGERANK_WHOLE (1u << 20)

static void pagerank_make(struct task *t)
{
    sparse_make(t);
    t->u = words_fill(t->size, PAGERANK_WHOLE);
    t->v = (uint32_t *)array_zero(t->size);
    t->steps = PAGERANK_STEPS;
}

/* Each page has what the pages that it names pass on: their rank by their number of links. */
static inline uint32_t pagerank_page(const struct task *t, const uint32_t *ranks, size_t page)
{
    uint32_t sum = 0;
    for (int64_t k = t->start[page]; k < t->start[page + 1]; k++) {
        size_t other = (size_t)t->column[k];
        sum += ranks[other] / (uint32_t)(t->start[other + 1] - t->start[other]);
    }
    return PAGERANK_WHOLE * 3 / 20 + sum / 20 * 17;
}

static void pagerank(void *argument)
{
    const struct task *t = (const struct task *)argument;
    const uint32_t *from = t->step % 2 ? t->v : t->u;
    uint32_t *to = t->step % 2 ? t->u : t->v;
    size_t page = thread_index();
    if (page < t->size)
        to[page] = pagerank_page(t, from, page);
}

/* The last step leaves its ranks in v, and those of the one before in u. */
static uint32_t pagerank_check(const struct task *t)
{
    uint32_t *ranks[2] = { (uint32_t *)array_zero(t->size), (uint32_t *)array_zero(t->size) };
    uint32_t wrong = 0, state = FILL_SEED;
    for (size_t page = 0; page < t->size; page++) {
        state = lcg_next(state);
        ranks[0][page] = (state >> 8) % PAGERANK_WHOLE;
    }
    for (uint32_t step = 0; step < PAGERANK_STEPS; step++)
        for (size_t page = 0; page < t->size; page++)
            ranks[(step + 1) % 2][page] = pagerank_page(t, ranks[step % 2], page);
    for (size_t page = 0; page < t->size; page++)
        wrong += t->v[page] != ranks[PAGERANK_STEPS % 2][page];
    return wrong;
}

/* ---- bfs_level: from the nodes of one level of a graph to the next ---- */

#define BFS_NOW   3
#define BFS_APART 16 /* nodes of this level are so far apart */

static void bfs_level_make(struct task *t)
{
    sparse_make(t);
    t->level = (int32_t *)words_fill(t->size, 1);
    fills.of[0].base = (uint32_t)-1;
    fills.of[fills.count++] =
        (struct fill){ t->level, t->size / BFS_APART, BFS_APART, BFS_NOW, 1, FILL_WORD, 1 };
    t->u = (uint32_t *)array_zero(1);
}

/* Threads that find the same node write the same number. The compiler for the GPU looks up anew
 * where a node's edges end if something was written, which might have been that. */
static void bfs_level(void *argument)
{
    const struct task *t = (const struct task *)argument;
    int32_t *levels = t->level, *changed = (int32_t *)t->u;
    size_t node = thread_index();
    if (node >= t->size || word_get(&levels[node]) != BFS_NOW)
        return;
    const int32_t *start = t->start + node;
    const int32_t *column = t->column + start[0];
    for (int32_t k = start[0], end = start[1]; k < end; k++) {
        int32_t *level = &levels[*column++];
        if (word_get(level) < 0) {
            word_put(level, BFS_NOW + 1);
            word_put(changed, 1);
            end = word_get(&start[1]);
        }
    }
}

static uint32_t bfs_level_check(const struct task *t)
{
    int32_t *level = (int32_t *)array_zero(t->size);
    uint32_t wrong = sparse_check(t);
    for (size_t node = 0; node < t->size; node++)
        level[node] = node % BFS_APART ? -1 : BFS_NOW;
    for (size_t node = 0; node < t->size; node += BFS_APART)
        for (int32_t k = t->start[node]; k < t->start[node + 1]; k++)
            if (level[t->column[k]] < 0)
                level[t->column[k]] = BFS_NOW + 1;
    for (size_t node = 0; node < t->size; node++)
        wrong += t->level[node] != level[node];
    return wrong + (t->u[0] != 1);
}

/* ---- floyd: all shortest paths, a launch for each node on the way; floyd_step: one of them ----
 */

#define FLOYD_SIDE 16

static void floyd_step_make(struct task *t)
{
    t->u = words_fill((uint64_t)t->size * t->size, 1u << 24);
    grid_square(t, FLOYD_SIDE, FLOYD_SIDE, FLOYD_SIDE * FLOYD_SIDE);
    t->stride = t->size / 3;
}

static inline void floyd_through(const struct task *t, size_t k)
{
    size_t thread = ogv_block_thread(), n = t->size;
    size_t x = block_x(t) * FLOYD_SIDE + thread % FLOYD_SIDE;
    size_t y = block_y(t) * FLOYD_SIDE + thread / FLOYD_SIDE;
    uint32_t to = t->u[y * n + k], from = t->u[k * n + x], *path = &t->u[y * n + x], now = *path;
    loads_first();
    if (to + from < now)
        *path = to + from;
}

static void floyd_step(void *argument)
{
    const struct task *t = (const struct task *)argument;
    floyd_through(t, t->stride);
}

static uint32_t floyd_steps_check(const struct task *t, size_t first, size_t steps)
{
    size_t n = t->size;
    uint32_t *d = (uint32_t *)array_zero(n * n), wrong = 0, state = FILL_SEED;
    for (size_t i = 0; i < n * n; i++) {
        state = lcg_next(state);
        d[i] = state >> 8;
    }
    for (size_t k = first; k < first + steps; k++)
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++)
                if (d[y * n + k] + d[k * n + x] < d[y * n + x])
                    d[y * n + x] = d[y * n + k] + d[k * n + x];
    for (size_t i = 0; i < n * n; i++)
        wrong += t->u[i] != d[i];
    return wrong;
}

static uint32_t floyd_step_check(const struct task *t)
{
    return floyd_steps_check(t, t->size / 3, 1);
}

static void floyd_make(struct task *t)
{
    floyd_step_make(t);
    t->steps = t->size;
}

static void floyd(void *argument)
{
    const struct task *t = (const struct task *)argument;
    floyd_through(t, t->step);
}

static uint32_t floyd_check(const struct task *t)
{
    return floyd_steps_check(t, 0, t->size);
}

#endif
