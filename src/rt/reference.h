/* reference.h - the right answers: Embree in its robust mode.
 *
 * Rays as Embree knows them: 0 <= t_min, and everything but t_max finite. A hit counts if
 * t_min < t <= t_max. Of triangles hit at the same t the one with the lowest number is the answer.
 */
#ifndef RT_REFERENCE_H
#define RT_REFERENCE_H

#include "ogive/rt_ray.h"
#include "rt/mesh.h"

struct reference;

/* Looks at the mesh until it is freed, so the mesh has to live longer and stay as it is. */
struct reference *reference_create(const struct mesh *mesh, struct ogv_error *error);
void reference_free(struct reference *reference);

/* The closest hits of many rays, on `threads` threads (0: all processors). Empty rays miss. False
 * if it was interrupted: then not all hits are known. */
bool reference_closest(struct reference *reference, const struct rt_ray *rays, u64 count,
                       struct rt_hit *hits, u32 threads);

/* Whether anything is hit between t_min and t_max; likewise. */
bool reference_any(struct reference *reference, const struct rt_ray *rays, u64 count, bool *hits,
                   u32 threads);

#endif
