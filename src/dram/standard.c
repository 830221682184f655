/* standard.c - the list of standards and their names. */
#include "dram/standard.h"

#include <string.h>

#define STANDARD(id) extern const struct dram_standard dram_##id;
#include "dram/standards.def"
#undef STANDARD

static const struct dram_standard *const standards[] = {
#define STANDARD(id) &dram_##id,
#include "dram/standards.def"
#undef STANDARD
};

const char *const dram_command_names[DRAM_COMMANDS] = {
#define DRAM_COMMAND_NAME(id, text) text,
    DRAM_COMMAND_LIST(DRAM_COMMAND_NAME)
#undef DRAM_COMMAND_NAME
};

const char *const dram_timing_names[DRAM_TIMINGS] = { "",
#define DRAM_TIMING_NAME(name) #name,
                                                      DRAM_TIMING_LIST(DRAM_TIMING_NAME)
#undef DRAM_TIMING_NAME
};

u32 dram_standard_count(void)
{
    return sizeof standards / sizeof standards[0];
}

const struct dram_standard *dram_standard_at(u32 index)
{
    return index < dram_standard_count() ? standards[index] : NULL;
}

const struct dram_standard *dram_standard_find(const char *name, u32 *index)
{
    for (u32 i = 0; i < dram_standard_count(); i++) {
        if (strcmp(standards[i]->name, name))
            continue;
        if (index)
            *index = i;
        return standards[i];
    }
    return NULL;
}

const char *dram_standard_level(const struct dram_standard *standard, enum dram_level level)
{
    static const char *const names[DRAM_LEVELS] = { "channel", NULL,  "bankgroup",
                                                    "bank",    "row", "column" };
    if (level == DRAM_RANK)
        return standard->rank_name;
    if (level == DRAM_BANKGROUP && !standard->has_bankgroups)
        return NULL;
    return names[level];
}
