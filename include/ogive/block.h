/* block.h - thread blocks, for C and C++; part of device.h.
 *
 * A grid is so many blocks of threads that run the same kernel. The threads of a block run at the
 * same time, share memory and can wait for each other; blocks run in any order.
 *
 *     static void tile_sum(void *argument)
 *     {
 *         float *values = argument, *tile = ogv_block_shared();
 *         tile[ogv_block_thread()] = values[ogv_block() * ogv_block_dim() + ogv_block_thread()];
 *         ogv_block_barrier();
 *         ...
 *     }
 *
 *     int main(void)
 *     {
 *         struct ogv_grid grid = { .blocks = 100, .threads = 64, .shared_bytes = 256 };
 *         ogv_launch(&grid, tile_sum, values);
 *     }
 *
 * On a SIMT machine the unit `blocks` hands blocks to warps, and shared memory is a part of the
 * SM's scratchpad. On other machines and natively a hart runs all threads of a block in turn, each
 * until it waits: there a thread has 2 KiB of stack (natively 64 KiB), and the threads of a block
 * see the same thread-local variables. A kernel returns: it does not end its hart, launch another
 * grid or take part in a barrier of harts. */
#ifndef OGIVE_BLOCK_H
#define OGIVE_BLOCK_H

#include "ogive/device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OGV_BLOCK_THREADS_MAX 1024

struct ogv_grid {
    uint32_t blocks;
    uint32_t threads;      /* of a block, up to OGV_BLOCK_THREADS_MAX */
    uint32_t shared_bytes; /* memory of a block */
    uint32_t registers;    /* of a thread, as the block scheduler counts them; 0: 32 */
};

/* All harts of the chip call it from main, with the same values. Begins when all have come and
 * comes back when all blocks are done; what harts wrote before is seen by the blocks, what blocks
 * wrote is seen by all after it. Bad use ends the program with a message. */
void ogv_launch(const struct ogv_grid *grid, void (*kernel)(void *), void *argument);

/* ---- Inside a kernel ---- */

static inline uint32_t ogv_block(void)
{
    return ogv_block_self.block;
}

static inline uint32_t ogv_blocks(void)
{
    return ogv_block_self.blocks;
}

static inline uint32_t ogv_block_thread(void)
{
    return ogv_block_self.thread;
}

/* Threads in a block. */
static inline uint32_t ogv_block_dim(void)
{
    return ogv_block_self.threads;
}

/* The block's own memory; what is in it at first is not said. */
static inline void *ogv_block_shared(void)
{
    return ogv_block_self.shared;
}

void ogv_fiber_barrier(void);

#ifdef OGIVE_DEVICE
/* What a barrier takes. Neither changes while a kernel runs: said in this way, the compiler may
 * keep them in registers, where it would read all memory anew behind each barrier. */
static inline uint64_t ogv_kernel_warp(void)
{
    uint64_t warp;
    __asm__("lwu %0, %1(%2)" : "=r"(warp) : "i"(offsetof(struct ogv_self, warp)), "r"(&ogv_self));
    return warp;
}

static inline uint64_t ogv_kernel_place(void)
{
    uint64_t place;
    __asm__("ld %0, %1(%2)"
            : "=r"(place)
            : "i"(offsetof(struct ogv_block_self, place)), "r"(&ogv_block_self));
    return place;
}
#endif

/* Comes back when all threads of the block have called it; what they wrote before is seen by them
 * after. All of them have to: the threads that ended are not waited for with success. */
static inline void ogv_block_barrier(void)
{
#ifdef OGIVE_DEVICE
    if (ogv_kernel_warp() > 1) {
        uint64_t come;
        __asm__ volatile(".insn r CUSTOM_0, 0, 7, %0, %1, x0\n\taddi x0, %0, 0"
                         : "=r"(come)
                         : "r"(ogv_kernel_place())
                         : "memory");
        return;
    }
#endif
    ogv_fiber_barrier();
}

#ifdef __cplusplus
}
#endif

#endif
