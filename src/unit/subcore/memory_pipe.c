/* memory_pipe.c - the memory pipe of a sub-core: what an access touches, and when it goes where.
 *
 * The address stage takes instructions from the queue in order and reads their registers; from
 * there on each asks for its structure, sends and returns on its own, so that one may pass another
 * that waits for a structure which is busy. Requests to the same unit leave in the order in which
 * they were granted: a thread's accesses to one place stay in order. See memory_pipe.h. */
#include "unit/subcore/memory_pipe.h"

#include "ogive/memory.h"
#include "ogive/messages.h"
#include "unit/lsu.h"
#include "unit/subcore/subcore.h"

static u32 parts(u64 whole, u64 each)
{
    return (u32)((whole + each - 1) / each);
}

/* ---- What an access touches ---- */

static bool is_scratch(const struct subcore_request *request)
{
    return request->pipe.structure == LSU_SCRATCH;
}

static bool is_constant(const struct subcore_request *request)
{
    return request->pipe.structure == LSU_CONSTANT;
}

static u32 access_bytes(const struct subcore *u, const struct subcore_request *request)
{
    return isa_access_kinds[u->program->text.insns[request->insn].op].size_bytes;
}

/* The most words that one bank has to give: two threads that load or store the same word share it,
 * two atomics on it do not. Loads and stores have a piece per sector, so that no word is counted
 * twice. */
static u32 access_conflicts(const struct subcore *u, const struct subcore_request *request)
{
    u64 word = is_scratch(request) ? u->p.pipe_scratch_word : u->p.pipe_word;
    u32 bytes = access_bytes(u, request), most = 1;
    u8 taken[64] = { 0 };
    for (u32 i = 0; i < request->pieces; i++) {
        u64 first = request->address[i] / word;
        for (u32 left = request_words(request, i, bytes, word); left; left &= left - 1) {
            u32 bank = (u32)((first + (u32)__builtin_ctz(left)) % u->p.pipe_banks);
            most = (u32)max_u64(most, ++taken[bank]);
        }
    }
    return most;
}

/* Different words of constants, of which one is given to all threads at a time. */
static u32 access_words(const struct subcore *u, const struct subcore_request *request)
{
    u32 words = 0;
    for (u32 i = 0; i < request->pieces; i++)
        words += (u32)__builtin_popcount(
            request_words(request, i, access_bytes(u, request), u->p.pipe_word));
    return words;
}

/* Neighbours mostly are in the line before. */
static u32 access_lines(const struct subcore *u, const struct subcore_request *request)
{
    u32 lines = 0;
    for (u32 i = 0; i < request->pieces; i++) {
        u64 line = request->address[i] / u->p.pipe_line;
        u32 same = i;
        while (same > 0 && request->address[same - 1] / u->p.pipe_line != line)
            same--;
        lines += same == 0;
    }
    return lines;
}

/* Whether the threads store all bytes of a piece's sector. */
static bool piece_is_whole(const struct subcore_request *request, u32 piece, u32 bytes)
{
    u32 all = (1u << MEMORY_SECTOR / 4) - 1;
    return request->class == CLASS_STORE && bytes >= 4 &&
           request_words(request, piece, bytes, 4) == all;
}

/* How many of the pieces before have the same sector. */
static u32 piece_turn(const struct subcore_request *request, u32 piece)
{
    u64 sector = request->address[piece] / MEMORY_SECTOR;
    u32 turn = 0;
    for (u32 i = 0; i < piece; i++)
        turn += request->address[i] / MEMORY_SECTOR == sector;
    return turn;
}

/* Packets that say what to do with their sectors: one for a line and, of atomics on the same words,
 * one for each time that a sector comes again. Whole sectors are stored without being told so. */
static u32 access_heads(const struct subcore *u, const struct subcore_request *request)
{
    u32 heads = 0, bytes = access_bytes(u, request);
    u32 turn[LANES_MAX];
    for (u32 i = 0; i < request->pieces; i++) {
        u64 line = request->address[i] / u->p.pipe_line;
        turn[i] = piece_is_whole(request, i, bytes) ? NOBODY : piece_turn(request, i);
        bool begins = turn[i] != NOBODY;
        for (u32 j = 0; j < i && begins; j++)
            begins = turn[j] != turn[i] || request->address[j] / u->p.pipe_line != line;
        heads += begins;
    }
    return heads;
}

static bool access_is_uniform(const struct subcore_request *request)
{
    u32 first = (u32)__builtin_ctzll(request->lanes);
    for (u32 i = 1; i < request->pieces; i++)
        if (request->address[i] != request->address[0])
            return false;
    for (u64 left = request->lanes; left; left &= left - 1)
        if (request->offset[__builtin_ctzll(left)] != request->offset[first])
            return false;
    return true;
}

