/* bench_core.c - loads encoded programs into a core, reads its registers, statistics and
 * profile, and has a mock server for the units that it asks. */
#include "unit/bench_core.h"

#include <string.h>

#include "isa/flow.h"
#include "isa/table.h"

const u32 bench_codes[OP_COUNT] = {
#define INSN(op, text, format, class, code, action) [OP_##op] = code,
#include "ogive/isa_insn.def"
};

/* ---- The core ---- */

struct core *bench_core(struct sim *sim, struct domain *domain, u32 threads)
{
    struct unit *unit = bench_unit(sim, domain, &unit_type_core, NO_CLOCK);
    bench_set(unit, "threads", threads);
    return (struct core *)unit;
}

void bench_core_execute(struct core *core, const char *table)
{
    core->p.execute = table;
}

struct chip_program *bench_program(struct sim *sim, const u32 *text, u32 count, u32 harts)
{
    struct arena *arena = sim_chip(sim)->arena;
    struct chip_program *program = arena_alloc(arena, sizeof *program, 64);
    struct insn *insns = arena_alloc(arena, 2 * count * sizeof *insns, 64);
    u64 *hazards = arena_alloc(arena, 2 * count * sizeof *hazards, 64);
    u32 *ordinals = arena_alloc(arena, 2 * count * sizeof *ordinals, 64);
    u32 *meets = arena_alloc(arena, 2 * count * sizeof *meets, 64);
    u32 *order = arena_alloc(arena, 2 * count * sizeof *order, 64);
    u8 *runs = arena_alloc(arena, 2 * count, 64);
    assert_true(program && insns && hazards && ordinals && meets && order && runs);
    isa_predecode(isa_shared(), (const u8 *)text, 4 * (u64)count, insns);
    program_hazards(insns, 2 * (u64)count, hazards);
    program_count(insns, 2 * (u64)count, ordinals);
    *program = (struct chip_program){
        .text = { TEXT_BASE, 2 * (u64)count, insns },
        .hazards = hazards,
        .ordinals = ordinals,
        .memory_bytes = MEMORY_BYTES,
        .meets = meets,
        .order = order,
        .runs = runs,
        .entry = TEXT_BASE,
        .harts = harts,
    };
    flow_find(&program->text, meets);
    order_find(&program->text, order);
    runs_find(&program->text, runs);
    return program;
}

/* Stands for the profile until there is a program. */
static struct hart_profile profile_wanted;

void bench_core_profile(struct core *core)
{
    core->profile = &profile_wanted;
}

/* Functions of three instructions each, whatever the program thinks: threads stray all the time. */
static struct hart_profile *profile_make(struct arena *arena, const struct chip_program *program)
{
    u32 text = (u32)program->text.count, count = (text + 5) / 6;
    struct profile_function *functions = arena_alloc(arena, count * sizeof *functions, 64);
    assert_non_null(functions);
    for (u32 i = 0; i < count; i++)
        functions[i] = (struct profile_function){ 6 * i, (u32)min_u64(6, text - 6 * i) };
    struct hart_profile *profile = profile_create(arena, functions, count);
    assert_non_null(profile);
    return profile;
}

void bench_core_start(struct core *core, const struct chip_program *program)
{
    bool profiled = core->profile;
    struct arena *arena = core->base.domain->chip->arena;
    bench_init(&core->base);
    unit_type_core.programs->start(&core->base, program, core->base.ordinal * (u32)core->p.threads,
                                   profiled ? profile_make(arena, program) : NULL);
}

static void name_last_port(struct core *core, const char *name)
{
    ports_note(&core->w.units, core->w.units.count - 1)->peer = name;
}

void bench_core_ask(struct sim *sim, struct core *core, const char *name, struct mock *mock,
                    u32 latency, u32 capacity)
{
    bench_join(sim, &core->base, "units", mock, latency, capacity);
    name_last_port(core, name);
}

void bench_core_ask_unit(struct sim *sim, struct core *core, const char *name, struct unit *serving,
                         const char *port, u32 latency, u32 capacity)
{
    bench_ask(sim, &core->base, "units", serving, port, latency, capacity);
    name_last_port(core, name);
}

u64 bench_x(const struct core *core, u32 thread, u32 number)
{
    return core->threads[thread].hart.x[number];
}

u64 bench_core_stat(const struct core *core, const char *stat)
{
    return bench_stat(&core->base, stat);
}

static u64 class_sum(const u64 *first)
{
    u64 sum = 0;
    for (u32 i = 0; i < CLASS_COUNT; i++)
        sum += first[i];
    return sum;
}

u64 bench_profile(const struct core *core, u32 index, u32 reason)
{
    u64 sum = 0;
    for (u32 i = PATH_LOST; i < core->profile->path_count; i++) {
        const struct profile_path *path = &core->profile->paths[i];
        if (index - path->function.first < path->function.count)
            sum += core->profile->rows[path->rows + index - path->function.first].cycles[reason];
    }
    return sum;
}

