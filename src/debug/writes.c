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
    u8 held[MEMORY_SECTOR];
};

/* A link by which something else than a thread's store reaches a keeper. */
struct outsider {
    const struct link *link;
    u64 sector, address; /* of the keeper */
    u64 seen;            /* messages ever sent */
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
    bool local;
};

static void keeper_add(void *context, struct unit *unit, u64 address)
{
    const struct following *following = context;
    struct writes *writes = following->writes;
    writes->keepers = heap_grow(writes->keepers, writes->keeper_count + 1, sizeof *writes->keepers);
    writes->keepers[writes->keeper_count++] = (struct keeper){
        .unit = unit, .sector = following->sector, .address = address, .local = following->local
    };
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

static void outsiders_add(struct writes *writes, u64 sector)
{
    const struct chip *chip = writes->system->chip;
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct link *link = chip->links[i];
        const struct keeper *to = keeper_find(writes, link->reader, sector);
        if (!to || tells_itself(link->writer) || keeper_find(writes, link->writer, sector))
            continue;
        writes->outsiders =
            heap_grow(writes->outsiders, writes->outsider_count + 1, sizeof *writes->outsiders);
        writes->outsiders[writes->outsider_count++] =
            (struct outsider){ .link = link, .sector = sector, .address = to->address };
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

void writes_begin(struct writes *writes)
{
    writes->event_count = 0;
    for (u32 i = 0; i < writes->keeper_count; i++)
        keeper_read(&writes->keepers[i], writes->keepers[i].held);
    for (u32 i = 0; i < writes->outsider_count; i++)
        writes->outsiders[i].seen = writes->outsiders[i].link->tail;
}

static void event_add(struct writes *writes, struct write_event event)
{
    if (writes->event_count < WRITE_EVENTS_MAX)
        writes->events[writes->event_count++] = event;
}

/* The bytes that have changed, from the first to the last. */
static void keeper_look(struct writes *writes, struct keeper *keeper)
{
    const struct unit_type *type = registry_type(keeper->unit->type);
    u8 bytes[MEMORY_SECTOR];
    u32 first = 0, end = MEMORY_SECTOR;
    keeper_read(keeper, bytes);
    if (!memcmp(bytes, keeper->held, MEMORY_SECTOR))
        return;
    while (bytes[first] == keeper->held[first])
        first++;
    while (bytes[end - 1] == keeper->held[end - 1])
        end--;
    memcpy(keeper->held, bytes, MEMORY_SECTOR);
    event_add(writes,
              (struct write_event){ .unit = keeper->unit,
                                    .thread = type->served ? type->served(keeper->unit) : NOBODY,
                                    .address = keeper->sector + first,
                                    .length = end - first,
                                    .may = true });
}

static void message_look(struct writes *writes, const struct outsider *from,
                         const struct message *message)
{
    u32 kind = message->kind & MEMORY_KIND;
    bool there = message->address < from->address + MEMORY_SECTOR &&
                 from->address < message->address + message->size_bytes;
    if (!there || (kind != MEMORY_WRITE && kind != MEMORY_READ))
        return; /* an atomic operation is seen where it is executed */
    bool own = unit_program_role(from->link->writer);
    event_add(writes,
              (struct write_event){ .unit = from->link->writer,
                                    .thread = own ? message->source : NOBODY,
                                    .address = from->sector + message->address - from->address,
                                    .length = message->size_bytes,
                                    .reads = kind == MEMORY_READ,
                                    .writes = kind == MEMORY_WRITE });
}

/* The newest messages of a link are the last in its ring. */
static void outsider_look(struct writes *writes, struct outsider *from)
{
    const struct link *link = from->link;
    u64 held = link_held(link), first = link->crosses ? link->head : link->first;
    u64 new = min_u64(link->tail - from->seen, held);
    for (u64 n = held - new; n < held; n++)
        message_look(writes, from, &link->ring[(first + n) & link->mask].message);
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
