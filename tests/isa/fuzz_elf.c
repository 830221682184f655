/* fuzz_elf.c - libFuzzer target: whatever the bytes, the loader refuses them or returns an image
 * that is sound, and the interpreter survives running it for a while.
 *
 *     fuzz_elf tests/isa/corpus/fuzz_elf */
#include <stdlib.h>

#include "isa/interp.h"

#define MEMORY_MAX MiB

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

static void image_check(const struct elf_image *image)
{
    const u8 *end = image->bytes + image->size_bytes;
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->bytes < image->bytes || segment->bytes > end ||
            segment->file_bytes > (u64)(end - segment->bytes) ||
            segment->file_bytes > segment->size_bytes)
            abort();
    }
    for (u32 i = 0; i < image->symbol_count; i++)
        if (!elf_symbol_at(image, image->symbols[i].address))
            abort();
}

static void image_run(const struct elf_image *image)
{
    u64 low, high;
    struct interp interp;
    struct isa *isa = isa_create();
    elf_extent(image, &low, &high);
    if (high - low <= MEMORY_MAX && interp_init(&interp, isa, image, 4 * KiB, NULL)) {
        interp_run(&interp, 1000);
        interp_fini(&interp);
    }
    isa_destroy(isa);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    struct elf_image image;
    if (!elf_load_memory("fuzz", bytes, size, &image, NULL))
        return 0;
    image_check(&image);
    image_run(&image);
    elf_fini(&image);
    return 0;
}
