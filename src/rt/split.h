/* split.h - spatial splits: the boxes of a triangle on either side of a plane, for Embree. */
#ifndef RT_SPLIT_H
#define RT_SPLIT_H

#include "rt/embree.h"
#include "rt/mesh.h"

struct splitter {
    const struct mesh *mesh;
    u64 number;   /* see splitter_init */
    float unit;   /* what 1 in the mesh is in the boxes */
    float margin; /* of the boxes, in their numbers */
};

/* Threads remember triangles by the splitter's number, which no other splitter gets. */
void splitter_init(struct splitter *splitter, const struct mesh *mesh, float unit, float margin);

/* Embree's callback; `user` is a splitter. The boxes cover all of the triangle that lies in the
 * box of the primitive: they overlap by more than the rounding of where edges meet the plane. */
void split_primitive(const struct RTCBuildPrimitive *primitive, unsigned axis, float plane,
                     struct RTCBounds *left, struct RTCBounds *right, void *user);

#endif
