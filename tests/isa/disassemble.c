/* disassemble.c - the disassembler against the GNU one: every instruction with random operands, and
 * every halfword there is as a compressed instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/table.h"
#include "ogive/random.h"

#define BASE              UINT64_C(0x10000000) /* far enough from 0 for every branch */
#define PER_ROW           200
#define LINE_MAX_LEN      128

/* c.addi16sp by 0: reserved by the manual, but GNU prints it. */
#define RESERVED_ADDI16SP 0x6101

/* What objdump says about a file of words, one string per word; the caller frees both. */
struct listing {
    char (*lines)[LINE_MAX_LEN];
    size_t count;
};

static bool objdump_exists(void)
{
    return system("riscv64-unknown-elf-objdump --version >/dev/null 2>&1") == 0;
}

/* "  10000004:\t00b50533          \tadd\ta0,a0,a1 # comment" */
static void line_parse(struct listing *listing, char *line)
{
    char *end, *at = strchr(line, '\t');
    u64 address = strtoull(line, &end, 16);
    if (*end != ':' || !at || (address - BASE) % 4 || (address - BASE) / 4 >= listing->count)
        return;
    char *text = strchr(at + 1, '\t');
    if (!text)
        return;
    text++;
    text[strcspn(text, "#\n")] = 0;
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = 0;
    snprintf(listing->lines[(address - BASE) / 4], LINE_MAX_LEN, "%s", text);
}

static struct listing objdump(const u32 *words, size_t count, const char *options)
{
    char path[] = "/tmp/ogive_words_XXXXXX", command[256], line[512];
    struct listing listing = { heap_array(count, LINE_MAX_LEN), count };
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, words, count * 4), (ssize_t)(count * 4));
    close(file);
    snprintf(command, sizeof command,
             "riscv64-unknown-elf-objdump -D -z -b binary -m riscv:rv64 --adjust-vma=0x%llx %s %s",
             (unsigned long long)BASE, options, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe))
        line_parse(&listing, line);
    assert_int_equal(pclose(pipe), 0);
    unlink(path);
    return listing;
}

/* ---- Every instruction ---- */

/* Fields that GNU's disassembler knows more names for, or less, than the manual reserves. */
static u32 tame(const struct isa_row *row, u32 bits)
{
    static const u32 csrs[] = { 1, 2, 3, 0xc00, 0xc01, 0xc02 };
    const char *operands = row->operands;
    u32 mode = bits >> 12 & 7;
    if (strchr(operands, 'm') && (mode == 5 || mode == 6))
        bits &= ~UINT32_C(0x7000);
    if (strchr(operands, 'n'))
        bits &= ~UINT32_C(0x7000);
    if (strchr(operands, 'E'))
        bits = (bits & 0xfffff) | csrs[bits % 6] << 20;
    if (row->op == OP_fence)
        bits = row->match | (bits & 0x0ff00000) | 0x01100000;
    if (row->op == OP_fence_i)
        bits = row->match;
    return bits;
}

static void row_compare(const struct isa *isa, const struct isa_row *row, u64 *random)
{
    u32 words[PER_ROW];
    for (u32 i = 0; i < PER_ROW; i++)
        words[i] = tame(row, ((u32)random_next(random) & ~row->mask) | row->match);
    struct listing listing = objdump(words, PER_ROW, "-M no-aliases");
    for (u32 i = 0; i < PER_ROW; i++) {
        char text[LINE_MAX_LEN];
        struct insn insn = isa_decode(isa, words[i]);
        assert_int_equal(insn.op, row->op);
        isa_disassemble(isa, &insn, BASE + 4 * i, text, sizeof text);
        assert_string_equal(text, listing.lines[i]);
    }
    free(listing.lines);
}

static void test_every_instruction(void **state)
{
    (void)state;
    if (!objdump_exists()) {
        print_message("# riscv64-unknown-elf-objdump is not installed\n");
        skip();
    }
    u64 random = 5;
    struct isa *isa = isa_create();
    for (u32 op = 1; op < OP_custom; op++)
        if (isa_row_is_standard(&isa->rows[op]) && op != OP_pause) /* GNU: fence w,unknown */
            row_compare(isa, &isa->rows[op], &random);
    isa_destroy(isa);
}

/* ---- Every compressed instruction ---- */

/* GNU calls these two mv in one length only. */
static void text_normalise(char *text)
{
    char rd[8], rs[8], zero[2];
    if (sscanf(text, "add\t%7[^,],zero,%7s", rd, rs) == 2 ||
        (sscanf(text, "add\t%7[^,],%7[^,],%1[0]", rd, rs, zero) == 3))
        snprintf(text, LINE_MAX_LEN, "mv\t%s,%s", rd, rs);
}

/* Hints are printed under their compressed names; they must expand to something without effect:
 * no destination, or a shift by nothing. */
static bool is_hint(const struct isa *isa, const char *text, u16 half)
{
    struct insn insn = isa_decode(isa, half);
    bool no_effect =
        insn.rd == REGISTER_NONE || (insn.class == CLASS_INT_SHIFT && insn.immediate == 0);
    return !strncmp(text, "c.", 2) && insn.op != OP_illegal && no_effect;
}

static void test_every_compressed_instruction(void **state)
{
    (void)state;
    if (!objdump_exists()) {
        print_message("# riscv64-unknown-elf-objdump is not installed\n");
        skip();
    }
    struct isa *isa = isa_create();
    u32 *compressed = heap_array(0x10000, 4), *expanded = heap_array(0x10000, 4);
    for (u32 half = 0; half < 0x10000; half++) {
        bool is_one = (half & 3) != 3;
        compressed[half] = is_one ? half | 0x00010000 : 0x13;
        expanded[half] = is_one ? isa_expand((u16)half) : 0x13;
    }
    struct listing want = objdump(compressed, 0x10000, ""), got = objdump(expanded, 0x10000, "");
    u32 legal = 0, wrong = 0;
    for (u32 half = 0; half < 0x10000; half++) {
        if ((half & 3) == 3)
            continue;
        bool illegal = strstr(want.lines[half], "byte") || !strcmp(want.lines[half], "unimp") ||
                       half == RESERVED_ADDI16SP;
        text_normalise(want.lines[half]);
        text_normalise(got.lines[half]);
        legal += !illegal;
        if (!illegal && is_hint(isa, want.lines[half], (u16)half))
            continue;
        if (illegal ? expanded[half] != 0 : strcmp(want.lines[half], got.lines[half]) != 0)
            if (wrong++ < 20)
                print_error("%04x: %s, expanded %s\n", half, want.lines[half], got.lines[half]);
    }
    assert_int_equal(wrong, 0);
    print_message("# %u legal halfwords\n", legal);
    free(want.lines);
    free(got.lines);
    free(compressed);
    free(expanded);
    isa_destroy(isa);
}

static void test_short_buffer(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    struct insn insn = isa_decode(isa, 0x00b50533);
    char text[6] = "";
    assert_int_equal(isa_disassemble(isa, &insn, 0, text, sizeof text), 12);
    assert_string_equal(text, "add\ta");
    assert_int_equal(isa_disassemble(isa, &insn, 0, NULL, 0), 12);
    isa_destroy(isa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_instruction),
        cmocka_unit_test(test_every_compressed_instruction),
        cmocka_unit_test(test_short_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
