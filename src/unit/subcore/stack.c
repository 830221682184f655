/* stack.c - which threads of a warp go on, by a stack: of those that came apart at a branch the
 * ones on the way taken last, until they stand where all ways from that branch meet.
 *
 * As GPGPU-Sim and Accel-Sim do it: the way behind the branch is put onto the stack first and the
 * target's above it, so that threads that take a branch go first; a way ends at the immediate
 * post-dominator of its branch, which was found in the text when the program was loaded
 * (isa/flow.c). Three things are different, for threads here have a pc each and any program runs:
 *
 * - A call needs no entry. The stack pointer tells a function from the one it calls, and itself
 *   called again: a way ends where it says only in its own function or outside of it.
 * - Ways that meet nowhere before the end of their function meet where it returns to.
 * - Threads that are on the same way at different places (for some accesses are done for a part of
 *   a group first) go by the rule of warp.c: furthest behind first.
 *
 * The stack only says who is to go first: a thread that wanders off, by a jump over several
 * functions for instance, leaves its way with the next return, and nothing depends on it.
 *
 * Always true: ways are nested or have no thread in common, and one above another is not larger;
 * when the whole warp stands at one place there are none. A way is a part of a group that came
 * apart, so that there are fewer than two for each thread. */
#include "unit/subcore/stack.h"

#include "unit/subcore/subcore.h"

static u64 stack_pointer(const struct subcore_warp *warp, u32 lane)
{
    return lanes_register(&warp->lanes, REGISTER_SP)[lane];
}

static u64 lanes_at(const struct subcore_warp *warp, u64 among, u64 pc)
{
    u64 found = 0;
    for (u64 left = among; left; left &= left - 1)
        if (warp->lanes.pc[__builtin_ctzll(left)] == pc)
            found |= left & -left;
    return found;
}

static u64 pc_greatest(const struct subcore_warp *warp, u64 among)
{
    u64 greatest = 0;
    for (u64 left = among; left; left &= left - 1)
        greatest = max_u64(greatest, warp->lanes.pc[__builtin_ctzll(left)]);
    return greatest;
}

static void way_put(struct subcore_warp *warp, u64 lanes, u64 meets)
{
    struct warp_stack *stack = &warp->stack;
    u32 first = (u32)__builtin_ctzll(lanes);
    if (stack->depth == 2 * warp->lanes.width)
        return;
    stack->ways[stack->depth++] = (struct warp_way){
        .lanes = lanes,
        .meets = meets ? meets : lanes_register(&warp->lanes, REGISTER_RA)[first],
        .sp = stack_pointer(warp, first),
    };
}

void stack_part(struct subcore_warp *warp, u64 behind, u64 meets)
{
    u64 left = warp->group & ~lanes_at(warp, warp->group, meets);
    u64 next = lanes_at(warp, left, behind);
    for (; left; next = lanes_at(warp, left, pc_greatest(warp, left))) {
        if (next)
            way_put(warp, next, meets);
        left &= ~next;
    }
}

/* Those that are where a way ends. A function that returned has given its stack back. */
static u64 way_left(const struct subcore_warp *warp, const struct warp_way *way, u64 among,
                    bool returns)
{
    u64 found = 0;
    for (u64 left = among & way->lanes; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzll(left);
        u64 sp = stack_pointer(warp, lane);
        if ((warp->lanes.pc[lane] == way->meets && sp >= way->sp) || (returns && sp > way->sp))
            found |= left & -left;
    }
    return found;
}

/* Ways below may end at the same place. */
void stack_leave(struct subcore_warp *warp, u64 moved, bool returns)
{
    for (u32 i = warp->stack.depth; i-- > 0 && moved;) {
        struct warp_way *way = &warp->stack.ways[i];
        u64 left = way_left(warp, way, moved, returns);
        moved &= ~way->lanes | left;
        way->lanes &= ~left;
    }
}

u64 stack_first(struct subcore_warp *warp, u64 among)
{
    struct warp_stack *stack = &warp->stack;
    while (stack->depth && !(stack->ways[stack->depth - 1].lanes & warp->live))
        stack->depth--;
    for (u32 i = stack->depth; i-- > 0;)
        if (stack->ways[i].lanes & among)
            return stack->ways[i].lanes & among;
    return among;
}

u64 stack_end(const struct subcore_warp *warp)
{
    for (u32 i = warp->stack.depth; i-- > 0;) {
        const struct warp_way *way = &warp->stack.ways[i];
        if (way->lanes & warp->group)
            return way->meets > warp->pc ? way->meets : NEVER;
    }
    return NEVER;
}
