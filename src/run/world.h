/* world.h - a scene made ready for programs: imported, built into a tree, laid out in memory.
 *
 * What programs see is described in ogive/rt_world.h. */
#ifndef RUN_WORLD_H
#define RUN_WORLD_H

#include "base/hash.h"
#include "ogive/purpose.h"
#include "ogive/rt_world.h"
#include "ogive/stream.h"
#include "rt/bvh.h"
#include "rt/rays.h"
#include "rt/scene.h"

struct world_options {
    const char *scene; /* name or file; NULL: the default scene */
    struct scene_options generator;
    const char *camera;        /* name; NULL: the scene's first */
    const struct camera *view; /* instead of one of the scene's; NULL: no */
    bool traced;               /* one ray of `rays` per pixel is made beforehand */
    enum ray_kind rays;
    const struct rt_ray *own_rays; /* instead of making them, width * height; NULL: no */
    u32 width, height;             /* pixels */
    u32 samples, bounces;          /* for programs that make their own rays */
    u64 seed;
    const struct node_format *nodes;
    const struct primitive_format *primitives;
    enum bvh_builder builder;
    bool builder_given;                            /* else it is what the machine has */
    u32 treelet_bytes;                             /* 0: what the machine has, or none */
    bool heatmap;                                  /* programs leave what pixels cost */
    bool software;                                 /* cores walk the tree themselves */
    enum stream_mode streams;                      /* how the machine holds rays, if it does */
    bool pipelines;                                /* it has instructions for tests */
    u32 threads;                                   /* of the host */
    void (*note)(void *context, const char *text); /* what is being done; may be NULL */
    void *context;
};

struct world {
    struct rt_world header;
    struct scene scene;
    struct bvh bvh;
    struct ray_set rays;    /* unless traced, only their pixels */
    struct rt_hit *answers; /* Embree's, by ray */
    struct rt_material *materials;
    struct rt_lamp *lamps;
    struct camera camera;
    char mesh_hash[HASH_TEXT_BYTES];
};

#define SCENE_DEFAULT         "arcade"
#define WORLD_SIDE_DEFAULT    256 /* pixels */
#define WORLD_SAMPLES_DEFAULT 1
#define WORLD_BOUNCES_DEFAULT 4
#define WORLD_SEED_DEFAULT    1

#define WORLD_SIDE_MAX        16384
#define WORLD_SAMPLES_MAX     65536
#define WORLD_BOUNCES_MAX     64

bool world_prepare(const struct world_options *options, struct world *world,
                   struct ogv_error *error);

/* Calls `put` for each part of it, with the offset from its first byte. What is not put is zero. */
typedef bool world_put(void *context, u64 offset, const void *bytes, u64 length,
                       struct ogv_error *error);
bool world_write(const struct world *world, world_put *put, void *context, struct ogv_error *error);

/* Calls `mark` for each part with what it is for, with the offset from its first byte. */
typedef bool world_mark(void *context, u64 offset, u64 length, enum purpose purpose,
                        struct ogv_error *error);
bool world_purposes(const struct world *world, world_mark *mark, void *context,
                    struct ogv_error *error);

/* To a file, for native builds of programs (OGIVE_WORLD). */
bool world_save(const struct world *world, const char *path, struct ogv_error *error);

/* Frees what lies in the chip's memory by now: the tree, the rays' places. */
void world_shrink(struct world *world);
void world_free(struct world *world);

#endif
