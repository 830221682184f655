/* triangle.c - the triangle tests against an answer in long double precision, and at the edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ogive/rt_triangle.h"
#include "random_values.h"

typedef int triangle_test(const struct rt_ray *ray, float triangle[3][3], u32 number,
                          struct rt_hit *hit);

static int watertight(const struct rt_ray *ray, float triangle[3][3], u32 number,
                      struct rt_hit *hit)
{
    struct rt_shear shear = rt_shear_make(ray);
    return rt_triangle_watertight(&shear, triangle[0], triangle[1], triangle[2], number, hit);
}

static int moeller(const struct rt_ray *ray, float triangle[3][3], u32 number, struct rt_hit *hit)
{
    return rt_triangle_moeller(ray, triangle[0], triangle[1], triangle[2], number, hit);
}

static triangle_test *const both[] = { watertight, moeller };

/* t, u and v by Cramer's rule. */
static bool triangle_solve(const struct rt_ray *ray, float triangle[3][3], long double out[3])
{
    long double ab[3], ac[3], ao[3], d[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = (long double)triangle[1][i] - triangle[0][i];
        ac[i] = (long double)triangle[2][i] - triangle[0][i];
        ao[i] = (long double)ray->origin[i] - triangle[0][i];
        d[i] = ray->direction[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p[i] = d[j] * ac[k] - d[k] * ac[j];
        q[i] = ao[j] * ab[k] - ao[k] * ab[j];
    }
    long double det = ab[0] * p[0] + ab[1] * p[1] + ab[2] * p[2];
    out[0] = (ac[0] * q[0] + ac[1] * q[1] + ac[2] * q[2]) / det;
    out[1] = (ao[0] * p[0] + ao[1] * p[1] + ao[2] * p[2]) / det;
    out[2] = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    return fabsl(det) > 1e-4L;
}

static void random_triangles(void **unused)
{
    (void)unused;
    u64 state = 3;
    int inside = 0;
    for (int i = 0; i < 200000; i++) {
        float triangle[3][3];
        struct rt_ray ray = { .t_max = INFINITY };
        long double solved[3];
        for (int k = 0; k < 9; k++)
            triangle[k / 3][k % 3] = value_between(&state, -1, 1);
        for (int k = 0; k < 3; k++) {
            ray.origin[k] = value_between(&state, -2, 2);
            ray.direction[k] = value_between(&state, -1, 1);
        }
        if (!triangle_solve(&ray, triangle, solved))
            continue;
        long double margin = fminl(fminl(solved[1], solved[2]), 1 - solved[1] - solved[2]);
        margin = fminl(margin, solved[0]);
        inside += margin > 0;
        for (int k = 0; k < 2; k++) {
            struct rt_hit hit = rt_hit_none(&ray);
            bool kept = both[k](&ray, triangle, 7, &hit);
            if (fabsl(margin) < 1e-2L)
                continue;
            assert_int_equal(kept, margin > 0);
            assert_int_equal(hit.triangle, kept ? 7 : RT_NOTHING);
            if (kept) {
                assert_true(fabsl(hit.t - solved[0]) < 1e-2L * (1 + fabsl(solved[0])));
                assert_true(fabsl(hit.u - solved[1]) < 1e-2L && fabsl(hit.v - solved[2]) < 1e-2L);
            }
        }
    }
    assert_true(inside > 1000);
}

/* A closed surface: a sphere of triangles, its vertices moved about. Rays from inside aim exactly
 * at vertices and at points of edges. */
#define RINGS   16
#define SECTORS 24
static float sphere[RINGS + 1][SECTORS][3];

static void sphere_make(u64 *state)
{
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s < SECTORS; s++) {
            double a = M_PI * r / RINGS, b = 2 * M_PI * s / SECTORS;
            double radius = r == 0 || r == RINGS ? 1 : 1 + 0.3 * (double)value_unit(state);
            bool pole = r == 0 || r == RINGS;
            sphere[r][s][0] = pole ? 0 : (float)(radius * sin(a) * cos(b));
            sphere[r][s][1] = pole ? 0 : (float)(radius * sin(a) * sin(b));
            sphere[r][s][2] = (float)(radius * cos(a));
        }
}

