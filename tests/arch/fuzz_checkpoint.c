/* fuzz_checkpoint.c - checkpoint files with bytes changed, cut out, put in: refused with a message
 * or, where the change means nothing, resumed.
 *
 * A good file belongs to one build, so it is made at the start and the input says how to change it.
 * First byte: bit 0, take the rest of the input as the whole file; bit 1, renew the fingerprint of
 * the header afterwards. Then edits of four bytes each: position (two bytes), what to do, value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT_TEXT_LENGTH 16
#define AT_FINGERPRINT 88
#define AT_TEXT        128
#define LONGEST        (1 << 20)

enum { WHOLE = 1, RENEW = 2 };
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
    bool whole = data[0] & WHOLE;
    size_t length = whole ? size - 1 : good_size;
    memcpy(bytes, whole ? data + 1 : good, length);
    for (size_t at = 1; !whole && at + 4 <= size; at += 4)
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
