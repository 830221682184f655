/* lookout.c - see lookout.h. */
#include "debug/lookout.h"

#include <stdlib.h>
#include <string.h>

#include "run/program.h"
#include "unit/registry.h"

enum { MARK_SET = 1, MARK_GONE = 2 };

/* Of a unit that runs programs: what is asked after each of its ticks. */
struct looked_unit {
    const struct debug_role *role;
    u32 base, count; /* its threads */
};

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
                                 .stepped = NOBODY,
                                 .units = heap_array(system->chip->unit_count,
                                                     sizeof(struct looked_unit)) };
    for (u32 i = 0; i < threads->unit_count; i++)
        lookout->units[threads->units[i]->number] =
            (struct looked_unit){ unit_program_role(threads->units[i])->debug, threads->first[i],
                                  threads->first[i + 1] - threads->first[i] };
    writes_init(&lookout->writes, system);
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
    free(lookout->units);
    while (lookout->watched_count)
        free(lookout->watched[--lookout->watched_count].value);
    free(lookout->watched);
    writes_fini(&lookout->writes);
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
    if (!length || length > WATCHED_BYTES_MAX || length > UINT64_MAX - address)
        return false;
    lookout->watched =
        heap_append(lookout->watched, lookout->watched_count, sizeof *lookout->watched);
    lookout->watched[lookout->watched_count++] =
        (struct watched){ .address = address,
                          .length = length,
                          .point = point,
                          .thread = in_private(address) ? thread : NOBODY,
                          .chosen = thread,
                          .value = in_private(address) ? NULL : heap_array(length, 1) };
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
        free(watched->value);
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

bool lookout_wants_breakpoints(const struct lookout *lookout)
{
    return lookout->breakpoints && !lookout->watched_count && lookout->stepped == NOBODY &&
           !lookout->step_all && !lookout->only_steps;
}

bool lookout_wants(const struct lookout *lookout)
{
    return lookout->threads->unit_count && (lookout->breakpoints || lookout->watched_count ||
                                            lookout->stepped != NOBODY || lookout->step_all);
}

/* ---- Looking ---- */

static void lookout_see(struct lookout *lookout, struct sighting sighting)
{
    if (lookout->seen_count && lookout->seen[0].at != sighting.at) {
        /* Domains are run one after the other through the same cycles. */
        if (lookout->earliest == (sighting.at > lookout->seen[0].at))
            return;
        lookout->seen_count = 0;
    }
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
    bool reads = !kind->store || kind->amo, atomic = kind->amo && kind->amo != AMO_LR;
    bool writes = atomic ? in_private(address) : kind->store; /* others are executed elsewhere */
    for (u32 i = 0; i < lookout->watched_count; i++) {
        const struct watched *watched = &lookout->watched[i];
        if (watch_is_met(watched, thread, address, kind->size_bytes, reads, writes))
            lookout_see(lookout, (struct sighting){ at, thread, STOP_WATCH, watched->point,
                                                    watched->address, pc, NULL });
    }
}

/* Whether a thread has arrived where it is to stop. One that steps over a breakpoint of its own
 * passes others that were taken away for that. */
static bool thread_arrived(const struct lookout *lookout, u32 thread, u64 pc)
{
    const u8 *mark = mark_at(lookout, pc);
    return mark && *mark && (*mark & MARK_SET || thread != lookout->stepped);
}

/* `counted`: the unit counts what its threads execute. What others ask of memory is seen on its way
 * there. */
static void thread_moved(struct lookout *lookout, u32 thread, const struct debug_view *view,
                         cycle at, bool counted)
{
    if (lookout->watched_count && !lookout->only_steps && counted)
        thread_watch(lookout, thread, at);
    if (!lookout->only_steps && !view->ended && thread_arrived(lookout, thread, view->pc))
        lookout_see(lookout,
                    (struct sighting){ at, thread, STOP_BREAK, POINT_BREAK, 0, view->pc, NULL });
    if (thread == lookout->stepped || lookout->step_all)
        lookout_see(lookout, (struct sighting){ at, thread, STOP_STEPPED, POINT_BREAK,
                                                lookout->pc[thread], view->pc, NULL });
}

/* Of a unit that does not count what its threads execute, a step is seen by its change of place. */
static bool has_moved(const struct lookout *lookout, u32 thread, const struct debug_view *view,
                      bool counted)
{
    return counted ? view->executed != lookout->executed[thread] : view->pc != lookout->pc[thread];
}

