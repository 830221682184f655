/* subcore_front.c - when instructions come: fetch, decode and I-buffers, the L0 instruction cache
 * and its stream buffer, and what sub-cores share behind it. READ_CYCLE tells when it issues. */
#include "unit/subcore_stand.h"

extern const struct unit_type unit_type_cache;

static struct stand stand_front(u32 warps, u32 ibuffer)
{
    struct stand stand = stand_make(warps, 4);
    bench_set(&stand.subcore->base, "ibuffer", ibuffer);
    return stand;
}

/* An L0 with lines of eight instructions, and a mock behind it. */
static struct server *join_text(struct stand *stand, cycle latency)
{
    struct unit *unit = &stand->subcore->base;
    struct server *text = bench_server(stand->sim, stand->domain, 0, latency);
    bench_join(stand->sim, unit, "units", text->mock, 1, 8);
    stand_name(stand, "text");
    stand_table(stand, "fetch: text");
    bench_set(unit, "l0_size", 1024);
    bench_set(unit, "l0_line", 32);
    return text;
}

/* The registers of a thread from x5 on. */
static void expect_x(const struct stand *stand, u32 thread, const u64 *values, u32 count)
{
    for (u32 i = 0; i < count; i++)
        assert_int_equal(x_of(stand, thread, 5 + i), values[i]);
}

#define EXPECT(stand, thread, ...) \
    expect_x(stand, thread, (u64[]){ __VA_ARGS__ }, LENGTH(((u64[]){ __VA_ARGS__ })))

#define FIVE_CYCLES READ_CYCLE(5), READ_CYCLE(6), READ_CYCLE(7), READ_CYCLE(8), READ_CYCLE(9)

/* ---- I-buffers ---- */

/* Fetched in cycle 0, decoded in 1. The call to the host issues for each thread, fetched once. */
static void three_entries_let_a_warp_issue_in_each_cycle(void **state)
{
    const u32 text[] = { FIVE_CYCLES, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 2, 3, 4, 5, 6);
    assert_int_equal(stat(&stand, "cycles"), 2 + 5 + 2 + 4);
    assert_int_equal(stat(&stand, "fetch"), 2);
    assert_int_equal(stat(&stand, "fetches"), 8);
    assert_int_equal(stat(&stand, "fetched"), 8);
    assert_int_equal(stat(&stand, "flushed"), 0);
}

/* The third fetch is made in the cycle after the first issue. */
static void two_entries_leave_a_bubble(void **state)
{
    const u32 text[] = { FIVE_CYCLES, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 2);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 2, 3, 5, 6, 8);
}

static void decoding_takes_its_cycles(void **state)
{
    const u32 text[] = { FIVE_CYCLES, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 2);
    bench_set(&stand.subcore->base, "decode", 0);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 1, 2, 3, 4, 5);
    bench_destroy(stand.sim);
    stand = stand_front(1, 16);
    bench_set(&stand.subcore->base, "decode", 6);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 7, 8, 9, 10, 11);
}

/* As Accel-Sim has it: two instructions at once, for warps that have none left. */
static void empty_buffers_are_fetched_for(void **state)
{
    const u32 text[] = { FIVE_CYCLES, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 2);
    bench_set(&stand.subcore->base, "fetch_bytes", 8);
    bench_set(&stand.subcore->base, "fetch_empty", true);
    bench_set(&stand.subcore->base, "decode", 0);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 1, 2, 4, 5, 7);
}

static void fetch_unit_is_had_in_turns(void **state)
{
    const u32 text[] = { FIVE_CYCLES, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 4);
    bench_set(&stand.subcore->base, "fetch_bytes", 8);
    bench_set(&stand.subcore->base, "fetch_turn", 4);
    stand.subcore->base.ordinal = 6; /* the third of its SM, or of four */
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 4, 5, 8, 9, 12);
}

/* ---- Going elsewhere ---- */

/* The target of a branch in cycle 3 is fetched in the next. What was behind it goes. */
static void taken_branch_empties_the_buffer(void **state)
{
    const u32 text[] = { READ_CYCLE(5), B(beq, 0, 0, 3), NOP, NOP, READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 2, 6);
    assert_int_equal(stat(&stand, "flushed"), 2);
    bench_destroy(stand.sim);
    stand = stand_front(1, 3);
    stand_table(&stand, "branch: 5 cycles");
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 2, 10);
    assert_int_equal(stat(&stand, "hazard_branch"), 4);
    assert_int_equal(stat(&stand, "fetch"), 2 + 2);
}

static void branch_not_taken_costs_nothing(void **state)
{
    const u32 text[] = { READ_CYCLE(5), B(bne, 0, 0, 3), READ_CYCLE(6), NOP, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 2, 4);
    assert_int_equal(stat(&stand, "flushed"), 0);
}

