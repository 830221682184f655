/* builder.h - a mesh that grows, vertex by vertex and triangle by triangle.
 *
 * Failing is remembered: once memory is short, or the process was asked to stop, adding does
 * nothing, and builder_finish says what was wrong. Who adds much looks at `wrong`. */
#ifndef RT_BUILDER_H
#define RT_BUILDER_H

#include "rt/mesh.h"

struct builder {
    struct mesh mesh;
    u32 vertex_room, triangle_room;
    u16 material;      /* of triangles to come */
    u64 limit;         /* bytes that the mesh may take; 0: as much as this machine has */
    const char *wrong; /* NULL: nothing yet */
};

/* The index of the new vertex. */
u32 builder_vertex(struct builder *builder, float x, float y, float z);
void builder_triangle(struct builder *builder, u32 a, u32 b, u32 c);

/* Adds a mesh, moved by a transform (rows; the fourth column is added). Its triangles have their
 * own materials, or the builder's if it has none. */
void builder_place(struct builder *builder, const struct mesh *mesh, const float transform[3][4]);

/* Whether that many would fit; fails with how much there is if not. */
bool builder_expect(const struct builder *builder, u64 vertices, u64 triangles, const char *name,
                    struct ogv_error *error);

/* Checks the mesh and moves it out; the builder is empty then, also when it fails. */
bool builder_finish(struct builder *builder, const char *name, struct mesh *mesh,
                    struct ogv_error *error);

void builder_fini(struct builder *builder);

/* Of this machine, in bytes. */
u64 memory_there_is(void);

#endif
