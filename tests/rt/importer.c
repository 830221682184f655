/* importer.c - whatever the process does that imports a file, there is a scene or a message.
 * Scripts stand in for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"
#include "mesh_stand.h"
#include "rt/growth.h"
#include "rt/imported.h"

/* With a sanitizer, memory is not limited: it reserves more than there is. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED)
#define SANITIZED 0
#endif

/* ---- Processes ---- */

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/* From now on, this script imports. */
static void script_set(const char *lines)
{
    char *text = text_format("#!/bin/sh\n%s\n", lines);
    char *path = text_put("importer", text);
    assert_int_equal(chmod(path, 0755), 0);
    setenv("OGIVE_PROGRAM", path, 1);
    free(path);
    free(text);
}

static void refuse_script(const char *lines, const char *message)
{
    script_set(lines);
    refuse(text_put("one.obj", triangle), message);
}

static void a_crash_is_a_message(void **state)
{
    (void)state;
    refuse_script("kill -SEGV $$",
                  "FILE: cannot be imported: Assimp failed at it (signal 11: Segmentation fault)");
    refuse_script("kill -ABRT $$",
                  "FILE: cannot be imported: Assimp failed at it (signal 6: Aborted)");
    refuse_script("kill -KILL $$", "FILE: cannot be imported: Assimp failed at it (signal 9: "
                                   "Killed); there may not be enough memory");
    refuse_script("kill -INT $$", "FILE: importing it was interrupted");
}

static void an_endless_import_is_ended(void **state)
{
    (void)state;
    setenv("OGIVE_IMPORT_SECONDS", "1", 1);
    refuse_script("while :; do :; done",
                  "FILE: cannot be imported: Assimp came to no end within 1 seconds of processor "
                  "time (OGIVE_IMPORT_SECONDS may allow more)");
    unsetenv("OGIVE_IMPORT_SECONDS");
}

static void a_wrong_limit_is_refused(void **state)
{
    static const char *const wrong[] = { "", "0", "-1", "5s", "many", "4294967296" };
    (void)state;
    for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *message = text_format("OGIVE_IMPORT_SECONDS=%s: has to be a whole number, 1 to "
                                    "4294967295",
                                    wrong[i]);
        setenv("OGIVE_IMPORT_SECONDS", wrong[i], 1);
        refuse_script("exit 0", message);
        free(message);
    }
    unsetenv("OGIVE_IMPORT_SECONDS");
}

static void a_wrong_answer_is_refused(void **state)
{
    static const char *const incomplete = "FILE: cannot be imported: the importer's answer is "
                                          "incomplete";
    (void)state;
    refuse_script("exit 0", incomplete);
    refuse_script("exit 1", incomplete);
    refuse_script("printf 'import' >&3", incomplete);
    refuse_script("head -c 100000 /dev/zero >&3",
                  "FILE: cannot be imported: the importer's answer is incomplete, or that of "
                  "another version of this program");
}

static void a_program_that_is_not_there_is_named(void **state)
{
    (void)state;
    setenv("OGIVE_PROGRAM", "/nowhere/ogive", 1);
    refuse(text_put("one.obj", triangle),
           "FILE: cannot be imported: the program that does it, /nowhere/ogive, cannot be started: "
           "No such file or directory");
}

/* Time is the last to be limited, so the script waits for that. */
static void the_process_is_limited(void **state)
{
    (void)state;
    setenv("OGIVE_IMPORT_SECONDS", "77", 1);
    refuse_script("until [ \"$(ulimit -t)\" = 77 ]; do :; done\n"
                  "echo \"$(ulimit -c) $(ulimit -v)\" >\"${0%/*}/limits\"",
                  "FILE: cannot be imported: the importer's answer is incomplete");
    unsetenv("OGIVE_IMPORT_SECONDS");
    char *mark = text_put("mark", ""), limits[64];
    strcpy(strrchr(mark, '/'), "/");
    char *path = text_format("%slimits", mark);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(limits, sizeof limits, file));
    fclose(file);
    char expected[64];
    snprintf(expected, sizeof expected, "0 %llu\n", (unsigned long long)memory_there_is() / 1024);
    assert_string_equal(limits, SANITIZED ? "0 unlimited\n" : expected);
    free(path);
    free(mark);
}

static void importing_can_be_stopped(void **state)
{
    (void)state;
    struct scene_options options = { 0 };
    struct scene scene;
    struct ogv_error error = { 0 };
    script_set("exec sleep 1000");
    char *path = text_put("one.obj", triangle);
    stop_ask();
    assert_false(scene_load(path, &options, &scene, &error));
    stop_forget();
    assert_non_null(strstr(error.message, "one.obj: importing it was interrupted"));
    free(path);
}

/* ---- Answers ---- */

static int answer_create(void)
{
    int file = memfd_create("answer", MFD_CLOEXEC);
    assert_true(file >= 0);
    return file;
}

