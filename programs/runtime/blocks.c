/* blocks.c - grids of thread blocks, see block.h.
 *
 * Where harts are not threads of warps, each of them takes a block at a time and runs its threads
 * as fibers: one after the other until it waits or ends, warp by warp. Numbers of blocks come from
 * a counter in memory that is never set back: in each launch every hart takes one number too many,
 * so that all know where the numbers of the next launch begin.
 *
 * Always true: a thread that has ended has given its stack back; between rounds of a block all its
 * threads wait at the same barrier, or have ended. */
#include <ogive/device.h>

#include "fiber.h"

#define CANARY UINT64_C(0x0cac5ace7ac4ed57)

__thread struct ogv_block_self ogv_block_self;

enum thread_state { THREAD_NEW, THREAD_READY, THREAD_MEETS, THREAD_AT_BARRIER, THREAD_ENDED };

struct thread {
    struct fiber fiber;
    char *stack;
    enum thread_state state;
    uint32_t meetings; /* it took part in: native builds only */
};

/* What a hart runs its blocks with: made at the first launch, and anew for larger blocks. */
struct crew {
    struct fiber hart;
    struct thread *threads;
    char **stacks; /* those that are free */
    uint32_t stacks_free, places;
    void *shared;
    size_t shared_bytes;
    uint32_t count, warp; /* threads of a block, of a warp */
    uint32_t at_barrier, ended;
    void (*kernel)(void *);
    void *argument;
    uint64_t *values[2]; /* that threads of a warp tell each other, at one meeting and the next */
    uint64_t *active;    /* [warp] who was at the last one */
};

static __thread struct crew *crew;
static uint32_t failed __attribute__((aligned(64)));

static void fail(const char *format, uint32_t first, uint32_t second, uint32_t third)
{
    ogv_atomic_store_u32(&failed, 1);
    ogv_print(format, first, second, third);
}

/* ---- Threads ---- */

static void thread_wait(enum thread_state state)
{
    struct thread *thread = &crew->threads[ogv_block_self.thread];
    thread->state = state;
    fiber_switch(&thread->fiber, &crew->hart);
}

void ogv_fiber_barrier(void)
{
    crew->at_barrier++;
    thread_wait(THREAD_AT_BARRIER);
}

static void thread_body(void)
{
    fiber_began(&crew->hart);
    crew->kernel(crew->argument);
    struct thread *thread = &crew->threads[ogv_block_self.thread];
    thread->state = THREAD_ENDED;
    fiber_leave(&thread->fiber, &crew->hart);
}

static void thread_begin(struct thread *thread)
{
    thread->stack = crew->stacks[--crew->stacks_free];
    thread->meetings = 0;
    *(uint64_t *)(void *)thread->stack = CANARY;
    fiber_make(&thread->fiber, thread->stack, thread_body);
}

static void thread_ended(struct thread *thread)
{
    fiber_end(&thread->fiber);
    crew->stacks[crew->stacks_free++] = thread->stack;
    crew->ended++;
}

/* Runs a thread until it waits or ends. False: it used more stack than it has. */
static int thread_run(uint32_t number)
{
    struct thread *thread = &crew->threads[number];
    if (thread->state == THREAD_NEW)
        thread_begin(thread);
    thread->state = THREAD_READY;
    ogv_block_self.thread = number;
    fiber_switch(&crew->hart, &thread->fiber);
    if (*(uint64_t *)(void *)thread->stack != CANARY) {
        fail("block %u, thread %u: needs more than the %u bytes of stack of a block's thread\n",
             ogv_block_self.block, number, FIBER_STACK);
        return 0;
    }
    if (thread->state == THREAD_ENDED)
        thread_ended(thread);
    return 1;
}

/* ---- Warps ---- */

#ifdef OGIVE_DEVICE

static uint32_t crew_warp(void)
{
    return 1;
}

static int meetings_reserve(uint32_t count)
{
    (void)count;
    return 1;
}

/* A thread is a warp of its own, and never waits for another one. */
static int warp_meets(uint32_t first, uint32_t end)
{
    (void)first, (void)end;
    return 0;
}

#else

#include <stdlib.h>

