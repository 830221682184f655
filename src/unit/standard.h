/* standard.h - the custom instructions that come with Ogive. device.h has them as C functions. */
#ifndef UNIT_STANDARD_H
#define UNIT_STANDARD_H

#include "isa/isa.h"

/* message.kind of what a core sends for them */
enum standard_message {
    MESSAGE_OPERATION, /* an instruction that another unit executes; the core knows the result */
    MESSAGE_NEXT,      /* the next number of a chip-wide count */
    MESSAGE_BARRIER,   /* wait for all others */
};

#define STANDARD_CUSTOMS 2

extern const struct isa_custom standard_customs[STANDARD_CUSTOMS];

#endif