/* ---- The address stage ---- */

static cycle access_read_latency(const struct subcore *u, const struct subcore_request *request)
{
    const struct request_pipe *pipe = &request->pipe;
    cycle latency = u->p.pipe_read;
    if (!pipe->uniform)
        latency += is_scratch(request) ? u->p.pipe_scratch_lanes : u->p.pipe_lanes;
    if (request->class == CLASS_LOAD)
        return latency;
    latency += u->p.pipe_store + (pipe->uniform ? 0 : u->p.pipe_store_lanes);
    return latency + u->p.pipe_store_word * (parts(access_bytes(u, request), 4) - 1);
}

static u8 access_structure(const struct subcore *u, const struct subcore_request *request)
{
    if (request->port == u->executors.scratch)
        return LSU_SCRATCH;
    return request->port == u->executors.constant ? LSU_CONSTANT : LSU_L1;
}

void pipe_enter(struct subcore *u, struct subcore_request *request, cycle now)
{
    struct request_pipe *pipe = &request->pipe;
    pipe->rate = (u8)u->p.sends;
    pipe->due = now + u->p.pipe_read;
    if (!class_is_memory(request->class))
        return;
    pipe->structure = access_structure(u, request);
    pipe->uniform = access_is_uniform(request);
    pipe->conflicts =
        (u8)(is_constant(request) ? access_words(u, request) : access_conflicts(u, request));
    pipe->lines = (u8)access_lines(u, request);
    pipe->due = now + access_read_latency(u, request);
    u->s.bank_conflicts += pipe->conflicts - 1u;
    u->s.lines += pipe->lines;
}

/* Cycles for which an instruction is in the address stage, if one block is found per cycle. */
static cycle access_blocks(const struct subcore *u, const struct subcore_request *request)
{
    if (u->p.pipe_coalesce == COALESCE_free || !class_is_memory(request->class))
        return 1;
    return u->p.pipe_coalesce == COALESCE_lines ? request->pipe.lines : request->pieces;
}

/* A message's registers are read when it is sent: it may need many of them. */
static void pipe_read(struct subcore *u, cycle now)
{
    struct subcore_pipe *pipe = &u->pipe;
    while (u->queued && pipe->buffered < u->p.pipe_buffer && pipe->next_read <= now) {
        u32 number = u->queue[u->head & u->queue_mask];
        struct subcore_request *request = &u->requests[number];
        if (request->pipe.due > now)
            return;
        cycle blocks = access_blocks(u, request);
        pipe->next_read = now + max_u64(u->p.pipe_interval, blocks);
        request->pipe.due = now + blocks - 1;
        queue_pop(u);
        pipe->buffered++;
        pipe->ask[pipe->asking++] = (u16)number;
        if (!class_is_memory(request->class))
            continue;
        request->pipe.due += request->pipe.uniform ? 0 : u->p.pipe_spread;
        request_read(u, request, now);
    }
}

/* ---- Asking and sending ---- */

static void list_remove(u16 *list, u32 *count, u32 index)
{
    (*count)--;
    for (u32 i = index; i < *count; i++)
        list[i] = list[i + 1];
}

static void request_ask(const struct subcore *u, u32 number, struct link *out)
{
    const struct subcore_request *request = &u->requests[number];
    bool writes = request->class != CLASS_LOAD && !is_scratch(request);
    *link_push(out) = (struct message){
        .kind = MESSAGE_ACCESS,
        .tag = number,
        .address = request->pipe.structure,
        .data.word = { [LSU_CONFLICTS] = request->pipe.conflicts,
                       [LSU_LINES] = request->pipe.lines,
                       [LSU_SECTORS] = request->pieces,
                       [LSU_WRITES] = writes ? request->pieces : 0,
                       [LSU_HEADS] = writes ? access_heads(u, request) : 0 },
    };
}

/* Those that need not ask can be sent at once. */
static void pipe_ask(struct subcore *u, cycle now)
{
    struct subcore_pipe *pipe = &u->pipe;
    struct link *out = pipe->arbiter == PORT_NONE ? NULL : u->w.units.at[pipe->arbiter].out;
    for (u32 i = 0; i < pipe->asking;) {
        struct subcore_request *request = &u->requests[pipe->ask[i]];
        bool asks = out && class_is_memory(request->class);
        if (request->pipe.due > now || (asks && !link_can_push(out)))
            return;
        request->pipe.due = now;
        if (asks)
            request_ask(u, pipe->ask[i], out);
        else
            pipe->send[pipe->sending++] = pipe->ask[i];
        list_remove(pipe->ask, &pipe->asking, i);
    }
}