static uint32_t crew_warp(void)
{
    const char *text = getenv("OGIVE_WARP");
    unsigned long warp = text ? strtoul(text, NULL, 10) : 32;
    if (warp >= 1 && warp <= 64 && !(warp & (warp - 1)))
        return (uint32_t)warp;
    ogv_print("OGIVE_WARP is '%s'; it can be a power of two up to 64\n", text);
    exit(2);
}

static int meetings_reserve(uint32_t count)
{
    crew->values[0] = (uint64_t *)ogv_reserve(count * sizeof *crew->values[0]);
    crew->values[1] = (uint64_t *)ogv_reserve(count * sizeof *crew->values[1]);
    crew->active = (uint64_t *)ogv_reserve(count * sizeof *crew->active);
    return crew->values[0] && crew->values[1] && crew->active;
}

/* If all threads of a warp that have not ended have come, they go on. */
static int warp_meets(uint32_t first, uint32_t end)
{
    uint64_t active = 0;
    for (uint32_t i = first; i < end; i++) {
        if (crew->threads[i].state == THREAD_MEETS)
            active |= UINT64_C(1) << (i - first);
        else if (crew->threads[i].state != THREAD_ENDED)
            return 0;
    }
    crew->active[first / crew->warp] = active;
    for (uint32_t i = first; i < end; i++)
        if (crew->threads[i].state == THREAD_MEETS)
            crew->threads[i].state = THREAD_READY;
    return active != 0;
}

struct ogv_native_meeting ogv_native_meet(uint64_t value)
{
    static __thread uint64_t own;
    uint32_t number = ogv_block_self.thread, warp = ogv_self.warp;
    if (!ogv_block_self.threads) {
        own = value;
        return (struct ogv_native_meeting){ &own, 1 };
    }
    uint64_t *values = crew->values[crew->threads[number].meetings++ & 1];
    values[number] = value;
    thread_wait(THREAD_MEETS);
    return (struct ogv_native_meeting){ &values[number / warp * warp],
                                        crew->active[number / warp] };
}

#endif

/* Until its threads have ended or wait at a barrier. False: something went wrong. */
static int warp_run(uint32_t first, uint32_t end)
{
    do {
        for (uint32_t i = first; i < end; i++)
            if (crew->threads[i].state <= THREAD_READY && !thread_run(i))
                return 0;
    } while (warp_meets(first, end));
    return 1;
}

/* ---- Blocks ---- */

static void barrier_open(void)
{
    for (uint32_t i = 0; i < crew->count; i++)
        crew->threads[i].state = THREAD_READY;
    crew->at_barrier = 0;
}

static int block_run(void)
{
    for (uint32_t i = 0; i < crew->count; i++)
        crew->threads[i].state = THREAD_NEW;
    crew->at_barrier = crew->ended = 0;
    for (;;) {
        for (uint32_t i = 0; i < crew->count; i += crew->warp) {
            uint32_t end = i + crew->warp < crew->count ? i + crew->warp : crew->count;
            if (!warp_run(i, end))
                return 0;
        }
        if (crew->ended == crew->count)
            return 1;
        if (crew->at_barrier < crew->count)
            break;
        barrier_open();
    }
    fail("block %u: %u of its %u threads wait at a barrier, which all have to come to\n",
         ogv_block_self.block, crew->at_barrier, crew->count);
    return 0;
}

static int threads_reserve(uint32_t count)
{
    char *stacks = fiber_stacks(count);
    crew->threads = (struct thread *)ogv_reserve(count * sizeof *crew->threads);
    crew->stacks = (char **)ogv_reserve(count * sizeof *crew->stacks);
    if (!stacks || !crew->threads || !crew->stacks || !meetings_reserve(count))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        crew->stacks[i] = stacks + (size_t)(count - 1 - i) * FIBER_STACK;
    crew->stacks_free = crew->places = count;
    return 1;
}

static int crew_make(const struct ogv_grid *grid)
{
    if (!crew)
        crew = (struct crew *)ogv_reserve(sizeof *crew);
    if (crew && grid->threads > crew->places && !threads_reserve(grid->threads))
        return 0;
    if (crew && grid->shared_bytes > crew->shared_bytes) {
        crew->shared = ogv_reserve(grid->shared_bytes);
        crew->shared_bytes = crew->shared ? grid->shared_bytes : 0;
    }
    return crew && crew->shared_bytes >= grid->shared_bytes;
}

