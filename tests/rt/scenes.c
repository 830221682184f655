/* scenes.c - scene files: what they can say, what is said of wrong ones; shipped scenes; pictures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/render.h"
#include "rt/scene_file.h"

static void full_file_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "about: a test\nmesh: sub/thing.ply\nup: z\n"
        "cameras:\n"
        "  first: { eye: [1, 2, 3], target: [4, 5, 6.5], fov_degrees: 30 }\n"
        "  second: { eye: [0, 0, 0], target: [0, 1, 0], up: [1, 0, 0], focal: 12, film: 24 }\n"
        "lights:\n  - { sun: [0, 0, 1], power: [1, 2, 3] }\n"
        "  - { point: [7, 8, 9], power: [4, 4, 4] }\n"
        "materials:\n  brick: { colour: [0.5, 0.25, 0], surface: glass, index: 1.33 }\n"
        "  lamp: { emission: [9, 8, 7] }\n"
        "sky: { horizon: [1, 1, 1], zenith: [0, 0, 1] }\n";
    struct scene_file file;
    struct ogv_error error = { 0 };
    if (!scene_file_parse(&file, "some/where.yaml", text, strlen(text), &error))
        fail_msg("%s", error.message);
    assert_string_equal(file.about, "a test");
    assert_string_equal(file.mesh, "some/sub/thing.ply");
    assert_null(file.generator);
    assert_int_equal(file.camera_count, 2);
    assert_string_equal(file.cameras[0].name, "first");
    assert_true(file.cameras[0].target[2] == 6.5f && file.cameras[0].up[2] == 1);
    assert_true(file.cameras[0].fov_degrees == 30);
    assert_true(fabsf(file.cameras[1].fov_degrees - 90) < 1e-4f && file.cameras[1].up[0] == 1);
    assert_int_equal(file.light_count, 2);
    assert_int_equal(file.lights[0].kind, LIGHT_SUN);
    assert_int_equal(file.lights[1].kind, LIGHT_POINT);
    assert_true(file.lights[1].at[2] == 9 && file.lights[0].power[1] == 2);
    assert_int_equal(file.material_count, 2);
    assert_int_equal(file.materials[0].to.surface, SURFACE_GLASS);
    assert_true(file.materials[0].to.index == 1.33f && !file.materials[0].emission);
    assert_true(file.materials[1].emission && !file.materials[1].colour);
    assert_true(file.lit && file.sky.zenith[2] == 1);
    scene_file_free(&file);
}

static void refuse(const char *text, const char *message)
{
    struct scene_file file;
    struct ogv_error error = { 0 };
    assert_false(scene_file_parse(&file, "f", text, strlen(text), &error));
    assert_string_equal(error.message, message);
    scene_file_free(&file);
}

static void wrong_geometry_is_refused(void **state)
{
    (void)state;
    refuse("", "f:1:1: the file is empty; a scene needs `mesh:` or `generator:`");
    refuse("up: y\n", "f:1:1: a scene needs `mesh:` or `generator:`");
    refuse("mesh: a\ngenerator: city\n",
           "f:2:1: a scene has either `mesh:` or `generator:`, not both");
    refuse("generatr: city\n",
           "f:1:1: a scene has no 'generatr'; did you mean 'generator'? (it has "
           "about, mesh, generator, triangles, seed, up, cameras, lights, "
           "materials, sky)");
    refuse("generator: citi\n", "f:1:12: there is no generator 'citi'; did you mean 'city'?");
    refuse("generator: [city]\n", "f:1:12: `generator` has to be a value, not a list");
    refuse("mesh: ''\n", "f:1:7: `mesh` needs the name of a file");
    refuse("mesh: {}\n", "f:1:7: `mesh` has to be a value, not a map");
    refuse("mesh: a\nseed: 1\n", "f:2:1: 'seed' belongs to a generator, not to a mesh");
    refuse("generator: city\ntriangles: 999\n",
           "f:2:12: triangles is 999; it can be 1000 to 20000000");
    refuse("generator: city\ntriangles: many\n",
           "f:2:12: triangles has to be a whole number, not 'many'");
    refuse("generator: city\nseed: -1\n", "f:2:7: seed has to be a whole number, not '-1'");
    refuse("generator: city\nseed: 99999999999999999999\n",
           "f:2:7: seed has to be a whole number, not '99999999999999999999'");
    refuse("mesh: a\nup: w\n", "f:2:5: `up` is an axis: x, y or z, not 'w'");
    refuse("mesh: a\nup: [y]\n", "f:2:5: `up` has to be a value, not a list");
    refuse("mesh: a\nabout: {}\n", "f:2:8: `about` has to be a value, not a map");
    refuse("[]\n", "f:1:1: a scene has to be a map, not a list");
    refuse("mesh: &a b\n", "f:1:8: anchors (&name) are not supported; write it out");
}

static void wrong_cameras_are_refused(void **state)
{
    (void)state;
#define CAMERA(text) "mesh: a\ncameras: { c: { " text " } }\n"
#define PLACED       "eye: [0, 0, 1], target: [0, 0, 0]"
    refuse("mesh: a\ncameras: []\n", "f:2:10: `cameras` has to be a map, not a list");
    refuse(CAMERA("eye: [0, 0, 0]"), "f:2:15: 'target' is missing");
    refuse(CAMERA("target: [0, 0, 0]"), "f:2:15: 'eye' is missing");
    refuse(CAMERA("eye: [0, 0]"), "f:2:22: eye has 2 numbers; it needs 3");
    refuse(CAMERA("eye: 5"), "f:2:22: eye has to be a list, not a value");
    refuse(CAMERA("eye: [0, 0, x]"), "f:2:29: eye has to be a number, not 'x'");
    refuse(CAMERA("eye: [0, 0, nan]"), "f:2:29: eye has to be a number, not 'nan'");
    refuse(CAMERA("eye: [0, 0, 1e10]"), "f:2:29: eye is 1e+10; it can be -1e+09 to 1e+09");
    refuse(CAMERA("eye: [0, 0, 0], target: [0, 0, 0]"),
           "f:2:15: eye and target are the same point");
    refuse(CAMERA("eye: [0, 0, 0], target: [0, 7, 0]"),
           "f:2:15: the camera looks along its own up direction");
    refuse(CAMERA(PLACED ", up: [0, 0, 0]"), "f:2:15: the camera looks along its own up direction");
    refuse(CAMERA(PLACED ", fov_degrees: 180"), "f:2:65: fov_degrees is 180; it can be 1 to 175");
    refuse(CAMERA(PLACED ", fov_degrees: 40, focal: 3"),
           "f:2:52: give either fov_degrees or focal and film");
    refuse(CAMERA(PLACED ", focal: 3"), "f:2:15: focal and film go together: give both");
    refuse(CAMERA(PLACED ", focal: 1000, film: 1"),
           "f:2:59: focal and film make a view of 0.0573 degrees; it can be 1 to 175");
    refuse(CAMERA(PLACED ", fov: 40"), "f:2:52: a camera has no 'fov' (it has eye, target, up, "
                                       "fov_degrees, focal, film)");
    refuse("mesh: a\ncameras: { a-name-that-is-longer-than-thirty-one-letters: {} }\n",
           "f:2:12: a camera's name has at most 31 letters");
}

static void wrong_light_and_materials_are_refused(void **state)
{
    (void)state;
    refuse("mesh: a\nlights: {}\n", "f:2:9: `lights` has to be a list, not a map");
    refuse("mesh: a\nlights: [ { power: [1, 1, 1] } ]\n",
           "f:2:11: a light is either `sun: [direction]` or `point: [position]`");
    refuse("mesh: a\nlights: [ { sun: [0, 0, 0], power: [1, 1, 1] } ]\n",
           "f:2:18: the direction towards the sun is zero");
    refuse("mesh: a\nlights: [ { sun: [0, 1, 0] } ]\n", "f:2:11: 'power' is missing");
    refuse("mesh: a\nlights: [ { point: [0, 1, 0], power: [1, -1, 1] } ]\n",
           "f:2:42: power is -1; it can be 0 to 1e+09");
    refuse("mesh: a\nlights: [ { son: [0, 1, 0] } ]\n",
           "f:2:13: a light has no 'son'; did you mean 'sun'? (it has sun, point, power)");
    refuse("mesh: a\nsky: { zenith: [0, 0, 0] }\n", "f:2:6: 'horizon' is missing");
    refuse("mesh: a\nsky: { zenit: [0, 0, 0] }\n",
           "f:2:8: the sky has no 'zenit'; did you mean 'zenith'? (it has horizon, zenith)");
    refuse("mesh: a\nmaterials: [a]\n", "f:2:12: `materials` has to be a map, not a list");
    refuse("mesh: a\nmaterials: { m: { colour: [2, 0, 0] } }\n",
           "f:2:28: colour is 2; it can be 0 to 1");
    refuse("mesh: a\nmaterials: { m: { surface: glas } }\n",
           "f:2:28: there is no surface 'glas'; did you mean 'glass'? (diffuse, mirror, glass)");
    refuse("mesh: a\nmaterials: { m: { index: 0.5 } }\n", "f:2:26: index is 0.5; it can be 1 to 4");
    refuse("mesh: a\nmaterials: { m: { color: [0, 0, 0] } }\n",
           "f:2:19: a material has no 'color'; did you mean 'colour'? (it has colour, emission, "
           "surface, index)");
}

/* As many as there can be, and one more. */
static void limits_on_numbers_are_kept(void **state)
{
    (void)state;
    struct text text = { 0 };
    text_add(&text, "mesh: a\nlights:\n");
    for (u32 i = 0; i <= SCENE_LIGHTS_MAX; i++)
        text_add(&text, "- { sun: [0, 1, 0], power: [1, 1, 1] }\n");
    refuse(text_get(&text), "f:19:3: more than 16 lights");
    text_fini(&text);
    text_add(&text, "mesh: a\ncameras:\n");
    for (u32 i = 0; i <= SCENE_CAMERAS_MAX; i++)
        text_add(&text, " c%u: { eye: [0, 0, 1], target: [0, 0, 0] }\n", i);
    refuse(text_get(&text), "f:19:2: more than 16 cameras");
    text_fini(&text);
}

