/* hash.c - fingerprints of bytes, of files, and of the program itself.
 *
 * The program is told apart by the build id that the linker wrote into the object in which this
 * code lies. */
#include "base/hash.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/text.h"

struct hash {
    XXH3_state_t *state;
};

struct hash *hash_create(void)
{
    struct hash *hash = heap_array(1, sizeof *hash);
    hash->state = XXH3_createState();
    if (!hash->state)
        heap_exhausted(sizeof *hash);
    XXH3_128bits_reset(hash->state);
    return hash;
}

void hash_add(struct hash *hash, const void *bytes, size_t length)
{
    XXH3_128bits_update(hash->state, bytes, length);
}

void hash_add_text(struct hash *hash, const char *text)
{
    hash_add(hash, text, strlen(text) + 1);
}

void hash_add_u64(struct hash *hash, u64 value)
{
    u8 bytes[8]; /* the same on every machine */
    for (u32 i = 0; i < 8; i++)
        bytes[i] = (u8)(value >> (8 * i));
    hash_add(hash, bytes, sizeof bytes);
}

void hash_finish(struct hash *hash, char digits[HASH_TEXT_BYTES])
{
    XXH128_hash_t value = XXH3_128bits_digest(hash->state);
    snprintf(digits, HASH_TEXT_BYTES, "%016llx%016llx", (unsigned long long)value.high64,
             (unsigned long long)value.low64);
    XXH3_freeState(hash->state);
    free(hash);
}

bool hash_file(const char *path, char digits[HASH_TEXT_BYTES])
{
    FILE *stream = file_open(path, NULL);
    if (!stream)
        return false;
    struct hash *hash = hash_create();
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, stream)) > 0)
        hash_add(hash, chunk, got);
    bool good = !ferror(stream);
    fclose(stream);
    hash_finish(hash, digits);
    return good;
}

struct build_search {
    uintptr_t inside; /* an address within the object looked for */
    struct hash *hash;
    bool found;
};

static bool object_holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && address >= start &&
            address - start < object->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

static bool notes_find_build_id(const char *notes, size_t size, struct hash *hash)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)notes;
        size_t name = (note->n_namesz + 3u) & ~3u, text = (note->n_descsz + 3u) & ~3u;
        size_t total = sizeof *note + name + text;
        if (total > size)
            return false;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            !memcmp(notes + sizeof *note, "GNU", 4)) {
            hash_add(hash, notes + sizeof *note + name, note->n_descsz);
            return true;
        }
        notes += total;
        size -= total;
    }
    return false;
}

static int object_visit(struct dl_phdr_info *object, size_t size, void *context)
{
    struct build_search *search = context;
    (void)size;
    if (!object_holds(object, search->inside))
        return 0;
    for (int i = 0; i < object->dlpi_phnum && !search->found; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            search->found = notes_find_build_id((const char *)object->dlpi_addr + part->p_vaddr,
                                                part->p_memsz, search->hash);
    }
    return 1;
}

void hash_build(char digits[HASH_TEXT_BYTES])
{
    struct build_search search = { (uintptr_t)&hash_build, hash_create(), false };
    dl_iterate_phdr(object_visit, &search);
    hash_finish(search.hash, digits);
    if (!search.found && !hash_file("/proc/self/exe", digits))
        snprintf(digits, HASH_TEXT_BYTES, "%032d", 0);
}
