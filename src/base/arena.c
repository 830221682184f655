/* arena.c - address space at fixed places, handed out from the bottom up, and which of its pages
 * were ever written.
 *
 * The kernel is asked which pages exist, so that pages that nobody touched are not touched by
 * looking at them. */
#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

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
    if (size > ASIDE_BLOCK / 8) {
        void *memory = arena_alloc(arena, size, align);
        arena->taken_aside += memory ? align_up(size, align) : 0;
        return memory;
    }
    if (start + size > arena->aside_end) {
        u8 *block = arena_cut(arena, ASIDE_BLOCK, ASIDE_BLOCK);
        if (!block)
            return NULL;
        start = (u64)(block - (u8 *)arena);
        arena->aside_end = start + ASIDE_BLOCK;
    }
    arena->aside = start + size;
    arena->taken += size;
    arena->taken_aside += size;
    return (u8 *)arena + start;
}

/* ---- What it holds ---- */

/* Linux says of each page of a process whether it is in memory or swapped out (proc_pid_pagemap(5),
 * bits 63 and 62). mincore() will not do: it takes what is swapped out for what never was. */
#define PAGEMAP_THERE   (UINT64_C(3) << 62)
#define PAGEMAP_ENTRIES 16384 /* read at a time */

struct walk {
    const u8 *base;
    arena_visitor *visit;
    void *context;
    int pagemap;       /* -1: the kernel does not tell */
    u64 kernel_page;   /* bytes */
    u64 *entries;      /* of the pagemap */
    u64 start, length; /* of the run under way; a length of 0: none */
};

static bool entries_read(const struct walk *walk, u64 offset, u64 count)
{
    u64 first = ((u64)(uintptr_t)walk->base + offset) / walk->kernel_page;
    size_t bytes = count * sizeof *walk->entries;
    ssize_t got = pread(walk->pagemap, walk->entries, bytes, (off_t)(first * sizeof first));
    return got == (ssize_t)bytes;
}

/* A kernel that hides where pages are may hide that they are: it must own up to the first one, in
 * which the header lies. */
static void walk_init(struct walk *walk)
{
    walk->kernel_page = (u64)sysconf(_SC_PAGESIZE);
    walk->entries = heap_array(PAGEMAP_ENTRIES, sizeof *walk->entries);
    walk->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (walk->pagemap >= 0 && entries_read(walk, 0, 1) && walk->entries[0] & PAGEMAP_THERE)
        return;
    if (walk->pagemap >= 0)
        close(walk->pagemap);
    walk->pagemap = -1;
}

static void walk_fini(struct walk *walk)
{
    if (walk->pagemap >= 0)
        close(walk->pagemap);
    free(walk->entries);
}

static bool walk_end_run(struct walk *walk)
{
    bool good = !walk->length || walk->visit(walk->context, walk->start, walk->length);
    walk->length = 0;
    return good;
}

static bool page_is_zero(const u8 *page, u64 length)
{
    return !page[0] && !memcmp(page, page + 1, length - 1);
}

/* From `start` to `end`: pages that the kernel has never heard of end a run, as those do that are
 * zero. */
static bool walk_part(struct walk *walk, u64 start, u64 end)
{
    bool told =
        walk->pagemap >= 0 &&
        entries_read(walk, start, (end - start + walk->kernel_page - 1) / walk->kernel_page);
    for (u64 at = start; at < end; at += ARENA_PAGE) {
        u64 length = min_u64(ARENA_PAGE, end - at);
        bool there = !told || walk->entries[(at - start) / walk->kernel_page] & PAGEMAP_THERE;
        if (there && !page_is_zero(walk->base + at, length)) {
            walk->start = walk->length ? walk->start : at;
            walk->length += length;
        } else if (!walk_end_run(walk)) {
            return false;
        }
    }
    return true;
}

bool arena_visit(const struct arena *arena, arena_visitor *visit, void *context)
{
    struct walk walk = { .base = (const u8 *)arena, .visit = visit, .context = context };
    walk_init(&walk);
    u64 part = PAGEMAP_ENTRIES * walk.kernel_page;
    bool good = true;
    for (u64 at = 0; good && at < arena->used; at += part)
        good = walk_part(&walk, at, min_u64(at + part, arena->used));
    good = good && walk_end_run(&walk);
    walk_fini(&walk);
    return good;
}

void arena_clear(struct arena *arena)
{
    u64 page = (u64)sysconf(_SC_PAGESIZE);
    if (madvise(arena, align_up(arena->used, page), MADV_DONTNEED))
        memset(arena, 0, arena->used);
}