/* Odd threads jump over even ones, whose turn it is then: they are not where the buffer goes on. */
static void other_group_is_fetched_for_anew(void **state)
{
    const u32 text[] = { I(andi, 5, 10, 1), B(beq, 5, 0, 4), READ_CYCLE(6), J(jal, 0, 3), NOP,
                         READ_CYCLE(7),     READ_CYCLE(8),   EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 1, 6), 4); /* behind a branch that some did not take */
    assert_int_equal(x_of(&stand, 0, 7), 8); /* the jump was in cycle 5 */
    assert_int_equal(x_of(&stand, 0, 8), 9);
    assert_int_equal(x_of(&stand, 1, 8), 9);
    assert_int_equal(stat(&stand, "flushed"), 2);
}

/* A jump to the last two of a line of eight. */
static void fetch_ends_with_the_line(void **state)
{
    const u32 text[] = { J(jal, 0, 6), NOP,           NOP,           NOP,           NOP,
                         NOP,          READ_CYCLE(5), READ_CYCLE(6), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 8);
    bench_set(&stand.subcore->base, "l0_line", 32);
    bench_set(&stand.subcore->base, "fetch_bytes", 16);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 5, 6, 7);
    assert_int_equal(stat(&stand, "fetches"), 4);
    assert_int_equal(stat(&stand, "fetched"), 4 + 4 + 2 + 4);
    assert_int_equal(stat(&stand, "flushed"), 7);
}

/* ---- Whom to fetch for ---- */

static void warps_are_fetched_for_in_turn(void **state)
{
    const u32 text[] = { READ_CYCLE(5), READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(4, 3);
    stand_go(&stand, TEXT(text));
    for (u32 warp = 0; warp < 4; warp++)
        EXPECT(&stand, 4 * warp, 2 + warp, 6 + warp);
}

/* All five instructions of the youngest warp, then three of the next, which issues when the
 * youngest has ended, and is followed again. */
static void fetch_follows_the_issued_warp(void **state)
{
    const u32 text[] = { READ_CYCLE(5), READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(4, 3);
    bench_set_choice(&stand.subcore->base, "fetch_policy", "follow");
    bench_set_choice(&stand.subcore->base, "policy", "greedy_youngest");
    stand_go(&stand, TEXT(text));
    for (u32 warp = 0; warp < 4; warp++)
        EXPECT(&stand, 4 * warp, 2 + 8 * (3 - warp), 3 + 8 * (3 - warp));
}

/* ---- The L0 ---- */

#define NOPS_7      NOP, NOP, NOP, NOP, NOP, NOP, NOP

#define THREE_LINES READ_CYCLE(5), NOPS_7, READ_CYCLE(6), NOPS_7, READ_CYCLE(7), EXIT_WELL

/* Asked for in the cycle after the fetch, two cycles on the links, and five in the mock. */
static void missing_line_is_waited_for(void **state)
{
    const u32 text[] = { THREE_LINES };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 5);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 10, 26, 42);
    assert_int_equal(served->count, 3);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(served->served[i].taken, 2 + 16 * i);
        assert_int_equal(served->served[i].message.address, PC(8 * i));
        assert_int_equal(served->served[i].message.size_bytes, 32);
    }
    /* The last instructions of a line issue while the next one is asked for. */
    assert_int_equal(stat(&stand, "miss"), 8 + 2 * 6);
    assert_int_equal(stat(&stand, "fetch"), 3 * 2);
    assert_int_equal(stat(&stand, "l0_lines"), 3);
    assert_int_equal(stat(&stand, "l0_misses"), 3);
    assert_int_equal(stat(&stand, "l0_hits"), LENGTH(text));
}

/* Four sectors, asked for one by one. */
static void line_is_there_with_its_last_sector(void **state)
{
    const u32 text[] = { THREE_LINES };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "l0_line", 128);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 13, 21, 29);
    assert_int_equal(served->count, 4);
    assert_int_equal(served->served[3].taken, 5);
    assert_int_equal(served->served[3].message.address, PC(24));
}

/* Lines A, B, A, C, A, B with two places for them: C takes that of B. */
static void least_recently_used_line_leaves(void **state)
{
    const u32 text[] = {
        J(jal, 0, 8),   J(jal, 0, 15), J(jal, 0, 7), NOP, NOP, NOP, NOP, NOP, /* A */
        J(jal, 0, -7),  READ_CYCLE(5), EXIT_WELL,    NOP, NOP, NOP,           /* B */
        J(jal, 0, -14),                                                       /* C */
    };
    const u64 asked[] = { PC(0), PC(8), PC(16), PC(8) };
    (void)state;
    struct stand stand = stand_front(1, 1);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "l0_size", 64);
    bench_set(&stand.subcore->base, "l0_ways", 2);
    stand_go(&stand, TEXT(text));
    assert_int_equal(served->count, LENGTH(asked));
    for (u32 i = 0; i < LENGTH(asked); i++)
        assert_int_equal(served->served[i].message.address, asked[i]);
}

