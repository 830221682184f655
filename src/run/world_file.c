/* world_file.c - worlds as files.
 *
 * The file is the block of memory, zero where nothing was put; its sum is computed over all of it,
 * as native builds do when they open it. It appears under its name when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
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
    char *part = text_format("%s.part", path);
    int file = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 ? block_fill(world, file, path, error)
                          : error_system(error, "%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (good && rename(part, path) != 0)
        good = error_system(error, "%s: cannot be written: %s", path, strerror(errno));
    if (!good && file >= 0)
        unlink(part);
    free(part);
    return good;
}
