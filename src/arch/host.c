/* host.c - bytes between the host and a chip that stands still, one sector at a time.
 *
 * The way of a sector is followed link by link from the first core to the memory that stores it. A
 * write goes to the stored bytes. A read takes these, and then what is newer anywhere: the ways
 * from the other cores join the first one sooner or later, and the units on all of them are asked,
 * each once and after the one behind it, so that what is nearer to a core wins; what is on its way
 * to a unit comes after what that unit holds. */
#include "arch/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ogive/memory.h"
#include "unit/registry.h"

#define WAY_MAX 16

/* A unit on the way of a sector, and the sector's address as that unit takes it. */
struct step {
    struct unit *unit;
    u64 address;
};

/* From a core toward the memory. */
struct way {
    struct step steps[WAY_MAX];
    u32 count;
};

/* The units that the ways of a sector have led through so far. slots[n] is where the n-th unit of
 * the chip stands in `steps`, if that says so too: to empty the set is to set its count to 0. */
struct passed {
    struct step *steps;
    u32 *slots;
    u32 count;
};

struct transfer {
    ogv_system *system;
    struct unit *core; /* the first one */
    u8 *bytes;
    bool writes;
    bool changes;          /* wherever there is a copy */
    struct unit **private; /* the units next to the cores, each once */
    u32 private_count;
    struct passed passed;
};

static const struct unit_type *type_of(const struct unit *unit)
{
    return registry_type(unit->type);
}

/* The way on for an address, which becomes what the next unit takes; NULL: there is none. */
static struct link *unit_toward(struct unit *unit, u64 *address)
{
    const struct unit_type *type = type_of(unit);
    return type->toward ? type->toward(unit, address) : NULL;
}

static struct unit *unit_next(struct unit *unit, u64 *address)
{
    struct link *link = unit_toward(unit, address);
    return link ? link->reader : NULL;
}

static const struct step *passed_find(const struct passed *passed, const struct unit *unit)
{
    u32 slot = passed->count ? passed->slots[unit->number] : 0;
    return slot < passed->count && passed->steps[slot].unit == unit ? &passed->steps[slot] : NULL;
}

static void passed_add(struct passed *passed, struct step step)
{
    passed->slots[step.unit->number] = passed->count;
    passed->steps[passed->count++] = step;
}

/* From a unit to one that was passed before or that stores bytes; false: there is none. */
static bool way_find(struct way *way, const struct passed *passed, struct unit *unit, u64 address)
{
    for (way->count = 0; unit && way->count < WAY_MAX; unit = unit_next(unit, &address)) {
        way->steps[way->count++] = (struct step){ unit, address };
        if (type_of(unit)->stored || passed_find(passed, unit))
            return true;
    }
    return false;
}

/* Otherwise the address means other bytes there. */
static bool way_joins(const struct way *way, const struct passed *passed)
{
    const struct step *last = &way->steps[way->count - 1];
    const struct step *known = passed_find(passed, last->unit);
    return known && known->address == last->address;
}

static struct unit *core_first(const ogv_system *system)
{
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (unit_runs_programs(type_of(system->chip->units[i])))
            return system->chip->units[i];
    return NULL;
}

/* Where the bytes of one sector are stored. */
static u8 *sector_stored(const struct way *way, u64 need)
{
    const struct step *last = &way->steps[way->count - 1];
    u64 length = 0;
    u8 *bytes = type_of(last->unit)->stored(last->unit, last->address, &length);
    return bytes && length >= need ? bytes : NULL;
}

static void transfer_add_private(struct transfer *transfer, struct unit *unit)
{
    if (passed_find(&transfer->passed, unit))
        return;
    passed_add(&transfer->passed, (struct step){ unit, 0 });
    transfer->private[transfer->private_count++] = unit;
}

/* The ports among which one is the writer's end of a link. */
static const struct ports *ports_with(const struct link *link)
{
    const struct unit_type *type = type_of(link->writer);
    const struct ports *ports = (const void *)((const char *)link->writer + type->ports_offset);
    for (u32 i = 0; type->ports[i].name; i++)
        for (u32 k = 0; k < ports[i].count; k++)
            if (ports[i].at[k].out == link)
                return &ports[i];
    return NULL;
}

