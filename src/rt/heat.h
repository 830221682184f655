/* heat.h - what the rays of a picture cost: nodes and triangles per pixel. */
#ifndef RT_HEAT_H
#define RT_HEAT_H

#include "rt/bvh.h"
#include "rt/rays.h"

struct heat {
    u32 *nodes; /* visited, by pixel: row * width + column; or any other cost */
    u32 width, height;
    u64 rays, hits;           /* empty rays are not counted */
    struct bvh_visits visits; /* of all rays together */
};

/* Traces every ray with a stack that holds as many entries as it takes; false if interrupted. */
bool heat_trace(const struct bvh *bvh, const struct ray_set *rays, u32 threads, struct heat *heat);

/* As few visits as all but one pixel in a hundred have or fewer: the end of a good scale. */
u32 heat_scale(const struct heat *heat);

/* Red, green, blue, alpha of every pixel: from black (0) over blue, red and yellow to white
 * (`scale` and more). The caller frees. */
u8 *heat_picture(const struct heat *heat, u32 scale);

void heat_free(struct heat *heat);

#endif
