/* planes.h - kernels on pictures and plates, whose elements depend on neighbours: stencils,
 * diffusion, and a wavelet transform. Shapes of the last three are those of Rodinia's hotspot, srad
 * and dwt2d (Che et al., IISWC 2009), at sizes of a test. */
#ifndef PROGRAMS_KERNELS_PLANES_H
#define PROGRAMS_KERNELS_PLANES_H

#include <math.h>

#include "task.h"

/* ---- stencil: four neighbours, from memory ---- */

#define STENCIL_WIDTH  32
#define STENCIL_HEIGHT 8

static void stencil_make(struct task *t)
{
    t->a = floats_fill((uint64_t)t->size * t->size, 1000);
    t->c = (float *)array_zero((uint64_t)t->size * t->size);
    grid_square(t, STENCIL_WIDTH, STENCIL_HEIGHT, STENCIL_WIDTH * STENCIL_HEIGHT);
}

static inline float stencil_at(const struct task *t, size_t x, size_t y)
{
    const float *at = t->a + y * t->size + x;
    return fmaf(0.25f, at[-1] + at[1] + *(at - t->size) + at[t->size], -at[0]);
}

static void stencil(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t thread = ogv_block_thread(), n = t->size;
    size_t x = block_x(t) * STENCIL_WIDTH + thread % STENCIL_WIDTH;
    size_t y = block_y(t) * STENCIL_HEIGHT + thread / STENCIL_WIDTH;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    t->c[y * n + x] = stencil_at(t, x, y);
}

static uint32_t stencil_check(const struct task *t)
{
    uint32_t wrong = 0;
    size_t n = t->size;
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            int inside = x >= 1 && y >= 1 && x < n - 1 && y < n - 1;
            wrong += t->c[y * n + x] != (inside ? stencil_at(t, x, y) : 0);
        }
    return wrong;
}

/* ---- hotspot: temperatures of a chip, some steps in shared memory at a time ---- */

#define PLANE_SIDE   16
#define HOTSPOT_HALO 2 /* steps of a launch; a block's result is that much smaller than itself */
#define HOTSPOT_BACK (PLANE_SIDE - 2 * HOTSPOT_HALO)

static void hotspot_make(struct task *t)
{
    uint32_t across = (t->size + HOTSPOT_BACK - 1) / HOTSPOT_BACK;
    t->a = floats_fill((uint64_t)t->size * t->size, 300);
    t->b = floats_fill((uint64_t)t->size * t->size, 10);
    t->c = (float *)array_zero((uint64_t)t->size * t->size);
    t->stride = across;
    t->grid = (struct ogv_grid){ .blocks = across * across,
                                 .threads = PLANE_SIDE * PLANE_SIDE,
                                 .shared_bytes = 2 * PLANE_SIDE * PLANE_SIDE * sizeof(float) };
    t->steps = 2;
}

static inline int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static inline float hotspot_new(float centre, float power, float up, float down, float left,
                                float right)
{
    float rows = fmaf(-2.0f, centre, up + down), columns = fmaf(-2.0f, centre, left + right);
    return centre + 0.05f * (power + rows * 0.1f + columns * 0.1f + (80.0f - centre) * 0.0125f);
}

/* A step within a block, in which each thread keeps its element: what the neighbours had is read
 * from `from`. Beyond the edge of the plate it is as warm as there. */
static inline float hotspot_step(const float (*from)[PLANE_SIDE], float power, int64_t x, int64_t y,
                                 const int64_t *least, const int64_t *most)
{
    int64_t left = x > least[0] ? x - 1 : x, right = x < most[0] ? x + 1 : x;
    int64_t up = y > least[1] ? y - 1 : y, down = y < most[1] ? y + 1 : y;
    return hotspot_new(from[y][x], power, from[up][x], from[down][x], from[y][left],
                       from[y][right]);
}

static void hotspot(void *argument)
{
    const struct task *t = (const struct task *)argument;
    float(*tiles)[PLANE_SIDE][PLANE_SIDE] = (float(*)[PLANE_SIDE][PLANE_SIDE])ogv_block_shared();
    const float *from = t->step % 2 ? t->c : t->a;
    float *to = t->step % 2 ? t->a : t->c;
    int64_t n = t->size, last = PLANE_SIDE - 1, x = ogv_block_thread() % PLANE_SIDE,
            y = ogv_block_thread() / PLANE_SIDE;
    int64_t block = ogv_block(), corner[2] = { block % t->stride * HOTSPOT_BACK - HOTSPOT_HALO,
                                               block / t->stride * HOTSPOT_BACK - HOTSPOT_HALO };
    int64_t px = corner[0] + x, py = corner[1] + y;
    int64_t least[2] = { clamp(-corner[0], last), clamp(-corner[1], last) };
    int64_t most[2] = { clamp(n - 1 - corner[0], last), clamp(n - 1 - corner[1], last) };
    int inside = px >= 0 && py >= 0 && px < n && py < n;
    float power = inside ? t->b[py * n + px] : 0;
    tiles[0][y][x] = inside ? from[py * n + px] : 0;
    for (int64_t step = 0; step < HOTSPOT_HALO; step++) {
        ogv_block_barrier();
        tiles[(step + 1) % 2][y][x] =
            hotspot_step((const float(*)[PLANE_SIDE])tiles[step % 2], power, x, y, least, most);
    }
    if (inside && x >= HOTSPOT_HALO && y >= HOTSPOT_HALO && x <= last - HOTSPOT_HALO &&
        y <= last - HOTSPOT_HALO)
        to[py * n + px] = tiles[HOTSPOT_HALO % 2][y][x];
}

