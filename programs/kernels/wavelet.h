/* wavelet.h - the wavelet transform of JPEG 2000 (CDF 9/7 by lifting) of a picture, some levels of
 * it, each a launch: a block transforms a tile in shared memory, first its rows, then its columns.
 *
 * Lifting adds to every second element a multiple of the sum of its neighbours, four times. What a
 * tile needs around it is four elements wide; at the edges the picture is mirrored there, which
 * lifting keeps mirrored, so that blocks agree with a transform of whole rows to the last bit. */
#ifndef PROGRAMS_KERNELS_WAVELET_H
#define PROGRAMS_KERNELS_WAVELET_H

#include "task.h"

#define WAVE_TILE    32
#define WAVE_HALO    4
#define WAVE_WIDE    (WAVE_TILE + 2 * WAVE_HALO)
#define WAVE_LIFTS   4
#define WAVE_THREADS 256
#define WAVE_LEVELS  2

/* Daubechies and Sweldens 1998, "Factoring wavelet transforms into lifting steps", section 7.7. */
static const float wave_lifts[WAVE_LIFTS] = { -1.586134342f, -0.05298011854f, 0.8829110762f,
                                              0.4435068522f };
#define WAVE_SCALE 1.149604398f

/* Side of the picture that a step transforms, and the tiles of it. */
static inline uint32_t wave_side(const struct task *t, uint32_t step)
{
    return t->size >> step;
}

static void dwt2d_grid(struct task *t)
{
    uint32_t across = wave_side(t, t->step) / WAVE_TILE;
    grid_plane(t, across, across, WAVE_THREADS);
    t->grid.shared_bytes = WAVE_WIDE * (WAVE_WIDE + 1) * sizeof(float);
}

/* a: the picture, then in turn with b the low frequencies of each level; c: all others. */
static void dwt2d_make(struct task *t)
{
    uint64_t count = (uint64_t)t->size * t->size;
    t->a = floats_fill(count, 256);
    t->b = (float *)array_zero(count / 4);
    t->c = (float *)array_zero(count);
    t->steps = WAVE_LEVELS;
    t->next = dwt2d_grid;
}

static inline size_t wave_mirror(int64_t i, int64_t side)
{
    return (size_t)(i < 0 ? -i : i >= side ? 2 * side - 2 - i : i);
}

typedef float wave_row[WAVE_WIDE + 1];

static inline void wave_load(const struct task *t, wave_row *tile, const float *from)
{
    int64_t side = wave_side(t, t->step), left = (int64_t)block_x(t) * WAVE_TILE - WAVE_HALO;
    int64_t top = (int64_t)block_y(t) * WAVE_TILE - WAVE_HALO;
#pragma GCC unroll 7
    for (int64_t i = ogv_block_thread(); i < WAVE_WIDE * WAVE_WIDE; i += WAVE_THREADS) {
        int64_t x = i % WAVE_WIDE, y = i / WAVE_WIDE;
        tile[y][x] = from[wave_mirror(top + y, side) * (size_t)side + wave_mirror(left + x, side)];
    }
    ogv_block_barrier();
}

/* One lifting step of all rows, or columns; `first` is the first element that changes. Each step
 * leaves one element less on each side. */
static inline void wave_lift(wave_row *tile, int64_t first, float by, int columns)
{
    const int64_t apart = columns ? WAVE_WIDE + 1 : 1, lines = columns ? 1 : WAVE_WIDE + 1;
    int64_t count = (WAVE_WIDE - 2 * first) / 2;
#pragma GCC unroll 3
    for (int64_t i = ogv_block_thread(); i < WAVE_WIDE * (WAVE_WIDE / 2); i += WAVE_THREADS) {
        int64_t line = i % WAVE_WIDE, k = i / WAVE_WIDE;
        float *at = (float *)(void *)tile + line * lines + (first + 2 * k) * apart;
        if (k < count)
            at[0] += by * (at[-apart] + at[apart]);
    }
    ogv_block_barrier();
}

