/* dense.h - kernels that compute more than they read: products of matrices, forces, distances.
 *
 * The CUDA kernels fuse multiplications and additions, and so do these (fmaf). Where loops are
 * unrolled, loads come first, as the compiler for the GPU has them: a warp waits for the first of
 * them and not for each. */
#ifndef PROGRAMS_KERNELS_DENSE_H
#define PROGRAMS_KERNELS_DENSE_H

#include <math.h>

#include "task.h"

#define SIDE         16 /* of the square blocks of threads below */
#define TILED_UNROLL 8

/* ---- matmul, each thread an element: from memory, and tiles through shared memory ---- */

static void matmul_plain_make(struct task *t)
{
    uint64_t count = (uint64_t)t->size * t->size;
    t->a = floats_fill(count, 1000);
    t->b = floats_fill(count, 1000);
    t->c = (float *)array_zero(count);
    grid_square(t, SIDE, SIDE, SIDE * SIDE);
}

/* So many elements of a row and a column, loads first. */
static inline __attribute__((always_inline)) float
row_multiply(const float *row, const float *column, size_t n, size_t count, float sum)
{
    float left[16], right[16];
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++, column += n) {
        left[i] = row[i];
        right[i] = *column;
    }
    loads_first();
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++)
        sum = fmaf(left[i], right[i], sum);
    return sum;
}

/* The compiler for the GPU unrolls this by 16. It has 32 registers, so that loads wait for
 * multiplications before them: at six elements, and at eleven. */
static void matmul_plain(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t thread = ogv_block_thread(), n = t->size;
    size_t x = block_x(t) * SIDE + thread % SIDE, y = block_y(t) * SIDE + thread / SIDE;
    const float *row = t->a + y * n, *column = t->b + x, *end = row + n;
    float sum = 0;
    for (; row < end; row += SIDE) {
        sum = row_multiply(row, column, n, 6, sum);
        column += 6 * n;
        sum = row_multiply(row + 6, column, n, 5, sum);
        column += 5 * n;
        sum = row_multiply(row + 11, column, n, 5, sum);
        column += 5 * n;
    }
    t->c[y * n + x] = sum;
}

static uint32_t matmul_plain_check(const struct task *t)
{
    uint32_t wrong = 0;
    size_t n = t->size;
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum = fmaf(t->a[y * n + k], t->b[k * n + x], sum);
            wrong += t->c[y * n + x] != sum;
        }
    return wrong;
}

static void matmul_tiled_make(struct task *t)
{
    matmul_plain_make(t);
    t->grid.shared_bytes = 2 * SIDE * SIDE * sizeof(float);
}

static inline float tiles_multiply(float (*left)[SIDE], float (*right)[SIDE], size_t k, size_t x,
                                   size_t y, float sum)
{
    float row[TILED_UNROLL], column[TILED_UNROLL];
#pragma GCC unroll 8
    for (size_t i = 0; i < TILED_UNROLL; i++) {
        row[i] = left[y][k + i];
        column[i] = right[k + i][x];
    }
    loads_first();
#pragma GCC unroll 8
    for (size_t i = 0; i < TILED_UNROLL; i++)
        sum = fmaf(row[i], column[i], sum);
    return sum;
}

static void matmul_tiled(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float(*left)[SIDE] = (float(*)[SIDE])ogv_block_shared(), (*right)[SIDE] = left + SIDE;
    size_t thread = ogv_block_thread(), tx = thread % SIDE, ty = thread / SIDE, n = t->size;
    size_t x = block_x(t) * SIDE + tx, y = block_y(t) * SIDE + ty;
    const float *a = t->a + y * n + tx, *b = t->b + ty * n + x;
    float sum = 0;
    for (size_t at = 0; at < n; at += SIDE, a += SIDE, b += SIDE * n) {
        float next = *a, below = *b;
        loads_first();
        left[ty][tx] = next;
        right[ty][tx] = below;
        ogv_block_barrier();
#pragma GCC unroll 2
        for (size_t k = 0; k < SIDE; k += TILED_UNROLL)
            sum = tiles_multiply(left, right, k, tx, ty, sum);
        ogv_block_barrier();
    }
    t->c[y * n + x] = sum;
}

