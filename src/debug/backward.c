/* backward.c - moving back in time to where something happened.
 *
 * The cycles from one copy to the next are done again with a lookout, the latest first, until it is
 * found; then the machine is brought there. */
#include <stdlib.h>

#include "debug/debug_private.h"

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
    lookout_settle(lookout);
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
        search->position = going_now(debug);
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
    if (!going_seldom(debug))
        return false;
    talk_listen(debug, 0);
    going_say(debug, "going back");
    return debug->interrupted || !debug->connected;
}

/* False: there is no such copy any more. */
static bool search_begin(struct search *search, u32 copy)
{
    struct debug *debug = search->debug;
    if (!past_restore(&debug->past, copy))
        return false;
    lookout_end(&debug->lookout);
    if (lookout_wants(&debug->lookout))
        lookout_begin(&debug->lookout);
    stops_begin(&debug->stops, debug->system);
    debug->lookout.earliest = false;
    bool watches = debug->lookout.watched_count && !debug->lookout.only_steps;
    going_set_kernel(debug, watches || stops_every_cycle(&debug->stops));
    return true;
}

/* From a copy to a later cycle. */
static bool search_part(struct search *search, cycle to)
{
    struct debug *debug = search->debug;
    if (!going_replay(debug, to, (struct sim_poll){ search_poll, search }))
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
    going_replay(debug, to, (struct sim_poll){ 0 });
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
        going_stand_interrupted(debug);
    } else if (search->position == NEVER) {
        going_travel(debug, debug->past.count ? debug->past.moments[0].at : began);
        debug->met = true;
        debug->stop.reason = STOP_BEGIN;
    } else {
        bool watch = search->found.reason == STOP_WATCH; /* gdb undoes the access itself */
        going_travel(debug, search->position + watch);
        going_stand(debug, &search->found);
        debug->back_to = NEVER;
        debug->one_cycle = search->found.unit ? search->position + 1 : NEVER;
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
        if (search_begin(search, copy)) {
            if (to == began)
                search_newest_part(search, to);
            else
                search_part(search, to);
            to = from;
        }
        copy = from ? past_find(&debug->past, from - 1) : NOBODY;
    }
}

static void backward_cycles(struct debug *debug, cycle began)
{
    cycle first = debug->past.count ? debug->past.moments[0].at : began;
    cycle step = debug->one_cycle == began ? 1 : debug->step_cycles;
    cycle to = began > step ? began - step : 0;
    debug->one_cycle = NEVER;
    going_travel(debug, max_u64(first, to));
    debug->met = true;
    debug->stop.reason = began > first ? STOP_STEPPED : STOP_BEGIN;
}

/* A step is to the thread's own last instruction, whatever others do. */
void going_backward(struct debug *debug)
{
    struct search search = { .debug = debug, .position = NEVER };
    cycle began = going_now(debug);
    if (began == debug->newest && debug->options.history_bytes)
        going_keep(debug); /* to come back to */
    debug->lookout.only_steps = debug->order.going == GOING_STEP_BACK;
    debug->lookout.stepped = debug->lookout.only_steps ? debug->order.thread : NOBODY;
    debug->lookout.step_all = false;
    words_clear(&debug->reason);
    if (debug->lookout.only_steps &&
        (debug->one_cycle == began || going_is_idle(debug, debug->order.thread))) {
        debug->lookout.only_steps = false;
        backward_cycles(debug, began);
        return;
    }
    search_copies(&search, began);
    debug->lookout.only_steps = false;
    search_finish(&search, began);
    free(search.words);
}

/* ---- Faults ---- */

static bool issue_poll(void *context)
{
    struct search *search = context;
    const struct lookout *lookout = &search->debug->lookout;
    for (u32 i = 0; i < lookout->seen_count; i++)
        if (lookout->seen[i].address == search->found.pc)
            search->position = lookout->seen[i].at;
    search->debug->lookout.seen_count = 0;
    return false;
}

/* Memory answers when the thread has gone on: back to where the instruction was next. */
cycle going_before_fault(struct debug *debug, u32 thread, u64 pc, cycle at)
{
    struct search search = { .debug = debug, .position = NEVER, .found = { .pc = pc } };
    struct debug_view view;
    going_travel(debug, at);
    place_view(threads_place(&debug->threads, thread), &view);
    if (view.pc == pc)
        return at;
    debug->lookout.only_steps = true;
    debug->lookout.stepped = thread;
    u32 copy = at ? past_find(&debug->past, at - 1) : NOBODY;
    for (cycle to = at; copy != NOBODY && search.position == NEVER;) {
        cycle from = debug->past.moments[copy].at;
        if (search_begin(&search, copy)) {
            going_set_kernel(debug, true);
            going_replay(debug, to, (struct sim_poll){ issue_poll, &search });
            issue_poll(&search);
            to = from;
        }
        copy = from ? past_find(&debug->past, from - 1) : NOBODY;
    }
    debug->lookout.only_steps = false;
    debug->lookout.stepped = NOBODY;
    return search.position == NEVER ? at : search.position;
}
