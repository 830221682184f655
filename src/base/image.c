/* image.c - see image.h. libpng's simplified interface does the work. */
#include "base/image.h"

#include <png.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"

static bool png_encode(const struct image *image, png_uint_32 flags, struct text *png,
                       struct ogv_error *error)
{
    png_image header = { .version = PNG_IMAGE_VERSION,
                         .width = image->width,
                         .height = image->height,
                         .format = PNG_FORMAT_RGBA,
                         .flags = flags };
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(header);
    char *buffer = heap_array(bytes, 1);
    bool good = png_image_write_to_memory(&header, buffer, &bytes, 0, image->pixels, 0, NULL);
    if (good)
        text_add_bytes(png, buffer, bytes);
    free(buffer);
    return good || error_system(error, "cannot encode an image: %s", header.message);
}

bool image_encode(const struct image *image, struct text *png, struct ogv_error *error)
{
    return png_encode(image, PNG_IMAGE_FLAG_FAST, png, error);
}

bool image_write(const char *path, const u8 *pixels, u32 width, u32 height, struct ogv_error *error)
{
    struct image image = { (u8 *)(uintptr_t)pixels, width, height };
    struct text png = { 0 };
    bool good =
        png_encode(&image, 0, &png, error) && file_write(path, text_get(&png), png.length, error);
    text_fini(&png);
    return good;
}
