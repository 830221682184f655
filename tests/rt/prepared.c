/* prepared.c - the cache gives back what was put there, or builds anew: never anything else,
 * whatever happens to its files. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "bvh_stand.h"
#include "rt/embree.h"
#include "rt/prepared.h"

#define TRIANGLES 500

struct stand {
    char top[64]; /* $XDG_CACHE_HOME */
    struct mesh mesh;
    struct bvh_options options;
};

static ssize_t version = 31305;

/* Instead of Embree's own: which version there is. */
ssize_t rtcGetDeviceProperty(RTCDevice device, enum RTCDeviceProperty property)
{
    assert_non_null(device);
    assert_int_equal(property, RTC_DEVICE_PROPERTY_VERSION);
    return version;
}

static void fingerprint(const struct bvh *bvh, char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add(hash, bvh->nodes, bvh->node_count * bvh->nodes_format->bytes);
    hash_add(hash, bvh->blocks, bvh->block_count * bvh->primitives_format->bytes);
    if (bvh->numbers)
        hash_add(hash, bvh->numbers, bvh->block_count * sizeof *bvh->numbers);
    hash_add(hash, &bvh->bounds, sizeof bvh->bounds);
    hash_add_u64(hash, bvh->statistics.references);
    hash_finish(hash, digits);
}

static void prepare(const struct stand *stand, bool *was_cached, char digits[HASH_TEXT_BYTES])
{
    struct ogv_error error = { 0 };
    struct bvh bvh;
    if (!prepared_bvh(&stand->mesh, &stand->options, &bvh, was_cached, &error))
        fail_msg("%s", error.message);
    fingerprint(&bvh, digits);
    bvh_free(&bvh);
}

static void plain(const struct stand *stand, char digits[HASH_TEXT_BYTES])
{
    struct ogv_error error = { 0 };
    struct bvh bvh;
    assert_true(bvh_build(&stand->mesh, &stand->options, &bvh, &error));
    fingerprint(&bvh, digits);
    bvh_free(&bvh);
}

/* What prepare gives is right, and was or was not in the cache. */
static void expect(const struct stand *stand, bool cached, const char *right)
{
    char digits[HASH_TEXT_BYTES];
    bool was_cached;
    prepare(stand, &was_cached, digits);
    assert_string_equal(digits, right);
    assert_int_equal(was_cached, cached);
}

static char *file_path(const struct stand *stand)
{
    char name[CACHE_NAME_BYTES];
    prepared_name(&stand->mesh, &stand->options, name);
    return text_format("%s/ogive/%s", stand->top, name);
}

static u32 files_count(const struct stand *stand)
{
    char *folder = text_format("%s/ogive", stand->top);
    DIR *opened = opendir(folder);
    u32 count = 0;
    struct dirent *found;
    while (opened && (found = readdir(opened)))
        count += found->d_name[0] != '.';
    if (opened)
        closedir(opened);
    free(folder);
    return count;
}

static int stand_up(void **state)
{
    struct stand *stand = calloc(1, sizeof *stand);
    strcpy(stand->top, "/tmp/ogive-prepared-XXXXXX");
    assert_non_null(mkdtemp(stand->top));
    stand->mesh = stand_mesh(STAND_NEEDLES, TRIANGLES, 3);
    stand->options = bvh_options_default();
    stand->options.threads = 1;
    setenv("XDG_CACHE_HOME", stand->top, 1);
    unsetenv("OGIVE_CACHE");
    *state = stand;
    return 0;
}

static int stand_down(void **state)
{
    struct stand *stand = *state;
    char *folder = text_format("%s/ogive", stand->top);
    cache_trim(folder, 0);
    rmdir(folder);
    rmdir(stand->top);
    free(folder);
    mesh_free(&stand->mesh);
    free(stand);
    return 0;
}

/* Several processes make, take and lose the same file. */
static void processes_do_not_disturb_each_other(void **state)
{
    struct stand *stand = *state;
    enum { PROCESSES = 4, TIMES = 8 };
    char *path = file_path(stand), right[HASH_TEXT_BYTES];
    pid_t children[PROCESSES];
    for (u32 i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i])
            continue;
        char first[HASH_TEXT_BYTES] = "", digits[HASH_TEXT_BYTES];
        bool was_cached, same = true;
        for (u32 k = 0; k < TIMES; k++) {
            prepare(stand, &was_cached, digits);
            if (!k)
                strcpy(first, digits);
            same = same && !strcmp(first, digits);
            if ((k + i) % 3 == 0)
                unlink(path);
        }
        _exit(same ? 0 : 1);
    }
    for (u32 i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    plain(stand, right);
    unlink(path);
    expect(stand, false, right);
    expect(stand, true, right);
    assert_int_equal(files_count(stand), 1); /* nothing half-written is left */
    free(path);
}

static void a_tree_comes_back_as_it_was(void **state)
{
    struct stand *stand = *state;
    for (u32 n = 0; node_formats[n]; n++) {
        for (u32 p = 0; primitive_formats[p]; p++) {
            char right[HASH_TEXT_BYTES];
            stand->options.nodes = node_formats[n];
            stand->options.primitives = primitive_formats[p];
            plain(stand, right);
            expect(stand, false, right);
            expect(stand, true, right);
        }
    }
}

