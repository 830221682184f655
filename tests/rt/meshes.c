/* meshes.c - meshes from files: what is read, and what is said of files that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <lzma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mesh_stand.h"
#include "rt/growth.h"

/* ---- PLY ---- */

static void add_u8(struct text *bytes, u8 value)
{
    text_add_bytes(bytes, (const char *)&value, 1);
}

static void add_u32(struct text *bytes, u32 value)
{
    text_add_bytes(bytes, (const char *)&value, sizeof value);
}

static void add_float(struct text *bytes, float value)
{
    text_add_bytes(bytes, (const char *)&value, sizeof value);
}

static const char plain_header[] = "ply\nformat binary_little_endian 1.0\ncomment made by a test\n"
                                   "element vertex 4\nproperty float x\nproperty float y\n"
                                   "property float z\nelement face 2\n"
                                   "property list uchar int vertex_indices\nend_header\n";

static const float corners[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 5 } };

static struct text plain_ply(void)
{
    static const u32 faces[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
    struct text bytes = { 0 };
    text_add(&bytes, "%s", plain_header);
    for (u32 i = 0; i < 12; i++)
        add_float(&bytes, corners[i / 3][i % 3]);
    for (u32 i = 0; i < 2; i++) {
        add_u8(&bytes, 3);
        for (u32 k = 0; k < 3; k++)
            add_u32(&bytes, faces[i][k]);
    }
    return bytes;
}

static char *ply_put(const char *name, struct text *bytes)
{
    char *path = file_put(name, bytes->chars, bytes->length);
    text_fini(bytes);
    return path;
}

static void plain_ply_is_read(void **state)
{
    (void)state;
    struct text bytes = plain_ply();
    char *path = ply_put("plain.ply", &bytes);
    struct scene scene = scene_expect(path, 2, 4);
    struct box box = mesh_bounds(&scene.mesh);
    assert_memory_equal(scene.mesh.vertices, corners, sizeof corners);
    assert_int_equal(scene.mesh.triangles[1][2], 3);
    assert_true(box.low[0] == 0 && box.high[0] == 1 && box.high[2] == 5);
    assert_string_equal(scene.name, "plain");
    assert_null(scene.mesh.materials);
    scene_free(&scene);
    free(path);
}

/* Properties in another order, of other types, lists that mean nothing, a polygon of five corners
 * and one of two. */
static void odd_ply_is_read(void **state)
{
    (void)state;
    struct text bytes = { 0 };
    text_add(&bytes, "ply\r\nformat binary_little_endian 1.0\r\n"
                     "element other 2\r\nproperty list uchar short stuff\r\n"
                     "element face 2\r\nproperty uchar red\r\n"
                     "property list uint ushort vertex_index\r\n"
                     "element vertex 5\r\nproperty double z\r\nproperty uchar flags\r\n"
                     "property short y\r\nproperty float x\r\nend_header\r\n");
    text_add_bytes(&bytes, "\2abcd\0", 6);
    for (u32 face = 0; face < 2; face++) {
        u32 count = face ? 2 : 5;
        add_u8(&bytes, 7);
        add_u32(&bytes, count);
        for (u32 i = 0; i < count; i++)
            text_add_bytes(&bytes, (const char[]){ (char)i, 0 }, 2);
    }
    for (u32 i = 0; i < 5; i++) {
        double z = i;
        text_add_bytes(&bytes, (const char *)&z, sizeof z);
        add_u8(&bytes, 9);
        text_add_bytes(&bytes, (const char[]){ (char)(i * i), 0 }, 2);
        add_float(&bytes, -(float)i);
    }
    char *path = ply_put("odd.ply", &bytes);
    struct scene scene = scene_expect(path, 3, 5);
    static const u32 fan[3][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 4 } };
    assert_memory_equal(scene.mesh.triangles, fan, sizeof fan);
    const float last[3] = { -4, 16, 4 };
    assert_memory_equal(scene.mesh.vertices[4], last, sizeof last);
    scene_free(&scene);
    free(path);
}

