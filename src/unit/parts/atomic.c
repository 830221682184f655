/* atomic.c - the table of reservations, and what each operation does to the bytes. */
#include "unit/parts/atomic.h"

#include <string.h>

#include "ogive/isa.h"
#include "ogive/memory.h"

/* The sector's row, or NULL. */
static struct reservation *reservation_find(struct reservations *reservations, u64 sector)
{
    for (u32 i = 0; i < RESERVATIONS_MAX && reservations->count; i++) {
        struct reservation *row = &reservations->rows[i];
        if (row->stamp && row->sector == sector)
            return row;
    }
    return NULL;
}

static struct reservation *reservation_free(struct reservations *reservations)
{
    u32 i = 0;
    while (reservations->rows[i].stamp)
        i++;
    reservations->count++;
    return &reservations->rows[i];
}

/* A row for another sector, or NULL. */
static struct reservation *reservation_place(struct reservations *reservations)
{
    if (reservations->count < RESERVATIONS_MAX)
        return reservation_free(reservations);
    if (reservations->refused++ < reservations->patience)
        return NULL;
    reservations->refused = 0;
    reservations->patience = (u32)min_u64(2 * (u64)reservations->patience + 1, UINT32_MAX);
    return &reservations->rows[reservations->next++ % RESERVATIONS_MAX];
}

/* The sector's stamp; 0 if it cannot have one. */
static u64 reserve(struct reservations *reservations, u64 sector)
{
    struct reservation *row = reservation_find(reservations, sector);
    if (row)
        return row->stamp;
    row = reservation_place(reservations);
    if (!row)
        return 0;
    *row = (struct reservation){ sector, ++reservations->stamps };
    return row->stamp;
}

static bool reservation_holds(struct reservations *reservations, u64 sector, u64 stamp)
{
    const struct reservation *row = reservation_find(reservations, sector);
    if (!row || row->stamp != stamp)
        return false;
    reservations->patience /= 2;
    return true;
}

void atomic_written(struct reservations *reservations, u64 address)
{
    struct reservation *row = reservation_find(reservations, address / MEMORY_SECTOR);
    if (!row)
        return;
    row->stamp = 0;
    reservations->count--;
}

static u64 sign_extend(u64 value, u32 size_bytes)
{
    return size_bytes == 4 ? (u64)(i64)(int32_t)value : value;
}

/* Whether the bytes are others now. What is written without a change (a load that passes the
 * caches, as an addition of nothing) tells nobody anything. */
static bool bytes_replace(struct unit *unit, u8 *bytes, const u64 *value, u32 size_bytes)
{
    if (!memcmp(bytes, value, size_bytes))
        return false;
    memcpy(bytes, value, size_bytes);
    unit_effect(unit);
    return true;
}

bool atomic_fits(const struct message *request)
{
    u32 bytes = MEMORY_TOGETHER_BYTES(request->amo), places = MEMORY_TOGETHER_PLACES(request->amo);
    if (request->size_bytes != MEMORY_SECTOR)
        return request->size_bytes <= sizeof(u64);
    return (bytes == 4 && places < 0x100) || (bytes == 8 && !(places & ~0x55u));
}

static bool atomics_execute(struct unit *unit, struct reservations *reservations,
                            struct message *request, u8 *bytes)
{
    enum isa_amo amo = (enum isa_amo)MEMORY_TOGETHER_AMO(request->amo);
    u32 size_bytes = MEMORY_TOGETHER_BYTES(request->amo);
    bool changed = false;
    for (u32 left = MEMORY_TOGETHER_PLACES(request->amo); left; left &= left - 1) {
        u32 at = 4 * (u32)__builtin_ctz(left);
        u64 operand = 0, old = 0;
        memcpy(&operand, &request->data.byte[at], size_bytes);
        memcpy(&old, bytes + at, size_bytes);
        memcpy(&request->data.byte[at], &old, size_bytes);
        u64 value = isa_amo(amo, size_bytes, old, operand);
        changed |= bytes_replace(unit, bytes + at, &value, size_bytes);
    }
    if (changed)
        atomic_written(reservations, request->address);
    return true;
}

bool atomic_execute(struct unit *unit, struct reservations *reservations, struct message *request,
                    u8 *bytes)
{
    reservations->source = request->source;
    reservations->executed++;
    if (request->size_bytes == MEMORY_SECTOR)
        return atomics_execute(unit, reservations, request, bytes);
    enum isa_amo amo = (enum isa_amo)request->amo;
    u64 sector = request->address / MEMORY_SECTOR, operand = request->data.dword[0], old = 0;
    memcpy(&old, bytes, request->size_bytes);
    if (amo == AMO_LR) {
        request->data.dword[0] = old;
        request->data.dword[1] = reserve(reservations, sector);
        return false;
    }
    bool fails = amo == AMO_SC && !reservation_holds(reservations, sector, request->data.dword[1]);
    request->data.dword[0] = amo == AMO_SC ? fails : sign_extend(old, request->size_bytes);
    if (fails)
        return false;
    u64 value = amo == AMO_SC ? operand : isa_amo(amo, request->size_bytes, old, operand);
    if (bytes_replace(unit, bytes, &value, request->size_bytes) || amo == AMO_SC)
        atomic_written(reservations, request->address);
    return true;
}
