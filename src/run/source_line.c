/* source_line.c - see source_line.h. Symbols come from our own reader, lines from libdw. */
#include "run/source_line.h"

#include <elfutils/libdw.h>

#include "isa/elf.h"

static void line_add(Dwarf *dwarf, u64 pc, struct text *out)
{
    Dwarf_Die unit;
    int number = 0;
    if (!dwarf_addrdie(dwarf, pc, &unit))
        return;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);
    const char *name = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (name && dwarf_lineno(line, &number) == 0)
        text_add(out, " (%s:%d)", name, number);
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
