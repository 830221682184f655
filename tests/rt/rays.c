/* rays.c - rays are where they should be, depend on nothing but scene, camera and seed, and survive
 * being written to a file, whose damage is found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/hash.h"
#include "rt/rays.h"

#define SIDE 64 /* pixels */

/* A square room, 2 wide, seen from its middle; its inside faces are two triangles each. */
static float room_vertices[9][3] = {
    { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
    { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 }
}; /* and room for vector loads */
static u32 room_triangles[12][3] = { { 0, 1, 2 }, { 1, 3, 2 }, { 4, 6, 5 }, { 5, 6, 7 },
                                     { 0, 4, 1 }, { 1, 4, 5 }, { 2, 3, 6 }, { 3, 7, 6 },
                                     { 0, 2, 4 }, { 2, 6, 4 }, { 1, 5, 3 }, { 3, 5, 7 } };

static struct scene *room_create(float scale, u32 triangles)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct mesh *mesh = &scene->mesh;
    assert_non_null(scene);
    mesh->vertex_count = 8;
    mesh->triangle_count = triangles;
    mesh->vertices = malloc(sizeof room_vertices + 16);
    mesh->triangles = malloc(sizeof room_triangles);
    assert_true(mesh->vertices && mesh->triangles);
    for (u32 i = 0; i < 27; i++)
        mesh->vertices[i / 3][i % 3] = scale * room_vertices[i / 3][i % 3];
    memcpy(mesh->triangles, room_triangles, sizeof room_triangles);
    scene->camera_count = 1;
    scene->cameras[0] = (struct camera){ .name = "middle",
                                         .eye = { 0.125f * scale, 0.25f * scale, 0 },
                                         .target = { 0, 0, -scale },
                                         .up = { 0, 1, 0 },
                                         .fov_degrees = 90 };
    return scene;
}

static void room_destroy(struct scene *scene)
{
    free(scene->mesh.vertices);
    free(scene->mesh.triangles);
    free(scene);
}

static void make(const struct scene *scene, const struct ray_options *options, struct ray_set *set)
{
    struct ogv_error error = { 0 };
    struct reference *reference = reference_create(&scene->mesh, &error);
    assert_non_null(reference);
    if (!rays_make(scene, &scene->cameras[0], reference, options, set, &error))
        fail_msg("%s", error.message);
    reference_free(reference);
}

static struct ray_options options_of(enum ray_kind kind)
{
    return (struct ray_options){ .kind = kind, .width = SIDE, .height = SIDE, .seed = 7 };
}

static void assert_once(enum ray_order order, u32 width, u32 height)
{
    u32 *pixels = calloc((size_t)width * height, sizeof *pixels);
    u8 *seen = calloc((size_t)width * height, 1);
    assert_true(pixels && seen);
    rays_order(order, width, height, pixels);
    for (u32 i = 0; i < width * height; i++) {
        assert_true(pixels[i] < width * height);
        assert_false(seen[pixels[i]]++);
    }
    free(pixels);
    free(seen);
}

static void every_order_has_every_pixel_once(void **state)
{
    (void)state;
    static const u32 sizes[][2] = { { 1, 1 }, { 4, 8 },  { 5, 9 },   { 64, 64 },
                                    { 3, 7 }, { 1, 97 }, { 129, 2 }, { 70, 33 } };
    for (u32 i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (u32 order = 0; order < RAY_ORDERS; order++)
            assert_once((enum ray_order)order, sizes[i][0], sizes[i][1]);
}

static void thirty_two_rays_are_a_tile(void **state)
{
    (void)state;
    static u32 pixels[SIDE * SIDE];
    rays_order(ORDER_TILE, SIDE, SIDE, pixels);
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        u32 tile = i / 32, within = i % 32;
        u32 x = tile % (SIDE / 4) * 4 + within % 4, y = tile / (SIDE / 4) * 8 + within / 4;
        assert_int_equal(pixels[i], y * SIDE + x);
    }
    static const u32 morton[8] = { 0, 1, SIDE, SIDE + 1, 2, 3, SIDE + 2, SIDE + 3 };
    rays_order(ORDER_MORTON, SIDE, SIDE, pixels);
    assert_memory_equal(pixels, morton, sizeof morton);
}

static void primary_rays_go_through_pixel_centres(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_PRIMARY);
    struct ray_set set;
    options.order = ORDER_ROW;
    scene->cameras[0] = (struct camera){
        .eye = { 0, 0, 0 }, .target = { 0, 0, -3 }, .up = { 0, 2, 0 }, .fov_degrees = 90
    };
    make(scene, &options, &set);
    for (u32 i = 0; i < set.count; i++) {
        const float *d = set.rays[i].direction;
        double x = (2.0 * (i % SIDE) + 1) / SIDE - 1, y = 1 - (2.0 * (i / SIDE) + 1) / SIDE;
        assert_true(fabs((double)(d[0] / -d[2]) - x) < 1e-6);
        assert_true(fabs((double)(d[1] / -d[2]) - y) < 1e-6);
    }
    assert_int_equal(set.real, SIDE * SIDE);
    rays_free(&set);
    room_destroy(scene);
}