void pipe_granted(struct subcore *u, u32 number, u64 passes, cycle now)
{
    struct subcore_request *request = &u->requests[number];
    request->pipe.rate = (u8)parts(request->pieces, passes);
    u->s.asked += now - request->pipe.due;
    u->pipe.send[u->pipe.sending++] = (u16)number;
}

/* The first to each unit sends. */
static void pipe_send(struct subcore *u, cycle now)
{
    struct subcore_pipe *pipe = &u->pipe;
    u64 used = 0;
    pipe->again = false;
    for (u32 i = 0; i < pipe->sending;) {
        u32 number = pipe->send[i];
        struct subcore_request *request = &u->requests[number];
        u64 port = UINT64_C(1) << request->port;
        bool goes_on = !(used & port) && request_send(u, number, request->pipe.rate);
        used |= port;
        if (request->sent < request->pieces) {
            pipe->again |= goes_on;
            i++;
            continue;
        }
        if (request->reads)
            request_read(u, request, now);
        pipe->again = true;
        pipe->buffered--;
        u->freed |= request->gathers; /* others may join it */
        list_remove(pipe->send, &pipe->sending, i);
    }
}

/* ---- Returning ---- */

bool pipe_returns(struct subcore *u, u32 number, cycle now)
{
    const struct subcore_request *request = &u->requests[number];
    struct subcore_pipe *pipe = &u->pipe;
    u64 width = is_scratch(request) ? u->p.pipe_scratch_return : u->p.pipe_return;
    if (!pipe->staged || !width || !class_is_memory(request->class) || !request->writes)
        return false;
    bool passes = u->p.pipe_return_by == RETURN_passes && !is_constant(request);
    u64 word = is_scratch(request) ? u->p.pipe_scratch_word : u->p.pipe_word;
    u64 row = passes ? u->p.pipe_banks * word : u->width * 4;
    u64 rows = passes ? request->pipe.conflicts : parts(access_bytes(u, request), 4);
    u64 takes = parts(rows * row, width);
    cycle begins = max_u64(request->pipe.first, pipe->returned);
    pipe->returned = max_u64(now + parts(row, width), begins + takes);
    u32 last = (pipe->returns_first + pipe->returns_count++) % (u32)u->p.requests;
    pipe->returns[last] = (struct pipe_return_item){ pipe->returned, number };
    if (request->pipe.structure == LSU_L1 && access_bytes(u, request) > 4)
        pipe->returned += u->p.pipe_return_wide;
    u->s.returning += takes;
    return true;
}

static void pipe_return(struct subcore *u, cycle now)
{
    struct subcore_pipe *pipe = &u->pipe;
    while (pipe->returns_count && pipe->returns[pipe->returns_first].at <= now) {
        u32 number = pipe->returns[pipe->returns_first].request;
        pipe->returns_first = (pipe->returns_first + 1) % (u32)u->p.requests;
        pipe->returns_count--;
        request_done(u, number, now);
    }
}

/* ---- Time ---- */

void pipe_tick(struct subcore *u, cycle now)
{
    pipe_return(u, now);
    pipe_read(u, now);
    pipe_ask(u, now);
    pipe_send(u, now);
}

cycle pipe_next(const struct subcore *u, cycle now)
{
    const struct subcore_pipe *pipe = &u->pipe;
    cycle next = pipe->again ? now + 1 : NEVER;
    if (pipe->returns_count)
        next = min_u64(next, pipe->returns[pipe->returns_first].at);
    if (pipe->asking && u->requests[pipe->ask[0]].pipe.due > now)
        next = min_u64(next, u->requests[pipe->ask[0]].pipe.due);
    if (u->queued && pipe->buffered < u->p.pipe_buffer) {
        cycle due = u->requests[u->queue[u->head & u->queue_mask]].pipe.due;
        next = min_u64(next, max_u64(max_u64(due, pipe->next_read), now + 1));
    }
    return next;
}

bool pipe_init(struct subcore *u, struct ogv_error *error)
{
    struct subcore_pipe *pipe = &u->pipe;
    pipe->staged = u->p.pipe == PIPE_staged;
    pipe->arbiter = PORT_NONE;
    if (!pipe->staged)
        return !u->p.pipe_arbiter[0] ||
               unit_refuse(error, "pipe_arbiter is asked by memory instructions that pass stages; "
                                  "set pipe: staged");
    if (u->w.units.count > 64)
        return unit_refuse(error, "has %u links; with pipe: staged at most 64 are possible",
                           u->w.units.count);
    if (u->p.pipe_arbiter[0] &&
        !port_find("pipe_arbiter", &u->w.units, u->p.pipe_arbiter, &pipe->arbiter, error))
        return false;
    pipe->returns = unit_alloc(&u->base, u->p.requests, sizeof *pipe->returns, error);
    return pipe->returns;
}
