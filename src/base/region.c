/* region.c - see region.h. Blocks of doubling size, each filled from the front. */
#include "base/region.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct region_block {
    struct region_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

#define REGION_FIRST_BLOCK 4096

static struct region_block *region_extend(struct region *region, size_t need)
{
    size_t size = region->blocks ? 2 * region->blocks->size : REGION_FIRST_BLOCK;
    if (size < need)
        size = need;
    struct region_block *block = heap_array(1, sizeof *block + size);
    block->next = region->blocks;
    block->size = size;
    region->blocks = block;
    return block;
}

void *region_alloc(struct region *region, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
        heap_exhausted(bytes);
    bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct region_block *block = region->blocks;
    if (!block || block->size - block->used < bytes)
        block = region_extend(region, bytes);
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

char *region_copy(struct region *region, const char *text, size_t length)
{
    char *copy = region_alloc(region, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *region_format(struct region *region, const char *format, ...)
{
    struct text text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&text, format, arguments);
    va_end(arguments);
    char *copy = region_copy(region, text_get(&text), text.length);
    text_fini(&text);
    return copy;
}

void region_fini(struct region *region)
{
    while (region->blocks) {
        struct region_block *block = region->blocks;
        region->blocks = block->next;
        free(block);
    }
}

void *region_grow(struct region *region, void *items, size_t count, size_t size)
{
    bool full = !(count & (count - 1)); /* 0, 1, 2, 4, 8, ... items are as many as fit */
    if (!full)
        return items;
    void *larger = region_alloc(region, count ? 2 * count : 1, size);
    if (count)
        memcpy(larger, items, count * size);
    return larger;
}
