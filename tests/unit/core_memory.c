/* core_memory.c - loads, stores, atomics, fences, private memory and text that comes from memory.
 */
#include "ogive/memory.h"

#include <string.h>

#include "unit/bench_core.h"

extern const struct unit_type unit_type_memory;

#define THERE_AND_BACK 2

static struct server *join_memory(struct core_stand *stand, cycle latency)
{
    struct server *memory = bench_server(stand->sim, stand->domain, 0, latency);
    bench_core_ask(stand->sim, stand->core, "memory", memory->mock, 1, 8);
    bench_core_execute(stand->core, "load: memory");
    return memory;
}

/* ---- Messages ---- */

static void store_says_what_and_where(void **state)
{
    const u32 text[] = { SET(5, -2), SET(6, 256), S(sh, 5, 6, 6), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 5);
    stand_run(&stand, TEXT(text));
    const struct message *message = &memory->served[0].message;
    assert_int_equal(memory->count, 1);
    assert_int_equal(memory->served[0].taken, 3);
    assert_int_equal(message->kind, MEMORY_WRITE);
    assert_int_equal(message->address, 262);
    assert_int_equal(message->size_bytes, 2);
    assert_int_equal(message->mask, 3);
    assert_int_equal(message->data.dword[0] & 0xffff, 0xfffe);
}

static void source_is_the_number_of_the_hardware_thread(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(4);
    stand.core->base.ordinal = 3;
    struct server *memory = join_memory(&stand, 5);
    stand_run(&stand, TEXT(text));
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(memory->served[i].message.source, 3 * 4 + i);
}

/* ---- Clocks ---- */

/* On a clock of its own a core loads twice and adds what comes, both answers in the same cycle of
 * the chip. The core's own cycle in which all that was done. */
static u64 both_loaded_at(struct clock_ratio clock, cycle first, cycle second)
{
    const u32 text[] = { I(ld, 5, 0, 0), I(ld, 6, 0, 32), R(add, 7, 5, 6), READ_CYCLE(8),
                         EXIT_WELL };
    struct core_stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    stand.core = (struct core *)bench_unit(stand.sim, stand.domain, &unit_type_core, clock);
    bench_set(&stand.core->base, "threads", 1);
    struct server *memory = join_memory(&stand, 0);
    memory->delays[0] = first;
    memory->delays[1] = second;
    stand_load(&stand, TEXT(text));
    assert_int_equal(bench_finish(stand.sim), SIM_FINISHED);
    assert_int_equal(memory->served[0].answered, 10);
    assert_int_equal(memory->served[1].answered, 10);
    u64 done = bench_x(stand.core, 0, 8);
    bench_destroy(stand.sim);
    return done;
}

/* The answers are there in cycle 11 of the chip. One is taken in the first own cycle from then on,
 * which is 4 (chip 12) or 33 (chip 11), the other in the first one of a later cycle of the chip. */
static void core_on_a_clock_of_its_own_takes_one_answer_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(both_loaded_at((struct clock_ratio){ 1, 3 }, 9, 6), 6);
    assert_int_equal(both_loaded_at((struct clock_ratio){ 3, 1 }, 9, 8), 37);
}

/* ---- Reservations ---- */

static void answer_stamp(struct message *answer, u32 index)
{
    answer->data.dword[1] = 70 + index;
}

/* Without a look at its result: the stamp that the store must bring is not there before. */
static void store_conditional_waits_for_the_stamp(void **state)
{
    const u32 text[] = { I(lr_d, 0, 0, 0), R(sc_d, 7, 0, 5), FENCE, EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 20);
    memory->change = answer_stamp;
    stand_run(&stand, TEXT(text));
    assert_int_equal(memory->served[0].taken, 1);
    assert_int_equal(memory->served[1].taken, 1 + 20 + 1 + 1);
    assert_int_equal(memory->served[1].message.amo, AMO_SC);
    assert_int_equal(memory->served[1].message.data.dword[1], 70);
    /* For the stamp; then the fence for the store, and for the cache. */
    assert_int_equal(bench_core_stat(stand.core, "fence"), 3 * 21);
}

