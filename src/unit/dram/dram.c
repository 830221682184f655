/* dram.c - one memory partition: DRAM channels, their controllers, and the data.
 *
 * Each channel takes one request per cycle from the users, in turn. A request spends `controller`
 * cycles on its way to the channel's queues and waits there, in order, until they have room. In the
 * cycle in which they accept it, it is executed on the data; so requests for one address take
 * effect in the order in which they were taken. A write is answered then, a read when the device
 * has delivered. An atomic is a read and, if it changes something, a write. src/dram decides when
 * which command issues; this file only drives it.
 *
 * A channel runs by itself, and what it does can be worked out when somebody looks: it is brought
 * up to date when a read may come back, when a request shows an effect as it is accepted (all but
 * plain reads do), and for reports. So a partition sleeps while commands issue, and while it is
 * idle.
 *
 * Always true: requests taken = answers given + slots in use, and a slot in use is in one place: on
 * the way to its channel, in the channel as a read, or in its user's list of answers. */
#include "unit/dram/dram.h"

#include "sim/clock.h"

/* What is called seldom does not make the usual way longer. */
#define SELDOM __attribute__((noinline))

/* ---- Lists of slots ---- */

static void list_append(struct dram *u, struct list *list, u32 index)
{
    u->slots[index].next = NOBODY;
    if (list->first == NOBODY)
        list->first = index;
    else
        u->slots[list->last].next = index;
    list->last = index;
}

/* ---- Answers ---- */

static void answer_queue(struct dram *u, u32 index)
{
    u32 user = u->slots[index].user;
    list_append(u, &u->users[user].answers, index);
    u->answering[user / 64] |= UINT64_C(1) << (user % 64);
}

/* Gives an answer, if its link has room, and frees its slot. */
static inline bool answer_give(struct dram *u, struct lane *lane, u32 index)
{
    struct slot_of_request *slot = &u->slots[index];
    struct message *answer = link_try_push(u->w.users.at[slot->user].out);
    if (!answer)
        return false;
    *answer = slot->message;
    slot->next = lane->free;
    lane->free = index;
    unit_release(&u->base, 1);
    unit_progress(&u->base);
    return true;
}

