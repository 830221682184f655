/* standard.h - the custom instructions that come with Ogive. device.h has them as C functions. */
#ifndef UNIT_STANDARD_H
#define UNIT_STANDARD_H

#include "ogive/isa.h"

/* message.kind of what a core sends for them */
enum standard_message {
    MESSAGE_OPERATION, /* an instruction that another unit executes; the core knows the result */
    MESSAGE_NEXT,      /* the next number of a chip-wide count */
    MESSAGE_BARRIER,   /* wait for all others */

    /* A ray: data.real holds a struct rt_ray, the answer's four values are a struct rt_hit. */
    MESSAGE_TRACE,
    MESSAGE_TRACE_ANY,   /* any hit will do */
    MESSAGE_TRACE_START, /* answered at once with a ticket, or all ones: the RT core is full */
    MESSAGE_TRACE_WAIT,  /* a ticket; answered with its hit */
};

#define STANDARD_CUSTOMS 6

extern const struct isa_custom standard_customs[STANDARD_CUSTOMS];

/* isa_shared without asking whether it has been made: it has, once there is a core. */
extern struct isa *isa_shared_made;

#endif