/* While the first line runs, the next ones come. */
static void stream_hides_the_latency(void **state)
{
    const u32 text[] = { THREE_LINES };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "stream", 2);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 10, 18, 26);
    assert_int_equal(served->served[1].taken, 3);
    assert_int_equal(served->served[2].taken, 4);
    assert_int_equal(served->count, 3); /* there is no text behind */
    assert_int_equal(stat(&stand, "l0_lines"), 1);
    assert_int_equal(stat(&stand, "stream_lines"), 2);
    assert_int_equal(stat(&stand, "stream_hits"), 2);
}

/* With 30 cycles in the mock the second line comes in cycle 34, one after the first. The third is
 * asked for when the second is needed, in 41, and comes in 74: the wait for it is shorter by the
 * time that the second one runs. */
static void stream_of_one_line_is_one_line_ahead(void **state)
{
    const u32 text[] = { THREE_LINES };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 30);
    bench_set(&stand.subcore->base, "stream", 1);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 35, 43, 76);
    assert_int_equal(served->served[1].taken, 3);
    assert_int_equal(served->served[2].taken, 43);
    assert_int_equal(stat(&stand, "stream_hits"), 2);
}

/* The jump leaves the stream, whose two lines have been asked for. */
static void stream_begins_anew_elsewhere(void **state)
{
    const u32 text[] = { J(jal, 0, 32), NOPS_7, NOP,           NOPS_7, NOP,           NOPS_7,
                         NOP,           NOPS_7, READ_CYCLE(5), NOPS_7, READ_CYCLE(6), EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "stream", 2);
    stand_go(&stand, TEXT(text));
    /* Jump in 10, looked for in 11, asked for in 12, come in 19; the line behind it one later. */
    EXPECT(&stand, 0, 21, 29);
    assert_int_equal(served->served[3].message.address, PC(32));
    assert_int_equal(served->served[3].taken, 13);
    assert_int_equal(served->served[4].message.address, PC(40));
    assert_int_equal(served->count, 5);
    assert_int_equal(stat(&stand, "stream_lines"), 3);
    assert_int_equal(stat(&stand, "stream_hits"), 1);
}

/* Lines A, C, B: B is given up when C is needed, and asked for again; C, behind it, is here. */
static void stream_skips_what_is_here(void **state)
{
    const u32 text[] = { J(jal, 0, 16), NOPS_7, READ_CYCLE(5), EXIT_WELL,    NOP,
                         NOP,           NOP,    NOP,           J(jal, 0, -8) };
    const u64 asked[] = { PC(0), PC(8), PC(16), PC(8) };
    (void)state;
    struct stand stand = stand_front(1, 1);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "stream", 1);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 32);
    assert_int_equal(served->count, LENGTH(asked));
    for (u32 i = 0; i < LENGTH(asked); i++)
        assert_int_equal(served->served[i].message.address, asked[i]);
    assert_int_equal(stat(&stand, "l0_lines"), 3);
    assert_int_equal(stat(&stand, "stream_hits"), 0);
}

/* Both warps have their first line in cycle 8. Warp 0 asks for the second one when its first
 * instruction has issued, in 11; warp 1 jumps to the third one in 13. */
static void line_waits_for_an_mshr(u32 mshrs, u64 jumped_at)
{
    const u32 text[] = { I(srli, 5, 10, 2), B(bne, 5, 0, 15), NOP, NOP, NOP, NOP, NOP, NOP,
                         READ_CYCLE(6),     J(jal, 0, 8),     NOP, NOP, NOP, NOP, NOP, NOP,
                         READ_CYCLE(6),     EXIT_WELL };
    struct stand stand = stand_front(2, 8);
    join_text(&stand, 5);
    bench_set(&stand.subcore->base, "fetch_bytes", 32);
    bench_set(&stand.subcore->base, "l0_mshrs", mshrs);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 6), 21);
    assert_int_equal(x_of(&stand, 4, 6), jumped_at);
    bench_destroy(stand.sim);
}

/* Looked for in 14: asked for at once, or looked for again in 20, behind warp 0, whose line has
 * come in 19. */
static void lines_under_way_are_limited(void **state)
{
    (void)state;
    line_waits_for_an_mshr(2, 24);
    line_waits_for_an_mshr(1, 30);
}

