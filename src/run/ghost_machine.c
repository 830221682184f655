/* ghost_machine.c - the machine without cycles that ghosts.h tells of.
 *
 * SMs take turns in which a full one makes some visits, and what they ask for is in the order of
 * these turns. They have nothing in common but the blocks that are given to them, so each is run
 * for many turns at once, with its lines and lists in the caches of the host, until it needs a
 * block: that it gets when no other can still need one in an earlier turn. What it asks for is put
 * in order afterwards. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ogive/memory.h"
#include "rt/bvh.h"
#include "run/ghost_set.h"
#include "run/ghosts.h"

#define TURN_VISITS 16 /* that a full SM makes in a row */
#define VISIT_TIME  (UINT64_C(1) << 32)
#define VISITS_AHEAD                                                             \
    16 /* a line of the host's caches, that is fetched before a list comes to it \
        */
#define ASKED_MOST (UINT64_C(1) << 20) /* requests that wait until they are put in order */
#define NOBODY     UINT32_MAX

struct ghost_thread {
    const u32 *at, *end; /* the visit that is next in its list */
    u32 block;
};

/* What there is of a thread while its ray is in the RT core. */
struct ghost_ray {
    const u32 *at;
    u32 thread, block;
};

struct ghost_request {
    u32 request, turn;
    u16 block;
};

struct ghost_sm {
    u32 turn;
    u64 time; /* that its visits have taken, each in as many parts as there were rays */
    u64 part; /* that one takes with so many rays: */
    u32 part_of;
    u32 visits; /* of the turn */
    u32 slot;   /* in the RT core, whose turn was last */
    struct ghost_set *sets;
    struct ghost_thread *threads; /* of which these wait with a ray, in a ring, */
    u32 *queue;
    u32 queue_first, queue_count;
    struct ghost_ray *tracing; /* and these are in the RT core */
    u32 tracing_count;
    u32 idle;                    /* this one has no piece; NOBODY */
    u64 next, end;               /* pieces of its block */
    bool waits;                  /* for one */
    struct ghost_request *asked; /* in the order of the turns */
    u64 asked_count, asked_room;
    u64 sorted; /* of these, that are in order with those of others */
    struct {
        bool any;
        u32 turn, block;
    } last; /* ray that ended */
};

struct ghost_machine {
    const struct ghost_source *source;
    const struct visit_lists *lists;
    const struct ghost_shape *shape;
    u32 line_bits; /* of the number of a sector that say which of its line it is */
    u32 whole;     /* sectors that the L1 has together, less one */
    struct ghost_divisor sets;
    struct ghost_sm *sms;
    u64 given;     /* pieces */
    u32 full_turn; /* the last block was given in it; NOBODY */
    u32 *visits;   /* by turn */
    u32 turns;     /* that there is room for */
    u64 asked;     /* requests that are not in order */
    struct ghosts ghosts;
    u64 room;
};

/* ---- What is asked for ---- */

static void ghost_add(struct ghost_machine *machine, struct ghost_sm *sm, u32 request, u32 block)
{
    if (sm->asked_count == sm->asked_room) {
        sm->asked_room = sm->asked_room ? 2 * sm->asked_room : 1024;
        sm->asked = heap_grow(sm->asked, sm->asked_room, sizeof *sm->asked);
    }
    sm->asked[sm->asked_count++] = (struct ghost_request){ request, sm->turn, (u16)block };
    machine->asked++;
}

/* Sectors in a row together. */
static __attribute__((noinline)) void line_ask(struct ghost_machine *machine, struct ghost_sm *sm,
                                               u32 number, u32 lacking, u32 block)
{
    while (lacking) {
        u32 first = (u32)__builtin_ctz(lacking), count = 1;
        while (count < UNIT_GHOST_SECTORS && lacking >> first >> count & 1)
            count++;
        ghost_add(machine, sm, unit_ghost((number << machine->line_bits) + first, count), block);
        lacking &= ~((UINT32_C(2) << (first + count - 1)) - 1);
    }
}

