/* fairness.c - whoever waits for what others use as well gets it after a bounded number of others.
 *
 * A crowd of users sends requests to a unit as fast as it takes them, for thousands of cycles. Each
 * has a rule of its own for what it asks for; mostly all hammer one side of the unit, and one asks
 * for something on the other. What is checked is the longest time that any request took. The bounds
 * follow from counting: so many others may go first, each of which takes so many cycles. */
#include <string.h>

#include "dram/channel.h"
#include "ogive/isa.h"
#include "ogive/memory.h"
#include "unit/bench_unit.h"
#include "unit/lsu.h"
#include "unit/shipped_customs.h"

extern const struct unit_type unit_type_barrier, unit_type_cache, unit_type_crossbar,
    unit_type_dram, unit_type_grid, unit_type_lsu, unit_type_memory, unit_type_rtcore,
    unit_type_scratchpad, unit_type_sfu, unit_type_threads;

#define USERS_MAX   16
#define OUTSTANDING 64
#define BEHIND_MAX  4
#define INSIDE_MAX  1024
#define CROWD_LASTS 20000

/* ---- Users ---- */

/* Fills in the n-th request of a user. */
typedef void ask_function(struct message *request, u32 user, u64 n);

struct asker {
    ask_function *ask;
    u64 most;       /* requests under way */
    cycle interval; /* between the answers that it takes, from each link */
    u64 asked, answered;
    cycle took_at;
    cycle longest; /* from sending to answer */
    bool used[OUTSTANDING];
    cycle sent[OUTSTANDING];
};

static struct asker askers[USERS_MAX];

