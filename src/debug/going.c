/* going.c - moving in time.
 *
 * Forwards at the newest cycle, the run does it: here is only what it needs, and whether a cycle
 * makes it stand still. In the past, the machine is brought to a cycle from the last copy before
 * it, by an exact replay. Backwards is in backward.c.
 *
 * A position in time is a cycle that has not begun. An arrival at a breakpoint in cycle c is seen
 * at c + 1, as it is forwards; an instruction that issued in c is undone at c. */
#include <stdlib.h>
#include <string.h>

#include "base/wall.h"
#include "debug/debug_private.h"
#include "run/program.h"
#include "unit/registry.h"

#define KEEP_REST   40    /* times what a copy costs, between two at least: 2.5% of the time */
#define KEEP_PERIOD 0.5   /* seconds, likewise */
#define REPLAY_KEEP 0.1   /* seconds of replay between copies: the next step back is near one */
#define SAY_AFTER   2.0   /* seconds before words, and between them */
#define POLLS       64    /* windows between two looks at the client */
#define CALM        10000 /* cycles without a stop, after which it need not stop after each */

cycle going_now(const struct debug *debug)
{
    return debug->system->chip->now;
}

/* ---- What stands in the way ---- */

/* One thread of a warp stands for all that arrived with it. */
static bool same_warp(const struct debug *debug, const struct sighting *a, const struct sighting *b)
{
    struct thread_place one = threads_place(&debug->threads, a->thread);
    struct thread_place other = threads_place(&debug->threads, b->thread);
    struct debug_view view, mate;
    if (one.unit != other.unit || a->pc != b->pc)
        return false;
    place_view(one, &view);
    place_view(other, &mate);
    return view.lane != NOBODY && mate.lane != NOBODY && view.warp == mate.warp;
}

/* Keeps arrivals that cannot be told of now, of the first cycle that has any: later ones are seen
 * again. `met` is what is told of now, or NULL. */
static void also_add(struct debug *debug, const struct sighting *met)
{
    for (u32 i = 0; i < debug->lookout.seen_count; i++) {
        const struct sighting *seen = &debug->lookout.seen[i];
        bool told =
            seen->reason != STOP_BREAK || (debug->also_count && debug->also[0].at != seen->at);
        if (met)
            told = told || seen->thread == met->thread || same_warp(debug, seen, met);
        for (u32 k = 0; k < debug->also_count && !told; k++)
            told = same_warp(debug, seen, &debug->also[k]);
        if (!told && debug->also_count < SIGHTINGS_MAX)
            debug->also[debug->also_count++] = *seen;
    }
}

static void say_access(struct debug *debug, const struct sighting *seen)
{
    struct text *out = &debug->reason;
    if (seen->unit)
        text_add(out, "%s", unit_path(seen->unit));
    else
        threads_name(&debug->threads, seen->thread, out);
    text_add(out, " %s 0x%llx", seen->point == POINT_WRITE ? "wrote" : "accessed",
             (unsigned long long)seen->address);
    if (!seen->unit)
        text_add(out, " with the instruction at 0x%llx", (unsigned long long)seen->pc);
    else if (seen->thread != NOBODY)
        threads_name(&debug->threads, seen->thread, (text_add(out, " for "), out));
    text_add(out, " in cycle %llu\n", (unsigned long long)seen->at);
}

/* gdb wants one: of what a unit does by itself, the one that was looked at last. */
static u32 sighting_thread(const struct debug *debug, const struct sighting *seen)
{
    bool known = seen->thread < threads_count(&debug->threads);
    return known && going_is_alive(debug, seen->thread) ? seen->thread : debug->stop.thread;
}

