/* mandelbrot.c - the Mandelbrot set as an image; 16 pixels of a row are one piece of work.
 *
 * Arguments: width and height in pixels (64), iterations (64). */
#include <ogive/device.h>

#define SIZE_MAX_PIXELS 1024

static uint32_t pixels[SIZE_MAX_PIXELS * SIZE_MAX_PIXELS];
static uint32_t pieces_done;
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

#define PIECE 16 /* pixels */

static uint64_t piece_draw(uint32_t row, uint32_t first, uint32_t size, uint32_t limit)
{
    float scale = 3.0f / (float)size;
    float y = ((float)row + 0.5f) * scale - 1.5f;
    uint32_t last = first + PIECE < size ? first + PIECE : size;
    uint64_t sum = 0;
    for (uint32_t column = first; column < last; column++) {
        uint32_t steps = point_steps(((float)column + 0.5f) * scale - 2.25f, y, limit);
        pixels[row * size + column] = colour(steps, limit);
        sum += steps;
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint32_t size = (uint32_t)ogv_argument(argc, argv, 1, 64);
    uint32_t limit = (uint32_t)ogv_argument(argc, argv, 2, 64);
    if (size < 1 || size > SIZE_MAX_PIXELS || limit < 1 || limit > 1000000)
        return 1;
    uint32_t across = (size + PIECE - 1) / PIECE, pieces = across * size;
    for (uint64_t piece = ogv_next(); piece < pieces; piece = ogv_next()) {
        uint32_t row = (uint32_t)piece / across, first = (uint32_t)piece % across * PIECE;
        ogv_atomic_add_u64(&steps_in_all, piece_draw(row, first, size, limit));
        ogv_fence();
        if (ogv_atomic_add_u32(&pieces_done, 1) + 1 < pieces)
            continue;
        ogv_image(pixels, size, size);
        ogv_print("mandelbrot %ux%u: %lu steps\n", size, size,
                  (unsigned long)ogv_atomic_load_u64(&steps_in_all));
    }
    return 0;
}
