/* image.h - pictures as PNG files. */
#ifndef BASE_IMAGE_H
#define BASE_IMAGE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Pixels are red, green, blue, alpha, one byte each, row after row from the top. */
bool image_write(const char *path, const u8 *pixels, u32 width, u32 height,
                 struct ogv_error *error);

#endif
