/* subcore.c - when the warps of a sub-core issue and for which of their threads, how accesses
 * become requests, and that every warp-cycle and every thread of an instruction is counted once. */
#include "unit/subcore_stand.h"

#include "ogive/memory.h"

/* ---- Issuing ---- */

/* Threads end one by one: the call to the host is made for each. */
static void an_instruction_is_for_all_threads(void **state)
{
    const u32 text[] = { READ_CYCLE(5), R(add, 6, 10, 10), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++) {
        assert_int_equal(x_of(&stand, thread, 5), 0);
        assert_int_equal(x_of(&stand, thread, 6), 2 * thread);
        assert_int_equal(x_of(&stand, thread, 7), 2);
    }
    assert_int_equal(stat(&stand, "issued"), 5 + 8);
    assert_int_equal(stat(&stand, "executed"), 6 * 8);
    assert_int_equal(stat(&stand, "split"), 7);
    assert_int_equal(stat(&stand, "cycles"), 13);
}

static void result_can_be_read_after_the_latency(void **state)
{
    const u32 text[] = { R(mul, 6, 10, 10), R(add, 7, 6, 6), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 4);
    stand_table(&stand, "int_mul: 6 cycles");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 3, 7), 18);
    assert_int_equal(x_of(&stand, 3, 8), 7);
    assert_int_equal(stat(&stand, "hazard_int_mul"), 5);
}

static void branch_takes_its_latency(void **state)
{
    const u32 text[] = { B(beq, 0, 0, 2), NOP, READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 4);
    stand_table(&stand, "branch: 5 cycles");
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 8), 5);
    assert_int_equal(stat(&stand, "hazard_branch"), 4);
}

static void pipeline_takes_the_next_after_its_interval(void **state)
{
    const u32 text[] = { R(mul, 6, 10, 10), R(mul, 7, 10, 10), READ_CYCLE(8), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 4);
    bench_set_words(&stand.subcore->base, "interval", "int_mul: 4 cycles");
    stand_go(&stand, TEXT(text));
    /* Products in cycles 0, 4, 8 and 12, warps in turn; in 13 the first warp issues. */
    assert_int_equal(x_of(&stand, 4, 8), 14);
    assert_int_equal(stat(&stand, "busy_int_mul"), 5 * 3);
}

/* In which cycle each of four warps issues its first and its second instruction. */
static void order_check(const char *policy, const u64 first[4], const u64 second[4])
{
    const u32 text[] = { READ_CYCLE(5), READ_CYCLE(6), EXIT_WELL };
    struct stand stand = stand_make(4, 4);
    bench_set_choice(&stand.subcore->base, "policy", policy);
    stand_go(&stand, TEXT(text));
    for (u32 warp = 0; warp < 4; warp++) {
        assert_int_equal(x_of(&stand, 4 * warp, 5), first[warp]);
        assert_int_equal(x_of(&stand, 4 * warp, 6), second[warp]);
    }
    bench_destroy(stand.sim);
}

/* Two reads, two constants, and an exit for each of four threads: eight cycles for a warp. */
static void warps_go_by_policy(void **state)
{
    (void)state;
    order_check("round_robin", (u64[]){ 0, 1, 2, 3 }, (u64[]){ 4, 5, 6, 7 });
    order_check("greedy_oldest", (u64[]){ 8, 16, 24, 0 }, (u64[]){ 9, 17, 25, 1 });
    order_check("greedy_youngest", (u64[]){ 24, 16, 8, 0 }, (u64[]){ 25, 17, 9, 1 });
    order_check("oldest", (u64[]){ 0, 8, 16, 24 }, (u64[]){ 1, 9, 17, 25 });
}

/* ---- Threads that come apart ---- */

static void paths_meet_again(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),            /* odd threads ... */
        B(beq, 5, 0, 3),   SET(6, 7), /* ... go here */
        J(jal, 0, 2),      SET(6, 9), /* even ones there, */
        R(add, 7, 6, 10),             /* and all of them here */
        EXIT_WELL,
    };
    (void)state;
    struct stand stand = stand_make(1, 8);
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++)
        assert_int_equal(x_of(&stand, thread, 7), (thread % 2 ? 7 : 9) + thread);
    /* Two for all, three for half of them, then three for all and eight exits. */
    assert_int_equal(stat(&stand, "issued"), 2 + 3 + 3 + 8);
    assert_int_equal(stat(&stand, "split"), 3 + 7);
}

