/* lamps.h - the triangles of a scene that give light, to be chosen by their power. */
#ifndef RT_LAMPS_H
#define RT_LAMPS_H

#include "rt/scene.h"

struct lamps {
    u32 *triangles;
    float *sums; /* of power, up to and with each */
    u32 count;
    float power;
};

void lamps_find(const struct scene *scene, struct lamps *lamps);
void lamps_free(struct lamps *lamps);

#endif
