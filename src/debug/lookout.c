/* lookout.c - see lookout.h. */
#include "debug/lookout.h"

#include <stdlib.h>
#include <string.h>

#include "run/program.h"
#include "unit/registry.h"

enum { MARK_SET = 1, MARK_GONE = 2 };

/* Step functions are told of no context, and there is one lookout at a time. */
static struct lookout *here;

void lookout_init(struct lookout *lookout, const struct chip_threads *threads, ogv_system *system)
{
    u32 count = threads_count(threads);
    *lookout = (struct lookout){ .threads = threads,
                                 .system = system,
                                 .ticks = registry_ticks(),
                                 .looking = heap_array(REGISTRY_MAX, sizeof(tick_function)),
                                 .executed = heap_array(count, sizeof(u64)),
                                 .pc = heap_array(count, sizeof(u64)),
                                 .base = heap_array(count, sizeof(u64)),
                                 .stepped = NOBODY };
    const struct program *program = system->chip->program;
    if (program)
        lookout->text = program->chip.text;
    lookout->marks = heap_array(lookout->text.count + 1, 1);
}

void lookout_fini(struct lookout *lookout)
{
    free(lookout->looking);
    free(lookout->executed);
    free(lookout->pc);
    free(lookout->base);
    free(lookout->marks);
    free(lookout->watched);
}

/* ---- What to look for ---- */

static u8 *mark_at(const struct lookout *lookout, u64 pc)
{
    const struct insn *insn = isa_fetch(&lookout->text, pc);
    return insn ? &lookout->marks[insn - lookout->text.insns] : NULL;
}

bool lookout_has(const struct lookout *lookout, u64 pc)
{
    const u8 *mark = mark_at(lookout, pc);
    return mark && *mark & MARK_SET;
}

static bool in_private(u64 address)
{
    return address - STACK_WINDOW < WINDOW_BYTES;
}

bool lookout_insert(struct lookout *lookout, enum target_point point, u64 address, u64 length,
                    u32 thread)
{
    u8 *mark = point == POINT_BREAK ? mark_at(lookout, address) : NULL;
    if (point == POINT_BREAK) {
        if (!mark)
            return false;
        lookout->breakpoints += !(*mark & MARK_SET);
        lookout->gone -= *mark & MARK_GONE ? 1 : 0;
        *mark = MARK_SET;
        return true;
    }
    if (!length || length > UINT64_MAX - address)
        return false;
    lookout->watched =
        heap_grow(lookout->watched, lookout->watched_count + 1, sizeof *lookout->watched);
    lookout->watched[lookout->watched_count++] =
        (struct watched){ address, length, point, in_private(address) ? thread : NOBODY };
    return true;
}

bool lookout_remove(struct lookout *lookout, enum target_point point, u64 address, u64 length)
{
    u8 *mark = point == POINT_BREAK ? mark_at(lookout, address) : NULL;
    if (mark && *mark & MARK_SET) {
        *mark = MARK_GONE;
        lookout->breakpoints--;
        lookout->gone++;
    }
    if (point == POINT_BREAK)
        return mark;
    for (u32 i = 0; i < lookout->watched_count; i++) {
        struct watched *watched = &lookout->watched[i];
        if (watched->address != address || watched->length != length || watched->point != point)
            continue;
        *watched = lookout->watched[--lookout->watched_count];
        return true;
    }
    return false;
}

void lookout_forget_removed(struct lookout *lookout)
{
    for (u64 i = 0; lookout->gone && i < lookout->text.count; i++) {
        lookout->gone -= lookout->marks[i] == MARK_GONE;
        lookout->marks[i] &= (u8)~MARK_GONE;
    }
}

bool lookout_wants(const struct lookout *lookout)
{
    return lookout->threads->unit_count && (lookout->breakpoints || lookout->watched_count ||
                                            lookout->stepped != NOBODY || lookout->step_all);
}

/* ---- Looking ---- */

static void lookout_see(struct lookout *lookout, struct sighting sighting)
{
    if (lookout->seen_count && sighting.at < lookout->seen[0].at)
        return; /* domains are run one after the other through the same cycles */
    if (lookout->seen_count && lookout->seen[0].at != sighting.at)
        lookout->seen_count = 0;
    if (lookout->seen_count < SIGHTINGS_MAX)
        lookout->seen[lookout->seen_count++] = sighting;
}

/* The register that the address of a thread's next access is made of, before that can change it. */
static u64 thread_base(const struct lookout *lookout, struct thread_place place, u64 pc)
{
    const struct insn *insn = isa_fetch(&lookout->text, pc);
    struct hart hart;
    if (!insn || !lookout->watched_count ||
        (insn->class != CLASS_LOAD && insn->class != CLASS_STORE && insn->class != CLASS_ATOMIC))
        return 0;
    unit_program_role(place.unit)->hart(place.unit, place.number, &hart);
    return hart.r[insn->rs1];
}