/* The units that a core's requests go to: one, or all among which the address chooses. */
static void transfer_add_next(struct transfer *transfer, const struct link *link)
{
    const struct ports *ports = ports_with(link);
    if (!ports || !ports->route.interleave) {
        transfer_add_private(transfer, link->reader);
        return;
    }
    for (u32 i = 0; i < ports->count; i++)
        transfer_add_private(transfer, ports->at[i].out->reader);
}

static void transfer_find_private(struct transfer *transfer)
{
    const struct chip *chip = transfer->system->chip;
    transfer->private = heap_array(chip->unit_count, sizeof *transfer->private);
    transfer->passed.steps = heap_array(chip->unit_count, sizeof *transfer->passed.steps);
    transfer->passed.slots = heap_array(chip->unit_count, sizeof *transfer->passed.slots);
    for (u32 i = 0; i < chip->unit_count; i++) {
        u64 address = 0;
        struct link *link = unit_runs_programs(type_of(chip->units[i]))
                                ? unit_toward(chip->units[i], &address)
                                : NULL;
        if (link)
            transfer_add_next(transfer, link);
    }
}

/* Puts the bytes that the n-th message of a link writes into those from `address` on. */
static void message_add_newer(const struct link *link, u64 n, u64 address, u8 *bytes, u64 length)
{
    const struct message *message = &link_nth(link, n)->message;
    u64 reach = MESSAGE_DATA_BYTES - 1, offset = message->address - address;
    if ((message->kind & MEMORY_KIND) != MEMORY_WRITE || offset + reach >= length + reach)
        return;
    for (u32 left = message->mask; left; left &= left - 1) {
        u32 i = (u32)__builtin_ctz(left);
        if (offset + i < length)
            bytes[offset + i] = message->data.byte[i];
    }
}

void host_add_under_way(const struct unit *unit, u64 address, u8 *bytes, u64 length)
{
    const struct unit_type *type = type_of(unit);
    const struct ports *ports = (const void *)((const char *)unit + type->ports_offset);
    for (u32 i = 0; type->ports[i].name; i++) {
        if (type->ports[i].role != SERVES)
            continue;
        for (u32 k = 0; k < ports[i].count; k++)
            for (u64 n = 0; n < link_held(ports[i].at[k].in); n++)
                message_add_newer(ports[i].at[k].in, n, address, bytes, length);
    }
}

/* Adds what is newer here to `data`; or, of the bytes of a mask, makes them those of `data`. */
static void step_touch(const struct step *step, u8 *data, u32 mask)
{
    const struct unit_type *type = type_of(step->unit);
    if (mask) {
        if (type->change)
            type->change(step->unit, step->address, data, mask);
        return;
    }
    if (type->newer)
        type->newer(step->unit, step->address, data);
    host_add_under_way(step->unit, step->address, data, MEMORY_SECTOR);
}

/* The last units of a way are nearest to the memory. */
static void way_touch(const struct way *way, struct passed *passed, u8 *data, u32 mask)
{
    for (u32 i = way->count; i--;) {
        struct step step = way->steps[i];
        if (passed_find(passed, step.unit))
            continue;
        passed_add(passed, step);
        step_touch(&step, data, mask);
    }
}

static void sector_touch(struct transfer *transfer, const struct way *first, u64 sector, u8 *data,
                         u32 mask)
{
    struct way way;
    way_touch(first, &transfer->passed, data, mask);
    for (u32 i = 0; i < transfer->private_count; i++)
        if (way_find(&way, &transfer->passed, transfer->private[i], sector) &&
            way_joins(&way, &transfer->passed))
            way_touch(&way, &transfer->passed, data, mask);
}

/* The unit that stores a sector, and its address as that unit takes it; NULL if none does. Most of
 * what is moved goes this way, so nothing is noted on it. */
static inline struct step sector_way(struct unit *core, u64 sector)
{
    struct step step = { NULL, sector };
    struct unit *unit = unit_next(core, &step.address);
    for (u32 i = 0; unit && i < WAY_MAX; i++) {
        const struct unit_type *type = type_of(unit);
        if (type->stored) {
            step.unit = unit;
            return step;
        }
        struct link *link = type->toward ? type->toward(unit, &step.address) : NULL;
        unit = link ? link->reader : NULL;
    }
    return step;
}

/* Where a sector that is written is stored, NULL if nowhere. */
static inline u8 *sector_find(struct unit *core, u64 sector)
{
    struct step last = sector_way(core, sector);
    u64 together = 0;
    u8 *stored = last.unit ? type_of(last.unit)->stored(last.unit, last.address, &together) : NULL;
    return stored && together >= MEMORY_SECTOR ? stored : NULL;
}

