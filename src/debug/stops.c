/* stops.c - see stops.h. */
#include "debug/stops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "ogive/tracer.h"
#include "sim/clock.h"
#include "unit/registry.h"

#define PATH_BYTES 256

void stops_fini(struct stops *stops)
{
    for (u32 i = 0; i < stops->count; i++)
        free(stops->items[i].words);
    free(stops->items);
}

/* ---- Reading ---- */

struct unit *stops_unit(ogv_system *system, const char *path, struct text *out)
{
    struct nearest nearest;
    char hint[PATH_BYTES];
    nearest_init(&nearest, path);
    for (u32 i = 0; i < system->chip->unit_count; i++) {
        struct unit *unit = system->chip->units[i];
        if (!strcmp(unit_path(unit), path))
            return unit;
        nearest_offer(&nearest, unit_path(unit));
    }
    text_add(out, "there is no unit '%s'%s; `monitor units` lists them\n", path,
             nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

static bool read_number(const char *words, u64 *number, struct text *out)
{
    char *end;
    errno = 0;
    *number = strtoull(words, &end, 0);
    if (end != words && !*end && *words != '-' && !errno)
        return true;
    text_add(out, errno ? "%s is too large\n" : "'%s' is no number\n", words);
    return false;
}

/* "PATH >= N" or "PATH <= N" */
static bool read_stat(struct machine_stop *stop, ogv_system *system, const char *words,
                      struct text *out)
{
    char path[PATH_BYTES], relation[3], value[32];
    if (sscanf(words, "%255s %2s %31s", path, relation, value) != 3 ||
        (strcmp(relation, ">=") != 0 && strcmp(relation, "<=") != 0)) {
        text_add(out, "write it as in `break stat sm[0].core[1].issued >= 1000`\n");
        return false;
    }
    char *name = strrchr(path, '.');
    if (name)
        *name++ = 0;
    stop->unit = stops_unit(system, path, out);
    if (!stop->unit || !read_number(value, &stop->value, out))
        return false;
    const struct unit_type *type = registry_type(stop->unit->type);
    stop->below = *relation == '<';
    for (stop->stat = 0; type->stats[stop->stat].name; stop->stat++)
        if (name && !strcmp(type->stats[stop->stat].name, name))
            return true;
    text_add(out, "%s has no statistic '%s'; `monitor unit %s` lists them\n", path,
             name ? name : "", path);
    return false;
}

static struct link *link_between(const ogv_system *system, const struct unit *from,
                                 const struct unit *to)
{
    for (u32 i = 0; i < system->chip->link_count; i++)
        if (system->chip->links[i]->writer == from && system->chip->links[i]->reader == to)
            return system->chip->links[i];
    return NULL;
}

/* "A -> B full" or "A -> B empty" */
static bool read_link(struct machine_stop *stop, ogv_system *system, const char *words,
                      struct text *out)
{
    char from[PATH_BYTES], to[PATH_BYTES], what[8];
    if (sscanf(words, "%255s -> %255s %7s", from, to, what) != 3 ||
        (strcmp(what, "full") != 0 && strcmp(what, "empty") != 0)) {
        text_add(out, "write it as in `break link sm[3].l1 -> partition[2].l2 full`, or empty\n");
        return false;
    }
    stop->empty = *what == 'e';
    stop->unit = stops_unit(system, from, out);
    stop->to = stop->unit ? stops_unit(system, to, out) : NULL;
    if (stop->to && link_between(system, stop->unit, stop->to))
        return true;
    if (stop->to)
        text_add(out, "there is no link from %s to %s; `monitor links %s` lists those it has\n",
                 from, to, from);
    return false;
}

static bool stop_read(struct machine_stop *stop, ogv_system *system, const char *words,
                      struct text *out)
{
    static const char *const kinds[] = { "cycle ", "stat ", "link ", "ray ", "piece " };
    u32 kind = 0;
    while (kind < 5 && strncmp(words, kinds[kind], strlen(kinds[kind])) != 0)
        kind++;
    const char *rest = kind < 5 ? words + strlen(kinds[kind]) : "";
    stop->kind = (enum stop_kind)kind;
    switch (kind) {
    case STOP_AT_CYCLE:
        return read_number(rest, &stop->at, out);
    case STOP_AT_STAT:
        return read_stat(stop, system, rest, out);
    case STOP_AT_LINK:
        return read_link(stop, system, rest, out);
    case STOP_AT_RAY:
        if (!system_any(system, unit_traces_rays)) {
            text_add(out, "%s has nothing that traces rays\n", system->plan->name);
            return false;
        }
        return read_number(rest, &stop->value, out);
    case STOP_AT_PIECE:
        return read_number(rest, &stop->value, out);
    default:
        text_add(out, "`monitor help break` says at what it can stop\n");
        return false;
    }
}

u32 stops_add(struct stops *stops, ogv_system *system, const char *words, const char *called,
              struct text *out)
{
    struct machine_stop stop = { 0 };
    if (!stop_read(&stop, system, words, out))
        return 0;
    stop.words = heap_copy(called);
    stop.number = ++stops->made;
    stops->items = heap_append(stops->items, stops->count, sizeof *stops->items);
    stops->items[stops->count++] = stop;
    return stop.number;
}

bool stops_remove(struct stops *stops, u32 number)
{
    for (u32 i = 0; i < stops->count; i++) {
        if (stops->items[i].number != number)
            continue;
        free(stops->items[i].words);
        memmove(&stops->items[i], &stops->items[i + 1],
                (--stops->count - i) * sizeof *stops->items);
        return true;
    }
    return false;
}

/* ---- Looking ---- */

static u64 stat_now(const ogv_system *system, struct unit *unit, u32 stat)
{
    const struct unit_type *type = registry_type(unit->type);
    if (type->report)
        type->report(unit, clock_own(unit->clock, system->chip->now));
    return unit_stats(unit)[stat];
}

static bool stat_holds(const struct machine_stop *stop, const ogv_system *system)
{
    u64 value = stat_now(system, stop->unit, stop->stat);
    return stop->below ? value <= stop->value : value >= stop->value;
}

static bool link_holds(const struct machine_stop *stop, const ogv_system *system)
{
    const struct link *link = link_between(system, stop->unit, stop->to);
    return stop->empty ? !link_held(link) : link_held(link) > link->mask;
}

static bool ray_holds(const struct machine_stop *stop, ogv_system *system)
{
    u64 rays = 0;
    for (u32 i = 0; i < system->chip->unit_count; i++) {
        struct unit *unit = system->chip->units[i];
        const struct unit_type *type = registry_type(unit->type);
        if (type->rays)
            rays += stat_now(system, unit, stat_index(type, type->rays->rays));
    }
    return rays > stop->value;
}

/* The answer that was sent to threads on a link in the last cycle; NULL: none. */
static const struct message *link_answer(const struct link *link, cycle now)
{
    u64 held = link_held(link);
    const struct slot *slot = held ? link_nth(link, held - 1) : NULL;
    bool answers = slot && now && slot->at == now - 1 + link->latency &&
                   unit_runs_programs(registry_type(link->reader->type));
    return answers ? &slot->message : NULL;
}

/* Of units that trace rays, the first answer of the last cycle: a ray is counted when its hit is
 * sent. NOBODY: what was counted went to no thread. */
static u32 ray_thread(const ogv_system *system)
{
    const struct chip *chip = system->chip;
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct message *answer = unit_traces_rays(registry_type(chip->links[i]->writer->type))
                                           ? link_answer(chip->links[i], chip->now)
                                           : NULL;
        if (answer)
            return answer->source;
    }
    return NOBODY;
}

static bool piece_holds(const struct machine_stop *stop, const ogv_system *system, u32 *thread)
{
    const struct chip *chip = system->chip;
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct message *answer =
            unit_hands_out_pieces(registry_type(chip->links[i]->writer->type))
                ? link_answer(chip->links[i], chip->now)
                : NULL;
        if (!answer || answer->data.dword[0] != stop->value)
            continue;
        *thread = answer->source;
        return true;
    }
    return false;
}

