/* fuzz_rays.c - libFuzzer target: whatever the bytes, the reader of ray files refuses them or
 * returns a set that is sound and holds those bytes. The fingerprint is made to fit, so that what
 * it protects is read too.
 *
 *     fuzz_rays tests/rt/corpus/fuzz_rays */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "rt/rays.h"

#define HEADER 72
#define DIGITS 40 /* where the fingerprint begins */

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

static void seal(u8 *bytes, size_t size)
{
    char digits[HASH_TEXT_BYTES];
    struct hash *hash = hash_create();
    hash_add(hash, bytes, DIGITS);
    hash_add(hash, bytes + HEADER, size - HEADER);
    hash_finish(hash, digits);
    memcpy(bytes + DIGITS, digits, HEADER - DIGITS);
}

static void set_check(const struct ray_set *set)
{
    u64 real = 0;
    if (set->kind >= RAY_KINDS || set->order >= RAY_ORDERS ||
        set->count != (u64)set->width * set->height)
        abort();
    for (u64 i = 0; i < set->count; i++) {
        const struct rt_ray *ray = &set->rays[i];
        if (set->pixels[i] >= set->count)
            abort();
        if (rt_ray_is_empty(ray))
            continue;
        real++;
        for (u32 k = 0; k < 3; k++)
            if (!isfinite(ray->origin[k]) || !isfinite(ray->direction[k]))
                abort();
    }
    if (real != set->real)
        abort();
}

static bool load(const u8 *bytes, size_t size, struct ray_set *set)
{
    char path[64];
    int file = memfd_create("rays", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool good = rays_load(path, set, NULL);
    close(file);
    return good;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    struct ray_set set;
    if (load(bytes, size, &set))
        set_check(&set);
    rays_free(&set);
    if (size < HEADER)
        return 0;
    u8 *sealed = malloc(size);
    memcpy(sealed, bytes, size);
    seal(sealed, size);
    if (load(sealed, size, &set)) {
        set_check(&set);
        if (size != HEADER + set.count * sizeof *set.rays ||
            memcmp(sealed + HEADER, set.rays, size - HEADER) != 0)
            abort();
    }
    rays_free(&set);
    free(sealed);
    return 0;
}