static bool write_sector(struct transfer *transfer, u64 address, u64 offset, u64 length)
{
    u64 within = address % MEMORY_SECTOR;
    u8 *stored = sector_find(transfer->core, address - within);
    if (stored)
        memcpy(stored + within, transfer->bytes + offset, length);
    return stored;
}

/* Reads, or changes all copies. */
static bool touch_sector(struct transfer *transfer, u64 address, u64 offset, u64 length)
{
    struct way way;
    u64 sector = address / MEMORY_SECTOR * MEMORY_SECTOR, within = address - sector;
    u64 there = sector;
    struct unit *next = unit_next(transfer->core, &there);
    transfer->passed.count = 0;
    bool found = way_find(&way, &transfer->passed, next, there);
    u8 *stored = found ? sector_stored(&way, MEMORY_SECTOR) : NULL;
    if (!stored)
        return false;
    u8 data[MEMORY_SECTOR];
    memcpy(data, stored, MEMORY_SECTOR);
    if (transfer->changes) {
        memcpy(stored + within, transfer->bytes + offset, length);
        memcpy(data + within, transfer->bytes + offset, length);
        u32 mask = (u32)(((UINT64_C(1) << length) - 1) << within);
        sector_touch(transfer, &way, sector, data, mask);
        return true;
    }
    sector_touch(transfer, &way, sector, data, 0);
    memcpy(transfer->bytes + offset, data + within, length);
    return true;
}

/* The unit on the way of an address that stores nothing and does not say where requests go on;
 * NULL: there is none. */
static const struct unit *way_end(struct unit *unit, u64 address)
{
    for (u32 i = 0; unit && i < WAY_MAX && !type_of(unit)->stored; i++) {
        if (!type_of(unit)->toward)
            return unit;
        unit = unit_next(unit, &address);
    }
    return NULL;
}

/* Why there is nothing at an address: the way ends early, or the memory does. */
static bool transfer_explain(const struct transfer *transfer, u64 address, struct ogv_error *error)
{
    const struct plan *plan = transfer->system->plan;
    const struct unit *end = way_end(transfer->core, address);
    char path[256];
    if (!end)
        return error_user(error, "%s has no memory at address 0x%llx; is its memory large enough?",
                          plan->name, (unsigned long long)address);
    plan_path(plan, end->number, path, sizeof path);
    return error_user(error,
                      "%s: requests for memory end in %s, which stores nothing, and its type '%s' "
                      "has no function `toward` that says where they go on; "
                      "docs/writing-a-unit.md explains it",
                      plan->name, path, type_of(end)->name);
}

