/* size.c - how much memory a chip takes, before it is built.
 *
 * Units, links and calendars follow from the plan; what units allocate for themselves is seen in a
 * sample that has one unit of each line. The numbers are sums of products that a file can make as
 * large as it likes, hence floating point. Simulated memory takes address space, which the arena
 * limits, but no memory of this machine until it is written. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/available.h"
#include "base/text.h"

static _Atomic u64 allowed; /* bytes; 0: what is available */

void ogv_memory_allow(uint64_t bytes)
{
    atomic_store(&allowed, bytes);
}

/* A part of the chip, as one line of the file has it. */
struct plan_part {
    struct place place;
    const char *text;
    double bytes;
};

struct size {
    double state, memory;
    struct plan_part most_state, most_memory;
};

static void part_keep_largest(struct plan_part *largest, struct plan_part part)
{
    if (part.bytes > largest->bytes)
        *largest = part;
}

/* ---- Refusing ---- */

#define BYTES_TEXT 32

static const char *bytes_write(char buffer[BYTES_TEXT], double bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    u32 unit = 0;
    for (; bytes >= 1000 && unit < 5; unit++)
        bytes /= 1024;
    snprintf(buffer, BYTES_TEXT, "%.*f %s", bytes < 10 && unit ? 2 : 0, bytes, units[unit]);
    return buffer;
}

static bool size_refuse(const struct plan *plan, const char *what, double bytes,
                        const struct plan_part *part, const char *limit, struct ogv_error *error)
{
    char all[BYTES_TEXT], share[BYTES_TEXT];
    u64 links = 0;
    for (u32 i = 0; i < plan->link_count; i++)
        links += plan->links[i].edges;
    return place_error(
        error, part->place,
        "'%s': the chip is too large: with %u units and %llu joints between them its "
        "%s takes %s, %s of it for this line; %s",
        part->text, plan->unit_count, (unsigned long long)links, what, bytes_write(all, bytes),
        bytes_write(share, part->bytes), limit);
}

/* Whether this machine has as much. */
static bool size_check_available(const struct plan *plan, const struct size *size,
                                 struct ogv_error *error)
{
    u64 given = atomic_load(&allowed), most = given ? given : memory_available();
    char room[BYTES_TEXT], limit[128];
    if (size->state <= (double)most)
        return true;
    snprintf(limit, sizeof limit,
             given ? "%s is allowed by --memory"
                   : "this machine has %s available (--memory says how much to take)",
             bytes_write(room, (double)most));
    return size_refuse(plan, "state", size->state, &size->most_state, limit, error);
}

static bool size_check(const struct plan *plan, const struct size *size, struct ogv_error *error)
{
    struct plan_part most = size->most_state;
    double bytes = size->state + size->memory;
    char limit[64];
    if (!size_check_available(plan, size, error))
        return false;
    if (bytes <= (double)ARENA_SLOT_BYTES)
        return true;
    part_keep_largest(&most, size->most_memory);
    snprintf(limit, sizeof limit, "a chip may take %llu GiB",
             (unsigned long long)(ARENA_SLOT_BYTES / GiB));
    return size_refuse(plan, "state with its simulated memory", bytes, &most, limit, error);
}

/* ---- What is known beforehand ---- */

/* Simulated memory of one unit, asked of one that has parameters and nothing else. */
static double unit_memory(const struct plan_unit *planned)
{
    const struct unit_type *type = planned->type;
    u32 count = 0;
    if (!type->holds)
        return 0;
    while (type->params[count].name)
        count++;
    struct unit *unit = heap_array(1, type->bytes);
    memcpy((char *)unit + type->params_offset, planned->values, count * sizeof *planned->values);
    double bytes = (double)type->holds(unit);
    free(unit);
    return bytes;
}

static void size_add_domain(struct size *size, const struct plan_domain *domain)
{
    double copies = domain->count;
    size->state += copies * (double)sim_domain_bytes(domain->size);
    for (u32 i = 0; i < domain->unit_count; i++) {
        const struct plan_unit *unit = &domain->units[i];
        double count = copies * unit->count;
        struct plan_part own = { unit->place, unit->name, count * (double)unit->type->bytes };
        struct plan_part memory = { unit->place, unit->name, count * unit_memory(unit) };
        size->state += own.bytes;
        size->memory += memory.bytes;
        part_keep_largest(&size->most_state, own);
        part_keep_largest(&size->most_memory, memory);
    }
}

