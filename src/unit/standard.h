/* standard.h - the custom instructions that come with Ogive. device.h has them as C functions. */
#ifndef UNIT_STANDARD_H
#define UNIT_STANDARD_H

#include "ogive/isa.h"
#include "ogive/messages.h"

#define STANDARD_CUSTOMS 6

extern const struct isa_custom standard_customs[STANDARD_CUSTOMS];

#endif
