/* threads.c - see threads.h. */
#include "debug/threads.h"

#include <stdlib.h>

#include "arch/host.h"
#include "sim/clock.h"
#include "unit/registry.h"

const struct program_role *unit_program_role(const struct unit *unit)
{
    return registry_type(unit->type)->programs;
}

u32 place_width(struct thread_place place)
{
    struct debug_view view, mate;
    place_view(place, &view);
    if (!place.unit || view.lane == NOBODY)
        return 0;
    u32 first = place.number - view.lane, threads = (u32)registry_harts(place.unit), width = 0;
    for (; first + width < threads; width++) {
        place_view((struct thread_place){ place.unit, first + width }, &mate);
        if (mate.warp != view.warp)
            break;
    }
    return width;
}

static void unit_add(void *context, struct unit *unit)
{
    struct chip_threads *threads = context;
    u32 place = threads->unit_count++;
    threads->units[place] = unit;
    threads->of_unit[unit->number] = place;
    threads->first[place + 1] = threads->first[place] + (u32)registry_harts(unit);
    threads->width = (u32)max_u64(threads->width, place_width((struct thread_place){ unit, 0 }));
}

void threads_init(struct chip_threads *threads, ogv_system *system)
{
    u32 count = system->chip->unit_count;
    *threads = (struct chip_threads){ .units = heap_array(count, sizeof *threads->units),
                                      .first = heap_array(count + 1, sizeof *threads->first),
                                      .of_unit = heap_array(count, sizeof *threads->of_unit) };
    for (u32 i = 0; i < count; i++)
        threads->of_unit[i] = NOBODY;
    if (system->chip->program)
        host_visit(system, unit_runs_programs, unit_add, threads);
}

void threads_fini(struct chip_threads *threads)
{
    free(threads->units);
    free(threads->first);
    free(threads->of_unit);
}

u32 threads_count(const struct chip_threads *threads)
{
    return threads->unit_count ? threads->first[threads->unit_count] : 1;
}

struct thread_place threads_place(const struct chip_threads *threads, u32 thread)
{
    u32 low = 0, high = threads->unit_count;
    if (!high)
        return (struct thread_place){ NULL, 0 };
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (threads->first[middle] <= thread)
            low = middle;
        else
            high = middle;
    }
    return (struct thread_place){ threads->units[low], thread - threads->first[low] };
}

void place_view(struct thread_place place, struct debug_view *view)
{
    *view = (struct debug_view){ .lane = NOBODY, .blamed = CLASS_COUNT };
    if (!place.unit)
        return;
    const struct program_role *role = unit_program_role(place.unit);
    struct hart hart;
    if (role->debug && role->debug->view) {
        role->debug->view(place.unit, place.number, view);
        return;
    }
    view->ended = !role->hart(place.unit, place.number, &hart);
    view->pc = hart.pc;
}

u32 threads_failed(const struct chip_threads *threads, struct program_fault *first)
{
    u32 failed = NOBODY;
    for (u32 i = 0; i < threads->unit_count; i++) {
        const struct unit *unit = threads->units[i];
        struct program_fault fault = unit_program_role(unit)->output(unit)->fault;
        fault.at = clock_chip(unit->clock, fault.at);
        if (fault.kind == FAULT_NONE || (failed != NOBODY && fault.at >= first->at))
            continue;
        failed = threads->first[i] + fault.thread;
        *first = fault;
    }
    return failed;
}

void threads_name(const struct chip_threads *threads, u32 thread, struct text *out)
{
    struct thread_place place = threads_place(threads, thread);
    struct debug_view view;
    if (!place.unit) {
        text_add(out, "machine");
        return;
    }
    place_view(place, &view);
    text_add(out, "%s.", unit_path(place.unit));
    if (view.lane == NOBODY)
        text_add(out, "t%u", place.number);
    else
        text_add(out, "w%u.l%u", view.warp, view.lane);
}