static bool load(const char *text, struct scene *scene, struct ogv_error *error)
{
    struct scene_options options = { .triangles = 2000 };
    struct scene_file file;
    *scene = (struct scene){ 0 };
    bool good = scene_file_parse(&file, "f", text, strlen(text), error) &&
                scene_file_load(&file, &options, scene, error);
    scene_file_free(&file);
    return good;
}

static void materials_are_changed_by_name(void **state)
{
    (void)state;
    struct scene scene;
    struct ogv_error error = { 0 };
    assert_true(
        load("generator: cornell\nmaterials: { red: { colour: [0, 0, 1] } }\n", &scene, &error));
    u32 changed = 0;
    for (u32 i = 0; i < scene.material_count; i++)
        changed += !strcmp(scene.materials[i].name, "red") && scene.materials[i].colour[2] == 1;
    assert_int_equal(changed, 1);
    assert_int_equal(scene.camera_count, 1);
    assert_string_equal(scene.cameras[0].name, "all");
    assert_int_equal(scene.light_count, 1);
    scene_free(&scene);
    assert_false(load("generator: cornell\nmaterials: { rad: {} }\n", &scene, &error));
    assert_string_equal(error.message,
                        "f:2:14: the mesh has no material 'rad'; did you mean 'red'?");
    scene_free(&scene);
}

