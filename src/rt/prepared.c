/* prepared.c - see prepared.h.
 *
 * A file is a header and the arrays of the tree. It is written under another name, flushed to the
 * disk, then renamed: readers see all of it or nothing, and if two processes make the same one, the
 * later replaces the earlier by the same bytes. Damage is found by a fingerprint of everything in
 * the file; a file that is not right in any way is as good as none. */
#include "rt/prepared.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/stop.h"
#include "base/text.h"
#include "rt/embree.h"

#define MAGIC              "ogive bvh 1\n"
#define ENDING             ".bvh"
#define ENDING_UNFINISHED  ".bvh.new" /* and six letters */
#define UNFINISHED_SECONDS 3600       /* nobody writes one file for that long */
#define PIECE_BYTES        (4 * MiB)

struct header {
    char magic[16];
    char name[64];                         /* of the file: what it was made from */
    char fingerprint[HASH_TEXT_BYTES + 7]; /* of the file, with nothing here */
    u64 node_count, block_count;
    u32 node_bytes, block_bytes, number_bytes, spare;
    struct box bounds;
    struct bvh_statistics statistics;
};

/* ---- Names ---- */

char *prepared_folder(void)
{
    const char *wish = getenv("OGIVE_CACHE");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wish && !strcmp(wish, "off"))
        return NULL;
    if (cache && cache[0] == '/')
        return text_format("%s/ogive", cache);
    return home && home[0] == '/' ? text_format("%s/.cache/ogive", home) : NULL;
}

