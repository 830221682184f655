/* build.c - putting a chip together in its arena.
 *
 * While building, lists grow on the heap; sealing copies them into the arena, where nothing grows
 * any more. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sim/sim_private.h"

#define CACHE_LINE 64

struct sim *sim_create(struct ogv_error *error)
{
    struct arena *arena = arena_create(error);
    if (!arena)
        return NULL;
    struct sim *sim = heap_array(1, sizeof *sim);
    sim->chip = arena_alloc(arena, sizeof *sim->chip, CACHE_LINE);
    sim->arena = arena;
    sim->chip->arena = arena;
    arena->root = sim->chip;
    return sim;
}

void sim_destroy(struct sim *sim)
{
    if (!sim)
        return;
    pool_destroy(sim->narrow);
    pool_destroy(sim->wide);
    arena_destroy(sim->arena);
    free(sim->domains.items);
    free(sim->units.items);
    free(sim->links.items);
    free(sim);
}

struct chip *sim_chip(struct sim *sim)
{
    return sim->chip;
}

void sim_set_ticks(struct sim *sim, const tick_function *ticks)
{
    sim->ticks = ticks;
}

static void list_add(struct pointer_list *list, void *item)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->items = heap_grow(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = item;
}

struct domain *sim_add_domain(struct sim *sim)
{
    struct domain *domain = arena_alloc(sim->chip->arena, sizeof *domain, CACHE_LINE);
    if (!domain)
        return NULL;
    domain->chip = sim->chip;
    domain->number = sim->domains.count;
    domain->far_next = NEVER;
    domain->earliest_out = NEVER;
    domain->stopped_at = NEVER;
    domain->parity = 1; /* what is pushed while building is read by window 0 */
    list_add(&sim->domains, domain);
    return domain;
}

struct unit *sim_add_unit(struct sim *sim, struct domain *domain, u16 type, size_t bytes,
                          struct clock_ratio clock)
{
    struct unit *unit = arena_alloc(sim->chip->arena, bytes, CACHE_LINE);
    if (!unit)
        return NULL;
    unit->domain = domain;
    unit->type = type;
    unit->clock = clock;
    unit->clocked = clock.times != clock.per;
    domain->unit_count++;
    unit->number = sim->units.count;
    list_add(&sim->units, unit);
    return unit;
}

#define PATH_BYTES 256

bool sim_name_units(struct sim *sim, unit_namer namer, void *context)
{
    struct arena *arena = sim->chip->arena;
    u32 count = sim->units.count;
    const char **paths = arena_alloc(arena, count * sizeof *paths, sizeof *paths);
    for (u32 i = 0; paths && i < count; i++) {
        char path[PATH_BYTES];
        namer(context, sim->units.items[i], path, sizeof path);
        char *copy = arena_alloc(arena, strlen(path) + 1, 1);
        if (!copy)
            return false;
        paths[i] = strcpy(copy, path);
    }
    sim->chip->paths = paths;
    return paths;
}

const char *unit_path(const struct unit *unit)
{
    const char **paths = unit->domain->chip->paths;
    return paths ? paths[unit->number] : "a unit without a name";
}

