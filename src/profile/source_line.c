/* source_line.c - says where an address is in a program's source, as far as the program knows. */
#include "profile/source_line.h"

#include "profile/places.h"

void source_line_add(const u8 *file, u64 size, u64 pc, struct text *out)
{
    struct frame chain[FRAME_DEPTH_MAX];
    struct ogv_error error;
    struct places *places = places_create(file, size, &error);
    text_add(out, "\n  at   ");
    if (!places)
        return;
    const struct elf_symbol *symbol = elf_symbol_at(places_image(places), pc);
    places_find(places, pc, chain);
    if (symbol)
        text_add(out, "%s+0x%llx", symbol->name, (unsigned long long)(pc - symbol->address));
    else
        text_add(out, "no known function");
    if (chain[0].file)
        text_add(out, " (%s:%u)", chain[0].file, chain[0].line);
    places_destroy(places);
}
