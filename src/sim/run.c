/* run.c - windows: planning the next one, running it on all threads, deciding when it is over.
 *
 * Between windows one thread looks at what the domains added up: the next cycle in which anything
 * can happen anywhere, the work held, the messages on their way. From that follow the end of the
 * run, a deadlock, or the next window, which starts where something happens.
 *
 * The end of the work and a deadlock are looked for only at multiples of the chip's own window,
 * whatever window is in use: units that tick for ever (refresh) then always stop at the same cycle,
 * and every choice of window gives the same statistics. */
#include <unistd.h>

#include "base/wall.h"
#include "sim/sim_private.h"

struct totals {
    cycle next; /* first cycle in which anything can happen */
    cycle last_progress;
    bool quiet; /* no work held, no message on its way */
    bool stopped, called;
};

/* Asked only when no unit holds work, which is seldom before the end. */
static bool chip_has_messages(const struct chip *chip)
{
    for (u32 i = 0; i < chip->link_count; i++)
        if (link_held(chip->links[i]))
            return true;
    return false;
}

/* The cycle after the last thing that happened: all links are empty, so it was a pop or a change of
 * held. */
static cycle chip_end(const struct chip *chip)
{
    cycle last = 0;
    for (u32 i = 0; i < chip->link_count; i++) {
        cycle popped_at = link_last_pop(chip->links[i]);
        if (popped_at != NEVER)
            last = max_u64(last, popped_at);
    }
    for (u32 i = 0; i < chip->domain_count; i++)
        last = max_u64(last, chip->domains[i]->last_change);
    return last + 1;
}

static struct totals chip_totals(const struct chip *chip)
{
    struct totals totals = { .next = NEVER };
    u64 held = 0;
    for (u32 i = 0; i < chip->domain_count; i++) {
        const struct domain *domain = chip->domains[i];
        totals.next = min_u64(totals.next, min_u64(domain->next, domain->earliest_out));
        totals.next = min_u64(totals.next, domain_next_credit(domain));
        totals.last_progress = max_u64(totals.last_progress, domain->last_progress);
        totals.stopped = totals.stopped || domain->stopped_at != NEVER;
        totals.called = totals.called || domain->called;
        held += domain->held;
    }
    totals.quiet = !held && !chip_has_messages(chip);
    return totals;
}

bool sim_quiet(const struct sim *sim)
{
    return chip_totals(sim->chip).quiet;
}

static cycle chip_boundary(const struct chip *chip, cycle after)
{
    return (after / chip->window + 1) * chip->window;
}

/* The cycle at which the watchdog bites if nothing progresses until then. */
static cycle sim_deadline(const struct sim *sim, const struct totals *totals)
{
    if (!sim->options.watchdog || sim->options.watchdog > NEVER / 2)
        return NEVER;
    return chip_boundary(sim->chip, totals->last_progress + sim->options.watchdog);
}

/* Whether the run ends here, and why. */
static bool sim_ends(struct sim *sim, const struct totals *totals)
{
    struct chip *chip = sim->chip;
    bool aligned = chip->now % chip->window == 0;
    if (totals->called) {
        sim->end = SIM_CALLED;
    } else if (aligned && totals->stopped) {
        sim->end = SIM_STOPPED;
    } else if (aligned && totals->quiet && chip->now > 0) {
        chip->ended = true;
        chip->ended_at = chip_end(chip);
        sim->end = SIM_FINISHED;
    } else if (aligned && !totals->quiet && totals->next == NEVER) {
        sim->end = SIM_DEADLOCK;
    } else if (chip->now >= sim_deadline(sim, totals)) {
        sim->end = SIM_LIVELOCK;
    } else if (chip->now >= sim->until) {
        sim->end = SIM_REACHED;
    } else if (sim->poll.function && sim->poll.function(sim->poll.context)) {
        sim->end = SIM_PAUSED;
    } else {
        return false;
    }
    return true;
}

/* Sets the next window; false when the run is over. */
static bool sim_plan(struct sim *sim)
{
    struct chip *chip = sim->chip;
    struct totals totals = chip_totals(chip);
    if (sim_ends(sim, &totals))
        return false;
    /* Nothing happens before totals.next, so that is where to go on; but never past a cycle at
     * which the run might end. */
    cycle limit = min_u64(sim->until, sim_deadline(sim, &totals));
    if (totals.quiet || totals.stopped || totals.next == NEVER)
        limit = min_u64(limit, chip_boundary(chip, chip->now));
    cycle start = sim->options.sleepless ? chip->now : max_u64(totals.next, chip->now);
    sim->from = min_u64(start, limit);
    cycle window = sim->options.window ? sim->options.window : chip->window;
    cycle end = min_u64(sim->from + window, chip_boundary(chip, sim->from));
    sim->to = min_u64(end, limit);
    return true;
}

