/* elf.h - programs: static RISC-V 64-bit executables.
 *
 * A file may come from anywhere, so nothing in it is believed before it was compared with the size
 * of the file. What elf_load returns is sound: segments lie in the file, do not wrap around the
 * address space and do not overlap; the entry lies in an executable one. */
#ifndef ISA_ELF_H
#define ISA_ELF_H

#include "ogive/ogive.h"
#include "ogive/types.h"

struct elf_segment {
    u64 address;
    u64 size_bytes;  /* in memory; what the file does not fill is zero */
    const u8 *bytes; /* in the file */
    u64 file_bytes;
    bool writable, executable;
};

struct elf_symbol {
    u64 address, size_bytes;
    const char *name;
};

struct elf_image {
    u64 entry;
    struct elf_segment *segments; /* by address, none empty */
    u32 segment_count;
    struct elf_symbol *symbols; /* functions, by address */
    u32 symbol_count;
    u8 *bytes; /* the file */
    u64 size_bytes;
};

/* Both fill in `image`, which elf_fini frees; after false there is nothing to free. */
bool elf_load(const char *path, struct elf_image *image, struct ogv_error *error);
/* The bytes are copied; `name` is for messages. */
bool elf_load_memory(const char *name, const u8 *bytes, u64 size, struct elf_image *image,
                     struct ogv_error *error);
void elf_fini(struct elf_image *image);

/* From the lowest address of any segment to the first one above all. */
void elf_extent(const struct elf_image *image, u64 *low, u64 *high);

/* The function that an address lies in, or NULL. */
const struct elf_symbol *elf_symbol_at(const struct elf_image *image, u64 address);

#endif