static void camera_of_a_mesh_sees_all_whatever_is_up(void **state)
{
    static const char *const files[] = { "generator: cornell\nup: x\n",
                                         "generator: cornell\nup: y\n",
                                         "generator: cornell\nup: z\n" };
    (void)state;
    for (u32 up = 0; up < 3; up++) {
        struct scene scene;
        struct ogv_error error = { 0 };
        assert_true(load(files[up], &scene, &error));
        const struct camera *camera = scene_camera(&scene, NULL, &error);
        assert_true(camera->up[up] == 1 && camera->eye[up] > camera->target[up]);
        assert_true(scene.lights[0].at[up] > 0);
        scene_free(&scene);
    }
}

static void load_shipped(void *context, const char *name, const char *path)
{
    struct scene_options options = { .triangles = 1000 };
    struct scene scene;
    struct ogv_error error = { 0 };
    (void)path;
    if (!scene_load(name, &options, &scene, &error))
        fail_msg("%s", error.message);
    assert_string_equal(scene.name, name);
    assert_non_null(scene_camera(&scene, NULL, &error));
    assert_null(scene_camera(&scene, "nowhere", &error));
    assert_ptr_equal(strstr(error.message, "the scene has no camera 'nowhere'"), error.message);
    scene_free(&scene);
    *(u32 *)context += 1;
}

