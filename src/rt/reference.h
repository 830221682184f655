/* reference.h - the right answers: Embree in its robust mode. */
#ifndef RT_REFERENCE_H
#define RT_REFERENCE_H

#include "ogive/rt_ray.h"
#include "rt/mesh.h"

struct reference;

struct reference *reference_create(const struct mesh *mesh, struct ogv_error *error);
void reference_free(struct reference *reference);

/* The closest hits of many rays, on `threads` threads (0: all processors). Empty rays miss. */
void reference_closest(struct reference *reference, const struct rt_ray *rays, u64 count,
                       struct rt_hit *hits, u32 threads);

/* Whether anything is hit between t_min and t_max. */
void reference_any(struct reference *reference, const struct rt_ray *rays, u64 count, bool *hits,
                   u32 threads);

#endif
