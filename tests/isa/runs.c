/* runs.c - how far threads come with plain instructions: by hand, and against walks along all ways
 * of texts that nobody would write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/flow.h"
#include "ogive/random.h"
#include "ways.h"

#define TEXT_MAX 64

struct text {
    struct insn insns[2 * TEXT_MAX];
    struct isa_program program;
    u8 runs[2 * TEXT_MAX];
};

static void text_find(struct text *text, const u32 *words, u32 count)
{
    isa_predecode(isa_shared(), (const u8 *)words, 4 * (u64)count, text->insns);
    text->program = (struct isa_program){ 0x10000, 2 * (u64)count, text->insns };
    runs_find(&text->program, text->runs);
}

static void runs_check(const u32 *words, u32 count, const u32 *expected)
{
    static struct text text;
    text_find(&text, words, count);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(text.runs[2 * i], expected[i]);
}

#define LOAD 0x00002003u /* lw x0, 0(x0) */

static void a_run_ends_before_what_is_not_plain(void **state)
{
    const u32 text[] = { NOP, NOP, LOAD, NOP, RETURN, NOP };
    (void)state;
    runs_check(text, 6, (const u32[]){ 2, 1, 0, 2, 1, 1 });
}

static void the_shorter_way_counts(void **state)
{
    const u32 text[] = { BRANCH(3), NOP, NOP, LOAD, NOP };
    (void)state;
    runs_check(text, 5, (const u32[]){ 1, 2, 1, 0, 1 });
}

static void a_jump_is_followed(void **state)
{
    const u32 text[] = { JUMP(3), LOAD, LOAD, NOP, NOP, LOAD, JUMP(-3), JUMP(100) };
    (void)state;
    runs_check(text, 8, (const u32[]){ 3, 0, 0, 2, 1, 0, 3, 1 });
}

static void a_loop_without_an_end_has_the_longest_run(void **state)
{
    const u32 text[] = { NOP, NOP, JUMP(-1) };
    (void)state;
    runs_check(text, 3, (const u32[]){ RUN_MAX, RUN_MAX, RUN_MAX });
}

/* One instruction of a random text: where it leads, by its own word. */
struct way {
    int32_t behind, target; /* one of them, or both the same */
    bool plain;
};

/* Steps along all ways at once until one of them is at something else. */
static u32 walk(const struct way *ways, u32 count, u32 from)
{
    u64 here = UINT64_C(1) << from;
    for (u32 steps = 0; steps < RUN_MAX; steps++) {
        u64 next = 0;
        for (u64 bits = here; bits; bits &= bits - 1)
            if (!ways[__builtin_ctzll(bits)].plain)
                return steps;
        for (u64 bits = here; bits; bits &= bits - 1) {
            const struct way *way = &ways[__builtin_ctzll(bits)];
            if (way->behind < 0 || way->target < 0 || way->behind >= (int32_t)count ||
                way->target >= (int32_t)count)
                return steps + 1;
            next |= UINT64_C(1) << way->behind | UINT64_C(1) << way->target;
        }
        here = next;
    }
    return RUN_MAX;
}

static u32 way_random(u64 *random, struct way *way, int32_t at, u32 count)
{
    int32_t to = (int32_t)random_below(random, count + 2) - 1;
    u64 kind = random_below(random, 24);
    *way = (struct way){ at + 1, at + 1, kind != 0 };
    if (kind < 5 && kind)
        way->target = to;
    else if (kind == 5)
        way->behind = way->target = to;
    return kind == 0 ? LOAD : kind < 5 ? BRANCH(to - at) : kind == 5 ? CALL(to - at) : NOP;
}

static void runs_are_as_walked(void **state)
{
    static struct text text;
    struct way ways[TEXT_MAX];
    u32 words[TEXT_MAX];
    u64 random = 17;
    (void)state;
    for (u32 turn = 0; turn < 2000; turn++) {
        u32 count = 1 + (u32)random_below(&random, TEXT_MAX);
        for (u32 i = 0; i < count; i++)
            words[i] = way_random(&random, &ways[i], (int32_t)i, count);
        text_find(&text, words, count);
        for (u32 i = 0; i < count; i++)
            assert_int_equal(text.runs[2 * i], walk(ways, count, i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_before_what_is_not_plain),
        cmocka_unit_test(the_shorter_way_counts),
        cmocka_unit_test(a_jump_is_followed),
        cmocka_unit_test(a_loop_without_an_end_has_the_longest_run),
        cmocka_unit_test(runs_are_as_walked),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
