/* hash.h - fingerprints: 128 bits of XXH3, as 32 hexadecimal digits. They tell things apart; they
 * do not keep secrets. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "ogive/types.h"

#define HASH_TEXT_BYTES 33

struct hash;

struct hash *hash_create(void);
void hash_add(struct hash *hash, const void *bytes, size_t length);
void hash_add_text(struct hash *hash,
                   const char *text); /* with its end, so that "ab","c" is not "a","bc" */
void hash_add_u64(struct hash *hash, u64 value);

/* Writes the digits and frees the hash. */
void hash_finish(struct hash *hash, char digits[HASH_TEXT_BYTES]);

/* Of the file's contents; false if it cannot be read. */
bool hash_file(const char *path, char digits[HASH_TEXT_BYTES]);

/* Which build of this library is running: the linker's build id, or a fingerprint of the file. */
void hash_build(char digits[HASH_TEXT_BYTES]);

#endif
