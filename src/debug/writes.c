/* writes.c - see writes.h. */
#include "debug/writes.h"

#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/text.h"
#include "debug/threads.h"
#include "unit/registry.h"

/* A unit on the way of a sector, or a scratchpad. */
struct keeper {
    struct unit *unit;
    u64 sector;  /* as the chip counts */
    u64 address; /* as the unit takes it */
    bool local;  /* a scratchpad */
    bool passes; /* on no way of a core's: what is on its way here is not seen yet */
    u8 held[MEMORY_SECTOR];
    u64 executed; /* atomic operations */
};

/* A link by which something else than a thread's store reaches a keeper. */
struct outsider {
    const struct link *link;
    u64 sector, address; /* of the keeper */
    u64 seen;            /* messages ever sent */
    bool hidden;         /* what it writes is seen only when it has arrived */
    bool wrote;          /* it was the last of all that has */
};

void writes_init(struct writes *writes, ogv_system *system)
{
    *writes =
        (struct writes){ .system = system, .concerns = heap_array(system->chip->unit_count, 1) };
}

void writes_fini(struct writes *writes)
{
    free(writes->keepers);
    free(writes->outsiders);
    free(writes->concerns);
}

void writes_clear(struct writes *writes)
{
    writes->keeper_count = writes->outsider_count = writes->event_count = 0;
    memset(writes->concerns, 0, writes->system->chip->unit_count);
}

/* ---- Who is concerned ---- */

struct following {
    struct writes *writes;
    u64 sector;
    bool local, passes;
};

static void keeper_add(void *context, struct unit *unit, u64 address)
{
    const struct following *following = context;
    struct writes *writes = following->writes;
    writes->keepers = heap_grow(writes->keepers, writes->keeper_count + 1, sizeof *writes->keepers);
    writes->keepers[writes->keeper_count++] = (struct keeper){ .unit = unit,
                                                               .sector = following->sector,
                                                               .address = address,
                                                               .local = following->local,
                                                               .passes = following->passes };
    writes->concerns[unit->number] = true;
}

static const struct keeper *keeper_find(const struct writes *writes, const struct unit *unit,
                                        u64 sector)
{
    for (u32 i = 0; i < writes->keeper_count; i++)
        if (writes->keepers[i].unit == unit && writes->keepers[i].sector == sector)
            return &writes->keepers[i];
    return NULL;
}

/* A thread whose instructions are counted tells of its stores itself. */
static bool tells_itself(const struct unit *unit)
{
    const struct program_role *role = unit_program_role(unit);
    return role && role->debug && role->debug->view;
}

static const struct keeper *keeper_behind(const struct writes *writes, const struct link *link,
                                          u64 sector)
{
    const struct keeper *to = keeper_find(writes, link->reader, sector);
    bool known = tells_itself(link->writer) || keeper_find(writes, link->writer, sector);
    return known ? NULL : to;
}

/* Whether the writer of a link only passes on what others ask for with the chip's addresses. */
static bool is_passer(const struct link *link, u64 sector, const struct keeper *to)
{
    const struct unit_type *type = registry_type(link->writer->type);
    u64 address = sector;
    return type->toward && !type->programs && type->toward(link->writer, &address) == link &&
           address == to->address;
}

/* Who passes on requests of others is on a way to the sector, too. */
static void passers_add(struct following *following)
{
    const struct chip *chip = following->writes->system->chip;
    bool added = true;
    following->passes = true;
    while (added) {
        added = false;
        for (u32 i = 0; i < chip->link_count; i++) {
            const struct link *link = chip->links[i];
            const struct keeper *to = keeper_behind(following->writes, link, following->sector);
            if (!to || !is_passer(link, following->sector, to))
                continue;
            keeper_add(following, link->writer, following->sector);
            added = true;
        }
    }
}

static void outsiders_add(struct writes *writes, u64 sector)
{
    const struct chip *chip = writes->system->chip;
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct link *link = chip->links[i];
        const struct keeper *to = keeper_behind(writes, link, sector);
        if (!to)
            continue;
        writes->outsiders =
            heap_grow(writes->outsiders, writes->outsider_count + 1, sizeof *writes->outsiders);
        writes->outsiders[writes->outsider_count++] = (struct outsider){
            .link = link, .sector = sector, .address = to->address, .hidden = to->passes
        };
        writes->concerns[link->writer->number] = true;
    }
}

static void scratchpads_add(struct following *following)
{
    const struct chip *chip = following->writes->system->chip;
    following->local = true;
    for (u32 i = 0; i < chip->unit_count; i++)
        if (registry_type(chip->units[i]->type)->local)
            keeper_add(following, chip->units[i], following->sector - SCRATCH_WINDOW);
}

static bool has_sector(const struct writes *writes, u64 sector)
{
    for (u32 i = 0; i < writes->keeper_count; i++)
        if (writes->keepers[i].sector == sector)
            return true;
    return false;
}

void writes_add(struct writes *writes, u64 address, u64 length)
{
    u64 first = address / MEMORY_SECTOR, last = (address + length - 1) / MEMORY_SECTOR;
    for (u64 i = first; i <= last; i++) {
        struct following following = { .writes = writes, .sector = i * MEMORY_SECTOR };
        if (has_sector(writes, following.sector))
            continue;
        if (following.sector - SCRATCH_WINDOW < WINDOW_BYTES)
            scratchpads_add(&following);
        else
            host_follow(writes->system, following.sector, keeper_add, &following);
        passers_add(&following);
        outsiders_add(writes, following.sector);
    }
}