/* The last load-reserved counts, at its address, for one store-conditional. */
static void thread_has_one_reservation(void **state)
{
    const u32 text[] = { SET(5, 64),      SET(6, 128),      I(lr_d, 8, 5, 0), I(lr_d, 9, 6, 0),
                         R(add, 0, 8, 9), R(sc_d, 7, 5, 8), R(sc_d, 7, 6, 8), I(lr_d, 9, 6, 0),
                         R(add, 0, 9, 9), R(sc_d, 7, 6, 8), R(sc_d, 7, 6, 8), FENCE,
                         EXIT_WELL };
    static const u64 stamps[] = { 0, 0, 0, 0, 0, 74, 0 };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 5);
    memory->change = answer_stamp;
    stand_run(&stand, TEXT(text));
    assert_int_equal(memory->count, 7 + 1); /* with the fence */
    for (u32 i = 0; i < 7; i++)
        if (memory->served[i].message.amo == AMO_SC)
            assert_int_equal(memory->served[i].message.data.dword[1], stamps[i]);
}

static void answer_all_ones(struct message *answer, u32 index)
{
    (void)index;
    memset(&answer->data, 0xff, sizeof answer->data);
}

static void load_is_extended_as_the_instruction_says(void **state)
{
    const u32 text[] = { I(lw, 5, 0, 4),  I(lwu, 6, 0, 4), I(lb, 7, 0, 1), I(lbu, 8, 0, 1),
                         I(lhu, 9, 0, 2), FENCE,           EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 5);
    memory->change = answer_all_ones;
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), UINT64_MAX);
    assert_int_equal(bench_x(stand.core, 0, 6), UINT32_MAX);
    assert_int_equal(bench_x(stand.core, 0, 7), UINT64_MAX);
    assert_int_equal(bench_x(stand.core, 0, 8), 0xff);
    assert_int_equal(bench_x(stand.core, 0, 9), 0xffff);
    assert_int_equal(memory->served[2].message.kind, MEMORY_READ);
    assert_int_equal(memory->served[2].message.size_bytes, 1);
    assert_int_equal(memory->served[2].message.missed, 0);
}

static void loads_stores_and_atomics_may_go_to_different_units(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 0), S(sd, 0, 0, 8), R(amoadd_d, 7, 0, 0), EXIT_WELL };
    static const char *const names[] = { "loads", "stores", "atomics" };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *servers[3];
    for (u32 i = 0; i < 3; i++) {
        servers[i] = bench_server(stand.sim, stand.domain, i, 5);
        bench_core_ask(stand.sim, stand.core, names[i], servers[i]->mock, 1, 8);
    }
    bench_core_execute(stand.core, "load: loads, store: stores, atomic: atomics");
    stand_run(&stand, TEXT(text));
    assert_int_equal(servers[0]->served[0].message.kind, MEMORY_READ);
    assert_int_equal(servers[1]->served[0].message.kind, MEMORY_WRITE);
    assert_int_equal(servers[2]->served[0].message.kind, MEMORY_AMO);
    assert_int_equal(servers[2]->served[0].message.amo, AMO_ADD);
}

static void access_may_be_misaligned_within_a_sector(void **state)
{
    const u32 text[] = { I(ld, 5, 0, 24 - 1), I(lw, 6, 0, 32 - 4), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 5);
    stand_run(&stand, TEXT(text));
    assert_int_equal(memory->served[0].message.address, 23);
    assert_int_equal(memory->served[0].message.size_bytes, 8);
    assert_int_equal(memory->count, 2);
}

static void scratch_window_goes_to_the_scratchpad(void **state)
{
    const u32 text[] = { SET(5, 0x7e), I(slli, 5, 5, 40), I(ld, 6, 5, 16), I(ld, 7, 0, 16),
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 5);
    struct server *pad = bench_server(stand.sim, stand.domain, 1, 5);
    bench_core_ask(stand.sim, stand.core, "pad", pad->mock, 1, 8);
    bench_core_execute(stand.core, "load: memory, scratch: pad");
    stand_run(&stand, TEXT(text));
    assert_int_equal(memory->count, 1);
    assert_int_equal(pad->count, 1);
    assert_int_equal(pad->served[0].message.address, 16);
}

/* ---- Fences ---- */

static void fence_waits_for_stores(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), S(sd, 5, 0, 8), FENCE, READ_CYCLE(5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *memory = join_memory(&stand, 30);
    stand_run(&stand, TEXT(text));
    /* The second store is answered in 33. The fence then goes to the memory itself. */
    assert_int_equal(memory->served[2].message.kind, MEMORY_FENCE);
    assert_int_equal(memory->served[2].taken, 34);
    assert_int_equal(bench_x(stand.core, 0, 5), 33 + THERE_AND_BACK + 30);
    assert_int_equal(bench_core_stat(stand.core, "fence"), (33 - 2) + (65 - 34));
    assert_int_equal(bench_core_stat(stand.core, "issued_fence"), 1);
}