/* Of a watchpoint, all are named that met it in the same cycle. */
void going_stand(struct debug *debug, const struct sighting *met)
{
    debug->met = true;
    debug->stop = (struct target_stop){ .reason = met->reason,
                                        .thread = sighting_thread(debug, met),
                                        .address = met->address,
                                        .point = met->point };
    debug->back_to = met->reason == STOP_BREAK ? met->at + 1 : NEVER;
    if (met->reason != STOP_WATCH)
        return;
    debug->back_to = met->at;
    debug->one_cycle = met->unit ? met->at : NEVER;
    words_clear(&debug->reason);
    say_access(debug, met);
    for (u32 i = 0; i < debug->lookout.seen_count; i++) {
        const struct sighting *seen = &debug->lookout.seen[i];
        bool same = seen->thread == met->thread && seen->unit == met->unit;
        if (seen->reason == STOP_WATCH && seen->at == met->at && !same)
            say_access(debug, seen);
    }
}

/* A step lasts while the thread is within its range; one of all, until the last has stepped. */
static bool step_ends(struct debug *debug, const struct sighting *seen)
{
    const struct target_order *order = &debug->order;
    struct debug_view view;
    if (!debug->step_all)
        return !(order->to > order->from && seen->pc >= order->from && seen->pc < order->to);
    debug->stepped[seen->thread] = true;
    for (u32 i = 0; i < threads_count(&debug->threads); i++) {
        place_view(threads_place(&debug->threads, i), &view);
        if (!view.ended && !debug->stepped[i])
            return false;
    }
    return true;
}

/* Breakpoints before steps: gdb is told more by them. */
static const struct sighting *seen_choose(struct debug *debug)
{
    const struct sighting *met = NULL;
    for (u32 i = 0; i < debug->lookout.seen_count; i++) {
        const struct sighting *seen = &debug->lookout.seen[i];
        bool counts = seen->reason != STOP_STEPPED || step_ends(debug, seen);
        if (debug->order.alone && seen->thread != debug->order.thread)
            continue;
        bool first = !met || (met->reason == STOP_STEPPED && seen->reason != STOP_STEPPED) ||
                     (seen->thread == debug->order.thread && met->thread != seen->thread);
        if (counts && first)
            met = seen;
    }
    return met;
}

static bool machine_meets(struct debug *debug)
{
    u32 thread = NOBODY;
    struct text words = { 0 };
    bool met = debug->stops.count && stops_meet(&debug->stops, debug->system, &thread, &words);
    if (met) {
        debug->met = true;
        debug->stop =
            (struct target_stop){ .reason = STOP_INTERRUPT,
                                  .thread = thread == NOBODY ? debug->stop.thread : thread };
        words_clear(&debug->reason);
        text_add(&debug->reason, "%s", text_get(&words));
    }
    text_fini(&words);
    return met;
}

bool going_is_alive(const struct debug *debug, u32 thread)
{
    struct debug_view view;
    place_view(threads_place(&debug->threads, thread), &view);
    bool stays = debug->ended != RUN_RUNNING && going_now(debug) >= debug->end;
    return !view.ended || (stays && thread == debug->end_thread);
}

bool going_is_idle(const struct debug *debug, u32 thread)
{
    return !threads_place(&debug->threads, thread).unit || !going_is_alive(debug, thread);
}

/* Of the machine, or over what a unit has written by itself: so many cycles; 0: it is no such step.
 */
static cycle plain_step(const struct debug *debug)
{
    if (debug->order.going != GOING_STEP)
        return 0;
    if (debug->step_began == debug->one_cycle)
        return 1;
    return going_is_idle(debug, debug->order.thread) ? debug->step_cycles : 0;
}

bool going_meets(struct debug *debug)
{
    if (debug->met)
        return true;
    lookout_settle(&debug->lookout);
    const struct sighting *met = seen_choose(debug);
    if (met || debug->order.alone)
        also_add(debug, met);
    if (met) {
        going_stand(debug, met);
    } else if (!machine_meets(debug) && plain_step(debug) &&
               going_now(debug) >= debug->step_began + plain_step(debug)) {
        debug->met = true;
        debug->one_cycle = NEVER;
        debug->stop = (struct target_stop){ .reason = STOP_STEPPED, .thread = debug->order.thread };
    }
    debug->lookout.seen_count = 0;
    return debug->met;
}

