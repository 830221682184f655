/* compiled.c - what the cross compiler makes, at several levels of optimisation, computes the same
 * in the interpreter as under qemu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/interp.h"

#define STACK_BYTES (64 * KiB)
#define OUTPUT_MAX  4096

static bool tool_exists(const char *tool)
{
    char command[128];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", tool);
    return system(command) == 0;
}

static void output_of(const char *command, char output[OUTPUT_MAX])
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, OUTPUT_MAX - 1, pipe);
    output[length] = 0;
    assert_int_equal(pclose(pipe), 0);
}

/* Runs to the end; what the program writes goes to `output`. */
static void interp_output(struct interp *interp, char output[OUTPUT_MAX])
{
    struct hart *hart = &interp->hart;
    size_t length = 0;
    while (interp_run(interp, 100000000) == INTERP_ECALL && hart->x[17] == 64) {
        const u8 *text = interp_memory(interp, hart->x[11], hart->x[12]);
        assert_true(text && length + hart->x[12] < OUTPUT_MAX);
        memcpy(output + length, text, hart->x[12]);
        length += hart->x[12];
        hart->x[10] = hart->x[12];
        hart->pc += 4;
    }
    output[length] = 0;
    assert_int_equal(hart->x[17], 93);
}

static void program_run(const char *path, char output[OUTPUT_MAX])
{
    struct isa *isa = isa_create();
    struct elf_image image;
    struct interp interp;
    assert_true(elf_load(path, &image, NULL));
    assert_string_equal(elf_symbol_at(&image, image.entry)->name, "_start");
    assert_true(interp_init(&interp, isa, &image, STACK_BYTES, NULL));
    interp.hart.x[2] = (interp.base + interp.size) & ~UINT64_C(15);
    interp_output(&interp, output);
    interp_fini(&interp);
    elf_fini(&image);
    isa_destroy(isa);
}

static void options_compare(const char *options)
{
    char path[] = "/tmp/ogive_compiled_XXXXXX", command[512];
    char expected[OUTPUT_MAX], got[OUTPUT_MAX];
    close(mkstemp(path));
    snprintf(command, sizeof command,
             "riscv64-unknown-elf-gcc -nostdlib -static -ffreestanding -fno-builtin -mabi=lp64d "
             "-mno-relax %s "
             "-o %s %s/compiled/guest.c -lgcc",
             options, path, TEST_SOURCE_DIR);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "qemu-riscv64 %s", path);
    output_of(command, expected);
    program_run(path, got);
    unlink(path);
    assert_string_equal(got, expected);
    assert_true(strlen(got) == 7 * 17);
}

static void test_compiled_program(void **state)
{
    (void)state;
    if (!tool_exists("riscv64-unknown-elf-gcc") || !tool_exists("qemu-riscv64")) {
        print_message("# riscv64-unknown-elf-gcc or qemu-riscv64 is not installed\n");
        skip();
    }
    options_compare("-march=rv64gc -O0");
    options_compare("-march=rv64gc -O2");
    options_compare("-march=rv64gc -Os");
    options_compare("-march=rv64imafd_zicsr_zifencei -O3 -ffast-math");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_compiled_program) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
