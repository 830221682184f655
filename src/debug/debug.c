/* debug.c - see debug.h: opening, closing, and the watcher of the run. */
#include "debug/debug.h"

#include <stdlib.h>
#include <string.h>

#include "base/wall.h"
#include "debug/debug_private.h"

#define WAIT_MS 100 /* between looks at signals, while nobody says anything */

/* ---- Talking ---- */

void talk_flush(struct debug *debug)
{
    struct text *out = &debug->remote.out;
    if (out->length && !server_send(&debug->server, out->chars, out->length))
        debug->connected = false;
    out->length = 0;
}

static void talk_begin(struct debug *debug)
{
    struct target_stop last = debug->remote.stop;
    remote_fini(&debug->remote);
    remote_init(&debug->remote, &debug->target);
    debug->remote.stop = last;
    debug->remote.general = last.thread;
    debug->connected = true;
}

bool talk_listen(struct debug *debug, int milliseconds)
{
    u8 bytes[4096];
    size_t length = sizeof bytes;
    switch (server_wait(&debug->server, milliseconds, bytes, &length)) {
    case SERVER_CAME:
        talk_begin(debug);
        debug->interrupted = debug->going; /* it comes to a machine that stands still */
        return true;
    case SERVER_BYTES:
        remote_take(&debug->remote, bytes, length);
        talk_flush(debug);
        return true;
    case SERVER_LEFT:
        debug->connected = false;
        return true;
    default:
        return false;
    }
}

static void target_go(void *context, const struct target_order *order)
{
    struct debug *debug = context;
    monitor_note_stats(debug);
    debug->order = *order;
    debug->going = true;
    debug->interrupted = false;
    debug->told_at = going_now(debug);
}

static void target_interrupt(void *context)
{
    ((struct debug *)context)->interrupted = true;
}

static void target_detach(void *context)
{
    ((struct debug *)context)->detached = true;
}

static void target_kill(void *context)
{
    ((struct debug *)context)->killed = true;
}

/* ---- Standing still ---- */

static void tell_stop(struct debug *debug)
{
    struct text words = { 0 };
    debug->going = debug->met = debug->interrupted = false;
    lookout_end(&debug->lookout);
    lookout_forget_removed(&debug->lookout);
    if (debug->back_to < going_now(debug) && debug->past.count)
        going_travel(debug, debug->back_to);
    debug->back_to = NEVER;
    monitor_stop_words(debug, &words);
    if (debug->remote.running) {
        if (words.length)
            remote_say(&debug->remote, words.chars);
        remote_stopped(&debug->remote, &debug->stop);
        talk_flush(debug);
        debug->detached = debug->detached || debug->stop.last;
    } else {
        debug->remote.stop = debug->stop; /* for whoever asks first */
    }
    text_fini(&words);
}

static bool is_over(const struct debug *debug)
{
    return debug->detached || debug->killed || run_interrupted() || atomic_load(&debug->abandoned);
}

/* Does what the client wants until it lets the run itself go on, or leaves. */
static void serve(struct debug *debug)
{
    while (!is_over(debug)) {
        if (debug->going) {
            if (!going_in_past(debug))
                return;
            tell_stop(debug);
        }
        talk_listen(debug, WAIT_MS);
    }
}

/* The run goes on without it, from where the run is. False: it was not let go of, and ends there. A
 * debugger that has let go of it may end before the run is back where it goes on. */
static bool leave(struct debug *debug)
{
    bool let_go = debug->detached || !(debug->killed || atomic_load(&debug->abandoned));
    lookout_end(&debug->lookout);
    if (debug->system->chip->now != debug->newest)
        going_travel(debug, debug->newest);
    system_set_options(debug->system, &debug->sim);
    debug->detached = true;
    server_drop_client(&debug->server);
    debug->connected = false;
    return let_go;
}

/* ---- The watcher ---- */

static void debug_begun(void *context, const struct run_progress *progress)
{
    struct debug *debug = context;
    debug->record = progress->record;
    debug->system = progress->record->system;
    debug->sim = progress->record->options->sim;
    threads_init(&debug->threads, debug->system);
    lookout_init(&debug->lookout, &debug->threads, debug->system);
    debug->lookout.read = debug->target.read;
    debug->lookout.context = debug;
    past_init(&debug->past, debug->system->chip->arena, debug->options.history_bytes,
              progress->record->result->folder, debug->options.history_disk_bytes);
    debug->stepped = heap_array(threads_count(&debug->threads), 1);
    view_describe(debug);
    debug->newest = debug->end = debug->system->chip->now;
    if (debug->options.history_bytes)
        going_keep(debug);
    monitor_note_stats(debug);
    if (debug->options.to_end)
        target_go(debug, &(struct target_order){ .going = GOING_ON });
}

/* Seldom: whether the client, or the time that has gone by, want a visit. */
static bool is_called_away(struct debug *debug)
{
    if (++debug->polls % 64)
        return false;
    talk_listen(debug, 0);
    return debug->interrupted || debug->killed || debug->detached ||
           atomic_load(&debug->abandoned) || (!debug->connected && !debug->options.to_end) ||
           debug->lookout.earliest != going_is_calm(debug) || going_keep_due(debug);
}