/* ---- How the kernel runs ---- */

void going_set_kernel(struct debug *debug, bool every_cycle)
{
    struct sim_options options = debug->sim;
    if (every_cycle)
        options.window = 1;
    if (every_cycle || debug->lookout.on)
        options.threads = 1;
    system_set_options(debug->system, &options);
}

/* Where breakpoints are seldom met, whole windows are run, and the way back to the cycle in which
 * one was is a replay. Those that are met often would be slower for that. */
bool going_is_calm(const struct debug *debug)
{
    return lookout_wants_breakpoints(&debug->lookout) && debug->past.count &&
           debug->order.going == GOING_ON && !debug->order.alone &&
           !stops_every_cycle(&debug->stops) && going_now(debug) >= debug->told_at + CALM;
}

void going_prepare(struct debug *debug)
{
    bool step = debug->order.going == GOING_STEP;
    debug->met = false;
    debug->step_began = going_now(debug);
    words_clear(&debug->reason);
    debug->lookout.stepped = step && !debug->step_all ? debug->order.thread : NOBODY;
    debug->lookout.step_all = step && debug->step_all;
    if (debug->stepped)
        memset(debug->stepped, 0, threads_count(&debug->threads));
    lookout_end(&debug->lookout);
    if (!debug->order.alone)
        lookout_forget_removed(&debug->lookout);
    if (lookout_wants(&debug->lookout))
        lookout_begin(&debug->lookout);
    stops_begin(&debug->stops, debug->system);
    debug->lookout.earliest = going_is_calm(debug);
    going_set_kernel(debug, (debug->lookout.on && !debug->lookout.earliest) ||
                                stops_every_cycle(&debug->stops) || plain_step(debug));
}

/* ---- Copies ---- */

void going_keep(struct debug *debug)
{
    past_keep(&debug->past, going_now(debug));
    debug->kept_at = wall_clock();
}

bool going_keep_due(struct debug *debug)
{
    double rest = KEEP_REST * debug->past.cost_seconds;
    double since = wall_clock() - debug->kept_at;
    return debug->options.history_bytes && since > KEEP_PERIOD && since > rest;
}

/* ---- Replays ---- */

void going_say(struct debug *debug, const char *what)
{
    double wall = wall_clock();
    if (wall - debug->said_at < SAY_AFTER)
        return;
    char *words =
        text_format("%s: cycle %llu of %llu\n", what, (unsigned long long)going_now(debug),
                    (unsigned long long)debug->newest);
    remote_say(&debug->remote, words);
    free(words);
    talk_flush(debug);
    debug->said_at = wall;
}

bool going_seldom(struct debug *debug)
{
    return ++debug->polls % POLLS == 0;
}

static bool travel_poll(void *context)
{
    struct debug *debug = context;
    return going_seldom(debug) && wall_clock() - debug->kept_at > REPLAY_KEEP;
}

static void edits_repeat(struct debug *debug)
{
    for (u32 i = 0; i < debug->edit_count; i++)
        if (debug->edits[i].at == going_now(debug))
            view_edit(debug, &debug->edits[i]);
}

static cycle edits_next(const struct debug *debug)
{
    cycle next = NEVER;
    for (u32 i = 0; i < debug->edit_count; i++)
        if (debug->edits[i].at > going_now(debug))
            next = min_u64(next, debug->edits[i].at);
    return next;
}

bool going_replay(struct debug *debug, cycle to, struct sim_poll poll)
{
    struct ogv_error ignored;
    while (going_now(debug) < to) {
        cycle before = going_now(debug);
        enum sim_end end =
            system_run(debug->system, min_u64(to, edits_next(debug)), poll, &ignored);
        if (going_now(debug) != before)
            edits_repeat(debug);
        if (end == SIM_PAUSED && poll.function == travel_poll) {
            going_keep(debug);
            going_say(debug, "replaying");
        } else if (end != SIM_REACHED) {
            return false;
        }
    }
    return true;
}

