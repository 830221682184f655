/* command_program.c - the commands about programs: programs, disasm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "isa/elf.h"
#include "ogive/isa.h"
#include "run/compile.h"

/* ---- programs ---- */

/* The first line of a source file, without its comment signs and name. */
static void program_show(void *context, const char *name, const char *path)
{
    struct ogv_error error;
    size_t length;
    (void)context;
    char *text = file_read(path, 1 * MiB, &length, &error);
    const char *about = text ? strstr(text, " - ") : NULL;
    printf("%-16s %.*s\n", name, about ? (int)strcspn(about + 3, "\n*") : 0,
           about ? about + 3 : "");
    free(text);
}

static int program_build(const char *file, const char *out, bool native,
                         struct compile_formats formats)
{
    struct ogv_error error;
    if (native)
        return compile_native(file, out, formats, &error) ? EXIT_GOOD : fail(&error);
    char *made = compile_program(file, out, formats, &error);
    if (!made)
        return fail(&error);
    bool compiled = !strcmp(made, out);
    free(made);
    if (!compiled)
        say_error("programs: %s is no C or C++ source; only these are built", file);
    return compiled ? EXIT_GOOD : EXIT_USER;
}

int command_programs(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const char *out = "program.elf";
    struct compile_formats formats = { 0 };
    bool native = false;
    const struct option_row rows[] = {
        { 0, "native", NULL, "build for this machine, with threads", OPTION_FLAG, &native },
        { 'o', "out", "FILE", "where to (default: program.elf)", OPTION_TEXT, &out },
        { 0, "nodes", "FORMAT", "of trees that it walks itself (default: bvh6c)", OPTION_TEXT,
          &formats.nodes },
        { 0, "primitives", "FORMAT", "likewise (default: tri64)", OPTION_TEXT,
          &formats.primitives },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_GOOD;
        if (!rest.count)
            compile_list(program_show, NULL);
        else if (rest.count == 2 && !strcmp(rest.items[0], "build"))
            code = program_build(rest.items[1], out, native, formats);
        else
            code = EXIT_USER;
        if (code == EXIT_USER)
            say_error("programs: usage: ogive programs %s", self->usage);
    }
    list_fini(&rest);
    return code;
}

/* ---- disasm ---- */

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

int command_disasm(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    const struct option_row rows[] = { { 0 } };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = rest_one(self, &rest, "ELF file") ? disasm_file(rest.items[0]) : EXIT_USER;
    list_fini(&rest);
    return code;
}
