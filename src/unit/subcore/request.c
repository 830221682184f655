/* request.c - instructions that memory or another unit executes: cut into pieces, sent in order,
 * and finished when all are answered.
 *
 * The loads and stores of a warp that fall into the same sector are one piece, and its atomics if
 * that is asked for and they are on different words; else these are one for each thread, as
 * messages are. Pieces are sent from a queue, the oldest instruction first, some per cycle; what a
 * store or a message carries is read from the registers then, so that these may not be written
 * before; or already at issue, where `dependences` do not see to that. The tag of a request names
 * instruction and piece. */
#include <string.h>

#include "base/error.h"
#include "ogive/memory.h"
#include "ogive/messages.h"
#include "unit/lsu.h"
#include "unit/subcore/subcore.h"

#define TAG_PIECE_SHIFT 16
#define TAG_REQUEST     ((UINT32_C(1) << TAG_PIECE_SHIFT) - 1)

_Static_assert(SUBCORE_REQUESTS_MAX + 2 * SUBCORE_WARPS_MAX <= TAG_REQUEST,
               "a request's number fits into a tag");
_Static_assert(LANES_MAX << TAG_PIECE_SHIFT < SUBCORE_TAG_TEXT, "and so does that of a piece");

/* ---- Making one ---- */

bool subcore_has_room(const struct subcore *u)
{
    u64 at_least = min_u64(u->p.requests, u->p.warps);
    bool allowed = u->taken < u->p.requests || u->taken - u->gathering < at_least;
    return allowed && u->queued < u->p.queue;
}

static struct isa_warp insn_warp(const struct insn *insn)
{
    return insn->op == OP_custom ? isa_custom_warp(isa_shared(), insn) : (struct isa_warp){ 0 };
}

bool subcore_has_room_for(const struct subcore *u, const struct insn *insn)
{
    bool enough = u->gathering == u->p.requests + u->p.warps;
    return subcore_has_room(u) && !(enough && insn_warp(insn).gathers);
}

static void queue_push(struct subcore *u, u32 number)
{
    u->queue[(u->head + u->queued++) & u->queue_mask] = (u16)number;
}

struct subcore_request *request_make(struct subcore *u, struct subcore_warp *warp,
                                     const struct insn *insn, u32 index, u32 port)
{
    u32 number = u->free;
    struct subcore_request *request = &u->requests[number];
    u->free = request->next;
    queue_push(u, number);
    memset(request, 0, offsetof(struct subcore_request, address));
    request->gathers = insn_warp(insn).gathers;
    request->parts = insn_warp(insn).parts;
    u->taken++;
    u->gathering += request->gathers;
    request->lanes = warp->group;
    request->writes = isa_writes(insn);
    request->reads =
        u->kept || (insn->class == CLASS_LOAD && !u->pipe.staged) ? 0 : isa_reads(insn);
    request->insn = index;
    request->next = warp->requests;
    request->port = (u16)port;
    request->warp = (u8)subcore_number(u, warp);
    request->class = insn->class;
    request->waits = WARP_HAZARD;
    if (insn->class == CLASS_STORE || insn->class == CLASS_ATOMIC)
        memcpy(request->value, lanes_register(&warp->lanes, insn->rs2), u->width * sizeof(u64));
    warp->requests = number;
    warp->under_way++;
    return request;
}

void request_add_lane(struct subcore_request *request, u32 lane, u64 address)
{
    request->address[request->pieces] = address;
    request->of[request->pieces++] = UINT64_C(1) << lane;
    request->offset[lane] = 0;
}

/* Neighbours mostly are in the sector before. */
void request_add_sector(struct subcore_request *request, u32 lane, u64 address)
{
    u64 sector = address / MEMORY_SECTOR * MEMORY_SECTOR;
    u32 i = request->pieces;
    while (i > 0 && request->address[i - 1] != sector)
        i--;
    if (i > 0)
        request->of[i - 1] |= UINT64_C(1) << lane;
    else
        request_add_lane(request, lane, sector);
    request->offset[lane] = (u8)(address - sector);
}

/* Words of `word` bytes that an access touches in its sector, a bit each. */
static u32 words_of(u32 offset, u32 bytes, u64 word)
{
    u64 first = offset / word, last = (offset + bytes - 1) / word;
    return (u32)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}

u32 request_words(const struct subcore_request *request, u32 piece, u32 bytes, u64 word)
{
    u32 words = 0;
    for (u64 left = request->of[piece]; left; left &= left - 1)
        words |= words_of(request->offset[__builtin_ctzll(left)], bytes, word);
    return words;
}

