/* waves.h - kernels of many short launches, each of which needs what the one before has made: LU
 * decomposition, alignment of sequences, cheapest paths. Shapes are those of Rodinia's lud, nw and
 * pathfinder (Che et al., IISWC 2009), at sizes of a test. */
#ifndef PROGRAMS_KERNELS_WAVES_H
#define PROGRAMS_KERNELS_WAVES_H

#include <math.h>

#include "task.h"

#define WAVE_SIDE 16

typedef float lud_row[WAVE_SIDE];

/* ---- lud: block by block along the diagonal, three launches each ---- */

static void lud_grid(struct task *t)
{
    uint32_t left = t->size / WAVE_SIDE - t->step / 3 - 1, phase = t->step % 3;
    t->grid.blocks = phase == 0 ? 1 : phase == 1 ? left : left * left;
    t->grid.threads = phase == 0 ? WAVE_SIDE : phase == 1 ? 2 * WAVE_SIDE : WAVE_SIDE * WAVE_SIDE;
    t->grid.shared_bytes = 3 * WAVE_SIDE * sizeof(lud_row);
    t->stride = left;
}

static void lud_make(struct task *t)
{
    uint64_t count = (uint64_t)t->size * t->size;
    t->a = floats_fill(count, 100);
    diagonal_fill(t->a, t->size, t->size * 100);
    t->b = floats_fill(count, 100);
    diagonal_fill(t->b, t->size, t->size * 100);
    t->steps = 3 * (t->size / WAVE_SIDE) - 2;
    t->next = lud_grid;
}

static inline void lud_diagonal(const struct task *t, float *corner)
{
    lud_row *s = (lud_row *)ogv_block_shared();
    size_t x = ogv_block_thread(), n = t->size;
#pragma GCC unroll 16
    for (size_t y = 0; y < WAVE_SIDE; y++)
        s[y][x] = corner[y * n + x];
    ogv_block_barrier();
    for (size_t i = 0; i + 1 < WAVE_SIDE; i++) {
        if (x > i) {
            for (size_t j = 0; j < i; j++)
                s[x][i] = fmaf(-s[x][j], s[j][i], s[x][i]);
            s[x][i] /= s[i][i];
        }
        ogv_block_barrier();
        if (x > i)
            for (size_t j = 0; j <= i; j++)
                s[i + 1][x] = fmaf(-s[i + 1][j], s[j][x], s[i + 1][x]);
        ogv_block_barrier();
    }
#pragma GCC unroll 16
    for (size_t y = 1; y < WAVE_SIDE; y++)
        corner[y * n + x] = s[y][x];
}

/* Half of the threads do a block to the right of the diagonal one, the others one below it. */
static inline void lud_right(lud_row *diagonal, lud_row *row, size_t x)
{
#pragma GCC unroll 15
    for (size_t i = 1; i < WAVE_SIDE; i++)
#pragma GCC unroll 15
        for (size_t j = 0; j < i; j++)
            row[i][x] = fmaf(-diagonal[i][j], row[j][x], row[i][x]);
}

static inline void lud_below(lud_row *diagonal, lud_row *column, size_t y)
{
#pragma GCC unroll 16
    for (size_t i = 0; i < WAVE_SIDE; i++) {
#pragma GCC unroll 15
        for (size_t j = 0; j < i; j++)
            column[y][i] = fmaf(-column[y][j], diagonal[j][i], column[y][i]);
        column[y][i] /= diagonal[i][i];
    }
}

static inline void lud_perimeter(const struct task *t, float *corner)
{
    lud_row *diagonal = (lud_row *)ogv_block_shared(), *row = diagonal + WAVE_SIDE;
    lud_row *column = row + WAVE_SIDE;
    size_t x = ogv_block_thread() % WAVE_SIDE, below = ogv_block_thread() / WAVE_SIDE, n = t->size;
    float *right = corner + (ogv_block() + (size_t)1) * WAVE_SIDE;
    float *down = corner + (ogv_block() + (size_t)1) * WAVE_SIDE * n;
    for (size_t y = below; y < WAVE_SIDE; y += 2) {
        diagonal[y][x] = corner[y * n + x];
        row[y][x] = right[y * n + x];
        column[y][x] = down[y * n + x];
    }
    ogv_block_barrier();
    if (below)
        lud_below(diagonal, column, x);
    else
        lud_right(diagonal, row, x);
    ogv_block_barrier();
    for (size_t y = below; y < WAVE_SIDE; y += 2) {
        right[y * n + x] = row[y][x];
        down[y * n + x] = column[y][x];
    }
}

