/* tightness.c - every constraint of every standard binds to the cycle: blocked at t - 1, allowed at
 * t.
 *
 * For each pair of commands and each way in which two places can lie to each other (same bank, same
 * group, same rank, other rank) the tables say how far apart they must be: the largest distance of
 * those whose level they share. The timing engine must say exactly that, and each constraint must
 * be the largest somewhere or stand behind a larger one of the same pair. */
#include "support.h"

#define START 100000 /* when the earlier command issues */

struct engine {
    struct dram_device device;
    struct dram_timing_state state;
    void *memory; /* of its bounds */
};

/* How a second place differs from the first, bank 0 of rank 0. */
enum relation { SAME_BANK, SAME_GROUP, SAME_RANK, OTHER_RANK, RELATIONS };

static bool relation_exists(const struct dram_device *device, enum relation relation)
{
    static const enum dram_level level[RELATIONS] = { DRAM_CHANNEL, DRAM_BANK, DRAM_BANKGROUP,
                                                      DRAM_RANK };
    return relation == SAME_BANK || device->count[level[relation]] > 1;
}

/* A command that addresses a whole level leaves the coordinates below open. */
static struct dram_place place_for(const struct dram_device *device, u32 command,
                                   enum relation relation)
{
    u32 scope = device->scope[command];
    struct dram_place place = { relation == OTHER_RANK, relation == SAME_RANK,
                                relation == SAME_GROUP };
    if (scope < DRAM_BANK)
        place.bank = DRAM_ALL;
    if (scope < DRAM_BANKGROUP)
        place.group = DRAM_ALL;
    if (scope < DRAM_RANK)
        place.rank = DRAM_ALL;
    return place;
}

static bool overlap(i32 a, i32 b)
{
    return a == DRAM_ALL || b == DRAM_ALL || a == b;
}

/* Whether both commands pass one node of the level (or, for siblings, two nodes of one parent). */
static bool distance_applies(const struct dram_device *device, const struct dram_distance *d,
                             struct dram_place a, struct dram_place b)
{
    bool rank = overlap(a.rank, b.rank), group = rank && overlap(a.group, b.group);
    bool bank = group && overlap(a.bank, b.bank);
    bool shared[DRAM_NODE_LEVELS] = { true, rank, group, bank };
    if (d->level > device->scope[d->later])
        return false;
    if (!d->sibling)
        return shared[d->level];
    bool apart = d->level == DRAM_RANK ? a.rank != b.rank || b.rank == DRAM_ALL : !shared[d->level];
    return apart && shared[d->level - 1] && a.rank != DRAM_ALL;
}

static cycle expected(const struct dram_device *device, u32 earlier, u32 later, struct dram_place a,
                      struct dram_place b)
{
    cycle largest = 0;
    struct dram_distance d;
    for (u64 cursor = 0; dram_device_distance(device, &cursor, &d);)
        if (d.earlier == earlier && d.later == later && d.window == 1 &&
            distance_applies(device, &d, a, b))
            largest = max_u64(largest, START + d.cycles);
    return largest;
}

static void engine_init(struct engine *engine, const struct dram_config *config)
{
    struct ogv_error error;
    if (!dram_device_init(&engine->device, config, &error))
        fail_msg("%s", error.message);
    engine->memory = calloc(1, timing_bytes(&engine->device));
    timing_init(&engine->state, &engine->device, engine->memory);
}

static void engine_fini(struct engine *engine)
{
    free(engine->memory);
}

static void engine_forget(struct engine *engine)
{
    memset(engine->memory, 0, timing_bytes(&engine->device));
}

static void pair_check(struct engine *engine, u32 earlier, u32 later, enum relation relation)
{
    const struct dram_device *device = &engine->device;
    struct dram_place a = place_for(device, earlier, SAME_BANK);
    struct dram_place b = place_for(device, later, relation);
    engine_forget(engine);
    timing_issue(&engine->state, device, earlier, a, START);
    cycle ready = timing_ready(&engine->state, device, later, b);
    cycle wanted = expected(device, earlier, later, a, b);
    if (ready != wanted)
        fail_msg("%s: %s to %s, relation %d: allowed at +%lld, the tables say +%lld",
                 dram_standard_at(device->standard)->name, dram_command_names[earlier],
                 dram_command_names[later], relation, (long long)ready - START,
                 (long long)wanted - START);
}

static void pairs_check(struct engine *engine)
{
    const u8 *scope = engine->device.scope;
    for (u32 earlier = 0; earlier < DRAM_COMMANDS; earlier++)
        for (u32 later = 0; later < DRAM_COMMANDS; later++)
            for (u32 relation = 0; relation < RELATIONS; relation++)
                if (scope[earlier] != DRAM_NO_SCOPE && scope[later] != DRAM_NO_SCOPE &&
                    relation_exists(&engine->device, relation))
                    pair_check(engine, earlier, later, relation);
}

/* The fifth of a window of four: blocked one cycle before, allowed in the cycle. */
static void window_check(struct engine *engine, const struct dram_distance *d)
{
    const struct dram_device *device = &engine->device;
    struct dram_place place = place_for(device, d->earlier, SAME_BANK);
    engine_forget(engine);
    for (u32 i = 0; i + 1 < d->window; i++)
        timing_issue(&engine->state, device, d->earlier, place, START + i);
    cycle before = timing_ready(&engine->state, device, d->later, place);
    timing_issue(&engine->state, device, d->earlier, place, START + d->window - 1);
    cycle after = timing_ready(&engine->state, device, d->later, place);
    cycle single = expected(device, d->earlier, d->later, place, place) + d->window - 1;
    assert_true(before < single);
    assert_int_equal(after, max_u64(single, START + d->cycles));
}

