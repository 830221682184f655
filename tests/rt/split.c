/* split.c - the two boxes of a triangle that is cut cover it, and are hardly larger than they must
 * be, whatever was cut before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "random_values.h"
#include "rt/split.h"

#define TRIANGLES 2000
#define PLANES    12

static float vertices[3 * TRIANGLES + 2][3]; /* two spare for vector loads */
static u32 triangles[TRIANGLES][3];
static const struct mesh mesh = { vertices, triangles, NULL, 3 * TRIANGLES, TRIANGLES };

/* With whole coordinates planes pass through corners, and triangles are flat or lines. */
static void mesh_fill(u64 seed, bool whole)
{
    for (u32 i = 0; i < 3 * TRIANGLES; i++) {
        triangles[i / 3][i % 3] = i;
        for (u32 k = 0; k < 3; k++)
            vertices[i][k] = whole ? (float)random_below(&seed, 5) : value_scaled(&seed, -6, 3);
    }
}

static struct RTCBuildPrimitive primitive_in(u32 triangle, const struct box *box)
{
    return (struct RTCBuildPrimitive){ .lower_x = box->low[0],
                                       .lower_y = box->low[1],
                                       .lower_z = box->low[2],
                                       .upper_x = box->high[0],
                                       .upper_y = box->high[1],
                                       .upper_z = box->high[2],
                                       .primID = triangle };
}

static struct box triangle_box(u32 triangle)
{
    struct box box;
    for (u32 k = 0; k < 3; k++) {
        const u32 *corners = triangles[triangle];
        float a = vertices[corners[0]][k], b = vertices[corners[1]][k], c = vertices[corners[2]][k];
        box.low[k] = fminf(a, fminf(b, c));
        box.high[k] = fmaxf(a, fmaxf(b, c));
    }
    return box;
}

static struct box box_of(const struct RTCBounds *bounds)
{
    return (struct box){ { bounds->lower_x, bounds->lower_y, bounds->lower_z },
                         { bounds->upper_x, bounds->upper_y, bounds->upper_z } };
}

/* A cut, with its results. */
struct cutting {
    u32 triangle, axis;
    float plane;
    struct box below, above;
};

/* A plane within the triangle's box, or any if it has no width there. */
static struct cutting cutting_any(u64 *seed, u32 triangle, bool whole)
{
    struct cutting cutting = { .triangle = triangle, .axis = (u32)random_below(seed, 3) };
    struct box box = triangle_box(triangle);
    float low = box.low[cutting.axis], high = box.high[cutting.axis];
    cutting.plane = whole ? (float)random_below(seed, 9) / 2 : value_between(seed, low, high);
    return cutting;
}

static void cutting_do(struct cutting *cutting, struct splitter *splitter)
{
    struct box box = triangle_box(cutting->triangle);
    struct RTCBuildPrimitive primitive = primitive_in(cutting->triangle, &box);
    struct RTCBounds left, right;
    split_primitive(&primitive, cutting->axis, cutting->plane, &left, &right, splitter);
    cutting->below = box_of(&left);
    cutting->above = box_of(&right);
}

/* ---- What is right ---- */

static bool box_holds(const struct box *box, const double point[3])
{
    bool holds = true;
    for (u32 k = 0; k < 3; k++)
        holds &= point[k] >= (double)box->low[k] && point[k] <= (double)box->high[k];
    return holds;
}

/* The point of edge i on the plane; false if it does not reach it. */
static bool edge_meets(const struct cutting *cutting, u32 i, double point[3])
{
    const float *a = vertices[3 * cutting->triangle + i];
    const float *b = vertices[3 * cutting->triangle + (i + 1) % 3];
    u32 axis = cutting->axis;
    double from = (double)a[axis], span = (double)b[axis] - from;
    double t = ((double)cutting->plane - from) / span;
    for (u32 k = 0; k < 3; k++)
        point[k] = (double)a[k] + t * ((double)b[k] - (double)a[k]);
    point[axis] = (double)cutting->plane;
    return span != 0 && t >= 0 && t <= 1;
}