/* What lies before a link between domains: the places of its messages. */
static u64 link_order_bytes(u64 slots)
{
    return (slots * sizeof(u16) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static u64 link_bytes(u64 slots)
{
    return sizeof(struct link) + slots * sizeof(struct slot);
}

/* With what the lists of the chip, of an inbox and of refusals take, and without the order of
 * sending, which only some have. */
u64 sim_link_bytes(u32 capacity)
{
    return link_bytes(power_of_two_above(capacity)) + 3 * sizeof(struct link *);
}

u64 sim_domain_bytes(u32 units)
{
    u64 rosters = (units + ROSTER_UNITS - 1) / ROSTER_UNITS;
    return sizeof(struct domain) + rosters * sizeof(struct roster) + units * sizeof(struct unit *);
}

static void link_init_within(struct link *link)
{
    link->popped_at = NEVER;
    link->pending = &link->unwatched;
}

static void link_init_across(struct link *link, u64 slots)
{
    link->crosses = true;
    link->free = slots < LINK_NEAR_PLACES ? (UINT64_C(1) << slots) - 1 : ~UINT64_C(0);
    link->first = LINK_NEAR_PLACES;
    link->head_at = NEVER;
    link->noted = link->arrives = &link->unwatched;
}

struct link *sim_add_link(struct sim *sim, struct unit *writer, struct unit *reader, u32 latency,
                          u32 capacity)
{
    if (latency < 1 || latency > LINK_LATENCY_MAX || capacity < 1 || capacity > LINK_CAPACITY_MAX)
        ogv_bug("link %s -> %s with latency %u and capacity %u", unit_path(writer),
                unit_path(reader), latency, capacity);
    u64 slots = power_of_two_above(capacity);
    bool crosses = writer->domain != reader->domain;
    u64 before = crosses ? link_order_bytes(slots) : 0;
    char *bytes = arena_alloc(sim->chip->arena, before + link_bytes(slots), CACHE_LINE);
    if (!bytes)
        return NULL;
    struct link *link = (struct link *)(bytes + before);
    link->writer = writer;
    link->reader = reader;
    link->from = writer->domain;
    link->to = reader->domain;
    link->mask = (u16)(slots - 1);
    link->latency = (u8)latency;
    if (crosses)
        link_init_across(link, slots);
    else
        link_init_within(link);
    list_add(&sim->links, link);
    return link;
}

static bool inbox_lay_out(struct arena *arena, struct inbox *inbox)
{
    inbox->words = (inbox->count + 7) / 8;
    inbox->links = arena_alloc(arena, inbox->count * sizeof *inbox->links, CACHE_LINE);
    inbox->marks = arena_alloc(arena, inbox->words * sizeof *inbox->marks, CACHE_LINE);
    inbox->count = 0;
    return inbox->links && inbox->marks;
}

static bool refusals_lay_out(struct arena *arena, struct refusals *refusals)
{
    refusals->words = (refusals->count + 63) / 64;
    refusals->links = arena_alloc(arena, refusals->count * sizeof *refusals->links, CACHE_LINE);
    refusals->marks = arena_alloc(arena, refusals->words * sizeof(u64), CACHE_LINE);
    refusals->count = 0;
    return refusals->links && refusals->marks;
}

static bool domain_lay_out(struct arena *arena, struct domain *domain)
{
    u32 count = domain->roster_count = (domain->unit_count + ROSTER_UNITS - 1) / ROSTER_UNITS;
    domain->rosters = arena_alloc(arena, count * sizeof *domain->rosters, CACHE_LINE);
    return domain->rosters && inbox_lay_out(arena, &domain->arrivals) &&
           refusals_lay_out(arena, &domain->refusals);
}

static u32 place_add(struct link **links, u32 *count, struct link *link)
{
    links[*count] = link;
    return (*count)++;
}

/* With no link between domains, any window would do; the largest one keeps stopping and polling
 * responsive. */
static void chip_join(struct chip *chip)
{
    chip->window = WINDOW_MAX;
    for (u32 i = 0; i < chip->link_count; i++) {
        struct link *link = chip->links[i];
        if (!link->crosses)
            continue;
        struct inbox *inbox = &link->to->arrivals;
        struct refusals *refusals = &link->from->refusals;
        u32 place = place_add(inbox->links, &inbox->count, link);
        link->mark = &inbox->marks[place / 8][0][place % 8];
        link->refusal_bit = place_add(refusals->links, &refusals->count, link);
        chip->window = min_u64(chip->window, link->latency);
    }
}

/* In its next free place. */
static void unit_enter_roster(struct unit *unit, u32 number)
{
    struct roster *roster = &unit->domain->rosters[number];
    u32 place = 0;
    while (roster->units[place])
        place++;
    roster->units[place] = unit;
    unit->index = number * ROSTER_UNITS + place;
    unit->roster = roster;
    unit->bit = UINT64_C(1) << place;
    if (unit->clocked)
        roster->clocked |= unit->bit;
}

/* In each domain, the first roster is that of the units at which most links end: they are awake
 * most often, so that in the other rosters there is mostly nobody awake. Within a roster, units
 * stay in their order. */
static void chip_enter_units(struct chip *chip)
{
    u32 *ends = heap_array(chip->unit_count, sizeof *ends);
    u32 *rosters = heap_array(chip->unit_count, sizeof *rosters);
    u32 *dealt = heap_array(chip->domain_count, sizeof *dealt);
    for (u32 i = 0; i < chip->link_count; i++) {
        ends[chip->links[i]->writer->number]++;
        ends[chip->links[i]->reader->number]++;
    }
    for (u32 most = UINT32_MAX, next; most; most = next) {
        next = 0;
        for (u32 i = 0; i < chip->unit_count; i++) {
            u32 count = ends[i] + 1;
            if (count == most)
                rosters[i] = dealt[chip->units[i]->domain->number]++ / ROSTER_UNITS;
            else if (count < most)
                next = (u32)max_u64(next, count);
        }
    }
    for (u32 i = 0; i < chip->unit_count; i++)
        unit_enter_roster(chip->units[i], rosters[i]);
    free(ends);
    free(rosters);
    free(dealt);
}

static void *list_settle(struct arena *arena, const struct pointer_list *list, u32 *count)
{
    void *items = arena_alloc(arena, list->count * sizeof *list->items, CACHE_LINE);
    if (items && list->count)
        memcpy(items, list->items, list->count * sizeof *list->items);
    *count = list->count;
    return items;
}

bool sim_seal(struct sim *sim, struct ogv_error *error)
{
    struct chip *chip = sim->chip;
    struct arena *arena = chip->arena;
    chip->domains = list_settle(arena, &sim->domains, &chip->domain_count);
    chip->units = list_settle(arena, &sim->units, &chip->unit_count);
    chip->links = list_settle(arena, &sim->links, &chip->link_count);
    bool room = chip->domains && chip->units && chip->links;
    for (u32 i = 0; room && i < chip->link_count; i++) {
        chip->links[i]->to->arrivals.count += chip->links[i]->crosses;
        chip->links[i]->from->refusals.count += chip->links[i]->crosses;
    }
    for (u32 i = 0; room && i < chip->domain_count; i++)
        room = domain_lay_out(arena, chip->domains[i]);
    if (!room)
        return error_user(error, "the chip is too large: its state needs more than %llu GiB",
                          (unsigned long long)(ARENA_SLOT_BYTES / GiB));
    chip_join(chip);
    chip_enter_units(chip);
    for (u32 i = 0; i < chip->unit_count; i++)
        unit_wake(chip->units[i], 0);
    return true;
}