static void thread_look(struct lookout *lookout, struct thread_place place, u32 thread,
                        bool counted)
{
    struct debug_view view;
    place_view(place, &view);
    if (!has_moved(lookout, thread, &view, counted))
        return;
    thread_moved(lookout, thread, &view, place.unit->domain->now, counted);
    thread_note(lookout, thread, place, &view);
}

/* Threads that are at no breakpoint are left as they were noted last: those that have come to one
 * since have executed more. */
static void unit_look(struct lookout *lookout, struct unit *unit)
{
    const struct looked_unit *looked = &lookout->units[unit->number];
    const struct debug_role *role = looked->role;
    u32 first = 0, count = looked->count;
    bool counted = role && role->view, shortly = lookout->shortly && counted && role->pc;
    if (role && role->moved)
        role->moved(unit, &first, &count);
    for (u32 i = first; i < first + count; i++) {
        const u8 *mark = shortly ? mark_at(lookout, role->pc(unit, i)) : NULL;
        if (!shortly || (mark && *mark))
            thread_look(lookout, (struct thread_place){ unit, i }, looked->base + i, counted);
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
    if (here->writes.concerns[unit->number])
        writes_look(&here->writes, unit);
    return next;
}

/* A unit that runs no programs. */
static cycle lookout_tick_other(struct unit *unit, cycle now)
{
    cycle next = here->ticks[unit->type](unit, now);
    if (here->writes.concerns[unit->number])
        writes_look(&here->writes, unit);
    return next;
}

/* ---- What others than threads write ---- */

/* True if it is another one than before. */
static bool value_read(struct lookout *lookout, struct watched *watched)
{
    u8 now[WATCHED_BYTES_MAX];
    if (!watched->value ||
        !lookout->read(lookout->context, watched->chosen, watched->address, now, watched->length))
        return false;
    bool changed = memcmp(now, watched->value, watched->length) != 0;
    memcpy(watched->value, now, watched->length);
    return changed;
}

/* What a unit keeps changes when a store arrives that was seen before, or when an atomic operation
 * is executed: then the value is another one, and no thread has stored it in this cycle. */
static bool event_meets(const struct write_event *event, const struct watched *watched,
                        bool changed)
{
    bool there = event->address < watched->address + watched->length &&
                 watched->address < event->address + event->length;
    bool writes = event->writes || (event->may && changed);
    return there && (watched->point == POINT_READ    ? event->reads
                     : watched->point == POINT_WRITE ? writes
                                                     : writes || event->reads);
}

static bool is_stored(const struct lookout *lookout, const struct watched *watched)
{
    for (u32 i = 0; i < lookout->seen_count; i++)
        if (lookout->seen[i].reason == STOP_WATCH && lookout->seen[i].address == watched->address)
            return true;
    return false;
}

static void watched_settle(struct lookout *lookout, struct watched *watched, cycle at)
{
    bool stored = is_stored(lookout, watched);
    bool changed = (stored || lookout->writes.event_count) && value_read(lookout, watched);
    for (u32 i = 0; i < lookout->writes.event_count; i++) {
        const struct write_event *event = &lookout->writes.events[i];
        if (event_meets(event, watched, changed && !stored))
            lookout_see(lookout, (struct sighting){ at, event->thread, STOP_WATCH, watched->point,
                                                    watched->address, 0, event->unit });
    }
}

void lookout_settle(struct lookout *lookout)
{
    if (!lookout->on || !lookout->watched_count || lookout->only_steps)
        return;
    for (u32 i = 0; i < lookout->watched_count; i++)
        watched_settle(lookout, &lookout->watched[i], lookout->system->chip->now - 1);
    lookout->writes.event_count = 0;
}

static void lookout_prime_writes(struct lookout *lookout)
{
    writes_clear(&lookout->writes);
    for (u32 i = 0; i < lookout->watched_count && !lookout->only_steps; i++) {
        struct watched *watched = &lookout->watched[i];
        if (!watched->value)
            continue;
        value_read(lookout, watched);
        writes_add(&lookout->writes, watched->address, watched->length);
    }
    writes_begin(&lookout->writes);
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
    lookout->shortly = lookout_wants_breakpoints(lookout);
    lookout_prime(lookout);
    lookout_prime_writes(lookout);
    for (u32 i = 0; i < registry_count(); i++)
        lookout->looking[i] = registry_type(i)->programs     ? lookout_tick
                              : lookout->writes.keeper_count ? lookout_tick_other
                                                             : lookout->ticks[i];
    sim_set_ticks(lookout->system->sim, lookout->looking);
}

void lookout_end(struct lookout *lookout)
{
    if (lookout->on)
        sim_set_ticks(lookout->system->sim, lookout->ticks);
    lookout->on = false;
    here = NULL;
}
