/* image.c - see image.h. libpng's simplified interface does the work. */
#include "base/image.h"

#include <png.h>

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