static inline void lud_internal(const struct task *t, float *corner)
{
    lud_row *row = (lud_row *)ogv_block_shared(), *column = row + WAVE_SIDE;
    size_t x = ogv_block_thread() % WAVE_SIDE, y = ogv_block_thread() / WAVE_SIDE, n = t->size;
    size_t right = (ogv_block() % t->stride + (size_t)1) * WAVE_SIDE;
    size_t down = (ogv_block() / t->stride + (size_t)1) * WAVE_SIDE;
    float sum = 0;
    row[y][x] = corner[y * n + right + x];
    column[y][x] = corner[(down + y) * n + x];
    ogv_block_barrier();
#pragma GCC unroll 16
    for (size_t i = 0; i < WAVE_SIDE; i++)
        sum = fmaf(column[y][i], row[i][x], sum);
    corner[(down + y) * n + right + x] -= sum;
}

static void lud(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float *corner = t->a + (size_t)(t->step / 3) * WAVE_SIDE * (t->size + (size_t)1);
    if (t->step % 3 == 0)
        lud_diagonal(t, corner);
    else if (t->step % 3 == 1)
        lud_perimeter(t, corner);
    else
        lud_internal(t, corner);
}

/* An element of L or U as blocks work it out: less a sum for each block that came before, then less
 * product after product. */
static float lud_element(const float *d, size_t n, size_t y, size_t x, float value)
{
    size_t least = y < x ? y : x, k = 0;
    while (k + WAVE_SIDE <= least) {
        float sum = 0;
        for (size_t end = k + WAVE_SIDE; k < end; k++)
            sum = fmaf(d[y * n + k], d[k * n + x], sum);
        value -= sum;
    }
    for (; k < least; k++)
        value = fmaf(-d[y * n + k], d[k * n + x], value);
    return y > x ? value / d[x * n + x] : value;
}

static uint32_t lud_check(const struct task *t)
{
    size_t n = t->size;
    float *d = (float *)array_zero(n * n);
    uint32_t wrong = 0;
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            d[y * n + x] = lud_element(d, n, y, x, t->b[y * n + x]);
            wrong += t->a[y * n + x] != d[y * n + x];
        }
    return wrong;
}

/* ---- needle: scores of an alignment, in blocks along the diagonals of a table ---- */

#define NEEDLE_PENALTY 10
#define NEEDLE_MOST    21 /* similarities are -10 to 10 */

typedef int32_t needle_row[WAVE_SIDE + 1];

static void needle_grid(struct task *t)
{
    uint32_t across = t->size / WAVE_SIDE, step = t->step;
    t->grid = (struct ogv_grid){ .blocks = step < across ? step + 1 : 2 * across - 1 - step,
                                 .threads = WAVE_SIDE,
                                 .shared_bytes = (WAVE_SIDE + 1) * sizeof(needle_row) };
    t->stride = step < across ? 0 : step - across + 1;
}

static void needle_make(struct task *t)
{
    uint64_t count = (uint64_t)t->size * t->size;
    t->u = words_fill(count, NEEDLE_MOST);
    t->level = (int32_t *)array_zero(count);
    t->steps = 2 * (t->size / WAVE_SIDE) - 1;
    t->next = needle_grid;
}

/* Beside and above the table stand the scores of gaps alone. */
static inline int32_t needle_score(const int32_t *scores, int64_t n, int64_t x, int64_t y)
{
    if (x < 0 || y < 0)
        return (int32_t)(x < 0 ? y + 1 : x + 1) * -NEEDLE_PENALTY;
    return scores[y * n + x];
}

static inline int32_t needle_best(int32_t before, int32_t left, int32_t up, uint32_t similarity)
{
    int32_t best = before + (int32_t)similarity - 10;
    best = left - NEEDLE_PENALTY > best ? left - NEEDLE_PENALTY : best;
    return up - NEEDLE_PENALTY > best ? up - NEEDLE_PENALTY : best;
}

