/* checkpoint_file.c - a checkpoint file that is not what was written is refused with its reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "support.h"

/* Where things stand in the file. */
enum {
    AT_VERSION = 8,
    AT_SLOT = 24,
    AT_USED = 32,
    AT_BUILD = 48,
    AT_FINGERPRINT = 88,
    AT_TEXT = 128
};

static const char chip_text[] =
    "name: small\n"
    "domains:\n"
    "  a:\n"
    "    count: 2\n"
    "    units: { s: { type: source, messages: 40 }, d: { type: delay }, k: { type: sink } }\n"
    "    links: [ s -> d, d -> k ]\n";

static char *bytes;
static size_t length;
static size_t text_length;

static int file_setup(void **state)
{
    struct ogv_error error;
    if (folder_setup(state))
        return -1;
    ogv_system *system = system_from(chip_text);
    assert_int_equal(ogv_system_run(system, 30, &error), OGV_END_REACHED);
    assert_good(ogv_system_checkpoint(system, folder_path("good.ogv"), &error), error);
    ogv_system_destroy(system);
    bytes = file_text(folder_path("good.ogv"), &length);
    text_length = (unsigned char)bytes[16] + 256u * (unsigned char)bytes[17];
    return 0;
}

static int file_teardown(void **state)
{
    free(bytes);
    return folder_teardown(state);
}

/* Resumes from these bytes; the message without the path in front, or "good". `digest`, unless
 * NULL, is that of the statistics at the end of the run. */
static const char *told_and_run(const char *contents, size_t size, char *digest)
{
    static struct ogv_error error;
    const char *path = folder_path("changed.ogv");
    assert_good(file_write(path, contents, size, &error), error);
    ogv_system *system = ogv_system_resume(path, &error);
    if (system) {
        if (digest && ogv_system_run(system, OGV_FOREVER, &error) == OGV_END_FINISHED)
            ogv_system_digest(system, digest);
        ogv_system_destroy(system);
        return "good";
    }
    assert_int_equal(error.kind, OGV_ERROR_USER);
    assert_memory_equal(error.message, path, strlen(path));
    return error.message + strlen(path) + 2;
}

static const char *told_of(const char *contents, size_t size)
{
    return told_and_run(contents, size, NULL);
}

/* Makes the header believable again after a change. */
static void fingerprint_renew(void)
{
    struct hash *hash = hash_create();
    hash_add(hash, bytes, AT_FINGERPRINT);
    hash_add(hash, bytes + AT_TEXT, text_length);
    hash_finish(hash, bytes + AT_FINGERPRINT);
}

static void untouched_file_is_good(void **state)
{
    (void)state;
    assert_string_equal(told_of(bytes, length), "good");
    fingerprint_renew();
    assert_string_equal(told_of(bytes, length), "good");
}

static void resumed_run_ends_with_the_same_statistics(void **state)
{
    (void)state;
    struct ogv_error error;
    char digests[2][33];
    ogv_system *systems[2] = { ogv_system_resume(folder_path("good.ogv"), &error), NULL };
    assert_good(systems[0], error);
    systems[1] = system_from(chip_text);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ogv_system_run(systems[i], OGV_FOREVER, &error), OGV_END_FINISHED);
        ogv_system_digest(systems[i], digests[i]);
        ogv_system_destroy(systems[i]);
    }
    assert_string_equal(digests[0], digests[1]);
}

static bool starts(const char *words, const char *start)
{
    return !strncmp(words, start, strlen(start));
}

static void assert_damage_is_seen(size_t at, u8 change)
{
    bytes[at] = (char)(bytes[at] ^ change);
    const char *told = told_of(bytes, length);
    bool seen = at < AT_VERSION       ? !strcmp(told, "is not a checkpoint")
                : at < AT_VERSION + 8 ? starts(told, "is a checkpoint of version ")
                                      : starts(told, "is a damaged checkpoint (impossible") ||
                                            starts(told, "is a damaged checkpoint (its finger");
    if (!seen)
        fail_msg("byte %zu ^ 0x%02x of %zu (text of %zu): %s", at, change, length, text_length,
                 told);
    bytes[at] = (char)(bytes[at] ^ change);
}

static void damage_in_the_header_is_seen(void **state)
{
    (void)state;
    for (size_t at = 0; at < AT_TEXT; at++) {
        assert_damage_is_seen(at, 0x01);
        assert_damage_is_seen(at, 0x80);
    }
}

