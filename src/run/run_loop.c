/* run_loop.c - a run under way.
 *
 * The kernel is run from one stop to the next: the next sample, the next checkpoint, the last cycle
 * asked for, the next visit of whoever watches. Between windows it polls here, which is where
 * progress is reported and interrupts are noticed. None of this changes what the chip does: windows
 * may end at any cycle. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/stop.h"
#include "base/text.h"
#include "run/program.h"
#include "run/run_private.h"

/* Set by signal handlers, which may run on any thread. */
static atomic_bool asked;

void run_interrupt(void)
{
    stop_ask();
}

void run_ask_status(void)
{
    atomic_store(&asked, true);
}

bool run_interrupted(void)
{
    return stop_asked();
}

static void run_show(struct run *run, double wall)
{
    struct run_progress progress;
    meter_look(&run->shown, &progress);
    run->last_progress = wall;
    run->listener->progress(run->listener->context, &progress);
}

/* Once in a cycle, so that the run gets on however often it is wanted. */
static bool run_is_called(const struct run *run)
{
    const struct run_watcher *watcher = run->listener->watcher;
    return watcher && run->system->chip->now != run->visited_at && watcher->calls(watcher->context);
}

static void run_watch_polling(struct run *run)
{
    struct text text = { 0 };
    if (polling_notice(&run->polling, run->system, &text))
        run_note(run, text_get(&text));
    text_fini(&text);
}

/* Between windows: true stops the kernel. */
static bool run_poll(void *context)
{
    struct run *run = context;
    double wall = wall_clock();
    run_watch_polling(run);
    if (run->listener->progress && wall - run->last_progress >= run->listener->period_seconds)
        run_show(run, wall);
    double every = run->options->checkpoint_seconds;
    run->checkpoint_due = every > 0 && wall - run->last_checkpoint >= every;
    return run_interrupted() || run->checkpoint_due || atomic_load(&asked) || run_is_called(run);
}

/* Of a file that is written again and again: on a full disk it is told once. */
static void run_tried(struct run *run, bool good, bool *failing, const struct ogv_error *error)
{
    if (!good && !*failing)
        run_lose(run, error);
    *failing = !good;
}

void run_checkpoint(struct run *run)
{
    struct ogv_error error;
    char *path = folder_file(&run->folder, "checkpoint.ogv");
    bool good = ogv_system_checkpoint(run->system, path, &error);
    if (good)
        folder_log(&run->folder, "checkpoint at cycle %llu",
                   (unsigned long long)run->system->chip->now);
    run_tried(run, good, &run->checkpoint_failing, &error);
    run->last_checkpoint = wall_clock();
    free(path);
}

/* The next multiple of `step` after now; NEVER without a step. */
static cycle next_multiple(cycle now, cycle step)
{
    if (!step || now / step >= NEVER / step - 1)
        return NEVER;
    return (now / step + 1) * step;
}

/* `over`: it was to end here. */
static enum run_status status_of(enum sim_end end, bool over)
{
    switch (end) {
    case SIM_FINISHED:
        return RUN_FINISHED;
    case SIM_REACHED:
    case SIM_PAUSED:
        return over ? RUN_STOPPED : RUN_INTERRUPTED;
    case SIM_STOPPED:
        return RUN_FAULT;
    case SIM_DEADLOCK:
        return RUN_DEADLOCK;
    default:
        return RUN_LIVELOCK;
    }
}

bool run_sample(struct run *run, struct ogv_error *error)
{
    const struct run_watcher *watcher = run->listener->watcher;
    cycle before = series_last(run->series).end;
    if (!series_sample(run->series, error))
        return false;
    struct series_line line = series_last(run->series);
    if (watcher && line.end != before)
        watcher->sampled(watcher->context, line.end, line.grown);
    return true;
}

