/* image.h - pictures as PNG files. */
#ifndef BASE_IMAGE_H
#define BASE_IMAGE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

#include "base/text.h"

struct image {
    u8 *pixels; /* NULL: there is no picture; whoever has it frees them */
    u32 width, height;
};

/* Pixels are red, green, blue, alpha, one byte each, row after row from the top. */
bool image_write(const char *path, const u8 *pixels, u32 width, u32 height,
                 struct ogv_error *error);

/* The same as bytes, added to `png`; faster, and larger. */
bool image_encode(const struct image *image, struct text *png, struct ogv_error *error);

#endif
