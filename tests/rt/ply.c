/* ply.c - PLY files of all three formats hold the same mesh, and what is wrong in one is said with
 * its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mesh_stand.h"

/* ---- One file in three formats ---- */

static const char *const format_names[] = { "ascii", "binary_little_endian", "binary_big_endian" };

struct writing {
    struct text bytes;
    u32 format;
};

static void put_bytes(struct writing *writing, const void *value, u32 size)
{
    const char *bytes = value;
    for (u32 i = 0; i < size; i++)
        text_add_bytes(&writing->bytes, &bytes[writing->format == 2 ? size - 1 - i : i], 1);
}

/* A value of a C type, as a word or as bytes. */
#define PUT(writing, type, value, print)                  \
    do {                                                  \
        type put_ = (type)(value);                        \
        if ((writing)->format)                            \
            put_bytes(writing, &put_, sizeof put_);       \
        else                                              \
            text_add(&(writing)->bytes, print " ", put_); \
    } while (0)

/* Every type, lists that mean nothing, elements that mean nothing, polygons of 2, 3 and 5 corners.
 */
static char *everything_put(u32 format)
{
    struct writing w = { .format = format };
    text_add(&w.bytes,
             "ply\ncomment first\nformat %s 1.0\nobj_info of a test\nelement other 2\n"
             "property list ushort double stuff\nproperty char c\nelement vertex 5\n"
             "property double z\nproperty uchar flags\nproperty short y\nproperty float x\n"
             "property ushort more\nelement nothing 7\nelement face 3\nproperty uint u\n"
             "property list int uint vertex_index\nproperty list uchar float weights\n"
             "end_header\n",
             format_names[format]);
    for (u32 i = 0; i < 2; i++) {
        PUT(&w, u16, i, "%u");
        for (u32 k = 0; k < i; k++)
            PUT(&w, double, -1.5, "%g");
        PUT(&w, int8_t, -5, "%d");
    }
    for (u32 i = 0; i < 5; i++) {
        PUT(&w, double, 0.1 * i, "%.17g");
        PUT(&w, u8, 200, "%u");
        PUT(&w, int16_t, -300 * (int)i, "%d");
        PUT(&w, float, 1e-3f * (float)i, "%.9g");
        PUT(&w, u16, 65535, "%u");
    }
    static const u32 corners[3] = { 2, 5, 3 };
    for (u32 i = 0; i < 3; i++) {
        PUT(&w, u32, UINT32_MAX, "%u");
        PUT(&w, int32_t, corners[i], "%d");
        for (u32 k = 0; k < corners[i]; k++)
            PUT(&w, u32, k, "%u");
        PUT(&w, u8, 1, "%u");
        PUT(&w, float, 0.5f, "%g");
    }
    char *path = file_put("all.ply", w.bytes.chars, w.bytes.length);
    text_fini(&w.bytes);
    return path;
}

static void all_formats_hold_the_same(void **state)
{
    static const u32 fans[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 4 }, { 0, 1, 2 } };
    (void)state;
    for (u32 format = 0; format < 3; format++) {
        char *path = everything_put(format);
        struct scene scene = scene_expect(path, 4, 5);
        assert_memory_equal(scene.mesh.triangles, fans, sizeof fans);
        for (u32 i = 0; i < 5; i++) {
            const float at[3] = { 1e-3f * (float)i, (float)(-300 * (int)i), (float)(0.1 * i) };
            assert_memory_equal(scene.mesh.vertices[i], at, sizeof at);
        }
        assert_null(scene.mesh.materials);
        assert_string_equal(scene.materials[0].name, "grey");
        scene_free(&scene);
        free(path);
    }
}

/* ---- ASCII ---- */

#define HEADER                                                                      \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n" \
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"    \
    "end_header\n"

static void refuse_ascii(const char *rest, const char *message)
{
    char *text = text_format(HEADER "%s", rest);
    refuse(text_put("wrong.ply", text), message);
    free(text);
}

static void ascii_needs_no_order_of_lines(void **state)
{
    (void)state;
    static const char *const rests[] = {
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2", /* no line end at the end */
        "\n0 0\n0 1\t0 +0.0 0e5 1 -0\n\n3\n0 1 2\nand what is behind is not looked at",
    };
    for (u32 i = 0; i < sizeof rests / sizeof *rests; i++) {
        char *text = text_format(HEADER "%s", rests[i]);
        char *path = text_put("lines.ply", text);
        struct scene scene = scene_expect(path, 1, 3);
        assert_true(scene.mesh.vertices[1][0] == 1 && scene.mesh.vertices[2][1] == 1);
        scene_free(&scene);
        free(path);
        free(text);
    }
}

