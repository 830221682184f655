/* order.c - the order of a program's ways: by hand for what compilers make of them, and its rules
 * for texts that nobody would write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/flow.h"
#include "ways.h"

#define TEXT_MAX 512

struct text {
    struct insn insns[2 * TEXT_MAX];
    struct isa_program program;
    u32 places[2 * TEXT_MAX];
};

static void text_order(struct text *text, const u32 *words, u32 count)
{
    isa_predecode(isa_shared(), (const u8 *)words, 4 * (u64)count, text->insns);
    text->program = (struct isa_program){ 0x10000, 2 * (u64)count, text->insns };
    order_find(&text->program, text->places);
}

/* The instructions are in this order. */
static void order_check(const u32 *words, u32 count, const u32 *expected)
{
    static struct text text;
    text_order(&text, words, count);
    for (u32 i = 1; i < count; i++)
        assert_true(text.places[2 * expected[i - 1]] < text.places[2 * expected[i]]);
}

static void what_leads_forward_stays(void **state)
{
    const u32 text[] = { BRANCH(3), NOP, JUMP(2), NOP, NOP, RETURN };
    (void)state;
    order_check(text, 6, (const u32[]){ 0, 1, 2, 3, 4, 5 });
}

static void a_block_out_of_line_comes_before_where_it_leads(void **state)
{
    const u32 text[] = { BRANCH(3), NOP, RETURN, NOP, JUMP(-3) };
    (void)state;
    order_check(text, 5, (const u32[]){ 0, 3, 4, 1, 2 });
}

static void what_is_behind_a_loop_comes_behind_all_of_it(void **state)
{
    const u32 text[] = { NOP, BRANCH(2), RETURN, NOP, JUMP(-3) };
    (void)state;
    order_check(text, 5, (const u32[]){ 0, 1, 3, 4, 2 });
}

/* The outer loop is 1 to 6, the inner one 3 and 5; 4 is what the inner one leads to. */
static void an_inner_loop_is_in_one_piece(void **state)
{
    const u32 text[] = { NOP, NOP, NOP, BRANCH(2), JUMP(2), JUMP(-2), BRANCH(-5), RETURN };
    (void)state;
    order_check(text, 8, (const u32[]){ 0, 1, 2, 3, 5, 4, 6, 7 });
}

/* Who comes into a loop in its middle makes that its head. */
static void a_loop_begins_where_it_is_entered(void **state)
{
    const u32 text[] = { JUMP(3), NOP, NOP, NOP, BRANCH(-3), RETURN };
    (void)state;
    order_check(text, 6, (const u32[]){ 0, 3, 4, 1, 2, 5 });
}

/* A part of a function may lie before its beginning. */
static void a_function_begins_where_it_is_called(void **state)
{
    const u32 text[] = { NOP, JUMP(1), BRANCH(-2), BRANCH(-1), RETURN, CALL(-3), RETURN };
    (void)state;
    order_check(text, 5, (const u32[]){ 0, 1, 2, 3, 4 });
    order_check(text, 7, (const u32[]){ 5, 6, 2, 3, 0, 1, 4 });
}

/* ---- Rules ---- */

static bool leads_to(const struct text *text, u32 from, u32 to)
{
    static bool seen[2 * TEXT_MAX];
    static u32 left[4 * TEXT_MAX];
    u32 depth = 0, after[2];
    memset(seen, 0, sizeof seen);
    left[depth++] = from;
    while (depth) {
        u32 at = left[--depth];
        for (u32 i = flow_after(&text->program, at, after); i-- > 0;) {
            if (after[i] == to)
                return true;
            if (after[i] == text->program.count || seen[after[i]])
                continue;
            seen[after[i]] = true;
            left[depth++] = after[i];
        }
    }
    return false;
}

/* A way back leads to the head of a loop, and everything between the two is in that loop. */
static void way_check(const struct text *text, u32 from, u32 to)
{
    if (to == text->program.count || text->places[to] > text->places[from])
        return;
    for (u32 at = 0; at < text->program.count; at++) {
        if (text->places[at] <= text->places[to] || text->places[at] > text->places[from])
            continue;
        assert_true(leads_to(text, to, at));
        assert_true(leads_to(text, at, to));
    }
}

static void text_check(const u32 *words, u32 count)
{
    static struct text text;
    bool taken[2 * TEXT_MAX] = { false };
    u32 after[2];
    text_order(&text, words, count);
    for (u32 at = 0; at < 2 * count; at++) {
        assert_true(text.places[at] < 2 * count && !taken[text.places[at]]);
        taken[text.places[at]] = true;
        for (u32 i = flow_after(&text.program, at, after); i-- > 0;)
            way_check(&text, at, after[i]);
    }
}

static void random_texts_keep_the_rules(void **state)
{
    u64 seed = 19;
    u32 words[24];
    (void)state;
    for (u32 round = 0; round < 2000; round++) {
        u32 count = 2 + (u32)random_below(&seed, 22);
        for (u32 i = 0; i < count; i++)
            words[i] = text_random(&seed, i, count);
        text_check(words, count);
    }
}

/* More loops within loops than are looked into: each instruction still has a place of its own, and
 * those that were looked into are in one piece. */
static void very_deep_loops_have_an_order(void **state)
{
    u32 words[2 * 200 + 1];
    (void)state;
    for (u32 i = 0; i < 200; i++) {
        words[i] = NOP;
        words[200 + i] = BRANCH(-(int32_t)(1 + 2 * i));
    }
    words[400] = RETURN;
    text_check(words, 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leads_forward_stays),
        cmocka_unit_test(a_block_out_of_line_comes_before_where_it_leads),
        cmocka_unit_test(what_is_behind_a_loop_comes_behind_all_of_it),
        cmocka_unit_test(an_inner_loop_is_in_one_piece),
        cmocka_unit_test(a_loop_begins_where_it_is_entered),
        cmocka_unit_test(a_function_begins_where_it_is_called),
        cmocka_unit_test(random_texts_keep_the_rules),
        cmocka_unit_test(very_deep_loops_have_an_order),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