void going_travel(struct debug *debug, cycle at)
{
    u32 copy = past_find(&debug->past, at);
    bool back = going_now(debug) > at;
    bool shorter = copy != NOBODY && debug->past.moments[copy].at > going_now(debug);
    lookout_end(&debug->lookout);
    while (copy != NOBODY && (back || shorter) && !past_restore(&debug->past, copy))
        copy = past_find(&debug->past, at);
    debug->kept_at = wall_clock();
    going_set_kernel(debug, false);
    going_replay(debug, at, (struct sim_poll){ travel_poll, debug });
    if (at == debug->newest && debug->ended != RUN_RUNNING) {
        struct ogv_error ignored; /* as the run did, to notice its end */
        system_run(debug->system, at, (struct sim_poll){ 0 }, &ignored);
    }
}

/* ---- Forwards in the past ---- */

static bool forward_poll(void *context)
{
    struct debug *debug = context;
    if (going_meets(debug))
        return true;
    if (!going_seldom(debug))
        return false;
    talk_listen(debug, 0);
    going_say(debug, "replaying");
    return debug->interrupted || !debug->connected;
}

void going_stand_interrupted(struct debug *debug)
{
    debug->met = true;
    debug->interrupted = false;
    debug->stop.reason = STOP_INTERRUPT;
}

static bool forward_in_past(struct debug *debug)
{
    going_prepare(debug);
    cycle to = min_u64(debug->end, stops_next_cycle(&debug->stops, going_now(debug)));
    going_replay(debug, to, (struct sim_poll){ forward_poll, debug });
    if (!debug->met && going_now(debug) < to && !going_meets(debug))
        going_stand_interrupted(debug);
    return going_meets(debug);
}

/* ---- Orders ---- */

/* Another thread that arrived in the cycle of the last stop is told of before time goes on; so is
 * one that arrived while gdb stepped a thread alone, over a breakpoint that it had taken away for
 * that: the step is undone. */
static bool also_tell(struct debug *debug)
{
    while (debug->also_count) {
        struct sighting next = debug->also[0];
        struct debug_view view;
        debug->also_count--;
        memmove(debug->also, debug->also + 1, debug->also_count * sizeof *debug->also);
        if (!lookout_has(&debug->lookout, next.pc))
            continue;
        if (next.at + 1 < going_now(debug) && past_find(&debug->past, next.at + 1) != NOBODY)
            going_travel(debug, next.at + 1);
        place_view(threads_place(&debug->threads, next.thread), &view);
        if (view.ended || view.pc != next.pc)
            continue;
        going_stand(debug, &next);
        return true;
    }
    return false;
}

/* There it stands, so that it can go back. Told to go on, it is gone, as any program that ends. */
static void stand_at_end(struct debug *debug)
{
    enum target_stop_reason reason = debug->ended == RUN_FAULT ? STOP_FAULT : STOP_HANG;
    if (debug->ended == RUN_FINISHED || debug->ended == RUN_STOPPED)
        reason = STOP_END;
    bool told = debug->stop.reason == reason && going_now(debug) == debug->end;
    going_travel(debug, debug->end);
    debug->met = true;
    debug->stop = (struct target_stop){ .reason = reason,
                                        .thread = debug->end_thread,
                                        .code = (u8)program_exit_code(debug->system),
                                        .last = told };
}

bool going_in_past(struct debug *debug)
{
    debug->said_at = wall_clock();
    if (debug->order.going == GOING_BACK || debug->order.going == GOING_STEP_BACK) {
        going_backward(debug);
        return true;
    }
    if (!debug->order.alone) {
        if (also_tell(debug))
            return true;
        debug->also_count = 0;
    }
    if (going_now(debug) < debug->end && forward_in_past(debug))
        return true;
    if (debug->ended == RUN_RUNNING || going_now(debug) < debug->end)
        return false;
    stand_at_end(debug);
    return true;
}
