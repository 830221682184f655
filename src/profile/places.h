/* places.h - from addresses in a program to functions, inlined calls and source lines.
 *
 * Functions and lines come from the program's debug information; where there is none, its symbols
 * have to do. */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "isa/elf.h"
#include "ogive/types.h"

struct places;

/* One function on the way from the outermost to where an address is. Texts live as long as the
 * places; file is NULL and line 0 where they are not known. */
struct frame {
    const char *function;
    const char *file;
    u32 line;
    bool inlined; /* into the next one */
};

#define FRAME_DEPTH_MAX 32

/* NULL if the bytes are no program. They must live as long as the places. */
struct places *places_create(const u8 *file, u64 size, struct ogv_error *error);
void places_destroy(struct places *places);

/* Innermost first; how many there are, at least one and at most FRAME_DEPTH_MAX. The line of the
 * first is that of the address, the lines of the others are those of the calls. */
u32 places_find(const struct places *places, u64 pc, struct frame *chain);

const struct elf_image *places_image(const struct places *places);

#endif
