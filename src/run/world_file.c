/* world_file.c - worlds as files.
 *
 * The file is the block of memory, zero where nothing was put; its sum is computed over all of it,
 * as native builds do when they open it. It appears under its name when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/file.h"
#include "run/world.h"

static bool put_in_block(void *context, u64 offset, const void *bytes, u64 length,
                         struct ogv_error *error)
{
    (void)error;
    memcpy((u8 *)context + offset, bytes, length);
    return true;
}

static bool block_fill(const struct world *world, int file, const char *path,
                       struct ogv_error *error)
{
    u64 bytes = world->header.bytes;
    if (posix_fallocate(file, 0, (off_t)bytes) != 0)
        return error_system(error, "%s: no room for %llu MiB", path,
                            (unsigned long long)(bytes / MiB + 1));
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (block == MAP_FAILED)
        return error_system(error, "%s: cannot be mapped: %s", path, strerror(errno));
    bool good = world_write(world, put_in_block, block, error);
    struct rt_world *header = block;
    header->sum = rt_world_sum(header);
    munmap(block, bytes);
    return good;
}

bool world_save(const struct world *world, const char *path, struct ogv_error *error)
{
    struct draft draft;
    return draft_open(&draft, path, error) &&
           draft_finish(&draft, block_fill(world, draft.descriptor, path, error), error);
}
