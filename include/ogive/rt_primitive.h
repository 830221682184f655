/* rt_primitive.h - how triangles lie in memory, in blocks, and the test of a ray against a block.
 *
 * For host and device code. docs/formats.md draws the layouts byte by byte. All numbers are little
 * endian. A test tries all triangles of a block with the watertight test, keeps the closest hit,
 * and says how many triangles it tried. */
#ifndef OGIVE_RT_PRIMITIVE_H
#define OGIVE_RT_PRIMITIVE_H

#include <stdint.h>
#include <string.h>

#include "ogive/rt_triangle.h"

struct rt_tri64 {
    float vertices[3][3];
    uint32_t triangle;
    uint32_t spare[6];
};

struct rt_tri48 {
    float vertices[3][3];
    uint32_t triangle;
    uint32_t spare[2];
};

/* The triangle's number lies elsewhere, in an array with an entry per block. Only a hit asks for
 * it. */
struct rt_tri36 {
    float vertices[3][3];
};

/* Up to 8 triangles that share vertices. The number of a triangle is `first` plus bits 12 to 23 of
 * its record; bits 0-3, 4-7 and 8-11 are the numbers of its vertices. Records grow from the front
 * and vertices from the back, so that there can be more of the one where there are fewer of the
 * other. A damaged block is never read beyond its end. */
struct rt_tristrip128 {
    uint32_t first;
    uint8_t count;
    uint8_t rest[123];
};

#define RT_STRIP_TRIANGLES 8
#define RT_STRIP_VERTICES  10
#define RT_STRIP_RECORDS   5 /* bytes before the records */
#define RT_STRIP_VERTEX(k) (116 - 12 * (k))
#define RT_STRIP_RECORD    3                   /* bytes of a record */
#define RT_STRIP_REACH     (UINT32_C(1) << 12) /* numbers from the first on */

RT_FUNCTION uint32_t rt_strip_record(const struct rt_tristrip128 *block, uint32_t index)
{
    const uint8_t *at = (const uint8_t *)block + RT_STRIP_RECORDS + index * RT_STRIP_RECORD;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

RT_FUNCTION const float *rt_strip_vertex(const struct rt_tristrip128 *block, uint32_t record,
                                         uint32_t corner)
{
    uint32_t vertex = record >> 4 * corner & 15;
    vertex = vertex < RT_STRIP_VERTICES ? vertex : 0;
    return (const float *)(const void *)((const uint8_t *)block + RT_STRIP_VERTEX(vertex));
}

RT_FUNCTION uint32_t rt_tri64_test(const struct rt_tri64 *block, uint32_t number,
                                   const struct rt_shear *ray, struct rt_hit *hit)
{
    (void)number;
    rt_triangle_watertight(ray, block->vertices[0], block->vertices[1], block->vertices[2],
                           block->triangle, hit);
    return 1;
}

RT_FUNCTION uint32_t rt_tri48_test(const struct rt_tri48 *block, uint32_t number,
                                   const struct rt_shear *ray, struct rt_hit *hit)
{
    (void)number;
    rt_triangle_watertight(ray, block->vertices[0], block->vertices[1], block->vertices[2],
                           block->triangle, hit);
    return 1;
}

RT_FUNCTION uint32_t rt_tri36_test(const struct rt_tri36 *block, uint32_t number,
                                   const struct rt_shear *ray, struct rt_hit *hit)
{
    rt_triangle_watertight(ray, block->vertices[0], block->vertices[1], block->vertices[2], number,
                           hit);
    return 1;
}

RT_FUNCTION uint32_t rt_tristrip128_test(const struct rt_tristrip128 *block, uint32_t number,
                                         const struct rt_shear *ray, struct rt_hit *hit)
{
    uint32_t count = block->count < RT_STRIP_TRIANGLES ? block->count : RT_STRIP_TRIANGLES;
    (void)number;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t record = rt_strip_record(block, i);
        rt_triangle_watertight(ray, rt_strip_vertex(block, record, 0),
                               rt_strip_vertex(block, record, 1), rt_strip_vertex(block, record, 2),
                               block->first + (record >> 12), hit);
    }
    return count;
}

#endif