static void damage_in_the_architecture_is_seen(void **state)
{
    (void)state;
    for (size_t at = AT_TEXT; at < AT_TEXT + text_length; at += 13)
        assert_damage_is_seen(at, 0x20);
}

/* A few bits of the compressed form mean nothing. What comes out is right even then. */
static void damage_in_the_state_is_seen_or_harmless(void **state)
{
    (void)state;
    size_t body = AT_TEXT + text_length, harmless = 0, tried = 0;
    char right[33] = "", digest[33];
    assert_string_equal(told_and_run(bytes, length, right), "good");
    for (size_t at = body; at < length; at += at < body + 16 || at > length - 16 ? 1 : 7) {
        for (u8 change = 1; change; change = (u8)(change << 3), tried++) {
            bytes[at] = (char)(bytes[at] ^ change);
            const char *told = told_and_run(bytes, length, memset(digest, 0, sizeof digest));
            bytes[at] = (char)(bytes[at] ^ change);
            if (strcmp(told, "good"))
                assert_true(starts(told, "is a damaged checkpoint (its contents"));
            else
                assert_string_equal(digest, right);
            harmless += !strcmp(told, "good");
        }
    }
    assert_true(harmless < tried / 20);
}

static void truncated_file_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < length; size += size < AT_TEXT || size > length - 32 ? 1 : 11) {
        const char *told = told_of(bytes, size);
        bool seen = size < AT_TEXT ? starts(told, "is not a checkpoint (too short)")
                    : size < AT_TEXT + text_length
                        ? starts(told, "is a damaged checkpoint (its fing")
                        : starts(told, "is a damaged checkpoint (its cont");
        if (!seen)
            fail_msg("cut to %zu of %zu: %s", size, length, told);
    }
}

static void more_at_the_end_is_refused(void **state)
{
    (void)state;
    static const char expected[] =
        "is a damaged checkpoint (its contents do not match their checksum)";
    char *longer = malloc(2 * length);
    memcpy(longer, bytes, length);
    longer[length] = 0;
    assert_string_equal(told_of(longer, length + 1), expected);
    memcpy(longer + length, bytes + AT_TEXT + text_length, length - AT_TEXT - text_length);
    assert_string_equal(told_of(longer, 2 * length - AT_TEXT - text_length), expected);
    free(longer);
}

static void foreign_file_is_refused(void **state)
{
    (void)state;
    char zeros[1000] = { 0 };
    assert_string_equal(told_of(zeros, sizeof zeros), "is not a checkpoint");
    assert_string_equal(told_of(chip_text, sizeof chip_text), "is not a checkpoint");
    assert_string_equal(told_of("", 0), "is not a checkpoint (too short)");
}

static void other_version_is_refused(void **state)
{
    (void)state;
    bytes[AT_VERSION] = 1;
    fingerprint_renew();
    assert_string_equal(told_of(bytes, length),
                        "is a checkpoint of version 1, this program reads version 2");
}

static void other_build_is_refused(void **state)
{
    (void)state;
    bytes[AT_BUILD] = bytes[AT_BUILD] == '0' ? '1' : '0';
    fingerprint_renew();
    assert_string_equal(told_of(bytes, length),
                        "was written by another build of the simulator, or with other unit "
                        "libraries; only the same can resume it");
}

static u64 used_get(void)
{
    u64 used;
    memcpy(&used, bytes + AT_USED, sizeof used);
    return used;
}

static void used_change(i64 by)
{
    u64 used = used_get() + (u64)by;
    memcpy(&bytes[AT_USED], &used, sizeof used);
    fingerprint_renew();
}

static void state_of_another_size_is_refused(void **state)
{
    (void)state;
    used_change(-64);
    assert_true(starts(told_of(bytes, length), "does not fit: it was taken from place 0 with "));
    used_change(128);
    assert_true(starts(told_of(bytes, length), "is a damaged checkpoint"));
}

/* ---- Runs of pages ---- */

struct run {
    u64 start, length;
};

/* What a file says whose state is these runs, filled with garbage; `damage` goes into the checksum
 * at its end. */
static const char *told_of_runs(const struct run *runs, u32 count, u8 damage)
{
    struct text state = { 0 };
    for (u32 i = 0; i < count; i++) {
        text_add_bytes(&state, (const char *)&runs[i], sizeof runs[i]);
        for (u64 left = min_u64(runs[i].length, used_get()); left; left--)
            text_add_bytes(&state, "\xa5", 1);
    }
    size_t body = AT_TEXT + text_length, room = ZSTD_compressBound(state.length);
    char *made = malloc(body + room);
    memcpy(made, bytes, body);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t size = body + ZSTD_compress2(context, made + body, room, text_get(&state), state.length);
    ZSTD_freeCCtx(context);
    made[size - 1] = (char)(made[size - 1] ^ damage);
    const char *told = told_of(made, size);
    text_fini(&state);
    free(made);
    return told;
}

