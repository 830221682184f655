/* mesh.h - triangles. */
#ifndef RT_MESH_H
#define RT_MESH_H

#include "base/error.h"
#include "ogive/types.h"

struct box {
    float low[3], high[3];
};

/* Always true, once checked: every coordinate is finite, every index is below vertex_count. */
struct mesh {
    float (*vertices)[3]; /* vertex_count, and 16 spare bytes behind them for vector loads */
    u32 (*triangles)[3];
    u16 *materials; /* by triangle, an index into the scene's; NULL: all 0 */
    u32 vertex_count, triangle_count;
};

#define MESH_SPARE_BYTES 16

/* Fails with what is wrong and where: a coordinate that is not finite, an index out of range, no
 * triangles. `name` is what the message calls it. */
bool mesh_check(const struct mesh *mesh, const char *name, struct ogv_error *error);

/* Of that, the coordinates alone. */
bool mesh_check_vertices(const struct mesh *mesh, const char *name, struct ogv_error *error);

struct box mesh_bounds(const struct mesh *mesh);

/* A transform is three rows of which the fourth column is added. */
void transform_point(const float transform[3][4], const float point[3], float out[3]);

/* Of memory that it takes. */
u64 mesh_bytes(const struct mesh *mesh);

void mesh_free(struct mesh *mesh);

#endif
