/* cache_stand.c - users that ask at given cycles and note what comes back, and a memory that
 * executes and notes what it sees. */
#include "unit/cache_stand.h"

#include <string.h>

extern const struct unit_type unit_type_cache;

struct exchange asked[USERS_MAX][ASKED_MAX];
struct memory_behind behind[MEMORIES_MAX];
cycle users_deaf_until;

u8 memory_byte(u64 address)
{
    return (u8)(address * 7 + address / 256 + 1);
}

u64 memory_word(u64 address)
{
    u64 word = 0;
    for (u32 i = 0; i < 8; i++)
        word |= (u64)memory_byte(address + i) << (8 * i);
    return word;
}

/* Sends its list; sleeps while there is no room. */
static cycle step_use(struct mock *mock, cycle now)
{
    struct exchange *list = asked[mock->value];
    cycle deaf = now < users_deaf_until ? users_deaf_until : NEVER;
    for (const struct message *answer; deaf == NEVER && (answer = link_peek(mock->in[0]));) {
        struct exchange *exchange = &list[answer->tag];
        exchange->answers++;
        exchange->answered = now;
        exchange->answer_kind = answer->kind;
        exchange->answer_source = answer->source;
        exchange->answer_missed = answer->missed;
        exchange->answer_address = answer->address;
        exchange->answer_value = answer->data.dword[0];
        link_pop(mock->in[0]);
        unit_release(&mock->base, 1);
    }
    for (; mock->left && list[mock->script_next].asked <= now && link_can_push(mock->out[0]);
         mock->left--) {
        const struct exchange *exchange = &list[mock->script_next];
        struct message *request = link_push(mock->out[0]);
        memset(request, 0, sizeof *request);
        request->kind = exchange->kind;
        request->address = exchange->address;
        request->size_bytes = exchange->size_bytes;
        request->mask = exchange->mask;
        request->source = exchange->source;
        request->data.dword[0] = exchange->value;
        request->data.dword[1] = exchange->stamp;
        request->tag = mock->script_next++;
    }
    bool later = mock->left && list[mock->script_next].asked > now;
    return later ? min_u64(list[mock->script_next].asked, deaf) : deaf;
}

static void memory_execute(struct memory_behind *memory, struct message *request)
{
    if (request->address > MEMORY_BYTES - request->size_bytes) {
        request->kind = MEMORY_FAULT;
        return;
    }
    u8 *bytes = memory->bytes + request->address;
    switch (request->kind & MEMORY_KIND) {
    case MEMORY_READ:
        memcpy(request->data.byte, bytes, request->size_bytes);
        break;
    case MEMORY_WRITE:
        for (u32 i = 0; i < request->size_bytes; i++)
            if (request->mask >> i & 1)
                bytes[i] = request->data.byte[i];
        break;
    case MEMORY_AMO: { /* an exchange, whatever it says */
        u64 old;
        memcpy(&old, bytes, 8);
        memcpy(bytes, request->data.byte, 8);
        request->data.dword[0] = old;
    }
    }
}

static cycle step_serve(struct mock *mock, cycle now)
{
    struct memory_behind *memory = &behind[mock->value];
    for (const struct message *request; (request = link_peek(mock->in[0]));) {
        assert_true(memory->count < ASKED_MAX);
        struct seen *seen = &memory->seen[memory->count], *answer = &memory->answers[memory->count];
        *seen = (struct seen){ now, *request };
        *answer = (struct seen){ now + memory->delay, *request };
        memory_execute(memory, &answer->message);
        memory->count++;
        link_pop(mock->in[0]);
        if ((seen->message.kind & MEMORY_KIND) == MEMORY_PREFETCH)
            answer->at = NEVER;
        else
            unit_hold(&mock->base, 1);
    }
    for (; memory->answered < memory->count; memory->answered++) {
        const struct seen *answer = &memory->answers[memory->answered];
        if (answer->at == NEVER)
            continue;
        if (answer->at > now)
            return answer->at;
        if (!link_can_push(mock->out[0]))
            return NEVER;
        *link_push(mock->out[0]) = answer->message;
        unit_release(&mock->base, 1);
    }
    return NEVER;
}

static struct stand stand_begin(struct domain **domain)
{
    struct stand stand = { .sim = bench_create() };
    *domain = bench_domain(stand.sim);
    memset(asked, 0, sizeof asked);
    memset(behind, 0, sizeof behind);
    users_deaf_until = 0;
    stand.cache = bench_unit(stand.sim, *domain, &unit_type_cache, NO_CLOCK);
    bench_set(stand.cache, "size", 1 * KiB);
    bench_set(stand.cache, "ways", 2);
    bench_set(stand.cache, "latency", LATENCY);
    return stand;
}

static cycle step_idle(struct mock *mock, cycle now)
{
    (void)mock;
    (void)now;
    return NEVER;
}