static uint32_t matmul_tiled_check(const struct task *t)
{
    return matmul_plain_check(t);
}

/* ---- gemm: a block has a tile of 64 x 64, each thread 4 x 4 of it in registers ---- */

#define GEMM_TILE 64
#define GEMM_EACH 4
#define GEMM_DEEP 8

static void gemm_make(struct task *t)
{
    matmul_plain_make(t);
    grid_square(t, GEMM_TILE, GEMM_TILE, SIDE * SIDE);
    t->grid.shared_bytes = 2 * GEMM_TILE * GEMM_DEEP * sizeof(float);
    t->grid.registers = 64;
}

/* The next columns of a, turned, and rows of b: two elements of each for a thread. */
static inline void gemm_load(float (*left)[GEMM_TILE], float (*right)[GEMM_TILE], const float *a,
                             const float *b, size_t n, size_t thread)
{
    const size_t half = SIDE * SIDE;
    float low = a[0], high = a[half / GEMM_DEEP * n];
    float first = b[0], second = b[half / GEMM_TILE * n];
    loads_first();
    left[thread % GEMM_DEEP][thread / GEMM_DEEP] = low;
    left[thread % GEMM_DEEP][(thread + half) / GEMM_DEEP] = high;
    right[thread / GEMM_TILE][thread % GEMM_TILE] = first;
    right[(thread + half) / GEMM_TILE][thread % GEMM_TILE] = second;
}

static inline void gemm_add(float (*sum)[GEMM_EACH], const float *left, const float *right)
{
    float row[GEMM_EACH], column[GEMM_EACH];
#pragma GCC unroll 4
    for (size_t i = 0; i < GEMM_EACH; i++) {
        row[i] = left[i];
        column[i] = right[i];
    }
    loads_first();
#pragma GCC unroll 4
    for (size_t i = 0; i < GEMM_EACH; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < GEMM_EACH; j++)
            sum[i][j] = fmaf(row[i], column[j], sum[i][j]);
}

static void gemm(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float(*left)[GEMM_TILE] = (float(*)[GEMM_TILE])ogv_block_shared();
    float(*right)[GEMM_TILE] = left + GEMM_DEEP, sum[GEMM_EACH][GEMM_EACH] = { { 0 } };
    size_t thread = ogv_block_thread(), n = t->size;
    size_t tx = thread % SIDE * GEMM_EACH, ty = thread / SIDE * GEMM_EACH;
    const float *row = base_keep(&left[0][ty]), *column = base_keep(&right[0][tx]);
    const float *a = t->a + (block_y(t) * GEMM_TILE + thread / GEMM_DEEP) * n + thread % GEMM_DEEP;
    const float *b = t->b + thread / GEMM_TILE * n + block_x(t) * GEMM_TILE + thread % GEMM_TILE;
    for (size_t at = 0; at < n; at += GEMM_DEEP, a += GEMM_DEEP, b += GEMM_DEEP * n) {
        gemm_load(left, right, a, b, n, thread);
        ogv_block_barrier();
#pragma GCC unroll 8
        for (size_t k = 0; k < GEMM_DEEP; k++)
            gemm_add(sum, row + k * GEMM_TILE, column + k * GEMM_TILE);
        ogv_block_barrier();
    }
    float *c = t->c + (block_y(t) * GEMM_TILE + ty) * n + block_x(t) * GEMM_TILE + tx;
#pragma GCC unroll 4
    for (size_t i = 0; i < GEMM_EACH; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < GEMM_EACH; j++)
            c[i * n + j] = sum[i][j];
}

static uint32_t gemm_check(const struct task *t)
{
    return matmul_plain_check(t);
}

/* ---- mandelbrot ---- */

#define MANDELBROT_SIDE 8
#define MANDELBROT_MOST 256

