/* raystream.c - a ray stream buffer: holds the rays of a chip in queues, one for each treelet.
 *
 * As in STRaTA (Kopta et al. 2013; Arches' model of it, commit 9b6ce9a). RT cores in stream mode
 * ask for rays and send them back for the queue of the treelet that they go on in, or finished;
 * programs store new rays and load finished ones (stream.h). In a cycle, each user sends and is
 * sent one message; each bank writes or reads one ray, which is there `latency` cycles later; one
 * SM gets another queue (choose.c). A ray is in the bank of its slot.
 *
 * New rays are refused when as many are under way as there are slots; nothing else is ever refused,
 * and no user waits for another one, but for banks. See raystream.h for what is always true. */
#include "unit/raystream/raystream.h"

#include "base/error.h"
#include "unit/parts/array.h"
#include "unit/parts/published.h"

/* ---- Lists ---- */

static void list_push(struct raystream *u, struct raystream_list *list, u32 slot)
{
    if (list->count++)
        u->marks[list->tail].next = slot;
    else
        list->head = slot;
    list->tail = slot;
}

static u32 list_pop(struct raystream *u, struct raystream_list *list)
{
    u32 slot = list->head;
    list->head = u->marks[slot].next;
    list->count--;
    return slot;
}

static void slot_enter(struct raystream *u, u32 slot, enum raystream_place place, cycle now)
{
    struct raystream_mark *mark = &u->marks[slot];
    u->time[mark->place] += now;
    u->time[place] -= now;
    u->count[mark->place]--;
    u->count[place]++;
    mark->place = (u8)place;
}

/* ---- Banks ---- */

/* Whether the slot's bank does something in this cycle; now it does. */
static bool bank_taken(struct raystream *u, u32 slot)
{
    u64 bit = UINT64_C(1) << (slot % u->p.banks);
    bool taken = u->banks & bit;
    u->banks |= bit;
    u->s.conflicts += taken;
    u->again |= taken;
    return taken;
}

static void slot_move(struct raystream *u, u32 slot, u32 user, bool hit, cycle now)
{
    struct raystream_mark *mark = &u->marks[slot];
    mark->at = now + u->p.latency;
    mark->user = (u16)user;
    mark->hit = hit;
    slot_enter(u, slot, PLACE_MOVING, now);
    list_push(u, &u->moving, slot);
}

/* A ray that was written waits in the queue of its treelet, or is finished. */
static void slot_written(struct raystream *u, u32 slot, cycle now)
{
    u32 treelet = u->rays[slot].treelet;
    if (treelet == STREAM_DONE_TREELET) {
        slot_enter(u, slot, PLACE_FINISHED, now);
        list_push(u, &u->finished, slot);
        unit_release(&u->base, 1);
        unit_progress(&u->base);
        return;
    }
    u32 number = raystream_queue_of(u, treelet);
    struct raystream_queue *queue = &u->queues[number];
    slot_enter(u, slot, PLACE_QUEUED, now);
    list_push(u, &queue->rays, slot);
    u->filled[number / 64] |= UINT64_C(1) << (number % 64);
    u->queued++;
    u->s.longest = max_u64(u->s.longest, queue->rays.count);
}

static void raystream_arrive(struct raystream *u, cycle now)
{
    while (u->moving.count && u->marks[u->moving.head].at <= now) {
        u32 slot = list_pop(u, &u->moving);
        if (u->marks[slot].user == NOT_OUT) {
            slot_written(u, slot, now);
            continue;
        }
        list_push(u, &u->users[u->marks[slot].user].out, slot);
        u->outs++;
    }
}

/* ---- Rays in ---- */

/* Whether a user can be sent a message that is no half of a ray. */
static bool user_is_open(struct raystream *u, u32 number, cycle now)
{
    struct raystream_user *user = &u->users[number];
    if (user->half || user->sent == now) {
        u->again = true;
        return false;
    }
    return link_can_push(u->w.users.at[number].out);
}