void prepared_name(const struct mesh *mesh, const struct bvh_options *options, char name[64])
{
    char digits[HASH_TEXT_BYTES];
    struct hash *hash = hash_create();
    hash_build(digits);
    hash_add_text(hash, MAGIC);
    hash_add_text(hash, digits);
    hash_add_u64(hash, embree_version());
    hash_add_text(hash, options->nodes->name);
    hash_add_text(hash, options->primitives->name);
    hash_add_text(hash, bvh_builder_names[options->builder]);
    hash_add_u64(hash, options->leaf_triangles);
    hash_add_u64(hash, mesh->vertex_count);
    hash_add_u64(hash, mesh->triangle_count);
    hash_add(hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    hash_add(hash, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    hash_finish(hash, digits);
    snprintf(name, 64, "%s" ENDING, digits);
}

/* ---- Arrays ---- */

struct array {
    void *bytes;
    u64 length;
};

static void arrays_of(const struct bvh *bvh, struct array arrays[3])
{
    arrays[0] = (struct array){ bvh->nodes, bvh->node_count * bvh->nodes_format->bytes };
    arrays[1] = (struct array){ bvh->blocks, bvh->block_count * bvh->primitives_format->bytes };
    arrays[2] =
        (struct array){ bvh->numbers, bvh->numbers ? bvh->block_count * sizeof *bvh->numbers : 0 };
}

static void fingerprint_make(const struct header *header, const struct bvh *bvh,
                             char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    struct header blank = *header;
    struct array arrays[3];
    memset(blank.fingerprint, 0, sizeof blank.fingerprint);
    hash_add(hash, &blank, sizeof blank);
    arrays_of(bvh, arrays);
    for (u32 i = 0; i < 3; i++)
        hash_add(hash, arrays[i].bytes, arrays[i].length);
    hash_finish(hash, digits);
}

/* ---- Reading ---- */

/* Sizes that no tree has would make the products below overflow. */
static bool header_fits(const struct header *header, const char *name, const struct bvh *bvh,
                        u64 file_bytes)
{
    const struct primitive_format *primitives = bvh->primitives_format;
    u32 number_bytes = primitives->numbers ? sizeof *bvh->numbers : 0;
    return !memcmp(header->magic, MAGIC, sizeof MAGIC) && !strncmp(header->name, name, 64) &&
           header->node_bytes == bvh->nodes_format->bytes &&
           header->block_bytes == primitives->bytes && header->number_bytes == number_bytes &&
           header->node_count >= 1 && header->node_count < RT_REF_LAST &&
           header->block_count <= UINT64_C(1) << RT_REF_BLOCK_BITS &&
           file_bytes == sizeof *header + header->node_count * header->node_bytes +
                             header->block_count * (header->block_bytes + number_bytes);
}

static bool contents_read(int file, const struct header *header, struct bvh *bvh)
{
    struct array arrays[3];
    char digits[sizeof header->fingerprint] = "";
    bvh->node_count = header->node_count;
    bvh->block_count = header->block_count;
    bvh->bounds = header->bounds;
    bvh->statistics = header->statistics;
    if (!bvh_allocate(bvh, NULL))
        return false;
    arrays_of(bvh, arrays);
    for (u32 i = 0; i < 3; i++)
        if (!descriptor_read(file, arrays[i].bytes, arrays[i].length))
            return false;
    fingerprint_make(header, bvh, digits);
    return !memcmp(digits, header->fingerprint, sizeof digits);
}

static bool file_take(int file, const char *name, struct bvh *bvh)
{
    struct header header;
    struct stat status;
    if (fstat(file, &status) || !descriptor_read(file, &header, sizeof header) ||
        !header_fits(&header, name, bvh, (u64)status.st_size))
        return false;
    return contents_read(file, &header, bvh);
}

static bool cache_take(const char *folder, const char *name, const struct bvh_options *options,
                       struct bvh *bvh)
{
    char *path = text_format("%s/%s", folder, name);
    int file = file_open_descriptor(path, NULL);
    *bvh = (struct bvh){ .nodes_format = options->nodes, .primitives_format = options->primitives };
    bool good = file >= 0 && file_take(file, name, bvh);
    if (good)
        futimens(file, NULL); /* used now: among the last to go */
    else
        bvh_free(bvh);
    if (file >= 0)
        close(file);
    free(path);
    return good;
}

/* ---- Writing ---- */

static void header_make(struct header *header, const char *name, const struct bvh *bvh)
{
    memset(header, 0, sizeof *header); /* what lies between the fields too */
    memcpy(header->magic, MAGIC, sizeof MAGIC);
    memcpy(header->name, name, strlen(name));
    header->node_count = bvh->node_count;
    header->block_count = bvh->block_count;
    header->node_bytes = bvh->nodes_format->bytes;
    header->block_bytes = bvh->primitives_format->bytes;
    header->number_bytes = bvh->numbers ? sizeof *bvh->numbers : 0;
    header->bounds = bvh->bounds;
    header->statistics = bvh->statistics;
    char digits[HASH_TEXT_BYTES];
    fingerprint_make(header, bvh, digits);
    memcpy(header->fingerprint, digits, sizeof digits);
}

/* In pieces, so that an interrupt need not wait for the disk. */
static bool array_put(int file, const struct array *array)
{
    const char *bytes = array->bytes;
    bool good = true;
    for (u64 at = 0; at < array->length && good; at += PIECE_BYTES)
        good = !stop_asked() &&
               descriptor_write(file, bytes + at, min_u64(PIECE_BYTES, array->length - at));
    return good;
}

static bool file_put(int file, const char *name, const struct bvh *bvh)
{
    struct header header;
    struct array arrays[3];
    header_make(&header, name, bvh);
    arrays_of(bvh, arrays);
    bool good = descriptor_write(file, &header, sizeof header);
    for (u32 i = 0; i < 3; i++)
        good = good && array_put(file, &arrays[i]);
    return good && !fsync(file);
}

static void cache_put(const char *folder, const char *name, const struct bvh *bvh)
{
    char *path = text_format("%s/%s", folder, name);
    char *unfinished = text_format("%s/%.32s" ENDING_UNFINISHED "XXXXXX", folder, name);
    int file = folder_create(folder, NULL) ? mkostemp(unfinished, O_CLOEXEC) : -1;
    if (file >= 0) {
        bool good = file_put(file, name, bvh);
        good = !close(file) && good;
        if (!good || rename(unfinished, path))
            unlink(unfinished);
        prepared_trim(folder, PREPARED_BYTES_MAX);
    }
    free(unfinished);
    free(path);
}

/* ---- Making room ---- */

struct entry {
    char name[64];
    struct timespec used;
    u64 bytes;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
};

static void entries_add(struct entries *entries, const char *name, const struct stat *status)
{
    if (entries->count == entries->capacity) {
        entries->capacity = entries->capacity ? 2 * entries->capacity : 64;
        entries->items = heap_grow(entries->items, entries->capacity, sizeof *entries->items);
    }
    struct entry *entry = &entries->items[entries->count++];
    snprintf(entry->name, sizeof entry->name, "%.63s", name);
    entry->used = status->st_mtim;
    entry->bytes = (u64)status->st_size;
}

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Whether the name is 32 digits and then this. */
static bool name_ends(const char *name, const char *ending)
{
    return strspn(name, "0123456789abcdef") == 32 && !strcmp(name + 32, ending);
}

static bool name_unfinished(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strlen(name) == 32 + 8 + 6 &&
           !strncmp(name + 32, ENDING_UNFINISHED, 8);
}

static void entries_read(struct entries *entries, DIR *folder)
{
    struct dirent *found;
    time_t now = time(NULL);
    while ((found = readdir(folder))) {
        struct stat status;
        const char *name = found->d_name;
        if (fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
            continue;
        if (name_ends(name, ENDING))
            entries_add(entries, name, &status);
        else if (name_unfinished(name) && now - status.st_mtim.tv_sec > UNFINISHED_SECONDS)
            unlinkat(dirfd(folder), name, 0);
    }
}

void prepared_trim(const char *folder, u64 bytes)
{
    struct entries entries = { 0 };
    DIR *opened = opendir(folder);
    u64 held = 0;
    if (!opened)
        return;
    entries_read(&entries, opened);
    if (entries.count)
        qsort(entries.items, entries.count, sizeof *entries.items, entry_order);
    for (size_t i = 0; i < entries.count; i++)
        held += entries.items[i].bytes;
    for (size_t i = 0; i < entries.count && held > bytes; i++) {
        unlinkat(dirfd(opened), entries.items[i].name, 0);
        held -= entries.items[i].bytes;
    }
    closedir(opened);
    free(entries.items);
}

/* ---- Both ---- */

bool prepared_bvh(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
                  bool *was_cached, struct ogv_error *error)
{
    char name[64], *folder = prepared_folder();
    bool cached = false, good = true;
    if (folder) {
        prepared_name(mesh, options, name);
        cached = cache_take(folder, name, options, bvh);
    }
    if (!cached)
        good = bvh_build(mesh, options, bvh, error);
    if (folder && good && !cached)
        cache_put(folder, name, bvh);
    if (was_cached)
        *was_cached = cached;
    free(folder);
    if (!good || !stop_asked())
        return good;
    bvh_free(bvh);
    return stop_error(error, "building the tree");
}