static struct scene answer_scene(void)
{
    static const float transform[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
    struct growth whole = { .material = 1 }, part = { 0 };
    struct scene scene = { .material_count = 2 };
    struct mesh mesh;
    struct ogv_error error;
    for (u32 i = 0; i < 3; i++) {
        growth_vertex(&whole, (float)i, (float)(i * i), 0);
        growth_vertex(&part, (float)i, (float)(i * i), 0);
    }
    growth_triangle(&whole, 0, 1, 2);
    growth_triangle(&part, 0, 1, 2);
    assert_true(growth_finish(&whole, "whole", &scene.mesh, &error));
    assert_true(growth_finish(&part, "part", &mesh, &error));
    scene.materials = calloc(2, sizeof *scene.materials);
    scene.materials[0] = scene.materials[1] = material_default();
    scene_add_part(&scene, &mesh);
    scene_add_instance(&scene, 0, 0, transform);
    return scene;
}

static void an_answer_is_what_was_written(void **state)
{
    (void)state;
    struct scene from = answer_scene(), to = { 0 };
    struct ogv_error error = { 0 };
    int file = answer_create();
    assert_true(imported_write(file, &from, NULL));
    assert_true(imported_read(file, "a file", &to, &error));
    assert_int_equal(to.mesh.triangle_count, 1);
    assert_memory_equal(to.mesh.vertices, from.mesh.vertices, sizeof(float[3][3]));
    assert_int_equal(to.mesh.materials[0], 1);
    assert_int_equal(to.part_count, 1);
    assert_null(to.parts[0].materials);
    assert_int_equal(to.instance_count, 1);
    assert_memory_equal(to.materials, from.materials, 2 * sizeof *to.materials);
    scene_free(&from);
    scene_free(&to);
    close(file);
}

static void an_error_comes_back_as_it_was(void **state)
{
    (void)state;
    const struct ogv_error from = { OGV_ERROR_USER, "wrong at the other end" };
    struct ogv_error to = { 0 };
    struct scene scene = { 0 };
    int file = answer_create();
    assert_true(imported_write(file, NULL, &from));
    assert_false(imported_read(file, "a file", &scene, &to));
    assert_int_equal(to.kind, OGV_ERROR_USER);
    assert_string_equal(to.message, from.message);
    close(file);
}

static void refuse_scene(struct scene *from, const char *message)
{
    struct scene to = { 0 };
    struct ogv_error error = { 0 };
    int file = answer_create();
    assert_true(imported_write(file, from, NULL));
    assert_false(imported_read(file, "a file", &to, &error));
    assert_string_equal(error.message, message);
    scene_free(from);
    scene_free(&to);
    close(file);
}

static void answers_are_checked(void **state)
{
    (void)state;
    struct scene scene = answer_scene();
    scene.mesh.triangles[0][2] = 3;
    refuse_scene(&scene, "a file: triangle 0 (of 1, from 0) refers to vertex 3, but there are 3");
    scene = answer_scene();
    scene.parts[0].vertices[1][2] = 0.0f / 0.0f;
    refuse_scene(&scene, "a file: the z coordinate of vertex 1 (of 3, from 0) is not a number");
    scene = answer_scene();
    scene.mesh.materials[0] = 2;
    refuse_scene(&scene, "a file: triangle 0 (of 1, from 0) has material 2 of 2");
    scene = answer_scene();
    scene.materials[1].colour[0] = -1;
    refuse_scene(&scene, "a file: material 1 (of 2, from 0) is none");
    scene = answer_scene();
    memset(scene.materials[0].name, 'x', sizeof scene.materials[0].name);
    refuse_scene(&scene, "a file: material 0 (of 2, from 0) is none");
    scene = answer_scene();
    scene.instances[0].part = 1;
    refuse_scene(&scene, "a file: instance 0 (of 1, from 0) shows nothing");
    scene = answer_scene();
    scene.instances[0].first_triangle = UINT32_MAX;
    refuse_scene(&scene, "a file: instance 0 (of 1, from 0) shows nothing");
    scene = answer_scene();
    scene.material_count = 0;
    refuse_scene(&scene, "a file: has 0 materials; there can be 1 to 4096");
    scene = answer_scene();
    scene.mesh.triangle_count = 0;
    refuse_scene(&scene, "a file: has no triangles");
}

static void cut_answers_are_refused(void **state)
{
    (void)state;
    struct scene from = answer_scene();
    struct stat status;
    int file = answer_create();
    assert_true(imported_write(file, &from, NULL));
    assert_int_equal(fstat(file, &status), 0);
    while (status.st_size--) {
        struct scene to = { 0 };
        struct ogv_error error = { 0 };
        assert_int_equal(ftruncate(file, status.st_size), 0);
        assert_false(imported_read(file, "a file", &to, &error));
        assert_string_equal(error.message, "a file: cannot be imported: the importer's answer is "
                                           "incomplete");
        scene_free(&to);
    }
    scene_free(&from);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_is_a_message),
        cmocka_unit_test(an_endless_import_is_ended),
        cmocka_unit_test(a_wrong_limit_is_refused),
        cmocka_unit_test(a_wrong_answer_is_refused),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test(the_process_is_limited),
        cmocka_unit_test(importing_can_be_stopped),
        cmocka_unit_test(an_answer_is_what_was_written),
        cmocka_unit_test(an_error_comes_back_as_it_was),
        cmocka_unit_test(answers_are_checked),
        cmocka_unit_test(cut_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
