/* scenebuffer.c - holds whole segments of the scene, treelets, that a scheduler has asked for: the
 * scene buffer of Dual Streaming (Shkurko et al. 2017).
 *
 * A prefetch takes a slot, if one is free, and streams the segment into it: each memory channel is
 * asked for one sector per cycle, for the oldest prefetch that has sectors left there. When all
 * have come, the scheduler is answered. Users read sectors; lines of 128 bytes are dealt out to the
 * banks, a bank reads one sector per cycle, users in turn, and answers `latency` cycles later. What
 * is in no slot is read from memory instead.
 *
 * Always true: reads taken = answers given + reads inside; a slot belongs to one segment from its
 * prefetch to its retirement; whoever had to wait for a bank is looked at first. */
#include <string.h>

#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/stream_role.h"
#include "unit/parts/array.h"
#include "unit/parts/bucket.h"
#include "unit/parts/published.h"

#define SCENEBUFFER_LINE   128
#define SCENEBUFFER_BANKS  64
#define SCENEBUFFER_MISSES 4096
#define MISS_TAG           (UINT32_C(1) << 31) /* of requests to memory: of a user's read */

/* clang-format off */
#define SCENEBUFFER_PARAMS(P)                                                                      \
    P(bytes, size, 4 * MiB, 8 * KiB, 1 * GiB, "capacity, in slots of one segment")                 \
    P(number, banks, 32, 1, SCENEBUFFER_BANKS, "banks; each reads a sector per cycle")             \
    P(cycles, latency, 4, 1, 1000, "cycles from reading to answer")                                \
    P(number, misses, 256, 1, SCENEBUFFER_MISSES,                                                  \
      "reads of other segments that may be under way to memory at once; others wait")

#define SCENEBUFFER_STATS(S)                                                                       \
    S(reads, "requests", SUM, WORK, "sectors read by users")                                       \
    S(misses, "requests", SUM, WORK, "of these, those of segments that are not here")              \
    S(conflicts, "requests", SUM, WORK, "requests that had to wait because their bank was taken")  \
    S(prefetched, "segments", SUM, WORK, "segments brought here")                                  \
    S(refused, "segments", SUM, WORK, "segments for which there was no slot")                      \
    S(retired, "segments", SUM, WORK, "segments that gave their slots back")                       \
    S(filled, "bytes", SUM, WORK, "bytes written by prefetches")                                   \
    S(bank_cycles, "cycles", SUM, RATE, "banks x cycles")

#define SCENEBUFFER_RATIOS(R)                                                                      \
    R(utilisation, reads, bank_cycles, "", "share of bank-cycles in which a sector was read")      \
    R(miss_rate, misses, reads, "", "share of reads of segments that are not here")

#define SCENEBUFFER_ENERGY(E)                                                                      \
    E(read, reads, 118.977, "0.118977 nJ; Arches, 4 MiB, taken as 65 nm")                          \
    E(fill, filled, 118.977 / MEMORY_SECTOR, "a byte: 1/32 of it")

#define SCENEBUFFER_PORTS(T)                                                                       \
    T(users, SERVES, SOME, "who reads the scene")                                                  \
    T(scheduler, SERVES, ONE, "who says what is to be here")                                       \
    T(memory, ASKS, SOME, "where the scene lies; more than one must be linked `by: address`")
/* clang-format on */

/* A slot, and the prefetch that fills it. */
struct scene_slot {
    u32 segment;
    u32 sectors; /* to come */
    u32 next;    /* free slot, or prefetch that began later */
    u32 bytes;   /* in use */
};

/* A read that was taken: an answer on its way, or one that waits for memory. */
struct scene_read {
    struct message message;
    cycle at;
    u32 user, next;
};

