/* monitor_program.c - commands about threads and what they execute. */
#include <stdlib.h>
#include <string.h>

#include "debug/monitor.h"
#include "ogive/ray_trace.h"
#include "ogive/tracer.h"
#include "profile/profile.h"
#include "run/program.h"
#include "unit/registry.h"

#define LISTED_MAX  100
#define STATES_MAX  64
#define CODE_BEFORE 4
#define CODE_LINES  12

static bool has_program(const struct monitor_call *call)
{
    if (!call->debug->threads.unit_count)
        text_add(call->out, "no program runs on this machine\n");
    return call->debug->threads.unit_count;
}

/* ---- Threads ---- */

struct state_count {
    const char *state;
    u32 threads;
};

static void state_count(struct state_count *counts, const char *state)
{
    u32 i = 0;
    while (i + 1 < STATES_MAX && counts[i].state && strcmp(counts[i].state, state) != 0)
        i++;
    counts[i].state = state;
    counts[i].threads++;
}

static void thread_line(const struct debug *debug, u32 thread, const struct debug_view *view,
                        struct text *out)
{
    text_add(out, "  %-6u ", thread + 1);
    threads_name(&debug->threads, thread, out);
    text_add(out, " at 0x%llx, %llu instructions\n", (unsigned long long)view->pc,
             (unsigned long long)view->executed);
}

void monitor_threads(const struct monitor_call *call)
{
    const struct debug *debug = call->debug;
    struct state_count counts[STATES_MAX] = { 0 };
    u32 listed = 0;
    if (!has_program(call))
        return;
    for (u32 i = 0; i < threads_count(&debug->threads); i++) {
        struct debug_view view;
        place_view(threads_place(&debug->threads, i), &view);
        const char *state = view.ended ? "ended" : view.state ? view.state : "running";
        state_count(counts, state);
        if (!strcmp(state, call->rest) && listed++ < LISTED_MAX)
            thread_line(debug, i, &view, call->out);
    }
    for (u32 i = 0; i < STATES_MAX && counts[i].state && !listed; i++)
        text_add(call->out, "  %-10s %u threads\n", counts[i].state, counts[i].threads);
    if (listed > LISTED_MAX)
        text_add(call->out, "  ... and %u more\n", listed - LISTED_MAX);
}

/* The register of a name; NOBODY: there is none. */
static u32 register_find(const char *name)
{
    for (u32 i = 0; i < REGISTER_NONE; i++)
        if (!strcmp(isa_register_name(i), name))
            return i;
    return NOBODY;
}

static void lane_line(const struct thread_place *place, u32 number, struct text *out)
{
    struct debug_view view;
    struct hart hart;
    place_view(*place, &view);
    unit_program_role(place->unit)->hart(place->unit, place->number, &hart);
    text_add(out, "  lane %-3u ", view.lane);
    if (view.ended)
        text_add(out, "ended\n");
    else if (view.pending >> number & 1)
        text_add(out, "on its way\n");
    else
        text_add(out, "0x%016llx at 0x%llx\n", (unsigned long long)hart.r[number],
                 (unsigned long long)view.pc);
}

void monitor_lanes(const struct monitor_call *call)
{
    struct thread_place place = threads_place(&call->debug->threads, call->thread);
    u32 number = register_find(call->rest);
    struct debug_view view;
    place_view(place, &view);
    if (view.lane == NOBODY || number == NOBODY) {
        text_add(call->out, number == NOBODY ? "lanes takes a register, as in `lanes a0`\n"
                                             : "this thread is in no warp\n");
        return;
    }
    u32 width = place_width(place);
    place.number -= view.lane;
    for (u32 i = 0; i < width; i++, place.number++)
        lane_line(&place, number, call->out);
}

/* ---- Code ---- */

static void code_counts(const struct profile *profile, u64 pc, struct text *out)
{
    struct profile_counts sum = { 0 };
    char name[64];
    for (u32 i = 0; i < profile->sample_count; i++)
        for (u32 r = 0; profile->samples[i].pc == pc && r < PROFILE_WIDTH; r++)
            sum.cycles[r] += profile->samples[i].counts.cycles[r];
    u32 stall = counts_main_stall(&sum);
    text_add(out, "%10llu ", (unsigned long long)sum.cycles[PROFILE_ISSUED]);
    if (stall == PROFILE_ISSUED)
        text_add(out, "%28s", "");
    else
        text_add(out, "%10llu %-17s", (unsigned long long)sum.cycles[stall],
                 profile_reason_name(stall, name, sizeof name));
}

