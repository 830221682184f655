/* shipped_customs.h - the custom instructions that come with Ogive; device.h has them as functions.
 */
#ifndef UNIT_SHIPPED_CUSTOMS_H
#define UNIT_SHIPPED_CUSTOMS_H

#include "ogive/isa.h"
#include "ogive/messages.h"

#define SHIPPED_CUSTOMS 26

extern const struct isa_custom shipped_customs[SHIPPED_CUSTOMS];

/* isa_shared without asking whether it has been made: it has, once there is a core. */
extern struct isa *isa_shared_made;

#endif
