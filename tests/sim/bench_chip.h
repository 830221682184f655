/* bench_chip.h - small chips for tests, put together by hand out of mock units.
 *
 * A mock unit does what its step function says and takes notes. A test builds a chip with
 * bench_create, bench_domain, bench_mock and bench_link, seals it, runs it, and then looks at the
 * notes: assertions belong there, never into a step, which may run on another thread. Chips are
 * destroyed by bench_teardown, so that a failed test does not keep its arena. */
#ifndef TESTS_SIM_BENCH_CHIP_H
#define TESTS_SIM_BENCH_CHIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/sim.h"

#define MOCK_LINKS 8
#define MOCK_NOTES 512

struct mock;

typedef cycle (*mock_step)(struct mock *mock, cycle now);

struct note {
    cycle at;
    u64 what;
};

struct mock {
    struct unit base;
    mock_step step;
    struct link *in[MOCK_LINKS], *out[MOCK_LINKS];
    u32 in_count, out_count;
    u64 ticks;

    /* For the steps below, and free for others. */
    const cycle *script;
    u32 script_count, script_next;
    u64 left;  /* messages to push or to pop */
    u64 value; /* whatever a test needs */
    cycle ready;

    u32 noted; /* notes ever taken; the first MOCK_NOTES are kept */
    struct note notes[MOCK_NOTES];
};

#define NO_CLOCK    ((struct clock_ratio){ 1, 1 })

/* The type index of mock units. Tests of real units put these behind it with bench_set_tick. */
#define MOCK_TYPE   0
#define BENCH_TYPES 16 /* with that of mock units */

struct sim *bench_create(void);
struct domain *bench_domain(struct sim *sim);
struct mock *bench_mock(struct sim *sim, struct domain *domain, mock_step step);
struct mock *bench_mock_clocked(struct sim *sim, struct domain *domain, mock_step step,
                                struct clock_ratio clock);
struct link *bench_link(struct sim *sim, struct mock *from, struct mock *to, u32 latency,
                        u32 capacity);
void bench_set_tick(u16 type, tick_function tick);
void bench_seal(struct sim *sim, struct sim_options options);

/* To the end of the work. */
enum sim_end bench_finish(struct sim *sim);
enum sim_end bench_run(struct sim *sim, cycle until);

void bench_destroy(struct sim *sim);

/* Destroys all chips that are left. */
int bench_teardown(void **state);

#define bench_test(function) cmocka_unit_test_teardown(function, bench_teardown)

/* The same test three times: as it stands, with all units ticking in every cycle, and with the last
 * unit ticking first. Only for tests that count no ticks. */
int bench_setup_sleepless(void **state);
int bench_setup_backwards(void **state);

/* clang-format off */
#define bench_test_all_ways(function)                                               \
    bench_test(function),                                                           \
    { #function ", sleepless", function, bench_setup_sleepless, bench_teardown, NULL }, \
    { #function ", backwards", function, bench_setup_backwards, bench_teardown, NULL }
/* clang-format on */

void mock_note(struct mock *mock, cycle at, u64 what);

/* What the steps below have to do. The mock holds work until it is done. */
void mock_set_script(struct mock *mock, const cycle *script, u32 count);
void mock_set_left(struct mock *mock, u64 messages);

/* Pushes on out[0]; the message carries `tag`, and the cycle in data.dword[0]. */
void mock_push(struct mock *mock, u64 tag);

/* ---- Steps ---- */

/* Never does anything. */
cycle step_sleep(struct mock *mock, cycle now);

/* Pushes a message in each cycle of the script (which may name a cycle several times), tags
 * counting from 0. */
cycle step_push_script(struct mock *mock, cycle now);

/* Pushes `left` messages as soon as there is room, tags counting from 0, and notes each. Sleeps
 * while refused. */
cycle step_push_eager(struct mock *mock, cycle now);

/* The same, but looks for room in every cycle. */
cycle step_push_insistent(struct mock *mock, cycle now);

/* Pops whatever it is woken for and notes cycle and tag. */
cycle step_pop_woken(struct mock *mock, cycle now);

/* The same, but looks in every cycle while messages are left to come. */
cycle step_pop_insistent(struct mock *mock, cycle now);

/* Pops one message in each cycle of the script (which may name a cycle several times). */
cycle step_pop_script(struct mock *mock, cycle now);

/* ---- Processes that die ---- */

/* Runs the function in a child process, which must abort after a message that contains `words`. */
void assert_aborts(void (*function)(void *context), void *context, const char *words);

#endif