/* Into the first piece where its word is free: those on one word keep the order of the threads. */
void request_add_atomic(struct subcore_request *request, u32 lane, u64 address, u32 bytes)
{
    u64 sector = address / MEMORY_SECTOR * MEMORY_SECTOR;
    u32 offset = (u32)(address - sector), i = 0;
    u32 words = words_of(offset, bytes, 4);
    while (i < request->pieces &&
           (request->address[i] != sector || request_words(request, i, bytes, 4) & words))
        i++;
    if (i < request->pieces)
        request->of[i] |= UINT64_C(1) << lane;
    else
        request_add_lane(request, lane, sector);
    request->offset[lane] = (u8)offset;
}

/* ---- What they hold ---- */

struct subcore_hold requests_hold(const struct subcore *u, const struct subcore_warp *warp)
{
    struct subcore_hold hold = { 0 };
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        if (!(request->lanes & warp->group))
            continue;
        hold.writes |= request->writes;
        hold.reads |= request->reads;
    }
    return hold;
}

const struct subcore_request *request_holding(const struct subcore *u,
                                              const struct subcore_warp *warp, u32 number)
{
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        if (request->lanes & warp->group && (request->writes | request->reads) >> number & 1)
            return request;
    }
    ogv_bug("no request holds register %u", number);
}

/* After one has been sent or answered. */
static void warp_hold_again(const struct subcore *u, struct subcore_warp *warp)
{
    warp->pending = warp->reading = 0;
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        warp->pending |= request->writes;
        warp->reading |= request->reads;
    }
}

/* ---- Sending ---- */

static void write_fill(const struct subcore_request *request, u32 piece, const struct insn *insn,
                       struct message *message)
{
    u32 bytes = isa_access_kinds[insn->op].size_bytes;
    message->mask = 0;
    for (u64 left = request->of[piece]; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        u32 offset = request->offset[lane];
        memcpy(&message->data.byte[offset], &request->value[lane], bytes);
        message->mask |= ((UINT32_C(1) << bytes) - 1) << offset;
    }
}

/* Operands in their places. */
static void atomics_fill(const struct subcore_request *request, u32 piece, const struct insn *insn,
                         struct message *message)
{
    const struct isa_access_kind *kind = &isa_access_kinds[insn->op];
    u32 places = 0;
    for (u64 left = request->of[piece]; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left), offset = request->offset[lane];
        memcpy(&message->data.byte[offset], &request->value[lane], kind->size_bytes);
        places |= UINT32_C(1) << (offset / 4);
    }
    message->amo = MEMORY_TOGETHER(kind->amo, kind->size_bytes, places);
}

static void atomic_fill(const struct subcore *u, const struct subcore_request *request, u32 piece,
                        const struct insn *insn, struct message *message)
{
    const struct subcore_warp *warp = &u->warps[request->warp];
    u64 of = request->of[piece];
    u32 lane = (u32)__builtin_ctzll(of);
    message->kind = MEMORY_AMO;
    if (of & (of - 1)) {
        atomics_fill(request, piece, insn, message);
        return;
    }
    message->address += request->offset[lane];
    message->amo = isa_access_kinds[insn->op].amo;
    message->size_bytes = isa_access_kinds[insn->op].size_bytes;
    message->data.dword[0] = request->value[lane];
    message->data.dword[1] = message->amo == AMO_SC ? warp->stamp[lane] : 0;
}

static void message_fill(const struct subcore *u, const struct subcore_request *request, u32 piece,
                         const struct insn *insn, struct message *message)
{
    struct hart hart;
    if (insn->op != OP_custom || isa_custom(isa_shared(), insn)->execute) {
        message->kind = MESSAGE_OPERATION; /* what it computes is known */
        message->size_bytes = 0;
        message->address = insn->class;
        return;
    }
    lane_load(&u->warps[request->warp].lanes, (u32)__builtin_ctzll(request->of[piece]), insn,
              &hart);
    isa_message(isa_shared(), &hart, insn, message);
    if (insn_is_whole(insn))
        whole_fill(request, piece, message);
}

static void piece_fill(const struct subcore *u, const struct subcore_request *request, u32 piece,
                       struct message *message)
{
    const struct insn *insn = &u->program->text.insns[request->insn];
    message->address = request->address[piece];
    message->size_bytes = MEMORY_SECTOR;
    message->kind = MEMORY_READ;
    message->missed = 0;
    switch (insn->class) {
    case CLASS_LOAD:
        break;
    case CLASS_STORE:
        message->kind = MEMORY_WRITE;
        write_fill(request, piece, insn, message);
        break;
    case CLASS_ATOMIC:
        atomic_fill(u, request, piece, insn, message);
        break;
    case CLASS_FENCE:
        message->kind = MEMORY_FENCE;
        message->size_bytes = 0;
        break;
    default:
        message_fill(u, request, piece, insn, message);
    }
}