static void mandelbrot_make(struct task *t)
{
    t->u = (uint32_t *)array_zero((uint64_t)t->size * t->size);
    grid_square(t, MANDELBROT_SIDE, MANDELBROT_SIDE, MANDELBROT_SIDE * MANDELBROT_SIDE);
}

static inline uint32_t mandelbrot_pixel(int32_t px, int32_t py, int32_t size)
{
    float cx = 3.0f * (float)px / (float)size + -2.0f, x = 0;
    float cy = 3.0f * (float)py / (float)size + -1.5f, y = 0;
    uint32_t n = 0;
    while (n < MANDELBROT_MOST && fmaf(x, x, y * y) < 4.0f) {
        float next = fmaf(x, x, -(y * y)) + cx;
        y = fmaf(2 * x, y, cy);
        x = next;
        n++;
    }
    return n;
}

static void mandelbrot(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t thread = ogv_block_thread(), x = block_x(t) * MANDELBROT_SIDE + thread % MANDELBROT_SIDE,
           y = block_y(t) * MANDELBROT_SIDE + thread / MANDELBROT_SIDE;
    t->u[y * t->size + x] = mandelbrot_pixel((int32_t)x, (int32_t)y, (int32_t)t->size);
}

static uint32_t mandelbrot_check(const struct task *t)
{
    uint32_t wrong = 0;
    int32_t size = (int32_t)t->size;
    for (int32_t y = 0; y < size; y++)
        for (int32_t x = 0; x < size; x++)
            wrong += t->u[y * size + x] != mandelbrot_pixel(x, y, size);
    return wrong;
}

/* ---- nbody: everyone's pull on everyone, 128 of them at a time in shared memory ---- */

#define NBODY_THREADS 128
#define NBODY_UNROLL  4

struct body {
    float x, y, z, mass;
};

static void nbody_make(struct task *t)
{
    t->a = floats_fill(t->size * UINT64_C(4), 1000);
    t->c = (float *)array_zero(t->size * UINT64_C(4));
    grid_line(t, NBODY_THREADS);
    t->grid.shared_bytes = (NBODY_THREADS + 1) * sizeof(struct body);
}

/* Adds to `force` what `other` does to `me`. */
static inline void body_pull(struct body *force, const struct body *me, const struct body *other)
{
    float dx = other->x - me->x, dy = other->y - me->y, dz = other->z - me->z;
    float square = fmaf(dz, dz, fmaf(dy, dy, dx * dx)) + 0.01f, inverse = ogv_rsqrt(square);
    float s = other->mass * inverse * inverse * inverse;
    force->x = fmaf(dx, s, force->x);
    force->y = fmaf(dy, s, force->y);
    force->z = fmaf(dz, s, force->z);
}

/* A body is one load of 16 bytes on the GPU, and a warp's loads 16 sectors. With loads of 4 bytes
 * these are the same if neighbours read neighbouring words. */
static inline void tile_load(float *tile, float *bodies)
{
    float words[4], *to = base_keep(tile), *from = base_keep(bodies);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        words[i] = from[i * NBODY_THREADS];
    loads_first();
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        to[i * NBODY_THREADS] = words[i];
}

/* The next body is loaded while one pulls; behind the last one of a tile there is another, for
 * nobody. */
static void nbody(void *argument)
{
    const struct task *t = (const struct task *)argument;
    const struct body *bodies = (const struct body *)t->a;
    struct body *tile = (struct body *)ogv_block_shared(), force = { 0, 0, 0, 0 };
    size_t thread = ogv_block_thread(), body = thread_index();
    struct body me = bodies[body];
    for (size_t first = 0; first < t->size; first += NBODY_THREADS) {
        tile_load((float *)tile + thread, t->a + first * 4 + thread);
        ogv_block_barrier();
        struct body next = tile[0];
        for (const struct body *k = tile; k < tile + NBODY_THREADS; k += NBODY_UNROLL) {
#pragma GCC unroll 4
            for (size_t i = 1; i <= NBODY_UNROLL; i++) {
                struct body other = next;
                next = k[i];
                loads_first();
                body_pull(&force, &me, &other);
            }
        }
        ogv_block_barrier();
    }
    ((struct body *)t->c)[body] = force;
}