/* What is used of a line and not there is asked for. */
static inline void line_use(struct ghost_machine *machine, struct ghost_sm *sm, u32 number,
                            u32 pieces, u32 block)
{
    if (!ghost_line_counts(machine->source, number))
        return;
    struct ghost_set *set = &sm->sets[ghost_remainder(&machine->sets, number)];
    u32 lacking = ghost_set_use(set, machine->shape->ways, number, pieces);
    if (lacking)
        line_ask(machine, sm, number, lacking, block);
}

/* From one sector on to another, of several lines. */
static __attribute__((noinline)) void lines_use(struct ghost_machine *machine, struct ghost_sm *sm,
                                                u32 first, u32 last, u32 block)
{
    u32 bits = machine->line_bits, line = (UINT32_C(1) << bits) - 1, from = first & line;
    for (u32 number = first >> bits; number <= last >> bits; number++, from = 0) {
        u32 to = number == last >> bits ? last & line : line;
        line_use(machine, sm, number, (UINT32_C(2) << to) - (UINT32_C(1) << from), block);
    }
}

/* The same, but whole sectors of the L1, and most are of one line. */
static inline void sectors_use(struct ghost_machine *machine, struct ghost_sm *sm, u32 first,
                               u32 last, u32 block)
{
    u32 bits = machine->line_bits, line = (UINT32_C(1) << bits) - 1;
    first &= ~machine->whole;
    last |= machine->whole;
    if (__builtin_expect((first ^ last) > line, 0))
        lines_use(machine, sm, first, last, block);
    else
        line_use(machine, sm, first >> bits,
                 (UINT32_C(2) << (last & line)) - (UINT32_C(1) << (first & line)), block);
}

static inline void ghost_visit(struct ghost_machine *machine, struct ghost_sm *sm, u32 visit,
                               u32 block)
{
    const struct visit_lists *lists = machine->lists;
    bool of_block = visit & BVH_LIST_BLOCK;
    u32 bytes = of_block ? lists->block_bytes : lists->node_bytes;
    u64 first = (of_block ? lists->blocks : lists->nodes) + (u64)(visit & ~BVH_LIST_BLOCK) * bytes;
    sectors_use(machine, sm, (u32)(first / MEMORY_SECTOR),
                (u32)((first + bytes - 1) / MEMORY_SECTOR), block);
}

static bool visit_is_load(u32 visit)
{
    return (visit & BVH_LIST_STORE) == BVH_LIST_LOAD;
}

static bool visit_is_store(u32 visit)
{
    return (visit & BVH_LIST_STORE) == BVH_LIST_STORE && visit != BVH_LIST_END;
}

/* L1s keep nothing of it. */
static void quarter_store(struct ghost_machine *machine, struct ghost_sm *sm, u32 quarter,
                          u32 block)
{
    u32 sector = quarter / UNIT_GHOST_SECTORS;
    if (ghost_line_counts(machine->source, sector >> machine->line_bits))
        ghost_add(machine, sm, unit_ghost_write(sector, quarter % UNIT_GHOST_SECTORS), block);
}

/* What the program loads and stores before its next ray; false: there is none in this piece. */
static bool thread_load(struct ghost_machine *machine, struct ghost_sm *sm,
                        struct ghost_thread *thread)
{
    const u32 *at = thread->at, *end = thread->end;
    u32 block = thread->block;
    for (; at < end; at++) {
        u32 place = *at & ~BVH_LIST_STORE;
        if (visit_is_load(*at))
            sectors_use(machine, sm, place, place, block);
        else if (visit_is_store(*at))
            quarter_store(machine, sm, place, block);
        else
            break;
    }
    thread->at = at;
    return at < end;
}

/* A thread that begins a piece. Of one that visits nothing there need not be a list. */
static struct ghost_thread thread_of(const struct ghost_machine *machine, u64 piece)
{
    const struct visit_list *list = &machine->lists->of[piece];
    struct ghost_thread thread = { .block = (u32)(piece / machine->source->block) };
    if (list->count) {
        thread.at = machine->lists->visits[list->runner] + list->first;
        thread.end = thread.at + list->count;
    }
    return thread;
}