/* ---- Looking ---- */

/* What a unit has of a sector by itself; zeros where it has nothing. */
static void keeper_read(const struct keeper *keeper, u8 *bytes)
{
    const struct unit_type *type = registry_type(keeper->unit->type);
    u64 length = 0;
    const u8 *stored = NULL;
    if (keeper->local)
        stored = type->local(keeper->unit, keeper->address, &length);
    else if (type->stored)
        stored = type->stored(keeper->unit, keeper->address, &length);
    memset(bytes, 0, MEMORY_SECTOR);
    if (stored)
        memcpy(bytes, stored, min_u64(length, MEMORY_SECTOR));
    else if (type->newer)
        type->newer(keeper->unit, keeper->address, bytes);
}

/* The thread whose atomic operation was executed since the last look; NOBODY: none was. */
static u32 keeper_served(struct keeper *keeper)
{
    const struct unit_type *type = registry_type(keeper->unit->type);
    u64 executed = 0;
    u32 thread = type->served ? type->served(keeper->unit, &executed) : NOBODY;
    bool any = executed != keeper->executed;
    keeper->executed = executed;
    return any ? thread : NOBODY;
}

void writes_begin(struct writes *writes)
{
    writes->event_count = 0;
    for (u32 i = 0; i < writes->keeper_count; i++) {
        keeper_read(&writes->keepers[i], writes->keepers[i].held);
        keeper_served(&writes->keepers[i]);
    }
    for (u32 i = 0; i < writes->outsider_count; i++)
        writes->outsiders[i].seen = writes->outsiders[i].link->tail;
}

static void event_add(struct writes *writes, struct write_event event)
{
    if (writes->event_count < WRITE_EVENTS_MAX)
        writes->events[writes->event_count++] = event;
}

/* Who has sent what arrives at a keeper: the outsider that was the last to, or the keeper itself.
 */
static struct unit *sector_writer(const struct writes *writes, const struct keeper *keeper)
{
    for (u32 i = 0; i < writes->outsider_count; i++)
        if (writes->outsiders[i].wrote && writes->outsiders[i].sector == keeper->sector)
            return writes->outsiders[i].link->writer;
    return keeper->unit;
}

/* The bytes that have changed, from the first to the last. */
static void keeper_look(struct writes *writes, struct keeper *keeper)
{
    u8 bytes[MEMORY_SECTOR];
    u32 first = 0, end = MEMORY_SECTOR, thread = keeper_served(keeper);
    keeper_read(keeper, bytes);
    if (!memcmp(bytes, keeper->held, MEMORY_SECTOR))
        return;
    while (bytes[first] == keeper->held[first])
        first++;
    while (bytes[end - 1] == keeper->held[end - 1])
        end--;
    memcpy(keeper->held, bytes, MEMORY_SECTOR);
    struct unit *unit = thread == NOBODY ? sector_writer(writes, keeper) : keeper->unit;
    event_add(writes, (struct write_event){ .unit = unit,
                                            .thread = thread,
                                            .address = keeper->sector + first,
                                            .length = end - first,
                                            .may = true });
}

static void outsider_wrote(struct writes *writes, struct outsider *from)
{
    for (u32 i = 0; i < writes->outsider_count; i++)
        if (writes->outsiders[i].sector == from->sector)
            writes->outsiders[i].wrote = false;
    from->wrote = true;
}

static void message_look(struct writes *writes, struct outsider *from,
                         const struct message *message)
{
    u32 kind = message->kind & MEMORY_KIND;
    bool there = message->address < from->address + MEMORY_SECTOR &&
                 from->address < message->address + message->size_bytes;
    if (!there || (kind != MEMORY_WRITE && kind != MEMORY_READ))
        return; /* an atomic operation is seen where it is executed */
    bool own = unit_program_role(from->link->writer);
    if (kind == MEMORY_WRITE)
        outsider_wrote(writes, from);
    event_add(writes,
              (struct write_event){ .unit = from->link->writer,
                                    .thread = own ? message->source : NOBODY,
                                    .address = from->sector + message->address - from->address,
                                    .length = message->size_bytes,
                                    .reads = kind == MEMORY_READ,
                                    .writes = kind == MEMORY_WRITE && !from->hidden });
}

/* The newest messages of a link are the last in its ring. */
static void outsider_look(struct writes *writes, struct outsider *from)
{
    const struct link *link = from->link;
    u64 held = link_held(link);
    u64 new = min_u64(link->tail - from->seen, held);
    for (u64 n = held - new; n < held; n++)
        message_look(writes, from, &link_nth(link, n)->message);
    from->seen = link->tail;
}

void writes_look(struct writes *writes, const struct unit *unit)
{
    for (u32 i = 0; i < writes->keeper_count; i++)
        if (writes->keepers[i].unit == unit)
            keeper_look(writes, &writes->keepers[i]);
    for (u32 i = 0; i < writes->outsider_count; i++)
        if (writes->outsiders[i].link->writer == unit)
            outsider_look(writes, &writes->outsiders[i]);
}