static void idle_add(struct stand *stand, struct domain *domain, const char *port, u32 count)
{
    for (u32 i = 0; i < count; i++)
        bench_join(stand->sim, stand->cache, port, bench_mock(stand->sim, domain, step_idle), 1, 1);
}

static void users_add(struct stand *stand, struct domain *domain, u32 users, u32 latency,
                      u32 capacity, u32 idle)
{
    for (u32 i = 0; i < users; i++) {
        idle_add(stand, stand->cache->domain, "users", i ? idle : 0);
        stand->users[i] = bench_mock(stand->sim, domain, step_use);
        stand->users[i]->value = i;
        bench_join(stand->sim, stand->cache, "users", stand->users[i], latency, capacity);
    }
}

static void memories_add(struct stand *stand, struct domain *domain, u32 memories, u32 latency,
                         u32 capacity)
{
    for (u32 i = 0; i < memories; i++) {
        stand->memories[i] = bench_mock(stand->sim, domain, step_serve);
        stand->memories[i]->value = i;
        behind[i].delay = DELAY;
        for (u64 k = 0; k < MEMORY_BYTES; k++)
            behind[i].bytes[k] = memory_byte(k);
        /* The mock is the one that serves: its in is the cache's out. */
        bench_join(stand->sim, stand->cache, "next", stand->memories[i], latency, capacity);
    }
}

struct stand stand_create_behind(u32 users, u32 memories, u32 capacity)
{
    struct domain *domain;
    struct stand stand = stand_begin(&domain);
    users_add(&stand, domain, users, 1, capacity, 0);
    memories_add(&stand, domain, memories, 1, capacity);
    return stand;
}

struct stand stand_create_around(struct around around)
{
    struct domain *domain;
    struct stand stand = stand_begin(&domain);
    users_add(&stand, around.far_users ? bench_domain(stand.sim) : domain, around.users,
              around.latency, around.capacity, around.idle_users);
    memories_add(&stand, around.far_memory ? bench_domain(stand.sim) : domain, 1,
                 around.memory_latency, around.capacity);
    idle_add(&stand, domain, "next", around.idle_memories);
    bench_ports(stand.cache, "next")->route =
        (struct route){ MEMORY_BYTES, 1 + around.idle_memories };
    return stand;
}

struct stand stand_create(u32 users)
{
    return stand_create_behind(users, 1, ASKED_MAX);
}

struct exchange *stand_ask(struct stand *stand, u32 user, struct exchange exchange)
{
    struct exchange *place = &asked[user][stand->users[user]->left++];
    assert_true(stand->users[user]->left < ASKED_MAX);
    *place = exchange;
    if ((exchange.kind & MEMORY_KIND) != MEMORY_PREFETCH)
        unit_hold(&stand->users[user]->base, 1);
    return place;
}

struct exchange *stand_read(struct stand *stand, u32 user, cycle at, u64 address)
{
    return stand_ask(stand, user,
                     (struct exchange){ .asked = at,
                                        .kind = MEMORY_READ,
                                        .size_bytes = 8,
                                        .source = 100 + user,
                                        .address = address });
}

struct exchange *stand_write(struct stand *stand, u32 user, cycle at, u64 address, u64 value)
{
    struct exchange *write = stand_read(stand, user, at, address);
    write->kind = MEMORY_WRITE;
    write->mask = 0xff;
    write->value = value;
    return write;
}

void stand_finish(struct stand *stand)
{
    bench_init(stand->cache);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    bench_report(stand->cache, sim_chip(stand->sim)->now);
}

u64 stand_stat(const struct stand *stand, const char *stat)
{
    return bench_stat(stand->cache, stat);
}

void expect_seen(u32 n, cycle at, u32 kind, u64 address)
{
    assert_true(n < behind[0].count);
    assert_int_equal(behind[0].seen[n].message.kind, kind);
    assert_int_equal(behind[0].seen[n].message.address, address);
    assert_int_equal(behind[0].seen[n].at, at);
}

void expect_read(const struct exchange *exchange, cycle after)
{
    assert_int_equal(exchange->answers, 1);
    assert_int_equal(exchange->answer_kind, exchange->kind);
    assert_int_equal(exchange->answer_address, exchange->address);
    assert_int_equal(exchange->answer_source, exchange->source);
    assert_int_equal(exchange->answer_value, memory_word(exchange->address));
    assert_int_equal(exchange->answered, exchange->asked + after);
}

/* One at a time, so that none of them is found on its way. */
struct kept stand_probe(struct stand *stand, cycle at, const u64 *lines, u32 count)
{
    struct kept kept = { .count = count };
    for (u32 i = 0; i < count; i++)
        kept.reads[i] = stand_read(stand, 0, at + 100 * i, lines[i] * 128);
    return kept;
}

bool kept_hit(const struct kept *kept, u32 index)
{
    const struct exchange *read = kept->reads[index];
    return read->answered == read->asked + HIT;
}
