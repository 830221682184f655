/* support.h - what the DRAM tests share. */
#ifndef TESTS_DRAM_SUPPORT_H
#define TESTS_DRAM_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "dram/memory.h"
#include "ogive/random.h"

static inline void *test_allocate(void *context, u64 size, u64 align)
{
    return arena_alloc(context, size, align);
}

/* A memory in an arena of its own; the test destroys the arena. */
static inline struct dram_memory *test_memory(const struct dram_config *config,
                                              struct arena **arena)
{
    struct ogv_error error;
    *arena = arena_create(&error);
    assert_non_null(*arena);
    struct dram_memory *memory = dram_memory_create(config, test_allocate, *arena, &error);
    if (!memory)
        fail_msg("%s: %s", config->name, error.message);
    return memory;
}

static inline const struct dram_config *test_config(const char *name)
{
    struct ogv_error error;
    const struct dram_config *config = dram_config_find(name, &error);
    if (!config)
        fail_msg("%s", error.message);
    return config;
}

#endif