static void fence_of_one_thread_does_not_stop_another(void **state)
{
    const u32 text[] = { S(sd, 5, 0, 0), FENCE,    READ_CYCLE(5), EXIT_WELL, NOP,
                         READ_CYCLE(5),  EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    join_memory(&stand, 30);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 6);
    stand_finish(&stand, SIM_FINISHED);
    assert_int_equal(bench_x(stand.core, 0, 5), 64);
    assert_int_equal(bench_x(stand.core, 1, 5), 2);
}

static void fence_without_a_memory_takes_one_cycle(void **state)
{
    const u32 text[] = { FENCE, READ_CYCLE(5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 5), 1);
}

/* ---- Private memory ---- */

static void private_load_takes_the_stack_latency(void **state)
{
    const u32 text[] = { SET(5, 77),      S(sd, 5, 2, -8), I(ld, 6, 2, -8),
                         R(add, 7, 6, 6), READ_CYCLE(8),   EXIT_WELL };
    static const u64 latencies[] = { 1, 2, 64 };
    (void)state;
    for (u32 i = 0; i < LENGTH(latencies); i++) {
        struct core_stand stand = stand_core(1);
        bench_set(&stand.core->base, "stack_latency", latencies[i]);
        stand_run(&stand, TEXT(text));
        assert_int_equal(bench_x(stand.core, 0, 7), 154);
        assert_int_equal(bench_x(stand.core, 0, 8), 2 + latencies[i] + 1);
        assert_int_equal(bench_core_stat(stand.core, "hazard_load"), latencies[i] - 1);
        assert_int_equal(bench_core_stat(stand.core, "loads_private"), 1);
        assert_int_equal(bench_core_stat(stand.core, "stores_private"), 1);
        bench_destroy(stand.sim);
    }
}

/* Of every size, aligned or not. */
static void private_memory_is_bytes(void **state)
{
    const u32 text[] = { SET(5, -2),        S(sd, 0, 2, -8),  S(sb, 5, 2, -8),   S(sh, 5, 2, -5),
                         I(ld, 6, 2, -8),   I(lb, 7, 2, -8),  I(lhu, 8, 2, -5),  I(lw, 9, 2, -8),
                         I(lwu, 18, 2, -7), S(sw, 5, 2, -12), I(ld, 19, 2, -12), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 6), 0xfffe0000fe);
    assert_int_equal(bench_x(stand.core, 0, 7), -2);
    assert_int_equal(bench_x(stand.core, 0, 8), 0xfffe);
    assert_int_equal(bench_x(stand.core, 0, 9), 0xfffffffffe0000fe);
    assert_int_equal(bench_x(stand.core, 0, 18), 0xfffe0000);
    assert_int_equal(bench_x(stand.core, 0, 19), 0xfe0000fefffffffe);
    assert_int_equal(bench_core_stat(stand.core, "loads_private"), 6);
    assert_int_equal(bench_core_stat(stand.core, "stores_private"), 4);
}