struct scenebuffer {
    struct unit base;
    UNIT_FIELDS(SCENEBUFFER)
    u64 treelets; /* address of the first */
    u32 treelet_bytes, treelet_count;
    u8 *data;
    struct scene_slot *slots;
    u32 *slot_of; /* by segment; NOBODY */
    u32 slot_count, free_slot, first_loading, last_loading;
    u64 *cursors; /* [slot][channel]: offset of the next sector to ask for */
    struct scene_read *reads;
    u32 *answers; /* ring of reads in the order of leaving */
    u64 answer_head, answer_tail, read_count;
    u32 free_read;
    u64 missing;         /* reads that wait for memory */
    struct slot *outbox; /* [channel]: a miss that waits for its link; `at` NEVER: none */
    u32 turn;
};

static u32 channel_of(const struct scenebuffer *u, u64 address)
{
    return u->w.memory.count > 1 ? route_way(&u->w.memory.route, address) : 0;
}

/* ---- Before the run ---- */

static bool scenebuffer_init(struct unit *unit, struct ogv_error *error)
{
    struct scenebuffer *u = (struct scenebuffer *)unit;
    if (u->w.memory.count > 1 && !u->w.memory.route.interleave)
        return unit_refuse(error, "has %u memories; link them `by: address`", u->w.memory.count);
    u->read_count = u->p.banks * (u->p.latency + 1) + u->p.misses;
    u->reads = unit_alloc(unit, u->read_count, sizeof *u->reads, error);
    u->answers = u->reads ? unit_alloc(unit, u->read_count, sizeof *u->answers, error) : NULL;
    u->outbox = u->answers ? unit_alloc(unit, u->w.memory.count, sizeof *u->outbox, error) : NULL;
    u->data = u->outbox ? unit_alloc_aside(unit, u->p.size, 1, error) : NULL;
    if (!u->data)
        return false;
    for (u32 i = 0; i < u->read_count; i++)
        u->reads[i].next = i + 1 < u->read_count ? i + 1 : NOBODY;
    for (u32 i = 0; i < u->w.memory.count; i++)
        u->outbox[i].at = NEVER;
    u->free_slot = u->first_loading = NOBODY;
    return true;
}

static bool scenebuffer_place(struct unit *unit, const struct stream_place *place,
                              struct ogv_error *error)
{
    struct scenebuffer *u = (struct scenebuffer *)unit;
    u->slot_count = (u32)(u->p.size / place->treelet_bytes);
    if (!u->slot_count)
        return unit_refuse(error, "size: is less than one treelet of %u KiB",
                           place->treelet_bytes / 1024);
    u->treelets = place->treelets;
    u->treelet_bytes = place->treelet_bytes;
    u->treelet_count = place->treelet_count;
    u->slots = unit_alloc(unit, u->slot_count, sizeof *u->slots, error);
    u->slot_of = u->slots ? unit_alloc(unit, u->treelet_count, sizeof *u->slot_of, error) : NULL;
    u->cursors = u->slot_of ? unit_alloc(unit, (u64)u->slot_count * u->w.memory.count,
                                         sizeof *u->cursors, error)
                            : NULL;
    if (!u->cursors)
        return false;
    for (u32 i = 0; i < u->treelet_count; i++)
        u->slot_of[i] = NOBODY;
    for (u32 i = 0; i < u->slot_count; i++)
        u->slots[i].next = i + 1 < u->slot_count ? i + 1 : NOBODY;
    u->free_slot = 0;
    return true;
}

/* ---- Prefetches ---- */

static u64 segment_address(const struct scenebuffer *u, u32 segment)
{
    return u->treelets + (u64)segment * rt_treelet_stride(u->treelet_bytes);
}

/* The first offset from there on whose sector is on the channel; UINT64_MAX: none. */
static u64 offset_on(const struct scenebuffer *u, u32 segment, u64 offset, u32 channel)
{
    u64 first = segment_address(u, segment);
    while (offset < u->treelet_bytes && channel_of(u, first + offset) != channel) {
        u64 block = u->w.memory.route.interleave;
        offset += block - (first + offset) % block;
    }
    return offset < u->treelet_bytes ? offset : UINT64_MAX;
}

