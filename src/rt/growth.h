/* growth.h - a mesh that grows, vertex by vertex and triangle by triangle.
 *
 * Failing is remembered: once memory is short, or the process was asked to stop, adding does
 * nothing, and growth_finish says what was wrong. Who adds much looks at `wrong`. */
#ifndef RT_GROWTH_H
#define RT_GROWTH_H

#include "rt/mesh.h"

struct growth {
    struct mesh mesh;
    u32 vertex_room, triangle_room;
    u16 material;      /* of triangles to come */
    u64 limit;         /* bytes that the mesh may take; 0: as much as this machine has */
    const char *wrong; /* NULL: nothing yet */
};

/* The index of the new vertex. */
u32 growth_vertex(struct growth *growth, float x, float y, float z);
void growth_triangle(struct growth *growth, u32 a, u32 b, u32 c);

/* Adds a mesh, moved by a transform (rows; the fourth column is added). Its triangles have their
 * own materials, or the one of triangles to come if it has none. */
void growth_place(struct growth *growth, const struct mesh *mesh, const float transform[3][4]);

/* Whether that many would fit; fails with how much there is if not. */
bool growth_expect(const struct growth *growth, u64 vertices, u64 triangles, const char *name,
                   struct ogv_error *error);

/* Checks the mesh and moves it out; what is left is empty then, also when it fails. */
bool growth_finish(struct growth *growth, const char *name, struct mesh *mesh,
                   struct ogv_error *error);

void growth_fini(struct growth *growth);

/* Of this machine, in bytes. */
u64 memory_there_is(void);

#endif
