/* judge.c - the geometry, in double precision, of valid hits, ties and covered rays as the
 * header defines them. */
#include "rt/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define STEP      0x1p-24
#define RING_RAYS 16
#define SIDES     8

/* ---- Vectors ---- */

struct vector {
    double x, y, z;
};

static struct vector vector_of(const float v[3])
{
    return (struct vector){ (double)v[0], (double)v[1], (double)v[2] };
}

static struct vector add(struct vector a, struct vector b)
{
    return (struct vector){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static struct vector sub(struct vector a, struct vector b)
{
    return (struct vector){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static struct vector scaled(struct vector a, double by)
{
    return (struct vector){ a.x * by, a.y * by, a.z * by };
}

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double length(struct vector a)
{
    return sqrt(dot(a, a));
}

/* ---- Rays and triangles ---- */

struct line {
    struct vector origin, direction; /* the direction of length 1 */
    double stretch;                  /* the length of the ray's direction */
};

struct triangle {
    struct vector corners[3];
    double rounding, slack;
};

static struct line line_of(const struct rt_ray *ray)
{
    struct line line = { vector_of(ray->origin), vector_of(ray->direction), 0 };
    line.stretch = length(line.direction);
    line.direction = scaled(line.direction, 1 / line.stretch);
    return line;
}

static struct vector line_at(const struct line *line, double t)
{
    return add(line->origin, scaled(line->direction, t * line->stretch));
}

static struct vector across(const struct line *line, struct vector v)
{
    return sub(v, scaled(line->direction, dot(v, line->direction)));
}

static struct triangle triangle_of(const struct mesh *mesh, u32 number, const struct line *line)
{
    struct triangle triangle;
    double reach = 0, longest = 0, seen = 0;
    for (u32 i = 0; i < 3; i++) {
        triangle.corners[i] = vector_of(mesh->vertices[mesh->triangles[number][i]]);
        reach = fmax(reach, length(sub(triangle.corners[i], line->origin)));
    }
    for (u32 i = 0; i < 3; i++) {
        struct vector edge = sub(triangle.corners[(i + 1) % 3], triangle.corners[i]);
        longest = fmax(longest, length(edge));
        seen = fmax(seen, length(across(line, edge)));
    }
    struct vector normal = cross(sub(triangle.corners[1], triangle.corners[0]),
                                 sub(triangle.corners[2], triangle.corners[0]));
    double area = fabs(dot(normal, line->direction));
    double needle = area > 0 ? seen * seen / area : INFINITY;
    triangle.rounding = JUDGE_ROUNDING * STEP * reach;
    /* t is a mean of the corners' and never off by more than the triangle is long. */
    triangle.slack = triangle.rounding + fmin(JUDGE_NEEDLE * STEP * needle, 1) * longest;
    return triangle;
}

static double distance_to_edge(struct vector p, struct vector a, struct vector b)
{
    struct vector edge = sub(b, a);
    double square = dot(edge, edge);
    double along = square > 0 ? dot(sub(p, a), edge) / square : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    return length(sub(p, add(a, scaled(edge, along))));
}

static double distance_to(const struct triangle *triangle, struct vector p)
{
    const struct vector *c = triangle->corners;
    struct vector normal = cross(sub(c[1], c[0]), sub(c[2], c[0]));
    double size = length(normal), least = INFINITY;
    bool inside = size > 0;
    for (u32 i = 0; i < 3; i++) {
        const struct vector *from = &c[i], *to = &c[(i + 1) % 3];
        least = fmin(least, distance_to_edge(p, *from, *to));
        inside &= dot(cross(sub(*to, *from), sub(p, *from)), normal) >= 0;
    }
    return inside ? fmin(least, fabs(dot(sub(p, c[0]), normal)) / size) : least;
}

/* ---- Valid ---- */

double judge_error(const struct mesh *mesh, const struct rt_ray *ray, const struct rt_hit *hit)
{
    struct line line = line_of(ray);
    double u = (double)hit->u, v = (double)hit->v;
    if (hit->triangle >= mesh->triangle_count || !(hit->t >= ray->t_min && hit->t <= ray->t_max))
        return INFINITY;
    if (!(u >= 0 && v >= 0 && u + v <= 1 + 4 * STEP))
        return INFINITY;
    struct triangle triangle = triangle_of(mesh, hit->triangle, &line);
    const struct vector *c = triangle.corners;
    struct vector point = add(c[0], add(scaled(sub(c[1], c[0]), u), scaled(sub(c[2], c[0]), v)));
    double aside = length(across(&line, sub(point, line.origin)));
    double off = distance_to(&triangle, line_at(&line, (double)hit->t));
    return fmax(aside, off) / triangle.slack;
}

static bool is_tie(const struct mesh *mesh, const struct rt_ray *ray, const struct rt_hit *a,
                   const struct rt_hit *b)
{
    struct line line = line_of(ray);
    struct triangle first = triangle_of(mesh, a->triangle, &line);
    struct triangle second = triangle_of(mesh, b->triangle, &line);
    double slack = first.slack + second.slack;
    return distance_to(&second, line_at(&line, (double)a->t)) <= slack &&
           distance_to(&first, line_at(&line, (double)b->t)) <= slack;
}

/* ---- Covered ---- */

/* The triangles that the ray passes near to. */
struct nearby {
    struct triangle *triangles;
    u32 count;
};

static struct nearby nearby_find(const struct mesh *mesh, const struct line *line)
{
    struct nearby nearby = { 0 };
    for (u32 i = 0; i < mesh->triangle_count; i++) {
        struct vector middle = { 0, 0, 0 }, corners[3];
        double radius = 0;
        for (u32 k = 0; k < 3; k++) {
            corners[k] = vector_of(mesh->vertices[mesh->triangles[i][k]]);
            middle = add(middle, scaled(corners[k], 1.0 / 3));
        }
        for (u32 k = 0; k < 3; k++)
            radius = fmax(radius, length(sub(corners[k], middle)));
        struct vector to = sub(middle, line->origin);
        if (length(across(line, to)) > radius + 0x1p-16 * (length(to) + radius))
            continue;
        if (!(nearby.count & (nearby.count - 1)))
            nearby.triangles = heap_grow(nearby.triangles, nearby.count ? 2 * nearby.count : 1,
                                         sizeof *nearby.triangles);
        nearby.triangles[nearby.count++] = triangle_of(mesh, i, line);
    }
    return nearby;
}

/* The distance along the line, in units of t, at which it crosses the triangle, or NaN. */
static double crossing(const struct line *line, const struct triangle *triangle)
{
    const struct vector *c = triangle->corners;
    struct vector normal = cross(sub(c[1], c[0]), sub(c[2], c[0]));
    u32 left = 0, right = 0;
    for (u32 i = 0; i < 3; i++) {
        struct vector a = sub(c[i], line->origin), b = sub(c[(i + 1) % 3], line->origin);
        double side = dot(cross(a, b), line->direction);
        left += side >= 0;
        right += side <= 0;
    }
    double facing = dot(normal, line->direction);
    if ((left < 3 && right < 3) || facing == 0)
        return NAN;
    return dot(sub(c[0], line->origin), normal) / facing / line->stretch;
}

/* Whether the line hits one of them beyond doubt, after the ray's beginning and before t. */
static bool line_is_covered(const struct line *line, const struct nearby *nearby, double t_min,
                            double t)
{
    for (u32 i = 0; i < nearby->count; i++) {
        const struct triangle *triangle = &nearby->triangles[i];
        double at = crossing(line, triangle), margin = 2 * triangle->slack;
        if (!(at > t_min && at < t))
            continue;
        if (distance_to(triangle, line_at(line, t_min)) > margin &&
            (isinf(t) || distance_to(triangle, line_at(line, t)) > margin))
            return true;
    }
    return false;
}

/* The largest of those before t. */
static double rounding_of(const struct line *line, const struct nearby *nearby, double t)
{
    double rounding = 0;
    for (u32 i = 0; i < nearby->count; i++) {
        const struct triangle *triangle = &nearby->triangles[i];
        double nearest = INFINITY;
        for (u32 k = 0; k < 3; k++)
            nearest = fmin(nearest, dot(sub(triangle->corners[k], line->origin), line->direction));
        if (nearest < t * line->stretch)
            rounding = fmax(rounding, triangle->rounding);
    }
    return rounding;
}

static bool is_covered(const struct mesh *mesh, const struct rt_ray *ray, double t)
{
    static const double ring[SIDES][2] = { { 1, 0 },  { 0.7, 0.7 },   { 0, 1 },  { -0.7, 0.7 },
                                           { -1, 0 }, { -0.7, -0.7 }, { 0, -1 }, { 0.7, -0.7 } };
    struct line line = line_of(ray);
    struct nearby nearby = nearby_find(mesh, &line);
    struct vector d = line.direction, other = { fabs(d.x) < 0.6, fabs(d.x) >= 0.6, 0 };
    struct vector right = across(&line, other);
    right = scaled(right, rounding_of(&line, &nearby, t) / length(right));
    struct vector up = cross(d, right);
    bool covered = line_is_covered(&line, &nearby, (double)ray->t_min, t);
    for (u32 i = 0; i < RING_RAYS && covered; i++) {
        struct line aside = line;
        double times = i < SIDES ? 1 : 2;
        aside.origin = add(aside.origin, scaled(right, times * ring[i % SIDES][0]));
        aside.origin = add(aside.origin, scaled(up, times * ring[i % SIDES][1]));
        covered = line_is_covered(&aside, &nearby, (double)ray->t_min, t);
    }
    free(nearby.triangles);
    return covered;
}

enum verdict judge(const struct mesh *mesh, const struct rt_ray *ray, const struct rt_hit *ours,
                   const struct rt_hit *reference)
{
    bool found = ours->triangle != RT_NOTHING;
    if (found && !(judge_error(mesh, ray, ours) <= 1))
        return VERDICT_WRONG;
    if (ours->triangle == reference->triangle)
        return VERDICT_SAME;
    if (found && reference->triangle != RT_NOTHING && is_tie(mesh, ray, ours, reference))
        return VERDICT_TIE;
    return is_covered(mesh, ray, (double)ours->t) ? VERDICT_WRONG : VERDICT_EDGE;
}
