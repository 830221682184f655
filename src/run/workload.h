/* workload.h - a scene on a chip: loading it, and judging what came out. */
#ifndef RUN_WORKLOAD_H
#define RUN_WORKLOAD_H

#include "arch/system.h"
#include "base/image.h"
#include "ogive/tracer.h"
#include "run/pieces.h"
#include "run/world.h"

/* What an RT core wants; see ogive/tracer.h. */
struct tree_wanted workload_wanted(const struct unit *unit);

/* What the chip's RT cores want, or, where it has none, what cores do best; fills in `nodes`,
 * `primitives` and `software`, where they are not set. */
bool workload_formats(ogv_system *system, struct world_options *options, struct ogv_error *error);

/* Puts the world into the chip's memory and tells RT cores and programs where it is. The program
 * must be there already. */
bool workload_load(ogv_system *system, const struct world *world, struct ogv_error *error);

/* Whether this world is the one that lies in the chip's memory: its header, and its rays. */
bool workload_recognise(ogv_system *system, const struct world *world, struct ogv_error *error);

/* How the hits that the chip has written compare with Embree's. */
struct workload_judgement {
    u64 rays;  /* that are not empty */
    u64 equal; /* the same triangle, or none as well */
    u64 ties;  /* another triangle at the same place, up to rounding (rt/judge.h) */
    u64 edges; /* only one of the two passes a triangle's edge, by less than rounding */
    u64 wrong;
    char first[160]; /* the first wrong one, in words */
};

/* Only for worlds that were traced; of these rays, or of all if `pieces` is NULL. */
bool workload_judge(ogv_system *system, const struct world *world, const struct pieces *pieces,
                    struct workload_judgement *judgement, struct ogv_error *error);

/* The hits that the chip has written, by pixel row after row, one for each; the caller frees. NULL
 * on failure. Only for worlds that were traced. */
struct rt_hit *workload_hits(ogv_system *system, const struct world *world,
                             struct ogv_error *error);

/* A picture of the hits: each triangle in a colour of its own, shaded by its slope. While rays are
 * still traced, those to come have hit nothing, or the first triangle. */
bool workload_pixels(ogv_system *system, const struct world *world, struct image *image,
                     struct ogv_error *error);
bool workload_picture(ogv_system *system, const struct world *world, const char *path,
                      struct ogv_error *error);

/* A picture of what each pixel cost, if programs were asked to leave that. Without a pixel's cost
 * it is black; the most expensive hundredth is white. False only on failure. */
bool workload_heatmap(ogv_system *system, const char *path, bool *written, struct ogv_error *error);

#endif
