/* machine.h - a machine as a tree, for comparing it with another: what an architecture file says,
 * after defaults, with tables entry by entry. Names and descriptions of machines are left out,
 * and clocks that follow from those above. */
#ifndef RESULT_MACHINE_H
#define RESULT_MACHINE_H

#include <jansson.h>

#include "arch/plan.h"

/* The caller owns it. "domains" has the domains by name, each with its "units"; "links" has the
 * links by their text, those within a domain behind its name. */
json_t *machine_describe(const struct plan *plan);

#endif