static void asker_take(struct asker *asker, struct mock *mock, cycle now)
{
    const struct message *answer;
    while (now >= asker->took_at && (answer = link_peek(mock->in[0]))) {
        cycle waited = now - asker->sent[answer->tag];
        asker->longest = max_u64(asker->longest, waited);
        asker->used[answer->tag] = false;
        asker->answered++;
        asker->took_at = now + asker->interval;
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
}

static void asker_send(struct asker *asker, struct mock *mock, cycle now)
{
    while (asker->asked - asker->answered < asker->most && link_can_push(mock->out[0])) {
        u32 tag = 0;
        while (asker->used[tag])
            tag++;
        struct message *request = link_push(mock->out[0]);
        *request = (struct message){ .kind = MEMORY_READ, .size_bytes = 8 };
        asker->ask(request, (u32)mock->value, asker->asked++);
        request->tag = tag;
        request->source = (u32)mock->value;
        asker->used[tag] = true;
        asker->sent[tag] = now;
        unit_hold(&mock->base, 1);
    }
}

static cycle step_ask(struct mock *mock, cycle now)
{
    struct asker *asker = &askers[mock->value];
    asker_take(asker, mock, now);
    if (now < CROWD_LASTS)
        asker_send(asker, mock, now);
    return now < CROWD_LASTS || asker->answered < asker->asked ? now + 1 : NEVER;
}

/* ---- What is behind the unit ---- */

struct server {
    cycle latency, interval;
    cycle took_at;
    struct slot inside[INSIDE_MAX];
    u64 head, tail;
};

static struct server servers[BEHIND_MAX];

static cycle step_serve(struct mock *mock, cycle now)
{
    struct server *server = &servers[mock->value];
    const struct message *request = now >= server->took_at ? link_peek(mock->in[0]) : NULL;
    if (request && server->tail - server->head < INSIDE_MAX) {
        server->inside[server->tail++ % INSIDE_MAX] =
            (struct slot){ now + server->latency, *request };
        server->took_at = now + server->interval;
        link_pop(mock->in[0]);
        unit_hold(&mock->base, 1);
    }
    const struct slot *oldest = &server->inside[server->head % INSIDE_MAX];
    if (server->head != server->tail && oldest->at <= now && link_can_push(mock->out[0])) {
        *link_push(mock->out[0]) = oldest->message;
        server->head++;
        unit_release(&mock->base, 1);
    }
    return server->head != server->tail || link_peek(mock->in[0]) ? now + 1 : NEVER;
}

/* ---- A crowd around a unit ---- */

struct crowd {
    struct sim *sim;
    struct domain *domain;
    struct unit *unit;
    u32 users, servers;
};

static struct crowd crowd_create(const struct unit_type *type)
{
    struct crowd crowd = { .sim = bench_create() };
    memset(askers, 0, sizeof askers);
    memset(servers, 0, sizeof servers);
    crowd.domain = bench_domain(crowd.sim);
    crowd.unit = bench_unit(crowd.sim, crowd.domain, type, NO_CLOCK);
    return crowd;
}

static struct asker *crowd_ask(struct crowd *crowd, ask_function *ask, u64 most)
{
    struct mock *mock = bench_mock(crowd->sim, crowd->domain, step_ask);
    struct asker *asker = &askers[crowd->users];
    asker->ask = ask;
    asker->most = most;
    mock->value = crowd->users++;
    bench_join(crowd->sim, crowd->unit, "users", mock, 1, 2);
    return asker;
}

static void crowd_serve(struct crowd *crowd, const char *port, cycle latency, cycle interval)
{
    struct mock *mock = bench_mock(crowd->sim, crowd->domain, step_serve);
    servers[crowd->servers] = (struct server){ .latency = latency, .interval = interval };
    mock->value = crowd->servers++;
    struct ports *ports = bench_ports(crowd->unit, port);
    struct port *place = &ports->at[ports->count++];
    place->out = sim_add_link(crowd->sim, crowd->unit, &mock->base, 1, 2);
    place->in = sim_add_link(crowd->sim, &mock->base, crowd->unit, 1, 2);
    ports_watch(ports, ports->count - 1);
    mock->in[mock->in_count++] = place->out;
    mock->out[mock->out_count++] = place->in;
}

/* Runs until the crowd is gone; nobody may have waited longer than that. */
static void crowd_expect(struct crowd *crowd, cycle bound)
{
    bench_init(crowd->unit);
    bench_seal(crowd->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(crowd->sim), SIM_FINISHED);
    for (u32 i = 0; i < crowd->users; i++) {
        bool fair = askers[i].answered >= CROWD_LASTS / bound && askers[i].longest <= bound;
        if (!fair)
            fail_msg("user %u of %u: %llu answers, longest wait %llu cycles of at most %llu", i,
                     crowd->users, (unsigned long long)askers[i].answered,
                     (unsigned long long)askers[i].longest, (unsigned long long)bound);
    }
    bench_destroy(crowd->sim);
}

/* ---- Caches ---- */

static void ask_atomic(struct message *request, u64 address)
{
    request->kind = MEMORY_AMO;
    request->amo = AMO_ADD;
    request->address = address;
}

/* Lines of 128 bytes go to the banks in turn; users 0 to 6 poll words of bank 0. */
static void poll_bank_0(struct message *request, u32 user, u64 n)
{
    (void)n;
    ask_atomic(request, user * 4096);
}

static void poll_bank_1(struct message *request, u32 user, u64 n)
{
    (void)user, (void)n;
    ask_atomic(request, 128);
}

static struct crowd cache_crowd(u64 banks, u64 depth, cycle below)
{
    struct crowd crowd = crowd_create(&unit_type_cache);
    bench_set(crowd.unit, "banks", banks);
    bench_set(crowd.unit, "depth", depth);
    crowd_serve(&crowd, "next", 20, below);
    return crowd;
}

/* All share the queue below, which moves one request in two cycles. A request waits for a turn of
 * the users of its bank, each of which waits for those of the other, and for the queue. */
static void bank_beside_a_polled_one_gets_through(void **state)
{
    (void)state;
    struct crowd crowd = cache_crowd(4, 4, 2);
    for (u32 i = 0; i < 7; i++)
        crowd_ask(&crowd, poll_bank_0, 4);
    crowd_ask(&crowd, poll_bank_1, 1);
    crowd_expect(&crowd, 7 * (4 + 2) * 2 * 2 + 40);
}

static void write_to_a_bank(struct message *request, u32 user, u64 n)
{
    request->kind = MEMORY_WRITE;
    request->mask = 0xff;
    request->address = user % 3 * 128 + n % 16 * 512;
}

/* An atomic that passes the cache takes two places below, stores take one each: as they come free.
 */
static void request_for_two_places_is_not_passed_by_requests_for_one(void **state)
{
    (void)state;
    struct crowd crowd = cache_crowd(4, 2, 2);
    for (u32 i = 0; i < 6; i++)
        crowd_ask(&crowd, write_to_a_bank, 4);
    crowd_ask(&crowd, poll_bank_1, 1);
    crowd_expect(&crowd, 9 * 4 * 2 * 2 + 40);
}

static void read_afresh(struct message *request, u32 user, u64 n)
{
    request->address = user % 4 * 128 + (user + 8 * n) * 512;
}

/* One register, and so one miss at a time for four banks: 24 cycles each. */
static void miss_gets_a_register(void **state)
{
    (void)state;
    struct crowd crowd = cache_crowd(4, 16, 1);
    bench_set(crowd.unit, "mshrs", 1);
    for (u32 i = 0; i < 7; i++)
        crowd_ask(&crowd, read_afresh, 4);
    crowd_expect(&crowd, 7 * 4 * 27);
}

static void write_to_slice_0(struct message *request, u32 user, u64 n)
{
    request->kind = MEMORY_WRITE;
    request->mask = 0xff;
    request->address = user * 8192 + n % 16 * 256;
}

static void write_to_slice_1(struct message *request, u32 user, u64 n)
{
    write_to_slice_0(request, user, n);
    request->address += 128;
}

/* Two slices share one way to below, which takes a request in three cycles. */
static void slice_beside_a_busy_one_gets_through(void **state)
{
    (void)state;
    struct crowd crowd = cache_crowd(1, 4, 3);
    bench_set(crowd.unit, "slices", 2);
    for (u32 i = 0; i < 4; i++)
        crowd_ask(&crowd, write_to_slice_0, 4);
    crowd_ask(&crowd, write_to_slice_1, 1);
    crowd_expect(&crowd, 4 * (4 + 4) * 3 * 2 + 40);
}

/* One in 16 goes to bank 1, the others hit in bank 0. */
static void read_mostly_bank_0(struct message *request, u32 user, u64 n)
{
    (void)user;
    request->address = n % 16 ? 0 : 128;
}

/* Two banks answer the same user, who takes an answer in three cycles. */
static void answer_of_a_bank_is_not_passed_for_ever(void **state)
{
    (void)state;
    struct crowd crowd = cache_crowd(2, 16, 1);
    struct asker *asker = crowd_ask(&crowd, read_mostly_bank_0, 48);
    asker->interval = 3;
    crowd_expect(&crowd, 48 * 3 * 2 + 40);
}

/* Blocks of 4 KiB go to the four memories behind in turn: users 0 and 1 ask the first two of them
 * for bank 0, user 2 the third for bank 1. */
static void read_from_one_behind(struct message *request, u32 user, u64 n)
{
    request->address = user * 4096 + (user == 2 ? 128 : 0) + n % 8 * 256 + n / 8 * 16384;
}

/* Fills of bank 0 come from two memories at once, four for each request; a bank takes one in a
 * cycle. */
static void fill_gets_its_turn(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_cache);
    bench_set(crowd.unit, "banks", 2);
    bench_set(crowd.unit, "sector", 128);
    bench_set(crowd.unit, "width", 4);
    for (u32 i = 0; i < 4; i++)
        crowd_serve(&crowd, "next", 20, 1);
    bench_ports(crowd.unit, "next")->route = (struct route){ 4096, 4 };
    for (u32 i = 0; i < 3; i++)
        crowd_ask(&crowd, read_from_one_behind, 16);
    crowd_expect(&crowd, 2 * 16 * 4 * 2 + 40);
}