/* Every instruction takes 16 bytes, the short ones too: two in a line, at the end of memory. */
static void instructions_have_the_length_of_the_model(void **state)
{
    const u32 two_short_nops = 0x00010001;
    const u32 text[] = { READ_CYCLE(5), two_short_nops, READ_CYCLE(6), NOP, EXIT_WELL };
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct server *served = join_text(&stand, 5);
    bench_set(&stand.subcore->base, "insn_bytes", 16);
    stand_go(&stand, TEXT(text));
    EXPECT(&stand, 0, 10, 21);
    assert_int_equal(served->count, 4);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(served->served[i].message.address, MEMORY_BYTES - 128 + 32 * i);
}

/* ---- Shared behind the L0s ---- */

/* Four L0s ask a cache for the same line in the same cycle. It takes one request in a cycle, asks
 * below once, and answers one by one. */
static void sub_cores_share_an_instruction_cache(void **state)
{
    const u32 text[] = { READ_CYCLE(5), EXIT_WELL };
    struct subcore *subcores[4];
    (void)state;
    struct stand stand = stand_front(1, 3);
    struct unit *cache = bench_unit(stand.sim, stand.domain, &unit_type_cache, NO_CLOCK);
    struct server *below = bench_server(stand.sim, stand.domain, 0, 5);
    const struct chip_program *program = bench_program(stand.sim, TEXT(text), 16);
    for (u32 i = 0; i < 4; i++) {
        struct unit *unit = i ? bench_unit(stand.sim, stand.domain, &unit_type_subcore, NO_CLOCK)
                              : &stand.subcore->base;
        subcores[i] = (struct subcore *)unit;
        bench_set(unit, "warps", 1);
        bench_set(unit, "width", 4);
        bench_set(unit, "ibuffer", 3);
        bench_set(unit, "l0_size", 1024);
        bench_set(unit, "l0_line", 32);
        bench_set_words(unit, "execute", "fetch: l1i");
        bench_ask(stand.sim, unit, "units", cache, "users", 1, 8);
        ports_note(bench_ports(unit, "units"), 0)->peer = "l1i";
        bench_init(unit);
        unit_type_subcore.programs->start(unit, program, 4 * i, NULL);
    }
    bench_join(stand.sim, cache, "next", below->mock, 1, 8);
    bench_init(cache);
    bench_seal(stand.sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(below->count, 1);
    for (u32 i = 0; i < 4; i++) {
        struct hart hart;
        unit_type_subcore.programs->hart(&subcores[i]->base, 0, &hart);
        assert_int_equal(hart.x[5], 14 + i);
    }
    assert_int_equal(bench_stat(cache, "misses"), 1);
    assert_int_equal(bench_stat(cache, "half_misses"), 3);
}

static void impossible_caches_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_front(1, 3);
    bench_set(&stand.subcore->base, "l0_size", 1024);
    bench_init_refused(&stand.subcore->base, "fetch: NAME");
    bench_destroy(stand.sim);
    stand = stand_front(1, 3);
    join_text(&stand, 5);
    bench_set(&stand.subcore->base, "l0_size", 1000);
    bench_init_refused(&stand.subcore->base, "multiple of l0_ways x l0_line, here 128 B");
    bench_destroy(stand.sim);
    stand = stand_front(1, 3);
    bench_set(&stand.subcore->base, "l0_line", 48);
    bench_init_refused(&stand.subcore->base, "power of two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(three_entries_let_a_warp_issue_in_each_cycle),
        bench_test_all_ways(two_entries_leave_a_bubble),
        bench_test_all_ways(decoding_takes_its_cycles),
        bench_test_all_ways(empty_buffers_are_fetched_for),
        bench_test_all_ways(fetch_unit_is_had_in_turns),
        bench_test_all_ways(taken_branch_empties_the_buffer),
        bench_test_all_ways(branch_not_taken_costs_nothing),
        bench_test_all_ways(other_group_is_fetched_for_anew),
        bench_test_all_ways(fetch_ends_with_the_line),
        bench_test_all_ways(warps_are_fetched_for_in_turn),
        bench_test_all_ways(fetch_follows_the_issued_warp),
        bench_test_all_ways(missing_line_is_waited_for),
        bench_test_all_ways(line_is_there_with_its_last_sector),
        bench_test_all_ways(least_recently_used_line_leaves),
        bench_test_all_ways(stream_hides_the_latency),
        bench_test_all_ways(stream_of_one_line_is_one_line_ahead),
        bench_test_all_ways(stream_begins_anew_elsewhere),
        bench_test_all_ways(stream_skips_what_is_here),
        bench_test_all_ways(lines_under_way_are_limited),
        bench_test_all_ways(instructions_have_the_length_of_the_model),
        bench_test_all_ways(sub_cores_share_an_instruction_cache),
        bench_test_all_ways(impossible_caches_are_refused),
    };
    return cmocka_run_group_tests_name("subcore_front", tests, NULL, NULL);
}
