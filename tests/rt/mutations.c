/* mutations.c - small files of each kind that is read, changed at random: each gives a scene that
 * is sound or a message, whatever becomes of the process that imports it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "mesh_stand.h"
#include "ogive/random.h"

#define FOREIGN_TIMES 12  /* each is a process */
#define OWN_TIMES     500 /* PLY is read in this one */
#define LONG_FACTOR   40
#define SEED_BYTES    65536

/* ---- Changes ---- */

static void bit_flip(struct text *bytes, u64 *random)
{
    bytes->chars[random_below(random, bytes->length)] ^= (char)(1 << random_below(random, 8));
}

/* One to four bytes, so that a number of the file is another one. */
static void number_set(struct text *bytes, u64 *random)
{
    static const u8 values[] = { 0x00, 0x7f, 0x80, 0xff };
    u64 at = random_below(random, bytes->length);
    u64 end = min_u64(at + 1 + random_below(random, 4), bytes->length);
    u8 value = values[random_below(random, 4)];
    while (at < end)
        bytes->chars[at++] = (char)value;
}

static void piece_replace(struct text *bytes, u64 at, u64 length, const char *by, size_t by_length)
{
    struct text made = { 0 };
    text_add_bytes(&made, bytes->chars, at);
    text_add_bytes(&made, by, by_length);
    text_add_bytes(&made, bytes->chars + at + length, bytes->length - at - length);
    text_fini(bytes);
    *bytes = made;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* A word that means a number becomes one that nobody expects. */
static void word_set(struct text *bytes, u64 *random)
{
    static const char *const words[] = { "-1",   "1000000000", "4294967295", "99999999999999999999",
                                         "1e99", "nan",        "-",          "" };
    u64 at = random_below(random, bytes->length);
    while (at < bytes->length && !is_digit(bytes->chars[at]))
        at++;
    u64 length = 0;
    while (at + length < bytes->length && is_digit(bytes->chars[at + length]))
        length++;
    const char *word = words[random_below(random, sizeof words / sizeof *words)];
    piece_replace(bytes, at, length, word, strlen(word));
}

static void end_cut(struct text *bytes, u64 *random)
{
    bytes->length = random_below(random, bytes->length);
}

static void piece_remove(struct text *bytes, u64 *random)
{
    u64 at = random_below(random, bytes->length);
    piece_replace(bytes, at, random_below(random, bytes->length - at), "", 0);
}

static void piece_repeat(struct text *bytes, u64 *random)
{
    u64 at = random_below(random, bytes->length);
    u64 length = random_below(random, bytes->length - at);
    char *piece = malloc(length + 1);
    memcpy(piece, bytes->chars + at, length);
    piece_replace(bytes, at, 0, piece, length);
    free(piece);
}

static void bytes_change(struct text *bytes, u64 *random)
{
    static void (*const changes[])(struct text * bytes, u64 * random) = {
        bit_flip, number_set, word_set, word_set, end_cut, piece_remove, piece_repeat,
    };
    u64 times = 1 + random_below(random, 2);
    while (times-- && bytes->length)
        changes[random_below(random, sizeof changes / sizeof *changes)](bytes, random);
}

/* ---- Files ---- */

struct tally {
    u32 scenes, messages;
};

static void file_try(const char *path, struct tally *tally)
{
    const struct scene_options options = { .keep_instances = true };
    struct scene scene;
    struct ogv_error error = { 0 };
    if (scene_load(path, &options, &scene, &error)) {
        if (!mesh_check(&scene.mesh, path, &error))
            fail_msg("%s", error.message);
        tally->scenes++;
        scene_free(&scene);
        return;
    }
    if (strncmp(error.message, path, strlen(path)))
        fail_msg("a message without the file's name: '%s'", error.message);
    for (const char *letter = error.message; *letter; letter++)
        if ((u8)*letter < ' ' || *letter == 0x7f)
            fail_msg("a message with a control character: '%s'", error.message);
    tally->messages++;
}

static struct text seed_read(const char *name)
{
    struct ogv_error error = { 0 };
    struct text bytes = { 0 };
    size_t length;
    char *path = text_format("%s/mutations/%s", getenv("OGIVE_TEST_DATA"), name);
    char *read = file_read(path, SEED_BYTES, &length, &error);
    if (!read)
        fail_msg("%s", error.message);
    text_add_bytes(&bytes, read, length);
    free(read);
    free(path);
    return bytes;
}

static void seed_change(const char *name, u32 times)
{
    struct tally unchanged = { 0 }, changed = { 0 };
    struct text seed = seed_read(name);
    u64 random = 1;
    char *path = file_put(name, seed.chars, seed.length);
    file_try(path, &unchanged);
    assert_int_equal(unchanged.scenes, 1);
    free(path);
    for (u32 i = 0; i < times; i++) {
        struct text bytes = { 0 };
        text_add_bytes(&bytes, seed.chars, seed.length);
        bytes_change(&bytes, &random);
        path = file_put(name, bytes.chars, bytes.length);
        file_try(path, &changed);
        free(path);
        text_fini(&bytes);
    }
    print_message("# %s: %u scenes, %u messages\n", name, changed.scenes, changed.messages);
    text_fini(&seed);
}

static u32 factor(void)
{
    return getenv("OGIVE_LONG") ? LONG_FACTOR : 1;
}

static void ply_is_a_scene_or_a_message(void **state)
{
    static const char *const names[] = { "two.ply", "little.ply", "big.ply" };
    (void)state;
    for (u32 i = 0; i < sizeof names / sizeof *names; i++)
        seed_change(names[i], OWN_TIMES * factor());
}

static void other_formats_are_a_scene_or_a_message(void **state)
{
    static const char *const names[] = { "binary.fbx", "binary.stl", "one.dae", "one.fbx",
                                         "one.gltf",   "one.off",    "two.3ds", "two.glb",
                                         "two.obj",    "two.stl",    "two.x" };
    struct text material = seed_read("two.mtl");
    (void)state;
    free(file_put("two.mtl", material.chars, material.length));
    text_fini(&material);
    setenv("OGIVE_IMPORT_SECONDS", "3", 1); /* for those that never end */
    for (u32 i = 0; i < sizeof names / sizeof *names; i++)
        seed_change(names[i], FOREIGN_TIMES * factor());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_is_a_scene_or_a_message),
        cmocka_unit_test(other_formats_are_a_scene_or_a_message),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
