/* reference.c - see reference.h.
 *
 * Among triangles hit at exactly the same t the answer is the one with the lowest number: a filter
 * that sees every candidate keeps it. So an answer does not depend on the shape of Embree's tree.
 *
 * Embree may leave the processor flushing denormal numbers to zero. Every thread that goes in comes
 * out with the floating-point environment it had. */
#include "rt/reference.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "base/stop.h"
#include "base/text.h"
#include "rt/embree.h"
#include "rt/parallel.h"

#if OGIVE_EMBREE == 4
typedef struct RTCRayQueryContext query_context;
#else
typedef struct RTCIntersectContext query_context;
#endif

#define CHUNK_RAYS       4096
#define THREADS_MAX      256

/* Embree leaves out triangles that reach beyond this (FLT_LARGE in its sources). */
#define COORDINATE_LIMIT 1.844e18f

struct reference {
    RTCScene scene;
};

/* What the filter knows of the ray; Embree hands the context back to it. */
struct query {
    query_context context;
    float t;
    u32 triangle;
};

static void query_begin(struct query *query)
{
#if OGIVE_EMBREE == 4
    rtcInitRayQueryContext(&query->context);
#else
    rtcInitIntersectContext(&query->context);
#endif
    query->t = INFINITY;
    query->triangle = RT_NOTHING;
}

static void query_closest(RTCScene scene, struct query *query, struct RTCRayHit *found)
{
#if OGIVE_EMBREE == 4
    struct RTCIntersectArguments arguments;
    rtcInitIntersectArguments(&arguments);
    arguments.context = &query->context;
    rtcIntersect1(scene, found, &arguments);
#else
    rtcIntersect1(scene, &query->context, found);
#endif
}

static void query_any(RTCScene scene, struct query *query, struct RTCRay *ray)
{
#if OGIVE_EMBREE == 4
    struct RTCOccludedArguments arguments;
    rtcInitOccludedArguments(&arguments);
    arguments.context = &query->context;
    rtcOccluded1(scene, ray, &arguments);
#else
    rtcOccluded1(scene, &query->context, ray);
#endif
}

/* Called for single rays only: N is 1, and ray and hit are plain structures. */
static void reference_filter(const struct RTCFilterFunctionNArguments *arguments)
{
    struct query *query = (struct query *)arguments->context;
    const struct RTCRay *ray = (const struct RTCRay *)arguments->ray;
    const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
    if (ray->tfar == query->t && hit->primID > query->triangle) {
        arguments->valid[0] = 0;
        return;
    }
    query->t = ray->tfar;
    query->triangle = hit->primID;
}

static bool reference_check(const struct mesh *mesh, struct ogv_error *error)
{
    for (u32 i = 0; i < mesh->vertex_count; i++)
        for (u32 k = 0; k < 3; k++)
            if (!(fabsf(mesh->vertices[i][k]) <= COORDINATE_LIMIT))
                return error_user(error,
                                  "vertex %u has the coordinate %g: for reference hits, "
                                  "coordinates must lie within +-%g",
                                  i, (double)mesh->vertices[i][k], (double)COORDINATE_LIMIT);
    return true;
}

/* Asked by Embree while it builds: whether to go on. */
static bool commit_goes_on(void *user, double done)
{
    (void)user;
    (void)done;
    return !stop_asked();
}

