/* watch.c - the simulation's side of the live page: it publishes what was asked for, and takes
 * orders.
 *
 * How often it publishes is limited by what that costs, so that those who watch never take more
 * than a small part of the time of the simulation. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/wall.h"
#include "live/live_private.h"
#include "report/page.h"

#define STATE_PERIOD 0.2 /* seconds between two snapshots at least */
#define STATE_REST   150 /* times what one costs, likewise */
#define IMAGE_PERIOD 0.5
#define IMAGE_REST   300
#define PAUSE_NAP_NS 50000000 /* while it stands still: how soon signals are noticed */

/* Takes the text over. */
static void publish(struct live *live, struct publication *publication, struct text *text)
{
    pthread_mutex_lock(&live->lock);
    char *old = publication->bytes;
    publication->bytes = text->chars;
    publication->length = text->length;
    publication->number++;
    publication->wanted = false;
    pthread_mutex_unlock(&live->lock);
    free(old);
    *text = (struct text){ 0 };
}

static void publish_state(struct live *live, const struct run_progress *progress)
{
    double begun = wall_clock();
    struct text json = { 0 };
    snapshot_write(live, progress, &json);
    publish(live, &live->state, &json);
    live->state_at = progress->now;
    live->state_paused = live->paused;
    double ended = wall_clock(), rest = STATE_REST * (ended - begun);
    live->state_due = ended + (rest > STATE_PERIOD ? rest : STATE_PERIOD);
}

static void publish_image(struct live *live, const struct run_progress *progress)
{
    double begun = wall_clock();
    struct text png = { 0 };
    snapshot_image(progress->record, &png);
    if (png.length)
        publish(live, &live->image, &png);
    live->image_at = progress->now;
    double ended = wall_clock(), rest = IMAGE_REST * (ended - begun);
    live->image_due = ended + (rest > IMAGE_PERIOD ? rest : IMAGE_PERIOD);
}

/* ---- Beginning and end ---- */

static void publish_page(struct live *live, const struct plan *plan)
{
    struct ogv_error error;
    struct text page = { 0 }, columns = { 0 };
    snapshot_columns(plan, &columns);
    if (!page_live(live->current.result, text_get(&columns), live->nonce, &page, &error)) {
        text_fini(&page);
        text_add(&page, "%s\n", error.message);
    }
    publish(live, &live->page, &page);
    text_fini(&columns);
}

static void watch_begun(void *context, const struct run_progress *progress)
{
    struct live *live = context;
    const struct record *record = progress->record;
    struct ogv_error error;
    live->checkpoint_at = NEVER;
    if (!current_init(&live->current, record, record->result->folder, &error))
        ogv_bug("the record of a run is not one: %s", error.message);
    pthread_mutex_lock(&live->lock);
    history_init(&live->history, record->system->plan, progress->now);
    live->begun = true;
    pthread_mutex_unlock(&live->lock);
    publish_page(live, record->system->plan);
    publish_state(live, progress);
}

static void watch_ended(void *context, const struct run_progress *progress)
{
    struct live *live = context;
    live->paused = true; /* as far as there is something to say about who waits for whom */
    publish_state(live, progress);
    pthread_mutex_lock(&live->lock);
    bool watched = live->asked_at > 0;
    pthread_mutex_unlock(&live->lock);
    if (watched)
        publish_image(live, progress);
    pthread_mutex_lock(&live->lock);
    live->status = heap_copy(run_status_name(progress->record->result->status));
    pthread_mutex_unlock(&live->lock);
}

static void watch_sampled(void *context, cycle end, const u64 *grown)
{
    struct live *live = context;
    pthread_mutex_lock(&live->lock);
    history_add(&live->history, end, grown);
    pthread_mutex_unlock(&live->lock);
}

/* ---- On the way ---- */

static bool watch_calls(void *context)
{
    struct live *live = context;
    if (!atomic_load_explicit(&live->attention, memory_order_relaxed))
        return false;
    return atomic_load(&live->urgent) || wall_clock() >= live->state_due;
}

/* What was asked for, once. */
static struct live_request request_take(struct live *live, bool *state, bool *image)
{
    pthread_mutex_lock(&live->lock);
    struct live_request request = live->request;
    live->request = (struct live_request){ 0 };
    live->requests_taken = live->requests_given - (request.checkpoint ? 1 : 0);
    *state = live->state.wanted;
    *image = live->image.wanted;
    atomic_store(&live->urgent, request.checkpoint);
    atomic_store(&live->attention, request.checkpoint);
    pthread_mutex_unlock(&live->lock);
    return request;
}

static void orders_give(struct live *live, const struct live_request *request, cycle now,
                        struct run_orders *orders)
{
    if (now >= orders->visit_at) {
        orders->visit_at = NEVER;
        live->paused = true;
    }
    if (request->pause)
        live->paused = true;
    if (request->go_on || request->step_cycles)
        live->paused = false;
    if (request->go_on || request->pause)
        orders->visit_at = NEVER;
    if (request->step_cycles)
        orders->visit_at = request->step_cycles < NEVER - now ? now + request->step_cycles : NEVER;
    orders->pause = live->paused;
    orders->stop = orders->stop || request->stop;
    orders->checkpoint = request->checkpoint;
    if (request->checkpoint)
        live->checkpoint_at = now;
}

/* While it stands still nothing changes: what was published then is still right. */
static void publish_wanted(struct live *live, const struct run_progress *progress, bool state,
                           bool image)
{
    double wall = wall_clock();
    bool turned = live->paused != live->state_paused;
    bool stale = progress->now != live->state_at;
    if (turned || (stale && state && (live->paused || wall >= live->state_due)))
        publish_state(live, progress);
    if (image && progress->now != live->image_at && (live->paused || wall >= live->image_due))
        publish_image(live, progress);
}

/* Until somebody asks for something, or for a moment. */
static void pause_nap(struct live *live)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE_NAP_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&live->lock);
    if (!atomic_load(&live->attention))
        pthread_cond_timedwait(&live->news, &live->lock, &until);
    pthread_mutex_unlock(&live->lock);
}

static void watch_visit(void *context, const struct run_progress *progress,
                        struct run_orders *orders)
{
    struct live *live = context;
    bool state, image;
    struct live_request request = request_take(live, &state, &image);
    orders_give(live, &request, progress->now, orders);
    publish_wanted(live, progress, state, image);
    if (orders->pause && !orders->stop && !orders->checkpoint)
        pause_nap(live);
}

struct run_watcher watch_functions(struct live *live)
{
    return (struct run_watcher){ .begun = watch_begun,
                                 .calls = watch_calls,
                                 .visit = watch_visit,
                                 .sampled = watch_sampled,
                                 .ended = watch_ended,
                                 .context = live };
}

void watch_fini(struct live *live)
{
    current_fini(&live->current);
    history_fini(&live->history);
    free(live->unit_first);
    free(live->units_before);
    free(live->units_now);
}