static bool sphere_hit(const struct rt_ray *ray)
{
    struct rt_hit hit = rt_hit_none(ray);
    struct rt_shear shear = rt_shear_make(ray);
    for (int r = 0; r < RINGS; r++)
        for (int s = 0; s < SECTORS; s++) {
            int next = (s + 1) % SECTORS;
            const float *a = sphere[r][s], *b = sphere[r][next];
            const float *c = sphere[r + 1][s], *d = sphere[r + 1][next];
            rt_triangle_watertight(&shear, a, b, c, 0, &hit);
            rt_triangle_watertight(&shear, d, c, b, 1, &hit);
        }
    return hit.triangle != RT_NOTHING;
}

static void closed_surfaces_do_not_leak(void **unused)
{
    (void)unused;
    u64 state = 4;
    for (int round = 0; round < 3; round++) {
        sphere_make(&state);
        for (int i = 0; i < 4000; i++) {
            const float *a = sphere[random_below(&state, RINGS)][random_below(&state, SECTORS)];
            const float *b = a;
            if (i % 2) { /* along a ring */
                int r = (int)random_below(&state, RINGS), s = (int)random_below(&state, SECTORS);
                a = sphere[r][s];
                b = sphere[r][(s + 1) % SECTORS];
            }
            struct rt_ray ray = { .t_max = INFINITY };
            float part = value_unit(&state);
            for (int k = 0; k < 3; k++) {
                ray.origin[k] = i % 3 ? value_between(&state, -0.3f, 0.3f) : 0;
                ray.direction[k] = a[k] + (b[k] - a[k]) * part - ray.origin[k];
            }
            assert_true(sphere_hit(&ray));
        }
    }
}

static void triangles_without_area(void **unused)
{
    (void)unused;
    float point[3][3] = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };
    float line[3][3] = { { 0, 0, 1 }, { 1, 1, 1 }, { 2, 2, 1 } };
    struct rt_ray at_point = { { 0, 0, 0 }, 0, { 1, 1, 1 }, INFINITY };
    struct rt_ray at_line = { { 1, 1, 0 }, 0, { 0, 0, 1 }, INFINITY };
    struct rt_ray nowhere = { { 0, 0, 0 }, 0, { 0, 0, 0 }, INFINITY };
    float good[3][3] = { { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 } };
    for (int k = 0; k < 2; k++) {
        struct rt_hit hit = rt_hit_none(&at_point);
        assert_false(both[k](&at_point, point, 0, &hit));
        assert_false(both[k](&at_line, line, 0, &hit));
        assert_false(both[k](&nowhere, good, 0, &hit));
    }
}

static void ends_of_the_ray_count(void **unused)
{
    (void)unused;
    float triangle[3][3] = { { -1, -1, 2 }, { 1, -1, 2 }, { 0, 1, 2 } };
    for (int k = 0; k < 2; k++) {
        struct rt_ray ray = { { 0, 0, 0 }, 2, { 0, 0, 1 }, 2 };
        struct rt_hit hit = rt_hit_none(&ray);
        assert_true(both[k](&ray, triangle, 5, &hit) && hit.t == 2);
        ray.t_max = nextafterf(2, 0);
        ray.t_min = 0;
        hit = rt_hit_none(&ray);
        assert_false(both[k](&ray, triangle, 5, &hit));
        ray.t_max = 3;
        ray.t_min = nextafterf(2, 3);
        hit = rt_hit_none(&ray);
        assert_false(both[k](&ray, triangle, 5, &hit));
        ray.origin[2] = 2; /* from the surface */
        ray.t_min = 0;
        hit = rt_hit_none(&ray);
        assert_true(both[k](&ray, triangle, 5, &hit) && hit.t == 0);
    }
}

static void of_equals_the_smaller_number(void **unused)
{
    (void)unused;
    float triangle[3][3] = { { -1, -1, 2 }, { 1, -1, 2 }, { 0, 1, 2 } };
    struct rt_ray ray = { { 0, 0, 0 }, 0, { 0, 0, 1 }, INFINITY };
    for (int k = 0; k < 2; k++) {
        struct rt_hit hit = rt_hit_none(&ray);
        assert_true(both[k](&ray, triangle, 5, &hit));
        assert_false(both[k](&ray, triangle, 6, &hit));
        assert_int_equal(hit.triangle, 5);
        assert_true(both[k](&ray, triangle, 4, &hit));
        assert_false(both[k](&ray, triangle, 4, &hit));
        assert_int_equal(hit.triangle, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_triangles),
        cmocka_unit_test(closed_surfaces_do_not_leak),
        cmocka_unit_test(triangles_without_area),
        cmocka_unit_test(ends_of_the_ray_count),
        cmocka_unit_test(of_equals_the_smaller_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