/* Grows a box that has everything on one side. */
static void box_add(double low[3], double high[3], const double point[3])
{
    for (u32 k = 0; k < 3; k++) {
        low[k] = fmin(low[k], point[k]);
        high[k] = fmax(high[k], point[k]);
    }
}

/* The part on a side (-1 or 1), in double precision, lies in the box, which is hardly larger. */
static void side_check(const struct cutting *cutting, const struct box *box, double side)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    bool some = false;
    for (u32 i = 0; i < 3; i++) {
        const float *v = vertices[3 * cutting->triangle + i];
        double corner[3] = { (double)v[0], (double)v[1], (double)v[2] }, cross[3];
        if ((corner[cutting->axis] - (double)cutting->plane) * side >= 0) {
            assert_true(box_holds(box, corner));
            box_add(low, high, corner);
            some = true;
        }
        if (edge_meets(cutting, i, cross)) {
            assert_true(box_holds(box, cross));
            box_add(low, high, cross);
            some = true;
        }
    }
    for (u32 k = 0; k < 3 && some; k++) {
        assert_true((double)box->low[k] >= low[k] - 0x1p-15);
        assert_true((double)box->high[k] <= high[k] + 0x1p-15);
    }
    for (u32 k = 0; k < 3 && !some; k++)
        assert_true(box->low[k] > box->high[k]);
}

static void cutting_check(const struct cutting *cutting)
{
    side_check(cutting, &cutting->below, -1);
    side_check(cutting, &cutting->above, 1);
    assert_true(cutting->below.high[cutting->axis] <= cutting->plane);
    assert_true(cutting->above.low[cutting->axis] >= cutting->plane);
}

/* ---- Tests ---- */

static void both_boxes_cover_the_triangle(void **unused)
{
    struct splitter splitter;
    u64 seed = 7;
    (void)unused;
    for (u32 whole = 0; whole < 2; whole++) {
        mesh_fill(11, whole);
        splitter_init(&splitter, &mesh, 1, 0);
        for (u32 i = 0; i < TRIANGLES * PLANES; i++) {
            struct cutting cutting = cutting_any(&seed, i / PLANES, whole);
            cutting_do(&cutting, &splitter);
            cutting_check(&cutting);
        }
    }
}

/* Embree cuts what is left of a triangle again and again. */
static void slices_cover_the_triangle(void **unused)
{
    struct splitter splitter;
    (void)unused;
    mesh_fill(12, false);
    splitter_init(&splitter, &mesh, 1, 0);
    for (u32 i = 0; i < TRIANGLES; i++) {
        struct box rest = triangle_box(i);
        u32 axis = i % 3;
        float low = rest.low[axis], high = rest.high[axis];
        for (u32 k = 1; k <= PLANES; k++) {
            struct RTCBuildPrimitive primitive = primitive_in(i, &rest);
            struct RTCBounds left, right;
            struct cutting slice = { .triangle = i, .axis = axis };
            slice.plane = low + (high - low) * (float)k / (PLANES + 1);
            split_primitive(&primitive, axis, slice.plane, &left, &right, &splitter);
            slice.below = box_of(&left);
            slice.above = box_of(&right);
            side_check(&slice, &slice.above, 1);
            for (u32 j = 0; j < 3; j++) /* the slice lies within what there was */
                assert_true(slice.below.low[j] >= rest.low[j] &&
                            slice.below.high[j] <= rest.high[j]);
            rest = slice.above;
        }
    }
}

/* Whether a triangle was cut just before, by this splitter or by that of another mesh, does not
 * show. */
static void what_was_cut_before_does_not_show(void **unused)
{
    static struct cutting cuttings[TRIANGLES];
    static float others[3 * TRIANGLES + 2][3];
    const struct mesh moved = { others, triangles, NULL, 3 * TRIANGLES, TRIANGLES };
    struct splitter splitter, other;
    u64 seed = 3;
    (void)unused;
    mesh_fill(13, false);
    memcpy(others, vertices, sizeof others);
    for (u32 i = 0; i < 3 * TRIANGLES; i++)
        others[i][i % 3] += 1;
    splitter_init(&splitter, &mesh, 1, 0);
    splitter_init(&other, &moved, 1, 0);
    for (u32 i = 0; i < TRIANGLES; i++) {
        cuttings[i] = cutting_any(&seed, i, false);
        cutting_do(&cuttings[i], &splitter);
    }
    for (u32 i = 0; i < TRIANGLES * PLANES; i++) {
        u32 number = (u32)random_below(&seed, TRIANGLES);
        struct cutting again = cuttings[number], between = cuttings[number];
        for (u32 k = 0; k < 3; k++) {
            if (k == i % 4)
                cutting_do(&between, &other);
            cutting_do(&again, &splitter);
            assert_memory_equal(&again, &cuttings[number], sizeof again);
        }
    }
}

