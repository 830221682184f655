/* messages.h - what cores ask of other units than memory: message.kind of what they send for the
 * custom instructions that come with Ogive. (What memory is asked for is in memory.h.)
 *
 * A request is answered once, with its tag, source and kind. */
#ifndef OGIVE_MESSAGES_H
#define OGIVE_MESSAGES_H

enum custom_message {
    MESSAGE_OPERATION, /* an instruction that another unit executes; the core knows the result */
    MESSAGE_NEXT,      /* the next number of a chip-wide count */
    MESSAGE_BARRIER,   /* wait for all others */

    /* A ray: data.real holds a struct rt_ray, the answer's four values are a struct rt_hit
     * (tracer.h reads the one and writes the other). */
    MESSAGE_TRACE,
    MESSAGE_TRACE_ANY,   /* any hit will do */
    MESSAGE_TRACE_START, /* answered at once with a ticket, or all ones: the RT core is full */
    MESSAGE_TRACE_WAIT,  /* a ticket; answered with its hit */

    /* A warp's access as a whole, before its requests are sent (unit/lsu.h). */
    MESSAGE_ACCESS,

    /* Thread blocks. A warp asks for its part of a block: dword[0] has the grid's blocks (32 bits),
     * threads of a block and registers of a thread (16 each), dword[1] the bytes that a block
     * shares and the place of the block that the warp had, counted from 1 (32 each). The answer:
     * block and place, or BLOCKS_DONE or BLOCKS_REFUSED; first thread and where its shared memory
     * begins. */
    MESSAGE_BLOCK_NEXT,
    MESSAGE_BLOCK_BARRIER, /* the block's place is in the upper half of dword[0] */
    MESSAGE_BLOCK_ASK,     /* from an SM to the chip: one block of a grid of dword[0] blocks, the
                              dword[1]-th of all grids; answered with its number or BLOCKS_DONE */
    MESSAGE_BLOCK_END,     /* a block has ended; there is no answer */

    /* Rays that are held by treelet: stream.h. Cores send two of them: a new ray, data.real holds a
     * struct rt_ray and `mask` its id, answered with dword[0] 1 if it was taken, or 0; and for a
     * finished one, dword[0] is the priority, answered with a struct ogv_stream_hit. */
    MESSAGE_STREAM_STORE,
    MESSAGE_STREAM_HIT_LOAD,
    MESSAGE_STREAM_LOAD, /* the rest between RT cores and what holds rays; but see below */
    MESSAGE_STREAM_RAY,
    MESSAGE_STREAM_HIT,
    MESSAGE_STREAM_FINISHED,

    /* Cores that walk treelets themselves: STREAM_LOAD asks for a ray, answered with its first
     * half; then for its second half; and what is to be sent of it (enum stream_send in `mask`),
     * with a second half, answered at once with dword[0] 1, or all ones if it makes no sense. */
    MESSAGE_STREAM_REST,
    MESSAGE_STREAM_SEND,

    /* Joined functional units (unit `pipelines`). A thread's ray, to be tested: data.real holds a
     * struct rt_ray. A box: its low and high corner and the distance of the best hit; answered with
     * the distance at which the ray enters it, or NaN. A triangle: three corners, of which `mask`
     * has the last float's bits; answered with t, u, v, or NaN. */
    MESSAGE_TEST_RAY,
    MESSAGE_TEST_BOX,
    MESSAGE_TEST_TRIANGLE,
};

#define BLOCKS_DONE    UINT64_MAX       /* all blocks of the grid have ended, chip-wide */
#define BLOCKS_REFUSED (UINT64_MAX - 1) /* a block is too large for the SM */

#endif