static void user_answer(struct dram *u, u32 index)
{
    struct list *answers = &u->users[index].answers;
    while (answers->first != NOBODY) {
        u32 slot = answers->first, next = u->slots[slot].next;
        if (!answer_give(u, &u->lanes[slot / u->p.depth], slot))
            return;
        answers->first = next;
    }
    u->answering[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

static void partition_answer(struct dram *u)
{
    for (u32 word = 0; word * 64 < u->w.users.count; word++)
        for (u64 left = u->answering[word]; left; left &= left - 1)
            user_answer(u, word * 64 + (u32)__builtin_ctzll(left));
}

/* ---- Channels ---- */

/* Requests are aligned to transactions, so that two to the same one are seen to be. */
static u64 transaction_address(const struct dram *u, u64 local)
{
    return local & u->transaction_mask;
}

static bool request_writes(u32 kind)
{
    return kind == MEMORY_WRITE || kind == MEMORY_AMO;
}

static void request_count(struct dram *u, const struct message *answer)
{
    u32 kind = answer->kind & MEMORY_KIND;
    u->s.reads += kind == MEMORY_READ;
    u->s.writes += kind == MEMORY_WRITE;
    u->s.atomics += kind == MEMORY_AMO;
    u->s.faults += kind == MEMORY_FAULT;
}

/* A read and, if it changes something, a write. */
static bool atomic_enter(struct dram *u, struct dram_channel *channel,
                         const struct arrival *arrival, u64 address, cycle now)
{
    const struct dram_address *place = &arrival->place;
    if (!dram_channel_accepts(channel, DRAM_READ, address, place->bank) ||
        !dram_channel_accepts(channel, DRAM_WRITE, address, place->bank))
        return false;
    dram_channel_offer(channel, now, DRAM_READ, address, place, arrival->slot);
    if (store_execute(&u->store, &u->slots[arrival->slot].message))
        dram_channel_offer(channel, now, DRAM_WRITE, address, place, DRAM_NO_TAG);
    return true;
}

/* Hands a request that moves data to the channel; true if it was accepted, and executed. */
static bool request_enter(struct dram *u, struct dram_channel *channel, struct arrival *arrival,
                          cycle now)
{
    struct message *message = &u->slots[arrival->slot].message;
    u32 kind = message->kind & MEMORY_KIND;
    u64 address = transaction_address(u, arrival->local);
    arrival->place.account = purposes_find(&u->store.purposes, address);
    if (kind == MEMORY_AMO)
        return atomic_enter(u, channel, arrival, address, now);
    bool write = kind == MEMORY_WRITE;
    if (!dram_channel_offer(channel, now, write ? DRAM_WRITE : DRAM_READ, address, &arrival->place,
                            write ? DRAM_NO_TAG : arrival->slot))
        return false;
    store_execute(&u->store, message);
    if (write)
        answer_queue(u, arrival->slot);
    return true;
}

/* The lane's oldest request has left it for the channel. */
static void lane_offered(struct dram *u, struct lane *lane, struct arrival *arrival, cycle now)
{
    u32 after = arrival->next;
    u->s.taken++;
    u->s.controller_cycles += now - arrival->ready + u->p.controller;
    arrival->next = lane->spare;
    lane->spare = lane->arriving.first;
    lane->arriving.first = after;
    lane->offer_at = after == NOBODY ? NEVER : max_u64(u->arrivals[after].ready, now + 1);
}

/* The short way for a plain read: its answer is made here, and given when it returns. */
static inline void lane_offer_read(struct dram *u, struct lane *lane, struct dram_channel *channel,
                                   struct arrival *arrival, cycle now)
{
    u64 address = transaction_address(u, arrival->local);
    arrival->place.account = purposes_find_near(&u->store.purposes, address, &lane->purpose);
    lane->refused =
        !dram_channel_offer(channel, now, DRAM_READ, address, &arrival->place, arrival->slot);
    if (lane->refused)
        return;
    store_read(&u->store, &u->slots[arrival->slot].message, arrival->local);
    lane_offered(u, lane, arrival, now);
    u->s.reads++;
}

/* Offers the request that has waited longest to the channel. */
static SELDOM void lane_offer_any(struct dram *u, struct lane *lane, struct dram_channel *channel,
                                  struct arrival *arrival, cycle now)
{
    struct slot_of_request *slot = &u->slots[arrival->slot];
    u32 kind = slot->message.kind & MEMORY_KIND;
    bool shows = arrival->shows;
    lane->refused = arrival->moves_data && !request_enter(u, channel, arrival, now);
    if (lane->refused)
        return;
    lane->arriving_to_show -= shows;
    lane_offered(u, lane, arrival, now);
    u->users[slot->user].writes -= request_writes(kind);
    if (!arrival->moves_data) {
        store_execute(&u->store, &slot->message);
        answer_queue(u, arrival->slot);
    }
    request_count(u, &slot->message);
}

static inline void lane_offer(struct dram *u, struct lane *lane, struct dram_channel *channel,
                              cycle now)
{
    struct arrival *arrival = &u->arrivals[lane->arriving.first];
    if (arrival->shows)
        lane_offer_any(u, lane, channel, arrival, now);
    else
        lane_offer_read(u, lane, channel, arrival, now);
}

/* A read has returned. Mostly nobody waits before it and there is room, so that it need not be
 * queued. */
static inline void read_answer(struct dram *u, struct lane *lane, u32 index)
{
    u32 user = u->slots[index].user;
    if (u->answering[user / 64] >> (user % 64) & 1 || !answer_give(u, lane, index))
        answer_queue(u, index);
}

/* Lets the channel do what it does up to `to`, while it is offered nothing. */
static inline void lane_tick(struct dram *u, struct lane *lane, struct dram_channel *channel,
                             cycle to)
{
    if (channel->next <= to)
        dram_channel_advance(channel, to);
    while (dram_channel_return_at(channel) <= to)
        read_answer(u, lane, (u32)dram_channel_return(channel));
}

/* While the channel has refused the lane's oldest request: whatever it does may make room. */
static SELDOM void lane_run_refused(struct dram *u, struct lane *lane, struct dram_channel *channel,
                                    cycle now)
{
    for (cycle at; lane->refused && (at = dram_channel_next(channel)) <= now;) {
        lane_tick(u, lane, channel, at);
        if (lane->arriving_to_show || !dram_channel_refuses_reads(channel))
            lane_offer(u, lane, channel, at);
    }
}

/* Lets a channel do all that it does up to `now`. In a cycle it ticks first, and then may accept a
 * request. */
static inline __attribute__((always_inline)) void lane_run(struct dram *u, u32 index, cycle now)
{
    struct dram_channel *channel = &u->memory->channel[index];
    struct lane *lane = &u->lanes[index];
    for (;;) {
        if (lane->refused)
            lane_run_refused(u, lane, channel, now);
        if (lane->refused)
            return;
        cycle offer_at = lane->offer_at;
        lane_tick(u, lane, channel, min_u64(offer_at, now));
        if (offer_at > now)
            return;
        lane_offer(u, lane, channel, offer_at);
    }
}

/* The first cycle after `now` in which something may come out of the lane. */
static inline __attribute__((always_inline)) cycle lane_next(const struct dram *u, u32 index,
                                                             cycle now)
{
    const struct lane *lane = &u->lanes[index];
    const struct dram_channel *channel = &u->memory->channel[index];
    cycle next = dram_channel_next_return(channel);
    if (lane->arriving.first != NOBODY) {
        cycle offer = max_u64(lane->refused ? dram_channel_next(channel) : lane->offer_at, now + 1);
        bool shows = lane->arriving_to_show;
        next = min_u64(next, shows ? offer : dram_channel_return_of(channel, offer));
    }
    return max_u64(next, now + 1);
}

/* ---- Requests ---- */

/* Where a request belongs. */
struct target {
    const struct dram_address *place; /* until the next one is looked for */
    u64 local;                        /* its address as this memory counts */
};

/* Where an address lies: mostly near the last one. */
static inline const struct dram_address *address_place(struct dram *u, u64 address)
{
    if (!dram_map_near(&u->memory->map, u->placed, address, &u->place))
        u->place = dram_map_address(&u->memory->map, &u->memory->device, address);
    u->placed = address;
    return &u->place;
}

/* The channel that the user's next request is for; NOBODY: a fence still has to wait. */
static inline u32 user_lane(struct dram *u, u32 user, const struct message *request,
                            struct target *target)
{
    static const struct dram_address of_fence;
    u32 kind = request->kind & MEMORY_KIND;
    if (kind == MEMORY_FENCE) {
        *target = (struct target){ .place = &of_fence };
        if (u->users[user].writes)
            return NOBODY;
    } else {
        target->local = store_local(&u->store, request->address);
        target->place = address_place(u, transaction_address(u, target->local));
    }
    return target->place->channel;
}

/* Whether the lane can take a request, except that it may have taken one in this cycle already. */
static inline bool lane_has_room(const struct lane *lane)
{
    return lane->free != NOBODY;
}

/* A read of bytes that would have been nearer. Of the scene, that is, which nobody writes: else it
 * could pass a write. */
static bool request_is_at_once(const struct dram *u, const struct arrival *arrival,
                               const struct message *message)
{
    return arrival->moves_data && (message->kind & MEMORY_KIND) == MEMORY_READ &&
           purposes_find(&u->store.purposes, arrival->local) == PURPOSE_SCENE;
}

/* The lane's spare arrival is on its way. */
static inline void lane_arrive(struct dram *u, struct lane *lane)
{
    u32 index = lane->spare;
    struct arrival *arrival = &u->arrivals[index];
    lane->spare = arrival->next;
    arrival->next = NOBODY;
    if (lane->arriving.first == NOBODY)
        lane->arriving.first = index;
    else
        u->arrivals[lane->arriving.last].next = index;
    lane->arriving.last = index;
    lane->offer_at = min_u64(lane->offer_at, arrival->ready);
}

/* A request has been taken that is no plain read. */
static SELDOM void lane_take_any(struct dram *u, struct lane *lane, struct arrival *arrival)
{
    struct slot_of_request *slot = &u->slots[arrival->slot];
    u32 kind = slot->message.kind & MEMORY_KIND;
    if (kind != MEMORY_READ)
        arrival->moves_data = kind != MEMORY_FENCE && store_has(&u->store, &slot->message);
    if (slot->message.kind & MEMORY_AT_ONCE && request_is_at_once(u, arrival, &slot->message)) {
        store_read(&u->store, &slot->message, arrival->local);
        answer_queue(u, arrival->slot);
        return;
    }
    lane_arrive(u, lane);
    u->users[slot->user].writes += request_writes(kind);
    const struct dram_channel *channel = &u->memory->channel[arrival->place.channel];
    bool shows = arrival->shows = kind != MEMORY_READ || !arrival->moves_data;
    lane->arriving_to_show += shows;
    lane->next = min_u64(lane->next,
                         shows ? arrival->ready : dram_channel_return_of(channel, arrival->ready));
}

/* Takes the oldest request of a user. */
static inline void lane_take(struct dram *u, struct lane *lane, u32 user,
                             const struct target *target, cycle now)
{
    u32 index = lane->free;
    struct link *in = u->w.users.at[user].in;
    struct slot_of_request *slot = &u->slots[index];
    struct arrival *arrival = &u->arrivals[lane->spare];
    lane->free = slot->next;
    lane->taken_at = now;
    lane->turn = user + 1;
    slot->message = *link_peeked(in);
    slot->user = user;
    arrival->place = *target->place;
    arrival->local = target->local;
    arrival->ready = now + u->p.controller;
    arrival->slot = index;
    arrival->moves_data = store_has_read(&u->store, &slot->message, target->local);
    link_pop_peeked(in, u->base.domain->now);
    unit_hold(&u->base, 1);
    if (slot->message.kind != MEMORY_READ || !arrival->moves_data) {
        lane_take_any(u, lane, arrival);
        return;
    }
    const struct dram_channel *channel = &u->memory->channel[arrival->place.channel];
    arrival->shows = false;
    store_prefetch(&u->store, arrival->local);
    lane_arrive(u, lane);
    lane->next = min_u64(lane->next, dram_channel_return_of(channel, arrival->ready));
}

/* Puts a user forward for the channel that its next request is for. Users take turns: who stands
 * nearest behind the one served last goes first. False: it has no request that can be taken. */
static bool user_propose(struct dram *u, u32 user, cycle now)
{
    struct link *in = u->w.users.at[user].in;
    const struct message *request;
    struct target target;
    while ((request = link_peek(in)) && (request->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        link_pop(in); /* there is nowhere nearer to bring it to */
    u32 channel = request ? user_lane(u, user, request, &target) : NOBODY;
    struct lane *lane = channel == NOBODY ? NULL : &u->lanes[channel];
    if (!lane || !lane_has_room(lane) || lane->taken_at == now)
        return false;
    bool passed = user < lane->turn;
    if (lane->chosen == NOBODY || (lane->chosen < lane->turn && !passed)) {
        lane->chosen = user;
        u->arrivals[lane->spare].place = *target.place;
        u->arrivals[lane->spare].local = target.local;
    }
    return true;
}

/* Takes the request of the chosen user; where it belongs is noted in its arrival. */
static void lane_take_chosen(struct dram *u, struct lane *lane, cycle now)
{
    const struct arrival *arrival = &u->arrivals[lane->spare];
    struct target target = { &arrival->place, arrival->local };
    lane_take(u, lane, lane->chosen, &target, now);
    lane->chosen = NOBODY;
}

/* One request for each channel that can have one; false: nothing was taken. */
static bool partition_take(struct dram *u, cycle now)
{
    const struct ports *users = &u->w.users;
    bool proposed = false;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1))
        proposed |= user_propose(u, i, now);
    for (u32 i = 0; proposed && i < u->memory->channels; i++)
        if (u->lanes[i].chosen != NOBODY)
            lane_take_chosen(u, &u->lanes[i], now);
    return proposed;
}

/* The same for a user that is the only one: it need not wait for its turn. Returns the lane that
 * its next request waits for; NULL: there is none, or it waits for something else. */
static inline const struct lane *partition_take_all(struct dram *u, cycle now)
{
    struct link *in = u->w.users.at[0].in;
    const struct message *request;
    struct target target;
    while ((request = link_peek(in))) {
        if ((request->kind & MEMORY_KIND) == MEMORY_PREFETCH) {
            link_pop(in);
            continue;
        }
        u32 channel = user_lane(u, 0, request, &target);
        if (channel == NOBODY)
            break;
        struct lane *lane = &u->lanes[channel];
        if (!lane_has_room(lane) || lane->taken_at == now)
            return lane;
        lane_take(u, lane, 0, &target, now);
    }
    return NULL;
}

static void partition_take_requests(struct dram *u, cycle now)
{
    while (ports_any(&u->w.users) && partition_take(u, now))
        ; /* a user's next request may be for another channel */
}

/* Whether a request has arrived that can be taken in the next cycle. */
static bool partition_wanted(struct dram *u)
{
    const struct ports *users = &u->w.users;
    struct target target;
    for (u32 i = ports_pending(users, 0); i != NOBODY; i = ports_pending(users, i + 1)) {
        const struct message *request = link_peek(users->at[i].in);
        u32 channel = request ? user_lane(u, i, request, &target) : NOBODY;
        if (channel != NOBODY && lane_has_room(&u->lanes[channel]))
            return true;
    }
    return false;
}

/* `single` is a constant: whether there is one user only. */
static inline __attribute__((always_inline)) cycle partition_step(struct dram *u, bool single,
                                                                  cycle now)
{
    cycle next = NEVER;
    const u64 *pending = u->w.users.pending;
    const struct lane *wanted = NULL;
    if (single && *pending)
        wanted = partition_take_all(u, now);
    else if (!single && ports_any(&u->w.users))
        partition_take_requests(u, now);
    for (u32 i = 0; i < u->memory->channels; i++) {
        struct lane *lane = &u->lanes[i];
        if (lane->next <= now) {
            lane_run(u, i, now);
            lane->next = lane_next(u, i, now);
        }
        next = min_u64(next, lane->next);
    }
    if (!single)
        partition_answer(u);
    else if (*u->answering)
        user_answer(u, 0);
    if (wanted)
        return lane_has_room(wanted) ? now + 1 : next;
    bool waiting = single ? *pending : ports_any(&u->w.users);
    return waiting && partition_wanted(u) ? now + 1 : next;
}

static SELDOM cycle partition_step_shared(struct dram *u, cycle now)
{
    return partition_step(u, false, now);
}

static cycle dram_step(struct unit *unit, cycle now)
{
    struct dram *u = (struct dram *)unit;
    return u->w.users.count == 1 ? partition_step(u, true, now) : partition_step_shared(u, now);
}

void dram_run(struct dram *u, cycle now)
{
    for (u32 i = 0; now && i < u->memory->channels; i++)
        lane_run(u, i, now - 1);
}

/* Who writes there must not change what reads of earlier cycles find. */
static u8 *dram_stored(struct unit *unit, u64 address, u64 *length)
{
    struct dram *u = (struct dram *)unit;
    cycle now = unit->clocked ? clock_own(unit->clock, unit->domain->now) : unit->domain->now;
    dram_run(u, now);
    return store_find(&u->store, address, length);
}

static bool dram_mark(struct unit *unit, u64 address, u64 bytes, enum purpose purpose)
{
    return store_mark(&((struct dram *)unit)->store, address, bytes, purpose);
}

static u64 dram_holds(const struct unit *unit)
{
    return ((const struct dram *)unit)->p.size;
}

static u32 dram_served(const struct unit *unit, u64 *executed)
{
    const struct reservations *reservations = &((const struct dram *)unit)->store.reservations;
    *executed = reservations->executed;
    return reservations->source;
}

UNIT_TYPE(dram, DRAM, "DRAM partition: channels, controllers and data", .init = dram_init,
          .tick = dram_step, .report = dram_report, .stored = dram_stored, .mark = dram_mark,
          .holds = dram_holds, UNIT_ENERGY(DRAM), .costs = dram_costs,
          .resources = dram_resource_rows, .figures = dram_figure_rows, .scales = "channels",
          .any_clock = "any_clock", .served = dram_served)
