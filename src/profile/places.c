/* places.c - see places.h. Symbols come from our own reader, the rest from libdw.
 *
 * All lines and all functions are read at once, and those outside the text are left out: functions
 * that the linker dropped would otherwise lie at address 0 and confuse every search. */
#include "profile/places.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

struct line {
    u64 from, to;
    const char *file;
    u32 number;
};

/* A function, or one that was inlined into it: a stretch of its addresses. */
struct scope {
    u64 from, to;
    const char *function;
    const char *call_file;
    u32 call_line;
    u32 depth;
    bool inlined;
};

struct places {
    struct elf_image image;
    Elf *elf;
    Dwarf *dwarf;
    struct line *lines; /* by address */
    struct scope *scopes;
    size_t line_count, scope_count;
};

/* ---- Reading ---- */

static bool in_text(const struct places *places, u64 from, u64 to)
{
    for (u32 i = 0; i < places->image.segment_count; i++) {
        const struct elf_segment *segment = &places->image.segments[i];
        if (segment->executable && from >= segment->address &&
            to - segment->address <= segment->size_bytes && from < to)
            return true;
    }
    return false;
}

static void lines_read(struct places *places, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count))
        return;
    places->lines = heap_grow(places->lines, places->line_count + count, sizeof *places->lines);
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr from = 0, to = 0;
        bool end = true;
        int number = 0;
        const char *file = dwarf_linesrc(line, NULL, NULL);
        if (dwarf_lineaddr(line, &from) || dwarf_lineaddr(next, &to) ||
            dwarf_lineendsequence(line, &end) || dwarf_lineno(line, &number))
            continue;
        if (!end && file && number > 0 && in_text(places, from, to))
            places->lines[places->line_count++] = (struct line){ from, to, file, (u32)number };
    }
}

static Dwarf_Word attribute_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value))
        return 0;
    return value;
}

static void scope_read(struct places *places, Dwarf_Die *unit, Dwarf_Die *die, u32 depth)
{
    const char *name = dwarf_diename(die);
    struct scope scope = { .function = name ? name : "(no name)", .depth = depth };
    scope.inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
    Dwarf_Files *files;
    size_t file_count;
    if (scope.inlined && !dwarf_getsrcfiles(unit, &files, &file_count)) {
        Dwarf_Word file = attribute_number(die, DW_AT_call_file);
        scope.call_file = file < file_count ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
        scope.call_line = (u32)attribute_number(die, DW_AT_call_line);
    }
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
        if (!in_text(places, from, to))
            continue;
        places->scopes = heap_append(places->scopes, places->scope_count, sizeof *places->scopes);
        scope.from = from;
        scope.to = to;
        places->scopes[places->scope_count++] = scope;
    }
}

#define SCOPE_DEPTH_MAX 256

static void scopes_read(struct places *places, Dwarf_Die *unit, Dwarf_Die *parent, u32 depth)
{
    Dwarf_Die die;
    if (depth > SCOPE_DEPTH_MAX || dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);
        bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        if (function)
            scope_read(places, unit, &die, depth);
        if (function || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
            tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
            scopes_read(places, unit, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int line_compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Innermost first; then the one that starts last: assemblers give functions the length that they
 * had before the linker shortened them, so that they reach into the next one. */
static int scope_compare(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? 1 : -1;
    return (x->from < y->from) - (x->from > y->from);
}

static void places_read(struct places *places)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, sub;
    while (dwarf_get_units(places->dwarf, unit, &unit, NULL, NULL, &die, &sub) == 0) {
        lines_read(places, &die);
        scopes_read(places, &die, &die, 0);
    }
    if (places->line_count)
        qsort(places->lines, places->line_count, sizeof *places->lines, line_compare);
    if (places->scope_count)
        qsort(places->scopes, places->scope_count, sizeof *places->scopes, scope_compare);
}

struct places *places_create(const u8 *file, u64 size, struct ogv_error *error)
{
    struct places *places = heap_array(1, sizeof *places);
    if (!elf_load_memory("program", file, size, &places->image, error)) {
        free(places);
        return NULL;
    }
    elf_version(EV_CURRENT);
    places->elf = elf_memory((char *)places->image.bytes, size);
    places->dwarf = places->elf ? dwarf_begin_elf(places->elf, DWARF_C_READ, NULL) : NULL;
    if (places->dwarf)
        places_read(places);
    return places;
}

void places_destroy(struct places *places)
{
    if (!places)
        return;
    if (places->dwarf)
        dwarf_end(places->dwarf);
    elf_end(places->elf);
    elf_fini(&places->image);
    free(places->lines);
    free(places->scopes);
    free(places);
}

const struct elf_image *places_image(const struct places *places)
{
    return &places->image;
}

/* ---- Finding ---- */

static const struct line *line_find(const struct places *places, u64 pc)
{
    size_t low = 0, high = places->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places->lines[middle].from <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < places->lines[low - 1].to ? &places->lines[low - 1] : NULL;
}

/* Of a function without debug information. */
static const char *symbol_name(const struct places *places, u64 pc)
{
    const struct elf_symbol *symbol = elf_symbol_at(&places->image, pc);
    return symbol ? symbol->name : "(no symbol)";
}

u32 places_find(const struct places *places, u64 pc, struct frame *chain)
{
    const struct line *line = line_find(places, pc);
    const char *file = line ? line->file : NULL;
    u32 number = line ? line->number : 0, count = 0;
    for (size_t i = 0; i < places->scope_count && count < FRAME_DEPTH_MAX; i++) {
        const struct scope *scope = &places->scopes[i];
        if (pc < scope->from || pc >= scope->to)
            continue;
        chain[count++] = (struct frame){ scope->function, file, number, scope->inlined };
        file = scope->call_file;
        number = scope->call_line;
        if (!scope->inlined)
            return count;
    }
    if (count < FRAME_DEPTH_MAX)
        chain[count++] = (struct frame){ symbol_name(places, pc), file, number, false };
    chain[count - 1].inlined = false;
    return count;
}
