/* spill.c - see spill.h. */
#include "debug/spill.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/text.h"

#define LEVEL      1 /* of compression: it is done while the user waits */
#define BLOCK      4096
#define PACKED_MAX (2 * BLOCK)

void spill_init(struct spill *spill, const char *folder, u64 limit_bytes)
{
    *spill = (struct spill){ .file = -1, .folder = folder, .limit_bytes = limit_bytes };
}

void spill_fini(struct spill *spill)
{
    if (spill->file >= 0)
        close(spill->file);
    spill->file = -1;
}

bool spill_takes(const struct spill *spill)
{
    return spill->folder && !spill->failed && spill->bytes < spill->limit_bytes;
}

/* Some file systems make no file without a name: there it loses its name at once. */
static int file_make(const char *folder)
{
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    char *name = text_format("%s/history-XXXXXX", folder);
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    free(name);
    return file;
}

struct volume *spill_begin(struct spill *spill)
{
    if (spill->file < 0)
        spill->file = file_make(spill->folder);
    spill->failed = spill->file < 0;
    if (spill->failed)
        return NULL;
    struct volume *volume = heap_array(1, sizeof *volume);
    spill->end = (spill->end + BLOCK - 1) / BLOCK * BLOCK; /* blocks are given back as a whole */
    volume->begin = spill->end;
    volume->pages = 1; /* the one who writes it */
    return volume;
}

bool spill_write(struct spill *spill, struct volume *volume, const u8 *page, u64 bytes,
                 struct spilled *spilled)
{
    u8 packed[PACKED_MAX];
    size_t length = ZSTD_compress(packed, sizeof packed, page, bytes, LEVEL);
    if (ZSTD_isError(length) || spill->bytes + length > spill->limit_bytes)
        return false;
    if (pwrite(spill->file, packed, length, (off_t)spill->end) != (ssize_t)length) {
        spill->failed = true;
        return false;
    }
    *spilled = (struct spilled){ volume, spill->end, (u32)length };
    spill->end += length;
    spill->bytes += length;
    volume->length += length;
    volume->pages++;
    return true;
}

bool spill_read(const struct spill *spill, const struct spilled *spilled, u8 *page, u64 bytes)
{
    u8 packed[PACKED_MAX];
    return pread(spill->file, packed, spilled->length, (off_t)spilled->at) ==
               (ssize_t)spilled->length &&
           ZSTD_decompress(page, bytes, packed, spilled->length) == bytes;
}

/* Where the file system cannot give blocks back, they stay in the account. */
void spill_forget(struct spill *spill, struct volume *volume)
{
    if (--volume->pages)
        return;
    u64 whole = (volume->length + BLOCK - 1) / BLOCK * BLOCK;
    if (!whole || !fallocate(spill->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             (off_t)volume->begin, (off_t)whole))
        spill->bytes -= volume->length;
    free(volume);
}
