/* embree.c - builds Embree's own tree of a mesh and times its answers to a list of rays, on one
 * thread. */
#include "embree.h"

#include <stdio.h>

#include "measure.h"

struct embree embree_make(const struct mesh *mesh, u32 threads)
{
    char config[32] = "";
    struct embree embree;
    if (threads)
        snprintf(config, sizeof config, "threads=%u", threads);
    embree.device = rtcNewDevice(config);
    embree.scene = rtcNewScene(embree.device);
    rtcSetSceneBuildQuality(embree.scene, RTC_BUILD_QUALITY_HIGH);
    RTCGeometry geometry = rtcNewGeometry(embree.device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               mesh->vertices, 0, sizeof *mesh->vertices, mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               mesh->triangles, 0, sizeof *mesh->triangles, mesh->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(embree.scene, geometry);
    rtcReleaseGeometry(geometry);
    return embree;
}

void embree_free(struct embree *embree)
{
    rtcReleaseScene(embree->scene);
    rtcReleaseDevice(embree->device);
}

double embree_trace(RTCScene scene, const struct ray_set *set)
{
    double begun = work_clock();
    u64 hits = 0;
#if OGIVE_EMBREE != 4
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
#endif
    for (u64 i = 0; i < set->count; i++) {
        const struct rt_ray *ray = &set->rays[i];
        struct RTCRayHit query = { .ray = { .org_x = ray->origin[0],
                                            .org_y = ray->origin[1],
                                            .org_z = ray->origin[2],
                                            .tnear = ray->t_min,
                                            .dir_x = ray->direction[0],
                                            .dir_y = ray->direction[1],
                                            .dir_z = ray->direction[2],
                                            .tfar = ray->t_max,
                                            .mask = UINT32_MAX },
                                   .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
#if OGIVE_EMBREE == 4
        rtcIntersect1(scene, &query, NULL);
#else
        rtcIntersect1(scene, &context, &query);
#endif
        hits += query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    }
    double spent = work_clock() - begun;
    return hits ? spent : 0;
}