/* The status was asked for: it is said, and the folder says how far things are. */
static void run_answer(struct run *run)
{
    struct run_progress progress;
    struct ogv_error error;
    meter_look(&run->shown, &progress);
    if (run->listener->status)
        run->listener->status(run->listener->context, &progress);
    run_sum_up(run);
    run_figure_out(run);
    run_tried(run, series_flush(run->series, &error), &run->series_failing, &error);
    run_tried(run, record_stats(&run->record, &run->folder, &error), &run->stats_failing, &error);
}

static void run_note_pause(struct run *run)
{
    char *text = text_format(run->orders.pause ? "paused at cycle %llu" : "going on at cycle %llu",
                             (unsigned long long)run->system->chip->now);
    run_note(run, text);
    free(text);
}

static bool run_wants_visit(const struct run *run)
{
    return run->listener->watcher &&
           (run->orders.pause || run->system->chip->now >= run->orders.visit_at ||
            run_is_called(run));
}

/* The watcher looks, and is looked after until it lets the run go on. */
static void run_attend(struct run *run)
{
    const struct run_watcher *watcher = run->listener->watcher;
    do {
        if (atomic_exchange(&asked, false))
            run_answer(run);
        if (!run_wants_visit(run))
            break;
        struct run_progress progress;
        meter_look(&run->watched, &progress);
        bool stood = run->orders.pause;
        run->visited_at = progress.now;
        watcher->visit(watcher->context, &progress, &run->orders);
        run->result->edits = run->orders.edits;
        if (run->orders.pause != stood)
            run_note_pause(run);
        if (run->orders.checkpoint)
            run_checkpoint(run);
        run->orders.checkpoint = false;
    } while (run->orders.pause && !run->orders.stop && !run_interrupted());
}

/* What is due at the stop that was reached. A line of the series that would end after the last
 * event is left to the end of the run, which writes it up to there. */
static void run_stopover(struct run *run)
{
    const struct run_options *options = run->options;
    struct ogv_error error;
    cycle now = run->system->chip->now;
    if (options->interval && now % options->interval == 0 && !sim_quiet(run->system->sim))
        run_tried(run, run_sample(run, &error), &run->series_failing, &error);
    bool by_cycles = options->checkpoint_cycles && now % options->checkpoint_cycles == 0;
    if (by_cycles || run->checkpoint_due)
        run_checkpoint(run);
    run_attend(run);
}

/* Where the kernel has to stop next. */
static cycle run_next_stop(const struct run *run)
{
    const struct run_options *options = run->options;
    cycle now = run->system->chip->now;
    cycle due = min_u64(next_multiple(now, options->interval),
                        next_multiple(now, options->checkpoint_cycles));
    return min_u64(min_u64(options->stop_after, run->orders.visit_at), due);
}

/* A watcher may want to look at the end, and at what came before. */
static void run_tell_end(struct run *run, const struct ogv_error *hang)
{
    const struct run_watcher *watcher = run->listener->watcher;
    enum run_status status = run->result->status;
    struct run_progress progress;
    struct text words = { 0 };
    if (!watcher || !watcher->over || status == RUN_INTERRUPTED || run->orders.stop)
        return;
    if (status == RUN_FAULT)
        program_fault(run->system, &words);
    else if (hang->kind)
        text_add(&words, "%s", hang->message);
    meter_look(&run->watched, &progress);
    watcher->over(watcher->context, &progress, words.chars);
    text_fini(&words);
}

void run_loop(struct run *run, struct ogv_error *hang)
{
    struct sim_poll poll = { run_poll, run };
    for (;;) {
        enum sim_end end = system_run(run->system, run_next_stop(run), poll, hang);
        bool pause = end == SIM_REACHED || (end == SIM_PAUSED && !run_interrupted());
        if (pause)
            run_stopover(run);
        run->checkpoint_due = false;
        bool over = run->orders.stop || run->system->chip->now >= run->options->stop_after;
        if (pause && !over && !run_interrupted())
            continue;
        run->result->status = status_of(end, over);
        run_tell_end(run, hang);
        return;
    }
}
