/* cache.h - what took long to make, kept in the user's cache folder for later processes.
 *
 * A thing is found by the fingerprint of everything it was made from, the build of this library
 * among it. So nothing in the cache is ever out of date, and removing any of it, or all, costs time
 * but nothing else. A cache that cannot be read or written is no failure, and a file that is
 * damaged in any way is as good as none. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/hash.h"

#define CACHE_NAME_BYTES 48
#define CACHE_BYTES_MAX  (8 * GiB) /* in the folder; the files used least recently go first */

/* The folder: $XDG_CACHE_HOME/ogive, or ~/.cache/ogive. NULL if neither is known, or if the
 * environment has OGIVE_CACHE=off. The caller frees. */
char *cache_folder(void);

/* Whether there is a folder to look into. */
bool cache_is_on(void);

/* Begins the key of a thing of this kind; what it is made from is added to it. */
struct hash *cache_key(const char *kind);

/* The name of the thing's file, which ends in its kind: up to 8 small letters. Frees the key. */
void cache_name(struct hash *key, const char *kind, char name[CACHE_NAME_BYTES]);

struct cache_part {
    void *bytes;
    u64 length;
};

/* Parts that lie one behind the other in the file; an interrupt leaves none of it there. */
void cache_put(const char *name, const struct cache_part *parts, u32 count);

/* Takes a thing out in pieces. Nothing of it may be relied on before cache_close has said that all
 * of it was taken and is as it was put there. */
struct cache_file {
    int descriptor;
    u64 left; /* bytes not yet taken */
    struct hash *hash;
    char fingerprint[HASH_TEXT_BYTES];
};
bool cache_open(struct cache_file *file, const char *name);
bool cache_take(struct cache_file *file, void *to, u64 length);
bool cache_close(struct cache_file *file);

/* Takes it as a whole, with a zero behind it that `length` does not count; NULL if it is not there.
 * The caller frees. */
u8 *cache_read(const char *name, u64 *length);

/* Removes files of the cache, the least recently used first, until those left have `bytes`
 * together; and what processes left behind that ended while they wrote. */
void cache_trim(const char *folder, u64 bytes);

#endif