/* ---- Crossbars ---- */

/* Blocks of 256 bytes go to the outputs in turn; the last user wants the last output. */
static void pass_to_an_output(struct message *request, u32 user, u64 n)
{
    (void)n;
    request->address = user == 7 ? 3 * 256 : user % 3 * 256;
}

static void crossbar_expect(const char *arbitration)
{
    struct crowd crowd = crowd_create(&unit_type_crossbar);
    bench_set_choice(crowd.unit, "arbitration", arbitration);
    bench_set(crowd.unit, "outstanding", 1); /* what they all share: 25 cycles each */
    for (u32 i = 0; i < 4; i++)
        crowd_serve(&crowd, "memories", 20, 1);
    bench_ports(crowd.unit, "memories")->route = (struct route){ 256, 4 };
    for (u32 i = 0; i < 8; i++)
        crowd_ask(&crowd, pass_to_an_output, 2);
    crowd_expect(&crowd, 2 * 4 * 3 * 26);
}

static void output_of_a_full_crossbar_gets_its_turn(void **state)
{
    (void)state;
    crossbar_expect("round_robin");
}

static void input_of_a_full_islip_crossbar_gets_its_turn(void **state)
{
    (void)state;
    crossbar_expect("islip");
}

/* ---- Memories ---- */

static void touch_bank_0(struct message *request, u32 user, u64 n)
{
    (void)user, (void)n;
    request->address = 0;
}

/* Words of four bytes go to the banks in turn: this one needs eight of them at once. */
static void touch_all_banks(struct message *request, u32 user, u64 n)
{
    (void)user, (void)n;
    request->address = 0;
    request->size_bytes = 32;
}

