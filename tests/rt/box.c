/* box.c - the slab test against an answer in long double precision, and at the edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ogive/rt_box.h"
#include "random_values.h"

/* Whether the ray truly enters the box, in so much more precision that rounding does not matter. */
static bool box_entered(const struct rt_ray *ray, const struct box *box, long double best,
                        long double *t)
{
    long double near = ray->t_min, far = best;
    for (int axis = 0; axis < 3; axis++) {
        long double low = (long double)box->low[axis] - ray->origin[axis];
        long double high = (long double)box->high[axis] - ray->origin[axis];
        long double direction = ray->direction[axis];
        if (direction == 0 && (low > 0 || high < 0))
            return false;
        if (direction == 0)
            continue;
        near = fmaxl(near, fminl(low / direction, high / direction));
        far = fminl(far, fmaxl(low / direction, high / direction));
    }
    *t = near;
    return near <= far;
}

static void ray_check(const struct rt_ray *ray, const struct box *box, float best)
{
    long double truly;
    float t;
    struct rt_slab slab = rt_slab_make(ray);
    bool entered = box_entered(ray, box, best, &truly);
    bool found = rt_slab_enters(&slab, best, box->low, box->high, &t);
    if (!entered)
        return;
    assert_true(found);
    assert_true(t >= ray->t_min);
    assert_true((long double)t <= fmaxl(truly, ray->t_min) + (long double)FLT_MIN);
}

/* A ray that ends in or on the box, so that about half of all are hits by a hair. */
static struct rt_ray ray_towards(u64 *state, const struct box *box, int low, int high)
{
    struct rt_ray ray = { .t_max = INFINITY };
    for (int axis = 0; axis < 3; axis++) {
        float part = (float)random_below(state, 3) / 2;
        float target = box->low[axis] + (box->high[axis] - box->low[axis]) * part;
        ray.origin[axis] = random_below(state, 4) ? value_scaled(state, low, high) : target;
        ray.direction[axis] = target - ray.origin[axis];
    }
    return ray;
}

static void true_hits_are_never_missed(void **unused)
{
    (void)unused;
    u64 state = 1;
    for (int i = 0; i < 300000; i++) {
        struct box box = box_any(&state, -3, 3);
        struct rt_ray ray = ray_towards(&state, &box, -3, 3);
        ray_check(&ray, &box, INFINITY);
        ray_check(&ray, &box, 1);
    }
}

static void hostile_scales(void **unused)
{
    (void)unused;
    u64 state = 2;
    for (int i = 0; i < 300000; i++) {
        struct box box = box_any(&state, -60, 60);
        struct rt_ray ray = ray_towards(&state, &box, -60, 60);
        ray_check(&ray, &box, INFINITY);
        box = box_any(&state, -140, -100);
        ray = ray_towards(&state, &box, -140, -100);
        ray_check(&ray, &box, INFINITY);
    }
}

static const struct box unit = { { 0, 0, 0 }, { 1, 1, 1 } };

static bool enters(struct rt_ray ray, float best, float *t)
{
    struct rt_slab slab = rt_slab_make(&ray);
    return rt_slab_enters(&slab, best, unit.low, unit.high, t);
}

static void rays_along_axes(void **unused)
{
    (void)unused;
    float t;
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct rt_ray ray = { .origin = { 0.5f, 0.5f, 0.5f }, .t_max = INFINITY };
            ray.direction[axis] = (float)sign;
            ray.origin[axis] = (float)(-3 * sign);
            assert_true(enters(ray, INFINITY, &t));
            assert_true(fabsf(t - (sign > 0 ? 3 : 2)) < 1e-5f);
            ray.origin[(axis + 1) % 3] = 1; /* within a face */
            assert_true(enters(ray, INFINITY, &t));
            ray.origin[(axis + 2) % 3] = 0; /* along an edge */
            assert_true(enters(ray, INFINITY, &t));
            ray.direction[(axis + 1) % 3] = -0.0f;
            assert_true(enters(ray, INFINITY, &t));
            ray.origin[(axis + 1) % 3] = nextafterf(1, 2);
            assert_false(enters(ray, 1000, &t));
        }
}

static void limits_of_the_ray(void **unused)
{
    (void)unused;
    float t;
    struct rt_ray ray = { { -2, 0.5f, 0.5f }, 0, { 1, 0, 0 }, INFINITY };
    assert_true(enters(ray, 2, &t));
    assert_false(enters(ray, 1.99f, &t));
    ray.t_min = 3;
    assert_true(enters(ray, INFINITY, &t) && t == 3);
    ray.t_min = 3.01f;
    assert_false(enters(ray, INFINITY, &t));
}

static void rays_that_are_none(void **unused)
{
    (void)unused;
    float t;
    const float bad[] = { INFINITY, -INFINITY, NAN };
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            struct rt_ray ray = { { 0.5f, 0.5f, 0.5f }, 0, { 1, 1, 1 }, INFINITY };
            ray.direction[axis] = bad[i];
            assert_false(enters(ray, INFINITY, &t));
            ray.direction[axis] = 1;
            ray.origin[axis] = bad[i];
            assert_false(enters(ray, INFINITY, &t));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_hits_are_never_missed),
        cmocka_unit_test(hostile_scales),
        cmocka_unit_test(rays_along_axes),
        cmocka_unit_test(limits_of_the_ray),
        cmocka_unit_test(rays_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