/* Between windows: mostly there is nothing to do, and that must not take time. It is asked again
 * before the visit, and then says the same. */
static bool debug_calls(void *context)
{
    struct debug *debug = context;
    if (debug->detached)
        return false;
    if (!debug->going || debug->called_at == going_now(debug))
        return true;
    bool looks = debug->lookout.on || debug->stops.count || debug->order.going == GOING_STEP;
    if (!(looks && going_meets(debug)) && !is_called_away(debug))
        return false;
    debug->called_at = going_now(debug);
    return true;
}

static void stand_for_client(struct debug *debug)
{
    if (debug->met || (!debug->interrupted && debug->connected))
        return;
    debug->met = true;
    debug->stop.reason = STOP_INTERRUPT;
}

static void debug_visit(void *context, const struct run_progress *progress,
                        struct run_orders *orders)
{
    struct debug *debug = context;
    debug->newest = debug->end = progress->now;
    if (debug->going && going_keep_due(debug))
        going_keep(debug);
    if (debug->going && !debug->options.to_end)
        stand_for_client(debug);
    if (debug->going && (debug->met || going_meets(debug)))
        tell_stop(debug);
    serve(debug);
    if (is_over(debug))
        orders->stop = !leave(debug);
    else
        going_prepare(debug);
    orders->edits = debug->edit_count;
    orders->visit_at = debug->detached ? NEVER : stops_next_cycle(&debug->stops, debug->newest);
}

/* Where it stands at its end, and which thread is looked at there. */
static void find_end(struct debug *debug)
{
    struct program_fault fault;
    debug->end = debug->newest;
    debug->end_thread = threads_failed(&debug->threads, &fault);
    if (debug->end_thread == NOBODY)
        debug->end_thread = debug->stop.thread;
    else if (past_find(&debug->past, fault.at) != NOBODY)
        debug->end = going_before_fault(debug, debug->end_thread, fault.pc, fault.at);
    going_travel(debug, debug->end);
}

/* The machine has come to its end by itself: it stands there, and the way back is open. */
static void debug_over(void *context, const struct run_progress *progress, const char *words)
{
    struct debug *debug = context;
    if (debug->detached)
        return;
    debug->newest = debug->system->chip->now;
    debug->ended = progress->record->result->status;
    words_clear(&debug->ending);
    text_add(&debug->ending, "%s", words ? words : "");
    debug->options.to_end = false;
    bool met = debug->going && going_meets(debug); /* in the same window, before it */
    struct target_stop stop = debug->stop;
    cycle back_to = debug->back_to;
    debug->order.going = GOING_ON;
    debug->going = true; /* its end is what it comes to */
    find_end(debug);
    if (met) {
        debug->stop = stop;
        debug->back_to = back_to;
        tell_stop(debug);
    }
    serve(debug);
    leave(debug);
}

static void debug_sampled(void *context, cycle end, const u64 *grown)
{
    (void)context;
    (void)end;
    (void)grown;
}

/* Whoever is still connected hears how it ended. */
static void debug_ended(void *context, const struct run_progress *progress)
{
    (void)context;
    (void)progress;
}

struct run_watcher debug_watcher(struct debug *debug)
{
    return (struct run_watcher){ .begun = debug_begun,
                                 .calls = debug_calls,
                                 .visit = debug_visit,
                                 .over = debug_over,
                                 .sampled = debug_sampled,
                                 .ended = debug_ended,
                                 .context = debug };
}

/* ---- Opening and closing ---- */

struct debug *debug_open(const struct debug_options *options, struct ogv_error *error)
{
    struct debug *debug = heap_array(1, sizeof *debug);
    debug->options = *options;
    debug->step_cycles = 1;
    debug->back_to = debug->one_cycle = debug->called_at = NEVER;
    view_target(debug);
    debug->target.go = target_go;
    debug->target.interrupt = target_interrupt;
    debug->target.detach = target_detach;
    debug->target.kill = target_kill;
    remote_init(&debug->remote, &debug->target);
    if (server_open(&debug->server, options->where, error))
        return debug;
    free(debug);
    return NULL;
}

const char *debug_where(const struct debug *debug)
{
    return debug->server.where;
}

void debug_abandon(struct debug *debug)
{
    atomic_store(&debug->abandoned, true);
}

void debug_close(struct debug *debug)
{
    if (!debug)
        return;
    server_close(&debug->server);
    remote_fini(&debug->remote);
    if (debug->system) {
        threads_fini(&debug->threads);
        lookout_fini(&debug->lookout);
        past_fini(&debug->past);
    }
    stops_fini(&debug->stops);
    text_fini(&debug->description);
    text_fini(&debug->ending);
    text_fini(&debug->reason);
    for (u32 i = 0; i < debug->edit_count; i++)
        free(debug->edits[i].bytes);
    free(debug->edits);
    free(debug->stepped);
    free(debug->before);
    free(debug);
}