static void prefetch_begin(struct scenebuffer *u, const struct message *request)
{
    u32 number = u->free_slot, segment = request->tag;
    struct scene_slot *slot = &u->slots[number];
    u64 bytes = min_u64(request->address, u->treelet_bytes);
    u->free_slot = slot->next;
    *slot = (struct scene_slot){ .segment = segment,
                                 .sectors = (u32)((bytes + MEMORY_SECTOR - 1) / MEMORY_SECTOR),
                                 .next = NOBODY,
                                 .bytes = (u32)bytes };
    for (u32 i = 0; i < u->w.memory.count; i++)
        u->cursors[(u64)number * u->w.memory.count + i] = offset_on(u, segment, 0, i);
    if (u->first_loading == NOBODY)
        u->first_loading = number;
    else
        u->slots[u->last_loading].next = number;
    u->last_loading = number;
    unit_hold(&u->base, 1);
}

/* The scheduler is told that a segment is here, or cannot be. */
static void prefetch_answer(struct scenebuffer *u, u32 segment, bool here)
{
    struct message *answer = link_push(u->w.scheduler.at[0].out);
    *answer = (struct message){ .kind = SEGMENT_PREFETCH, .tag = segment, .size_bytes = 8 };
    answer->data.dword[0] = here;
}

static void loading_remove(struct scenebuffer *u, u32 number)
{
    u32 before = NOBODY;
    for (u32 i = u->first_loading; i != number; i = u->slots[i].next)
        before = i;
    if (before == NOBODY)
        u->first_loading = u->slots[number].next;
    else
        u->slots[before].next = u->slots[number].next;
    if (u->last_loading == number)
        u->last_loading = before;
}

/* Of those that have all their sectors, the first is reported. */
static bool prefetch_end(struct scenebuffer *u)
{
    u32 number = u->first_loading;
    while (number != NOBODY && u->slots[number].sectors)
        number = u->slots[number].next;
    if (number == NOBODY || !link_can_push(u->w.scheduler.at[0].out))
        return false;
    prefetch_answer(u, u->slots[number].segment, true);
    loading_remove(u, number);
    u->slot_of[u->slots[number].segment] = number;
    u->s.prefetched++;
    unit_release(&u->base, 1);
    unit_progress(&u->base);
    return true;
}

static void segment_retire(struct scenebuffer *u, u32 segment)
{
    u32 number = u->slot_of[segment];
    if (number == NOBODY)
        return;
    u->slot_of[segment] = NOBODY;
    u->slots[number].next = u->free_slot;
    u->free_slot = number;
    u->s.retired++;
}

/* Does what the scheduler says, one thing per cycle. */
static bool scheduler_obey(struct scenebuffer *u)
{
    struct link *in = u->w.scheduler.at[0].in;
    const struct message *request = link_peek(in);
    if (!request)
        return false;
    if (request->kind == SEGMENT_RETIRE) {
        segment_retire(u, request->tag);
    } else if (u->free_slot != NOBODY && request->tag < u->treelet_count) {
        prefetch_begin(u, request);
    } else {
        if (!link_can_push(u->w.scheduler.at[0].out))
            return false;
        u->s.refused++;
        prefetch_answer(u, request->tag, false);
    }
    link_pop(in);
    return true;
}

/* ---- Memory ---- */

static void read_answer(struct scenebuffer *u, u32 number, cycle at)
{
    u->reads[number].at = at;
    u->answers[u->answer_tail++ % u->read_count] = number;
}

static void sector_arrive(struct scenebuffer *u, const struct message *answer, cycle now)
{
    if (answer->tag & MISS_TAG) {
        struct message *message = &u->reads[answer->tag & ~MISS_TAG].message;
        message->kind = answer->kind;
        message->missed = answer->missed;
        message->data = answer->data;
        u->missing--;
        read_answer(u, answer->tag & ~MISS_TAG, now);
        return;
    }
    struct scene_slot *slot = &u->slots[answer->tag];
    u64 offset = answer->address - segment_address(u, slot->segment);
    memcpy(u->data + (u64)answer->tag * u->treelet_bytes + offset, answer->data.byte,
           MEMORY_SECTOR);
    slot->sectors--;
    u->s.filled += MEMORY_SECTOR;
}