static void wrong_ascii_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
                 "FILE:13: face 0 (from 0) refers to vertex -1, but there are 3");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3 0 1 1000000000\n",
                 "FILE:13: face 0 (from 0) refers to vertex 1000000000, but there are 3");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
                 "FILE:13: face 0 (from 0) refers to vertex 7, but there are 3");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n",
                 "FILE:13: face 0 (from 0) refers to vertex 1.5, but there are 3");
    refuse_ascii("0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
                 "FILE:11: the y coordinate of vertex 1 (of 3, from 0) is not a number");
    refuse_ascii("0 0 0\n1 0 1e39\n0 1 0\n3 0 1 2\n",
                 "FILE:11: the z coordinate of vertex 1 (of 3, from 0) is not a number");
    refuse_ascii("0 0 0\n1 0 0\n0 1 zero\n3 0 1 2\n", "FILE:12: 'zero' is not a number");
    refuse_ascii("0 0 0\n1 0 0\n0 1 \033[2J\177\n3 0 1 2\n", "FILE:12: '?[2J?' is not a number");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n",
                 "FILE:13: face 0 (from 0) has a list of -3 items");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3e10 0 1 2\n",
                 "FILE:13: face 0 (from 0) has a list of 3e+10 items");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "FILE: has no triangles");
    char *text = text_format(HEADER "0 0 0\n1 0 %0200d\n", 1);
    refuse(text_put("long.ply", text), "FILE:11: here should be a number");
    free(text);
}

static void cut_ascii_is_refused(void **state)
{
    (void)state;
    refuse_ascii("", "FILE: the file ends in vertex 0 (from 0) of 3");
    refuse_ascii("0 0 0\n1 0", "FILE: the file ends in vertex 1 (from 0) of 3");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n", "FILE: the file ends in face 0 (from 0) of 1");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n3 0 1", "FILE: the file ends in face 0 (from 0) of 1");
    refuse_ascii("0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2",
                 "FILE: the file ends in face 0 (from 0) of 1");
}

/* ---- Headers ---- */

static void wrong_headers_are_refused(void **state)
{
    (void)state;
    refuse(text_put("word.ply", "pla\nformat ascii 1.0\n"),
           "FILE: is no PLY file: these begin with a line `ply`");
    refuse(text_put("format.ply", "ply\nformat acsii 1.0\n"),
           "FILE:2: has to be the format: ascii 1.0, binary_little_endian 1.0 or ");
    refuse(text_put("format.ply", "ply\ncomment a\nelement vertex 3\n"),
           "FILE:3: has to be the format: ");
    refuse(text_put("cut.ply", "ply\n"), "FILE:1: has to be the format: ");
    refuse(text_put("property.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float\n"),
           "FILE:4: this is no property of a known type");
    refuse(text_put("property.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty list\n"),
           "FILE:4: this is no property of a known type");
    refuse(text_put("strips.ply", "ply\nformat ascii 1.0\nelement vertex 3\nelement tristrips 1\n"
                                  "property list int double vertex_indices\nend_header\n"),
           "FILE:5: indices of vertices have to be whole numbers");
}

static void blanks_in_headers_mean_nothing(void **state)
{
    (void)state;
    char *path =
        text_put("blanks.ply", "ply \nformat\tascii 1.0 \nelement  vertex\t3\nproperty float x\t\n"
                               "property   float  y\nproperty float z\nelement face 1 \n"
                               "property list  uchar int vertex_indices\nend_header \n"
                               "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    struct scene scene = scene_expect(path, 1, 3);
    scene_free(&scene);
    free(path);
}

/* ---- Strips ---- */

#define STRIPS                                                                      \
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n" \
    "property float z\nelement tristrips 1\n"                                       \
    "property list int int vertex_indices\nend_header\n"                            \
    "0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n"

static void strips_become_triangles(void **state)
{
    static const u32 triangles[4][3] = { { 0, 1, 2 }, { 2, 1, 3 }, { 2, 3, 4 }, { 4, 3, 0 } };
    (void)state;
    char *path = text_put("strips.ply", STRIPS "12 0 1 2 3 4 -1 0 1 -1 4 3 0\n");
    struct scene scene = scene_expect(path, 4, 5);
    assert_memory_equal(scene.mesh.triangles, triangles, sizeof triangles);
    scene_free(&scene);
    free(path);
    refuse(text_put("strips.ply", STRIPS "4 0 1 2 -2\n"),
           "FILE:15: tristrips 0 (from 0) refers to vertex -2, but there are 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_hold_the_same),
        cmocka_unit_test(ascii_needs_no_order_of_lines),
        cmocka_unit_test(wrong_ascii_is_refused_with_its_line),
        cmocka_unit_test(cut_ascii_is_refused),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(blanks_in_headers_mean_nothing),
        cmocka_unit_test(strips_become_triangles),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
