/* fuzz_checkpoint.c - checkpoint files with bytes changed, cut out, put in: refused with a message
 * or, where the change means nothing, resumed.
 *
 * A good file belongs to one build, so it is made at the start and the input says how to change it.
 * First byte: bit 0, take the rest of the input as the whole file; bit 1, renew the fingerprint of
 * the header afterwards; bit 2, the rest of the input is a list of runs of pages, and the state of
 * the file is these, with a checksum that is right. Otherwise there follow edits of four bytes
 * each: position (two bytes), what to do, value. A run is four bytes too: its start and its length
 * in pages, of two bytes each; the start 65535 is the end of the arena. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT_TEXT_LENGTH 16
#define AT_USED        32
#define AT_FINGERPRINT 88
#define AT_TEXT        128
#define LONGEST        (1 << 20)

enum { WHOLE = 1, RENEW = 2, RUNS = 4 };
enum edit { EDIT_SET, EDIT_FLIP, EDIT_CUT, EDIT_GROW, EDITS };

static const char chip_text[] =
    "domains:\n"
    "  a:\n"
    "    units: { s: { type: source, messages: 40 }, d: { type: delay }, k: { type: sink } }\n"
    "    links: [ s -> d, d -> k ]\n";

static u8 *good;
static size_t good_size;
static int file;
static char path[64];

/* The file lives in memory and has a name all the same. */
static void file_create(void)
{
    file = memfd_create("checkpoint", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}

static void file_fill(const u8 *bytes, size_t size)
{
    if (ftruncate(file, 0) || pwrite(file, bytes, size, 0) != (ssize_t)size)
        ogv_bug("cannot write to %s", path);
}

static void good_create(void)
{
    struct ogv_error error;
    char name[] = "/tmp/ogive-fuzz-XXXXXX";
    ogv_arch *arch = arch_parse("text", chip_text, strlen(chip_text), ARCH_ALONE, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    int beside = mkstemp(name);
    if (!system || beside < 0 || ogv_system_run(system, 30, &error) != OGV_END_REACHED ||
        !ogv_system_checkpoint(system, name, &error))
        ogv_bug("no checkpoint: %s", error.message);
    ogv_system_destroy(system);
    good = (u8 *)file_read(name, LONGEST, &good_size, &error);
    close(beside);
    unlink(name);
}

/* Returns the new size. */
static size_t edit_apply(u8 *bytes, size_t size, const u8 *edit)
{
    size_t at = size ? (edit[0] | (size_t)edit[1] << 8) % size : 0;
    switch (edit[2] % EDITS) {
    case EDIT_SET:
        bytes[at] = edit[3];
        return size ? size : 1;
    case EDIT_FLIP:
        bytes[at] ^= (u8)(1 << edit[3] % 8);
        return size ? size : 1;
    case EDIT_CUT: {
        size_t length = min_u64(edit[3], size - at);
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    }
    default: {
        size_t length = min_u64(edit[3], LONGEST - size);
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    }
    }
}

/* Of a good file, from its header. */
static u64 header_get(size_t at)
{
    u64 value;
    memcpy(&value, good + at, sizeof value);
    return value;
}

static u64 list_get(const u8 *list)
{
    return list[0] | (u64)list[1] << 8;
}

/* Puts the listed runs in place of the state. Returns the new size. */
static size_t runs_apply(u8 *bytes, const u8 *list, size_t size)
{
    static const char garbage[ARENA_PAGE] = "\xa5";
    size_t body = AT_TEXT + header_get(AT_TEXT_LENGTH);
    struct text state = { 0 };
    for (size_t at = 0; at + 4 <= size; at += 4) {
        u64 start = list_get(list + at), pages = list_get(list + at + 2);
        u64 head[2] = { start == UINT16_MAX ? header_get(AT_USED) : start * ARENA_PAGE,
                        pages * ARENA_PAGE };
        text_add_bytes(&state, (const char *)head, sizeof head);
        for (u64 i = 0; i < pages && state.length < LONGEST; i++)
            text_add_bytes(&state, garbage, sizeof garbage);
    }
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t packed =
        ZSTD_compress2(context, bytes + body, LONGEST - body, text_get(&state), state.length);
    ZSTD_freeCCtx(context);
    text_fini(&state);
    return ZSTD_isError(packed) ? body : body + packed;
}

static void fingerprint_renew(u8 *bytes, size_t size)
{
    u64 text_length;
    if (size < AT_TEXT)
        return;
    memcpy(&text_length, bytes + AT_TEXT_LENGTH, sizeof text_length);
    if (text_length > size - AT_TEXT)
        return;
    struct hash *hash = hash_create();
    hash_add(hash, bytes, AT_FINGERPRINT);
    hash_add(hash, bytes + AT_TEXT, text_length);
    hash_finish(hash, (char *)bytes + AT_FINGERPRINT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static u8 bytes[LONGEST];
    if (!good) {
        good_create();
        file_create();
    }
    if (!size || size > LONGEST)
        return 0;
    bool whole = data[0] & WHOLE, runs = !whole && data[0] & RUNS;
    size_t length = whole ? size - 1 : good_size;
    memcpy(bytes, whole ? data + 1 : good, length);
    if (runs)
        length = runs_apply(bytes, data + 1, size - 1);
    for (size_t at = 1; !whole && !runs && at + 4 <= size; at += 4)
        length = edit_apply(bytes, length, data + at);
    if (data[0] & RENEW)
        fingerprint_renew(bytes, length);
    /* Loading a library is running a program: not what is tested here. */
    if (memmem(bytes, length, "unit_path", 9) || memmem(bytes, length, "extends", 7))
        return 0;
    file_fill(bytes, length);
    struct ogv_error error = { 0 };
    ogv_system *system = ogv_system_resume(path, &error);
    if (!system && !error.message[0])
        ogv_bug("refused without a reason");
    ogv_system_destroy(system);
    return 0;
}