/* All of it is laid over the arena before the checksum at its end shows that it is wrong. */
static void state_of_garbage_is_refused_and_cleaned_up(void **state)
{
    (void)state;
    const struct run runs[] = { { 0, used_get() }, { used_get(), 0 } };
    assert_string_equal(told_of_runs(runs, 2, 1),
                        "is a damaged checkpoint (its contents do not match their checksum)");
    assert_string_equal(told_of(bytes, length), "good");
}

/* Each with a checksum that is right: the runs themselves have to be. */
static void runs_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    u64 used = used_get(), page = 4096;
    const struct run wrong[][3] = {
        { { 0, page }, { 0, page }, { used, 0 } },            /* one over the other */
        { { page, page }, { 0, page }, { used, 0 } },         /* descending */
        { { 0, page }, { 2 * page - 1, used }, { used, 0 } }, /* too long */
        { { 0, page }, { used + 1, 1 }, { used, 0 } },        /* beyond the end */
        { { 0, page }, { UINT64_MAX, 2 }, { used, 0 } },      /* round the end of all numbers */
        { { 0, page }, { page, page }, { used - 1, 0 } },     /* the end comes early */
        { { 0, page }, { used, 0 }, { used, 0 } },            /* twice */
        { { 0, page }, { used, 0 }, { 2 * page, page } },     /* something after it */
        { { 0, page }, { page, page }, { 2 * page, page } },  /* no end */
    };
    for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *told = told_of_runs(wrong[i], 3, 0);
        if (!starts(told, "is a damaged checkpoint (its cont"))
            fail_msg("runs %u: %s", i, told);
    }
    assert_true(starts(told_of_runs(NULL, 0, 0), "is a damaged checkpoint (its cont"));
    assert_string_equal(told_of(bytes, length), "good");
}

static void sizes_beyond_reason_are_refused(void **state)
{
    (void)state;
    bytes[AT_USED + 6] = 1;
    fingerprint_renew();
    assert_string_equal(told_of(bytes, length), "is a damaged checkpoint (impossible sizes)");
}

static void place_that_is_taken_is_named(void **state)
{
    (void)state;
    ogv_system *other = system_from(chip_text);
    assert_true(starts(told_of(bytes, length), "does not fit: it was taken from place 0 with "));
    ogv_system_destroy(other);
    assert_string_equal(told_of(bytes, length), "good");
}

static void file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct ogv_error error;
    const char *path = folder_path("nowhere.ogv");
    assert_null(ogv_system_resume(path, &error));
    char *expected = text_format("%s: cannot open: No such file or directory", path);
    assert_string_equal(error.message, expected);
    free(expected);
}

static void checkpoint_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_system *system = system_from(chip_text);
    char *path = text_format("%s/deeper/file.ogv", folder_path("nowhere"));
    assert_false(ogv_system_checkpoint(system, path, &error));
    assert_int_equal(error.kind, OGV_ERROR_SYSTEM);
    assert_non_null(
        strstr(error.message, "deeper/file.ogv: cannot write: No such file or directory"));
    free(path);
    ogv_system_destroy(system);
}

#define file_test(function) cmocka_unit_test_setup_teardown(function, file_setup, file_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        file_test(untouched_file_is_good),
        file_test(resumed_run_ends_with_the_same_statistics),
        file_test(damage_in_the_header_is_seen),
        file_test(damage_in_the_architecture_is_seen),
        file_test(damage_in_the_state_is_seen_or_harmless),
        file_test(truncated_file_is_refused),
        file_test(more_at_the_end_is_refused),
        file_test(foreign_file_is_refused),
        file_test(other_version_is_refused),
        file_test(other_build_is_refused),
        file_test(state_of_another_size_is_refused),
        file_test(state_of_garbage_is_refused_and_cleaned_up),
        file_test(runs_that_do_not_fit_are_refused),
        file_test(sizes_beyond_reason_are_refused),
        file_test(place_that_is_taken_is_named),
        file_test(file_that_is_not_there_is_named),
        file_test(checkpoint_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests_name("checkpoint_file", tests, NULL, NULL);
}
