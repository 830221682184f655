/* flow.c - immediate post-dominators of all instructions of a text.
 *
 * The graph has an instruction at every halfword, wherever functions begin: what post-dominates an
 * instruction depends only on what can come after it. So neither symbols nor entries are asked for,
 * and a halfword in the middle of an instruction, which nobody jumps to, disturbs no other.
 *
 * Dominators of the reverse graph, from the one end that all returns lead to: K. Cooper, T. Harvey,
 * K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001). An instruction that cannot come to an
 * end has no post-dominator. */
#include "isa/flow.h"

#include <stdlib.h>

#include "base/text.h"

#define NOWHERE ISA_MEETS_NOWHERE

struct flow {
    const struct isa_program *text;
    u32 count;           /* of halfwords; also the number of the end */
    u32 *first, *before; /* [count + 2], [2 count]: who can come before a halfword, by halfword */
    u32 *order;          /* [count + 1] in postorder of the reverse graph, */
    u32 *number;         /* [count + 1] and the place there; NOWHERE: cannot come to the end */
    u32 reached;
    u32 *meets; /* [count + 1] as found so far */
};

/* ---- The graph ---- */

static u32 flow_place(const struct isa_program *text, int64_t place)
{
    return place >= 0 && (u64)place < text->count ? (u32)place : (u32)text->count;
}

u32 flow_after(const struct isa_program *text, u32 at, u32 after[2])
{
    const struct insn *insn = &text->insns[at];
    int64_t behind = (int64_t)at + insn->length / 2, target = (int64_t)at + insn->immediate / 2;
    bool links = insn->rd != REGISTER_NONE;
    after[0] = flow_place(text, behind);
    after[1] = flow_place(text, target);
    if (insn->class == CLASS_BRANCH)
        return 2;
    if (insn->op == OP_illegal || insn->op == OP_ebreak || (insn->op == OP_jalr && !links))
        after[0] = (u32)text->count;
    else if (insn->op == OP_jal && !links)
        after[0] = after[1];
    return 1;
}

/* first[i] counts, then ends, then begins the list of i. */
static void flow_turn(struct flow *flow)
{
    u32 after[2];
    for (u32 at = 0; at < flow->count; at++)
        for (u32 i = flow_after(flow->text, at, after); i-- > 0;)
            flow->first[after[i]]++;
    for (u32 at = 0; at <= flow->count; at++)
        flow->first[at + 1] += flow->first[at];
    for (u32 at = flow->count; at-- > 0;)
        for (u32 i = flow_after(flow->text, at, after); i-- > 0;)
            flow->before[--flow->first[after[i]]] = at;
}

/* ---- The order ---- */

/* Depth first from the end against the arrows; `cursor` is how far a list has been followed. */
static void flow_number(struct flow *flow, u32 *path, u32 *cursor)
{
    u32 depth = 1;
    for (u32 at = 0; at <= flow->count; at++) {
        flow->number[at] = NOWHERE;
        cursor[at] = flow->first[at];
    }
    path[0] = flow->count;
    flow->number[flow->count] = 0; /* on the path: any but NOWHERE */
    while (depth) {
        u32 at = path[depth - 1];
        if (cursor[at] == flow->first[at + 1]) {
            flow->number[at] = flow->reached;
            flow->order[flow->reached++] = at;
            depth--;
            continue;
        }
        u32 next = flow->before[cursor[at]++];
        if (flow->number[next] != NOWHERE)
            continue;
        flow->number[next] = 0;
        path[depth++] = next;
    }
}

/* ---- Post-dominators ---- */

static u32 flow_common(const struct flow *flow, u32 one, u32 other)
{
    while (one != other) {
        if (flow->number[one] < flow->number[other])
            one = flow->meets[one];
        else
            other = flow->meets[other];
    }
    return one;
}

/* Of those places to go from here of which something is known. */
static u32 flow_meet(const struct flow *flow, u32 at)
{
    u32 after[2], found = NOWHERE;
    for (u32 i = flow_after(flow->text, at, after); i-- > 0;)
        if (flow->meets[after[i]] != NOWHERE)
            found = found == NOWHERE ? after[i] : flow_common(flow, found, after[i]);
    return found;
}

static void flow_solve(struct flow *flow)
{
    for (u32 at = 0; at < flow->count; at++)
        flow->meets[at] = NOWHERE;
    flow->meets[flow->count] = flow->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = flow->reached - 1; i-- > 0;) {
            u32 at = flow->order[i], found = flow_meet(flow, at);
            changed |= flow->meets[at] != found;
            flow->meets[at] = found;
        }
    }
}

void flow_find(const struct isa_program *text, u32 *meets)
{
    u32 count = (u32)text->count;
    size_t nodes = (size_t)count + 2;
    struct flow flow = { .text = text, .count = count };
    u32 *memory = heap_array(8 * nodes, sizeof *memory);
    u32 *path = memory + 6 * nodes, *cursor = memory + 7 * nodes;
    flow.first = memory;
    flow.before = memory + nodes;
    flow.order = memory + 3 * nodes;
    flow.number = memory + 4 * nodes;
    flow.meets = memory + 5 * nodes;
    flow_turn(&flow);
    flow_number(&flow, path, cursor);
    flow_solve(&flow);
    for (u32 at = 0; at < count; at++)
        meets[at] = flow.meets[at] == count ? NOWHERE : flow.meets[at];
    free(memory);
}
