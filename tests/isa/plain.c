/* plain.c - the interpreter's short way against one instruction at a time, which never takes it:
 * random texts, whose instructions also begin within others, with numbers, rounding modes, flags
 * and addresses of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/encode.h"
#include "isa/interp.h"
#include "ogive/program.h"
#include "ogive/random.h"

#define BASE        0x10000
#define WORDS       512
#define TEXT_BYTES  (4 * WORDS)
#define EXTRA_BYTES 8192
#define STACK_BYTES 256
#define NOTED       (TEXT_BYTES + 4096) /* offset of what is noted, up to the end */
#define TEXTS       120
#define STRETCHES   60 /* runs of a text */

static u32 below(u64 *random, u32 limit)
{
    return (u32)random_below(random, limit);
}

/* ---- Texts ---- */

#define ADD_S 0x00007053u /* rounding as fcsr says */
#define LOADS 0x00002007u /* flw */

/* Those that are done in pairs are frequent, and follow each other. */
static u32 word_usual(u64 *random, u32 at)
{
    static const u32 sums[] = { ADD_S, ADD_S | 4u << 25, ADD_S | 8u << 25, ADD_S | 1u << 25 };
    static const u32 bases[] = { 2, 8, 10, 15, 16 };
    u32 rd = below(random, 32), rs1 = below(random, 32), rs2 = below(random, 32);
    u32 base = bases[below(random, 5)];
    int32_t to = (int32_t)below(random, WORDS + 8) - (int32_t)at,
            near = 4 * (int32_t)below(random, 8);
    switch (below(random, 12)) {
    case 0:
    case 1:
    case 2:
        return encode_r(sums[below(random, 4)], rd, rs1, rs2);
    case 3:
        return encode_i(LOADS | below(random, 2) << 12, rd, base, near);
    case 4:
        return encode_s(0x23 | (2 + below(random, 2)) << 12, base, rs2, near);
    case 5:
        return encode_s(0x27 | (2 + below(random, 2)) << 12, base, rs2, near);
    case 6:
        return encode_r(0xa0001053, rd, rs1, rs2); /* flt.s */
    case 7:
        return encode_b(0x63 | below(random, 2) << 12, rs1, rs2, 4 * to);
    case 8:
        return below(random, 4) ? encode_j(0x6f, below(random, 2), 4 * to)
                                : encode_i(0x67, below(random, 2), base, 2 * (int32_t)at);
    case 9:
        return encode_u(below(random, 2) ? 0x37 : 0x17, rd, (int32_t)below(random, 3));
    case 10:
        return encode_i(0x13 | below(random, 2) << 12, rd, rs1, (int32_t)below(random, 32));
    default:
        return encode_i(0x3 | (2 + below(random, 2)) << 12, rd, base, near);
    }
}

/* Any bits at all, now and then, and flags and modes that change. */
static u32 word_random(u64 *random, u32 at)
{
    if (!below(random, 24))
        return (u32)random_next(random);
    if (!below(random, 40))
        return encode_i(0x73 | (5 + below(random, 3)) << 12, 0, below(random, 32),
                        (int32_t)(1 + below(random, 3)));
    return word_usual(random, at);
}

/* ---- Harts ---- */

static u64 value_random(u64 *random)
{
    static const float numbers[] = { 0, 1, -1.5f, 3.25f, 1e-39f, 3e38f, 0.1f, 7 };
    u32 bits;
    switch (below(random, 5)) {
    case 0:
        return random_next(random);
    case 1:
        return below(random, 8);
    default:
        memcpy(&bits, &numbers[below(random, 8)], sizeof bits);
        return UINT64_C(0xffffffff00000000) | bits;
    }
}

static u64 address_random(u64 *random)
{
    u32 where = below(random, 12);
    if (where < 5)
        return STACK_WINDOW + below(random, STACK_BYTES - 32);
    if (where < 11)
        return BASE + TEXT_BYTES + below(random, EXTRA_BYTES - 40);
    return BASE + TEXT_BYTES + EXTRA_BYTES - below(random, 16);
}

