/* front.c - fetching and decoding instructions for the warps of a sub-core.
 *
 * What is fetched is known from the program; a fetch takes an address, a turn and, where its line
 * is not in the L0, time. Between a branch and the cycle in which it is known where it goes nothing
 * is fetched for its warp; what was fetched before from behind it is of use if it was not taken.
 *
 * Always true: a warp's I-buffer has held + coming instructions, from its pc to its next, at most
 * `ibuffer`; those coming are in the stages; a warp is in at most one of wanting, unsettled and
 * blocked. */
#include "unit/subcore/front.h"

#include "unit/subcore/subcore.h"

static u64 bit_of(const struct subcore *u, const struct subcore_warp *warp)
{
    return UINT64_C(1) << subcore_number(u, warp);
}

/* ---- Where instructions lie ---- */

/* With lengths of its own the text lies elsewhere in memory (front_start). */
static u64 address_of(const struct subcore *u, u64 pc)
{
    if (!u->p.insn_bytes)
        return pc;
    return u->front.code + u->program->ordinals[subcore_index(u, pc)] * u->p.insn_bytes;
}

/* An instruction counts as part of the line that it begins in. */
static u32 line_of(const struct subcore *u, u64 pc)
{
    return (u32)(address_of(u, pc) / u->p.l0_line - u->front.l0.first);
}

/* ---- The I-buffer ---- */

static void stages_drop(struct front *front, u32 warp)
{
    for (u32 i = 0; i < front->stages_used; i++) {
        struct front_stage *stage = &front->stages[(front->first_stage + i) % FRONT_STAGES];
        if (stage->warp == warp)
            stage->count = 0;
    }
}

/* Whether a warp is to be fetched for; what is in its way else is known already. */
static void warp_want(struct subcore *u, struct subcore_warp *warp)
{
    const struct front_warp *f = &warp->front;
    u32 has = f->held + f->coming;
    bool room = u->p.fetch_empty ? !has : has < u->p.ibuffer;
    if (room && f->line == NOBODY && isa_fetch(&u->program->text, f->next))
        u->front.wanting |= bit_of(u, warp);
    else
        u->front.wanting &= ~bit_of(u, warp);
}

/* Empties the buffer; where the warp goes on is known in cycle `from`. */
static void warp_redirect(struct subcore *u, struct subcore_warp *warp, cycle from)
{
    struct front *front = &u->front;
    u32 lost = warp->front.held + warp->front.coming;
    u->s.flushed += lost;
    if (warp->front.coming)
        stages_drop(front, subcore_number(u, warp));
    warp->front = (struct front_warp){ warp->pc, warp->pc, from, NOBODY, 0, 0 };
    front->wanting &= ~bit_of(u, warp);
    front->blocked &= ~bit_of(u, warp);
    front->unsettled |= bit_of(u, warp);
}

/* All its threads have ended. */
static void warp_stop(struct subcore *u, struct subcore_warp *warp)
{
    warp_redirect(u, warp, NEVER);
    warp->front.pc = NEVER;
    u->front.unsettled &= ~bit_of(u, warp);
}

static void warp_wait(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    bool misses = warp->front.line != NOBODY || u->front.blocked & bit_of(u, warp);
    subcore_wait(u, warp, misses ? WARP_MISS : WARP_FETCH, 0, NEVER, now);
}

/* The reason that it waits for, if it does, may be another one now. */
static void warp_wait_again(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    if (warp->state == WARP_FETCH || warp->state == WARP_MISS)
        warp_wait(u, warp, now);
}

bool front_has(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    if (warp->front.pc != warp->pc)
        warp_redirect(u, warp, now + 1);
    if (warp->front.held)
        return true;
    warp_wait(u, warp, now);
    return false;
}

/* Where only some of the threads have executed it, it stays for the others. */
void front_issued(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now)
{
    const struct insn *insn = &u->program->text.insns[index];
    struct front_warp *f = &warp->front;
    bool moves = class_moves(insn->class);
    if (warp->live && warp->pc == f->pc && !moves)
        return;
    f->held--;
    f->pc += insn->length;
    if (!warp->live)
        warp_stop(u, warp);
    else if (warp->pc != f->pc)
        warp_redirect(u, warp, now + (moves ? u->executors.classes[insn->class].latency : 1));
    else if (!(u->front.blocked & bit_of(u, warp)))
        warp_want(u, warp);
}

/* ---- Decoding ---- */

static void stages_deliver(struct subcore *u, cycle now)
{
    struct front *front = &u->front;
    for (; front->stages_used; front->stages_used--) {
        const struct front_stage *stage = &front->stages[front->first_stage];
        struct subcore_warp *warp = &u->warps[stage->warp];
        if (stage->at > now)
            return;
        warp->front.coming = (u8)(warp->front.coming - stage->count);
        warp->front.held = (u8)(warp->front.held + stage->count);
        if (stage->count && (warp->state == WARP_FETCH || warp->state == WARP_MISS))
            subcore_enter(u, warp, WARP_READY, now);
        front->first_stage = (front->first_stage + 1) % FRONT_STAGES;
    }
}

/* ---- Fetching ---- */

static u32 front_choose(const struct subcore *u)
{
    u64 wanting = u->front.wanting;
    if (u->p.fetch_policy == FETCH_POLICY_round_robin)
        return warps_after(wanting, u->front.last);
    return wanting >> u->last & 1 ? u->last : warps_last(wanting);
}

