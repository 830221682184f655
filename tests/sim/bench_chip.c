/* bench_chip.c - mock units, their notes, and steps that push and pop: by a script, as soon as
 * they can, or only when woken. */
#include "sim/bench_chip.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sim *open_sims[ARENA_SLOTS];

/* Set for one test by its setup function. */
static bool all_sleepless, all_backwards;

int bench_setup_sleepless(void **state)
{
    (void)state;
    all_sleepless = true;
    return 0;
}

int bench_setup_backwards(void **state)
{
    (void)state;
    all_backwards = true;
    return 0;
}

static cycle mock_tick(struct unit *unit, cycle now)
{
    struct mock *mock = (struct mock *)unit;
    mock->ticks++;
    return mock->step(mock, now);
}

static tick_function ticks[BENCH_TYPES] = { [MOCK_TYPE] = mock_tick };

struct sim *bench_create(void)
{
    struct ogv_error error = { 0 };
    struct sim *sim = sim_create(&error);
    if (!sim)
        fail_msg("%s", error.message);
    sim_set_ticks(sim, ticks);
    for (u32 i = 0; i < ARENA_SLOTS; i++) {
        if (!open_sims[i]) {
            open_sims[i] = sim;
            break;
        }
    }
    return sim;
}

void bench_set_tick(u16 type, tick_function tick)
{
    assert_true(type < BENCH_TYPES);
    ticks[type] = tick;
}

struct domain *bench_domain(struct sim *sim)
{
    struct domain *domain = sim_add_domain(sim);
    assert_non_null(domain);
    return domain;
}

struct mock *bench_mock_clocked(struct sim *sim, struct domain *domain, mock_step step,
                                struct clock_ratio clock)
{
    struct mock *mock =
        (struct mock *)sim_add_unit(sim, domain, MOCK_TYPE, sizeof(struct mock), clock);
    assert_non_null(mock);
    mock->step = step;
    return mock;
}

struct mock *bench_mock(struct sim *sim, struct domain *domain, mock_step step)
{
    return bench_mock_clocked(sim, domain, step, NO_CLOCK);
}

struct link *bench_link(struct sim *sim, struct mock *from, struct mock *to, u32 latency,
                        u32 capacity)
{
    struct link *link = sim_add_link(sim, &from->base, &to->base, latency, capacity);
    assert_non_null(link);
    assert_true(from->out_count < MOCK_LINKS && to->in_count < MOCK_LINKS);
    from->out[from->out_count++] = link;
    to->in[to->in_count++] = link;
    return link;
}

static void mock_name(void *context, const struct unit *unit, char *buffer, size_t size)
{
    (void)context;
    snprintf(buffer, size, "mock[%u]", unit->number);
}

void bench_seal(struct sim *sim, struct sim_options options)
{
    struct ogv_error error = { 0 };
    assert_true(sim_name_units(sim, mock_name, NULL));
    if (!sim_seal(sim, &error))
        fail_msg("%s", error.message);
    if (!options.threads)
        options.threads = 1;
    options.sleepless |= all_sleepless;
    if (all_backwards)
        options.order = SIM_ORDER_REVERSE;
    sim_set_options(sim, &options);
}

enum sim_end bench_run(struct sim *sim, cycle until)
{
    return sim_run(sim, until, (struct sim_poll){ 0 });
}

enum sim_end bench_finish(struct sim *sim)
{
    return bench_run(sim, NEVER);
}

void bench_destroy(struct sim *sim)
{
    for (u32 i = 0; i < ARENA_SLOTS; i++)
        if (open_sims[i] == sim)
            open_sims[i] = NULL;
    sim_destroy(sim);
}

int bench_teardown(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARENA_SLOTS; i++) {
        sim_destroy(open_sims[i]);
        open_sims[i] = NULL;
    }
    all_sleepless = all_backwards = false;
    return 0;
}

void mock_note(struct mock *mock, cycle at, u64 what)
{
    if (mock->noted < MOCK_NOTES)
        mock->notes[mock->noted] = (struct note){ at, what };
    mock->noted++;
}

void mock_set_script(struct mock *mock, const cycle *script, u32 count)
{
    mock->script = script;
    mock->script_count = count;
    unit_hold(&mock->base, 1);
}

void mock_set_left(struct mock *mock, u64 messages)
{
    mock->left = messages;
    unit_hold(&mock->base, 1);
}

static void mock_one_less(struct mock *mock)
{
    if (--mock->left == 0)
        unit_release(&mock->base, 1);
}

static void mock_script_step(struct mock *mock)
{
    if (++mock->script_next == mock->script_count)
        unit_release(&mock->base, 1);
}

static cycle mock_script_due(const struct mock *mock)
{
    return mock->script_next < mock->script_count ? mock->script[mock->script_next] : NEVER;
}

void mock_push(struct mock *mock, u64 tag)
{
    struct message *message = link_push(mock->out[0]);
    message->address = tag * 64;
    message->tag = (u32)tag;
    message->source = mock->base.number;
    message->kind = 0;
    message->size_bytes = 8;
    message->mask = UINT32_MAX;
    message->data.dword[0] = mock->base.domain->now;
}

cycle step_sleep(struct mock *mock, cycle now)
{
    (void)mock, (void)now;
    return NEVER;
}

cycle step_push_script(struct mock *mock, cycle now)
{
    while (mock_script_due(mock) == now) {
        mock_push(mock, mock->script_next);
        mock_script_step(mock);
    }
    return mock_script_due(mock);
}

static bool mock_push_some(struct mock *mock, cycle now)
{
    while (mock->left && link_can_push(mock->out[0])) {
        mock_push(mock, mock->noted);
        mock_note(mock, now, mock->noted);
        mock_one_less(mock);
    }
    return mock->left;
}

cycle step_push_eager(struct mock *mock, cycle now)
{
    mock_push_some(mock, now);
    return NEVER;
}

cycle step_push_insistent(struct mock *mock, cycle now)
{
    return mock_push_some(mock, now) ? now + 1 : NEVER;
}

cycle step_pop_woken(struct mock *mock, cycle now)
{
    for (const struct message *message; (message = link_peek(mock->in[0]));) {
        mock_note(mock, now, message->tag);
        link_pop(mock->in[0]);
    }
    return NEVER;
}

cycle step_pop_insistent(struct mock *mock, cycle now)
{
    const struct message *message;
    while (mock->left && (message = link_peek(mock->in[0]))) {
        mock_note(mock, now, message->tag);
        link_pop(mock->in[0]);
        mock_one_less(mock);
    }
    return mock->left ? now + 1 : NEVER;
}

cycle step_pop_script(struct mock *mock, cycle now)
{
    while (mock_script_due(mock) == now) {
        mock_note(mock, now, link_peek(mock->in[0])->tag);
        link_pop(mock->in[0]);
        mock_script_step(mock);
    }
    return mock_script_due(mock);
}

void assert_aborts(void (*function)(void *context), void *context, const char *words)
{
    int pipe_ends[2];
    char said[1024] = { 0 };
    size_t length = 0;
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDERR_FILENO);
        function(context);
        _exit(0);
    }
    close(pipe_ends[1]);
    for (ssize_t got; length + 1 < sizeof said; length += (size_t)got) {
        got = read(pipe_ends[0], said + length, sizeof said - 1 - length);
        if (got <= 0)
            break;
    }
    close(pipe_ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    if (!strstr(said, words))
        fail_msg("expected '%s' in '%s'", words, said);
}
