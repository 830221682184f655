/* stats.h - reading statistics: by path, by group, and as one digest. */
#ifndef ARCH_STATS_H
#define ARCH_STATS_H

#include "arch/system.h"

/* A statistic's value: a whole number, or a quotient. A quotient by zero is not defined. */
struct stat_value {
    bool whole, defined;
    u64 integer;
    double real;
};

/* All copies of one line of the architecture file: sm[*].l1. */
struct stat_group {
    const struct plan_domain *domain;
    const struct plan_unit *unit;
    u32 domain_first, domain_count, unit_first, unit_count;
};

struct stat_group stats_group(const struct plan_domain *domain, const struct plan_unit *unit);

/* "sm[*].core[*]"; the stars only where there are several. */
void stats_group_path(const struct stat_group *group, char *buffer, size_t size);

const u64 *unit_stats(const struct unit *unit);

/* Combined over the group as the descriptor says. `index` counts the statistics, then the ratios.
 */
struct stat_value stats_combine(const ogv_system *system, const struct stat_group *group,
                                u32 index);

/* Of one statistic over a group, whatever its descriptor says. */
u64 stats_sum(const ogv_system *system, const struct stat_group *group, u32 index);

/* The number of a statistic that a type has. */
u32 stat_index(const struct unit_type *type, const char *name);

/* A quotient of the i-th ratio from sums of the type's statistics. */
struct stat_value stats_ratio(const struct unit_type *type, u32 ratio, const u64 *sums);

u32 stats_count(const struct unit_type *type);
u32 ratios_count(const struct unit_type *type);

/* A counter that a role of a type names (NULL: it has not the role), summed over all units; 0 if
 * there are none. */
u64 system_total(ogv_system *system, const char *(*stat)(const struct unit_type *type));

/* Whether there are units whose type has a role (unit_runs_programs, unit_traces_rays). */
bool system_any(const ogv_system *system, bool (*has)(const struct unit_type *type));

/* "sm[3].l1.hits", "sm[*].l1.hits", "sm.l1.hits". */
bool stats_find(const ogv_system *system, const char *path, struct stat_value *value,
                struct ogv_error *error);

#endif
