/* unpacked.c - a packed mesh is the same from the cache as from its file, whatever happens to
 * either. */
#include <dirent.h>
#include <fcntl.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cache.h"
#include "base/text.h"
#include "mesh_stand.h"
#include "rt/ply.h"
#include "rt/unpacked.h"

static char top[] = "/tmp/ogive-unpacked-XXXXXX";

/* A strip of triangles, packed. */
static char *strip_put(const char *name, u32 triangles)
{
    struct text ply = { 0 };
    u8 packed[65536];
    size_t length = 0;
    text_add(&ply,
             "ply\nformat ascii 1.0\nelement vertex %u\nproperty float x\nproperty float y\n"
             "property float z\nelement face %u\nproperty list uchar int vertex_indices\n"
             "end_header\n",
             triangles + 2, triangles);
    for (u32 i = 0; i < triangles + 2; i++)
        text_add(&ply, "%u %u %g\n", i / 2, i % 2, (double)i * 0.5);
    for (u32 i = 0; i < triangles; i++)
        text_add(&ply, "3 %u %u %u\n", i, i + 1, i + 2);
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const u8 *)text_get(&ply),
                                             ply.length, packed, &length, sizeof packed),
                     LZMA_OK);
    text_fini(&ply);
    return file_put(name, packed, length);
}

/* What is loaded is what the file holds. */
static void expect_right(const char *path)
{
    struct ogv_error error = { 0 };
    struct mesh mesh, right;
    bool other = true, right_other;
    if (!unpacked_load(path, &mesh, &other, &error) ||
        !ply_load(path, &right, &right_other, &error))
        fail_msg("%s", error.message);
    assert_false(other);
    assert_int_equal(mesh.vertex_count, right.vertex_count);
    assert_int_equal(mesh.triangle_count, right.triangle_count);
    assert_memory_equal(mesh.vertices, right.vertices, mesh.vertex_count * sizeof *mesh.vertices);
    assert_memory_equal(mesh.triangles, right.triangles,
                        mesh.triangle_count * sizeof *mesh.triangles);
    mesh_free(&mesh);
    mesh_free(&right);
}

/* The files of the cache; the path of one of them, which the caller frees. */
static u32 kept(char **path)
{
    char *folder = cache_folder();
    DIR *opened = opendir(folder);
    struct dirent *found;
    u32 count = 0;
    *path = NULL;
    while (opened && (found = readdir(opened))) {
        if (!strstr(found->d_name, ".mesh"))
            continue;
        free(*path);
        *path = text_format("%s/%s", folder, found->d_name);
        count++;
    }
    if (opened)
        closedir(opened);
    free(folder);
    return count;
}

static void a_mesh_is_unpacked_once(void **state)
{
    char *path = strip_put("once.ply.xz", 40), *file;
    struct stat first, second;
    (void)state;
    expect_right(path);
    assert_int_equal(kept(&file), 1);
    assert_int_equal(stat(file, &first), 0);
    expect_right(path);
    assert_int_equal(stat(file, &second), 0);
    assert_true(first.st_ino == second.st_ino);
    free(file);
    free(path);
}

static void another_content_is_another_mesh(void **state)
{
    char *path = strip_put("other.ply.xz", 40), *file;
    (void)state;
    expect_right(path);
    free(path);
    path = strip_put("other.ply.xz", 41);
    expect_right(path);
    assert_int_equal(kept(&file), 2);
    free(file);
    free(path);
}

static void damage_is_found_and_mended(void **state)
{
    char *path = strip_put("damaged.ply.xz", 40), *file;
    struct stat status;
    (void)state;
    expect_right(path);
    assert_int_equal(kept(&file), 1);
    assert_int_equal(stat(file, &status), 0);
    for (off_t at = 0; at < status.st_size; at += 17) {
        int opened = open(file, O_RDWR | O_CLOEXEC);
        char byte;
        assert_int_equal(pread(opened, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(opened, &byte, 1, at), 1);
        close(opened);
        expect_right(path);
    }
    assert_int_equal(truncate(file, status.st_size - 1), 0);
    expect_right(path);
    free(file);
    free(path);
}

static void what_is_not_packed_is_not_kept(void **state)
{
    char *file,
        *path = text_put("plain.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                                      "property float y\nproperty float z\nelement face 1\n"
                                      "property list uchar int vertex_indices\nend_header\n"
                                      "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    (void)state;
    expect_right(path);
    assert_int_equal(kept(&file), 0);
    free(path);
}

static int cache_make(void **state)
{
    (void)state;
    strcpy(top, "/tmp/ogive-unpacked-XXXXXX");
    assert_non_null(mkdtemp(top));
    setenv("XDG_CACHE_HOME", top, 1);
    unsetenv("OGIVE_CACHE");
    return 0;
}

static int cache_remove(void **state)
{
    char *folder = cache_folder();
    (void)state;
    cache_trim(folder, 0);
    rmdir(folder);
    rmdir(top);
    free(folder);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cache_make, cache_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_mesh_is_unpacked_once),
        TEST(another_content_is_another_mesh),
        TEST(damage_is_found_and_mended),
        TEST(what_is_not_packed_is_not_kept),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