static void touch_another_bank(struct message *request, u32 user, u64 n)
{
    (void)n;
    request->address = 4 * (u64)user;
    request->size_bytes = 4;
}

static void wide_access_to_a_scratchpad_gets_through(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_scratchpad);
    bench_set(crowd.unit, "banks", 8);
    for (u32 i = 0; i < 7; i++)
        crowd_ask(&crowd, i % 2 ? touch_bank_0 : touch_another_bank, 8);
    crowd_ask(&crowd, touch_all_banks, 1);
    crowd_expect(&crowd, 8 * 8 + 40);
}

static void user_of_a_memory_gets_its_turn(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_memory);
    bench_set(crowd.unit, "latency", 10);
    bench_set(crowd.unit, "depth", 3);
    for (u32 i = 0; i < 9; i++)
        crowd_ask(&crowd, touch_bank_0, i == 8 ? 1 : 8);
    crowd_expect(&crowd, 9 * 8 * 5 + 40);
}

static void write_a_row(struct message *request, u32 user, u64 n)
{
    request->kind = MEMORY_WRITE;
    request->mask = 0xff;
    request->address = user * 65536 + n % 512 * 64;
}

/* At most DRAM_PATIENCE writes of the device pass it, with a row opened for each; then what stands
 * before it in the queues. */
static void read_is_not_starved_by_writes(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_dram);
    bench_set_words(crowd.unit, "config", "gddr6_14000");
    bench_set(crowd.unit, "channels", 1);
    for (u32 i = 0; i < 7; i++)
        crowd_ask(&crowd, write_a_row, 32);
    crowd_ask(&crowd, touch_bank_0, 1);
    crowd_expect(&crowd, 8 * DRAM_PATIENCE + 1500);
}

/* ---- Units that cores share ---- */

static void user_of_a_shared_unit_gets_its_turn(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_sfu);
    bench_set(crowd.unit, "interval", 4);
    for (u32 i = 0; i < 9; i++)
        crowd_ask(&crowd, touch_bank_0, i == 8 ? 1 : 8);
    crowd_expect(&crowd, 9 * 8 * 4 + 20);
}

static void ask_for_a_structure(struct message *request, u32 user, u64 n)
{
    request->kind = MESSAGE_ACCESS;
    request->address = (user + n) % LSU_STRUCTURES;
    request->data.word[LSU_CONFLICTS] = 1 + user;
    request->data.word[LSU_LINES] = 1;
    request->data.word[LSU_SECTORS] = 4;
}

/* Whatever the latches: no more than all that others have waiting, each of nine cycles at most. */
static void access_of_a_warp_gets_its_structure(void **state)
{
    static const char *const latches[] = { "structure", "user", "sm" };
    (void)state;
    for (u32 latch = 0; latch < 3; latch++) {
        struct crowd crowd = crowd_create(&unit_type_lsu);
        bench_set_choice(crowd.unit, "latch", latches[latch]);
        for (u32 i = 0; i < 9; i++)
            crowd_ask(&crowd, ask_for_a_structure, i == 8 ? 1 : 8);
        crowd_expect(&crowd, 8 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) + 20);
    }
}

static void ask_to_write_or_read(struct message *request, u32 user, u64 n)
{
    ask_for_a_structure(request, user, n);
    request->address = LSU_L1;
    request->data.word[LSU_WRITES] = user % 3 ? 5 : 0;
}

/* Six of nine write, for five cycles of the way below each, eight of which they have waiting. */
static void write_of_a_warp_gets_the_way_below(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_lsu);
    bench_set(crowd.unit, "write_sector", 1);
    bench_set(crowd.unit, "write_queue", 7);
    for (u32 i = 0; i < 9; i++)
        crowd_ask(&crowd, ask_to_write_or_read, i == 8 ? 1 : 8);
    crowd_expect(&crowd, 8 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9) + 20);
}

static void ask_for_a_number(struct message *request, u32 user, u64 n)
{
    (void)user, (void)n;
    request->kind = MESSAGE_NEXT;
}

static void user_of_a_dispenser_gets_its_turn(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_threads);
    for (u32 i = 0; i < 9; i++)
        crowd_ask(&crowd, ask_for_a_number, i == 8 ? 1 : 8);
    crowd_expect(&crowd, 9 * 8 + 20);
}

