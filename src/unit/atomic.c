/* atomic.c - see atomic.h. */
#include "unit/atomic.h"

#include <string.h>

#include "isa/isa.h"
#include "ogive/memory.h"

/* The one reservation of a thread, or NULL. */
static struct reservation *reservation_of(struct reservations *reservations, u32 source)
{
    for (u32 i = 0; i < RESERVATIONS_MAX && reservations->count; i++) {
        struct reservation *row = &reservations->rows[i];
        if (row->taken && row->source == source)
            return row;
    }
    return NULL;
}

/* A place for a new one, or NULL. If it always were the oldest, a crowd would push each other out
 * before any of them can store; if never, those who do not store would lock out the others. */
static struct reservation *reservation_place(struct reservations *reservations)
{
    for (u32 i = 0; i < RESERVATIONS_MAX && reservations->count < RESERVATIONS_MAX; i++)
        if (!reservations->rows[i].taken)
            return &reservations->rows[i];
    if (++reservations->refused % RESERVATIONS_MAX)
        return NULL;
    return &reservations->rows[reservations->next++ % RESERVATIONS_MAX];
}

static void reserve(struct reservations *reservations, u64 sector, u32 source)
{
    struct reservation *row = reservation_of(reservations, source);
    if (!row)
        row = reservation_place(reservations);
    if (!row)
        return;
    reservations->count += !row->taken;
    *row = (struct reservation){ sector, source, true };
}

/* Whether the thread may store; either way it may not again. */
static bool reservation_use(struct reservations *reservations, u64 sector, u32 source)
{
    struct reservation *row = reservation_of(reservations, source);
    if (!row)
        return false;
    row->taken = false;
    reservations->count--;
    return row->sector == sector;
}

void atomic_written(struct reservations *reservations, u64 address)
{
    u64 sector = address / MEMORY_SECTOR;
    for (u32 i = 0; i < RESERVATIONS_MAX && reservations->count; i++) {
        struct reservation *row = &reservations->rows[i];
        if (row->taken && row->sector == sector) {
            row->taken = false;
            reservations->count--;
        }
    }
}

static u64 sign_extend(u64 value, u32 size_bytes)
{
    return size_bytes == 4 ? (u64)(i64)(int32_t)value : value;
}

bool atomic_execute(struct reservations *reservations, struct message *request, u8 *bytes)
{
    enum isa_amo amo = (enum isa_amo)request->mask;
    u64 sector = request->address / MEMORY_SECTOR, operand = request->data.dword[0], old = 0;
    memcpy(&old, bytes, request->size_bytes);
    if (amo == AMO_LR) {
        reserve(reservations, sector, request->source);
        request->data.dword[0] = old;
        return false;
    }
    bool fails = amo == AMO_SC && !reservation_use(reservations, sector, request->source);
    request->data.dword[0] = amo == AMO_SC ? fails : sign_extend(old, request->size_bytes);
    if (fails)
        return false;
    u64 value = amo == AMO_SC ? operand : isa_amo(amo, request->size_bytes, old, operand);
    memcpy(bytes, &value, request->size_bytes);
    atomic_written(reservations, request->address);
    return true;
}
