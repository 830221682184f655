/* elf.c - the loader takes a sound program and names what is wrong with any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "isa/elf.h"

/* Text with one instruction at 0x10000, 16 bytes of data and 16 of nothing at 0x20000, and a symbol
 * table. */
struct file {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[2];
    char strings[16];
    u32 text[4];
    u8 data[16];
};

static struct file file_make(void)
{
    return (struct file){
        .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                    .e_type = ET_EXEC,
                    .e_machine = EM_RISCV,
                    .e_version = EV_CURRENT,
                    .e_entry = 0x10004,
                    .e_phoff = offsetof(struct file, segments),
                    .e_shoff = offsetof(struct file, sections),
                    .e_ehsize = sizeof(Elf64_Ehdr),
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = 2,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3 },
        .segments = { { PT_LOAD, PF_R | PF_W, offsetof(struct file, data), 0x20000, 0, 16, 32, 1 },
                      { PT_LOAD, PF_R | PF_X, offsetof(struct file, text), 0x10000, 0, 16, 16,
                        1 } },
        .sections = { [1] = { .sh_type = SHT_SYMTAB,
                              .sh_offset = offsetof(struct file, symbols),
                              .sh_size = sizeof(Elf64_Sym[2]),
                              .sh_link = 2,
                              .sh_entsize = sizeof(Elf64_Sym) },
                      [2] = { .sh_type = SHT_STRTAB,
                              .sh_offset = offsetof(struct file, strings),
                              .sh_size = 16 } },
        .symbols = { [1] = { 1, STT_FUNC, 0, 1, 0x10004, 8 } },
        .strings = "\0_start",
        .text = { 0x13, 0x13, 0x13, 0x13 },
        .data = { 1, 2, 3 },
    };
}

static void test_sound_program(void **state)
{
    (void)state;
    struct file file = file_make();
    struct elf_image image;
    u64 low, high;
    assert_true(elf_load_memory("p", (u8 *)&file, sizeof file, &image, NULL));
    assert_int_equal(image.entry, 0x10004);
    assert_int_equal(image.segment_count, 2);
    assert_int_equal(image.segments[0].address, 0x10000);
    assert_true(image.segments[0].executable && !image.segments[0].writable);
    assert_int_equal(image.segments[1].size_bytes, 32);
    assert_int_equal(image.segments[1].file_bytes, 16);
    assert_int_equal(image.segments[1].bytes[1], 2);
    elf_extent(&image, &low, &high);
    assert_int_equal(low, 0x10000);
    assert_int_equal(high, 0x20020);
    assert_string_equal(elf_symbol_at(&image, 0x10008)->name, "_start");
    assert_null(elf_symbol_at(&image, 0x10000));
    assert_null(elf_symbol_at(&image, 0x1000c));
    elf_fini(&image);
}

/* ---- What can be wrong ---- */

static void machine_x86(struct file *file)
{
    file->header.e_machine = EM_X86_64;
}

static void class_32(struct file *file)
{
    file->header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void type_dynamic(struct file *file)
{
    file->header.e_type = ET_DYN;
}

static void type_object(struct file *file)
{
    file->header.e_type = ET_REL;
}

static void wants_interpreter(struct file *file)
{
    file->segments[0].p_type = PT_INTERP;
}

static void segment_beyond_file(struct file *file)
{
    file->segments[1].p_filesz = file->segments[1].p_memsz = 1 << 20;
}

static void segment_offset_wraps(struct file *file)
{
    file->segments[1].p_offset = UINT64_MAX - 4;
}

static void segment_address_wraps(struct file *file)
{
    file->segments[0].p_vaddr = UINT64_MAX - 8;
}

static void segment_shrinks(struct file *file)
{
    file->segments[0].p_memsz = 8;
}

static void segments_overlap(struct file *file)
{
    file->segments[0].p_vaddr = 0x1000f;
}

static void entry_in_data(struct file *file)
{
    file->header.e_entry = 0x20000;
}

static void entry_odd(struct file *file)
{
    file->header.e_entry = 0x10001;
}

static void nothing_to_load(struct file *file)
{
    file->header.e_phnum = 0;
}

static void no_magic(struct file *file)
{
    file->header.e_ident[0] = 'x';
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct file *file);
        const char *message;
    } mistakes[] = {
        { no_magic, "p: not an ELF file" },
        { machine_x86, "p: built for another processor (machine 62), not for RISC-V" },
        { class_32, "p: a 32-bit program; build it with -march=rv64gc" },
        { type_dynamic, "p: dynamically linked; link it with -static" },
        { wants_interpreter, "p: dynamically linked; link it with -static" },
        { type_object, "p: an object file; link it into a program first" },
        { segment_beyond_file, "p: segment 1 lies outside the file: it is cut short" },
        { segment_offset_wraps, "p: segment 1 lies outside the file: it is cut short" },
        { segment_address_wraps, "p: segment 0 runs over the end of the address space" },
        { segment_shrinks, "p: segment 0 has more bytes in the file than in memory" },
        { segments_overlap, "p: segments at 0x10000 and 0x1000f overlap" },
        { entry_in_data, "p: has no entry: 0x20000 is not the address of an instruction; does the "
                         "program define _start?" },
        { entry_odd, "p: has no entry: 0x10001 is not the address of an instruction; does the "
                     "program define _start?" },
        { nothing_to_load, "p: has nothing to load" },
    };
    for (u32 i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct file file = file_make();
        struct elf_image image;
        struct ogv_error error;
        mistakes[i].spoil(&file);
        assert_false(elf_load_memory("p", (u8 *)&file, sizeof file, &image, &error));
        assert_int_equal(error.kind, OGV_ERROR_USER);
        assert_string_equal(error.message, mistakes[i].message);
    }
}

/* Cut short anywhere, a file is refused or loaded without its symbols, never read beyond its end.
 */
static void test_every_prefix(void **state)
{
    (void)state;
    struct file file = file_make();
    for (size_t size = 0; size < sizeof file; size++) {
        struct elf_image image;
        if (elf_load_memory("p", (u8 *)&file, size, &image, NULL))
            elf_fini(&image);
    }
}

static void test_files(void **state)
{
    (void)state;
    struct elf_image image;
    struct ogv_error error;
    assert_false(elf_load("/nonexistent/program", &image, &error));
    assert_string_equal(error.message,
                        "/nonexistent/program: cannot open: No such file or directory");
    assert_false(elf_load("/tmp", &image, &error));
    assert_string_equal(error.message, "/tmp: is a folder, not a plain file");
    char path[] = "/tmp/ogive_elf_XXXXXX";
    struct file file = file_make();
    int descriptor = mkstemp(path);
    assert_true(write(descriptor, &file, sizeof file) == sizeof file);
    close(descriptor);
    assert_true(elf_load(path, &image, &error));
    elf_fini(&image);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_program),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
