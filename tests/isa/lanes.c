/* lanes.c - an instruction for all lanes of a warp does to each what isa_execute does to one hart:
 * every instruction, with random operands, numbers of all kinds, rounding modes, masks, widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lanes.h"
#include "isa/table.h"
#include "ogive/random.h"

#define TRIALS 60
#define TEXT   UINT64_C(0x10000)

static struct isa *isa;
static struct isa_environment environment;
static u64 seed = 20261116;

static u64 registers[(REGISTER_NONE + 1) * LANES_MAX], pcs[LANES_MAX];
static u32 fcsrs[LANES_MAX];
static struct hart harts[LANES_MAX];

static u64 draw(void)
{
    return random_next(&seed);
}

/* Bits of all kinds: small numbers, floats that are boxed and near each other, ends of ranges. */
static u64 value_draw(void)
{
    static const u64 odd[] = { 0,
                               1,
                               UINT64_MAX,
                               UINT64_C(1) << 63,
                               UINT64_C(0x7ff0000000000000),
                               UINT64_C(0x7ff8000000000000),
                               UINT64_C(0xffffffff7f800000),
                               UINT64_C(0xffffffff7fc00000),
                               UINT64_C(0xffffffff80000000),
                               UINT64_C(0xffffffff00000001),
                               UINT64_C(0xffffffff7f800001) };
    switch (draw() % 6) {
    case 0:
        return odd[draw() % (sizeof odd / sizeof *odd)];
    case 1:
        return draw() % 100 - 50;
    case 2:
    case 3:
        return UINT64_C(0xffffffff3f000000) + draw() % (UINT64_C(1) << 25);
    case 4:
        return UINT64_C(0x3ff0000000000000) + draw() % (UINT64_C(1) << 54);
    default:
        return draw();
    }
}

static void harts_draw(u32 width, bool modes)
{
    for (u32 lane = 0; lane < width; lane++) {
        hart_init(&harts[lane], TEXT);
        u32 frm = modes ? (u32)(draw() % 6) : 0;
        harts[lane].fcsr = frm << 5 | (u32)(draw() % 32);
        for (u32 i = 1; i < REGISTER_NONE; i++)
            harts[lane].r[i] = value_draw();
    }
}

static struct isa_lanes lanes_of_harts(u32 width)
{
    struct isa_lanes lanes = { width, true, pcs, fcsrs, registers };
    for (u32 lane = 0; lane < width; lane++) {
        fcsrs[lane] = harts[lane].fcsr;
        pcs[lane] = TEXT;
        for (u32 i = 0; i < REGISTER_NONE; i++)
            lanes_register(&lanes, i)[lane] = harts[lane].r[i];
    }
    return lanes;
}

static void harts_compare(const struct isa_lanes *lanes, const struct insn *insn, u64 moved)
{
    bool moves = insn->class == CLASS_BRANCH || insn->class == CLASS_JUMP;
    for (u32 lane = 0; lane < lanes->width; lane++) {
        assert_int_equal(fcsrs[lane], harts[lane].fcsr);
        for (u32 i = 0; i < REGISTER_NONE; i++)
            assert_int_equal(lanes_register(lanes, i)[lane], harts[lane].r[i]);
        if (moved >> lane & 1)
            assert_int_equal(moves ? pcs[lane] : TEXT + insn->length, harts[lane].pc);
    }
}

/* What isa_execute makes of them; anything but ISA_NEXT of one stands for all. */
static enum isa_outcome harts_execute(u64 mask, const struct insn *insn)
{
    struct hart before[LANES_MAX];
    memcpy(before, harts, sizeof before);
    for (; mask; mask &= mask - 1) {
        enum isa_outcome outcome = isa_execute(&harts[__builtin_ctzll(mask)], insn, &environment);
        if (outcome == ISA_NEXT)
            continue;
        memcpy(harts, before, sizeof before);
        return outcome;
    }
    return ISA_NEXT;
}

static void trial(u32 op)
{
    static const u32 widths[] = { 4, 8, 32, 64 };
    const struct isa_row *row = &isa->rows[op];
    u32 width = widths[draw() % 4];
    u64 all = lanes_all(width), mask = draw() % 3 ? draw() & all : all;
    struct insn insn = isa_decode(isa, row->match | ((u32)draw() & ~row->mask));
    if (insn.op != op)
        return; /* other fields make it another one, or illegal */
    mask = mask ? mask : 1;
    harts_draw(width, draw() % 2);
    struct isa_lanes lanes = lanes_of_harts(width);
    enum isa_outcome expected = harts_execute(mask, &insn);
    assert_int_equal(isa_execute_lanes(&lanes, mask, TEXT, &insn, &environment), expected);
    harts_compare(&lanes, &insn, expected == ISA_NEXT ? mask : 0);
}

static void test_all_instructions(void **state)
{
    (void)state;
    for (u32 op = OP_illegal + 1; op < OP_custom; op++)
        for (u32 i = 0; i < TRIALS; i++)
            trial(op);
}

static u64 twice_plus(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs3, (void)immediate;
    return 2 * rs1 + rs2;
}

/* Instructions of somebody's own: a function for each lane, or nothing yet if it is a message. */
static void test_customs(void **state)
{
    (void)state;
    struct ogv_error error;
    struct isa_custom computed = { "twice", 1, 3, 0, "d,s,t", twice_plus, 0 };
    struct isa_custom sent = { "send", 1, 4, 0, "d,s", NULL, 7 };
    assert_true(isa_add(isa, &computed, &error) && isa_add(isa, &sent, &error));
    struct insn insn = isa_decode(isa, 0x2b | 3 << 12 | 5 << 7 | 6 << 15 | 7 << 20);
    harts_draw(8, false);
    struct isa_lanes lanes = lanes_of_harts(8);
    assert_int_equal(harts_execute(0xa5, &insn), ISA_NEXT);
    assert_int_equal(isa_execute_lanes(&lanes, 0xa5, TEXT, &insn, &environment), ISA_NEXT);
    harts_compare(&lanes, &insn, 0xa5);
    insn = isa_decode(isa, 0x2b | 4 << 12 | 5 << 7 | 6 << 15);
    assert_int_equal(isa_execute_lanes(&lanes, 0xff, TEXT, &insn, &environment), ISA_MESSAGE);
    harts_compare(&lanes, &insn, 0);
}

static int test_setup(void **state)
{
    (void)state;
    isa = isa_create();
    environment = (struct isa_environment){ .isa = isa, .cycle = 11, .time = 22, .instret = 33 };
    return 0;
}

static int test_teardown(void **state)
{
    (void)state;
    isa_destroy(isa);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_instructions, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(test_customs, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
