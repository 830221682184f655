/* flow.c - where the ways of a program meet: by hand for what compilers make of `if`, loops, calls
 * and switches, and by brute force for texts that nobody would write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/flow.h"
#include "isa/table.h"
#include "ogive/random.h"
#include "ways.h"

#define TEXT_MAX 24

#define END      TEXT_MAX

/* meets[i] is the instruction where the ways from i meet, or END. */
static void text_solve(const u32 *text, u32 count, u32 *meets)
{
    struct insn insns[2 * TEXT_MAX];
    u32 halfwords[2 * TEXT_MAX];
    isa_predecode(isa_shared(), (const u8 *)text, 4 * (u64)count, insns);
    struct isa_program program = { 0x10000, 2 * (u64)count, insns };
    flow_find(&program, halfwords);
    for (u32 i = 0; i < count; i++) {
        assert_true(halfwords[2 * i] == ISA_MEETS_NOWHERE || halfwords[2 * i] % 2 == 0);
        meets[i] = halfwords[2 * i] == ISA_MEETS_NOWHERE ? END : halfwords[2 * i] / 2;
    }
}

static void text_check(const u32 *text, u32 count, u32 at, u32 expected)
{
    u32 meets[TEXT_MAX];
    text_solve(text, count, meets);
    assert_int_equal(meets[at], expected);
}

static void ways_of_an_if_meet_behind_it(void **state)
{
    const u32 text[] = { BRANCH(3), NOP, JUMP(2), NOP, NOP, RETURN };
    (void)state;
    text_check(text, 6, 0, 4);
    text_check(text, 6, 2, 4);
    text_check(text, 6, 4, 5);
    text_check(text, 6, 5, END);
}

/* Out of line, as compilers put what is not likely. */
static void ways_meet_above_as_well(void **state)
{
    const u32 text[] = { BRANCH(3), NOP, RETURN, NOP, JUMP(-3) };
    (void)state;
    text_check(text, 5, 0, 1);
}

static void a_loop_ends_behind_itself(void **state)
{
    const u32 text[] = { NOP, BRANCH(2), BRANCH(-2), NOP, RETURN };
    (void)state;
    text_check(text, 5, 1, 3);
    text_check(text, 5, 2, 3);
}

static void calls_go_on_behind_themselves(void **state)
{
    const u32 text[] = { BRANCH(2), CALL(4), POINTER, NOP, RETURN, RETURN };
    (void)state;
    text_check(text, 6, 0, 2);
    text_check(text, 6, 2, 3);
}

static void returns_and_switches_are_ends(void **state)
{
    const u32 early[] = { BRANCH(2), RETURN, NOP, RETURN };
    const u32 table[] = { BRANCH(2), SWITCH, NOP, NOP, RETURN };
    const u32 outside[] = { BRANCH(2), JUMP(100), NOP, RETURN };
    (void)state;
    text_check(early, 4, 0, END);
    text_check(table, 5, 0, END);
    text_check(outside, 4, 0, END);
}

/* Who stays there for ever is waited for nowhere; who need not go there meets the others. */
static void endless_loops_are_no_end(void **state)
{
    const u32 text[] = { BRANCH(2), JUMP(0), NOP, RETURN };
    (void)state;
    text_check(text, 4, 1, END);
    text_check(text, 4, 0, 2);
}

/* ---- Brute force ---- */

/* Whether the end can be reached from a place without coming through another one. */
static bool end_is_reached(const u32 *text, u32 count, u32 from, u32 without)
{
    bool seen[TEXT_MAX + 1] = { false };
    u32 left[2 * TEXT_MAX + 2], depth = 0;
    left[depth++] = from;
    while (depth) {
        u32 at = left[--depth];
        if (at >= count)
            return true;
        if (seen[at] || at == without)
            continue;
        seen[at] = true;
        struct insn insn = isa_decode(isa_shared(), text[at]);
        u32 target = at + (u32)(insn.immediate / 4);
        if (insn.op == OP_jalr)
            return true;
        if (insn.class == CLASS_BRANCH)
            left[depth++] = target;
        left[depth++] = insn.op == OP_jal && insn.rd == REGISTER_NONE ? target : at + 1;
    }
    return false;
}

static bool is_passed(const u32 *text, u32 count, u32 from, u32 place)
{
    return place != from && !end_is_reached(text, count, from, place);
}

/* Of the places that all ways pass, the one from which all others are still ahead. */
static u32 meets_by_force(const u32 *text, u32 count, u32 from)
{
    if (!end_is_reached(text, count, from, END))
        return END;
    for (u32 place = 0; place < count; place++) {
        bool first = is_passed(text, count, from, place);
        for (u32 other = 0; first && other < count; other++)
            if (other != place && is_passed(text, count, from, other))
                first = is_passed(text, count, place, other);
        if (first)
            return place;
    }
    return END;
}

static void random_texts_meet_where_force_says(void **state)
{
    u64 seed = 18;
    u32 text[TEXT_MAX], meets[TEXT_MAX];
    (void)state;
    for (u32 round = 0; round < 3000; round++) {
        u32 count = 2 + (u32)random_below(&seed, TEXT_MAX - 2);
        for (u32 i = 0; i < count; i++)
            text[i] = text_random(&seed, i, count);
        text_solve(text, count, meets);
        for (u32 i = 0; i < count; i++)
            assert_int_equal(meets[i], meets_by_force(text, count, i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_of_an_if_meet_behind_it),
        cmocka_unit_test(ways_meet_above_as_well),
        cmocka_unit_test(a_loop_ends_behind_itself),
        cmocka_unit_test(calls_go_on_behind_themselves),
        cmocka_unit_test(returns_and_switches_are_ends),
        cmocka_unit_test(endless_loops_are_no_end),
        cmocka_unit_test(random_texts_meet_where_force_says),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