/* Instructions from where the buffer ends on, in one line; there is one. */
static u32 warp_take(const struct subcore *u, struct front_warp *f)
{
    const struct insn *insn;
    u32 count = 0, line = line_of(u, f->next);
    u64 bytes = 0;
    while (f->held + f->coming + count < u->p.ibuffer &&
           (insn = isa_fetch(&u->program->text, f->next)) && line_of(u, f->next) == line) {
        bytes += u->p.insn_bytes ? u->p.insn_bytes : insn->length;
        if (count && bytes > u->p.fetch_bytes)
            break;
        count++;
        f->next += insn->length;
    }
    return count;
}

static void warp_bring(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    struct front *front = &u->front;
    u32 count = warp_take(u, &warp->front);
    front->stages[(front->first_stage + front->stages_used++) % FRONT_STAGES] =
        (struct front_stage){ now + 1 + u->p.decode, (u8)subcore_number(u, warp), (u8)count };
    warp->front.coming = (u8)(warp->front.coming + count);
    u->s.fetched += count;
    warp_want(u, warp);
}

static void warp_fetch(struct subcore *u, struct subcore_warp *warp, cycle now)
{
    u32 line = line_of(u, warp->front.next);
    enum l0_found found = l0_look(u, line);
    u->s.fetches++;
    if (found == L0_HERE) {
        warp_bring(u, warp, now);
        return;
    }
    u->front.wanting &= ~bit_of(u, warp);
    if (found == L0_AWAITED)
        warp->front.line = line;
    else
        u->front.blocked |= bit_of(u, warp);
    warp_wait_again(u, warp, now);
}

static void unsettled_look(struct subcore *u, cycle now)
{
    for (u64 left = u->front.unsettled; left; left &= left - 1) {
        struct subcore_warp *warp = &u->warps[warps_first(left)];
        if (warp->front.from > now)
            continue;
        u->front.unsettled &= ~(left & -left);
        warp_want(u, warp);
    }
}

/* Sub-cores that share a fetch unit have it in turn, cycle by cycle. */
static bool is_turn(const struct subcore *u, cycle now)
{
    return (now + u->base.ordinal) % u->p.fetch_turn == 0;
}

void front_tick(struct subcore *u, cycle now)
{
    struct front *front = &u->front;
    stages_deliver(u, now);
    if (front->l0.length)
        l0_send(u);
    unsettled_look(u, now);
    if (!front->wanting || !is_turn(u, now))
        return;
    front->last = front_choose(u);
    warp_fetch(u, &u->warps[front->last], now);
}

cycle front_next(const struct subcore *u, cycle now)
{
    const struct front *front = &u->front;
    cycle next = front->stages_used ? front->stages[front->first_stage].at : NEVER;
    if (front->wanting) {
        u64 turn = u->p.fetch_turn;
        next = min_u64(next, now + turn - (now + u->base.ordinal) % turn);
    }
    if (front->l0.length && !front->l0.refused)
        next = min_u64(next, now + 1);
    for (u64 left = front->unsettled; left; left &= left - 1)
        next = min_u64(next, u->warps[warps_first(left)].front.from);
    return max_u64(next, now + 1);
}

/* ---- Lines that come ---- */

/* Warps that found no place for theirs look again: there is one now, or their line is here. */
static void blocked_look(struct subcore *u, cycle now)
{
    for (u64 left = u->front.blocked; left; left &= left - 1) {
        struct subcore_warp *warp = &u->warps[warps_first(left)];
        u->front.blocked &= ~(left & -left);
        warp_want(u, warp);
        warp_wait_again(u, warp, now);
    }
}

void front_answer(struct subcore *u, u32 tag, cycle now)
{
    u32 line = l0_answer(u, tag);
    blocked_look(u, now);
    for (u32 i = 0; line != NOBODY && i < u->p.warps; i++) {
        struct subcore_warp *warp = &u->warps[i];
        if (warp->front.line != line)
            continue;
        warp->front.line = NOBODY;
        warp_want(u, warp);
        warp_wait_again(u, warp, now);
    }
}

/* ---- Building ---- */

bool front_init(struct subcore *u, struct ogv_error *error)
{
    if (u->p.insn_bytes > u->p.l0_line)
        return unit_refuse(error, "insn_bytes must not be more than l0_line");
    u->fetches = u->p.ibuffer > 0;
    return l0_init(u, error);
}

/* Instructions of other lengths than RISC-V's are taken to lie at the end of memory, where programs
 * have nothing; with a small memory, from the text on. They are only read, and what is read does
 * not matter. */
static void code_place(struct subcore *u)
{
    const struct chip_program *program = u->program;
    u64 last = program->text.count - 1, line = u->p.l0_line;
    u64 bytes = (program->ordinals[last] + 1) * u->p.insn_bytes;
    bool fits = program->memory_bytes >= program->text.base + 2 * last + bytes;
    u->front.code = (fits ? program->memory_bytes - bytes : program->text.base) / line * line;
    l0_start(&u->front.l0, line, u->front.code, u->front.code + bytes);
}

void front_start(struct subcore *u)
{
    const struct isa_program *text = &u->program->text;
    if (u->p.insn_bytes)
        code_place(u);
    else
        l0_start(&u->front.l0, u->p.l0_line, text->base, text->base + 2 * text->count);
    u->front.last = (u32)u->p.warps - 1;
    for (u32 i = 0; i < u->p.warps; i++)
        warp_redirect(u, &u->warps[i], 0);
}
