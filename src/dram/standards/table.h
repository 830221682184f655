/* table.h - short words for the table files of this folder, and for nobody else. */
#ifndef DRAM_STANDARDS_TABLE_H
#define DRAM_STANDARDS_TABLE_H

#include "dram/standard.h"

/* Where the numbers of all reference tables come from. */
#define REFERENCE_SOURCE "Ramulator 2, commit e62c84a6 (2024-06-29)"

#define COMMAND_BIT(id)  (UINT32_C(1) << DRAM_##id)
#define ACT              COMMAND_BIT(ACT)
#define ACT2             COMMAND_BIT(ACT2)
#define PRE              COMMAND_BIT(PRE)
#define PREA             COMMAND_BIT(PREA)
#define PRESB            COMMAND_BIT(PRESB)
#define RD               COMMAND_BIT(RD)
#define WR               COMMAND_BIT(WR)
#define RDA              COMMAND_BIT(RDA)
#define WRA              COMMAND_BIT(WRA)
#define CASRD            COMMAND_BIT(CASRD)
#define CASWR            COMMAND_BIT(CASWR)
#define REFAB            COMMAND_BIT(REFAB)
#define REFPB            COMMAND_BIT(REFPB)
#define REFSB            COMMAND_BIT(REFSB)
#define REFP2B           COMMAND_BIT(REFP2B)
#define RFMAB            COMMAND_BIT(RFMAB)
#define RFMSB            COMMAND_BIT(RFMSB)
#define DRFMAB           COMMAND_BIT(DRFMAB)
#define DRFMSB           COMMAND_BIT(DRFMSB)
#define EVERY_COMMAND    ((UINT32_C(1) << DRAM_COMMANDS) - 1)

#define REFERENCE        DRAM_REFERENCE
#define BANKFIX          DRAM_BANKFIX
#define CORRECT          DRAM_CORRECT
#define RECORDED         (DRAM_REFERENCE | DRAM_BANKFIX)

/* A constraint of all variants: level, earlier, later, constant, terms. */
#define MIN(at, earlier, later, constant, ...)                                                \
    {                                                                                         \
        .level = DRAM_##at, .from = (earlier), .to = (later), .extra = (constant), .terms = { \
            __VA_ARGS__                                                                       \
        }                                                                                     \
    }
/* Of some variants only. */
#define MIN_OF(which, at, earlier, later, constant, ...)                           \
    {                                                                              \
        .variants = (which), .level = DRAM_##at, .from = (earlier), .to = (later), \
        .extra = (constant), .terms = {                                            \
            __VA_ARGS__                                                            \
        }                                                                          \
    }
/* Four activates in a window. */
#define WINDOW(at, earlier, later, ...)                                               \
    {                                                                                 \
        .level = DRAM_##at, .from = (earlier), .to = (later), .window = 4, .terms = { \
            __VA_ARGS__                                                               \
        }                                                                             \
    }
/* Between a node and its siblings. */
#define ACROSS(at, earlier, later, constant, ...)                              \
    {                                                                          \
        .level = DRAM_##at, .from = (earlier), .to = (later), .sibling = true, \
        .extra = (constant), .terms = {                                        \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
#define END_OF_CONSTRAINTS \
    {                      \
        .from = 0          \
    }

#define SCOPE(id, at)                            \
    {                                            \
        .command = DRAM_##id, .level = DRAM_##at \
    }
#define SCOPE_OF(which, id, at)                                       \
    {                                                                 \
        .variants = (which), .command = DRAM_##id, .level = DRAM_##at \
    }
#define END_OF_SCOPES        \
    {                        \
        .level = DRAM_LEVELS \
    }

#define LEVEL(id) (1u << DRAM_##id)

#endif
