/* subcore_stand.c - see subcore_stand.h. */
#include "unit/subcore_stand.h"

extern const struct unit_type unit_type_memory;

struct stand stand_make(u32 warps, u32 width)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    struct unit *unit = bench_unit(stand.sim, stand.domain, &unit_type_subcore, NO_CLOCK);
    bench_set(unit, "warps", warps);
    bench_set(unit, "width", width);
    stand.subcore = (struct subcore *)unit;
    return stand;
}

void stand_table(struct stand *stand, const char *table)
{
    bench_set_words(&stand->subcore->base, "execute", table);
}

void stand_name(struct stand *stand, const char *name)
{
    struct ports *units = bench_ports(&stand->subcore->base, "units");
    ports_note(units, units->count - 1)->peer = name;
}

/* Every warp-cycle and every thread of an instruction once. */
static void stand_settle(struct stand *stand)
{
    struct subcore *u = stand->subcore;
    const struct chip *chip = sim_chip(stand->sim);
    cycle now = chip->ended ? chip->ended_at : chip->now;
    bench_report(&u->base, now);
    u64 spent = 0;
    for (u32 i = 0; i < sizeof u->s.spent / sizeof *u->s.spent; i++)
        spent += u->s.spent[i];
    assert_int_equal(u->s.active + spent, u->p.warps * now);
    assert_int_equal(u->s.cycles, u->p.warps * now);
    assert_int_equal(u->s.active, u->s.issued);
    assert_int_equal(u->s.executed + u->s.masked, u->s.issued * u->p.width);
}

void stand_go(struct stand *stand, const u32 *text, u32 count)
{
    struct subcore *u = stand->subcore;
    u32 threads = (u32)(u->p.warps * u->p.width);
    bench_init(&u->base);
    unit_type_subcore.programs->start(&u->base, bench_program(stand->sim, text, count, threads), 0,
                                      NULL);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(stand->sim), SIM_FINISHED);
    stand_settle(stand);
}

struct server *join_memory(struct stand *stand, cycle latency)
{
    struct server *memory = bench_server(stand->sim, stand->domain, 0, latency);
    bench_join(stand->sim, &stand->subcore->base, "units", memory->mock, 1, 8);
    stand_name(stand, "memory");
    stand_table(stand, "load: memory");
    return memory;
}

struct unit *join_true_memory(struct stand *stand, cycle latency)
{
    struct unit *memory = bench_unit(stand->sim, stand->domain, &unit_type_memory, NO_CLOCK);
    bench_set(memory, "latency", latency);
    bench_ask(stand->sim, &stand->subcore->base, "units", memory, "users", 1, 4);
    bench_init(memory);
    stand_name(stand, "memory");
    stand_table(stand, "load: memory");
    return memory;
}

u64 x_of(const struct stand *stand, u32 thread, u32 number)
{
    struct hart hart;
    unit_type_subcore.programs->hart(&stand->subcore->base, thread, &hart);
    return hart.x[number];
}

u64 stat(const struct stand *stand, const char *name)
{
    return bench_stat(&stand->subcore->base, name);
}
