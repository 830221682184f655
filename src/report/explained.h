/* explained.h - what the units of a run say of themselves (ogive/explain.h), as its files have it.
 *
 * Always true once read: every name in a formula, and every statistic of an account, has a number
 * in each group of the type; each row of an account is at most one deeper than the one before. */
#ifndef REPORT_EXPLAINED_H
#define REPORT_EXPLAINED_H

#include "base/formula.h"
#include "ogive/explain.h"
#include "report/result.h"

#define EXPLAINED_NONE UINT32_MAX

struct explained_resource {
    const char *name, *words; /* words: NULL, unless its use is a share */
    enum resource_kind kind;
    struct formula *capacity, *used, *held; /* NULL: not known */
    bool users;                             /* held is what users waited */
    bool charged;                           /* rows of the account are charged at it */
};

struct explained_account {
    const char *stat; /* NULL: the sum of its parts */
    const char *words, *rest;
    enum account_charge charge;
    u32 depth;
    u32 at; /* resource, or EXPLAINED_NONE */
};

/* A type. */
struct explained {
    const char *type;
    bool memory; /* requests for memory pass its units or end in them */
    struct explained_resource *resources;
    struct explained_account *accounts;
    u32 resource_count, account_count;
    u32 first_count; /* rows of the first tree */
};

/* Of a result whose groups have been read. Older runs say nothing, which is no error. */
bool explained_read(struct result *result, struct ogv_error *error);
void explained_close(struct result *result);

/* A formula of statistics and parameters for all units of a group together, by a group's
 * statistics; and for other statistics of it. */
double group_value(const struct result_group *group, const struct formula *formula);
double group_value_of(const struct result_group *group, const struct formula *formula,
                      double (*stat)(void *context, const char *name), void *context);

/* What all units of a group could do in a cycle of the chip; 0: not known. */
double group_capacity(const struct result *result, const struct result_group *group,
                      const struct explained_resource *resource);

/* Whether a name in what was used or held is a statistic of the group; else it is a number. */
bool group_counts(const struct result_group *group, const char *name);
double group_number(const struct result_group *group, const char *name);

/* From cycles of a group's clock to cycles of the chip. */
double group_chip_cycles(const struct result *result, const struct result_group *group);

#endif
