/* waiting.h - what everybody waited for, as shares that the list of resources is ranked by.
 *
 * Waiting begins where nobody waits: with the groups that have an account and that no other group
 * waits for. Theirs is divided by the rows of the account: among own resources, the groups waited
 * for, and memory. A group with an account passes on what arrives in the same way. What arrives at
 * memory is divided among all groups on the way there, and the links between them, by the cycles
 * that requests spent at each. */
#ifndef REPORT_WAITING_H
#define REPORT_WAITING_H

#include "report/explained.h"

/* Shares are of all waiting. */
struct waited {
    bool root;           /* waiting begins here */
    bool awaited;        /* others say that they wait for it */
    double whole;        /* cycles of its account, all groups with one */
    double over, worked; /* of these */
    double room, answer; /* shares that were for it */
    double *own;         /* shares by resource, of rows charged there */
    double passes;       /* share for each cycle of its account */
};

struct waiting {
    double cycles;   /* of waiting, of the groups where it begins; 0: nobody's is known */
    double memory;   /* share that was for memory */
    double requests; /* request-cycles on the way to memory and back */
    struct waited *groups;
};

void waiting_find(const struct result *result, struct waiting *waiting);
void waiting_fini(const struct result *result, struct waiting *waiting);

/* The share that passed at a resource of a group; NAN: not known. */
double waiting_at(const struct result *result, const struct waiting *waiting, u32 group,
                  u32 resource);

/* The share for request-cycles spent somewhere. */
double waiting_requests(const struct waiting *waiting, double cycles);

/* A link on which a group on the way to memory asks the next. */
struct waited_link {
    const struct result_group *from, *to;
    u32 number; /* of the links of run.json */
    double latency_cycles;
    double cycles; /* that requests spent there, both ways */
};

void links_visit(const struct result *result,
                 void (*visit)(void *context, const struct waited_link *link), void *context);

/* Whether a row of an account has no parts; and its cycles, in all units of a group. */
bool account_is_leaf(const struct explained *explained, u32 row);
double account_value(const struct result_group *group, u32 row);

/* Whether a group says where the cycles of its threads or rays went. */
bool group_accounts(const struct result_group *group);

#endif
