/* outside.c - units from outside the tree in the ranking, the trees and the sentences of a run:
 * those that explain themselves are what they say, the others are named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/bottleneck.h"
#include "stand.h"

/* A machine with such a unit, and what is expected of a run on it. */
struct outside {
    const char *name;
    const char *machine; /* file in the build folder */
    const char *program;
    const char *arguments[2];
    const char *group, *resource; /* that must be listed */
    bool first;                   /* before all others */
    const char *tree;             /* words of a tree that must be there; or NULL */
    const char *words;            /* of a sentence */
};

static const struct outside machines[] = {
    { .name = "a limiter that explains itself ranks first",
      .machine = "limited.yaml",
      .program = "triad",
      .arguments = { "512", "1" },
      .group = "sm.limiter",
      .resource = "bandwidth",
      .first = true,
      .tree = "thread-cycles of all cores",
      .words = "The limit was the bandwidth of sm.limiter" },
    { .name = "a limiter that does not is not explained",
      .machine = "muted.yaml",
      .program = "triad",
      .arguments = { "512", "1" },
      .group = "sm.limiter",
      .resource = "not explained",
      .tree = "thread-cycles of all cores",
      .words = "sm.limiter is not explained: its type, mute, declares no resources" },
};

#define MACHINES (sizeof machines / sizeof *machines)

static bool tree_is_there(const struct bottleneck *found, const char *label)
{
    for (u32 i = 0; i < found->tree_count; i++)
        if (!strcmp(found->trees[i].label, label))
            return true;
    return false;
}

static bool words_are_there(const struct bottleneck *found, const char *words)
{
    for (u32 i = 0; i < found->word_count; i++)
        if (strstr(found->words[i], words))
            return true;
    return false;
}

static void check_found(const struct outside *machine, const struct bottleneck *found)
{
    const struct resource *resource = stand_resource(found, machine->group, machine->resource);
    if (machine->first) {
        assert_ptr_equal(resource, &found->resources[0]);
        assert_true(resource_at_limit(resource));
        assert_true(resource->waiting > 0);
    }
    if (machine->tree)
        assert_true(tree_is_there(found, machine->tree));
    assert_true(words_are_there(found, machine->words));
}

static void machine_is_explained(void **state)
{
    const struct outside *machine = *state;
    char *folder = stand_folder();
    char *file = text_format("%s/%s", getenv("OGIVE_TEST_BUILD"), machine->machine);
    struct stand_job job = { .arch = file, .program = machine->program, .cycles = 200000 };
    struct ogv_error error;
    memcpy(job.arguments, machine->arguments, sizeof job.arguments);
    stand_run(folder, &job);
    struct result *result = result_open(folder, &error);
    if (!result)
        fail_msg("%s", error.message);
    struct bottleneck *found = bottleneck_find(result);
    check_found(machine, found);
    bottleneck_free(found);
    result_close(result);
    stand_remove(folder);
    free(file);
}

int main(void)
{
    struct CMUnitTest tests[MACHINES];
    struct ogv_error error;
    if (!ogv_library_allow(getenv("OGIVE_TEST_BUILD"), &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (u32 i = 0; i < MACHINES; i++)
        tests[i] = (struct CMUnitTest){ machines[i].name, machine_is_explained, NULL, NULL,
                                        (void *)(uintptr_t)&machines[i] };
    return cmocka_run_group_tests_name("outside", tests, NULL, NULL);
}
