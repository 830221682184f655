/* explain.h - the rows of ogive/explain.h: whether they hold, and what their names are worth. */
#ifndef UNIT_EXPLAIN_H
#define UNIT_EXPLAIN_H

#include "base/formula.h"
#include "ogive/explain.h"
#include "ogive/unit.h"

#define RESOURCE_USERS_ROOM   "users_room"
#define RESOURCE_USERS_ANSWER "users_answer"
#define FIGURE_CYCLES         "cycles"

/* As files have them; indices are the enums'. */
extern const char *const resource_kind_names[RESOURCE_KINDS];
extern const char *const account_charge_names[ACCOUNT_CHARGES];

extern const char *const run_figure_names[];
u32 run_figure_count(void);

/* Whether all rows of a type name what there is. The message says which does not. */
bool explain_check(const struct unit_type *type, struct ogv_error *error);

/* Whether requests for memory pass such units or end in them. */
bool explain_is_memory(const struct unit_type *type);

/* The number of a parameter that formulas may name; false: there is none. */
bool explain_param(const struct unit_type *type, const char *name, u32 *number);

double explain_number(const struct param_row *param, union param_value value);

/* The name of a row's figure for a unit with these parameters. */
void figure_name(const struct unit_type *type, const struct figure_row *row,
                 const union param_value *values, char *buffer, size_t size);

/* Calls `visit` with each parameter that the rows of resources name, perhaps several times. */
void explain_params(const struct unit_type *type,
                    void (*visit)(void *context, const struct unit_type *type, u32 param),
                    void *context);

#endif