static void everything_that_matters_is_in_the_name(void **state)
{
    struct stand *stand = *state;
    char *names[7];
    u32 count = 0;
    names[count++] = file_path(stand);
    stand->options.builder = BVH_sah;
    names[count++] = file_path(stand);
    stand->options.leaf_triangles = 2;
    names[count++] = file_path(stand);
    stand->options.nodes = node_format_find("bvh4", NULL);
    names[count++] = file_path(stand);
    stand->mesh.vertices[7][1] += 1;
    names[count++] = file_path(stand);
    stand->mesh.triangles[9][0] = 0;
    names[count++] = file_path(stand);
    version = 41301;
    names[count++] = file_path(stand);
    stand->options.threads = 3; /* does not matter */
    char *last = file_path(stand);
    assert_string_equal(last, names[count - 1]);
    for (u32 i = 0; i < count; i++)
        for (u32 k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
    for (u32 i = 0; i < count; i++)
        free(names[i]);
    free(last);
}

/* Flips a bit at every so many bytes, one at a time. */
static void damage_is_found_and_mended(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES], *path = file_path(stand);
    struct stat status;
    plain(stand, right);
    expect(stand, false, right);
    assert_int_equal(stat(path, &status), 0);
    for (off_t at = 0; at < status.st_size; at += at < 400 ? 13 : 4999) {
        int file = open(path, O_RDWR | O_CLOEXEC);
        char byte;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
        expect(stand, false, right);
        expect(stand, true, right);
    }
    free(path);
}

static void a_file_of_another_length_is_none(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES], *path = file_path(stand);
    struct stat status;
    plain(stand, right);
    expect(stand, false, right);
    assert_int_equal(stat(path, &status), 0);
    off_t lengths[] = { 0, 1, 100, status.st_size / 2, status.st_size - 1, status.st_size + 1 };
    for (u32 i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(truncate(path, lengths[i]), 0);
        expect(stand, false, right);
        expect(stand, true, right);
    }
    free(path);
}

/* A whole file, but of another tree, under this one's name. */
static void a_file_of_another_tree_is_none(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES], other[HASH_TEXT_BYTES];
    char *path = file_path(stand);
    plain(stand, right);
    stand->options.builder = BVH_morton;
    char *path_other = file_path(stand);
    plain(stand, other);
    expect(stand, false, other);
    assert_int_equal(rename(path_other, path), 0);
    stand->options.builder = BVH_spatial;
    expect(stand, false, right);
    expect(stand, true, right);
    free(path);
    free(path_other);
}

static void it_can_be_switched_off(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES];
    plain(stand, right);
    setenv("OGIVE_CACHE", "off", 1);
    assert_null(cache_folder());
    expect(stand, false, right);
    expect(stand, false, right);
    assert_int_equal(files_count(stand), 0);
}

static void a_folder_that_cannot_be_is_no_failure(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES];
    plain(stand, right);
    setenv("XDG_CACHE_HOME", "/dev/null/cache", 1);
    expect(stand, false, right);
}

static void age_set(const char *path, time_t seconds)
{
    struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_least_recently_used_goes_first(void **state)
{
    struct stand *stand = *state;
    char right[HASH_TEXT_BYTES], *folder = cache_folder(), *paths[3];
    char *other = text_format("%s/note.txt", folder);
    char *dead = text_format("%s/0123456789abcdef0123456789abcdef.bvh.newAbCdEf", folder);
    struct stat status;
    u64 bytes = 0;
    for (u32 i = 0; i < 3; i++) {
        stand->options.leaf_triangles = 1 + i;
        plain(stand, right);
        expect(stand, false, right);
        paths[i] = file_path(stand);
        assert_int_equal(stat(paths[i], &status), 0);
        bytes += (u64)status.st_size;
        age_set(paths[i], 1000 + i);
    }
    assert_true(file_write(other, "x", 1, NULL) && file_write(dead, "x", 1, NULL));
    age_set(dead, 1000);
    stand->options.leaf_triangles = 1; /* is used again: now it is the second that goes */
    plain(stand, right);
    expect(stand, true, right);
    cache_trim(folder, bytes - 1);
    assert_true(file_exists(paths[0]) && !file_exists(paths[1]) && file_exists(paths[2]));
    assert_true(file_exists(other) && !file_exists(dead));
    unlink(other);
    for (u32 i = 0; i < 3; i++)
        free(paths[i]);
    free(folder);
    free(other);
    free(dead);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stand_up, stand_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(processes_do_not_disturb_each_other),
        TEST(a_tree_comes_back_as_it_was),
        TEST(everything_that_matters_is_in_the_name),
        TEST(damage_is_found_and_mended),
        TEST(a_file_of_another_length_is_none),
        TEST(a_file_of_another_tree_is_none),
        TEST(it_can_be_switched_off),
        TEST(a_folder_that_cannot_be_is_no_failure),
        TEST(the_least_recently_used_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