static void sim_run_domain(void *context, u32 number)
{
    struct sim *sim = context;
    struct domain *domain = sim->chip->domains[number];
    u32 parity = sim->chip->window_number & 1;
    bool idle = domain->next >= sim->to && !domain_has_mail(domain, !parity);
    if (domain->earliest_out != NEVER)
        domain->earliest_out = NEVER; /* the plan of this window has taken it into account */
    if (idle && !sim->options.sleepless)
        return;
    domain_run(domain, sim->ticks, &sim->options, sim->from, sim->to, parity);
}

/* ---- How many threads ----
 *
 * If the user did not say, windows are shared out only while that pays, judged by the clock over
 * batches of windows: first the work of one thread is measured, then sharing is tried if there is
 * enough of it, and given up if it is not clearly faster (because others use the machine, say).
 * Each failure makes the next try come later. What is simulated is the same either way. */
#define BATCH_WINDOWS 256
#define BATCHES_MAX   256   /* shared ones before one thread is measured again */
#define WORTH_SHARING 20e-6 /* seconds of work in a window: a barrier costs about a microsecond */
#define MUST_SAVE     0.8   /* of the time that one thread takes */
#define BACKOFF_MAX   1024

/* One thread is judged by what it computes itself, whatever else the process does meanwhile;
 * several by how long they take. */
static double sharing_clock(const struct sharing *sharing)
{
    return sharing->on ? wall_clock() : thread_clock();
}

static void batch_begin(struct sharing *sharing)
{
    sharing->windows = 0;
    sharing->spent = 0;
    sharing->started = sharing_clock(sharing);
}

/* What happens between two calls of sim_run is not the batch's. For the thread whose clock counts:
 * the one that goes on alone, if it does. */
static void batch_resume(struct sharing *sharing)
{
    sharing->started = sharing_clock(sharing);
}

static void batch_pause(struct sharing *sharing)
{
    sharing->spent += sharing_clock(sharing) - sharing->started;
}

static void sharing_judge_alone(struct sharing *sharing, double window)
{
    sharing->alone = window;
    if (sharing->patience)
        sharing->patience--;
    else
        sharing->on = window > WORTH_SHARING;
    sharing->batches = 0;
}

static void sharing_judge_shared(struct sharing *sharing, double window)
{
    if (window > MUST_SAVE * sharing->alone) {
        sharing->backoff = (u32)min_u64(2 * sharing->backoff + 1, BACKOFF_MAX);
        sharing->patience = sharing->backoff;
        sharing->on = false;
    } else if (++sharing->batches == BATCHES_MAX) {
        sharing->backoff = 0;
        sharing->on = false;
    }
}

/* At the end of a batch: whether to go on with the other number of threads. */
static bool sim_changes_width(struct sim *sim)
{
    struct sharing *sharing = &sim->sharing;
    if (sim->options.threads || pool_threads(sim->wide) == 1 || ++sharing->windows < BATCH_WINDOWS)
        return false;
    batch_pause(sharing);
    double window = sharing->spent / BATCH_WINDOWS;
    bool was = sharing->on;
    if (was)
        sharing_judge_shared(sharing, window);
    else
        sharing_judge_alone(sharing, window);
    batch_begin(sharing);
    return was != sharing->on;
}

static bool sim_next_window(void *context)
{
    struct sim *sim = context;
    sim->chip->now = sim->to;
    sim->chip->window_number++;
    sim->planned = sim_plan(sim);
    return sim->planned && !sim_changes_width(sim);
}

enum sim_end sim_run(struct sim *sim, cycle until, struct sim_poll poll)
{
    struct pool_work work = { sim_run_domain, sim_next_window, sim, sim->chip->domain_count };
    sim->until = until;
    sim->poll = poll;
    if (sim->chip->ended)
        return SIM_FINISHED;
    sim->planned = sim_plan(sim);
    batch_resume(&sim->sharing);
    while (sim->planned) {
        pool_run(sim->sharing.on ? sim->wide : sim->narrow, &work);
        if (sim->planned)
            batch_resume(&sim->sharing); /* by the other clock from here on */
    }
    batch_pause(&sim->sharing);
    return sim->end;
}

static u32 host_threads(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (u32)online : 1;
}

void sim_set_options(struct sim *sim, const struct sim_options *options)
{
    sim->options = *options;
    if (sim->options.window > sim->chip->window)
        sim->options.window = sim->chip->window;
    u32 threads = options->threads ? options->threads : host_threads();
    threads = (u32)min_u64(threads, max_u64(sim->chip->domain_count, 1));
    sim->sharing = (struct sharing){ .on = options->threads > 1 };
    if (!sim->narrow)
        sim->narrow = pool_create(1);
    if (sim->wide && pool_wanted(sim->wide) == threads)
        return;
    pool_destroy(sim->wide);
    sim->wide = pool_create(threads);
}

u32 sim_threads(const struct sim *sim)
{
    return pool_threads(sim->wide);
}

u32 sim_threads_wanted(const struct sim *sim)
{
    return pool_wanted(sim->wide);
}