/* `thread`: the one that it is about, if there is one. */
static bool stop_holds(const struct machine_stop *stop, ogv_system *system, u32 *thread)
{
    switch (stop->kind) {
    case STOP_AT_CYCLE:
        return system->chip->now == stop->at;
    case STOP_AT_STAT:
        return stat_holds(stop, system);
    case STOP_AT_LINK:
        return link_holds(stop, system);
    case STOP_AT_RAY:
        return ray_holds(stop, system);
    default:
        return piece_holds(stop, system, thread);
    }
}

void stops_begin(struct stops *stops, ogv_system *system)
{
    u32 ignored;
    for (u32 i = 0; i < stops->count; i++)
        stops->items[i].was = stop_holds(&stops->items[i], system, &ignored);
}

bool stops_meet(struct stops *stops, ogv_system *system, u32 *thread, struct text *out)
{
    bool met = false;
    for (u32 i = 0; i < stops->count; i++) {
        struct machine_stop *stop = &stops->items[i];
        bool holds = stop_holds(stop, system, thread);
        if (holds && !stop->was) {
            if (stop->kind == STOP_AT_RAY)
                *thread = ray_thread(system);
            text_add(out, "stop %u: %s, at cycle %llu\n", stop->number, stop->words,
                     (unsigned long long)system->chip->now);
            met = true;
        }
        stop->was = holds;
    }
    return met;
}

cycle stops_next_cycle(const struct stops *stops, cycle now)
{
    cycle next = NEVER;
    for (u32 i = 0; i < stops->count; i++)
        if (stops->items[i].kind == STOP_AT_CYCLE && stops->items[i].at > now)
            next = min_u64(next, stops->items[i].at);
    return next;
}

bool stops_every_cycle(const struct stops *stops)
{
    for (u32 i = 0; i < stops->count; i++)
        if (stops->items[i].kind != STOP_AT_CYCLE)
            return true;
    return false;
}