/* Of one joint. */
static double joint_bytes(const struct plan *plan, const struct plan_link *link)
{
    const struct plan_domain *domain = &plan->domains[link->from.domain];
    const struct port_row *port = &domain->units[link->from.unit].type->ports[link->from.port];
    u64 ways = port->role == ASKS ? 2 : 1;
    u64 joint = sizeof(struct port) + sizeof(struct port_note);
    return (double)(sizeof(struct plan_edge) + 2 * joint + ways * sim_link_bytes(link->capacity));
}

static void size_add_link(struct size *size, const struct plan *plan, const struct plan_link *link)
{
    struct plan_part part = { link->place, link->text,
                              (double)link->edges * joint_bytes(plan, link) };
    size->state += part.bytes;
    part_keep_largest(&size->most_state, part);
}

static void size_add_plan(struct size *size, const struct plan *plan)
{
    for (u32 i = 0; i < plan->domain_count; i++)
        size_add_domain(size, &plan->domains[i]);
    for (u32 i = 0; i < plan->link_count; i++)
        size_add_link(size, plan, &plan->links[i]);
}

bool plan_check_size(struct plan *plan, struct ogv_error *error)
{
    struct size size = { 0 };
    size_add_plan(&size, plan);
    plan->memory_bytes = size.memory;
    return size_check(plan, &size, error);
}

/* ---- What a sample shows ---- */

u32 plan_lines(const struct plan *plan)
{
    u32 lines = 0;
    for (u32 i = 0; i < plan->domain_count; i++)
        lines += plan->domains[i].unit_count;
    return lines;
}

bool plan_sizes(const struct plan *plan, struct plan_size *sizes, struct ogv_error *error)
{
    if (!plan_sample(plan, sizes, error))
        return false;
    for (u32 i = 0; i < plan->domain_count; i++) {
        for (u32 u = 0; u < plan->domains[i].unit_count; u++, sizes++) {
            const struct plan_unit *unit = &plan->domains[i].units[u];
            sizes->own = (double)unit->type->bytes;
            sizes->memory = unit_memory(unit);
            sizes->allocated -= sizes->memory;
        }
    }
    return true;
}

double plan_links_bytes(const struct plan *plan, u32 domain)
{
    double bytes = 0;
    for (u32 i = 0; i < plan->link_count; i++) {
        const struct plan_link *link = &plan->links[i];
        if (link->inside && link->from.domain == domain)
            bytes += link->edges * joint_bytes(plan, link) / plan->domains[domain].count;
    }
    return bytes;
}

static void size_add_allocated(struct size *size, const struct plan *plan,
                               const struct plan_size *sizes)
{
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        for (u32 u = 0; u < domain->unit_count; u++, sizes++) {
            const struct plan_unit *unit = &domain->units[u];
            double count = (double)domain->count * unit->count;
            double allocated = sizes->allocated + sizes->aside;
            size->state += count * allocated;
            part_keep_largest(
                &size->most_state,
                (struct plan_part){ unit->place, unit->name, count * (sizes->own + allocated) });
        }
    }
}

static bool plan_measure(const struct plan *plan, struct size *size, struct ogv_error *error)
{
    struct plan_size *sizes = heap_array(plan_lines(plan), sizeof *sizes);
    *size = (struct size){ 0 };
    size_add_plan(size, plan);
    bool good = plan_sizes(plan, sizes, error);
    if (good)
        size_add_allocated(size, plan, sizes);
    free(sizes);
    return good;
}

bool plan_bytes(const struct plan *plan, double *bytes, struct ogv_error *error)
{
    struct size size;
    bool good = plan_measure(plan, &size, error);
    *bytes = size.state;
    return good;
}

bool plan_check_sample(const struct plan *plan, struct ogv_error *error)
{
    struct size size;
    return plan_measure(plan, &size, error) && size_check(plan, &size, error);
}