/* A PLY file with something else in the place of one line of its header. */
static void refuse_header(const char *old, const char *new, const char *message)
{
    struct text bytes = plain_ply(), changed = { 0 };
    const char *place = strstr(bytes.chars, old);
    assert_non_null(place);
    size_t before = (size_t)(place - bytes.chars), after = before + strlen(old);
    text_add_bytes(&changed, bytes.chars, before);
    text_add(&changed, "%s", new);
    text_add_bytes(&changed, bytes.chars + after, bytes.length - after);
    text_fini(&bytes);
    refuse(ply_put("wrong.ply", &changed), message);
}

static void wrong_ply_headers_are_refused(void **state)
{
    (void)state;
    refuse_header("property float z\n", "", "FILE: has no element `vertex` with x, y and z");
    refuse_header("vertex_indices", "indexes", "FILE: has no triangles (no element `face` with");
    refuse_header("float y", "float x", "FILE: has no element `vertex` with x, y and z");
    refuse_header("element face 2", "element face -2",
                  "FILE:8: an element needs a name and a count");
    refuse_header("element face 2", "element face 2x",
                  "FILE:8: an element needs a name and a count");
    refuse_header("element face 2", "element vertex 2",
                  "FILE:8: an element of this name was there before");
    refuse_header("property float x", "property real x",
                  "FILE:5: this is no property of a known type");
    refuse_header("uchar int", "float int", "FILE:9: this is no property of a known type");
    refuse_header("uchar int", "uchar float",
                  "FILE:9: indices of vertices have to be whole numbers");
    refuse_header("element vertex 4\n", "", "FILE:4: a property before the first element");
    refuse_header("end_header", "the end", "FILE:10: this is no line of a PLY header");
    refuse_header("element vertex 4", "element vertex 4294967295",
                  "FILE: has 4294967295 vertices; there can be 4294967294 at most");
    refuse_header("element vertex 4", "element vertex 99999999999999999999",
                  "FILE: has 18446744073709551615 vertices; there can be 4294967294 at most");
    refuse_header("element face 2", "element face 1000000000000",
                  "FILE: has 1000000000000 triangles; there can be 4294967294 at most");
    refuse_header("element face 2", "element face 3",
                  "FILE: the file ends in face 2 (from 0) of 3");
    struct text cut = { 0 };
    text_add(&cut, "ply\nformat binary_little_endian 1.0\nelement vertex 4\n");
    refuse(ply_put("cut.ply", &cut), "FILE: the header has no end (a line `end_header`)");
}

static void large_ply_is_refused(void **state)
{
    (void)state;
    if (memory_there_is() > 90 * GiB) {
        print_message("# this machine has the memory for it\n");
        skip();
    }
    refuse_header("element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
                  "element face 2",
                  "element vertex 4000000000\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 4000000000",
                  "FILE: is too large: 4000000000 vertices and 4000000000 triangles need 96.9 GiB");
}

static void cut_and_wrong_ply_is_refused(void **state)
{
    (void)state;
    size_t header = strlen(plain_header);
    struct text bytes = plain_ply();
    refuse(file_put("cut.ply", bytes.chars, header),
           "FILE: the file ends in vertex 0 (from 0) of 4");
    refuse(file_put("cut.ply", bytes.chars, header + 47),
           "FILE: the file ends in vertex 3 (from 0) of 4");
    refuse(file_put("cut.ply", bytes.chars, header + 48),
           "FILE: the file ends in face 0 (from 0) of 2");
    refuse(file_put("cut.ply", bytes.chars, bytes.length - 1),
           "FILE: the file ends in face 1 (from 0) of 2");
    float odd[] = { NAN, INFINITY };
    for (u32 i = 0; i < 2; i++) {
        char *changed = malloc(bytes.length);
        memcpy(changed, bytes.chars, bytes.length);
        memcpy(changed + header + 16, &odd[i], sizeof odd[i]);
        refuse(file_put("nan.ply", changed, bytes.length),
               "FILE: the y coordinate of vertex 1 (of 4, from 0) is not a number");
        free(changed);
    }
    u32 beyond = 4, negative = UINT32_MAX;
    memcpy(bytes.chars + bytes.length - 4, &beyond, 4);
    refuse(file_put("beyond.ply", bytes.chars, bytes.length),
           "FILE: triangle 1 (of 2, from 0) refers to vertex 4, but there are 4");
    memcpy(bytes.chars + bytes.length - 4, &negative, 4);
    refuse(file_put("beyond.ply", bytes.chars, bytes.length),
           "FILE: triangle 1 (of 2, from 0) refers to vertex 4294967295, but there are 4");
    text_fini(&bytes);
    refuse_header("element face 2", "element face 0", "FILE: has no triangles");
}

