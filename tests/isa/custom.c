/* custom.c - instructions added at run time. The first test is the example of docs/isa.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/encode.h"
#include "isa/table.h"

/* example begins */
static u64 popcount(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2, (void)rs3, (void)immediate;
    return (u64)__builtin_popcountll(rs1);
}

static void test_example(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    const struct isa_custom custom = {
        .name = "popcount",
        .space = 0,
        .funct3 = 1,
        .funct7 = 0,
        .operands = "d,s",
        .execute = popcount,
    };
    assert_true(isa_add(isa, &custom, NULL));

    struct isa_environment environment = { .isa = isa };
    struct hart hart;
    hart_init(&hart, 0);
    hart.x[11] = 0xff00ff;
    /* .insn r CUSTOM_0, 1, 0, a0, a1, x0 */
    struct insn insn = isa_decode(isa, encode_r(CODE(0x0b, 1, 0), 10, 11, 0));
    assert_int_equal(isa_execute(&hart, &insn, &environment), ISA_NEXT);
    assert_int_equal(hart.x[10], 16);

    char text[32];
    isa_disassemble(isa, &insn, 0, text, sizeof text);
    assert_string_equal(text, "popcount\ta0,a1");
    isa_destroy(isa);
}
/* example ends */

/* A ray goes out in eight registers, a hit comes back in three. */
static void test_message_with_blocks(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    const struct isa_custom custom = { .name = "trace",
                                       .space = 1,
                                       .funct3 = 0,
                                       .funct7 = ISA_ANY,
                                       .operands = "D3,S8,t",
                                       .message = 42 };
    assert_true(isa_add(isa, &custom, NULL));
    struct insn insn = isa_decode(isa, encode_r(CODE(0x2b, 0, 0), 20, 4, 9));
    struct isa_environment environment = { .isa = isa };
    struct hart hart;
    u64 values[ISA_BLOCK_MAX + 2];
    hart_init(&hart, 0);
    for (u32 i = 0; i < 8; i++)
        hart.f[4 + i] = 100 + i;
    hart.x[9] = 7;

    assert_int_equal(insn.class, CLASS_CUSTOM1);
    assert_int_equal(isa_reads(&insn), UINT64_C(0xff) << 36 | 1 << 9);
    assert_int_equal(isa_writes(&insn), UINT64_C(7) << 52);
    assert_int_equal(isa_execute(&hart, &insn, &environment), ISA_MESSAGE);
    assert_int_equal(isa_custom(isa, &insn)->message, 42);
    assert_int_equal(isa_custom_count(isa), 1);
    assert_ptr_equal(isa_custom_at(isa, insn.custom), isa_custom(isa, &insn));
    assert_int_equal(isa_operands(isa, &hart, &insn, values), 9);
    assert_int_equal(values[0], 100);
    assert_int_equal(values[7], 107);
    assert_int_equal(values[8], 7);
    isa_results(&hart, &insn, (const u64[]){ 1, 2, 3 });
    assert_int_equal(hart.f[20], 1);
    assert_int_equal(hart.f[22], 3);
    char text[64];
    isa_disassemble(isa, &insn, 0, text, sizeof text);
    assert_string_equal(text, "trace\tfs4-fs6,ft4-fa1,s1");
    isa_destroy(isa);
}

/* f30, f31 and one that does not exist. */
static void test_block_over_the_end_is_illegal(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    const struct isa_custom custom = { .name = "three", .funct7 = ISA_ANY, .operands = "D3" };
    assert_true(isa_add(isa, &custom, NULL));
    assert_int_equal(isa_decode(isa, encode_r(0x0b, 29, 0, 0)).op, OP_custom);
    assert_int_equal(isa_decode(isa, encode_r(0x0b, 30, 0, 0)).op, OP_illegal);
    isa_destroy(isa);
}

static void test_mistakes_are_refused(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    struct ogv_error error;
    static const struct {
        struct isa_custom custom;
        const char *message;
    } mistakes[] = {
        { { .name = "a", .space = 4, .operands = "" },
          "instruction 'a': there is no custom-4, only 0 to 3" },
        { { .name = "a", .funct3 = 8, .operands = "" },
          "instruction 'a': funct3 = 8 is out of range (0 to 7)" },
        { { .name = "a", .operands = "d,y" }, "instruction 'a': 'y' is not an operand" },
        { { .name = "a", .operands = "d,D" },
          "instruction 'a': operand 'D' lies in bits already in use" },
        { { .name = "a", .operands = "d,s,j" },
          "instruction 'a': funct7 is fixed, but an operand lies there; use ISA_ANY" },
        { { .name = "a", .operands = "d,s33" },
          "instruction 'a': only d, D, s and S can be blocks, of up to 32 registers" },
        { { .name = "a", .operands = "d2,s", .execute = popcount },
          "instruction 'a': a function takes single registers; blocks are for messages to a unit" },
    };
    for (u32 i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assert_false(isa_add(isa, &mistakes[i].custom, &error));
        assert_string_equal(error.message, mistakes[i].message);
    }
    assert_true(isa_add(isa, &(struct isa_custom){ .name = "a", .operands = "d,s,t" }, &error));
    assert_false(isa_add(
        isa, &(struct isa_custom){ .name = "b", .funct7 = ISA_ANY, .operands = "d,j" }, &error));
    assert_string_equal(error.message, "instruction 'b' has the same encoding as 'a'");
    isa_destroy(isa);
}

static void test_no_more_while_in_use(void **state)
{
    (void)state;
    struct isa *isa = isa_create();
    struct ogv_error error;
    const struct isa_custom custom = { "late", 0, 1, 0, "d,s", popcount, 0 };
    isa_use(isa);
    assert_false(isa_add(isa, &custom, &error));
    assert_string_equal(error.message,
                        "instruction 'late' comes too late: a chip was built whose cores have no "
                        "place for it; add it before, or destroy that chip first");
    assert_int_equal(isa_custom_count(isa), 0);
    isa_unuse(isa);
    assert_true(isa_add(isa, &custom, &error));
    isa_destroy(isa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_message_with_blocks),
        cmocka_unit_test(test_block_over_the_end_is_illegal),
        cmocka_unit_test(test_mistakes_are_refused),
        cmocka_unit_test(test_no_more_while_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
