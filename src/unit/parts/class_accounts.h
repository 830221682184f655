/* class_accounts.h - rows of a ranking for what is counted by class of instructions: CLASS_ISSUED,
 * CLASS_HAZARD and CLASS_BUSY for ISA_CLASSES, of the statistics issued_NAME, hazard_NAME and
 * busy_NAME. */
#ifndef UNIT_PARTS_CLASS_ACCOUNTS_H
#define UNIT_PARTS_CLASS_ACCOUNTS_H

#include "ogive/explain.h"
#include "ogive/isa_classes.h"

#define ISSUE_SLOTS   "issue slots"
#define OWN_PIPELINES "own pipelines"

/* One instruction per cycle, as `active` counts it. */
/* clang-format off */
#define ISSUE_RESOURCES                                                                \
    { .name = ISSUE_SLOTS, .kind = RESOURCE_WORK, .capacity = "1", .used = "active" }, \
    { .name = OWN_PIPELINES, .kind = RESOURCE_DELAY },                                 \
    { 0 }
/* clang-format on */

/* Loads and stores are waited for as memory, whichever unit is the first on the way there. */
#define IS_MEMORY(class)                                                           \
    ((class) == CLASS_LOAD || (class) == CLASS_STORE || (class) == CLASS_ATOMIC || \
     (class) == CLASS_FENCE)
#define CLASS_CHARGE(class, other) (IS_MEMORY(class) ? ACCOUNT_MEMORY : (other))

#define CLASS_ISSUED(with, name, NAME, help) \
    { 2, "issued_" #name, #name, ACCOUNT_WORK, NULL, NULL },
#define CLASS_HAZARD(with, name, NAME, help) \
    { 2, "hazard_" #name, #name, CLASS_CHARGE(CLASS_##NAME, ACCOUNT_ANSWER), OWN_PIPELINES, NULL },
#define CLASS_BUSY(with, name, NAME, help) \
    { 2, "busy_" #name, #name, CLASS_CHARGE(CLASS_##NAME, ACCOUNT_ROOM), OWN_PIPELINES, NULL },

#endif