enum begun { BEGUN, BEGUN_NONE, BEGUN_NOT_YET };

/* The next piece with a ray, of its SM's block; or there is none any more, or none before the SM
 * gets another block. */
static enum begun thread_begin(struct ghost_machine *machine, struct ghost_sm *sm,
                               struct ghost_thread *thread)
{
    do {
        if (sm->next == sm->end)
            return machine->given == machine->lists->count ? BEGUN_NONE : BEGUN_NOT_YET;
        *thread = thread_of(machine, sm->next++);
        if (sm->next < sm->end)
            __builtin_prefetch(thread_of(machine, sm->next).at);
    } while (!thread_load(machine, sm, thread));
    return BEGUN;
}

/* ---- An SM ---- */

static void ray_queue(const struct ghost_machine *machine, struct ghost_sm *sm, u32 thread)
{
    u32 threads = machine->shape->threads, last = sm->queue_first + sm->queue_count++;
    sm->queue[last < threads ? last : last - threads] = thread;
    __builtin_prefetch(sm->threads[thread].at + VISITS_AHEAD);
}

static __attribute__((noinline)) void queue_take(const struct ghost_machine *machine,
                                                 struct ghost_sm *sm)
{
    while (sm->queue_count && sm->tracing_count < machine->shape->rays) {
        u32 thread = sm->queue[sm->queue_first];
        sm->queue_first = sm->queue_first + 1 < machine->shape->threads ? sm->queue_first + 1 : 0;
        sm->queue_count--;
        sm->tracing[sm->tracing_count++] =
            (struct ghost_ray){ sm->threads[thread].at, thread, sm->threads[thread].block };
    }
}

static __attribute__((noinline)) void ray_end(struct ghost_machine *machine, struct ghost_sm *sm)
{
    u32 number = sm->tracing[sm->slot].thread;
    struct ghost_thread *thread = &sm->threads[number];
    thread->at = sm->tracing[sm->slot].at;
    sm->last.any = true;
    sm->last.turn = sm->turn;
    sm->last.block = thread->block;
    sm->tracing[sm->slot] = sm->tracing[--sm->tracing_count];
    if (thread_load(machine, sm, thread))
        ray_queue(machine, sm, number);
    else
        sm->idle = number;
}

/* One visit of one of its rays, in turn; false: it has none. */
static inline bool sm_step(struct ghost_machine *machine, struct ghost_sm *sm)
{
    if (sm->queue_count && sm->tracing_count < machine->shape->rays)
        queue_take(machine, sm);
    if (!sm->tracing_count)
        return false;
    sm->slot = sm->slot + 1 < sm->tracing_count ? sm->slot + 1 : 0;
    struct ghost_ray *ray = &sm->tracing[sm->slot];
    u32 visit = *ray->at++;
    __builtin_prefetch(ray->at + VISITS_AHEAD);
    if (visit == BVH_LIST_END) {
        ray_end(machine, sm);
        return true;
    }
    if (sm->part_of != sm->tracing_count) {
        sm->part_of = sm->tracing_count;
        sm->part = VISIT_TIME / sm->tracing_count;
    }
    sm->time += sm->part;
    sm->visits++;
    ghost_visit(machine, sm, visit, ray->block);
    return true;
}

/* Its idle thread goes on with the next piece; false: not before there is a block. */
static bool sm_begin(struct ghost_machine *machine, struct ghost_sm *sm)
{
    enum begun begun = thread_begin(machine, sm, &sm->threads[sm->idle]);
    if (begun == BEGUN_NOT_YET)
        return false;
    if (begun == BEGUN)
        ray_queue(machine, sm, sm->idle);
    sm->idle = NOBODY;
    return true;
}

