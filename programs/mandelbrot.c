/* mandelbrot.c - the Mandelbrot set as an image; one row of pixels is one piece of work.
 *
 * Arguments: width and height in pixels (64), iterations (64). Pixels on the diagonal are checked.
 */
#include <ogive/device.h>

#define SIZE_LARGEST 1024

static uint32_t pixels[SIZE_LARGEST * SIZE_LARGEST];
static uint32_t rows_done;
static uint64_t steps_in_all;

/* How many steps until the point leaves the circle of radius 2. */
static uint32_t point_steps(float x, float y, uint32_t limit)
{
    float re = 0, im = 0;
    uint32_t steps = 0;
    for (; steps < limit; steps++) {
        float re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4.0f)
            break;
        im = 2.0f * re * im + y;
        re = re2 - im2 + x;
    }
    return steps;
}

static uint32_t colour(uint32_t steps, uint32_t limit)
{
    uint32_t shade = steps * 255 / limit;
    uint32_t red = shade * shade / 255, green = shade, blue = steps < limit ? 64 + shade / 2 : 0;
    if (steps == limit)
        red = green = 0;
    return red | green << 8 | blue << 16 | UINT32_C(255) << 24;
}

/* Inlined, so that what is the same for a row is computed once. */
static inline __attribute__((always_inline)) uint32_t
pixel_at(uint32_t column, uint32_t row, uint32_t size, uint32_t limit, uint32_t *steps)
{
    float scale = 3.0f / (float)size;
    float x = ((float)column + 0.5f) * scale - 2.25f, y = ((float)row + 0.5f) * scale - 1.5f;
    *steps = point_steps(x, y, limit);
    return colour(*steps, limit);
}

static uint64_t row_draw(uint32_t row, uint32_t size, uint32_t limit)
{
    uint64_t sum = 0;
    for (uint32_t column = 0; column < size; column++) {
        uint32_t steps;
        pixels[row * size + column] = pixel_at(column, row, size, limit, &steps);
        sum += steps;
    }
    return sum;
}

/* Some pixels of every row again; how many are not what some hart has drawn. */
static uint32_t diagonal_check(uint32_t size, uint32_t limit)
{
    uint32_t bad = 0, steps;
    for (uint32_t i = 0; i < size; i++)
        bad += pixels[i * size + i] != pixel_at(i, i, size, limit, &steps);
    return bad;
}

/* By the hart that drew the last row. */
static int image_finish(uint32_t size, uint32_t limit)
{
    ogv_fence();
    uint32_t bad = diagonal_check(size, limit);
    ogv_image(pixels, size, size);
    ogv_print("mandelbrot %ux%u: %lu steps, %u wrong\n", size, size,
              (unsigned long)ogv_atomic_load_u64(&steps_in_all), bad);
    return bad != 0;
}

int main(int argc, char **argv)
{
    uint32_t size = (uint32_t)ogv_argument(argc, argv, 1, 64);
    uint32_t limit = (uint32_t)ogv_argument(argc, argv, 2, 64);
    if (size < 1 || size > SIZE_LARGEST || limit < 1 || limit > 1000000)
        return 1;
    for (uint64_t row = ogv_next(); row < size; row = ogv_next()) {
        ogv_atomic_add_u64(&steps_in_all, row_draw((uint32_t)row, size, limit));
        ogv_fence();
        if (ogv_atomic_add_u32(&rows_done, 1) + 1 == size)
            return image_finish(size, limit);
    }
    return 0;
}
