/* rt_bits.c - box, triangle, node and block tests over many made-up inputs, and a fingerprint of
 * every bit that comes out: the same natively, with vector instructions, and on the chip. */
#include <ogive/device.h>
#include <ogive/random.h>
#include <ogive/rt_trace.h>

#include <string.h>

static uint64_t fingerprint = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

static void note(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++)
        fingerprint = (fingerprint ^ at[i]) * UINT64_C(0x100000001b3);
}

/* Ordinary numbers, and now and then zeros, tiny and huge ones. */
static float number_any(uint64_t *state)
{
    uint64_t bits = random_next(state);
    float value = (float)(int32_t)(bits >> 32) * 0x1p-28f;
    switch (bits & 31) {
    case 0:
        return 0;
    case 1:
        return -0.0f;
    case 2:
        return value * 0x1p-120f;
    case 3:
        return value * 0x1p100f;
    default:
        return value;
    }
}

static struct rt_ray ray_any(uint64_t *state)
{
    struct rt_ray ray;
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = number_any(state);
        ray.direction[axis] = number_any(state);
    }
    ray.t_min = 0;
    ray.t_max = 0x1p100f;
    return ray;
}

/* NaNs of one machine need not be those of another: one stands for all. */
static void note_float(float value)
{
    if (value != value)
        value = -1;
    note(&value, sizeof value);
}

static void note_children(const struct rt_child *children, uint32_t count)
{
    note(&count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        note_float(children[i].t);
        note(&children[i].ref, sizeof children[i].ref);
    }
}

static void note_hit(const struct rt_hit *hit)
{
    note_float(hit->t);
    note_float(hit->u);
    note_float(hit->v);
    note(&hit->triangle, sizeof hit->triangle);
}

static union {
    struct rt_bvh2 bvh2;
    struct rt_bvh4 bvh4;
    struct rt_bvh6 bvh6;
    struct rt_bvh8 bvh8;
    struct rt_bvh6c bvh6c;
    struct rt_cwbvh8 cwbvh8;
    float numbers[64];
    uint8_t bytes[256];
} node;

static union {
    struct rt_tri64 tri64;
    struct rt_tristrip128 strip;
    float numbers[32];
    uint8_t bytes[128];
} block;

static void plain_try(uint64_t *state, const struct rt_slab *slab)
{
    struct rt_child children[RT_CHILDREN_MAX];
    for (int i = 0; i < 64; i++)
        node.numbers[i] = number_any(state);
    note_children(children, rt_bvh2_test(&node.bvh2, slab, 0x1p100f, children));
    note_children(children, rt_bvh4_test(&node.bvh4, slab, 0x1p100f, children));
    note_children(children, rt_bvh6_test(&node.bvh6, slab, 4, children));
    note_children(children, rt_bvh8_test(&node.bvh8, slab, 0x1p100f, children));
}

static void grid_try(uint64_t *state, const struct rt_slab *slab)
{
    struct rt_child children[RT_CHILDREN_MAX];
    for (int i = 0; i < 256; i++)
        node.bytes[i] = (uint8_t)random_next(state);
    for (int axis = 0; axis < 3; axis++) {
        node.numbers[axis] = number_any(state);
        node.bvh6c.exponents[axis] = (int8_t)(-8 + (int)random_below(state, 8));
    }
    note_children(children, rt_bvh6c_test(&node.bvh6c, slab, 0x1p100f, children));
    for (int axis = 0; axis < 3; axis++)
        node.cwbvh8.exponents[axis] = (uint8_t)(119 + random_below(state, 8));
    note_children(children, rt_cwbvh8_test(&node.cwbvh8, slab, 0x1p100f, children));
}

static void triangles_try(uint64_t *state, const struct rt_ray *ray)
{
    struct rt_shear shear = rt_shear_make(ray);
    struct rt_hit hit = rt_hit_none(ray);
    for (int i = 0; i < 32; i++)
        block.numbers[i] = number_any(state);
    rt_tri64_test(&block.tri64, 0, &shear, &hit);
    note_hit(&hit);
    rt_triangle_moeller(ray, block.tri64.vertices[0], block.tri64.vertices[1],
                        block.tri64.vertices[2], 1, &hit);
    note_hit(&hit);
    block.strip.count = 8;
    for (int i = 5; i < 29; i++)
        block.bytes[i] = (uint8_t)random_next(state);
    rt_tristrip128_test(&block.strip, 0, &shear, &hit);
    note_hit(&hit);
}

int main(int argc, char **argv)
{
    uint64_t count = ogv_argument(argc, argv, 1, 400), state = 1;
    if (ogv_hart() != 0)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        struct rt_ray ray = ray_any(&state);
        struct rt_slab slab = rt_slab_make(&ray);
        plain_try(&state, &slab);
        grid_try(&state, &slab);
        triangles_try(&state, &ray);
    }
    ogv_print("%lx\n", (unsigned long)fingerprint);
    return 0;
}