static void store_answer(struct raystream *u, u32 number, bool taken, cycle now)
{
    struct message *answer = link_push(u->w.users.at[number].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_STORE, .size_bytes = 8 };
    answer->data.dword[0] = taken;
    u->users[number].sent = now;
    u->s.stored += taken;
    u->s.refused += !taken;
    u->alive += taken;
    if (taken)
        unit_hold(&u->base, 1);
}

/* Counts what comes back. */
static void store_back(struct raystream *u, u32 number)
{
    const struct ogv_stream_ray *ray = &u->users[number].in;
    bool done = ray->treelet == STREAM_DONE_TREELET;
    u->users[number].has--;
    u->away--;
    u->s.finished += done;
    u->s.returned += !done;
    u->s.restarts += !done && !ray->level;
}

/* The second half of a ray is there. False: it must wait. */
static bool ray_take(struct raystream *u, u32 number, bool new, cycle now)
{
    if (new && !user_is_open(u, number, now))
        return false;
    if (new && u->alive == u->capacity) {
        store_answer(u, number, false, now);
        return true;
    }
    if (bank_taken(u, u->free.head))
        return false;
    u32 slot = list_pop(u, &u->free);
    u->rays[slot] = u->users[number].in;
    u->s.writes++;
    slot_move(u, slot, NOT_OUT, false, now);
    if (new)
        store_answer(u, number, true, now);
    else
        store_back(u, number);
    return true;
}

static void load_take(struct raystream *u, struct raystream_user *user, bool anything)
{
    user->loads++;
    u->loads++;
    if (!anything)
        return;
    user->anything = true;
    u->anything++;
    unit_hold(&u->base, 1);
}

/* A user's request for a ray is answered. */
static void load_end(struct raystream *u, struct raystream_user *user)
{
    user->loads--;
    u->loads--;
    u->anything -= user->anything;
}

/* Deals with a user's oldest message. False: it must wait. */
static bool message_take(struct raystream *u, u32 number, cycle now)
{
    struct raystream_user *user = &u->users[number];
    const struct message *message = link_peek(u->w.users.at[number].in);
    switch (message->kind) {
    case MESSAGE_STREAM_LOAD:
        load_take(u, user, message->source == STREAM_ANYTHING);
        return true;
    case MESSAGE_STREAM_HIT_LOAD:
        user->hits[message->tag]++;
        u->hits++;
        unit_hold(&u->base, 1);
        return true;
    case MESSAGE_STREAM_STORE:
        stream_half_read(&user->in, message->tag, message->data.byte);
        return !message->tag || ray_take(u, number, message->source == STREAM_NEW, now);
    default:
        ogv_bug("raystream: message of kind %u", message->kind);
    }
}

/* Users in [from, to), one message of each; the first that had to wait, or NOBODY. */
static u32 raystream_receive(struct raystream *u, u32 from, u32 to, cycle now)
{
    const struct ports *users = &u->w.users;
    u32 waits = NOBODY;
    for (u32 i = ports_arrived(users, from); i < to; i = ports_arrived(users, i + 1)) {
        if (message_take(u, i, now))
            link_pop(users->at[i].in);
        else if (waits == NOBODY)
            waits = i;
    }
    return waits;
}

/* ---- Rays out ---- */

/* A ray of its queue for a user that has asked; false: the bank is taken. */
static bool ray_give(struct raystream *u, u32 number, cycle now)
{
    struct raystream_user *user = &u->users[number];
    struct raystream_queue *queue = &u->queues[user->queue];
    if (bank_taken(u, queue->rays.head))
        return false;
    u32 slot = list_pop(u, &queue->rays);
    if (!queue->rays.count)
        u->filled[user->queue / 64] &= ~(UINT64_C(1) << (user->queue % 64));
    u->queued--;
    load_end(u, user);
    if (user->anything)
        unit_release(&u->base, 1);
    user->has++;
    u->away++;
    u->leaving++;
    u->s.given++;
    u->s.reads++;
    slot_move(u, slot, number, false, now);
    u->again |= u->loads && u->queued;
    return true;
}