static void visits_add(struct ghost_machine *machine, struct ghost_sm *sm)
{
    u32 turn = sm->turn;
    if (turn >= machine->turns) {
        u32 turns = 2 * turn + 1024;
        machine->visits = heap_grow(machine->visits, turns, sizeof *machine->visits);
        memset(machine->visits + machine->turns, 0,
               (turns - machine->turns) * sizeof *machine->visits);
        machine->turns = turns;
    }
    machine->visits[turn] += sm->visits;
    sm->visits = 0;
}

enum turned { TURNED, TURNED_WAITS, TURNED_OVER };

/* What is left of a turn, or as much of it as can be done before the SM has another block. */
static enum turned turn_go_on(struct ghost_machine *machine, struct ghost_sm *sm, u64 end)
{
    enum turned turned = TURNED;
    while (turned == TURNED && (sm->idle != NOBODY || sm->time <= end)) {
        if (sm->idle != NOBODY && !sm_begin(machine, sm))
            turned = TURNED_WAITS;
        else if (sm->time > end)
            break;
        else if (!sm_step(machine, sm))
            turned = TURNED_OVER;
    }
    visits_add(machine, sm);
    return turned;
}

/* Turns, until it has to wait for a block (true) or has nothing to do any more. In each of the
 * first a thread begins. */
static bool sm_run(struct ghost_machine *machine, struct ghost_sm *sm)
{
    u32 threads = machine->shape->threads;
    u64 whole = VISIT_TIME / machine->shape->rays * TURN_VISITS;
    for (; sm->turn < threads; sm->turn++) {
        sm->idle = sm->turn;
        if (!sm_begin(machine, sm))
            return true;
    }
    for (;; sm->turn++) {
        enum turned turned = turn_go_on(machine, sm, (sm->turn - threads) * whole);
        if (turned != TURNED)
            return turned == TURNED_WAITS;
    }
}

/* ---- All of them ---- */

static void sms_make(struct ghost_machine *machine)
{
    const struct ghost_shape *shape = machine->shape;
    machine->sms = heap_array(shape->sms, sizeof *machine->sms);
    for (u32 i = 0; i < shape->sms; i++) {
        struct ghost_sm *sm = &machine->sms[i];
        sm->sets = heap_array(shape->sets, sizeof *sm->sets);
        sm->threads = heap_array(shape->threads, sizeof *sm->threads);
        sm->queue = heap_array(shape->threads, sizeof *sm->queue);
        sm->tracing = heap_array(shape->rays, sizeof *sm->tracing);
        sm->waits = true;
        for (u32 k = 0; k < shape->sets; k++)
            ghost_set_init(&sm->sets[k], shape->ways);
    }
}

static void sms_free(struct ghost_machine *machine)
{
    for (u32 i = 0; i < machine->shape->sms; i++) {
        free(machine->sms[i].sets);
        free(machine->sms[i].threads);
        free(machine->sms[i].queue);
        free(machine->sms[i].tracing);
        free(machine->sms[i].asked);
    }
    free(machine->sms);
}

/* The one that needs a block first; NULL: none does. */
static struct ghost_sm *sm_first(const struct ghost_machine *machine)
{
    struct ghost_sm *first = NULL;
    for (u32 i = 0; i < machine->shape->sms; i++) {
        struct ghost_sm *sm = &machine->sms[i];
        if (sm->waits && (!first || sm->turn < first->turn))
            first = sm;
    }
    return first;
}

static void block_give(struct ghost_machine *machine, struct ghost_sm *sm)
{
    sm->next = machine->given;
    sm->end = min_u64(sm->next + machine->source->block, machine->lists->count);
    machine->given = sm->end;
    if (machine->full_turn == NOBODY && machine->given == machine->lists->count)
        machine->full_turn = sm->turn;
}