static uint32_t nbody_check(const struct task *t)
{
    const struct body *bodies = (const struct body *)t->a, *forces = (const struct body *)t->c;
    uint32_t wrong = 0;
    for (size_t i = 0; i < t->size; i++) {
        struct body force = { 0, 0, 0, 0 };
        for (size_t k = 0; k < t->size; k++)
            body_pull(&force, &bodies[i], &bodies[k]);
        wrong += force.x != forces[i].x || force.y != forces[i].y || force.z != forces[i].z;
    }
    return wrong;
}

/* ---- kmeans: the nearest of some centres for each point, features side by side ---- */

#define KMEANS_FEATURES 8
#define KMEANS_CENTRES  8

static void kmeans_make(struct task *t)
{
    t->a = floats_fill(t->size * UINT64_C(8), 100);
    fills.of[0].steers = 1;
    t->b = floats_fill(KMEANS_CENTRES * KMEANS_FEATURES, 100);
    fills.of[1].steers = 1;
    t->u = (uint32_t *)array_zero(t->size);
    grid_line(t, 256);
}

static inline uint32_t kmeans_nearest(const struct task *t, size_t point)
{
    float least = 0;
    uint32_t nearest = 0;
    for (uint32_t centre = 0; centre < KMEANS_CENTRES; centre++) {
        float distance = 0;
#pragma GCC unroll 8
        for (size_t i = 0; i < KMEANS_FEATURES; i++) {
            float away = t->a[i * t->size + point] - t->b[centre * KMEANS_FEATURES + i];
            distance = fmaf(away, away, distance);
        }
        if (centre == 0 || distance < least) {
            least = distance;
            nearest = centre;
        }
    }
    return nearest;
}

static void kmeans(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t point = thread_index();
    if (point < t->size)
        t->u[point] = kmeans_nearest(t, point);
}

static uint32_t kmeans_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t point = 0; point < t->size; point++)
        wrong += t->u[point] != kmeans_nearest(t, point);
    return wrong;
}

/* ---- backprop: a layer of 16 neurons; each block sums up 16 inputs for all of them ---- */

static void backprop_make(struct task *t)
{
    t->a = floats_fill(t->size, 10);
    t->b = floats_fill(t->size * UINT64_C(16), 10);
    t->c = (float *)array_zero(t->size);
    grid_line(t, SIDE);
    t->grid.threads = SIDE * SIDE;
    t->grid.shared_bytes = SIDE * (SIDE + 1) * sizeof(float);
}

static void backprop(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float *input = (float *)ogv_block_shared(), (*weight)[SIDE] = (float(*)[SIDE])(input + SIDE);
    size_t thread = ogv_block_thread(), tx = thread % SIDE, ty = thread / SIDE, block = ogv_block();
    if (tx == 0)
        input[ty] = t->a[block * SIDE + ty];
    ogv_block_barrier();
    weight[ty][tx] = t->b[(block * SIDE + ty) * SIDE + tx] * input[ty];
    for (size_t half = 1; half < SIDE; half *= 2) {
        ogv_block_barrier();
        if (ty % (2 * half) == 0)
            weight[ty][tx] += weight[ty + half][tx];
    }
    if (ty == 0)
        t->c[block * SIDE + tx] = weight[0][tx];
}

/* Small integers: exact in any order. */
static uint32_t backprop_check(const struct task *t)
{
    uint32_t wrong = 0;
    for (size_t block = 0; block < t->size / SIDE; block++)
        for (size_t neuron = 0; neuron < SIDE; neuron++) {
            float sum = 0;
            for (size_t i = block * SIDE; i < (block + 1) * SIDE; i++)
                sum += t->a[i] * t->b[i * SIDE + neuron];
            wrong += t->c[block * SIDE + neuron] != sum;
        }
    return wrong;
}

#endif
