/* tester.c - a tester is content with a memory that works, and with no other. */
#include "ogive/memory.h"

#include "unit/bench_unit.h"

extern const struct unit_type unit_type_memory, unit_type_tester;

struct stand {
    struct sim *sim;
    struct domain *domain;
    struct unit *tester;
};

static struct stand stand_create(u64 requests)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    stand.tester = bench_unit(stand.sim, stand.domain, &unit_type_tester, NO_CLOCK);
    bench_set(stand.tester, "requests", requests);
    return stand;
}

static struct mock *stand_add_mock(struct stand *stand, mock_step step)
{
    struct mock *mock = bench_mock(stand->sim, stand->domain, step);
    bench_join(stand->sim, stand->tester, "memory", mock, 1, 16);
    return mock;
}

static struct unit *stand_add_memory(struct stand *stand, cycle latency)
{
    struct unit *memory = bench_unit(stand->sim, stand->domain, &unit_type_memory, NO_CLOCK);
    bench_set(memory, "latency", latency);
    bench_ask(stand->sim, stand->tester, "memory", memory, "users", 1, 16);
    return memory;
}

static enum sim_end stand_finish(struct stand *stand)
{
    bench_init(stand->tester);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    return bench_finish(stand->sim);
}

static void working_memory_gives_no_wrong_answer(void **state)
{
    (void)state;
    struct stand stand = stand_create(5000);
    struct unit *memory = stand_add_memory(&stand, 17);
    bench_init(memory);
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.tester, "asked"), 5000);
    assert_int_equal(bench_stat(stand.tester, "answered"), 5000);
    assert_int_equal(bench_stat(stand.tester, "wrong"), 0);
    u64 reads = bench_stat(memory, "reads"), writes = bench_stat(memory, "writes");
    assert_int_equal(reads + writes, 5000);
    assert_in_range(reads, 2000, 3000); /* half of them */
}

static void latency_is_the_whole_way_there_and_back(void **state)
{
    (void)state;
    struct stand stand = stand_create(100);
    bench_set(stand.tester, "outstanding", 1);
    bench_init(stand_add_memory(&stand, 17));
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.tester, "latency"), 100 * (1 + 17 + 1));
    /* The next request leaves in the cycle in which an answer arrives. */
    assert_int_equal(sim_chip(stand.sim)->ended_at, 100 * (1 + 17 + 1) + 1);
}

/* Memories that do not work: they answer at once, and wrongly. `value` counts reads. */
static cycle answer_all(struct mock *mock, u16 kind_for_read, u64 data)
{
    for (const struct message *request; (request = link_peek(mock->in[0]));) {
        struct message *answer = link_push(mock->out[0]);
        answer->address = request->address;
        answer->tag = request->tag;
        answer->kind = request->kind;
        answer->data.dword[0] = data;
        if (request->kind == MEMORY_READ) {
            answer->kind = kind_for_read;
            mock->value++;
        }
        link_pop(mock->in[0]);
    }
    return NEVER;
}

static cycle step_answer_nonsense(struct mock *mock, cycle now)
{
    (void)now;
    return answer_all(mock, MEMORY_READ, UINT64_C(0x123456789abcdef1));
}

static cycle step_answer_with_zero(struct mock *mock, cycle now)
{
    (void)now;
    return answer_all(mock, MEMORY_READ, 0);
}

static cycle step_answer_faults(struct mock *mock, cycle now)
{
    (void)now;
    return answer_all(mock, MEMORY_FAULT, 0);
}

static void every_wrong_read_is_counted(void **state)
{
    (void)state;
    struct stand stand = stand_create(1000);
    struct mock *memory = stand_add_mock(&stand, step_answer_nonsense);
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_true(memory->value > 0);
    assert_int_equal(bench_stat(stand.tester, "wrong"), memory->value);
}

static void memory_that_forgets_is_found_out(void **state)
{
    (void)state;
    struct stand stand = stand_create(1000);
    bench_set(stand.tester, "span", 64); /* few words: most are written before they are read */
    struct mock *memory = stand_add_mock(&stand, step_answer_with_zero);
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_in_range(bench_stat(stand.tester, "wrong"), memory->value / 2, memory->value);
}

static void faults_are_wrong_answers(void **state)
{
    (void)state;
    struct stand stand = stand_create(200);
    bench_set_real(stand.tester, "writes", 0.0);
    stand_add_mock(&stand, step_answer_faults);
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.tester, "wrong"), 200);
}