static void thread_note(struct lookout *lookout, u32 thread, struct thread_place place,
                        const struct debug_view *view)
{
    lookout->pc[thread] = view->pc;
    lookout->executed[thread] = view->executed;
    lookout->base[thread] = thread_base(lookout, place, view->pc);
}

static bool watch_is_met(const struct watched *watched, u32 thread, u64 address, u64 length,
                         bool reads, bool writes)
{
    bool kind = watched->point == POINT_ACCESS || (watched->point == POINT_READ ? reads : writes);
    bool whose = watched->thread == NOBODY || watched->thread == thread;
    return kind && whose && address < watched->address + watched->length &&
           watched->address < address + length;
}

/* The instruction that a thread has executed last was the one it stood at. */
static void thread_watch(struct lookout *lookout, u32 thread, cycle at)
{
    u64 pc = lookout->pc[thread];
    const struct insn *insn = isa_fetch(&lookout->text, pc);
    const struct isa_access_kind *kind = insn ? &isa_access_kinds[insn->op] : NULL;
    if (!kind || !kind->size_bytes)
        return;
    u64 address = lookout->base[thread] + (u64)insn->immediate;
    bool reads = !kind->store || kind->amo,
         writes = kind->store || (kind->amo && kind->amo != AMO_LR);
    for (u32 i = 0; i < lookout->watched_count; i++) {
        const struct watched *watched = &lookout->watched[i];
        if (watch_is_met(watched, thread, address, kind->size_bytes, reads, writes))
            lookout_see(lookout, (struct sighting){ at, thread, STOP_WATCH, watched->point,
                                                    watched->address, pc });
    }
}

/* Whether a thread has arrived where it is to stop. One that steps over a breakpoint of its own
 * passes others that were taken away for that. */
static bool thread_arrived(const struct lookout *lookout, u32 thread, u64 pc)
{
    const u8 *mark = mark_at(lookout, pc);
    return mark && *mark && (*mark & MARK_SET || thread != lookout->stepped);
}

static void thread_moved(struct lookout *lookout, u32 thread, const struct debug_view *view,
                         cycle at)
{
    if (lookout->watched_count && !lookout->only_steps)
        thread_watch(lookout, thread, at);
    if (!lookout->only_steps && !view->ended && thread_arrived(lookout, thread, view->pc))
        lookout_see(lookout, (struct sighting){ at, thread, STOP_BREAK, POINT_BREAK, 0, view->pc });
    if (thread == lookout->stepped || lookout->step_all)
        lookout_see(lookout, (struct sighting){ at, thread, STOP_STEPPED, POINT_BREAK,
                                                lookout->pc[thread], view->pc });
}

/* Of a unit that does not count what its threads execute, a step is seen by its change of place. */
static bool has_moved(const struct lookout *lookout, u32 thread, const struct debug_view *view,
                      bool counted)
{
    return counted ? view->executed != lookout->executed[thread] : view->pc != lookout->pc[thread];
}

static void unit_look(struct lookout *lookout, struct unit *unit)
{
    const struct debug_role *role = unit_program_role(unit)->debug;
    u32 place = lookout->threads->of_unit[unit->number];
    u32 base = lookout->threads->first[place], first = 0;
    u32 count = lookout->threads->first[place + 1] - base;
    if (role && role->moved)
        role->moved(unit, &first, &count);
    for (u32 i = first; i < first + count; i++) {
        struct thread_place at = { unit, i };
        struct debug_view view;
        place_view(at, &view);
        if (has_moved(lookout, base + i, &view, role && role->view)) {
            thread_moved(lookout, base + i, &view, unit->domain->now);
            thread_note(lookout, base + i, at, &view);
        }
    }
}

/* A unit that would run ahead to the end of the window does one cycle of it. */
static cycle lookout_tick(struct unit *unit, cycle now)
{
    struct domain *domain = unit->domain;
    cycle to = domain->to;
    domain->to = domain->now + 1;
    cycle next = here->ticks[unit->type](unit, now);
    domain->to = to;
    unit_look(here, unit);
    return next;
}

/* ---- Beginning and ending ---- */

static void lookout_prime(struct lookout *lookout)
{
    for (u32 i = 0; i < threads_count(lookout->threads); i++) {
        struct thread_place place = threads_place(lookout->threads, i);
        struct debug_view view;
        place_view(place, &view);
        thread_note(lookout, i, place, &view);
    }
}

void lookout_begin(struct lookout *lookout)
{
    lookout->seen_count = 0;
    lookout->on = true;
    here = lookout;
    lookout_prime(lookout);
    for (u32 i = 0; i < registry_count(); i++)
        lookout->looking[i] = registry_type(i)->programs ? lookout_tick : lookout->ticks[i];
    sim_set_ticks(lookout->system->sim, lookout->looking);
}

void lookout_end(struct lookout *lookout)
{
    if (lookout->on)
        sim_set_ticks(lookout->system->sim, lookout->ticks);
    lookout->on = false;
    here = NULL;
}
