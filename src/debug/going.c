/* going.c - moving in time, forwards and backwards.
 *
 * Forwards at the newest cycle, the run does it: here is only what it needs, and whether a cycle
 * makes it stand still. In the past, the machine is brought to a cycle from the last copy before
 * it, by an exact replay. To go back to where something happened, the cycles from one copy to the
 * next are done again with a lookout, the latest first, until it is found.
 *
 * A position in time is a cycle that has not begun. An arrival at a breakpoint in cycle c is seen
 * at c + 1, as it is forwards; an instruction that issued in c is undone at c. */
#include <stdlib.h>
#include <string.h>

#include "base/wall.h"
#include "debug/debug_private.h"
#include "unit/registry.h"

#define KEEP_REST   40  /* times what a copy costs, between two at least: 2.5% of the time */
#define KEEP_PERIOD 0.5 /* seconds, likewise */
#define REPLAY_KEEP 0.1 /* seconds of replay between copies: the next step back is near one */
#define SAY_AFTER   2.0 /* seconds before words, and between them */
#define POLLS       64  /* windows between two looks at the client */

static cycle now_of(const struct debug *debug)
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
    threads_name(&debug->threads, seen->thread, &debug->reason);
    text_add(&debug->reason, " %s 0x%llx with the instruction at 0x%llx in cycle %llu\n",
             seen->point == POINT_WRITE ? "wrote" : "accessed", (unsigned long long)seen->address,
             (unsigned long long)seen->pc, (unsigned long long)seen->at);
}

