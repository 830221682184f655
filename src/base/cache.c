/* cache.c - see cache.h.
 *
 * A file is a header and the thing. It is written under another name, flushed to the disk, then
 * renamed: readers see all of it or nothing, and if two processes make the same one, the later
 * replaces the earlier by the same bytes. Damage is found by a fingerprint of everything in the
 * file. */
#include "base/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"

#define MAGIC              "ogive cache 1\n"
#define KIND_LETTERS       8
#define UNFINISHED         ".new" /* behind the name, and six letters behind it */
#define UNFINISHED_SECONDS 3600   /* nobody writes one file for that long */
#define PIECE_BYTES        (4 * MiB)

struct header {
    char magic[16];
    char name[CACHE_NAME_BYTES];           /* of the file: what it was made from */
    char fingerprint[HASH_TEXT_BYTES + 7]; /* of the file, with nothing here */
    u64 length;                            /* of what follows */
};

/* ---- Names ---- */

char *cache_folder(void)
{
    const char *wish = getenv("OGIVE_CACHE");
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wish && !strcmp(wish, "off"))
        return NULL;
    if (cache && cache[0] == '/')
        return text_format("%s/ogive", cache);
    return home && home[0] == '/' ? text_format("%s/.cache/ogive", home) : NULL;
}

bool cache_is_on(void)
{
    char *folder = cache_folder();
    free(folder);
    return folder;
}

struct hash *cache_key(const char *kind)
{
    char digits[HASH_TEXT_BYTES];
    struct hash *key = hash_create();
    hash_build(digits);
    hash_add_text(key, MAGIC);
    hash_add_text(key, digits);
    hash_add_text(key, kind);
    return key;
}

void cache_name(struct hash *key, const char *kind, char name[CACHE_NAME_BYTES])
{
    char digits[HASH_TEXT_BYTES];
    hash_finish(key, digits);
    snprintf(name, CACHE_NAME_BYTES, "%s.%.*s", digits, KIND_LETTERS, kind);
}

static struct header header_make(const char *name, u64 length)
{
    struct header header;
    memset(&header, 0, sizeof header); /* what lies between the fields too */
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    memcpy(header.name, name, strnlen(name, sizeof header.name - 1));
    header.length = length;
    return header;
}

/* ---- Taking ---- */

static bool header_take(struct cache_file *file, const char *name)
{
    struct header header;
    struct stat status;
    if (fstat(file->descriptor, &status) ||
        !descriptor_read(file->descriptor, &header, sizeof header))
        return false;
    struct header expected = header_make(name, (u64)status.st_size - sizeof header);
    memcpy(file->fingerprint, header.fingerprint, sizeof file->fingerprint);
    memcpy(expected.fingerprint, file->fingerprint, sizeof file->fingerprint);
    if (memcmp(&header, &expected, sizeof header))
        return false;
    memset(header.fingerprint, 0, sizeof header.fingerprint);
    hash_add(file->hash, &header, sizeof header);
    file->left = header.length;
    return true;
}

bool cache_open(struct cache_file *file, const char *name)
{
    char *folder = cache_folder();
    char *path = folder ? text_format("%s/%s", folder, name) : NULL;
    *file = (struct cache_file){ .descriptor = path ? file_open_descriptor(path, NULL) : -1 };
    free(path);
    free(folder);
    if (file->descriptor < 0)
        return false;
    file->hash = hash_create();
    if (header_take(file, name))
        return true;
    file->left = 1; /* it is not whole */
    cache_close(file);
    return false;
}

bool cache_take(struct cache_file *file, void *to, u64 length)
{
    if (length > file->left || !descriptor_read(file->descriptor, to, length))
        return false;
    hash_add(file->hash, to, length);
    file->left -= length;
    return true;
}

bool cache_close(struct cache_file *file)
{
    char digits[HASH_TEXT_BYTES];
    hash_finish(file->hash, digits);
    bool good = !file->left && !memcmp(digits, file->fingerprint, sizeof digits);
    if (good)
        futimens(file->descriptor, NULL); /* used now: among the last to go */
    close(file->descriptor);
    return good;
}