static bool memory_receive(struct scenebuffer *u, cycle now)
{
    bool any = false;
    for (u32 i = ports_arrived(&u->w.memory, 0); i != NOBODY;
         i = ports_arrived(&u->w.memory, i + 1)) {
        sector_arrive(u, link_peek(u->w.memory.at[i].in), now);
        link_pop(u->w.memory.at[i].in);
        any = true;
    }
    return any;
}

/* The oldest prefetch with a sector to ask a channel for; NOBODY: none. */
static u32 prefetch_on(const struct scenebuffer *u, u32 channel)
{
    u32 number = u->first_loading;
    while (number != NOBODY &&
           u->cursors[(u64)number * u->w.memory.count + channel] >= u->slots[number].bytes)
        number = u->slots[number].next;
    return number;
}

static void prefetch_ask(struct scenebuffer *u, u32 number, u32 channel)
{
    u64 *cursor = &u->cursors[(u64)number * u->w.memory.count + channel];
    u32 segment = u->slots[number].segment;
    *link_push(u->w.memory.at[channel].out) = (struct message){
        .kind = MEMORY_READ,
        .address = segment_address(u, segment) + *cursor,
        .tag = number,
        .size_bytes = MEMORY_SECTOR,
    };
    *cursor = offset_on(u, segment, *cursor + MEMORY_SECTOR, channel);
}

/* One request to each channel: misses first, which somebody waits for. */
static bool memory_ask(struct scenebuffer *u)
{
    bool any = false;
    for (u32 i = 0; i < u->w.memory.count; i++) {
        bool miss = u->outbox[i].at != NEVER;
        u32 number = miss ? NOBODY : prefetch_on(u, i);
        if ((!miss && number == NOBODY) || !link_can_push(u->w.memory.at[i].out))
            continue;
        if (miss) {
            *link_push(u->w.memory.at[i].out) = u->outbox[i].message;
            u->outbox[i].at = NEVER;
        } else {
            prefetch_ask(u, number, i);
        }
        any = true;
    }
    return any;
}

/* ---- Users ---- */

static bool users_answer(struct scenebuffer *u, cycle now)
{
    bool any = false;
    while (u->answer_head != u->answer_tail) {
        u32 number = u->answers[u->answer_head % u->read_count];
        struct scene_read *read = &u->reads[number];
        struct link *out = u->w.users.at[read->user].out;
        if (read->at > now || !link_can_push(out))
            break;
        *link_push(out) = read->message;
        u->answer_head++;
        read->next = u->free_read;
        u->free_read = number;
        unit_release(&u->base, 1);
        any = true;
    }
    return any;
}

static u32 read_take(struct scenebuffer *u, u32 user)
{
    u32 number = u->free_read;
    u->free_read = u->reads[number].next;
    u->reads[number].message = *link_peek(u->w.users.at[user].in);
    u->reads[number].user = user;
    link_pop(u->w.users.at[user].in);
    unit_hold(&u->base, 1);
    u->s.reads++;
    return number;
}

/* The slot that has the bytes; NOBODY: none. */
static u32 slot_with(const struct scenebuffer *u, u64 address)
{
    if (!u->treelet_bytes || address < u->treelets)
        return NOBODY;
    u64 segment = (address - u->treelets) / rt_treelet_stride(u->treelet_bytes);
    return segment < u->treelet_count ? u->slot_of[segment] : NOBODY;
}

static void slot_read(struct scenebuffer *u, u32 user, u32 slot, cycle now)
{
    u32 number = read_take(u, user);
    struct message *message = &u->reads[number].message;
    u64 offset = message->address - segment_address(u, u->slots[slot].segment);
    if (offset < u->treelet_bytes) { /* else it is behind the treelet, where nothing lies */
        u64 length = min_u64(message->size_bytes, u->treelet_bytes - offset);
        memcpy(message->data.byte, u->data + (u64)slot * u->treelet_bytes + offset,
               min_u64(length, MESSAGE_DATA_BYTES));
    }
    read_answer(u, number, now + u->p.latency);
}

