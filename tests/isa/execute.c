/* execute.c - what the comparison with qemu cannot reach: counters, illegal instructions, the split
 * of memory instructions, and that nothing changes unless the outcome is ISA_NEXT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/encode.h"
#include "isa/table.h"
#include "ogive/random.h"

static struct isa *isa;
static struct isa_environment environment;
static struct hart hart;

static int test_setup(void **state)
{
    (void)state;
    isa = isa_create();
    environment = (struct isa_environment){ .isa = isa, .cycle = 11, .time = 22, .instret = 33 };
    hart_init(&hart, 0x1000);
    return 0;
}

static int test_teardown(void **state)
{
    (void)state;
    isa_destroy(isa);
    return 0;
}

static enum isa_outcome execute(u32 bits)
{
    struct insn insn = isa_decode(isa, bits);
    return isa_execute(&hart, &insn, &environment);
}

static enum isa_outcome execute_unchanged(u32 bits)
{
    struct hart before = hart;
    enum isa_outcome outcome = execute(bits);
    assert_memory_equal(&before, &hart, sizeof hart);
    return outcome;
}

static u32 csr(u32 funct3, u32 rd, u32 source, int32_t number)
{
    return encode_i(CODE(0x73, funct3, 0), rd, source, number);
}

static void test_counters(void **state)
{
    (void)state;
    assert_int_equal(execute(csr(2, 5, 0, 0xc00)), ISA_NEXT);
    assert_int_equal(execute(csr(2, 6, 0, 0xc01)), ISA_NEXT);
    assert_int_equal(execute(csr(6, 7, 0, 0xc02)), ISA_NEXT);
    assert_int_equal(hart.x[5], 11);
    assert_int_equal(hart.x[6], 22);
    assert_int_equal(hart.x[7], 33);
    assert_int_equal(hart.pc, 0x100c);
}

static void test_illegal_csrs(void **state)
{
    (void)state;
    assert_int_equal(execute_unchanged(csr(1, 0, 0, 0xc00)), ISA_ILLEGAL); /* write a counter */
    assert_int_equal(execute_unchanged(csr(2, 5, 1, 0xc00)), ISA_ILLEGAL); /* set bits of it */
    assert_int_equal(execute_unchanged(csr(7, 5, 1, 0xc02)), ISA_ILLEGAL);
    assert_int_equal(execute_unchanged(csr(2, 5, 0, 0x300)), ISA_ILLEGAL); /* mstatus */
    assert_int_equal(execute_unchanged(csr(2, 5, 0, 0xf14)), ISA_ILLEGAL); /* mhartid */
}

static void test_invalid_dynamic_rounding(void **state)
{
    (void)state;
    u32 add_dynamic = CODE(0x53, 7, 1), add_nearest = CODE(0x53, 0, 1);
    for (u32 frm = 0; frm < 8; frm++) {
        hart.fcsr = frm << 5;
        if (frm > ROUND_NEAREST_AWAY)
            assert_int_equal(execute_unchanged(add_dynamic), ISA_ILLEGAL);
        else
            assert_int_equal(execute(add_dynamic), ISA_NEXT);
        assert_int_equal(execute(add_nearest), ISA_NEXT);
    }
}

static void test_stops_change_nothing(void **state)
{
    (void)state;
    assert_int_equal(execute_unchanged(0x00000073), ISA_ECALL);
    assert_int_equal(execute_unchanged(0x00100073), ISA_EBREAK);
    assert_int_equal(execute_unchanged(0x9002), ISA_EBREAK);
    assert_int_equal(execute_unchanged(0x0ff0000f), ISA_FENCE);
    assert_int_equal(execute_unchanged(0x0000100f), ISA_FENCE_I);
    assert_int_equal(execute_unchanged(0), ISA_ILLEGAL);
    assert_int_equal(execute_unchanged(CODE(0x03, 3, 0)), ISA_MEMORY);
    assert_int_equal(execute_unchanged(CODE(0x23, 3, 0)), ISA_MEMORY);
    assert_int_equal(execute_unchanged(CODE(0x2f, 3, 0)), ISA_MEMORY);
}

static void test_x0_stays_zero(void **state)
{
    (void)state;
    assert_int_equal(execute(encode_i(CODE(0x13, 0, 0), 0, 0, 7)), ISA_NEXT);
    assert_int_equal(execute(encode_u(CODE(0x37, 0, 0), 0, 7)), ISA_NEXT);
    struct insn load = isa_decode(isa, encode_i(CODE(0x03, 3, 0), 0, 1, 0));
    isa_finish(&hart, &load, 99);
    assert_int_equal(hart.x[0], 0);
    assert_int_equal(isa_writes(&load), 0);
}

static void test_load_is_split(void **state)
{
    (void)state;
    hart.x[6] = 0x2003;
    struct insn load = isa_decode(isa, encode_i(CODE(0x03, 2, 0), 5, 6, -1));
    struct isa_access access = isa_access(&hart, &load);
    assert_int_equal(access.address, 0x2002);
    assert_int_equal(access.size_bytes, 4);
    assert_int_equal(access.amo, AMO_NONE);
    assert_false(access.store);
    assert_true(access.misaligned);
    isa_finish(&hart, &load, UINT64_C(0x1234567880000001));
    assert_int_equal(hart.x[5], UINT64_C(0xffffffff80000001));
    struct insn load_float = isa_decode(isa, encode_i(CODE(0x07, 2, 0), 5, 6, 0));
    isa_finish(&hart, &load_float, UINT64_C(0x1234567880000001));
    assert_int_equal(hart.f[5], UINT64_C(0xffffffff80000001));
    assert_int_equal(hart.pc, 0x1000);
}

