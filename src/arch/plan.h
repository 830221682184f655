/* plan.h - an architecture after checking: every name resolved, every parameter known, every link
 * expanded.
 *
 * Units are numbered through the whole chip: domain after domain, copy after copy of the domain,
 * unit after unit, copy after copy of the unit. So a unit's path and its number follow from each
 * other by arithmetic. */
#ifndef ARCH_PLAN_H
#define ARCH_PLAN_H

#include "arch/arch.h"
#include "arch/technology.h"
#include "base/text.h"
#include "ogive/unit.h"
#include "sim/sim.h"
#include "unit/amount.h"

/* What an event, leakage or area costs, in pJ, mW or mm2. */
struct plan_cost {
    bool given;
    double value; /* COST_UNKNOWN: `unknown` was written */
};

struct plan_unit {
    const char *name;
    const struct unit_type *type;
    union param_value *values; /* one per parameter of the type */
    struct plan_cost *costs;   /* those of cost.c, as the file gives them */
    u64 clock_hz;
    struct place place;
    u32 count;
    u32 offset; /* of its first copy, within a copy of the domain */
    u16 type_index;
};

struct plan_domain {
    const char *name;
    struct plan_unit *units;
    struct place place;
    u64 clock_hz;
    u32 unit_count; /* lines in the file */
    u32 count;
    u32 size;  /* units in one copy of the domain */
    u32 first; /* number of its first unit */
};

enum link_map { MAP_ALL, MAP_EACH, MAP_BLOCKS, MAP_RING };

/* One end of a link as written: "sm[0..3].core[*].port". */
struct plan_end {
    u32 domain, unit, port;
    u32 domain_first, domain_count; /* which copies of the domain */
    u32 unit_first, unit_count;     /* which copies of the unit */
    u32 parallel;                   /* [*k]: k links where one is meant */
};

struct plan_link {
    const char *text; /* "a -> b" as written */
    const char *name; /* or NULL */
    struct place place;
    struct plan_end from, to;
    bool inside; /* stands in a domain: joins units of the same copy of it */
    bool by_address;
    enum link_map map;
    u64 interleave;
    u32 latency, capacity;
    u32 edges; /* joints that it stands for */
};

/* Bytes of this machine's memory that a unit takes. */
struct plan_size {
    double own;       /* its struct */
    double allocated; /* by itself, without what is */
    double aside;     /* seldom touched, and lies apart */
    double memory;    /* simulated: takes room only where something is written */
};

/* One joint between two units; two links of the kernel if the ports are of the asking kind. */
struct plan_edge {
    u32 from, to; /* unit numbers */
    u32 link;     /* in plan->links */
};

struct plan {
    struct region region;
    const char *name, *about;
    u64 clock_hz;
    struct technology technology;
    struct plan_domain *domains;
    struct plan_link *links;
    struct plan_edge *edges;
    const char **unit_paths;
    u32 domain_count, link_count, edge_count, unit_count, unit_path_count;
    double memory_bytes; /* simulated, of all units */
};

/* Checks an architecture and resolves it; NULL with the first mistake found. */
struct plan *plan_create(const ogv_arch *arch, struct ogv_error *error);
void plan_destroy(struct plan *plan);

/* The unit behind a number. */
struct plan_spot {
    const struct plan_domain *domain;
    const struct plan_unit *unit;
    u32 domain_copy, unit_copy;
};

struct plan_spot plan_locate(const struct plan *plan, u32 number);

/* "sm[3].core[17]"; copies are numbered only where there are several. */
void plan_path(const struct plan *plan, u32 number, char *buffer, size_t size);

u32 plan_number(const struct plan_domain *domain, u32 domain_copy, const struct plan_unit *unit,
                u32 unit_copy);

/* The whole plan as an architecture file, defaults and all; and as a drawing for Graphviz. */
void plan_export(const struct plan *plan, struct text *out);
void plan_draw(const struct plan *plan, struct text *out);

/* In link.c: reads one entry of a `links:` list; domain NULL at the top level. */
bool plan_read_link(struct plan *plan, const struct plan_domain *domain, const struct node *node,
                    struct ogv_error *error);

/* In cost.c: `energy_NAME`, `leakage` and `area` are numbered in this order: the energies of the
 * type, then the two. */
u32 costs_count(const struct unit_type *type);
u32 energies_count(const struct unit_type *type);

/* The parameter's name and unit of measure; false if it cannot be set. */
bool cost_name(const struct unit_type *type, u32 index, char *buffer, size_t size,
               enum amount *amount);

/* Reads one of them. *found is false if the key is something else. */
bool plan_read_cost(struct plan_unit *unit, const struct node *node, bool *found,
                    struct ogv_error *error);

/* Offers all their names. */
void costs_offer(const struct unit_type *type, struct nearest *nearest, struct region *region);

/* `technology:` of an architecture. */
bool plan_read_technology(struct plan *plan, const struct node *root, struct ogv_error *error);

/* In expand.c: fills in the edges and checks that every port has as many as it needs. */
bool plan_expand(struct plan *plan, struct ogv_error *error);

/* In size.c: refuses a chip that would take more than is allowed, from what is known before it is
 * built; fills in memory_bytes. */
bool plan_check_size(struct plan *plan, struct ogv_error *error);

/* How much one unit of each line takes, in the order of the file. */
u32 plan_lines(const struct plan *plan);
bool plan_sizes(const struct plan *plan, struct plan_size *sizes, struct ogv_error *error);

/* Of the links within each copy of a domain. */
double plan_links_bytes(const struct plan *plan, u32 domain);

/* Refuses as plan_check_size, with what units allocate for themselves. */
bool plan_check_sample(const struct plan *plan, struct ogv_error *error);

/* What the whole chip takes, without simulated memory. */
bool plan_bytes(const struct plan *plan, double *bytes, struct ogv_error *error);

/* In build.c: the chip, ready to run. NULL on failure. */
struct sim *plan_build(const struct plan *plan, struct ogv_error *error);

/* Makes one unit of each line, with the ports that it has in the whole chip, and says how many
 * bytes each allocated, simulated memory among them, in the order of the file. Refuses what
 * building the chip would refuse. */
bool plan_sample(const struct plan *plan, struct plan_size *sizes, struct ogv_error *error);

/* Whether this can be the name of a domain, unit or link: names become parts of paths. */
bool name_check(const char *name, struct place place, const char *what, struct ogv_error *error);

/* That a value is of a kind; else an error. */
bool node_expect(const struct node *node, enum node_kind kind, struct ogv_error *error);

/* "unknown key 'x' in <where>; did you mean 'y'?" */
bool key_unknown(const struct node *node, const char *where, const char *const *known,
                 struct ogv_error *error);

#endif