static u32 user_behind(const struct raystream *u, u32 number)
{
    return number + 1 < u->w.users.count ? number + 1 : 0;
}

/* Another queue for one user, in turn over those that need it. Where there is none for one, there
 * is none for the others. */
static void raystream_assign(struct raystream *u)
{
    u32 count = u->w.users.count, number = u->assigned;
    for (u32 n = 0; n < count; n++, number = user_behind(u, number)) {
        struct raystream_user *user = &u->users[number];
        if (!user->loads || raystream_has_queued(u, user) || !raystream_leaves(u, user))
            continue;
        if (raystream_choose(u, user)) {
            u->assigned = user_behind(u, number);
            u->again = true;
        }
        return;
    }
}

/* One ray for each user that has asked for some; the first that had to wait, or NOBODY. */
static u32 raystream_give(struct raystream *u, cycle now)
{
    u32 number = u->turn, waits = NOBODY;
    for (u32 n = 0; n < u->w.users.count && u->loads; n++, number = user_behind(u, number)) {
        struct raystream_user *user = &u->users[number];
        if (user->loads && raystream_has_queued(u, user) && !ray_give(u, number, now) &&
            waits == NOBODY)
            waits = number;
    }
    return waits;
}

static void hit_give(struct raystream *u, u32 number, u32 priority, cycle now)
{
    u32 slot = list_pop(u, &u->finished);
    u->rays[slot].level = (u8)priority;
    u->users[number].hits[priority]--;
    u->hits--;
    u->s.reads++;
    u->again |= u->finished.count && u->hits;
    slot_move(u, slot, number, true, now);
}

/* A finished ray for each user that has asked with this priority, in turn; false: there are none,
 * or the bank is taken. */
static bool raystream_collect(struct raystream *u, u32 priority, cycle now)
{
    u32 number = u->collected;
    for (u32 n = 0; n < u->w.users.count; n++, number = user_behind(u, number)) {
        if (!u->users[number].hits[priority])
            continue;
        if (!u->finished.count || bank_taken(u, u->finished.head))
            return false;
        hit_give(u, number, priority, now);
        u->collected = user_behind(u, number);
    }
    return true;
}

/* A finished ray for each user that has asked for anything, in turn. */
static void raystream_finish(struct raystream *u, cycle now)
{
    u32 number = u->collected;
    for (u32 n = 0; n < u->w.users.count && u->finished.count; n++) {
        struct raystream_user *user = &u->users[number];
        if (user->anything && user->loads) {
            if (bank_taken(u, u->finished.head))
                return;
            u32 slot = list_pop(u, &u->finished);
            load_end(u, user);
            u->s.reads++;
            slot_move(u, slot, number, true, now);
            u->collected = user_behind(u, number);
        }
        number = user_behind(u, number);
    }
    u->again |= u->finished.count && u->anything;
}

/* Of a ray that is finished to whoever asks for anything: its second half. */
static void half_second_send(struct raystream *u, u32 number, const struct ogv_stream_ray *ray)
{
    struct message *answer = link_push(u->w.users.at[number].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_RAY, .tag = 1 };
    answer->size_bytes = STREAM_HALF_BYTES;
    stream_half_write(ray, 1, answer->data.byte);
    unit_release(&u->base, 1);
}

static void hit_send(struct raystream *u, u32 number, u32 priority,
                     const struct ogv_stream_hit *hit)
{
    struct message *answer = link_push(u->w.users.at[number].out);
    *answer = (struct message){ .kind = MESSAGE_STREAM_HIT_LOAD, .tag = priority };
    answer->size_bytes = sizeof *hit;
    memcpy(answer->data.byte, hit, sizeof *hit);
    unit_release(&u->base, 1);
}

