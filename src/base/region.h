/* region.h - many small things that die together: allocate freely, free all at once. */
#ifndef BASE_REGION_H
#define BASE_REGION_H

#include <stdarg.h>

#include "ogive/types.h"

struct region_block;

/* Zero-initialised is empty. */
struct region {
    struct region_block *blocks;
};

/* Zeroed memory; never NULL. */
void *region_alloc(struct region *region, size_t count, size_t size);
char *region_copy(struct region *region, const char *text, size_t length);
char *region_format(struct region *region, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void region_fini(struct region *region);

/* Makes room for one more item in an array of `count` items that grows by doubling at powers of
 * two; returns the array, moved if it had to grow. */
void *region_grow(struct region *region, void *items, size_t count, size_t size);

#endif
