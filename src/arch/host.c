/* host.c - bytes between the host and a chip that stands still, one sector at a time.
 *
 * The way of a sector is followed link by link from the first core. A write goes to the stored
 * bytes; a read takes these, and then what caches on the way and next to any core have that is
 * newer. */
#include "arch/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ogive/memory.h"
#include "unit/registry.h"

#define WAY_MAX 16

/* From a core to the memory: the units on the way and the address as each of them sees it. */
struct way {
    struct unit *units[WAY_MAX];
    u64 addresses[WAY_MAX];
    u32 count;
    const struct unit *end; /* that does not say where it goes on; NULL: none */
};

static const struct unit_type *type_of(const struct unit *unit)
{
    return registry_type(unit->type);
}

static bool way_find(struct way *way, struct unit *core, u64 address)
{
    struct unit *unit = core;
    const struct unit_type *type = type_of(unit);
    way->end = NULL;
    for (way->count = 0; way->count < WAY_MAX;) {
        struct link *link = type->toward ? type->toward(unit, &address) : NULL;
        way->end = type->toward ? NULL : unit;
        if (!link)
            return false;
        unit = link->reader;
        type = type_of(unit);
        way->units[way->count] = unit;
        way->addresses[way->count++] = address;
        if (type->stored)
            return true;
    }
    return false;
}

static struct unit *core_first(const ogv_system *system)
{
    int type = registry_find("core");
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (system->chip->units[i]->type == type)
            return system->chip->units[i];
    return NULL;
}

/* Where the bytes of one sector are stored. */
static u8 *sector_stored(const struct way *way, u64 need)
{
    struct unit *memory = way->units[way->count - 1];
    u64 length = 0;
    u8 *bytes = type_of(memory)->stored(memory, way->addresses[way->count - 1], &length);
    return bytes && length >= need ? bytes : NULL;
}

struct transfer {
    ogv_system *system;
    struct unit *core;
    u8 *bytes;
    bool writes;
    struct unit **private; /* the units next to the cores, each once */
    u32 private_count;
};

/* Private caches are asked too, whichever core they belong to. */
static void transfer_find_private(struct transfer *transfer)
{
    const struct chip *chip = transfer->system->chip;
    struct unit *last = NULL;
    transfer->private = heap_array(chip->unit_count, sizeof *transfer->private);
    for (u32 i = 0; i < chip->unit_count; i++) {
        struct unit *unit = chip->units[i];
        u64 address = 0;
        bool is_core = unit->type == transfer->core->type;
        struct link *link = is_core ? type_of(unit)->toward(unit, &address) : NULL;
        if (!link || link->reader == last)
            continue;
        last = link->reader;
        if (type_of(last)->newer)
            transfer->private[transfer->private_count++] = last;
    }
}

static void sector_add_newer(const struct transfer *transfer, const struct way *way, u64 sector,
                             u8 *data)
{
    for (u32 i = way->count - 1; i-- > 1;)
        if (type_of(way->units[i])->newer)
            type_of(way->units[i])->newer(way->units[i], way->addresses[i], data);
    for (u32 i = 0; i < transfer->private_count; i++)
        type_of(transfer->private[i])->newer(transfer->private[i], sector, data);
}

static bool transfer_sector(const struct transfer *transfer, u64 address, u64 offset, u64 length)
{
    struct way way;
    u64 sector = address / MEMORY_SECTOR * MEMORY_SECTOR, within = address - sector;
    u8 *stored = way_find(&way, transfer->core, sector) ? sector_stored(&way, MEMORY_SECTOR) : NULL;
    if (!stored)
        return false;
    if (transfer->writes) {
        memcpy(stored + within, transfer->bytes + offset, length);
        return true;
    }
    u8 data[MEMORY_SECTOR];
    memcpy(data, stored, MEMORY_SECTOR);
    sector_add_newer(transfer, &way, sector, data);
    memcpy(transfer->bytes + offset, data + within, length);
    return true;
}

/* Why there is nothing at an address: the way ends early, or the memory does. */
static bool transfer_explain(const struct transfer *transfer, u64 address, struct ogv_error *error)
{
    const struct plan *plan = transfer->system->plan;
    struct way way;
    char path[256];
    if (way_find(&way, transfer->core, address / MEMORY_SECTOR * MEMORY_SECTOR) || !way.end)
        return error_user(error, "%s has no memory at address 0x%llx; is its memory large enough?",
                          plan->name, (unsigned long long)address);
    plan_path(plan, way.end->number, path, sizeof path);
    return error_user(error,
                      "%s: requests for memory end in %s, which stores nothing, and its type '%s' "
                      "has no function `toward` that says where they go on; "
                      "docs/writing-a-unit.md explains it",
                      plan->name, path, type_of(way.end)->name);
}

static bool transfer_all(const struct transfer *transfer, u64 address, u64 length,
                         struct ogv_error *error)
{
    if (!transfer->core)
        return error_user(error, "%s has no cores that could run a program",
                          transfer->system->plan->name);
    for (u64 done = 0; done < length;) {
        u64 part = min_u64(length - done, MEMORY_SECTOR - (address + done) % MEMORY_SECTOR);
        if (!transfer_sector(transfer, address + done, done, part))
            return transfer_explain(transfer, address + done, error);
        done += part;
    }
    return true;
}

bool host_write(ogv_system *system, u64 address, const void *bytes, u64 length,
                struct ogv_error *error)
{
    struct transfer transfer = { .system = system,
                                 .core = core_first(system),
                                 .bytes = (u8 *)(uintptr_t)bytes,
                                 .writes = true };
    return transfer_all(&transfer, address, length, error);
}

bool host_read(ogv_system *system, u64 address, void *bytes, u64 length, struct ogv_error *error)
{
    struct transfer transfer = { .system = system, .core = core_first(system), .bytes = bytes };
    if (transfer.core)
        transfer_find_private(&transfer);
    bool good = transfer_all(&transfer, address, length, error);
    free(transfer.private);
    return good;
}

void host_visit(ogv_system *system, bool (*has)(const struct unit_type *type),
                void (*visit)(void *context, struct unit *unit), void *context)
{
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (has(type_of(system->chip->units[i])))
            visit(context, system->chip->units[i]);
}

void host_units(ogv_system *system, const char *type,
                void (*visit)(void *context, struct unit *unit), void *context)
{
    int index = registry_find(type);
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (system->chip->units[i]->type == index)
            visit(context, system->chip->units[i]);
}
