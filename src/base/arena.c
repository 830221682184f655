/* arena.c - see arena.h. */
#include "base/arena.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

/* Below where Linux puts position-independent programs (0x5555... on x86-64, 0xaaaa... on arm64),
 * above what the address and thread sanitizers keep for themselves: the one range that is free in
 * every build. */
#if defined(__x86_64__)
#define ARENA_BASE UINT64_C(0x550000000000)
#elif defined(__aarch64__)
#define ARENA_BASE UINT64_C(0xaa0000000000)
#else
#error "choose a free address range for this processor"
#endif

/* The part of the header that is allocated before anything else. */
#define ARENA_HEADER 64

static atomic_bool slot_taken[ARENA_SLOTS];

static void *slot_address(u64 slot)
{
    return (void *)(uintptr_t)(ARENA_BASE + slot * ARENA_SLOT_BYTES);
}

static bool slot_take(u64 slot)
{
    bool expected = false;
    return atomic_compare_exchange_strong(&slot_taken[slot], &expected, true);
}

struct arena *arena_create(struct ogv_error *error)
{
    for (u64 slot = 0; slot < ARENA_SLOTS; slot++) {
        if (!slot_take(slot))
            continue;
        void *place = slot_address(slot);
        void *got = mmap(place, ARENA_SLOT_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != place) {
            int reason = errno;
            if (got != MAP_FAILED)
                munmap(got, ARENA_SLOT_BYTES);
            atomic_store(&slot_taken[slot], false);
            error_system(error, "cannot reserve %llu GiB of address space at %p: %s",
                         (unsigned long long)(ARENA_SLOT_BYTES / GiB), place, strerror(reason));
            return NULL;
        }
        /* State is touched all over, all the time: large pages, where the machine has them, spare
         * most look-ups of addresses. */
        madvise(got, ARENA_SLOT_BYTES, MADV_HUGEPAGE);
        struct arena *arena = got;
        arena->slot = slot;
        arena->used = ARENA_HEADER;
        return arena;
    }
    error_system(error, "%d systems exist already; destroy one before creating another",
                 ARENA_SLOTS);
    return NULL;
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    /* By its address: what lies in it may have come from a damaged checkpoint. */
    u64 slot = ((u64)(uintptr_t)arena - ARENA_BASE) / ARENA_SLOT_BYTES;
    munmap(arena, ARENA_SLOT_BYTES);
    atomic_store(&slot_taken[slot], false);
}

#define ASIDE_BLOCK (2 * MiB)

static u64 align_up(u64 offset, u64 align)
{
    return (offset + align - 1) & ~(align - 1);
}

static void *arena_cut(struct arena *arena, u64 size, u64 align)
{
    u64 start = align_up(arena->used, align);
    if (size > ARENA_SLOT_BYTES || start + size > ARENA_SLOT_BYTES)
        return NULL;
    arena->used = start + size;
    return (u8 *)arena + start;
}

void *arena_alloc(struct arena *arena, u64 size, u64 align)
{
    void *memory = arena_cut(arena, size, align);
    if (memory)
        arena->taken += align_up(size, align);
    return memory;
}

void *arena_alloc_aside(struct arena *arena, u64 size, u64 align)
{
    u64 start = align_up(arena->aside, align);
    if (size > ASIDE_BLOCK / 8)
        return arena_alloc(arena, size, align);
    if (start + size > arena->aside_end) {
        u8 *block = arena_cut(arena, ASIDE_BLOCK, ASIDE_BLOCK);
        if (!block)
            return NULL;
        start = (u64)(block - (u8 *)arena);
        arena->aside_end = start + ASIDE_BLOCK;
    }
    arena->aside = start + size;
    arena->taken += size;
    return (u8 *)arena + start;
}