u8 *cache_read(const char *name, u64 *length)
{
    struct cache_file file;
    if (!cache_open(&file, name))
        return NULL;
    *length = file.left;
    u8 *bytes = malloc(*length + 1);
    bool taken = bytes && cache_take(&file, bytes, *length);
    if (cache_close(&file) && taken) {
        bytes[*length] = 0;
        return bytes;
    }
    free(bytes);
    return NULL;
}

/* ---- Putting ---- */

static void fingerprint_make(struct header *header, const struct cache_part *parts, u32 count)
{
    struct hash *hash = hash_create();
    hash_add(hash, header, sizeof *header);
    for (u32 i = 0; i < count; i++)
        hash_add(hash, parts[i].bytes, parts[i].length);
    hash_finish(hash, header->fingerprint);
}

/* In pieces, so that an interrupt need not wait for the disk. */
static bool part_write(int file, const struct cache_part *part)
{
    const char *bytes = part->bytes;
    bool good = true;
    for (u64 at = 0; at < part->length && good; at += PIECE_BYTES)
        good = !stop_asked() &&
               descriptor_write(file, bytes + at, min_u64(PIECE_BYTES, part->length - at));
    return good;
}

static bool file_fill(int file, const char *name, const struct cache_part *parts, u32 count)
{
    u64 length = 0;
    for (u32 i = 0; i < count; i++)
        length += parts[i].length;
    struct header header = header_make(name, length);
    fingerprint_make(&header, parts, count);
    bool good = descriptor_write(file, &header, sizeof header);
    for (u32 i = 0; i < count; i++)
        good = good && part_write(file, &parts[i]);
    return good && !fsync(file);
}

static void folder_put(const char *folder, const char *name, const struct cache_part *parts,
                       u32 count)
{
    char *path = text_format("%s/%s", folder, name);
    char *unfinished = text_format("%s/%s" UNFINISHED "XXXXXX", folder, name);
    int file = folder_create(folder, NULL) ? mkostemp(unfinished, O_CLOEXEC) : -1;
    if (file >= 0) {
        bool good = file_fill(file, name, parts, count);
        good = !close(file) && good;
        if (!good || rename(unfinished, path))
            unlink(unfinished);
        cache_trim(folder, CACHE_BYTES_MAX);
    }
    free(unfinished);
    free(path);
}

void cache_put(const char *name, const struct cache_part *parts, u32 count)
{
    char *folder = cache_folder();
    if (folder)
        folder_put(folder, name, parts, count);
    free(folder);
}

/* ---- Making room ---- */

struct entry {
    char name[CACHE_NAME_BYTES];
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
    snprintf(entry->name, sizeof entry->name, "%.*s", CACHE_NAME_BYTES - 1, name);
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

/* What stands behind 32 digits and a kind; NULL if the name does not begin so. */
static const char *name_rest(const char *name)
{
    if (strspn(name, "0123456789abcdef") != 32 || name[32] != '.')
        return NULL;
    size_t letters = strspn(name + 33, "abcdefghijklmnopqrstuvwxyz");
    return letters && letters <= KIND_LETTERS ? name + 33 + letters : NULL;
}

static bool rest_is_unfinished(const char *rest)
{
    return strlen(rest) == strlen(UNFINISHED) + 6 && !strncmp(rest, UNFINISHED, strlen(UNFINISHED));
}

static void entries_read(struct entries *entries, DIR *folder)
{
    struct dirent *found;
    time_t now = time(NULL);
    while ((found = readdir(folder))) {
        struct stat status;
        const char *name = found->d_name, *rest = name_rest(name);
        if (!rest || fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(status.st_mode))
            continue;
        if (!*rest)
            entries_add(entries, name, &status);
        else if (rest_is_unfinished(rest) && now - status.st_mtim.tv_sec > UNFINISHED_SECONDS)
            unlinkat(dirfd(folder), name, 0);
    }
}

void cache_trim(const char *folder, u64 bytes)
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