static bool transfer_all(struct transfer *transfer, u64 address, u64 length,
                         struct ogv_error *error)
{
    if (!transfer->core)
        return error_user(error, "%s has no cores that could run a program",
                          transfer->system->plan->name);
    for (u64 done = 0; done < length;) {
        u64 part = min_u64(length - done, MEMORY_SECTOR - (address + done) % MEMORY_SECTOR);
        bool moved = transfer->writes ? write_sector(transfer, address + done, done, part)
                                      : touch_sector(transfer, address + done, done, part);
        if (!moved)
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

static void transfer_fini(struct transfer *transfer)
{
    free(transfer->private);
    free(transfer->passed.steps);
    free(transfer->passed.slots);
}

/* On all ways. */
static bool transfer_widely(struct transfer *transfer, u64 address, u64 length,
                            struct ogv_error *error)
{
    transfer->core = core_first(transfer->system);
    if (transfer->core)
        transfer_find_private(transfer);
    bool good = transfer_all(transfer, address, length, error);
    transfer_fini(transfer);
    return good;
}

bool host_read(ogv_system *system, u64 address, void *bytes, u64 length, struct ogv_error *error)
{
    struct transfer transfer = { .system = system, .bytes = bytes };
    return transfer_widely(&transfer, address, length, error);
}

bool host_change(ogv_system *system, u64 address, const void *bytes, u64 length,
                 struct ogv_error *error)
{
    struct transfer transfer = { .system = system,
                                 .bytes = (u8 *)(uintptr_t)bytes,
                                 .changes = true };
    return transfer_widely(&transfer, address, length, error);
}

/* Nothing is read or changed: only who is passed counts. */
void host_follow(ogv_system *system, u64 address,
                 void (*visit)(void *context, struct unit *unit, u64 address), void *context)
{
    struct transfer transfer = { .system = system };
    u8 bytes[1];
    struct ogv_error ignored;
    transfer.bytes = bytes;
    transfer.core = core_first(system);
    if (!transfer.core)
        return;
    transfer_find_private(&transfer);
    if (transfer_all(&transfer, address, 1, &ignored))
        for (u32 i = 0; i < transfer.passed.count; i++)
            visit(context, transfer.passed.steps[i].unit, transfer.passed.steps[i].address);
    transfer_fini(&transfer);
}

/* ---- Purposes ---- */

/* Of a range, what each memory has: memories take turns with blocks, so it lies without gaps. */
struct shares {
    struct share {
        u64 first, last; /* sectors, in the memory's addresses */
        bool begun, ended;
    } * of; /* by unit */
    u32 memories, begun, ended;
};

static void share_note(struct shares *shares, const struct step *step, bool from_end)
{
    struct share *share = &shares->of[step->unit->number];
    bool *seen = from_end ? &share->ended : &share->begun;
    if (*seen)
        return;
    *seen = true;
    *(from_end ? &share->last : &share->first) = step->address;
    ++*(from_end ? &shares->ended : &shares->begun);
}

/* The first and the last sector of each memory, looked for from both ends. */
static void shares_find(struct shares *shares, struct unit *core, u64 begin, u64 end)
{
    for (u64 at = begin; at < end && shares->begun < shares->memories; at += MEMORY_SECTOR) {
        struct step step = sector_way(core, at);
        if (step.unit)
            share_note(shares, &step, false);
    }
    for (u64 at = end; at > begin && shares->ended < shares->begun; at -= MEMORY_SECTOR) {
        struct step step = sector_way(core, at - MEMORY_SECTOR);
        if (step.unit)
            share_note(shares, &step, true);
    }
}

static bool shares_mark(const struct shares *shares, const ogv_system *system, enum purpose purpose)
{
    bool good = true;
    for (u32 i = 0; i < system->chip->unit_count; i++) {
        struct unit *unit = system->chip->units[i];
        const struct share *share = &shares->of[unit->number];
        if (share->begun && type_of(unit)->mark)
            good = good && type_of(unit)->mark(unit, share->first,
                                               share->last + MEMORY_SECTOR - share->first, purpose);
    }
    return good;
}

bool host_mark(ogv_system *system, u64 address, u64 length, enum purpose purpose,
               struct ogv_error *error)
{
    struct unit *core = core_first(system);
    struct shares shares = { 0 };
    if (!core || !length)
        return true;
    for (u32 i = 0; i < system->chip->unit_count; i++)
        shares.memories += type_of(system->chip->units[i])->stored != NULL;
    shares.of = heap_array(system->chip->unit_count, sizeof *shares.of);
    u64 end = (address + length + MEMORY_SECTOR - 1) / MEMORY_SECTOR * MEMORY_SECTOR;
    shares_find(&shares, core, address / MEMORY_SECTOR * MEMORY_SECTOR, end);
    bool good = shares_mark(&shares, system, purpose);
    free(shares.of);
    return good || error_user(error,
                              "%s: memory is marked for more purposes than its units can tell "
                              "apart, or for two at once",
                              system->plan->name);
}

/* Memory has no gaps, so that its end is found by halving. */
static u64 memory_end(struct unit *core)
{
    u64 end = 0;
    for (u64 step = UINT64_C(1) << 46; step >= MEMORY_SECTOR; step /= 2)
        if (sector_find(core, end + step - MEMORY_SECTOR))
            end += step;
    return end;
}

/* Most chips have one memory, whose end all cores find where the first one does. */
u64 host_memory_bytes(ogv_system *system)
{
    struct unit *first = core_first(system);
    u64 end = first ? memory_end(first) : 0;
    for (u32 i = 0; end && i < system->chip->unit_count; i++) {
        struct unit *unit = system->chip->units[i];
        if (unit_runs_programs(type_of(unit)) && !sector_find(unit, end - MEMORY_SECTOR))
            end = min_u64(end, memory_end(unit));
    }
    return end;
}

void host_visit(ogv_system *system, bool (*has)(const struct unit_type *type),
                void (*visit)(void *context, struct unit *unit), void *context)
{
    for (u32 i = 0; i < system->chip->unit_count; i++)
        if (has(type_of(system->chip->units[i])))
            visit(context, system->chip->units[i]);
}
