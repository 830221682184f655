/* matmul.c - c = a b for square matrices; a piece of work is a tile of 4 x 4 elements, held in
 * registers.
 *
 * Argument: rows (32), a multiple of 4. Checked by a vector: c x must be a (b x). All numbers are
 * small integers, so that float arithmetic is exact. */
#include <ogive/device.h>

#define SIZE_LARGEST 512
#define TILE         4

static float a[SIZE_LARGEST * SIZE_LARGEST], b[SIZE_LARGEST * SIZE_LARGEST],
    c[SIZE_LARGEST * SIZE_LARGEST];
static int64_t bx[SIZE_LARGEST];
static uint32_t wrong, finished;

static int64_t x_at(uint64_t i)
{
    return (int64_t)(i % 3) + 1;
}

/* This hart's rows of a and b, and of b x. */
static void rows_fill(uint64_t size)
{
    for (uint64_t row = ogv_hart(); row < size; row += ogv_harts()) {
        int64_t sum = 0;
        for (uint64_t column = 0; column < size; column++) {
            uint64_t value = (row * 3 + column) % 5;
            a[row * size + column] = (float)((row + column * 5) % 7);
            b[row * size + column] = (float)value;
            sum += (int64_t)value * x_at(column);
        }
        bx[row] = sum;
    }
}

static void tile_multiply(uint64_t size, uint64_t row, uint64_t column)
{
    float sum[TILE][TILE] = { { 0 } };
    const float *left = a + row * size, *right = b + column;
    for (uint64_t k = 0; k < size; k++, right += size)
#pragma GCC unroll 4
        for (int i = 0; i < TILE; i++)
#pragma GCC unroll 4
            for (int j = 0; j < TILE; j++)
                sum[i][j] += left[(uint64_t)i * size + k] * right[j];
#pragma GCC unroll 4
    for (int i = 0; i < TILE; i++)
#pragma GCC unroll 4
        for (int j = 0; j < TILE; j++)
            c[(row + (uint64_t)i) * size + column + (uint64_t)j] = sum[i][j];
}

static uint32_t rows_check(uint64_t size)
{
    uint32_t bad = 0;
    for (uint64_t row = ogv_hart(); row < size; row += ogv_harts()) {
        int64_t cx = 0, abx = 0;
        for (uint64_t column = 0; column < size; column++) {
            cx += (int64_t)c[row * size + column] * x_at(column);
            abx += (int64_t)a[row * size + column] * bx[column];
        }
        bad += cx != abx;
    }
    return bad;
}

int main(int argc, char **argv)
{
    uint64_t size = ogv_argument(argc, argv, 1, 32);
    if (size < TILE || size > SIZE_LARGEST || size % TILE)
        return 1;
    uint64_t across = size / TILE;
    rows_fill(size);
    ogv_barrier_all();
    for (uint64_t i = ogv_next(); i < across * across; i = ogv_next())
        tile_multiply(size, i / across * TILE, i % across * TILE);
    ogv_barrier_all();
    ogv_atomic_add_u32(&wrong, rows_check(size));
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 < ogv_harts())
        return 0;
    uint32_t bad = ogv_atomic_load_u32(&wrong);
    ogv_print("matmul: %lux%lu, %u rows wrong\n", (unsigned long)size, (unsigned long)size, bad);
    return bad != 0;
}