static void hart_randomize(u64 *random, struct hart *hart)
{
    static const u32 bases[] = { 2, 8, 10, 15, 16 };
    for (u32 i = 1; i < 64; i++)
        if (!below(random, 3))
            hart->r[i] = value_random(random);
    for (u32 i = 0; i < 5; i++)
        hart->x[bases[i]] = address_random(random);
    hart->pc = BASE + 2 * below(random, 2 * WORDS);
    hart->fcsr = below(random, 3) ? FLAG_INEXACT : below(random, 256);
}

/* ---- Two of them ---- */

struct one {
    struct interp interp;
    u8 stack[STACK_BYTES];
};

static void one_open(struct one *one, u8 *text)
{
    struct elf_segment segment = {
        .address = BASE, .size_bytes = TEXT_BYTES, .bytes = text, .file_bytes = TEXT_BYTES
    };
    struct elf_image image = { .entry = BASE, .segments = &segment, .segment_count = 1 };
    struct ogv_error error;
    assert_true(interp_init(&one->interp, isa_shared(), &image, EXTRA_BYTES, &error));
    memset(one->stack, 0, sizeof one->stack);
    one->interp.own = one->stack;
    one->interp.own_bytes = STACK_BYTES;
    one->interp.own_lowest = STACK_BYTES;
    one->interp.notes =
        (struct interp_notes){ .offset = NOTED, .bytes = TEXT_BYTES + EXTRA_BYTES - NOTED };
}

static void one_close(struct one *one)
{
    free(one->interp.notes.at);
    interp_fini(&one->interp);
}

static enum interp_stop run_singly(struct interp *interp, u64 limit)
{
    enum interp_stop stop = INTERP_LIMIT;
    while (limit-- && stop == INTERP_LIMIT)
        stop = interp_run(interp, 1);
    return stop;
}

static void ones_compare(const struct one *a, const struct one *b)
{
    assert_int_equal(a->interp.hart.pc, b->interp.hart.pc);
    assert_int_equal(a->interp.hart.fcsr, b->interp.hart.fcsr);
    assert_memory_equal(a->interp.hart.r, b->interp.hart.r, 64 * sizeof(u64));
    assert_int_equal(a->interp.environment.instret, b->interp.environment.instret);
    assert_int_equal(a->interp.environment.cycle, b->interp.environment.cycle);
    assert_memory_equal(a->stack, b->stack, STACK_BYTES);
    assert_int_equal(a->interp.own_lowest, b->interp.own_lowest);
    assert_memory_equal(a->interp.memory, b->interp.memory, TEXT_BYTES + EXTRA_BYTES);
    assert_int_equal(a->interp.notes.count, b->interp.notes.count);
    if (a->interp.notes.count)
        assert_memory_equal(a->interp.notes.at, b->interp.notes.at,
                            a->interp.notes.count * sizeof *a->interp.notes.at);
}

static u64 text_check(u64 *random)
{
    static struct one quick, single;
    static u32 text[WORDS];
    for (u32 at = 0; at < WORDS; at++)
        text[at] = word_random(random, at);
    one_open(&quick, (u8 *)text);
    one_open(&single, (u8 *)text);
    for (u32 i = 0; i < STRETCHES; i++) {
        u64 limit = 1 + below(random, 3000);
        hart_randomize(random, &quick.interp.hart);
        single.interp.hart = quick.interp.hart;
        enum interp_stop stop = interp_run(&quick.interp, limit);
        assert_int_equal(stop, run_singly(&single.interp, limit));
        ones_compare(&quick, &single);
    }
    u64 done = quick.interp.environment.instret;
    one_close(&quick);
    one_close(&single);
    return done;
}

static void the_short_way_does_the_same(void **state)
{
    u64 random = 7, done = 0;
    (void)state;
    for (u32 i = 0; i < TEXTS; i++)
        done += text_check(&random);
    assert_true(done > UINT64_C(20) * TEXTS * STRETCHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_short_way_does_the_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
