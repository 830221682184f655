/* image.c - see image.h. libpng's simplified interface does the work. */
#include "base/image.h"

#include <png.h>
#include <stdlib.h>

#include "base/error.h"

bool image_write(const char *path, const u8 *pixels, u32 width, u32 height, struct ogv_error *error)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA
    };
    if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
        return true;
    return error_system(error, "%s: cannot write the image: %s", path, image.message);
}

bool image_encode(const struct image *image, struct text *png, struct ogv_error *error)
{
    png_image header = { .version = PNG_IMAGE_VERSION,
                         .width = image->width,
                         .height = image->height,
                         .format = PNG_FORMAT_RGBA,
                         .flags = PNG_IMAGE_FLAG_FAST };
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(header);
    char *buffer = heap_array(bytes, 1);
    bool good = png_image_write_to_memory(&header, buffer, &bytes, 0, image->pixels, 0, NULL);
    if (good)
        text_add_bytes(png, buffer, bytes);
    free(buffer);
    return good || error_system(error, "cannot encode an image: %s", header.message);
}
