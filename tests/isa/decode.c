/* decode.c - fields, lengths, register masks, and what is not an instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/encode.h"
#include "isa/table.h"
#include "ogive/random.h"

static struct isa *isa;

static int group_setup(void **state)
{
    (void)state;
    isa = isa_create();
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    isa_destroy(isa);
    return 0;
}

static u64 x(u32 number)
{
    return UINT64_C(1) << number;
}

static u64 f(u32 number)
{
    return UINT64_C(1) << (32 + number);
}

static void test_rows_are_distinct(void **state)
{
    (void)state;
    for (u32 a = 1; a < OP_custom; a++) {
        const struct isa_row *row = &isa->rows[a];
        assert_int_equal(row->match & ~row->mask, 0);
        assert_int_equal(row->match & 3, 3);
        assert_int_equal(isa_decode(isa, row->match).op, a);
        for (u32 b = a + 1; b < OP_custom; b++) {
            const struct isa_row *other = &isa->rows[b];
            bool special = a == OP_fence && b == OP_pause; /* and is found all the same */
            if (!special)
                assert_int_not_equal((row->match ^ other->match) & row->mask & other->mask, 0);
        }
    }
}

static void test_immediates(void **state)
{
    (void)state;
    for (int32_t i = -2048; i < 2048; i++) {
        assert_int_equal(isa_decode(isa, encode_i(0x13, 1, 2, i)).immediate, i);
        assert_int_equal(isa_decode(isa, encode_s(0x3023, 1, 2, i)).immediate, i);
        assert_int_equal(isa_decode(isa, encode_b(0x63, 1, 2, i * 2)).immediate, i * 2);
        assert_int_equal(isa_decode(isa, encode_j(0x6f, 1, i * 512)).immediate, i * 512);
        assert_int_equal(isa_decode(isa, encode_j(0x6f, 1, i * 2)).immediate, i * 2);
        assert_int_equal(isa_decode(isa, encode_u(0x37, 1, i * 256)).immediate, i * 256 * 4096);
    }
}

static void test_masks(void **state)
{
    (void)state;
    struct insn insn = isa_decode(isa, encode_r(CODE(0x33, 0, 0), 5, 6, 7));
    assert_int_equal(isa_reads(&insn), x(6) | x(7));
    assert_int_equal(isa_writes(&insn), x(5));
    insn = isa_decode(isa, encode_r(CODE(0x33, 0, 0), 0, 0, 31));
    assert_int_equal(isa_reads(&insn), x(31));
    assert_int_equal(isa_writes(&insn), 0);
    insn = isa_decode(isa, encode_r4(CODE(0x43, 7, 1), 0, 1, 2, 31));
    assert_int_equal(isa_reads(&insn), f(1) | f(2) | f(31));
    assert_int_equal(isa_writes(&insn), f(0));
    insn = isa_decode(isa, encode_s(CODE(0x27, 2, 0), 9, 4, 8));
    assert_int_equal(isa_reads(&insn), x(9) | f(4));
    assert_int_equal(isa_writes(&insn), 0);
    insn = isa_decode(isa, 0x852e); /* c.mv a0,a1 */
    assert_int_equal(insn.length, 2);
    assert_int_equal(isa_reads(&insn), x(11));
    assert_int_equal(isa_writes(&insn), x(10));
}

static void test_illegal(void **state)
{
    (void)state;
    static const u32 bits[] = {
        0x00000000,              /* all zero */
        0xffffffff,              /* all ones */
        CODE(0x33, 0, 2),        /* no such funct7 */
        CODE(0x03, 7, 0),        /* no such load */
        CODE2(0x2f, 2, 8, 1),    /* load-reserved with an rs2 */
        CODE(0x53, 5, 0),        /* fadd.s in rounding mode 5 */
        CODE(0x53, 6, 0),        /* fadd.s in rounding mode 6 */
        CODE2(0x53, 5, 0x69, 0), /* fcvt.d.w in rounding mode 5 */
        CODE(0x1b, 1, 1),        /* slliw by 32 */
        CODE(0x0b, 0, 0),        /* a custom instruction that nobody added */
        CODE2(0x73, 0, 0, 2),    /* uret, privileged */
        CODE2(0x73, 0, 8, 5),    /* wfi, privileged */
        0x00008082 & 0xf07f,     /* c.jr x0 */
    };
    for (u32 i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct insn insn = isa_decode(isa, bits[i]);
        assert_int_equal(insn.op, OP_illegal);
        assert_int_equal(insn.class, CLASS_ILLEGAL);
        assert_int_equal((u32)insn.immediate, bits[i]);
        assert_int_equal(isa_reads(&insn) | isa_writes(&insn), 0);
    }
}

/* Whatever the bits, a decoded instruction stays within the register file. */
static void test_any_bits(void **state)
{
    (void)state;
    u64 random = 1;
    for (u32 i = 0; i < 2000000; i++) {
        struct insn insn = isa_decode(isa, (u32)random_next(&random));
        assert_true(insn.rd <= REGISTER_NONE && insn.rd != 0);
        assert_true(insn.rs1 < 64 && insn.rs2 < 64 && insn.rs3 < 64);
        assert_true(insn.length == 2 || insn.length == 4);
        assert_true(insn.class < CLASS_COUNT && insn.op < OP_custom);
    }
}

static void test_predecode_and_fetch(void **state)
{
    (void)state;
    /* c.li a0,1; add a0,a0,a1; the first half of another add */
    static const u8 text[] = { 0x05, 0x45, 0x33, 0x05, 0xb5, 0x00, 0x33, 0x05 };
    struct insn insns[4];
    struct isa_program program = { 0x1000, 4, insns };
    isa_predecode(isa, text, sizeof text, insns);
    assert_int_equal(isa_fetch(&program, 0x1000)->op, OP_addi);
    assert_int_equal(isa_fetch(&program, 0x1000)->length, 2);
    assert_int_equal(isa_fetch(&program, 0x1002)->op, OP_add);
    assert_int_equal(isa_fetch(&program, 0x1006)->op, OP_illegal);
    assert_null(isa_fetch(&program, 0x1008));
    assert_null(isa_fetch(&program, 0x1001));
    assert_null(isa_fetch(&program, 0xffe));
    assert_null(isa_fetch(&program, UINT64_MAX));
}

static void test_class_names(void **state)
{
    (void)state;
    assert_string_equal(isa_class_name(CLASS_FP_DIV), "fp_div");
    for (u32 class = 0; class < CLASS_COUNT; class ++)
        assert_non_null(isa_class_help(class));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_distinct),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_illegal),
        cmocka_unit_test(test_any_bits),
        cmocka_unit_test(test_predecode_and_fetch),
        cmocka_unit_test(test_class_names),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