/* No ray is under way: whoever asks for finished ones is told so. */
static void raystream_end(struct raystream *u, cycle now)
{
    static const struct ogv_stream_hit none = { { 0, 0, 0, RT_NOTHING }, STREAM_NO_ID };
    for (u32 i = 0; i < u->w.users.count && u->hits; i++) {
        struct raystream_user *user = &u->users[i];
        u32 priority = user->hits[0] ? 0 : 1;
        if (!user->hits[priority] || !user_is_open(u, i, now))
            continue;
        hit_send(u, i, priority, &none);
        user->hits[priority]--;
        user->sent = now;
        u->hits--;
        u->s.ends++;
        u->again |= u->hits != 0;
    }
}

/* The same to whoever asks for anything. */
static void raystream_end_loads(struct raystream *u, cycle now)
{
    static const struct ogv_stream_ray none = { .id = STREAM_NO_ID,
                                                .treelet = STREAM_DONE_TREELET };
    for (u32 i = 0; i < u->w.users.count && u->anything; i++) {
        struct raystream_user *user = &u->users[i];
        if (!user->anything || !user->loads || !user_is_open(u, i, now))
            continue;
        half_second_send(u, i, &none);
        load_end(u, user);
        user->sent = now;
        u->s.ends++;
        u->again |= u->anything != 0;
    }
}

static void slot_free(struct raystream *u, u32 number, cycle now)
{
    u32 slot = list_pop(u, &u->users[number].out);
    slot_enter(u, slot, PLACE_FREE, now);
    list_push(u, &u->free, slot);
    u->outs--;
    u->leaving -= !u->marks[slot].hit;
}

static void slot_send(struct raystream *u, u32 number, cycle now)
{
    struct raystream_user *user = &u->users[number];
    u32 slot = user->out.head;
    const struct ogv_stream_ray *ray = &u->rays[slot];
    user->sent = now;
    if (u->marks[slot].hit) {
        if (user->anything)
            half_second_send(u, number, ray);
        else
            hit_send(u, number, ray->level, &(struct ogv_stream_hit){ ray->hit, ray->id });
        slot_free(u, number, now);
        u->alive--;
        u->again |= (u->hits || u->anything) && !u->alive;
        u->s.collected++;
        return;
    }
    struct message *half = link_push(u->w.users.at[number].out);
    *half = (struct message){ .kind = MESSAGE_STREAM_RAY, .tag = user->half };
    half->size_bytes = STREAM_HALF_BYTES;
    stream_half_write(ray, user->half, half->data.byte);
    user->half = !user->half;
    if (!user->half)
        slot_free(u, number, now);
}

static void raystream_send(struct raystream *u, cycle now)
{
    for (u32 i = 0; i < u->w.users.count && u->outs; i++) {
        struct raystream_user *user = &u->users[i];
        if (!user->out.count)
            continue;
        if (user->sent == now)
            u->again = true;
        else if (link_can_push(u->w.users.at[i].out))
            slot_send(u, i, now);
        u->again |= user->out.count != 0;
    }
}

/* ---- Time ---- */

/* What is always true. A ray on its way to an RT core is in its slot and away. */
static void raystream_check(const struct raystream *u, cycle now)
{
    u64 listed = (u64)u->free.count + u->queued + u->finished.count + u->moving.count + u->outs;
    u64 inside = u->capacity - u->free.count - u->leaving;
    if (__builtin_expect(listed != u->capacity || inside + u->away != u->alive, false))
        ogv_bug("raystream, cycle %llu: %llu of %u slots are in lists, %u rays are under way, "
                "%llu inside and %u at RT cores",
                (unsigned long long)now, (unsigned long long)listed, u->capacity, u->alive,
                (unsigned long long)inside, u->away);
}

static void raystream_answer(struct raystream *u, cycle now)
{
    if (u->hits && u->finished.count && raystream_collect(u, STREAM_SPAWNING, now))
        raystream_collect(u, STREAM_DRAINING, now);
    if (u->hits && !u->alive)
        raystream_end(u, now);
    if (u->anything && !u->alive)
        raystream_end_loads(u, now);
    if (u->outs)
        raystream_send(u, now);
}