static void share_of_writes_is_kept(void **state)
{
    (void)state;
    for (u32 writes = 0; writes < 2; writes++) {
        struct stand stand = stand_create(300);
        struct unit *memory = stand_add_memory(&stand, 3);
        bench_set_real(stand.tester, "writes", writes);
        bench_init(memory);
        assert_int_equal(stand_finish(&stand), SIM_FINISHED);
        assert_int_equal(bench_stat(memory, "writes"), writes * 300);
        bench_destroy(stand.sim);
    }
}

static cycle step_note_requests(struct mock *mock, cycle now)
{
    for (const struct message *request; (request = link_peek(mock->in[0]));) {
        mock_note(mock, now, request->address);
        link_pop(mock->in[0]);
    }
    return NEVER;
}

static void no_more_requests_than_allowed_are_under_way(void **state)
{
    (void)state;
    struct stand stand = stand_create(100);
    bench_set(stand.tester, "outstanding", 5);
    struct mock *memory = stand_add_mock(&stand, step_note_requests);
    assert_int_equal(stand_finish(&stand), SIM_DEADLOCK);
    assert_int_equal(memory->noted, 5);
    assert_int_equal(bench_stat(stand.tester, "asked"), 5);
    for (u32 i = 0; i < 5; i++) /* one per cycle */
        assert_int_equal(memory->notes[i].at, 1 + i);
}

static void word_under_way_is_not_asked_for_again(void **state)
{
    (void)state;
    struct stand stand = stand_create(100);
    bench_set(stand.tester, "outstanding", 64);
    bench_set(stand.tester, "span", 8); /* one word */
    struct mock *memory = stand_add_mock(&stand, step_note_requests);
    assert_int_equal(stand_finish(&stand), SIM_DEADLOCK);
    assert_int_equal(memory->noted, 1);
}

static void each_copy_uses_words_of_its_own(void **state)
{
    (void)state;
    struct stand stand = stand_create(400);
    bench_set(stand.tester, "outstanding", 400);
    bench_set(stand.tester, "span", 1 * MiB);
    stand.tester->ordinal = 3;
    struct mock *memory = stand_add_mock(&stand, step_note_requests);
    stand_finish(&stand);
    assert_true(memory->noted > 100);
    for (u32 i = 0; i < memory->noted; i++)
        assert_in_range(memory->notes[i].what, 3 * MiB, 4 * MiB - 8);
}

static void several_memories_are_used_by_address(void **state)
{
    (void)state;
    struct stand stand = stand_create(2000);
    struct unit *memories[2];
    struct route route = { .interleave = 256, .ways = 2 };
    for (u32 i = 0; i < 2; i++) {
        memories[i] = stand_add_memory(&stand, 9 + i);
        bench_ports(memories[i], "users")->route = route;
        bench_set(memories[i], "size", 2 * KiB); /* half of the tester's span each */
        bench_init(memories[i]);
    }
    bench_ports(stand.tester, "memory")->route = route;
    assert_int_equal(stand_finish(&stand), SIM_FINISHED);
    assert_int_equal(bench_stat(stand.tester, "wrong"), 0);
    for (u32 i = 0; i < 2; i++)
        assert_true(bench_stat(memories[i], "reads") > 400);
}

static void several_memories_without_a_route_are_refused(void **state)
{
    (void)state;
    struct stand stand = stand_create(1);
    stand_add_memory(&stand, 1);
    stand_add_memory(&stand, 1);
    bench_init_refused(stand.tester, "has 2 memories, but its links do not say which address");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(working_memory_gives_no_wrong_answer),
        bench_test_all_ways(latency_is_the_whole_way_there_and_back),
        bench_test_all_ways(every_wrong_read_is_counted),
        bench_test_all_ways(memory_that_forgets_is_found_out),
        bench_test_all_ways(faults_are_wrong_answers),
        bench_test_all_ways(share_of_writes_is_kept),
        bench_test_all_ways(no_more_requests_than_allowed_are_under_way),
        bench_test_all_ways(word_under_way_is_not_asked_for_again),
        bench_test_all_ways(each_copy_uses_words_of_its_own),
        bench_test_all_ways(several_memories_are_used_by_address),
        bench_test_all_ways(several_memories_without_a_route_are_refused),
    };
    return cmocka_run_group_tests_name("tester", tests, NULL, NULL);
}
