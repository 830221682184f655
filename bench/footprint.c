/* footprint.c - a cache of the host, simulated while a chip is, that says whose memory it cannot
 * hold.
 *
 * Linked with a program that is built with -fsanitize=thread, instead of that sanitizer's runtime:
 * the compiler has every access to memory announced here. Who allocates from the arena is noted
 * (the linker's --wrap), so that a miss can be charged to what was asked for. footprint.py builds
 * and runs that program and prints what this file writes at its end: a line for each place of the
 * program that allocates, with misses by loads and by stores.
 *
 * For one thread. Caches are inclusive of nothing, replace the line used least recently, and begin
 * empty; only accesses within sim_run are looked at. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "unit/registry.h"

/* Not there while the build is configured, which tries these arguments on a program of its own. */
#pragma weak registry_type
#pragma weak __real_memcpy
#pragma weak __real_memset
#pragma weak __real_arena_alloc
#pragma weak __real_unit_alloc
#pragma weak __real_unit_alloc_aside
#pragma weak __real_sim_add_unit
#pragma weak __real_sim_add_link
#pragma weak __real_sim_run

#define LINE       64
#define FIRST_WAYS 8
#define FIRST_SETS (32 * KiB / LINE / FIRST_WAYS)
#define LAST_WAYS  16
#define OWNERS_MAX 4096
#define NAME_BYTES 96

/* Who allocated: a place in the program, with the size of what was asked for. */
struct owner {
    char name[NAME_BYTES];
    u64 bytes, loads, stores;
};

struct block {
    u64 start, end;
    struct owner *owner;
};

static struct owner owners[OWNERS_MAX];
static u32 owner_count = 1;  /* the first: nobody of these, such as stacks and tables */
static struct block *blocks; /* in the order of their addresses, as the arena gives them out */
static u64 block_count, block_places;
static bool counting;
static u64 accesses, first_misses;
static u64 first[FIRST_SETS][FIRST_WAYS];
static u64 *last; /* [set][LAST_WAYS]; each set with the newest line first */
static u64 last_sets;

/* ---- Who allocated what ---- */

static struct owner *owner_find(const char *name)
{
    for (u32 i = 1; i < owner_count; i++)
        if (strcmp(owners[i].name, name) == 0)
            return &owners[i];
    if (owner_count == OWNERS_MAX)
        return &owners[0];
    snprintf(owners[owner_count].name, NAME_BYTES, "%s", name);
    return &owners[owner_count++];
}

static void note(const char *name, const void *memory, u64 bytes)
{
    if (!memory)
        return;
    if (block_count == block_places) {
        block_places = block_places ? 2 * block_places : 4096;
        blocks = realloc(blocks, block_places * sizeof *blocks);
        if (!blocks)
            abort();
    }
    struct owner *owner = owner_find(name);
    u64 start = (u64)(uintptr_t)memory, at = block_count++;
    for (; at && blocks[at - 1].start > start; at--) /* what comes from aside */
        blocks[at] = blocks[at - 1];
    blocks[at] = (struct block){ start, start + bytes, owner };
    owner->bytes += bytes;
}

/* For addr2line: where in the program this was called, and the size of an element. */
static void note_call(const void *caller, u64 element, const void *memory, u64 bytes)
{
    Dl_info file;
    char name[NAME_BYTES];
    if (!dladdr(caller, &file))
        return;
    snprintf(name, sizeof name, "@%llx %llu",
             (unsigned long long)((const char *)caller - (const char *)file.dli_fbase - 1),
             (unsigned long long)element);
    note(name, memory, bytes);
}

static struct owner *owner_of(u64 line)
{
    u64 low = 0, high = block_count, address = line * LINE;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (blocks[middle].start < address + LINE)
            low = middle + 1;
        else
            high = middle;
    }
    return low && blocks[low - 1].end > address ? blocks[low - 1].owner : &owners[0];
}

/* ---- The caches ---- */

/* Whether a line is in its set, where it is the newest from now on. */
static bool set_touch(u64 *set, u32 ways, u64 line)
{
    u32 way = 0;
    while (way < ways - 1 && set[way] != line)
        way++;
    bool hit = set[way] == line;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return hit;
}