static cycle raystream_tick(struct unit *unit, cycle now)
{
    struct raystream *u = (struct raystream *)unit;
    u->again = false;
    u->banks = 0;
    raystream_arrive(u, now);
    u32 first = raystream_receive(u, u->turn, u->w.users.count, now);
    u32 second = raystream_receive(u, 0, u->turn, now);
    u32 waits = first != NOBODY ? first : second;
    if (u->anything && u->finished.count)
        raystream_finish(u, now);
    if (u->loads && u->queued) {
        raystream_assign(u);
        u32 gives = raystream_give(u, now);
        waits = waits != NOBODY ? waits : gives;
    }
    raystream_answer(u, now);
    if (waits != NOBODY)
        u->turn = waits;
    raystream_check(u, now);
    if (u->again || (u->base.clocked && ports_arrived(&u->w.users, 0) != NOBODY))
        return now + 1;
    return u->moving.count ? u->marks[u->moving.head].at : NEVER;
}

static void raystream_report(struct unit *unit, cycle now)
{
    struct raystream *u = (struct raystream *)unit;
    for (u32 place = 0; place < PLACES; place++)
        u->s.slots[place] = u->time[place] + (u64)u->count[place] * now;
    u->s.slot_cycles = (u64)u->capacity * now;
    u->s.bank_cycles = u->p.banks * now;
}

static bool raystream_init(struct unit *unit, struct ogv_error *error)
{
    struct raystream *u = (struct raystream *)unit;
    u32 users = u->w.users.count, queues = (u32)u->p.queues;
    if (users >= NOT_OUT)
        return unit_refuse(error, "%u users; at most %u are possible", users, NOT_OUT - 1);
    u->capacity = (u32)(u->p.size / RAYSTREAM_RAY_BYTES);
    u->rays = unit_alloc(unit, u->capacity, sizeof *u->rays, error);
    u->marks = u->rays ? unit_alloc(unit, u->capacity, sizeof *u->marks, error) : NULL;
    u->queues = u->marks ? unit_alloc(unit, queues, sizeof *u->queues, error) : NULL;
    u->filled = u->queues ? unit_alloc(unit, (queues + 63) / 64, sizeof *u->filled, error) : NULL;
    u->users = u->filled ? unit_alloc(unit, users, sizeof *u->users, error) : NULL;
    if (!u->users)
        return false;
    for (u32 i = 0; i < users; i++) {
        u->users[i].queue = NOBODY;
        u->users[i].sent = NEVER;
    }
    for (u32 slot = 0; slot < u->capacity; slot++)
        list_push(u, &u->free, slot);
    u->count[PLACE_FREE] = u->capacity;
    return true;
}

/* ---- What it says of itself ---- */

static void raystream_waits(const struct unit *unit, struct unit_words *words)
{
    const struct raystream *u = (const struct raystream *)unit;
    if (u->alive)
        unit_say(words, "%u rays are under way, %u of them in queues, %u finished", u->alive,
                 u->queued, u->finished.count);
}

#define RAYSTREAM_ENERGY(E)                                                                \
    E(read, reads, COST_DERIVED, "64 bytes from a memory array of `size`; SimTRaX, 65 nm") \
    E(write, writes, COST_DERIVED, "as reads")

static void raystream_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct raystream *u = (const struct raystream *)unit;
    costs->energy[0] = costs->energy[1] = array_access_pj(u->p.size);
    costs->area = array_area_mm2(u->p.size);
    costs->leakage = MW_PER_KIB * (double)u->p.size / (double)KiB;
}

static const struct resource_row raystream_resource_rows[] = {
    { .name = "ray slots",
      .kind = RESOURCE_ROOM,
      .capacity = "size / 64",
      .used = "slot_cycles - slots_free" },
    { .name = "banks",
      .kind = RESOURCE_WORK,
      .capacity = "banks",
      .used = "reads + writes",
      .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(raystream, RAYSTREAM, "ray stream buffer: rays in queues by treelet",
          .init = raystream_init, .tick = raystream_tick, .report = raystream_report,
          .waits = raystream_waits, UNIT_ENERGY(RAYSTREAM), .costs = raystream_costs,
          .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "by size, as a cache", .resources = raystream_resource_rows)