static bool miss_begin(struct scenebuffer *u, u32 user)
{
    struct slot *out = &u->outbox[channel_of(u, link_peek(u->w.users.at[user].in)->address)];
    if (out->at != NEVER || u->missing == u->p.misses)
        return false;
    u32 number = read_take(u, user);
    *out = (struct slot){ 0, u->reads[number].message };
    out->message.tag = number | MISS_TAG;
    u->missing++;
    u->s.misses++;
    return true;
}

/* Takes a user's oldest request, unless its bank has taken another. */
static bool user_take(struct scenebuffer *u, u32 user, u64 *taken, cycle now)
{
    const struct message *request = link_peek(u->w.users.at[user].in);
    if ((request->kind & MEMORY_KIND) == MEMORY_PREFETCH) {
        link_pop(u->w.users.at[user].in); /* whatever is to be here, the scheduler says */
        return true;
    }
    u64 bank = UINT64_C(1) << request->address / SCENEBUFFER_LINE % u->p.banks;
    u32 slot = slot_with(u, request->address);
    if (u->free_read == NOBODY || *taken & bank) {
        u->s.conflicts += (*taken & bank) != 0;
        return false;
    }
    if (slot != NOBODY)
        slot_read(u, user, slot, now);
    else if (!miss_begin(u, user))
        return false;
    *taken |= bank;
    return true;
}

/* One request of each user; who was refused first is the first in the next cycle. */
static bool users_take(struct scenebuffer *u, cycle now)
{
    u32 users = u->w.users.count, refused = NOBODY, last = NOBODY;
    u64 taken = 0;
    for (u32 half = 0; half < 2; half++) {
        u32 end = half ? u->turn : users;
        for (u32 i = ports_arrived(&u->w.users, half ? 0 : u->turn); i < end;
             i = ports_arrived(&u->w.users, i + 1)) {
            if (user_take(u, i, &taken, now))
                last = i;
            else if (refused == NOBODY)
                refused = i;
        }
    }
    if (refused != NOBODY)
        u->turn = refused;
    else if (last != NOBODY)
        u->turn = (last + 1) % users;
    return last != NOBODY;
}

static cycle scenebuffer_tick(struct unit *unit, cycle now)
{
    struct scenebuffer *u = (struct scenebuffer *)unit;
    bool moved = memory_receive(u, now);
    moved |= users_answer(u, now);
    moved |= scheduler_obey(u);
    moved |= users_take(u, now);
    moved |= memory_ask(u);
    moved |= prefetch_end(u);
    if (moved)
        return now + 1;
    if (u->answer_head == u->answer_tail)
        return NEVER;
    cycle leaves = u->reads[u->answers[u->answer_head % u->read_count]].at;
    return leaves > now ? leaves : NEVER;
}

static void scenebuffer_report(struct unit *unit, cycle now)
{
    struct scenebuffer *u = (struct scenebuffer *)unit;
    u->s.bank_cycles = u->p.banks * now;
}

static void scenebuffer_costs(const struct unit *unit, struct unit_costs *costs)
{
    const struct scenebuffer *u = (const struct scenebuffer *)unit;
    costs->area = array_area_mm2(u->p.size);
    costs->leakage = MW_PER_KIB * (double)u->p.size / (double)KiB;
}

static const struct resource_row scenebuffer_resource_rows[] = {
    { .name = "banks",
      .kind = RESOURCE_WORK,
      .capacity = "banks",
      .used = "reads",
      .held = "users_room + users_answer" },
    { 0 },
};

static const struct stream_role scenebuffer_streams = { .place = scenebuffer_place };

UNIT_TYPE(scenebuffer, SCENEBUFFER, "scene buffer of whole treelets", .init = scenebuffer_init,
          .tick = scenebuffer_tick, .report = scenebuffer_report, UNIT_ENERGY(SCENEBUFFER),
          .costs = scenebuffer_costs, .streams = &scenebuffer_streams,
          .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
          .area_help = "by size, as a cache", .resources = scenebuffer_resource_rows)