static void jitter_stays_in_the_pixel(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_PRIMARY);
    struct ray_set set;
    double sum = 0;
    options.jitter = true;
    scene->cameras[0] = (struct camera){
        .eye = { 0, 0, 0 }, .target = { 0, 0, -3 }, .up = { 0, 2, 0 }, .fov_degrees = 90
    };
    make(scene, &options, &set);
    for (u32 i = 0; i < set.count; i++) {
        const float *d = set.rays[i].direction;
        double x = (1 + (double)(d[0] / -d[2])) * SIDE / 2 - set.pixels[i] % SIDE;
        assert_true(x > -1e-4 && x < 1 + 1e-4);
        sum += x;
    }
    assert_true(fabs(sum / (SIDE * SIDE) - 0.5) < 0.02); /* 0.29 / 64 is one deviation */
    rays_free(&set);
    room_destroy(scene);
}

/* From inside a closed room every ray hits something, also after two bounces, and nothing hits the
 * wall that it starts from: the next wall is as far as the room is wide, or at an angle. */
static void bounces_start_off_the_wall_and_stay_inside(void **state)
{
    (void)state;
    static const float scales[] = { 0x1p-30f, 1e-3f, 1, 1000, 0x1p40f };
    for (u32 s = 0; s < 5; s++) {
        struct scene *scene = room_create(scales[s], 12);
        for (u32 kind = RAYS_SECONDARY; kind <= RAYS_TERTIARY; kind++) {
            struct ray_options options = options_of((enum ray_kind)kind);
            struct ray_set set;
            make(scene, &options, &set);
            assert_int_equal(set.real, SIDE * SIDE);
            for (u64 i = 0; i < set.count; i++)
                for (u32 k = 0; k < 3; k++)
                    assert_true(fabsf(set.rays[i].origin[k]) < scales[s]);
            rays_free(&set);
        }
        room_destroy(scene);
    }
}

/* The mean of the cosine under cosine-weighted sampling is 2/3, of its square 1/2. */
static void directions_follow_the_cosine(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_SECONDARY);
    struct ray_set set;
    double mean = 0, square = 0, sideways = 0;
    options.width = options.height = 4 * SIDE;
    scene->cameras[0].fov_degrees = 20; /* only the wall behind, whose normal is +z */
    make(scene, &options, &set);
    for (u64 i = 0; i < set.count; i++) {
        const float *d = set.rays[i].direction;
        double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        assert_true(d[2] > 0 && fabs(length - 1) < 1e-6);
        mean += (double)d[2];
        square += (double)(d[2] * d[2]);
        sideways += (double)(d[0] * d[0] - d[1] * d[1]);
    }
    assert_true(fabs(mean / (double)set.count - 2.0 / 3) < 0.003);
    assert_true(fabs(square / (double)set.count - 0.5) < 0.004);
    assert_true(fabs(sideways / (double)set.count) < 0.005);
    rays_free(&set);
    room_destroy(scene);
}

static void assert_same_rays(const struct ray_set *a, const struct ray_set *b, float scale)
{
    assert_int_equal(a->count, b->count);
    for (u64 i = 0; i < a->count; i++)
        for (u32 k = 0; k < 3; k++) {
            assert_true(a->rays[i].origin[k] * scale == b->rays[i].origin[k]);
            assert_true(a->rays[i].direction[k] == b->rays[i].direction[k]);
        }
}

static void threads_order_and_scale_change_nothing(void **state)
{
    (void)state;
    for (u32 kind = 0; kind < RAY_KINDS; kind++) {
        struct scene *scene = room_create(1, 12), *large = room_create(0x1p10f, 12);
        struct ray_options options = options_of((enum ray_kind)kind);
        struct ray_set one, three, row, scaled;
        options.width = 3 * SIDE; /* more than one chunk of work */
        options.threads = 1;
        make(scene, &options, &one);
        make(large, &options, &scaled);
        assert_same_rays(&one, &scaled, 0x1p10f);
        options.threads = 3;
        make(scene, &options, &three);
        assert_memory_equal(one.rays, three.rays, one.count * sizeof *one.rays);
        options.order = ORDER_ROW;
        make(scene, &options, &row);
        for (u64 i = 0; i < one.count; i++)
            assert_memory_equal(&one.rays[i], &row.rays[one.pixels[i]], sizeof *one.rays);
        rays_free(&one);
        rays_free(&three);
        rays_free(&row);
        rays_free(&scaled);
        room_destroy(scene);
        room_destroy(large);
    }
}

