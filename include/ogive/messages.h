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
};

#endif