/* Each hart runs the blocks whose numbers it gets. */
static void blocks_run(const struct ogv_grid *grid, void (*kernel)(void *), void *argument)
{
    static uint64_t given __attribute__((aligned(64)));
    static __thread uint64_t begun;
    uint64_t first = begun, number;
    begun += grid->blocks + ogv_harts();
    while ((number = ogv_atomic_add_u64(&given, 1) - first) < grid->blocks) {
        if (ogv_atomic_load_u32(&failed))
            continue;
        if (!crew_make(grid)) {
            fail("block %u: no memory for %u threads and the %u bytes that they share\n",
                 (uint32_t)number, grid->threads, grid->shared_bytes);
            continue;
        }
        crew->kernel = kernel;
        crew->argument = argument;
        crew->count = grid->threads;
        crew->warp = ogv_self.warp = crew_warp();
        ogv_block_self = (struct ogv_block_self){ .block = (uint32_t)number,
                                                  .blocks = grid->blocks,
                                                  .threads = grid->threads,
                                                  .shared = crew->shared };
        block_run();
    }
    ogv_block_self.threads = 0;
    ogv_self.warp = 1;
}

/* ---- Where there are warps ---- */

#ifdef OGIVE_DEVICE

enum { BLOCKS_DONE = -1, BLOCKS_REFUSED = -2 };

/* A warp's part of a block: which one and its place, first thread and where shared memory begins.
 */
struct part {
    uint64_t block, threads;
};

static struct part part_take(uint64_t shape, uint64_t shared_and_place)
{
    register uint64_t block __asm__("a0");
    register uint64_t threads __asm__("a1");
    __asm__ volatile(".insn r CUSTOM_0, 0, 6, %0, %2, %3"
                     : "=r"(block), "=r"(threads)
                     : "r"(shape), "r"(shared_and_place)
                     : "memory");
    return (struct part){ block, threads };
}

/* The unit `blocks` knows who does what. Caches are emptied before and after. */
static void warps_run(const struct ogv_grid *grid, void (*kernel)(void *), void *argument)
{
    uint64_t registers = grid->registers < UINT16_MAX ? grid->registers : UINT16_MAX;
    uint64_t shape = grid->blocks | (uint64_t)grid->threads << 32 | registers << 48, place = 0;
    struct part part;
    ogv_fence();
    while ((part = part_take(shape, grid->shared_bytes | place)).block < (uint64_t)BLOCKS_REFUSED) {
        uint32_t thread = (uint32_t)part.threads + ogv_self.lane;
        place = part.block >> 32 << 32;
        if (thread >= grid->threads)
            continue;
        ogv_block_self =
            (struct ogv_block_self){ .block = (uint32_t)part.block,
                                     .blocks = grid->blocks,
                                     .thread = thread,
                                     .threads = grid->threads,
                                     .shared = (char *)ogv_scratch() + (part.threads >> 32),
                                     .place = place };
        kernel(argument);
    }
    ogv_fence();
    ogv_block_self.threads = 0;
    if (part.block == (uint64_t)BLOCKS_DONE)
        return;
    if (ogv_hart() == 0)
        ogv_print("a block of %u threads with %u registers each and %u bytes does not fit an SM\n",
                  grid->threads, grid->registers ? grid->registers : 32, grid->shared_bytes);
    ogv_exit(1);
}

#endif

/* ---- Launching ---- */

void ogv_launch(const struct ogv_grid *grid, void (*kernel)(void *), void *argument)
{
    struct ogv_grid wanted = *grid;
    if (!wanted.threads)
        wanted.blocks = 0;
#ifdef OGIVE_DEVICE
    if (ogv_self.warp > 1 && wanted.threads <= OGV_BLOCK_THREADS_MAX) {
        warps_run(&wanted, kernel, argument);
        return;
    }
#endif
    ogv_barrier_all();
    if (wanted.threads <= OGV_BLOCK_THREADS_MAX)
        blocks_run(&wanted, kernel, argument);
    else if (ogv_hart() == 0)
        fail("a block of %u threads; at most %u are possible\n", wanted.threads,
             OGV_BLOCK_THREADS_MAX, 0);
    ogv_barrier_all();
    if (ogv_atomic_load_u32(&failed))
        ogv_exit(1);
}