static void hotspot_plain(const struct task *t, const float *from, float *to)
{
    int64_t n = t->size;
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            int64_t up = clamp(y - 1, n - 1), down = clamp(y + 1, n - 1);
            int64_t left = clamp(x - 1, n - 1), right = clamp(x + 1, n - 1);
            to[y * n + x] =
                hotspot_new(from[y * n + x], t->b[y * n + x], from[up * n + x], from[down * n + x],
                            from[y * n + left], from[y * n + right]);
        }
}

static uint32_t hotspot_check(const struct task *t)
{
    uint32_t wrong = 0, state = FILL_SEED;
    size_t count = (size_t)t->size * t->size;
    float *plates[2] = { (float *)array_zero(count), (float *)array_zero(count) };
    for (size_t i = 0; i < count; i++) {
        state = lcg_next(state);
        plates[0][i] = (float)((state >> 8) % 300);
    }
    for (uint32_t step = 0; step < 2 * HOTSPOT_HALO; step++)
        hotspot_plain(t, plates[step % 2], plates[(step + 1) % 2]);
    for (size_t i = 0; i < count; i++)
        wrong += t->a[i] != plates[0][i];
    return wrong;
}

/* ---- srad: diffusion that stops at edges; a launch for coefficients, one for the picture ---- */

#define SRAD_STEPS 2

static void srad_make(struct task *t)
{
    uint64_t count = (uint64_t)t->size * t->size;
    t->a = floats_fill(count, 255);
    fills.of[0].base = 1;
    t->b = (float *)array_zero(count * 4);
    t->c = (float *)array_zero(count);
    grid_square(t, PLANE_SIDE, PLANE_SIDE, PLANE_SIDE * PLANE_SIDE);
    t->steps = 2 * SRAD_STEPS;
}

/* Differences to the neighbours go to b, the coefficient of diffusion to c. */
static inline void srad_coefficient(const struct task *t, size_t x, size_t y)
{
    size_t n = t->size, i = y * n + x;
    float centre = t->a[i], *change = t->b + i, whole = 0, squares = 0;
    float to[4] = { t->a[(y ? y - 1 : y) * n + x], t->a[(y + 1 < n ? y + 1 : y) * n + x],
                    t->a[y * n + (x ? x - 1 : x)], t->a[y * n + (x + 1 < n ? x + 1 : x)] };
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
        float difference = to[k] - centre;
        change[k * n * n] = difference;
        whole += difference;
        squares = fmaf(difference, difference, squares);
    }
    float g = squares / (centre * centre), l = whole / centre;
    float number = 0.5f * g - (1.0f / 16.0f) * (l * l), deep = fmaf(0.25f, l, 1.0f);
    float q = number / (deep * deep), c = 1.0f / (1.0f + (q - 0.05f) / (0.05f * 1.05f));
    t->c[i] = c < 0 ? 0 : c > 1 ? 1 : c;
}

static inline void srad_diffuse(const struct task *t, size_t x, size_t y)
{
    size_t n = t->size, i = y * n + x;
    float here = t->c[i], south = t->c[(y + 1 < n ? y + 1 : y) * n + x];
    float east = t->c[y * n + (x + 1 < n ? x + 1 : x)];
    const float *change = t->b + i;
    float sum = here * change[0] + south * change[n * n] + here * change[2 * n * n] +
                east * change[3 * n * n];
    t->a[i] = fmaf(0.125f, sum, t->a[i]);
}

static void srad(void *argument)
{
    const struct task *t = (const struct task *)argument;
    size_t x = block_x(t) * PLANE_SIDE + ogv_block_thread() % PLANE_SIDE;
    size_t y = block_y(t) * PLANE_SIDE + ogv_block_thread() / PLANE_SIDE;
    if (t->step % 2)
        srad_diffuse(t, x, y);
    else
        srad_coefficient(t, x, y);
}

static uint32_t srad_check(const struct task *t)
{
    struct task plain = *t;
    uint32_t wrong = 0, state = FILL_SEED;
    size_t n = t->size;
    plain.a = (float *)array_zero(n * n);
    plain.b = (float *)array_zero(n * n * 4);
    plain.c = (float *)array_zero(n * n);
    for (size_t i = 0; i < n * n; i++) {
        state = lcg_next(state);
        plain.a[i] = (float)(1 + (state >> 8) % 255);
    }
    for (uint32_t step = 0; step < 2 * SRAD_STEPS; step++)
        for (size_t i = 0; i < n * n; i++)
            (step % 2 ? srad_diffuse : srad_coefficient)(&plain, i % n, i / n);
    for (size_t i = 0; i < n * n; i++)
        wrong += t->a[i] != plain.a[i];
    return wrong;
}

#endif