/* Where a piece's message is kept until it is sent. */
static struct message *request_kept(const struct subcore *u, const struct subcore_request *request,
                                    u32 piece)
{
    return &u->kept[(u64)(request - u->requests) * u->width + piece];
}

void request_ready(struct subcore *u, struct subcore_warp *warp, struct subcore_request *request,
                   cycle now)
{
    request->awaited = request->pieces;
    request->from = u->operands.read;
    for (u32 i = 0; u->kept && i < request->pieces; i++)
        piece_fill(u, request, i, request_kept(u, request, i));
    warp->pending |= request->writes;
    warp->reading |= request->reads;
    u->s.accesses += class_is_memory(request->class);
    if (u->pipe.staged)
        pipe_enter(u, request, now);
}

/* Sent, and none of it answered. */
static u32 request_to_join(const struct subcore *u, const struct subcore_warp *warp, u32 index)
{
    if (u->taken < u->p.requests)
        return NOBODY;
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next) {
        const struct subcore_request *request = &u->requests[i];
        if (request->gathers && request->waits == WARP_HAZARD && request->insn == index &&
            request->sent == request->pieces && request->awaited == request->pieces &&
            request->pieces + warp->threads <= u->width)
            return i;
    }
    return NOBODY;
}

bool request_join(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now)
{
    u32 number = request_to_join(u, warp, index);
    if (number == NOBODY || u->queued == u->p.queue)
        return false;
    struct subcore_request *request = &u->requests[number];
    request->lanes |= warp->group;
    for (u64 left = warp->group; left; left &= left - 1)
        request_add_lane(request, (u32)__builtin_ctzll(left), 0);
    queue_push(u, number);
    request_ready(u, warp, request, now);
    return true;
}

static void piece_send(struct subcore *u, u32 number, struct link *out)
{
    struct subcore_request *request = &u->requests[number];
    u32 piece = request->sent++, lane = (u32)__builtin_ctzll(request->of[piece]);
    struct message *message = link_push(out);
    if (u->kept)
        *message = *request_kept(u, request, piece);
    else
        piece_fill(u, request, piece, message);
    message->tag = piece << TAG_PIECE_SHIFT | number;
    message->source = u->first_hart + request->warp * u->width + lane;
    if (request->class != CLASS_LOAD)
        unit_effect(&u->base);
    u->s.pieces += class_is_memory(request->class);
}

bool request_send(struct subcore *u, u32 number, u64 most)
{
    struct subcore_request *request = &u->requests[number];
    struct link *out = u->w.units.at[request->port].out;
    for (u64 sent = 0; sent < most && request->sent < request->pieces; sent++) {
        if (!link_can_push(out))
            return false;
        piece_send(u, number, out);
    }
    return true;
}

void queue_pop(struct subcore *u)
{
    u->head++;
    u->queued--;
    u->freed = true;
}

void request_read(struct subcore *u, struct subcore_request *request, cycle now)
{
    struct subcore_warp *warp = &u->warps[request->warp];
    request->reads = 0;
    warp_hold_again(u, warp);
    if (warp->state == WARP_HAZARD && warp->asks)
        subcore_enter(u, warp, WARP_READY, now);
}

/* A register that was only read is free when the last piece has left. */
void subcore_send(struct subcore *u, cycle now)
{
    u64 left = u->p.sends;
    u->refused = false;
    while (u->queued && left && !u->refused) {
        u32 number = u->queue[u->head & u->queue_mask];
        struct subcore_request *request = &u->requests[number];
        if (request->from > now)
            return;
        u32 sent = request->sent;
        u->refused = !request_send(u, number, left);
        left -= request->sent - sent;
        if (request->sent < request->pieces)
            return;
        queue_pop(u);
        request_read(u, request, now);
    }
}

/* ---- Answers ---- */

static void load_finish(struct subcore_warp *warp, const struct subcore_request *request, u64 of,
                        const struct insn *insn, const struct message *answer)
{
    u64 *rd = lanes_register(&warp->lanes, insn->rd);
    u32 bytes = isa_access_kinds[insn->op].size_bytes;
    struct hart hart;
    for (; of; of &= of - 1) {
        u32 lane = (u32)__builtin_ctzll(of);
        u64 raw = 0;
        memcpy(&raw, &answer->data.byte[request->offset[lane]], bytes);
        isa_finish(&hart, insn, raw);
        rd[lane] = hart.r[insn->rd];
    }
}

static void atomic_finish(struct subcore_warp *warp, const struct subcore_request *request, u64 of,
                          const struct insn *insn, const struct message *answer)
{
    u32 lane = (u32)__builtin_ctzll(of);
    struct hart hart;
    if (of & (of - 1)) {
        load_finish(warp, request, of, insn, answer);
        return;
    }
    isa_finish(&hart, insn, answer->data.dword[0]);
    lanes_register(&warp->lanes, insn->rd)[lane] = hart.r[insn->rd];
    if (isa_access_kinds[insn->op].amo == AMO_LR)
        warp->stamp[lane] = answer->data.dword[1];
}