static void seeds_and_bounces_differ(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_SECONDARY);
    struct ray_set seven, eight;
    u32 same = 0;
    make(scene, &options, &seven);
    options.seed = 8;
    make(scene, &options, &eight);
    for (u64 i = 0; i < seven.count; i++)
        same += seven.rays[i].direction[0] == eight.rays[i].direction[0];
    assert_true(same < 4);
    rays_free(&seven);
    rays_free(&eight);
    room_destroy(scene);
}

/* With one triangle most pixels have no ray after the first. */
static void pixels_without_a_ray_hold_an_empty_one(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 1);
    struct ray_options options = options_of(RAYS_SECONDARY);
    struct ray_set set;
    u64 real = 0;
    make(scene, &options, &set);
    for (u64 i = 0; i < set.count; i++)
        real += !rt_ray_is_empty(&set.rays[i]);
    assert_true(real > 0 && real < set.count);
    assert_int_equal(real, set.real);
    rays_free(&set);
    options.kind = RAYS_TERTIARY; /* nothing to hit from the only triangle */
    make(scene, &options, &set);
    assert_int_equal(set.real, 0);
    rays_free(&set);
    room_destroy(scene);
}

static void shadow_rays_end_at_the_light(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_SHADOW);
    struct ray_set set;
    scene->light_count = 1;
    scene->lights[0] = (struct light){ .kind = LIGHT_POINT, .at = { 0.5f, 0.75f, 0.25f } };
    make(scene, &options, &set);
    assert_int_equal(set.real, set.count);
    for (u64 i = 0; i < set.count; i++)
        for (u32 k = 0; k < 3; k++) {
            const struct rt_ray *ray = &set.rays[i];
            float end = ray->origin[k] + ray->t_max * ray->direction[k];
            assert_true(fabsf(end - scene->lights[0].at[k]) < 1e-6f);
        }
    rays_free(&set);
    scene->lights[0] = (struct light){ .kind = LIGHT_SUN, .at = { 0, 0, 2 } };
    make(scene, &options, &set);
    assert_true(set.real > 0 && set.real < set.count); /* side walls do not face it */
    for (u64 i = 0; i < set.count; i++)
        if (!rt_ray_is_empty(&set.rays[i]))
            assert_true(set.rays[i].direction[2] == 1 && isinf(set.rays[i].t_max));
    rays_free(&set);
    room_destroy(scene);
}

static void occlusion_rays_are_short(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_OCCLUSION);
    struct ray_set set;
    make(scene, &options, &set);
    assert_true(set.rays[5].t_max == (float)(sqrt(12.0) / 10));
    rays_free(&set);
    options.occlusion_length = 0.5f;
    make(scene, &options, &set);
    assert_true(set.rays[5].t_max == 0.5f);
    rays_free(&set);
    room_destroy(scene);
}

static void assert_refused(const struct scene *scene, const struct camera *camera,
                           const struct ray_options *options, const char *words)
{
    struct ogv_error error = { 0 };
    struct ray_set set;
    assert_false(rays_make(scene, camera, NULL, options, &set, &error));
    assert_null(set.rays);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
}

static void cameras_that_see_nothing_are_refused(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_PRIMARY);
    struct camera camera = scene->cameras[0];
    memcpy(camera.target, camera.eye, sizeof camera.eye);
    assert_refused(scene, &camera, &options, "same point");
    camera = scene->cameras[0];
    camera.fov_degrees = 180;
    assert_refused(scene, &camera, &options, "180 degrees");
    camera = scene->cameras[0];
    memset(camera.up, 0, sizeof camera.up);
    assert_refused(scene, &camera, &options, "up is zero");
    camera.up[0] = NAN;
    assert_refused(scene, &camera, &options, "finite");
    for (u32 k = 0; k < 3; k++)
        camera.up[k] = 5 * (camera.target[k] - camera.eye[k]);
    assert_refused(scene, &camera, &options, "line of sight");
    options.width = 1 << 14;
    options.height = 1 << 13;
    assert_refused(scene, &scene->cameras[0], &options, "16384 x 8192");
    options.width = 0;
    assert_refused(scene, &scene->cameras[0], &options, "0 x 8192");
    room_destroy(scene);
}

/* ---- Files ---- */

static char path[64];

static void save(const struct ray_set *set)
{
    struct ogv_error error = { 0 };
    snprintf(path, sizeof path, "/tmp/ogive-rays-%d", (int)getpid());
    if (!rays_save(set, path, &error))
        fail_msg("%s", error.message);
}