static void test_store_is_described(void **state)
{
    (void)state;
    hart.x[6] = 0x2000;
    hart.f[7] = 0x1122334455667788;
    struct insn store = isa_decode(isa, encode_s(CODE(0x27, 3, 0), 6, 7, 8));
    struct isa_access access = isa_access(&hart, &store);
    assert_int_equal(access.address, 0x2008);
    assert_int_equal(access.data, 0x1122334455667788);
    assert_int_equal(access.size_bytes, 8);
    assert_true(access.store);
    assert_false(access.misaligned);
}

static void test_atomic_is_described(void **state)
{
    (void)state;
    hart.x[6] = 0x2002;
    hart.x[7] = 5;
    struct insn amo = isa_decode(isa, encode_r(CODE(0x2f, 2, 0x60), 5, 6, 7)); /* amominu.w */
    struct isa_access access = isa_access(&hart, &amo);
    assert_int_equal(access.amo, AMO_MINU);
    assert_int_equal(access.size_bytes, 4);
    assert_int_equal(access.data, 5);
    assert_true(access.misaligned);
    assert_int_equal((u32)isa_amo(access.amo, 4, 0x80000000, access.data), 5);
    assert_int_equal((u32)isa_amo(AMO_MIN, 4, 0x80000000, access.data), 0x80000000);
    isa_finish(&hart, &amo, 0x80000000);
    assert_int_equal(hart.x[5], UINT64_C(0xffffffff80000000));
}

/* The instruction with which a floating-point atomic must agree; it agrees with qemu. */
struct real_amo {
    enum isa_amo amo;
    u32 size_bytes;
    u32 atomic, plain; /* codes */
};

static const struct real_amo real_amos[] = {
    { AMO_FADD, 4, CODE(0x0b, 2, 0x00), CODE(0x53, 0, 0x00) },
    { AMO_FADD, 8, CODE(0x0b, 3, 0x00), CODE(0x53, 0, 0x01) },
    { AMO_FMIN, 4, CODE(0x0b, 2, 0x40), CODE(0x53, 0, 0x14) },
    { AMO_FMIN, 8, CODE(0x0b, 3, 0x40), CODE(0x53, 0, 0x15) },
    { AMO_FMAX, 4, CODE(0x0b, 2, 0x50), CODE(0x53, 1, 0x14) },
    { AMO_FMAX, 8, CODE(0x0b, 3, 0x50), CODE(0x53, 1, 0x15) },
};

static u64 boxed(u64 value, u32 size_bytes)
{
    return size_bytes == 4 ? value | UINT64_C(0xffffffff00000000) : value;
}

static void real_amo_compare(const struct real_amo *row, u64 old, u64 operand)
{
    u64 mask = row->size_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    hart.f[1] = boxed(old, row->size_bytes);
    hart.f[2] = boxed(operand, row->size_bytes);
    assert_int_equal(execute(encode_r(row->plain, 3, 1, 2)), ISA_NEXT);
    u64 value = isa_amo(row->amo, row->size_bytes, old & mask, operand & mask);
    assert_int_equal(value & mask, hart.f[3] & mask);
}

static void test_real_atomics_agree_with_plain_instructions(void **state)
{
    (void)state;
    static const u64 edges[] = { 0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                 0x7f800001, 1,          0x7f7fffff, 0x3f800000, 0xbf800000 };
    u64 random = 9;
    for (u32 k = 0; k < sizeof real_amos / sizeof *real_amos; k++) {
        const struct real_amo *row = &real_amos[k];
        u32 up = row->size_bytes == 8 ? 32 : 0;
        for (u32 a = 0; a < 10; a++)
            for (u32 b = 0; b < 10; b++)
                real_amo_compare(row, edges[a] << up, edges[b] << up);
        for (u32 i = 0; i < 100000; i++)
            real_amo_compare(row, random_next(&random), random_next(&random));
    }
}

static void test_real_atomic_is_described(void **state)
{
    (void)state;
    hart.x[6] = 0x2000;
    hart.f[7] = boxed(0x40000000, 4);
    struct insn amo = isa_decode(isa, encode_r(CODE(0x0b, 2, 0x00), 5, 6, 7)); /* famoadd.s */
    struct isa_access access = isa_access(&hart, &amo);
    char text[64];
    assert_int_equal(amo.class, CLASS_ATOMIC);
    assert_int_equal(access.amo, AMO_FADD);
    assert_int_equal(access.address, 0x2000);
    assert_int_equal(access.size_bytes, 4);
    assert_int_equal((u32)access.data, 0x40000000);
    isa_finish(&hart, &amo, 0x3f800000);
    assert_int_equal(hart.f[5], boxed(0x3f800000, 4));
    isa_disassemble(isa, &amo, 0, text, sizeof text);
    assert_string_equal(text, "famoadd.s\tft5,ft7,(t1)");
    assert_int_equal(execute_unchanged(encode_r(CODE(0x0b, 3, 0x50), 5, 6, 7)), ISA_MEMORY);
}

static void test_pause_is_no_fence(void **state)
{
    (void)state;
    assert_int_equal(execute_unchanged(0x0100000f), ISA_PAUSE);
    assert_int_equal(execute_unchanged(0x0ff0000f), ISA_FENCE);
    assert_int_equal(execute_unchanged(0x0110000f), ISA_FENCE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_counters),
        TEST(test_illegal_csrs),
        TEST(test_invalid_dynamic_rounding),
        TEST(test_stops_change_nothing),
        TEST(test_x0_stays_zero),
        TEST(test_load_is_split),
        TEST(test_store_is_described),
        TEST(test_atomic_is_described),
        TEST(test_real_atomics_agree_with_plain_instructions),
        TEST(test_real_atomic_is_described),
        TEST(test_pause_is_no_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