static void code_line(const struct profile *profile, u64 pc, const struct insn *insn, bool here,
                      struct text *out)
{
    char words[128];
    isa_disassemble(isa_shared(), insn, pc, words, sizeof words);
    text_add(out, "%s 0x%llx ", here ? "=>" : "  ", (unsigned long long)pc);
    if (profile)
        code_counts(profile, pc, out);
    text_add(out, " %s\n", words);
}

/* Some instructions before a place: the text is known by halfwords, and so is what begins where. */
static u64 code_before(const struct isa_program *text, const u32 *ordinals, u64 pc, u32 count)
{
    u64 index = (pc - text->base) / 2;
    while (count && index) {
        index--;
        count -= ordinals[index] != ordinals[index + 1];
    }
    return text->base + 2 * index;
}

static void code_show(const struct monitor_call *call, u64 at, u64 lines, u64 pc)
{
    const struct program *program = call->debug->system->chip->program;
    struct profile *profile = program_profile(call->debug->system);
    const struct insn *insn = isa_fetch(&program->chip.text, at);
    text_add(call->out, profile ? "   address      issued    stalled for what\n"
                                : "(a run with --profile counts issues and stalls)\n");
    for (; lines && insn; lines--, insn = isa_fetch(&program->chip.text, at)) {
        code_line(profile, at, insn, at == pc, call->out);
        at += insn->length;
    }
    if (!insn)
        text_add(call->out, "there is no text at 0x%llx\n", (unsigned long long)at);
    if (profile)
        profile_destroy(profile);
}

void monitor_code(const struct monitor_call *call)
{
    struct debug *debug = call->debug;
    const struct program *program = debug->system->chip->program;
    struct debug_view view;
    char *end;
    if (!has_program(call))
        return;
    place_view(threads_place(&debug->threads, call->thread), &view);
    u64 at = strtoull(call->rest, &end, 0), lines = strtoull(end, NULL, 0);
    const struct isa_program *text = &program->chip.text;
    if (!*call->rest)
        at = isa_fetch(text, view.pc)
                 ? code_before(text, program->chip.ordinals, view.pc, CODE_BEFORE)
                 : text->base;
    code_show(call, at, lines ? min_u64(lines, LISTED_MAX) : CODE_LINES, view.pc);
}

/* ---- Rays ---- */

static const char *const reason_names[] = {
#define RAY_TRACE_HELP(name, NAME, help) help,
    RAY_TRACE_REASONS(RAY_TRACE_HELP)
};

static void ray_show(const struct ray_traces *all, const struct ray_trace *trace, cycle now,
                     struct text *out)
{
    u64 cycles[RAY_TRACE_REASON_COUNT];
    struct ray_trace_event *events = heap_array(trace->event_count + 2, sizeof *events);
    u32 count = ray_trace_events(all, trace, now, events, cycles);
    text_add(out, "ray %llu of %s, sent at cycle %llu:\n", (unsigned long long)trace->number,
             unit_path(all->unit), (unsigned long long)trace->begin);
    for (u32 i = 0; i < count && i < LISTED_MAX; i++)
        text_add(out, "  %-10llu %6llu cycles %s\n", (unsigned long long)events[i].begin,
                 (unsigned long long)events[i].cycles, reason_names[events[i].reason]);
    if (trace->ended)
        text_add(out, "  its hit was back at cycle %llu\n", (unsigned long long)trace->end);
    free(events);
}

/* The newest ray of a thread that was followed; NULL: none. */
static const struct ray_trace *ray_of(const struct ray_traces *all, u32 thread)
{
    const struct ray_trace *newest = NULL;
    for (u32 i = 0; i < all->count; i++) {
        const struct ray_trace *trace = &all->traces[i];
        if (trace->source == thread && (!newest || trace->begin > newest->begin))
            newest = trace;
    }
    return newest;
}

void monitor_ray(const struct monitor_call *call)
{
    const struct chip *chip = call->debug->system->chip;
    bool followed = false, found = false;
    for (u32 i = 0; i < chip->unit_count; i++) {
        const struct ray_role *role = registry_type(chip->units[i]->type)->rays;
        const struct ray_traces *all =
            role && role->followed ? role->followed(chip->units[i]) : NULL;
        const struct ray_trace *trace = all ? ray_of(all, call->thread) : NULL;
        followed = followed || all;
        found = found || trace;
        if (trace)
            ray_show(all, trace, chip->now, call->out);
    }
    if (!followed)
        text_add(call->out, "rays are followed in runs with --trace-rays N\n");
    else if (!found)
        text_add(call->out, "none of the rays that are followed is of this thread; a larger "
                            "--trace-rays follows more\n");
}
