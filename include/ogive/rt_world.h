/* rt_world.h - a scene as programs find it in memory: everything that a picture takes.
 *
 * One block of memory. It begins with this struct; what is larger lies behind, at offsets from its
 * first byte, so that it may lie anywhere: on the chip, or in a file for native builds. */
#ifndef OGIVE_RT_WORLD_H
#define OGIVE_RT_WORLD_H

#include <stdint.h>

#include <ogive/rt_formats.h>
#include <ogive/rt_ray.h>
#include <ogive/rt_treelet.h>

#define RT_WORLD_MAGIC  UINT64_C(0x32646c726f76676f) /* "ogvorld2" */
#define RT_WORLD_LIGHTS 16

enum rt_surface { RT_DIFFUSE, RT_MIRROR, RT_GLASS };

struct rt_material {
    float colour[3], emission[3];
    float index; /* of refraction */
    uint32_t surface;
};

/* `at` is the direction towards the light if it is a sun, else its position. */
struct rt_light {
    float at[3], power[3];
    uint32_t sun, unused;
};

/* A triangle that gives light, to be chosen by its power: `sum` is that of all up to this one. */
struct rt_lamp {
    uint32_t triangle;
    float sum;
};

/* The ray through the point (x, y) of the image, both from 0 to 1 and y from the top, has the
 * direction corner + x * right + y * down, not of length 1. */
struct rt_view {
    float eye[3], corner[3], right[3], down[3];
};

struct rt_world {
    uint64_t magic, bytes;
    uint64_t sum; /* in files: rt_world_sum; else 0 */

    /* Offsets. */
    uint64_t nodes, blocks;
    uint64_t numbers;   /* uint32_t by block, for primitive formats that take it; else 0 */
    uint64_t rays;      /* struct rt_ray, in the order in which they are traced */
    uint64_t hits;      /* uint32_t by ray: the triangle that was hit, or RT_NOTHING */
    uint64_t pixels;    /* uint32_t, row by row from the top, as ogv_image takes them */
    uint64_t places;    /* uint32_t by ray or piece of work: its pixel */
    uint64_t costs;     /* uint32_t by pixel: cycles that it took, if asked for; else 0 */
    uint64_t vertices;  /* float[3] */
    uint64_t triangles; /* uint32_t[3] */
    uint64_t surfaces;  /* uint16_t by triangle: its material */
    uint64_t materials; /* struct rt_material */
    uint64_t lamps;     /* struct rt_lamp */

    uint64_t ray_count;
    uint64_t seed;
    uint32_t node_format; /* with treelets, RT_WORLD_NODES */
    uint32_t primitive_format;
    uint32_t software; /* no RT core: cores walk the tree themselves */
    uint32_t width, height;
    uint32_t samples; /* per pixel */
    uint32_t bounces; /* of a path */
    uint32_t light_count, lamp_count;
    float reach;    /* of occlusion rays */
    float step;     /* from surfaces to where rays begin, near the origin of the coordinates */
    float exposure; /* by which light is multiplied before it is shown */
    struct rt_view view;
    float up[3]; /* of length 1: what the sky's height is measured along */
    float sky_horizon[3], sky_zenith[3];
    struct rt_light lights[RT_WORLD_LIGHTS];

    /* Treelets (rt_treelet.h); all 0 if the tree is in none. `nodes` and `blocks` are both
     * `treelets` if it is. */
    uint64_t treelets, treelet_headers; /* offsets; struct rt_treelet */
    uint32_t treelet_count, treelet_bytes;
    uint32_t streams; /* enum stream_mode: how the machine holds rays, if it does */
    uint32_t unused;
};

/* The format of nodes in treelets: whoever walks the tree has to know both, and asks for one. */
#define RT_WORLD_NODES(format, treelet_bytes) ((uint32_t)(format) | (uint32_t)(treelet_bytes) << 8)

RT_FUNCTION void *rt_world_at(const struct rt_world *world, uint64_t offset)
{
    return (char *)(uintptr_t)world + offset;
}

/* Of all its words but `sum` (FNV-1a, word by word): whether a file is what was written. */
RT_FUNCTION uint64_t rt_world_sum(const struct rt_world *world)
{
    const uint64_t *words = (const uint64_t *)(const void *)world;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < world->bytes / sizeof *words; i++)
        sum = (sum ^ (&words[i] == &world->sum ? 0 : words[i])) * UINT64_C(0x100000001b3);
    return sum;
}

#endif