static bool reference_attach(struct reference *reference, const struct mesh *mesh,
                             struct ogv_error *error)
{
    RTCDevice device = embree_device();
    rtcGetDeviceError(device); /* forgets what went wrong before */
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    reference->scene = rtcNewScene(device);
    if (!geometry || !reference->scene)
        return error_system(error, "Embree has no memory for a scene");
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               mesh->vertices, 0, sizeof mesh->vertices[0], mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               mesh->triangles, 0, sizeof mesh->triangles[0], mesh->triangle_count);
    rtcSetGeometryIntersectFilterFunction(geometry, reference_filter);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(reference->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneFlags(reference->scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneProgressMonitorFunction(reference->scene, commit_goes_on, NULL);
    if (!stop_asked())
        rtcCommitScene(reference->scene);
    enum RTCError status = rtcGetDeviceError(device);
    if (stop_asked())
        return stop_error(error, "building the tree for reference hits");
    if (status != RTC_ERROR_NONE)
        return error_system(error, "Embree cannot build a scene of %u triangles%s",
                            mesh->triangle_count,
                            status == RTC_ERROR_OUT_OF_MEMORY ? ": not enough memory" : "");
    return true;
}

struct reference *reference_create(const struct mesh *mesh, struct ogv_error *error)
{
    if (!reference_check(mesh, error))
        return NULL;
    fenv_t environment;
    fegetenv(&environment);
    struct reference *reference = heap_array(1, sizeof *reference);
    bool made = embree_device() ? reference_attach(reference, mesh, error)
                                : error_system(error, "Embree cannot start on this machine");
    if (!made) {
        reference_free(reference);
        reference = NULL;
    }
    fesetenv(&environment);
    return reference;
}

void reference_free(struct reference *reference)
{
    if (!reference)
        return;
    if (reference->scene)
        rtcReleaseScene(reference->scene);
    free(reference);
}

/* Many rays, in chunks. One of closest and any is set. */
struct batch {
    RTCScene scene;
    const struct rt_ray *rays;
    u64 count;
    struct rt_hit *closest;
    bool *any;
};

static struct RTCRay reference_ray(const struct rt_ray *ray)
{
    return (struct RTCRay){
        .org_x = ray->origin[0],
        .org_y = ray->origin[1],
        .org_z = ray->origin[2],
        .tnear = ray->t_min,
        .dir_x = ray->direction[0],
        .dir_y = ray->direction[1],
        .dir_z = ray->direction[2],
        .tfar = ray->t_max,
        .mask = UINT32_MAX,
    };
}

static struct rt_hit closest_hit(RTCScene scene, const struct rt_ray *ray)
{
    if (rt_ray_is_empty(ray))
        return rt_hit_none(ray);
    struct query query;
    struct RTCRayHit found = { .ray = reference_ray(ray) };
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query_begin(&query);
    query_closest(scene, &query, &found);
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return rt_hit_none(ray);
    return (struct rt_hit){ found.ray.tfar, found.hit.u, found.hit.v, found.hit.primID };
}

static bool any_hit(RTCScene scene, const struct rt_ray *ray)
{
    if (rt_ray_is_empty(ray))
        return false;
    struct query query;
    struct RTCRay asked = reference_ray(ray);
    query_begin(&query);
    query_any(scene, &query, &asked);
    return asked.tfar < 0; /* Embree's sign for "something is there": -infinity */
}

static void batch_chunk(void *context, u32 index)
{
    const struct batch *batch = context;
    u64 to = min_u64((index + UINT64_C(1)) * CHUNK_RAYS, batch->count);
    fenv_t environment;
    fegetenv(&environment);
    for (u64 i = (u64)index * CHUNK_RAYS; i < to; i++) {
        if (batch->closest)
            batch->closest[i] = closest_hit(batch->scene, &batch->rays[i]);
        else
            batch->any[i] = any_hit(batch->scene, &batch->rays[i]);
    }
    fesetenv(&environment);
}

static bool batch_run(struct batch *batch, u32 threads)
{
    u32 chunks = (u32)((batch->count + CHUNK_RAYS - 1) / CHUNK_RAYS);
    return parallel_run(threads, chunks, batch_chunk, batch);
}

bool reference_closest(struct reference *reference, const struct rt_ray *rays, u64 count,
                       struct rt_hit *hits, u32 threads)
{
    struct batch batch = { reference->scene, rays, count, hits, NULL };
    return batch_run(&batch, threads);
}

bool reference_any(struct reference *reference, const struct rt_ray *rays, u64 count, bool *hits,
                   u32 threads)
{
    struct batch batch = { reference->scene, rays, count, NULL, hits };
    return batch_run(&batch, threads);
}