static void threads_have_stacks_of_their_own(void **state)
{
    const u32 text[] = { S(sd, 10, 2, -8), NOP, NOP, I(ld, 6, 2, -8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(16);
    stand_run(&stand, TEXT(text));
    for (u32 i = 0; i < 16; i++)
        assert_int_equal(bench_x(stand.core, i, 6), i);
}

static void private_atomic_works_in_place(void **state)
{
    const u32 text[] = { SET(5, 40),           S(sd, 5, 2, -8), I(addi, 6, 2, -8),
                         R(amoadd_d, 7, 6, 5), I(ld, 8, 2, -8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 40);
    assert_int_equal(bench_x(stand.core, 0, 8), 80);
}

static void private_store_conditional_needs_its_reservation(void **state)
{
    const u32 text[] = { SET(5, 40),       I(addi, 6, 2, -8), R(sc_d, 7, 6, 5), I(lr_d, 8, 6, 0),
                         R(sc_d, 9, 6, 5), R(sc_d, 11, 6, 5), I(ld, 12, 2, -8), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 1);
    assert_int_equal(bench_x(stand.core, 0, 9), 0);
    assert_int_equal(bench_x(stand.core, 0, 11), 1);
    assert_int_equal(bench_x(stand.core, 0, 12), 40);
}

/* ---- Atomics ---- */

static struct unit *join_real_memory(struct core_stand *stand, cycle latency)
{
    struct unit *memory = bench_unit(stand->sim, stand->domain, &unit_type_memory, NO_CLOCK);
    bench_set(memory, "latency", latency);
    bench_core_ask_unit(stand->sim, stand->core, "memory", memory, "users", 1, 4);
    bench_core_execute(stand->core, "load: memory");
    bench_init(memory);
    return memory;
}

static void atomic_gives_the_old_value_and_leaves_the_new(void **state)
{
    const u32 text[] = { SET(5, 64),
                         SET(6, 5),
                         R(amoadd_d, 7, 5, 6),
                         R(amoadd_d, 8, 5, 6),
                         R(amoswap_w, 9, 5, 0),
                         I(ld, 11, 5, 0),
                         READ_CYCLE(12),
                         FENCE,
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct unit *memory = join_real_memory(&stand, 20);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 0);
    assert_int_equal(bench_x(stand.core, 0, 8), 5);
    assert_int_equal(bench_x(stand.core, 0, 9), 10);
    assert_int_equal(bench_x(stand.core, 0, 11), 0);
    assert_int_equal(bench_x(stand.core, 0, 12), 6); /* none waits for another */
    assert_int_equal(bench_stat(memory, "atomics"), 3);
}

static void atomics_of_all_threads_add_up(void **state)
{
    const u32 text[] = { SET(5, 64),        SET(6, 1),        SET(9, 10), R(amoadd_w, 7, 5, 6),
                         I(addi, 9, 9, -1), B(bne, 9, 0, -2), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(16);
    struct unit *memory = join_real_memory(&stand, 7);
    stand_run(&stand, TEXT(text));
    u64 length;
    u32 sum;
    memcpy(&sum, unit_type_memory.stored(memory, 64, &length), sizeof sum);
    assert_int_equal(sum, 160);
}

static void store_conditional_succeeds_after_load_reserved(void **state)
{
    const u32 text[] = { SET(5, 64),       SET(6, 9),         R(sc_d, 7, 5, 6), I(lr_d, 8, 5, 0),
                         R(sc_d, 9, 5, 6), R(sc_d, 11, 5, 0), I(ld, 12, 5, 0),  FENCE,
                         EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    join_real_memory(&stand, 20);
    stand_run(&stand, TEXT(text));
    assert_int_equal(bench_x(stand.core, 0, 7), 1);
    assert_int_equal(bench_x(stand.core, 0, 8), 0);
    assert_int_equal(bench_x(stand.core, 0, 9), 0);
    assert_int_equal(bench_x(stand.core, 0, 11), 1);
    assert_int_equal(bench_x(stand.core, 0, 12), 9);
}

static void store_of_another_thread_takes_the_reservation_away(void **state)
{
    const u32 text[] = { SET(5, 64), I(lr_w, 8, 5, 0), R(add, 9, 8, 0), NOP, NOP, NOP, NOP, NOP,
                         R(sc_w, 7, 5, 5), FENCE, EXIT_WELL,
                         /* 13: thread 1, whose store arrives in between */
                         SET(5, 68), NOP, NOP, NOP, S(sw, 5, 5, 0), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    join_real_memory(&stand, 5);
    stand_load(&stand, TEXT(text));
    stand_enter_at(&stand, 1, 13);
    stand_finish(&stand, SIM_FINISHED);
    assert_int_equal(bench_x(stand.core, 0, 7), 1);
}

static void counter_with_store_conditional_loses_nothing(void **state)
{
    const u32 text[] = { SET(5, 64),        SET(9, 4),        I(lr_w, 6, 5, 0),
                         I(addi, 6, 6, 1),  R(sc_w, 7, 5, 6), B(bne, 7, 0, -3),
                         I(addi, 9, 9, -1), B(bne, 9, 0, -5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(16);
    struct unit *memory = join_real_memory(&stand, 7);
    stand_run(&stand, TEXT(text));
    u64 length;
    u32 sum;
    memcpy(&sum, unit_type_memory.stored(memory, 64, &length), sizeof sum);
    assert_int_equal(sum, 64);
}

/* ---- Text from memory ---- */

static struct server *join_text(struct core_stand *stand, cycle latency, u32 capacity)
{
    struct server *text = bench_server(stand->sim, stand->domain, 0, latency);
    bench_core_ask(stand->sim, stand->core, "icache", text->mock, 1, capacity);
    bench_core_execute(stand->core, "fetch: icache");
    return text;
}

static void text_is_fetched_by_the_sector(void **state)
{
    const u32 text[] = { READ_CYCLE(5), NOP, NOP,           NOP,           NOP,
                         NOP,           NOP, READ_CYCLE(6), READ_CYCLE(7), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *icache = join_text(&stand, 10, 8);
    stand_run(&stand, TEXT(text));
    cycle wait = THERE_AND_BACK + 10;
    assert_int_equal(bench_x(stand.core, 0, 5), wait);
    assert_int_equal(bench_x(stand.core, 0, 6), wait + 7);
    assert_int_equal(bench_x(stand.core, 0, 7), wait + 8 + wait);
    assert_int_equal(bench_core_stat(stand.core, "fetch"), 2 * wait);
    assert_int_equal(icache->count, 2);
    assert_int_equal(icache->served[0].message.kind, MEMORY_READ);
    assert_int_equal(icache->served[0].message.address, TEXT_BASE);
    assert_int_equal(icache->served[0].message.size_bytes, 32);
    assert_int_equal(icache->served[0].message.missed, 0);
    assert_int_equal(icache->served[1].message.address, TEXT_BASE + 32);
}

static void loop_within_a_sector_is_fetched_once(void **state)
{
    const u32 text[] = { SET(5, 20), I(addi, 5, 5, -1), B(bne, 5, 0, -1), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(1);
    struct server *icache = join_text(&stand, 10, 8);
    stand_run(&stand, TEXT(text));
    assert_int_equal(icache->count, 1);
    assert_int_equal(bench_core_stat(stand.core, "fetch"), THERE_AND_BACK + 10);
}

static void each_thread_fetches_for_itself(void **state)
{
    const u32 text[] = { READ_CYCLE(5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(4);
    struct server *icache = join_text(&stand, 10, 8);
    stand_run(&stand, TEXT(text));
    assert_int_equal(icache->count, 4);
    /* All ask in cycle 0: a request for text takes no issue slot. The icache takes one per cycle.
     */
    assert_int_equal(bench_x(stand.core, 0, 5), 12);
    assert_int_equal(icache->served[3].taken, 4);
}

static void waiting_to_ask_for_text_is_fetch(void **state)
{
    const u32 text[] = { READ_CYCLE(5), EXIT_WELL };
    (void)state;
    struct core_stand stand = stand_core(2);
    struct server *icache = join_text(&stand, 10, 1);
    stand_run(&stand, TEXT(text));
    /* The second request leaves in 2, when the first was taken. */
    assert_int_equal(icache->served[1].taken, 3);
    assert_int_equal(bench_core_stat(stand.core, "busy"), 0);
    assert_int_equal(bench_core_stat(stand.core, "fetch"), 12 + 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(store_conditional_waits_for_the_stamp),
        bench_test_all_ways(thread_has_one_reservation),
        bench_test_all_ways(store_says_what_and_where),
        bench_test_all_ways(source_is_the_number_of_the_hardware_thread),
        bench_test_all_ways(load_is_extended_as_the_instruction_says),
        bench_test_all_ways(core_on_a_clock_of_its_own_takes_one_answer_after_the_other),
        bench_test_all_ways(loads_stores_and_atomics_may_go_to_different_units),
        bench_test_all_ways(access_may_be_misaligned_within_a_sector),
        bench_test_all_ways(scratch_window_goes_to_the_scratchpad),
        bench_test_all_ways(fence_waits_for_stores),
        bench_test_all_ways(fence_of_one_thread_does_not_stop_another),
        bench_test_all_ways(fence_without_a_memory_takes_one_cycle),
        bench_test_all_ways(private_load_takes_the_stack_latency),
        bench_test_all_ways(private_memory_is_bytes),
        bench_test_all_ways(threads_have_stacks_of_their_own),
        bench_test_all_ways(private_atomic_works_in_place),
        bench_test_all_ways(private_store_conditional_needs_its_reservation),
        bench_test_all_ways(atomic_gives_the_old_value_and_leaves_the_new),
        bench_test_all_ways(atomics_of_all_threads_add_up),
        bench_test_all_ways(store_conditional_succeeds_after_load_reserved),
        bench_test_all_ways(store_of_another_thread_takes_the_reservation_away),
        bench_test_all_ways(counter_with_store_conditional_loses_nothing),
        bench_test_all_ways(text_is_fetched_by_the_sector),
        bench_test_all_ways(loop_within_a_sector_is_fetched_once),
        bench_test_all_ways(each_thread_fetches_for_itself),
        bench_test_all_ways(waiting_to_ask_for_text_is_fetch),
    };
    return cmocka_run_group_tests_name("core_memory", tests, NULL, NULL);
}