static void shipped_scenes_load(void **state)
{
    (void)state;
    u32 count = 0;
    scene_list(load_shipped, &count);
    assert_int_equal(count, 6);
}

static u8 *render(const char *name, u32 threads)
{
    struct scene_options options = { .triangles = 2000 };
    struct scene scene;
    struct ogv_error error = { 0 };
    if (!scene_load(name, &options, &scene, &error))
        fail_msg("%s", error.message);
    struct render_options how = {
        .camera = &scene.cameras[0], .width = 48, .height = 32, .samples = 4, .threads = threads
    };
    u8 *pixels = render_scene(&scene, &how, &error);
    assert_non_null(pixels);
    scene_free(&scene);
    return pixels;
}

static void pictures_do_not_depend_on_threads(void **state)
{
    static const char *const names[] = { "cornell", "spheres", "arcade" };
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        u8 *one = render(names[i], 1), *three = render(names[i], 3);
        assert_memory_equal(one, three, 48 * 32 * 4);
        free(one);
        free(three);
    }
}

static u32 channel_sum(const u8 *pixels, u32 first_column, u32 channel)
{
    u32 sum = 0;
    for (u32 y = 0; y < 32; y++)
        for (u32 x = first_column; x < first_column + 4; x++)
            sum += pixels[4 * (y * 48 + x) + channel];
    return sum;
}

/* Seen from the front, the box's red wall is on the left and the green one on the right. */
static void pictures_show_what_is_there(void **state)
{
    (void)state;
    u8 *pixels = render("cornell", 0);
    assert_true(channel_sum(pixels, 9, 0) > 2 * channel_sum(pixels, 9, 1));
    assert_true(4 * channel_sum(pixels, 35, 1) > 5 * channel_sum(pixels, 35, 0));
    assert_int_equal(channel_sum(pixels, 0, 0), 0);
    free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_file_is_read),
        cmocka_unit_test(wrong_geometry_is_refused),
        cmocka_unit_test(wrong_cameras_are_refused),
        cmocka_unit_test(wrong_light_and_materials_are_refused),
        cmocka_unit_test(limits_on_numbers_are_kept),
        cmocka_unit_test(materials_are_changed_by_name),
        cmocka_unit_test(camera_of_a_mesh_sees_all_whatever_is_up),
        cmocka_unit_test(shipped_scenes_load),
        cmocka_unit_test(pictures_do_not_depend_on_threads),
        cmocka_unit_test(pictures_show_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