/* Corners on the plane belong to both sides as they are, without room for rounding. */
static void a_plane_through_corners_is_exact(void **unused)
{
    static const float corners[][3] = { { 0, 0, 0 }, { 2, 3, 5 }, { 2, -1, 4 }, /* an edge on it */
                                        { 0, 0, 0 }, { 2, 3, 1 }, { 4, 4, 9 } };
    struct cutting cutting = { .plane = 2 }, crossing = { .triangle = 1, .plane = 2 };
    struct splitter splitter;
    (void)unused;
    mesh_fill(15, true);
    memcpy(vertices, corners, sizeof corners);
    splitter_init(&splitter, &mesh, 1, 0);
    cutting_do(&cutting, &splitter);
    assert_memory_equal(&cutting.below, (&(struct box){ { 0, -1, 0 }, { 2, 3, 5 } }), 24);
    assert_memory_equal(&cutting.above, (&(struct box){ { 2, -1, 4 }, { 2, 3, 5 } }), 24);
    cutting_do(&crossing, &splitter);
    assert_true(crossing.below.high[1] == 3 && crossing.above.low[2] == 1);
}

#define UNIT   0x1p-30f
#define MARGIN 0x1p-40f

/* `box` is that of a part, `plain` the same without unit and margin: larger by the margin where
 * neither the plane nor the primitive's box is in the way. */
static void margin_check(const struct box *box, const struct box *plain, const struct cutting *cut,
                         const struct box *primitive)
{
    for (u32 k = 0; k < 3; k++) {
        float low = plain->low[k] * UNIT, high = plain->high[k] * UNIT;
        float plane = k == cut->axis ? cut->plane : NAN;
        assert_true(box->low[k] >= low - 2 * MARGIN && box->high[k] <= high + 2 * MARGIN);
        if (plain->low[k] != plane)
            assert_true(box->low[k] <= fmaxf(low - MARGIN / 2, primitive->low[k]));
        if (plain->high[k] != plane)
            assert_true(box->high[k] >= fminf(high + MARGIN / 2, primitive->high[k]));
    }
}

static void units_and_margins(void **unused)
{
    struct splitter splitter, scaled;
    u64 seed = 4;
    (void)unused;
    mesh_fill(14, false);
    splitter_init(&splitter, &mesh, 1, 0);
    splitter_init(&scaled, &mesh, UNIT, MARGIN);
    for (u32 i = 0; i < TRIANGLES; i++) {
        struct cutting cutting = cutting_any(&seed, i, false);
        struct box whole = triangle_box(i);
        struct RTCBounds left, right;
        cutting_do(&cutting, &splitter);
        for (u32 k = 0; k < 3; k++) {
            whole.low[k] = whole.low[k] * UNIT - MARGIN;
            whole.high[k] = whole.high[k] * UNIT + MARGIN;
        }
        struct RTCBuildPrimitive primitive = primitive_in(i, &whole);
        split_primitive(&primitive, cutting.axis, cutting.plane * UNIT, &left, &right, &scaled);
        struct box below = box_of(&left), above = box_of(&right);
        margin_check(&below, &cutting.below, &cutting, &whole);
        margin_check(&above, &cutting.above, &cutting, &whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_boxes_cover_the_triangle),
        cmocka_unit_test(slices_cover_the_triangle),
        cmocka_unit_test(what_was_cut_before_does_not_show),
        cmocka_unit_test(a_plane_through_corners_is_exact),
        cmocka_unit_test(units_and_margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