/* Requests of an SM in that turn; returns the turn of those that come next. */
static u32 requests_take(struct ghost_machine *machine, struct ghost_sm *sm, u32 turn)
{
    struct ghosts *ghosts = &machine->ghosts;
    for (; sm->sorted < sm->asked_count; sm->sorted++) {
        const struct ghost_request *request = &sm->asked[sm->sorted];
        if (request->turn != turn)
            return request->turn;
        ghosts->full.count += request->turn < machine->full_turn;
        ghosts->blocks[ghosts->count] = request->block;
        ghosts->requests[ghosts->count++] = request->request;
    }
    return UINT32_MAX;
}

static void requests_reserve(struct ghost_machine *machine)
{
    struct ghosts *ghosts = &machine->ghosts;
    if (ghosts->count + machine->asked <= machine->room)
        return;
    machine->room = max_u64(2 * machine->room, ghosts->count + machine->asked);
    ghosts->requests = heap_grow(ghosts->requests, machine->room, sizeof *ghosts->requests);
    ghosts->blocks = heap_grow(ghosts->blocks, machine->room, sizeof *ghosts->blocks);
}

/* Those of turns before `end` in order: turn by turn, of each turn one SM after the other. */
static void requests_sort(struct ghost_machine *machine, u32 end)
{
    u64 before = machine->ghosts.count;
    requests_reserve(machine);
    for (u32 turn = 0; turn < end;) {
        u32 following = UINT32_MAX;
        for (u32 i = 0; i < machine->shape->sms; i++)
            following = (u32)min_u64(following, requests_take(machine, &machine->sms[i], turn));
        turn = following;
    }
    for (u32 i = 0; i < machine->shape->sms; i++) {
        struct ghost_sm *sm = &machine->sms[i];
        if (!sm->sorted)
            continue;
        sm->asked_count -= sm->sorted;
        memmove(sm->asked, sm->asked + sm->sorted, sm->asked_count * sizeof *sm->asked);
        sm->sorted = 0;
    }
    machine->asked -= machine->ghosts.count - before;
}

/* Of rays that end at the same time the last one in order. */
static u32 block_last(const struct ghost_machine *machine)
{
    const struct ghost_sm *last = &machine->sms[0];
    for (u32 i = 1; i < machine->shape->sms; i++) {
        const struct ghost_sm *sm = &machine->sms[i];
        bool later =
            sm->time > last->time || (sm->time == last->time && sm->last.turn >= last->last.turn);
        if (sm->last.any && (!last->last.any || later))
            last = sm;
    }
    return last->last.block;
}

/* What comes before the nodes in a world belongs to pieces, but for a header. */
static u32 scene_first(const struct visit_lists *lists)
{
    return (u32)(lists->nodes / MEMORY_SECTOR);
}

static u64 visits_before(const struct ghost_machine *machine, u32 end)
{
    u64 visits = 0;
    for (u32 turn = 0; turn < end && turn < machine->turns; turn++)
        visits += machine->visits[turn];
    return visits;
}

struct ghosts ghosts_make(const struct ghost_source *source)
{
    const struct ghost_shape *shape = &source->shape;
    struct ghost_machine machine = { .source = source,
                                     .lists = source->lists,
                                     .shape = shape,
                                     .line_bits = (u32)__builtin_ctz(shape->line / MEMORY_SECTOR),
                                     .whole = shape->sector / MEMORY_SECTOR - 1,
                                     .sets = ghost_divisor_of(shape->sets),
                                     .full_turn = NOBODY,
                                     .ghosts.shared = scene_first(source->lists) };
    sms_make(&machine);
    for (struct ghost_sm *sm; (sm = sm_first(&machine));) {
        if (machine.asked > ASKED_MOST)
            requests_sort(&machine, sm->turn);
        block_give(&machine, sm);
        sm->waits = sm_run(&machine, sm);
    }
    requests_sort(&machine, UINT32_MAX);
    machine.ghosts.last_block = block_last(&machine);
    machine.ghosts.visits = visits_before(&machine, UINT32_MAX);
    machine.ghosts.full.visits = visits_before(&machine, machine.full_turn);
    free(machine.visits);
    sms_free(&machine);
    return machine.ghosts;
}
