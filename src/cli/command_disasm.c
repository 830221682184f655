/* command_disasm.c - `ogive disasm`: the text of a program as instructions. */
#include <stdio.h>

#include "cli/cli.h"
#include "isa/elf.h"
#include "ogive/isa.h"

static void segment_show(const struct elf_image *image, const struct elf_segment *segment)
{
    const struct elf_symbol *last = NULL;
    for (u64 at = 0; at + 2 <= segment->file_bytes;) {
        u64 pc = segment->address + at;
        u32 bits = segment->bytes[at] | (u32)segment->bytes[at + 1] << 8;
        if (isa_length((u16)bits) == 4 && at + 4 <= segment->file_bytes)
            bits |= (u32)segment->bytes[at + 2] << 16 | (u32)segment->bytes[at + 3] << 24;
        struct insn insn = isa_decode(isa_shared(), bits);
        char text[128];
        const struct elf_symbol *symbol = elf_symbol_at(image, pc);
        if (symbol && symbol != last)
            printf("\n%016llx <%s>:\n", (unsigned long long)pc, symbol->name);
        last = symbol;
        isa_disassemble(isa_shared(), &insn, pc, text, sizeof text);
        printf("  %8llx:  %0*x%*s  %-10s %s\n", (unsigned long long)pc, insn.length * 2, bits,
               8 - insn.length * 2, "", isa_class_name((enum isa_class)insn.class), text);
        at += insn.length;
    }
}

static int disasm_file(const char *file)
{
    struct elf_image image;
    struct ogv_error error;
    if (!elf_load(file, &image, &error))
        return fail(&error);
    for (u32 i = 0; i < image.segment_count; i++)
        if (image.segments[i].executable)
            segment_show(&image, &image.segments[i]);
    elf_fini(&image);
    return EXIT_GOOD;
}

static int disasm_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const struct option_row rows[] = { { 0 } };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = rest_one(self, &rest, "ELF file") ? disasm_file(rest.items[0]) : EXIT_USER;
    list_fini(&rest);
    return code;
}

const struct command command_disasm = {
    .name = "disasm",
    .usage = "ELF",
    .summary = "Print the text of a program as instructions.",
    .function = disasm_main,
};