/* The second of two places that only this constraint's level joins. */
static enum relation relation_of(const struct dram_distance *d)
{
    if (d->sibling)
        return OTHER_RANK;
    return d->level == DRAM_BANK        ? SAME_BANK
           : d->level == DRAM_BANKGROUP ? SAME_GROUP
           : d->level == DRAM_RANK      ? SAME_RANK
                                        : OTHER_RANK;
}

/* Nearest relation that the device has. */
static enum relation relation_near(const struct dram_device *device, enum relation relation)
{
    while (!relation_exists(device, relation))
        relation--;
    return relation;
}

static bool constraint_check(struct engine *engine, const struct dram_distance *d)
{
    const struct dram_device *device = &engine->device;
    enum relation relation = relation_near(device, relation_of(d));
    struct dram_place a = place_for(device, d->earlier, SAME_BANK);
    struct dram_place b = place_for(device, d->later, relation);
    if (!distance_applies(device, d, a, b))
        return false;
    engine_forget(engine);
    timing_issue(&engine->state, device, d->earlier, a, START);
    cycle ready = timing_ready(&engine->state, device, d->later, b);
    assert_true(ready > START + d->cycles - 1);
    return ready == START + d->cycles;
}

/* Counts the constraints that bind to the cycle; the others stand behind a larger one. */
static void config_check(const struct dram_config *config, u32 *tight, u32 *dominated)
{
    struct engine engine;
    struct dram_distance d;
    engine_init(&engine, config);
    pairs_check(&engine);
    for (u64 cursor = 0; dram_device_distance(&engine.device, &cursor, &d);) {
        if (d.window > 1)
            window_check(&engine, &d);
        else if (constraint_check(&engine, &d))
            ++*tight;
        else
            ++*dominated;
    }
    engine_fini(&engine);
}

static void every_constraint_binds_to_the_cycle(void **state)
{
    (void)state;
    const enum dram_variant variants[] = { DRAM_REFERENCE, DRAM_BANKFIX, DRAM_CORRECT };
    u32 tight = 0, dominated = 0, devices = 0;
    const struct dram_standard *s;
    for (u32 i = 0; (s = dram_standard_at(i)); i++) {
        for (u32 v = 0; v < 3; v++) {
            if (s->unusable_variants & variants[v])
                continue;
            for (u32 ranks = 1; ranks <= 2; ranks++) {
                struct dram_config config = { .name = s->name,
                                              .standard = s->name,
                                              .organisation = s->organisations[1].name,
                                              .preset = s->presets[0].name,
                                              .variant = variants[v],
                                              .ranks = s->rank_name ? ranks : 0 };
                config_check(&config, &tight, &dominated);
                devices++;
            }
        }
    }
    print_message("# %u devices: %u constraints bind, %u stand behind a larger one\n", devices,
                  tight, dominated);
    assert_true(tight > dominated);
}

/* ---- The numbers themselves, against the recorded ones ---- */

static void line_format(struct text *line, const struct dram_device *device,
                        const struct dram_distance *d)
{
    const struct dram_standard *s = dram_standard_at(device->standard);
    text_add(line, "con %s %s %s %u %u %d", dram_standard_level(s, d->level),
             dram_command_names[d->earlier], dram_command_names[d->later], d->cycles, d->window,
             d->sibling);
}

/* Strikes a constraint from the recorded list; each may be struck once. */
static bool line_strike(char **lines, u32 count, const char *wanted)
{
    for (u32 i = 0; i < count; i++)
        if (lines[i] && !strcmp(lines[i], wanted)) {
            free(lines[i]);
            lines[i] = NULL;
            return true;
        }
    return false;
}

static u32 lines_read(const char *name, char **lines, u32 limit)
{
    char path[1024], line[256];
    u32 count = 0;
    snprintf(path, sizeof path, SOURCE_ROOT "/tests/dram/reference/configs/%s.resolved.txt", name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (count < limit && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "con ", 4))
            lines[count++] = heap_copy(line);
    }
    fclose(file);
    return count;
}

/* Commands that the recorded lists keep apart but this model does not have, such as the end of a
 * refresh, which is a state here. */
static bool line_is_foreign(const char *line)
{
    return strstr(line, "_end");
}

static void constraints_equal(const struct dram_config *config, char **lines, u32 count)
{
    struct dram_device device;
    struct dram_distance d;
    struct ogv_error error;
    assert_true(dram_device_init(&device, config, &error));
    for (u64 cursor = 0; dram_device_distance(&device, &cursor, &d);) {
        struct text line = { 0 };
        line_format(&line, &device, &d);
        if (!line_strike(lines, count, text_get(&line)))
            fail_msg("%s: '%s' is not among the recorded", config->name, text_get(&line));
        text_fini(&line);
    }
    for (u32 i = 0; i < count; i++) {
        if (lines[i] && !line_is_foreign(lines[i]))
            fail_msg("%s: '%s' is missing", config->name, lines[i]);
        free(lines[i]);
    }
}

static void constraints_are_the_recorded_ones(void **state)
{
    (void)state;
    char *lines[512];
    u32 compared = 0;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++) {
        u32 count = lines_read(config->name, lines, 512);
        if (!count)
            continue;
        constraints_equal(config, lines, count);
        compared++;
    }
    assert_int_equal(compared, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constraint_binds_to_the_cycle),
        cmocka_unit_test(constraints_are_the_recorded_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