static void parting_and_meeting_take_time(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(beq, 5, 0, 2), READ_CYCLE(9), /* of odd threads */
        READ_CYCLE(8),                                     /* of all */
        EXIT_WELL,
    };
    (void)state;
    struct stand stand = stand_make(1, 8);
    bench_set(&stand.subcore->base, "regroup", 6);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 1, 9), 2 + 6);
    for (u32 thread = 0; thread < 8; thread++)
        assert_int_equal(x_of(&stand, thread, 8), 9 + 6);
}

/* The cycle in which all threads are behind a branch of even ones over two instructions. */
static u64 cycle_behind_two(u64 predicated, u32 second)
{
    const u32 text[] = {
        I(andi, 5, 10, 1), B(beq, 5, 0, 3), NOP, second, READ_CYCLE(8), EXIT_WELL
    };
    struct stand stand = stand_make(1, 8);
    bench_set(&stand.subcore->base, "regroup", 6);
    bench_set(&stand.subcore->base, "predicated", predicated);
    stand_go(&stand, TEXT(text));
    u64 behind = x_of(&stand, 0, 8);
    for (u32 thread = 1; thread < 8; thread++)
        assert_int_equal(x_of(&stand, thread, 8), behind);
    bench_destroy(stand.sim);
    return behind;
}

static void few_instructions_are_made_conditional(void **state)
{
    (void)state;
    assert_int_equal(cycle_behind_two(2, NOP), 4);
    assert_int_equal(cycle_behind_two(1, NOP), 4 + 6 + 6);
    assert_int_equal(cycle_behind_two(2, J(jal, 0, 1)), 4 + 6 + 6);
}

/* Whoever is in a function goes first, though its pc is greater: all come back together. */
static void calls_are_waited_for(void **state)
{
    const u32 text[] = {
        I(andi, 5, 10, 1),
        B(bne, 5, 0, 2),
        J(jal, 1, 8),     /* even threads call */
        R(add, 7, 6, 10), /* all */
        EXIT_WELL,
        NOP,
        /* the function, at 8 + 2 */
        NOP,
        NOP,
        I(addi, 2, 2, -16),
        SET(6, 5),
        I(addi, 2, 2, 16),
        I(jalr, 0, 1, 0),
    };
    (void)state;
    struct stand stand = stand_make(1, 4);
    stand_go(&stand, TEXT(text));
    assert_int_equal(x_of(&stand, 0, 7), 5);
    assert_int_equal(x_of(&stand, 1, 7), 1);
    assert_int_equal(stat(&stand, "executed"), 4 * 2 + 2 * 5 + 4 * 3 + 4);
}

/* A lock that threads of the same warp take in turn, without any help: the one that has it must get
 * on while the others try. */
static void threads_of_a_warp_take_a_lock_in_turn(void **state)
{
    const u32 text[] = {
        SET(5, 256),           SET(6, 1),       R(amoswap_w, 7, 5, 6), /* until the lock was free */
        B(bne, 7, 0, -1),      I(lw, 8, 5, 64), I(addi, 8, 8, 1),
        S(sw, 8, 5, 64),       FENCE, /* what it guards */
        R(amoswap_w, 0, 5, 0), EXIT_WELL,
    };
    (void)state;
    struct stand stand = stand_make(2, 16);
    join_true_memory(&stand, 9);
    stand_go(&stand, TEXT(text));
    u64 most = 0;
    for (u32 thread = 0; thread < 32; thread++)
        most = max_u64(most, x_of(&stand, thread, 8));
    assert_int_equal(most, 32);
}

/* ---- Memory ---- */

static void neighbours_share_a_sector(void **state)
{
    const u32 text[] = { I(slli, 5, 10, 2), I(lw, 6, 5, 256), R(add, 7, 6, 6), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 16);
    struct server *memory = join_memory(&stand, 5);
    stand_go(&stand, TEXT(text));
    assert_int_equal(memory->count, 2);
    for (u32 i = 0; i < 2; i++) { /* issued in cycle 1, sent one per cycle from the next on */
        assert_int_equal(memory->served[i].taken, 3 + i);
        assert_int_equal(memory->served[i].message.address, 256 + 32 * i);
        assert_int_equal(memory->served[i].message.size_bytes, 32);
        assert_int_equal(memory->served[i].message.kind, MEMORY_READ);
    }
    assert_int_equal(stat(&stand, "accesses"), 1);
    assert_int_equal(stat(&stand, "pieces"), 2);
    /* The last answer, of cycle 4 + 5, arrives in 10; the sum issues then. */
    assert_int_equal(stat(&stand, "hazard_load"), 8);
}

