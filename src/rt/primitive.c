/* primitive.c - tri64, tri48, tri36, tristrip128: triangles in blocks. */
#include <string.h>

#include "ogive/rt_primitive.h"
#include "rt/nodes.h"

static const float *corner_find(const struct mesh *mesh, u32 triangle, u32 corner)
{
    return mesh->vertices[mesh->triangles[triangle][corner]];
}

static void vertices_copy(const struct mesh *mesh, u32 triangle, float out[3][3])
{
    for (u32 corner = 0; corner < 3; corner++)
        memcpy(out[corner], corner_find(mesh, triangle, corner), sizeof out[corner]);
}

#define FORMAT(N, most, text, apart)                                             \
    static u32 N##_test(const void *block, u32 number, const struct rt_ray *ray, \
                        struct rt_hit *hit)                                      \
    {                                                                            \
        struct rt_shear shear = rt_shear_make(ray);                              \
        return rt_##N##_test(block, number, &shear, hit);                        \
    }                                                                            \
    const struct primitive_format N##_format = {                                 \
        .name = #N,                                                              \
        .help = text,                                                            \
        .bytes = sizeof(struct rt_##N),                                          \
        .triangles = most,                                                       \
        .numbers = apart,                                                        \
        .encode = N##_encode,                                                    \
        .test = N##_test,                                                        \
    };

/* ---- One triangle, with its number ---- */

_Static_assert(sizeof(struct rt_tri64) == 64 && sizeof(struct rt_tri48) == 48 &&
                   sizeof(struct rt_tri36) == 36 && sizeof(struct rt_tristrip128) == 128,
               "formats are called by their size");

static u32 tri64_encode(const struct mesh *mesh, const u32 *triangles, u32 count, void *out)
{
    struct rt_tri64 *block = out;
    memset(block, 0, sizeof *block);
    if (!count)
        return 0;
    vertices_copy(mesh, triangles[0], block->vertices);
    block->triangle = triangles[0];
    return 1;
}

static u32 tri48_encode(const struct mesh *mesh, const u32 *triangles, u32 count, void *out)
{
    struct rt_tri48 *block = out;
    memset(block, 0, sizeof *block);
    if (!count)
        return 0;
    vertices_copy(mesh, triangles[0], block->vertices);
    block->triangle = triangles[0];
    return 1;
}

static u32 tri36_encode(const struct mesh *mesh, const u32 *triangles, u32 count, void *out)
{
    struct rt_tri36 *block = out;
    memset(block, 0, sizeof *block);
    if (!count)
        return 0;
    vertices_copy(mesh, triangles[0], block->vertices);
    return 1;
}

FORMAT(tri64, 1, "one triangle with its number, 64 bytes", false)
FORMAT(tri48, 1, "one triangle with its number, 48 bytes", false)
FORMAT(tri36, 1, "one triangle, 36 bytes; its number in an array apart", true)

/* ---- Several triangles that share vertices ---- */

/* A block as it fills. */
struct strip {
    const float *vertices[16];
    u32 vertex_count;
    u32 triangles[RT_STRIP_TRIANGLES];
    u8 corners[RT_STRIP_TRIANGLES][3];
    u32 count, lowest, highest;
};

/* Shares vertices that are at the same place, whether or not the mesh does. */
static u32 strip_vertex(struct strip *strip, const float *vertex)
{
    u32 i = 0;
    while (i < strip->vertex_count && memcmp(strip->vertices[i], vertex, 3 * sizeof *vertex) != 0)
        i++;
    if (i == strip->vertex_count)
        strip->vertices[strip->vertex_count++] = vertex;
    return i;
}

static bool strip_fits(const struct strip *strip)
{
    return strip->count <= RT_STRIP_TRIANGLES && strip->highest - strip->lowest < RT_STRIP_REACH &&
           RT_STRIP_RECORDS + RT_STRIP_RECORD * strip->count + 12 * strip->vertex_count <=
               sizeof(struct rt_tristrip128);
}

static bool strip_add(struct strip *strip, const struct mesh *mesh, u32 triangle)
{
    if (strip->count == RT_STRIP_TRIANGLES)
        return false;
    struct strip before = *strip;
    for (u32 corner = 0; corner < 3; corner++)
        strip->corners[strip->count][corner] =
            (u8)strip_vertex(strip, corner_find(mesh, triangle, corner));
    strip->lowest = !strip->count || triangle < strip->lowest ? triangle : strip->lowest;
    strip->highest = !strip->count || triangle > strip->highest ? triangle : strip->highest;
    strip->triangles[strip->count++] = triangle;
    if (strip_fits(strip))
        return true;
    *strip = before;
    return false;
}

static void strip_write(const struct strip *strip, struct rt_tristrip128 *block)
{
    u8 *bytes = (u8 *)block;
    memset(block, 0, sizeof *block);
    block->first = strip->count ? strip->lowest : 0;
    block->count = (u8)strip->count;
    for (u32 i = 0; i < strip->count; i++) {
        const u8 *corners = strip->corners[i];
        u32 record = (u32)corners[0] | (u32)corners[1] << 4 | (u32)corners[2] << 8 |
                     (strip->triangles[i] - strip->lowest) << 12;
        for (u32 k = 0; k < RT_STRIP_RECORD; k++)
            bytes[RT_STRIP_RECORDS + RT_STRIP_RECORD * i + k] = (u8)(record >> 8 * k);
    }
    for (u32 i = 0; i < strip->vertex_count; i++)
        memcpy(bytes + RT_STRIP_VERTEX(i), strip->vertices[i], 3 * sizeof(float));
}

static u32 tristrip128_encode(const struct mesh *mesh, const u32 *triangles, u32 count, void *out)
{
    struct strip strip = { .count = 0 };
    while (strip.count < count && strip_add(&strip, mesh, triangles[strip.count]))
        ;
    strip_write(&strip, out);
    return strip.count;
}

FORMAT(tristrip128, RT_STRIP_TRIANGLES, "up to 8 triangles that share vertices, 128 bytes", false)