static void line_access(u64 line, bool store)
{
    accesses++;
    if (set_touch(first[line % FIRST_SETS], FIRST_WAYS, line))
        return;
    first_misses++;
    u64 set = (line * UINT64_C(0x9e3779b97f4a7c15) >> 20) % last_sets; /* as processors do */
    if (set_touch(last + set * LAST_WAYS, LAST_WAYS, line))
        return;
    struct owner *owner = owner_of(line);
    if (store)
        owner->stores++;
    else
        owner->loads++;
}

static inline void access_note(const void *memory, u64 bytes, bool store)
{
    if (__builtin_expect(!counting, true))
        return;
    u64 address = (u64)(uintptr_t)memory;
    for (u64 line = address / LINE; line <= (address + bytes - 1) / LINE; line++)
        line_access(line, store);
}

/* ---- What the compiler calls ---- */

#define ACCESS(name, bytes, store)         \
    void __tsan_##name(void *memory);      \
    void __tsan_##name(void *memory)       \
    {                                      \
        access_note(memory, bytes, store); \
    }
#define ACCESSES(bytes)                         \
    ACCESS(read##bytes, bytes, false)           \
    ACCESS(write##bytes, bytes, true)           \
    ACCESS(unaligned_read##bytes, bytes, false) \
    ACCESS(unaligned_write##bytes, bytes, true) \
    ACCESS(volatile_read##bytes, bytes, false)  \
    ACCESS(volatile_write##bytes, bytes, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *memory, u64 bytes);
void __tsan_read_range(void *memory, u64 bytes)
{
    access_note(memory, bytes, false);
}

void __tsan_write_range(void *memory, u64 bytes);
void __tsan_write_range(void *memory, u64 bytes)
{
    access_note(memory, bytes, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

/* Atomic operations are calls as well, and must be done. They are few, and not looked at. */
#define ATOMIC_DO(bits, type, name, does)                                            \
    type __tsan_atomic##bits##_##name(volatile type *memory, type value, int order); \
    type __tsan_atomic##bits##_##name(volatile type *memory, type value, int order)  \
    {                                                                                \
        (void)order;                                                                 \
        return does(memory, value, __ATOMIC_SEQ_CST);                                \
    }
#define ATOMIC(bits, type)                                                                \
    ATOMIC_DO(bits, type, exchange, __atomic_exchange_n)                                  \
    ATOMIC_DO(bits, type, fetch_add, __atomic_fetch_add)                                  \
    ATOMIC_DO(bits, type, fetch_sub, __atomic_fetch_sub)                                  \
    type __tsan_atomic##bits##_load(const volatile type *memory, int order);              \
    type __tsan_atomic##bits##_load(const volatile type *memory, int order)               \
    {                                                                                     \
        (void)order;                                                                      \
        return __atomic_load_n(memory, __ATOMIC_SEQ_CST);                                 \
    }                                                                                     \
    void __tsan_atomic##bits##_store(volatile type *memory, type value, int order);       \
    void __tsan_atomic##bits##_store(volatile type *memory, type value, int order)        \
    {                                                                                     \
        (void)order;                                                                      \
        __atomic_store_n(memory, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                     \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile type *memory, type *old,  \
                                                       type value, int order, int other); \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile type *memory, type *old,  \
                                                       type value, int order, int other)  \
    {                                                                                     \
        (void)order;                                                                      \
        (void)other;                                                                      \
        return __atomic_compare_exchange_n(memory, old, value, false, __ATOMIC_SEQ_CST,   \
                                           __ATOMIC_SEQ_CST);                             \
    }

ATOMIC(8, u8)
ATOMIC(32, u32)
ATOMIC(64, u64)

/* ---- What the linker has call these ---- */

/* The compiler does not announce what these two touch, and was told not to do their work itself. */
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    if (bytes) {
        access_note(from, bytes, false);
        access_note(to, bytes, true);
    }
    return __real_memcpy(to, from, bytes);
}

void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes);
void *__wrap_memset(void *to, int value, size_t bytes)
{
    if (bytes)
        access_note(to, bytes, true);
    return __real_memset(to, value, bytes);
}

/* Within a call of another of these, which notes what it was for itself. */
static u32 depth;
static char link_name[NAME_BYTES]; /* of the link being made; empty: none */

void *__real_arena_alloc(struct arena *arena, u64 size, u64 align);
void *__wrap_arena_alloc(struct arena *arena, u64 size, u64 align);
void *__wrap_arena_alloc(struct arena *arena, u64 size, u64 align)
{
    void *memory = __real_arena_alloc(arena, size, align);
    if (*link_name)
        note(link_name, memory, size);
    else if (!depth)
        note_call(__builtin_return_address(0), size, memory, size);
    return memory;
}

#define WRAP_UNIT_ALLOC(name)                                                             \
    void *__real_##name(struct unit *unit, u64 count, u64 size, struct ogv_error *error); \
    void *__wrap_##name(struct unit *unit, u64 count, u64 size, struct ogv_error *error); \
    void *__wrap_##name(struct unit *unit, u64 count, u64 size, struct ogv_error *error)  \
    {                                                                                     \
        depth++;                                                                          \
        void *memory = __real_##name(unit, count, size, error);                           \
        depth--;                                                                          \
        note_call(__builtin_return_address(0), size, memory, count *size);                \
        return memory;                                                                    \
    }

WRAP_UNIT_ALLOC(unit_alloc)
WRAP_UNIT_ALLOC(unit_alloc_aside)

struct unit *__real_sim_add_unit(struct sim *sim, struct domain *domain, u16 type, size_t bytes,
                                 struct clock_ratio clock);
struct unit *__wrap_sim_add_unit(struct sim *sim, struct domain *domain, u16 type, size_t bytes,
                                 struct clock_ratio clock);
struct unit *__wrap_sim_add_unit(struct sim *sim, struct domain *domain, u16 type, size_t bytes,
                                 struct clock_ratio clock)
{
    char name[NAME_BYTES];
    depth++;
    struct unit *unit = __real_sim_add_unit(sim, domain, type, bytes, clock);
    depth--;
    snprintf(name, sizeof name, "%s: the unit", registry_type(type)->name);
    note(name, unit, bytes);
    return unit;
}

struct link *__real_sim_add_link(struct sim *sim, struct unit *writer, struct unit *reader,
                                 u32 latency, u32 capacity);
struct link *__wrap_sim_add_link(struct sim *sim, struct unit *writer, struct unit *reader,
                                 u32 latency, u32 capacity);
struct link *__wrap_sim_add_link(struct sim *sim, struct unit *writer, struct unit *reader,
                                 u32 latency, u32 capacity)
{
    snprintf(link_name, sizeof link_name, "link %s -> %s", registry_type(writer->type)->name,
             registry_type(reader->type)->name);
    struct link *link = __real_sim_add_link(sim, writer, reader, latency, capacity);
    *link_name = 0;
    return link;
}

enum sim_end __real_sim_run(struct sim *sim, cycle until, struct sim_poll poll);
enum sim_end __wrap_sim_run(struct sim *sim, cycle until, struct sim_poll poll);
enum sim_end __wrap_sim_run(struct sim *sim, cycle until, struct sim_poll poll)
{
    counting = last;
    enum sim_end end = __real_sim_run(sim, until, poll);
    counting = false;
    return end;
}

/* ---- Beginning and end ---- */

__attribute__((constructor)) static void footprint_begin(void)
{
    const char *size = getenv("OGIVE_FOOTPRINT_KIB");
    u64 kib = size ? strtoull(size, NULL, 10) : 0;
    last_sets = kib * KiB / LINE / LAST_WAYS;
    if (last_sets)
        last = calloc(last_sets, LAST_WAYS * sizeof *last);
}

__attribute__((destructor)) static void footprint_end(void)
{
    const char *path = getenv("OGIVE_FOOTPRINT_OUT");
    FILE *out = path && last ? fopen(path, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%llu %llu\n", (unsigned long long)accesses, (unsigned long long)first_misses);
    for (u32 i = 0; i < owner_count; i++)
        fprintf(out, "%llu %llu %llu %s\n", (unsigned long long)owners[i].loads,
                (unsigned long long)owners[i].stores, (unsigned long long)owners[i].bytes,
                owners[i].name);
    fclose(out);
}