/* Rounds of three for eight users with two threads each. */
static void user_of_a_barrier_gets_its_turn(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_barrier);
    bench_set(crowd.unit, "arrivals", 3);
    for (u32 i = 0; i < 8; i++)
        crowd_ask(&crowd, ask_for_a_number, 2);
    bench_init(crowd.unit);
    bench_seal(crowd.sim, (struct sim_options){ 0 });
    bench_run(crowd.sim, CROWD_LASTS - 1); /* the last ones may wait for others that do not come */
    for (u32 i = 0; i < 8; i++)
        assert_true(askers[i].longest <= 2 * 8 * 5 && askers[i].answered > 100);
    bench_destroy(crowd.sim);
}

/* Blocks of a grid without end; user 0 is an SM that asks for one at a time. */
static void ask_for_a_block(struct message *request, u32 user, u64 n)
{
    (void)user, (void)n;
    request->kind = MESSAGE_BLOCK_ASK;
    request->data.dword[0] = UINT32_MAX;
    request->data.dword[1] = 0;
}

/* One number per cycle, to each in turn: 16 of its own before it, for each of them 8 users. */
static void sm_gets_its_blocks(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_grid);
    for (u32 i = 0; i < 8; i++)
        crowd_ask(&crowd, ask_for_a_block, i ? 16 : 1);
    crowd_expect(&crowd, 16 * 8 + 8);
    assert_true(askers[0].longest <= 8 + 4);
}

static void ray_of_a_user(struct message *request, u32 user, u64 n)
{
    static const float ray[8] = { 0, 0, 0, 0, 0, 0, 1, 1 };
    bool waits = user % 2 == 0; /* for a ticket that does not exist: needs no slot */
    request->kind = waits ? MESSAGE_TRACE_WAIT : MESSAGE_TRACE;
    request->size_bytes = MESSAGE_DATA_BYTES;
    memcpy(request->data.real, ray, sizeof ray);
    if (waits)
        request->data.dword[0] = UINT64_MAX;
    (void)n;
}

/* One slot, and a memory that has no tree: a ray fails after 30 cycles. Between those that want the
 * slot there are others that are served in every cycle. */
static void ray_gets_a_slot(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_rtcore);
    bench_set(crowd.unit, "rays", 1);
    crowd_serve(&crowd, "memory", 20, 1);
    for (u32 i = 0; i < 8; i++)
        crowd_ask(&crowd, ray_of_a_user, 2);
    crowd_expect(&crowd, 2 * 4 * 60);
}

/* The same with slots for one warp, which a user fills with its own rays. */
static void warp_of_rays_gets_slots(void **state)
{
    (void)state;
    struct crowd crowd = crowd_create(&unit_type_rtcore);
    bench_set(crowd.unit, "rays", 4);
    bench_set(crowd.unit, "warp", 4);
    bench_set_choice(crowd.unit, "joins", "warp");
    bench_set_choice(crowd.unit, "policy", "warp");
    crowd_serve(&crowd, "memory", 20, 1);
    for (u32 i = 0; i < 8; i++)
        crowd_ask(&crowd, ray_of_a_user, 2);
    crowd_expect(&crowd, 2 * 4 * 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test_all_ways(bank_beside_a_polled_one_gets_through),
        bench_test_all_ways(request_for_two_places_is_not_passed_by_requests_for_one),
        bench_test_all_ways(miss_gets_a_register),
        bench_test_all_ways(slice_beside_a_busy_one_gets_through),
        bench_test_all_ways(answer_of_a_bank_is_not_passed_for_ever),
        bench_test_all_ways(fill_gets_its_turn),
        bench_test_all_ways(output_of_a_full_crossbar_gets_its_turn),
        bench_test_all_ways(input_of_a_full_islip_crossbar_gets_its_turn),
        bench_test_all_ways(wide_access_to_a_scratchpad_gets_through),
        bench_test_all_ways(user_of_a_memory_gets_its_turn),
        bench_test_all_ways(read_is_not_starved_by_writes),
        bench_test_all_ways(user_of_a_shared_unit_gets_its_turn),
        bench_test_all_ways(access_of_a_warp_gets_its_structure),
        bench_test_all_ways(write_of_a_warp_gets_the_way_below),
        bench_test_all_ways(user_of_a_dispenser_gets_its_turn),
        bench_test_all_ways(user_of_a_barrier_gets_its_turn),
        bench_test_all_ways(sm_gets_its_blocks),
        bench_test_all_ways(ray_gets_a_slot),
        bench_test_all_ways(warp_of_rays_gets_slots),
    };
    return cmocka_run_group_tests_name("fairness", tests, NULL, NULL);
}