static void stores_of_neighbours_are_one_request(void **state)
{
    const u32 text[] = { I(slli, 5, 10, 3), I(addi, 6, 10, 100), S(sh, 6, 5, 256), SET(6, 0),
                         EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    struct server *memory = join_memory(&stand, 5);
    stand_go(&stand, TEXT(text));
    assert_int_equal(memory->count, 2);
    for (u32 i = 0; i < 8; i++) {
        const struct message *message = &memory->served[i / 4].message;
        assert_int_equal(message->mask, 0x03030303);
        assert_int_equal(message->data.word[i % 4 * 2] & 0xffff, 100 + i);
    }
    /* Sent in cycles 3 and 4; until then the register that they carry may not be written. */
    assert_int_equal(stat(&stand, "hazard_store"), 1);
}

static void private_memory_is_each_threads_own(void **state)
{
    const u32 text[] = { S(sd, 10, 2, -8), SET(5, 0),     I(ld, 5, 2, -8),
                         R(add, 6, 5, 5),  READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(2, 4);
    bench_set(&stand.subcore->base, "stack_latency", 3);
    bench_set_choice(&stand.subcore->base, "policy", "oldest");
    stand_go(&stand, TEXT(text));
    for (u32 thread = 0; thread < 8; thread++)
        assert_int_equal(x_of(&stand, thread, 6), 2 * thread);
    assert_int_equal(x_of(&stand, 0, 7), 6);
    assert_int_equal(stat(&stand, "loads_private"), 8);
    assert_int_equal(stat(&stand, "stores_private"), 8);
}

/* Some access private memory and some do not: they come apart for that instruction. */
static void places_are_accessed_apart(void **state)
{
    const u32 text[] = { SET(5, 256),       I(andi, 6, 10, 1), B(bne, 6, 0, 2),
                         I(addi, 5, 2, -8), S(sw, 10, 5, 0),   NOP,
                         EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    struct server *memory = join_memory(&stand, 5);
    stand_go(&stand, TEXT(text));
    assert_int_equal(memory->count, 1);
    assert_int_equal(memory->served[0].message.data.word[0], 7); /* of the last of the odd ones */
    assert_int_equal(stat(&stand, "stores_private"), 4);
    assert_int_equal(stat(&stand, "issued_store"), 2);
}

static void queue_that_is_full_is_waited_for(void **state)
{
    const u32 text[] = { I(slli, 5, 10, 5), I(lw, 6, 5, 256), I(lw, 7, 5, 512),
                         I(lw, 8, 5, 1024), READ_CYCLE(9),    EXIT_WELL };
    (void)state;
    struct stand stand = stand_make(1, 8);
    bench_set(&stand.subcore->base, "queue", 2);
    join_memory(&stand, 5);
    stand_go(&stand, TEXT(text));
    /* Loads issue in cycles 1 and 2; the first has left the queue with its eighth sector, in cycle
     * 9, when the third issues. */
    assert_int_equal(x_of(&stand, 0, 9), 10);
    assert_int_equal(stat(&stand, "busy_load"), 6);
}

static void odd_widths_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_make(1, 12);
    bench_init_refused(&stand.subcore->base, "power of two");
    bench_destroy(stand.sim);
    stand = stand_make(1, 8);
    bench_set_words(&stand.subcore->base, "interval", "int_mull: 2 cycles");
    bench_init_refused(&stand.subcore->base, "did you mean 'int_mul'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(an_instruction_is_for_all_threads),
        bench_test_all_ways(result_can_be_read_after_the_latency),
        bench_test_all_ways(branch_takes_its_latency),
        bench_test_all_ways(pipeline_takes_the_next_after_its_interval),
        bench_test_all_ways(warps_go_by_policy),
        bench_test_all_ways(paths_meet_again),
        bench_test_all_ways(parting_and_meeting_take_time),
        bench_test_all_ways(few_instructions_are_made_conditional),
        bench_test_all_ways(calls_are_waited_for),
        bench_test_all_ways(threads_of_a_warp_take_a_lock_in_turn),
        bench_test_all_ways(neighbours_share_a_sector),
        bench_test_all_ways(stores_of_neighbours_are_one_request),
        bench_test_all_ways(private_memory_is_each_threads_own),
        bench_test_all_ways(places_are_accessed_apart),
        bench_test_all_ways(queue_that_is_full_is_waited_for),
        bench_test_all_ways(odd_widths_are_refused),
    };
    return cmocka_run_group_tests_name("subcore", tests, NULL, NULL);
}