static void custom_finish(struct subcore_warp *warp, u64 of, const struct insn *insn,
                          const struct message *answer)
{
    if (isa_custom(isa_shared(), insn)->execute)
        return;
    for (; of; of &= of - 1) {
        u32 lane = (u32)__builtin_ctzll(of);
        struct hart hart = { .fcsr = warp->lanes.fcsr[lane] };
        isa_answer(&hart, insn, answer);
        lane_store(&warp->lanes, lane, insn, &hart);
    }
}

static void piece_finish(struct subcore_warp *warp, const struct subcore_request *request, u64 of,
                         const struct insn *insn, const struct message *answer)
{
    if (insn->op == OP_custom)
        custom_finish(warp, of, insn, answer);
    else if (insn->class == CLASS_LOAD)
        load_finish(warp, request, of, insn, answer);
    else if (insn->class == CLASS_ATOMIC)
        atomic_finish(warp, request, of, insn, answer);
}

static void request_unlink(struct subcore *u, struct subcore_warp *warp, u32 number)
{
    u32 *at = &warp->requests;
    while (*at != number)
        at = &u->requests[*at].next;
    *at = u->requests[number].next;
    u->requests[number].next = u->free;
    u->free = number;
    u->taken--;
    u->gathering -= u->requests[number].gathers;
    u->freed = true;
    warp->under_way--;
}

static bool state_waits_for_answer(u8 state)
{
    return state == WARP_HAZARD || state == WARP_FENCE || state == WARP_BARRIER ||
           state == WARP_VACANT;
}

/* Threads of the warp have their answer: whoever waits looks again. */
static void warp_answered(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    warp_unpark(warp);
    if (state_waits_for_answer(warp->state) && warp->asks)
        subcore_enter(u, warp, WARP_READY, now);
}

void request_done(struct subcore *u, u32 number, cycle now)
{
    struct subcore_warp *warp = &u->warps[u->requests[number].warp];
    if (u->requests[number].class == CLASS_FENCE)
        warp->fenced &= ~u->requests[number].lanes;
    request_unlink(u, warp, number);
    warp_hold_again(u, warp);
    warp_answered(u, warp, now);
}

/* The threads of a piece need not wait for those of others. */
static void request_part(struct subcore *u, struct subcore_warp *warp,
                         struct subcore_request *request, u32 piece, cycle now)
{
    request->lanes &= ~request->of[piece];
    warp_answered(u, warp, now);
}

/* Where results are limited, the answer's may have to wait for its turn. */
static void request_write(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                          cycle now)
{
    cycle written = results_squeeze(u, warp, insn, now);
    if (written > now)
        dependences_delay(u, warp, insn, written);
}

static void answer_take(struct subcore *u, const struct message *answer, cycle now)
{
    u32 number = answer->tag & TAG_REQUEST, piece = answer->tag >> TAG_PIECE_SHIFT;
    struct subcore_request *request = &u->requests[number];
    struct subcore_warp *warp = &u->warps[request->warp];
    const struct insn *insn = &u->program->text.insns[request->insn];
    if (insn->op != OP_custom && (answer->kind & MEMORY_KIND) == MEMORY_FAULT)
        subcore_fail(u, warp, (u32)__builtin_ctzll(request->of[piece]), FAULT_ACCESS,
                     u->program->text.base + 2 * (u64)request->insn, answer->address, now);
    else
        piece_finish(warp, request, request->of[piece], insn, answer);
    if (request->awaited == request->pieces)
        request->pipe.first = now;
    if (request->parts)
        request_part(u, warp, request, piece, now);
    if (--request->awaited)
        return;
    if (u->conflicts)
        request_write(u, warp, insn, now);
    if (!pipe_returns(u, number, now))
        request_done(u, number, now);
}

void subcore_take_answers(struct subcore *u, cycle now)
{
    const struct ports *units = &u->w.units;
    u64 most = u->pipe.staged ? u->p.pipe_receives : 1;
    for (u32 i = ports_pending(units, 0); i != NOBODY; i = ports_pending(units, i + 1)) {
        const struct message *answer;
        for (u64 n = 0; n < most && (answer = link_peek(units->at[i].in)); n++) {
            if (i == u->pipe.arbiter)
                pipe_granted(u, answer->tag, answer->data.word[LSU_PASSES], now);
            else if (answer->tag & SUBCORE_TAG_TEXT)
                front_answer(u, answer->tag, now);
            else
                answer_take(u, answer, now);
            link_pop(units->at[i].in);
        }
    }
}
