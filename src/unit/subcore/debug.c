/* debug.c - what a debugger sees of a sub-core's threads: each lane of a warp is one. */
#include "unit/subcore/subcore.h"

static const char *const state_names[] = {
#define SUBCORE_STATE_NAME(S, name, STATE, help) [WARP_##STATE] = #name,
    SUBCORE_STATES(SUBCORE_STATE_NAME, )
};

/* Registers of a lane that requests under way will write. */
static u64 lane_pending(const struct subcore *u, const struct subcore_warp *warp, u32 lane)
{
    u64 pending = 0;
    for (u32 i = warp->requests; i != NOBODY; i = u->requests[i].next)
        if (u->requests[i].lanes >> lane & 1)
            pending |= u->requests[i].writes;
    return pending;
}

static u64 warp_busy(const struct subcore_warp *warp, cycle now)
{
    u64 busy = 0;
    for (u64 bits = warp->timed; bits; bits &= bits - 1)
        if (warp->ready[__builtin_ctzll(bits)] > now)
            busy |= bits & -bits;
    return busy;
}

/* A lane that is not in the group waits for those that are. */
static const char *lane_state(const struct subcore_warp *warp, u32 lane)
{
    if (!(warp->live >> lane & 1))
        return "halted";
    return warp->group >> lane & 1 ? state_names[warp->state] : "parted";
}

static void subcore_view(const struct unit *unit, u32 thread, struct debug_view *view)
{
    const struct subcore *u = (const struct subcore *)unit;
    const struct subcore_warp *warp = &u->warps[thread / u->width];
    u32 lane = thread % u->width;
    bool in_group = warp->group >> lane & 1;
    bool charged = warp->state == WARP_HAZARD || warp->state == WARP_BUSY;
    u64 pending = warp->under_way ? lane_pending(u, warp, lane) : 0;
    *view = (struct debug_view){ .pc = in_group ? warp->pc : warp->lanes.pc[lane],
                                 .executed = warp_executed(warp, lane),
                                 .pending = pending,
                                 .busy = pending | warp_busy(warp, unit->domain->now),
                                 .state = lane_state(warp, lane),
                                 .blamed = in_group && charged ? warp->blamed : CLASS_COUNT,
                                 .private = u->stacks + thread * u->p.stack,
                                 .private_bytes = u->p.stack,
                                 .warp = thread / u->width,
                                 .lane = lane,
                                 .ended = !(warp->live >> lane & 1) };
}

static void subcore_moved(const struct unit *unit, u32 *first, u32 *count)
{
    const struct subcore *u = (const struct subcore *)unit;
    *first = u->last * u->width;
    *count = u->width;
}

static u64 subcore_pc(const struct unit *unit, u32 thread)
{
    const struct subcore *u = (const struct subcore *)unit;
    const struct subcore_warp *warp = &u->warps[thread / u->width];
    u32 lane = thread % u->width;
    return warp->group >> lane & 1 ? warp->pc : warp->lanes.pc[lane];
}

/* The pc is the warp's: setting it would part or join threads behind the unit's back. */
static bool subcore_set(struct unit *unit, u32 thread, u32 which, u64 value)
{
    struct subcore *u = (struct subcore *)unit;
    struct subcore_warp *warp = &u->warps[thread / u->width];
    u32 lane = thread % u->width;
    if (which == DEBUG_PC || which == 0 || !(warp->live >> lane & 1) ||
        lane_pending(u, warp, lane) >> which & 1)
        return false;
    lanes_register(&warp->lanes, which)[lane] = value;
    return true;
}

static const struct link *subcore_scratch(const struct unit *unit)
{
    const struct subcore *u = (const struct subcore *)unit;
    u32 port = u->executors.scratch;
    return port == PORT_NONE ? NULL : u->w.units.at[port].out;
}

/* What the lanes of a piece store. */
static void piece_add(const struct subcore *u, const struct subcore_request *request, u32 piece,
                      u64 address, u8 *bytes, u64 length)
{
    bool shared = request->port == u->executors.scratch;
    u64 from = request->address[piece] + (shared ? SCRATCH_WINDOW : 0) - address;
    u32 size = isa_access_kinds[u->program->text.insns[request->insn].op].size_bytes;
    for (u64 left = request->of[piece]; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        for (u32 i = 0; i < size; i++) {
            u64 at = from + request->offset[lane] + i;
            if (at < length)
                bytes[at] = (u8)(request->value[lane] >> 8 * i);
        }
    }
}

static void subcore_unsent(const struct unit *unit, u64 address, u8 *bytes, u64 length)
{
    const struct subcore *u = (const struct subcore *)unit;
    for (u32 w = 0; w < u->p.warps; w++)
        for (u32 i = u->warps[w].requests; i != NOBODY; i = u->requests[i].next) {
            const struct subcore_request *request = &u->requests[i];
            for (u32 k = request->sent; k < request->pieces && request->class == CLASS_STORE; k++)
                piece_add(u, request, k, address, bytes, length);
        }
}

const struct debug_role subcore_debug = { .view = subcore_view,
                                          .moved = subcore_moved,
                                          .set = subcore_set,
                                          .scratch = subcore_scratch,
                                          .unsent = subcore_unsent,
                                          .pc = subcore_pc };