static inline void wave_lift_all(wave_row *tile, int columns)
{
#pragma GCC unroll 4
    for (int64_t i = 0; i < WAVE_LIFTS; i++)
        wave_lift(tile, i + 1, wave_lifts[i], columns);
}

/* Even elements are low frequencies. Those of both directions go on, the others are done. */
static inline float wave_scaled(float value, size_t x, size_t y)
{
    value *= x % 2 ? WAVE_SCALE : 1 / WAVE_SCALE;
    return value * (y % 2 ? WAVE_SCALE : 1 / WAVE_SCALE);
}

static inline void wave_store(const struct task *t, wave_row *tile, float *low)
{
    size_t half = wave_side(t, t->step) / 2, size = t->size;
#pragma GCC unroll 4
    for (size_t i = ogv_block_thread(); i < WAVE_TILE * WAVE_TILE; i += WAVE_THREADS) {
        size_t x = i % WAVE_TILE, y = i / WAVE_TILE;
        float value = wave_scaled(tile[y + WAVE_HALO][x + WAVE_HALO], x, y);
        size_t px = (block_x(t) * WAVE_TILE + x) / 2, py = (block_y(t) * WAVE_TILE + y) / 2;
        if (x % 2 || y % 2)
            t->c[(py + y % 2 * half) * size + px + x % 2 * half] = value;
        else
            low[py * half + px] = value;
    }
}

static void dwt2d(void *argument)
{
    const struct task *t = (const struct task *)argument;
    wave_row *tile = (wave_row *)ogv_block_shared();
    wave_load(t, tile, t->step % 2 ? t->b : t->a);
    wave_lift_all(tile, 0);
    wave_lift_all(tile, 1);
    wave_store(t, tile, t->step % 2 ? t->a : t->b);
}

/* ---- The same for whole rows and columns ---- */

static void wave_line(float *line, int64_t side, int64_t apart)
{
    for (int64_t lift = 0; lift < WAVE_LIFTS; lift++)
        for (int64_t i = (lift + 1) % 2; i < side; i += 2) {
            float before = line[(int64_t)wave_mirror(i - 1, side) * apart];
            float after = line[(int64_t)wave_mirror(i + 1, side) * apart];
            line[i * apart] += wave_lifts[lift] * (before + after);
        }
}

/* Transforms the picture in place, takes its low frequencies out, and says how much else differs.
 */
static uint32_t wave_level(const struct task *t, float *picture, int64_t side)
{
    uint32_t wrong = 0;
    int64_t half = side / 2;
    for (int64_t y = 0; y < side; y++)
        wave_line(picture + y * side, side, 1);
    for (int64_t x = 0; x < side; x++)
        wave_line(picture + x, side, side);
    for (int64_t y = 0; y < side; y++)
        for (int64_t x = 0; x < side; x++) {
            float value = wave_scaled(picture[y * side + x], (size_t)x, (size_t)y);
            int64_t to = (y / 2 + y % 2 * half) * t->size + x / 2 + x % 2 * half;
            if (x % 2 || y % 2)
                wrong += t->c[to] != value;
            else
                picture[y / 2 * half + x / 2] = value;
        }
    return wrong;
}

static uint32_t dwt2d_check(const struct task *t)
{
    size_t count = (size_t)t->size * t->size;
    float *picture = (float *)array_zero(count);
    const float *low = WAVE_LEVELS % 2 ? t->b : t->a;
    uint32_t wrong = 0, state = FILL_SEED;
    for (size_t i = 0; i < count; i++) {
        state = lcg_next(state);
        picture[i] = (float)((state >> 8) % 256);
    }
    for (uint32_t level = 0; level < WAVE_LEVELS; level++)
        wrong += wave_level(t, picture, wave_side(t, level));
    for (size_t i = 0; i < count >> 2 * WAVE_LEVELS; i++)
        wrong += low[i] != picture[i];
    return wrong;
}

#endif