/* A block, along its own diagonals: thread x does column x. */
static void needle(void *argument)
{
    const struct task *t = (const struct task *)argument;
    needle_row *s = (needle_row *)ogv_block_shared();
    int64_t n = t->size, x = ogv_block_thread(), column = (int64_t)ogv_block() + t->stride;
    int64_t left = column * WAVE_SIDE, top = (t->step - column) * WAVE_SIDE;
    s[0][x + 1] = needle_score(t->level, n, left + x, top - 1);
    s[x + 1][0] = needle_score(t->level, n, left - 1, top + x);
    if (x == 0)
        s[0][0] = left || top ? needle_score(t->level, n, left - 1, top - 1) : 0;
    ogv_block_barrier();
    for (int64_t wave = 0; wave < 2 * WAVE_SIDE - 1; wave++) {
        int64_t y = wave - x;
        if (y >= 0 && y < WAVE_SIDE)
            s[y + 1][x + 1] =
                needle_best(s[y][x], s[y + 1][x], s[y][x + 1], t->u[(top + y) * n + left + x]);
        ogv_block_barrier();
    }
    for (int64_t y = 0; y < WAVE_SIDE; y++)
        t->level[(top + y) * n + left + x] = s[y + 1][x + 1];
}

static uint32_t needle_check(const struct task *t)
{
    uint32_t wrong = 0;
    int64_t n = t->size;
    int32_t *scores = (int32_t *)array_zero((uint64_t)(n * n));
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            int32_t before = x || y ? needle_score(scores, n, x - 1, y - 1) : 0;
            scores[y * n + x] = needle_best(before, needle_score(scores, n, x - 1, y),
                                            needle_score(scores, n, x, y - 1), t->u[y * n + x]);
            wrong += t->level[y * n + x] != scores[y * n + x];
        }
    return wrong;
}

/* ---- pathfinder: cheapest ways down a wall, some rows of it in shared memory at a time ---- */

#define PATH_THREADS 256
#define PATH_ROWS    4 /* of a launch; a block's result is that much smaller on both sides */
#define PATH_STEPS   4
#define PATH_BACK    (PATH_THREADS - 2 * PATH_ROWS)
#define PATH_FAR     (1u << 20)

static void pathfinder_make(struct task *t)
{
    t->u = words_fill((uint64_t)t->size * (PATH_ROWS * PATH_STEPS + 1), 10);
    t->v = (uint32_t *)array_zero(t->size * UINT64_C(2));
    grid_line(t, PATH_BACK);
    t->grid.threads = PATH_THREADS;
    t->grid.shared_bytes = 2 * (PATH_THREADS + 2) * sizeof(uint32_t);
    t->steps = PATH_STEPS;
}

static inline uint32_t path_least(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Both rows in shared memory have an element more on each side, which is far. */
static void pathfinder(void *argument)
{
    const struct task *t = (const struct task *)argument;
    uint32_t *from = (uint32_t *)ogv_block_shared(), *to = from + PATH_THREADS + 2;
    const uint32_t *source = t->step == 0 ? t->u : t->v + (t->step - 1) % 2 * t->size;
    int64_t thread = ogv_block_thread(), n = t->size;
    int64_t x = (int64_t)ogv_block() * PATH_BACK + thread - PATH_ROWS;
    int inside = x >= 0 && x < n;
    if (thread < 2)
        from[thread * (PATH_THREADS + 1)] = to[thread * (PATH_THREADS + 1)] = PATH_FAR;
    from[thread + 1] = inside ? source[x] : PATH_FAR;
    for (int64_t row = 1; row <= PATH_ROWS; row++) {
        uint32_t *swap = from;
        ogv_block_barrier();
        uint32_t least = path_least(from[thread], from[thread + 1], from[thread + 2]);
        to[thread + 1] = inside ? least + t->u[(t->step * PATH_ROWS + row) * n + x] : PATH_FAR;
        from = to;
        to = swap;
    }
    if (inside && thread >= PATH_ROWS && thread < PATH_THREADS - PATH_ROWS)
        t->v[t->step % 2 * n + x] = from[thread + 1];
}

static uint32_t pathfinder_check(const struct task *t)
{
    size_t n = t->size;
    uint32_t *rows = (uint32_t *)array_zero(2 * n), *from = rows, *to = rows + n, wrong = 0;
    for (size_t x = 0; x < n; x++)
        from[x] = t->u[x];
    for (size_t row = 1; row <= PATH_ROWS * PATH_STEPS; row++) {
        uint32_t *swap = from;
        for (size_t x = 0; x < n; x++)
            to[x] = path_least(x ? from[x - 1] : PATH_FAR, from[x],
                               x + 1 < n ? from[x + 1] : PATH_FAR) +
                    t->u[row * n + x];
        from = to;
        to = swap;
    }
    for (size_t x = 0; x < n; x++)
        wrong += t->v[(PATH_STEPS - 1) % 2 * n + x] != from[x];
    return wrong;
}

#endif
