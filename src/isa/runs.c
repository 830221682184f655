/* runs.c - how far a thread surely comes with plain instructions alone.
 *
 * That is the distance to the nearest other instruction. It is found by going through the text from
 * its end until nothing changes, which takes a pass for each jump back on the way. */
#include "isa/flow.h"

/* Whether a run can begin with it. What custom instructions do is known to others. */
static bool insn_is_plain(const struct insn *insn)
{
    return insn->op != OP_custom && insn->op != OP_illegal && RUN_CLASSES >> insn->class & 1;
}

/* Of the places that come after, the one with the shorter run. */
static u32 run_behind(const struct isa_program *text, u32 at, const u8 *runs)
{
    const struct insn *insn = &text->insns[at];
    u64 behind = at + insn->length / 2, target = at + (u64)(insn->immediate / 2);
    u32 next = behind < text->count ? runs[behind] : 0;
    u32 jump = target < text->count ? runs[target] : 0;
    if (insn->class == CLASS_BRANCH)
        return next < jump ? next : jump;
    return insn->op == OP_jal ? jump : insn->op == OP_jalr ? 0 : next;
}

static bool runs_shorten(const struct isa_program *text, u8 *runs)
{
    bool changed = false;
    for (u32 at = (u32)text->count; at-- > 0;) {
        u32 run = runs[at] ? 1 + run_behind(text, at, runs) : 0;
        if (run >= runs[at])
            continue;
        runs[at] = (u8)run;
        changed = true;
    }
    return changed;
}

void runs_find(const struct isa_program *text, u8 *runs)
{
    for (u64 at = 0; at < text->count; at++)
        runs[at] = insn_is_plain(&text->insns[at]) ? RUN_MAX : 0;
    while (runs_shorten(text, runs))
        ;
}