static void files_keep_everything(void **state)
{
    (void)state;
    for (u32 kind = 0; kind < RAY_KINDS; kind++) {
        struct scene *scene = room_create(1, 3);
        struct ray_options options = options_of((enum ray_kind)kind);
        struct ray_set set, loaded;
        struct ogv_error error = { 0 };
        options.order = (enum ray_order)(kind % RAY_ORDERS);
        options.height = 50;
        make(scene, &options, &set);
        save(&set);
        if (!rays_load(path, &loaded, &error))
            fail_msg("%s", error.message);
        assert_int_equal(loaded.kind, set.kind);
        assert_int_equal(loaded.order, set.order);
        assert_int_equal(loaded.width, SIDE);
        assert_int_equal(loaded.height, 50);
        assert_int_equal(loaded.count, set.count);
        assert_int_equal(loaded.real, set.real);
        assert_memory_equal(loaded.rays, set.rays, set.count * sizeof *set.rays);
        assert_memory_equal(loaded.pixels, set.pixels, set.count * sizeof *set.pixels);
        rays_free(&set);
        rays_free(&loaded);
        unlink(path);
        room_destroy(scene);
    }
}

/* The file with some bytes changed; `sealed` makes the fingerprint fit again. */
static void assert_file_refused(const char *bytes, size_t length, bool sealed, const char *words)
{
    struct ogv_error error = { 0 };
    struct ray_set set;
    char *copy = malloc(length), digits[HASH_TEXT_BYTES];
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    if (sealed) {
        struct hash *hash = hash_create();
        hash_add(hash, copy, 40);
        hash_add(hash, copy + 72, length - 72);
        hash_finish(hash, digits);
        memcpy(copy + 40, digits, 32);
    }
    assert_true(file_write(path, copy, length, &error));
    assert_false(rays_load(path, &set, &error));
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    free(copy);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    struct scene *scene = room_create(1, 12);
    struct ray_options options = options_of(RAYS_PRIMARY);
    struct ray_set set;
    struct ogv_error error = { 0 };
    size_t length;
    options.width = options.height = 8;
    make(scene, &options, &set);
    save(&set);
    char *bytes = file_read(path, 1 << 20, &length, &error);
    assert_non_null(bytes);
    assert_int_equal(length, 72 + 64 * 32);
    assert_file_refused(bytes, 0, false, "too short");
    assert_file_refused(bytes, 71, false, "too short");
    assert_file_refused(bytes, length - 1, false, "2119 bytes");
    static const struct {
        size_t at;
        u8 value;
        bool sealed;
        const char *words;
    } wrong[] = {
        { 0, 'x', true, "no ray file" },    { 8, 3, true, "version 3" },
        { 12, 8, true, "kind 8" },          { 16, 4, true, "order 4" },
        { 20, 24, true, "64 rays for 24" }, { 28, 1, true, "kind 0" },
        { 32, 65, true, "65 rays" },        { 40, 'x', false, "damaged" },
        { 72 + 100, 99, false, "damaged" },
    };
    for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char old = bytes[wrong[i].at];
        bytes[wrong[i].at] = (char)wrong[i].value;
        assert_file_refused(bytes, length, wrong[i].sealed, wrong[i].words);
        bytes[wrong[i].at] = old;
    }
    static const float bad[][8] = { { NAN, 0, 0, 0, 0, 0, 1, 1 },
                                    { 0, 0, 0, 0, 0, 0, INFINITY, 1 },
                                    { 0, 0, 0, 0, 0, 0, 0, 1 },
                                    { 0, 0, 0, -1, 0, 0, 1, 1 } };
    for (u32 i = 0; i < 4; i++) {
        memcpy(bytes + 72 + 32, bad[i], sizeof bad[i]);
        assert_file_refused(bytes, length, true, "ray 1 cannot be traced");
    }
    free(bytes);
    rays_free(&set);
    assert_false(rays_load("/nowhere/at all", &set, &error));
    assert_false(rays_load("/", &set, &error));
    unlink(path);
    room_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_has_every_pixel_once),
        cmocka_unit_test(thirty_two_rays_are_a_tile),
        cmocka_unit_test(primary_rays_go_through_pixel_centres),
        cmocka_unit_test(jitter_stays_in_the_pixel),
        cmocka_unit_test(bounces_start_off_the_wall_and_stay_inside),
        cmocka_unit_test(directions_follow_the_cosine),
        cmocka_unit_test(threads_order_and_scale_change_nothing),
        cmocka_unit_test(seeds_and_bounces_differ),
        cmocka_unit_test(pixels_without_a_ray_hold_an_empty_one),
        cmocka_unit_test(shadow_rays_end_at_the_light),
        cmocka_unit_test(occlusion_rays_are_short),
        cmocka_unit_test(cameras_that_see_nothing_are_refused),
        cmocka_unit_test(files_keep_everything),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests_name("rays", tests, NULL, NULL);
}
