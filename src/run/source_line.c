/* source_line.c - see source_line.h. Symbols come from our own reader, lines from libdw. */
#include "run/source_line.h"

#include <elfutils/libdw.h>

#include "isa/elf.h"

/* The line whose stretch of addresses holds pc, in one compilation unit; NULL if none does. */
static Dwarf_Line *unit_find_line(Dwarf_Die *unit, u64 pc)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count))
        return NULL;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr from, to;
        bool end = true;
        dwarf_lineaddr(line, &from);
        dwarf_lineaddr(next, &to);
        dwarf_lineendsequence(line, &end);
        if (!end && from <= pc && pc < to)
            return line;
    }
    return NULL;
}

/* All units are searched: the index of addresses is confused by functions that the linker left out.
 */
static void line_add(Dwarf *dwarf, u64 pc, struct text *out)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, sub;
    int number;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, &sub) == 0) {
        Dwarf_Line *line = unit_find_line(&die, pc);
        const char *name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (!name || dwarf_lineno(line, &number))
            continue;
        text_add(out, " (%s:%d)", name, number);
        return;
    }
}

void source_line_add(const u8 *file, u64 size, u64 pc, struct text *out)
{
    struct elf_image image;
    struct ogv_error error;
    text_add(out, "\n  at   ");
    if (elf_load_memory("program", file, size, &image, &error)) {
        const struct elf_symbol *symbol = elf_symbol_at(&image, pc);
        if (symbol)
            text_add(out, "%s+0x%llx", symbol->name, (unsigned long long)(pc - symbol->address));
        else
            text_add(out, "no known function");
        elf_fini(&image);
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)(uintptr_t)file, size);
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf) {
        line_add(dwarf, pc, out);
        dwarf_end(dwarf);
    }
    elf_end(elf);
}
