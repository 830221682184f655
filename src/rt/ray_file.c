/* ray_file.c - ray files; see rays.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "rt/rays.h"

#define RAYS_VERSION 1

static const char rays_magic[8] = "OGVRAYS";

/* The fingerprint is of all the rest of the header, then the rays. */
struct rays_header {
    char magic[8];
    u32 version, kind, order, width, height, zero;
    u64 count;
    char digits[32];
};

_Static_assert(sizeof(struct rays_header) == 72, "the header has no holes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ray files are little endian");

static void fingerprint(const struct rays_header *header, const struct rt_ray *rays,
                        char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add(hash, header, offsetof(struct rays_header, digits));
    hash_add(hash, rays, header->count * sizeof *rays);
    hash_finish(hash, digits);
}

bool rays_save(const struct ray_set *set, const char *path, struct ogv_error *error)
{
    struct rays_header header = { .version = RAYS_VERSION,
                                  .kind = set->kind,
                                  .order = set->order,
                                  .width = set->width,
                                  .height = set->height,
                                  .count = set->count };
    char digits[HASH_TEXT_BYTES];
    memcpy(header.magic, rays_magic, sizeof header.magic);
    fingerprint(&header, set->rays, digits);
    memcpy(header.digits, digits, sizeof header.digits);
    size_t length = sizeof header + set->count * sizeof *set->rays;
    char *bytes = malloc(length);
    if (!bytes)
        return error_system(error, "%s: no memory to write %llu rays", path,
                            (unsigned long long)set->count);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, set->rays, set->count * sizeof *set->rays);
    bool good = file_write(path, bytes, length, error);
    free(bytes);
    return good;
}

/* ---- Loading ---- */

static bool bytes_read(int file, void *to, size_t length, const char *path, struct ogv_error *error)
{
    char *at = to;
    while (length) {
        ssize_t got = read(file, at, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(error, "%s: cannot read: %s", path, strerror(errno));
        if (!got)
            return error_user(error, "%s: ends too early", path);
        at += got;
        length -= (size_t)got;
    }
    return true;
}

static bool header_check(const struct rays_header *header, u64 size, const char *path,
                         struct ogv_error *error)
{
    if (memcmp(header->magic, rays_magic, sizeof rays_magic) != 0)
        return error_user(error, "%s: is no ray file; `ogive rays SCENE -o FILE` makes one", path);
    if (header->version != RAYS_VERSION)
        return error_user(error, "%s: is a ray file of version %u; this program reads version %u",
                          path, header->version, RAYS_VERSION);
    if (header->kind >= RAY_KINDS || header->order >= RAY_ORDERS || header->zero)
        return error_user(error, "%s: names kind %u and order %u, of which there are %u and %u",
                          path, header->kind, header->order, RAY_KINDS, RAY_ORDERS);
    if (!header->count || header->count > RAYS_MAX ||
        header->count != (u64)header->width * header->height)
        return error_user(error,
                          "%s: says %llu rays for %u x %u pixels; there must be one for each, and "
                          "1 to %llu in all",
                          path, (unsigned long long)header->count, header->width, header->height,
                          (unsigned long long)RAYS_MAX);
    u64 wanted = sizeof *header + header->count * sizeof(struct rt_ray);
    if (size != wanted)
        return error_user(error, "%s: has %llu bytes, but its %llu rays need %llu", path,
                          (unsigned long long)size, (unsigned long long)header->count,
                          (unsigned long long)wanted);
    return true;
}

static bool ray_is_sound(const struct rt_ray *ray)
{
    double length = 0;
    for (u32 k = 0; k < 3; k++) {
        if (!isfinite(ray->origin[k]) || !isfinite(ray->direction[k]))
            return false;
        length += fabs((double)ray->direction[k]);
    }
    return length > 0 && ray->t_min >= 0 && isfinite(ray->t_min);
}

static bool rays_check(struct ray_set *set, const char *path, struct ogv_error *error)
{
    for (u64 i = 0; i < set->count; i++) {
        if (rt_ray_is_empty(&set->rays[i]))
            continue;
        if (!ray_is_sound(&set->rays[i]))
            return error_user(error,
                              "%s: ray %llu cannot be traced: origin, direction and t_min must be "
                              "finite, the direction not zero, t_min not negative",
                              path, (unsigned long long)i);
        set->real++;
    }
    return true;
}

bool rays_take(const char *name, const struct rt_ray *rays, u32 width, u32 height,
               struct ray_set *set, struct ogv_error *error)
{
    u64 count = (u64)width * height;
    *set = (struct ray_set){ .order = ORDER_ROW, .width = width, .height = height, .count = count };
    set->rays = malloc(count * sizeof *set->rays);
    set->pixels = malloc(count * sizeof *set->pixels);
    if (!set->rays || !set->pixels)
        return error_system(error, "%s: no memory for %llu rays", name, (unsigned long long)count);
    memcpy(set->rays, rays, count * sizeof *set->rays);
    rays_order(set->order, width, height, set->pixels);
    return rays_check(set, name, error);
}

static bool rays_read(int file, const struct rays_header *header, const char *path,
                      struct ray_set *set, struct ogv_error *error)
{
    char digits[HASH_TEXT_BYTES];
    *set = (struct ray_set){ .kind = (enum ray_kind)header->kind,
                             .order = (enum ray_order)header->order,
                             .width = header->width,
                             .height = header->height,
                             .count = header->count };
    set->rays = malloc(set->count * sizeof *set->rays);
    set->pixels = malloc(set->count * sizeof *set->pixels);
    if (!set->rays || !set->pixels)
        return error_system(error, "%s: no memory for %llu rays", path,
                            (unsigned long long)set->count);
    if (!bytes_read(file, set->rays, set->count * sizeof *set->rays, path, error))
        return false;
    fingerprint(header, set->rays, digits);
    if (memcmp(digits, header->digits, sizeof header->digits) != 0)
        return error_user(error, "%s: is damaged: its contents do not match its fingerprint", path);
    rays_order(set->order, set->width, set->height, set->pixels);
    return rays_check(set, path, error);
}

static bool rays_load_from(int file, const char *path, struct ray_set *set, struct ogv_error *error)
{
    struct stat status;
    struct rays_header header;
    if (fstat(file, &status))
        return error_system(error, "%s: cannot read: %s", path, strerror(errno));
    if (status.st_size < (off_t)sizeof header)
        return error_user(error, "%s: is no ray file: too short", path);
    if (!bytes_read(file, &header, sizeof header, path, error) ||
        !header_check(&header, (u64)status.st_size, path, error))
        return false;
    return rays_read(file, &header, path, set, error);
}

bool rays_load(const char *path, struct ray_set *set, struct ogv_error *error)
{
    *set = (struct ray_set){ 0 };
    int file = file_open_descriptor(path, error);
    if (file < 0)
        return false;
    bool good = rays_load_from(file, path, set, error);
    close(file);
    if (!good)
        rays_free(set);
    return good;
}
