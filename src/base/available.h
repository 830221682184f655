/* available.h - how much memory this process may still take. */
#ifndef BASE_AVAILABLE_H
#define BASE_AVAILABLE_H

#include "ogive/types.h"

/* What the machine has free or can free at once, and what is left of the limit of the control group
 * (a container, a batch job) that this process runs in; UINT64_MAX where the system does not say.
 */
u64 memory_available(void);

#endif