/* ---- Packed files ---- */

static char *packed_put(const char *name, const void *bytes, size_t length, size_t cut)
{
    static u8 packed[65536];
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes, length, packed,
                                             &size, sizeof packed),
                     LZMA_OK);
    return file_put(name, packed, size - cut);
}

static void packed_files_are_read(void **state)
{
    (void)state;
    struct text bytes = plain_ply();
    char *path = packed_put("packed.ply.xz", bytes.chars, bytes.length, 0);
    struct scene scene = scene_expect(path, 2, 4);
    assert_string_equal(scene.name, "packed");
    scene_free(&scene);
    free(path);
    static const char object[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    path = packed_put("packed.obj.xz", object, strlen(object), 0);
    scene = scene_expect(path, 1, 3);
    scene_free(&scene);
    free(path);
    refuse(packed_put("cut.ply.xz", bytes.chars, bytes.length, 40),
           "FILE: cannot read: the packed data ends too early");
    refuse(file_put("plain.ply.xz", bytes.chars, bytes.length),
           "FILE: cannot read: it is not packed by xz");
    text_fini(&bytes);
}

/* ---- Other formats ---- */

static void obj_is_read_with_materials(void **state)
{
    (void)state;
    free(text_put("two.mtl", "newmtl brick\nKd 0.5 0.25 0.125\nnewmtl lamp\nKd 1 1 1\nKe 3 2 1\n"));
    char *path = text_put("two.obj", "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                                     "usemtl brick\nf 1 2 3 4\nusemtl lamp\nf 1 2 4\n");
    struct scene_options options = { 0 };
    struct scene scene;
    struct ogv_error error = { 0 };
    if (!scene_load(path, &options, &scene, &error))
        fail_msg("%s", error.message);
    assert_int_equal(scene.mesh.triangle_count, 3);
    u32 lamps = 0, bricks = 0;
    for (u32 i = 0; i < 3; i++) {
        const struct material *material = &scene.materials[scene.mesh.materials[i]];
        lamps += !strcmp(material->name, "lamp") && material->emission[0] == 3;
        bricks += !strcmp(material->name, "brick") && material->colour[1] == 0.25f;
    }
    assert_int_equal(lamps, 1);
    assert_int_equal(bricks, 2);
    scene_free(&scene);
    free(path);
}

static void stl_is_read_and_joined(void **state)
{
    (void)state;
    char *path = text_put("two.stl", "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                     "vertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
                                     "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\n"
                                     "vertex 0 1 0\nendloop\nendfacet\nendsolid two\n");
    struct scene scene = scene_expect(path, 2, 4);
    scene_free(&scene);
    free(path);
}

/* A triangle of three floats each, little-endian, shown by two nodes: one moved by 10 along x, one
 * twice as large and moved along y by its parent. */
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
    "\"nodes\":[{\"mesh\":0,\"translation\":[10,0,0]},"
    "{\"translation\":[0,5,0],\"children\":[2]},{\"mesh\":0,\"scale\":[2,2,2]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[1,1,0]}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

static void gltf_instances_are_flattened(void **state)
{
    (void)state;
    char *path = text_put("two.gltf", gltf);
    struct scene scene = scene_expect(path, 2, 6);
    struct box box = mesh_bounds(&scene.mesh);
    const struct box expected = { { 0, 0, 0 }, { 11, 7, 0 } };
    assert_memory_equal(&box, &expected, sizeof box);
    assert_int_equal(scene.instance_count, 0);
    scene_free(&scene);
    free(path);
}

/* Each instance's part, moved, is the piece of the mesh that it says it is, bit for bit. */
static void check_instances(const struct scene *scene)
{
    for (u32 i = 0; i < scene->instance_count; i++) {
        const struct instance *instance = &scene->instances[i];
        const struct mesh *part = &scene->parts[instance->part], *mesh = &scene->mesh;
        for (u32 k = 0; k < part->triangle_count; k++)
            for (u32 corner = 0; corner < 3; corner++) {
                float moved[3];
                u32 vertex = mesh->triangles[instance->first_triangle + k][corner];
                transform_point(instance->transform, part->vertices[part->triangles[k][corner]],
                                moved);
                assert_memory_equal(moved, mesh->vertices[vertex], sizeof moved);
            }
    }
}

static void instances_are_kept_if_asked_for(void **state)
{
    (void)state;
    struct scene_options options = { .keep_instances = true, .triangles = 30000 };
    struct scene scene;
    struct ogv_error error = { 0 };
    char *path = text_put("two.gltf", gltf);
    assert_true(scene_load(path, &options, &scene, &error));
    assert_int_equal(scene.part_count, 1);
    assert_int_equal(scene.instance_count, 2);
    check_instances(&scene);
    scene_free(&scene);
    free(path);
    assert_true(scene_load("forest", &options, &scene, &error));
    assert_int_equal(scene.part_count, 4);
    assert_int_equal(scene.instance_count, 49);
    check_instances(&scene);
    scene_free(&scene);
}

static void other_wrong_files_are_refused(void **state)
{
    (void)state;
    refuse(heap_copy("/nowhere/mesh.obj"),
           "there is no file '/nowhere/mesh.obj', as there is no folder '/nowhere/'");
    refuse(heap_copy("arcde"), "there is no scene 'arcde'; did you mean 'arcade'?");
    refuse(text_put("notes.txt", "nothing to draw"), "FILE: cannot be imported: ");
    refuse(text_put("broken.gltf", "{\"asset\":"), "FILE: cannot be imported: ");
    refuse(text_put("points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "FILE: has no triangles");
    refuse(text_put("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n"),
           "FILE: the y coordinate of vertex 1 (of 3, from 0) is not a number");
    refuse(text_put("empty.ply", ""), "FILE: is no PLY file: these begin with a line `ply`");
}

static void a_growing_mesh_stops_at_its_limit(void **state)
{
    (void)state;
    struct growth growth = { .limit = 100000 };
    struct mesh mesh;
    struct ogv_error error = { 0 };
    for (u32 i = 0; i < 100000; i++)
        growth_vertex(&growth, 0, 0, 0);
    for (u32 i = 0; i < 100000; i++)
        growth_triangle(&growth, 0, 1, 2);
    assert_true(mesh_bytes(&growth.mesh) < 500000);
    assert_false(growth_finish(&growth, "much", &mesh, &error));
    assert_string_equal(error.message, "much: is too large for the memory of this machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_ply_is_read),
        cmocka_unit_test(odd_ply_is_read),
        cmocka_unit_test(wrong_ply_headers_are_refused),
        cmocka_unit_test(large_ply_is_refused),
        cmocka_unit_test(cut_and_wrong_ply_is_refused),
        cmocka_unit_test(packed_files_are_read),
        cmocka_unit_test(obj_is_read_with_materials),
        cmocka_unit_test(stl_is_read_and_joined),
        cmocka_unit_test(gltf_instances_are_flattened),
        cmocka_unit_test(instances_are_kept_if_asked_for),
        cmocka_unit_test(other_wrong_files_are_refused),
        cmocka_unit_test(a_growing_mesh_stops_at_its_limit),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