/* Of a watchpoint, all are named that met it in the same cycle. */
static void stand(struct debug *debug, const struct sighting *met)
{
    debug->met = true;
    debug->stop = (struct target_stop){
        .reason = met->reason, .thread = met->thread, .address = met->address, .point = met->point
    };
    if (met->reason != STOP_WATCH)
        return;
    debug->back_to = met->at;
    words_clear(&debug->reason);
    say_access(debug, met);
    for (u32 i = 0; i < debug->lookout.seen_count; i++) {
        const struct sighting *seen = &debug->lookout.seen[i];
        if (seen->reason == STOP_WATCH && seen->at == met->at && seen->thread != met->thread)
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

/* Of a machine without a program, or of a thread that has ended, a step is some cycles. */
static bool thread_is_idle(const struct debug *debug, u32 thread)
{
    struct debug_view view;
    struct thread_place place = threads_place(&debug->threads, thread);
    place_view(place, &view);
    return !place.unit || view.ended;
}

static bool plain_step(const struct debug *debug)
{
    return debug->order.going == GOING_STEP && thread_is_idle(debug, debug->order.thread);
}

bool going_meets(struct debug *debug)
{
    if (debug->met)
        return true;
    const struct sighting *met = seen_choose(debug);
    if (met || debug->order.alone)
        also_add(debug, met);
    if (met) {
        stand(debug, met);
    } else if (!machine_meets(debug) && plain_step(debug) &&
               now_of(debug) >= debug->step_began + debug->step_cycles) {
        debug->met = true;
        debug->stop = (struct target_stop){ .reason = STOP_STEPPED, .thread = debug->order.thread };
    }
    debug->lookout.seen_count = 0;
    return debug->met;
}

/* ---- How the kernel runs ---- */

static void kernel_set(struct debug *debug, bool every_cycle)
{
    struct sim_options options = debug->sim;
    if (every_cycle)
        options.window = 1;
    if (every_cycle || debug->lookout.on)
        options.threads = 1;
    system_set_options(debug->system, &options);
}

void going_prepare(struct debug *debug)
{
    bool step = debug->order.going == GOING_STEP;
    debug->met = false;
    debug->step_began = now_of(debug);
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
    kernel_set(debug, debug->lookout.on || stops_every_cycle(&debug->stops) || plain_step(debug));
}

/* ---- Copies ---- */

void going_keep(struct debug *debug)
{
    past_keep(&debug->past, now_of(debug));
    debug->kept_at = wall_clock();
}

bool going_keep_due(struct debug *debug)
{
    double rest = KEEP_REST * debug->past.cost_seconds;
    double since = wall_clock() - debug->kept_at;
    return debug->options.history_bytes && since > KEEP_PERIOD && since > rest;
}

/* ---- Replays ---- */

static void say_where(struct debug *debug, const char *what)
{
    double wall = wall_clock();
    if (wall - debug->said_at < SAY_AFTER)
        return;
    char *words = text_format("%s: cycle %llu of %llu\n", what, (unsigned long long)now_of(debug),
                              (unsigned long long)debug->newest);
    remote_say(&debug->remote, words);
    free(words);
    talk_flush(debug);
    debug->said_at = wall;
}

static bool seldom(struct debug *debug)
{
    return ++debug->polls % POLLS == 0;
}

static bool travel_poll(void *context)
{
    struct debug *debug = context;
    return seldom(debug) && wall_clock() - debug->kept_at > REPLAY_KEEP;
}

static void edits_repeat(struct debug *debug)
{
    for (u32 i = 0; i < debug->edit_count; i++)
        if (debug->edits[i].at == now_of(debug))
            view_edit(debug, &debug->edits[i]);
}

static cycle edits_next(const struct debug *debug)
{
    cycle next = NEVER;
    for (u32 i = 0; i < debug->edit_count; i++)
        if (debug->edits[i].at > now_of(debug))
            next = min_u64(next, debug->edits[i].at);
    return next;
}

/* Runs to a cycle, with what the user changed on the way. False: the poll ended it, or the run has
 * ended. */
static bool replay(struct debug *debug, cycle to, struct sim_poll poll)
{
    struct ogv_error ignored;
    while (now_of(debug) < to) {
        cycle before = now_of(debug);
        enum sim_end end =
            system_run(debug->system, min_u64(to, edits_next(debug)), poll, &ignored);
        if (now_of(debug) != before)
            edits_repeat(debug);
        if (end == SIM_PAUSED && poll.function == travel_poll) {
            going_keep(debug);
            say_where(debug, "replaying");
        } else if (end != SIM_REACHED) {
            return false;
        }
    }
    return true;
}

void going_travel(struct debug *debug, cycle at)
{
    u32 copy = past_find(&debug->past, at);
    bool back = now_of(debug) > at;
    bool shorter = copy != NOBODY && debug->past.moments[copy].at > now_of(debug);
    lookout_end(&debug->lookout);
    if (copy != NOBODY && (back || shorter))
        past_restore(&debug->past, copy);
    debug->kept_at = wall_clock();
    kernel_set(debug, false);
    replay(debug, at, (struct sim_poll){ travel_poll, debug });
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
    if (!seldom(debug))
        return false;
    talk_listen(debug, 0);
    say_where(debug, "replaying");
    return debug->interrupted || !debug->connected;
}

static void stand_interrupted(struct debug *debug)
{
    debug->met = true;
    debug->interrupted = false;
    debug->stop.reason = STOP_INTERRUPT;
}

static bool forward_in_past(struct debug *debug)
{
    going_prepare(debug);
    cycle to = min_u64(debug->newest, stops_next_cycle(&debug->stops, now_of(debug)));
    replay(debug, to, (struct sim_poll){ forward_poll, debug });
    if (!debug->met && now_of(debug) < debug->newest && !going_meets(debug))
        stand_interrupted(debug);
    return going_meets(debug);
}

/* ---- Backwards ---- */

struct search {
    struct debug *debug;
    struct sighting found;
    cycle position; /* NEVER: nothing yet */
    char *words;
};

static cycle sighting_position(const struct sighting *seen)
{
    return seen->reason == STOP_BREAK ? seen->at + 1 : seen->at;
}

static void search_look(struct search *search)
{
    struct lookout *lookout = &search->debug->lookout;
    for (u32 i = 0; i < lookout->seen_count; i++) {
        cycle position = sighting_position(&lookout->seen[i]);
        if (search->position != NEVER && position < search->position)
            continue;
        search->position = position;
        search->found = lookout->seen[i];
    }
    lookout->seen_count = 0;
}

/* A stop of the machine's own is a sighting, too. */
static void search_look_machine(struct search *search)
{
    struct debug *debug = search->debug;
    struct text words = { 0 };
    u32 thread = NOBODY;
    if (debug->stops.count && !debug->lookout.only_steps &&
        stops_meet(&debug->stops, debug->system, &thread, &words)) {
        search->position = now_of(debug);
        search->found =
            (struct sighting){ .reason = STOP_INTERRUPT,
                               .thread = thread == NOBODY ? debug->stop.thread : thread };
        free(search->words);
        search->words = heap_copy(text_get(&words));
    }
    text_fini(&words);
}

static bool search_poll(void *context)
{
    struct search *search = context;
    struct debug *debug = search->debug;
    search_look(search);
    search_look_machine(search);
    if (!seldom(debug))
        return false;
    talk_listen(debug, 0);
    say_where(debug, "going back");
    return debug->interrupted || !debug->connected;
}

static void search_begin(struct search *search, u32 copy)
{
    struct debug *debug = search->debug;
    past_restore(&debug->past, copy);
    lookout_end(&debug->lookout);
    if (lookout_wants(&debug->lookout))
        lookout_begin(&debug->lookout);
    stops_begin(&debug->stops, debug->system);
    kernel_set(debug, stops_every_cycle(&debug->stops));
}

/* From a copy to a later cycle. */
static bool search_part(struct search *search, cycle to)
{
    struct debug *debug = search->debug;
    if (!replay(debug, to, (struct sim_poll){ search_poll, search }))
        return false;
    search_look(search);
    search_look_machine(search);
    return true;
}

/* The same up to where it stands: what would be seen only there does not count. */
static void search_newest_part(struct search *search, cycle to)
{
    struct debug *debug = search->debug;
    struct search last = { .debug = debug, .position = NEVER };
    if (!search_part(search, to - 1))
        return;
    replay(debug, to, (struct sim_poll){ 0 });
    search_look(&last);
    if (last.position < to) {
        search->position = last.position;
        search->found = last.found;
    }
}

static void search_finish(struct search *search, cycle began)
{
    struct debug *debug = search->debug;
    debug->also_count = 0;
    if (debug->interrupted || !debug->connected) {
        going_travel(debug, began);
        stand_interrupted(debug);
    } else if (search->position == NEVER) {
        going_travel(debug, debug->past.count ? debug->past.moments[0].at : began);
        debug->met = true;
        debug->stop.reason = STOP_BEGIN;
    } else {
        bool watch = search->found.reason == STOP_WATCH; /* gdb undoes the access itself */
        going_travel(debug, search->position + watch);
        stand(debug, &search->found);
        debug->back_to = NEVER;
        if (search->words)
            text_add(&debug->reason, "%s", search->words);
    }
}

/* The copies from the latest on, until something is found. */
static void search_copies(struct search *search, cycle began)
{
    struct debug *debug = search->debug;
    cycle to = began;
    u32 copy = began ? past_find(&debug->past, began - 1) : NOBODY;
    while (copy != NOBODY && search->position == NEVER && !debug->interrupted && debug->connected) {
        cycle from = debug->past.moments[copy].at;
        search_begin(search, copy);
        if (to == began)
            search_newest_part(search, to);
        else
            search_part(search, to);
        to = from;
        copy = copy ? copy - 1 : NOBODY;
    }
}

static void backward_cycles(struct debug *debug, cycle began)
{
    cycle first = debug->past.count ? debug->past.moments[0].at : began;
    cycle to = began > debug->step_cycles ? began - debug->step_cycles : 0;
    going_travel(debug, max_u64(first, to));
    debug->met = true;
    debug->stop.reason = began > first ? STOP_STEPPED : STOP_BEGIN;
}

/* A step is to the thread's own last instruction, whatever others do. */
static void backward(struct debug *debug)
{
    struct search search = { .debug = debug, .position = NEVER };
    cycle began = now_of(debug);
    if (began == debug->newest && debug->options.history_bytes)
        going_keep(debug); /* to come back to */
    debug->lookout.only_steps = debug->order.going == GOING_STEP_BACK;
    debug->lookout.stepped = debug->lookout.only_steps ? debug->order.thread : NOBODY;
    debug->lookout.step_all = false;
    words_clear(&debug->reason);
    if (debug->lookout.only_steps && thread_is_idle(debug, debug->order.thread)) {
        debug->lookout.only_steps = false;
        backward_cycles(debug, began);
        return;
    }
    search_copies(&search, began);
    debug->lookout.only_steps = false;
    search_finish(&search, began);
    free(search.words);
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
        if (next.at + 1 < now_of(debug) && past_find(&debug->past, next.at + 1) != NOBODY)
            going_travel(debug, next.at + 1);
        place_view(threads_place(&debug->threads, next.thread), &view);
        if (view.ended || view.pc != next.pc)
            continue;
        stand(debug, &next);
        return true;
    }
    return false;
}

static void stand_at_end(struct debug *debug)
{
    debug->met = true;
    debug->stop.reason = debug->ended == RUN_FAULT ? STOP_FAULT : STOP_HANG;
    if (debug->ended == RUN_FINISHED || debug->ended == RUN_STOPPED)
        debug->stop.reason = STOP_END;
}

bool going_in_past(struct debug *debug)
{
    debug->said_at = wall_clock();
    if (debug->order.going == GOING_BACK || debug->order.going == GOING_STEP_BACK) {
        backward(debug);
        return true;
    }
    if (!debug->order.alone) {
        if (also_tell(debug))
            return true;
        debug->also_count = 0;
    }
    if (now_of(debug) < debug->newest && forward_in_past(debug))
        return true;
    if (debug->ended == RUN_RUNNING || now_of(debug) < debug->newest)
        return false;
    going_travel(debug, debug->newest);
    stand_at_end(debug);
    return true;
}
