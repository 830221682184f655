/* roles.h - whether a unit type keeps what its roles promise (ogive/unit.h). */
#ifndef UNIT_ROLES_H
#define UNIT_ROLES_H

#include "ogive/unit.h"

/* False if a role lacks something that it must have, or names a statistic or parameter that the
 * type does not have. `from` is where the type came from, for the message. */
bool roles_check(const struct unit_type *type, const char *from, struct ogv_error *error);

bool type_has_stat(const struct unit_type *type, const char *name);
bool type_has_param(const struct unit_type *type, const char *name);

#endif