/* The rows hold what the statistics hold, reason by reason. */
static void profile_check(const struct core *core)
{
    u64 sums[PROFILE_WIDTH] = { 0 };
    for (u32 i = 0; i < core->profile->row_count; i++)
        for (u32 reason = 0; reason < PROFILE_REASONS; reason++)
            sums[reason] += core->profile->rows[i].cycles[reason];
    assert_int_equal(sums[PROFILE_ISSUED], core->s.issued);
    assert_int_equal(sums[PROFILE_PASSED], core->s.passed);
    assert_int_equal(sums[PROFILE_BUSY], core->s.busy);
    assert_int_equal(sums[PROFILE_FETCH], core->s.fetch);
    assert_int_equal(sums[PROFILE_FENCE], core->s.fence);
    for (u32 class = 0; class < CLASS_COUNT; class ++)
        assert_int_equal(sums[PROFILE_HAZARD + class], core->s.hazard_by[class]);
}

void bench_core_settle(struct core *core, cycle now)
{
    bench_report(&core->base, now);
    u64 stalls = core->s.hazard + core->s.busy + core->s.fetch + core->s.fence;
    assert_int_equal(core->s.issued + core->s.passed + stalls + core->s.halted,
                     core->p.threads * now);
    assert_int_equal(core->s.cycles, core->p.threads * now);
    assert_int_equal(core->s.active, core->s.issued);
    assert_int_equal(class_sum(core->s.issued_by), core->s.issued);
    assert_int_equal(class_sum(core->s.hazard_by), core->s.hazard);
    assert_int_equal(class_sum(core->s.busy_by), core->s.busy);
    if (core->profile)
        profile_check(core);
}

/* ---- A chip with one core ---- */

struct core_stand stand_core(u32 threads)
{
    struct core_stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    stand.core = bench_core(stand.sim, stand.domain, threads);
    return stand;
}

void stand_load(struct core_stand *stand, const u32 *text, u32 count)
{
    u32 threads = (u32)stand->core->p.threads;
    bench_core_start(stand->core, bench_program(stand->sim, text, count, threads));
    bench_seal(stand->sim, (struct sim_options){ 0 });
}

void stand_enter_at(struct core_stand *stand, u32 thread, u32 index)
{
    stand->core->threads[thread].hart.pc = PC(index);
}

void stand_finish(struct core_stand *stand, enum sim_end end)
{
    assert_int_equal(bench_finish(stand->sim), end);
    const struct chip *chip = sim_chip(stand->sim);
    bench_core_settle(stand->core, chip->ended ? chip->ended_at : chip->now);
}

void stand_run(struct core_stand *stand, const u32 *text, u32 count)
{
    stand_load(stand, text, count);
    stand_finish(stand, SIM_FINISHED);
}

/* ---- Mock servers ---- */

/* By mock->value; only one chip with servers exists at a time. */
static struct server servers[SERVERS_MAX];

static void server_take(struct server *server, u32 link, cycle now)
{
    const struct message *message = link_peek(server->mock->in[link]);
    if (!message)
        return;
    u32 index = server->count++;
    cycle delay = index < 8 && server->delays[index] ? server->delays[index] : server->latency;
    if (index < SERVED_MAX)
        server->served[index] = (struct served){ now, NEVER, now + delay, link, *message };
    link_pop(server->mock->in[link]);
    unit_hold(&server->mock->base, 1);
}

static void server_answer(struct server *server, u32 index, cycle now)
{
    struct served *served = &server->served[index];
    struct link *out = server->mock->out[served->link];
    if (served->answered != NEVER || served->due > now || !link_can_push(out))
        return;
    struct message answer = served->message;
    if (server->change)
        server->change(&answer, index);
    *link_push(out) = answer;
    served->answered = now;
    unit_release(&server->mock->base, 1);
}

static cycle step_serve(struct mock *mock, cycle now)
{
    struct server *server = &servers[mock->value];
    bool open = now < server->closed_from || now >= server->closed_to;
    cycle next = open || server->closed_from > now ? NEVER : server->closed_to;
    if (open && server->closed_from > now)
        next = server->closed_from;
    for (u32 i = 0; i < server->count; i++)
        server_answer(server, i, now);
    for (u32 i = 0; open && i < mock->in_count; i++)
        server_take(server, i, now);
    for (u32 i = 0; i < server->count; i++)
        if (server->served[i].answered == NEVER && server->served[i].due > now)
            next = min_u64(next, server->served[i].due);
    return next > now ? next : NEVER;
}

struct server *bench_server(struct sim *sim, struct domain *domain, u32 n, cycle latency)
{
    struct server *server = &servers[n];
    memset(server, 0, sizeof *server);
    server->latency = latency;
    server->mock = bench_mock(sim, domain, step_serve);
    server->mock->value = n;
    return server;
}
