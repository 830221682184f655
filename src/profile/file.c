/* file.c - profile.json: written for people and reports, read back for the views.
 *
 * `instructions` has one entry per address, summed over all paths. `paths` has the rest of the
 * truth: each path's instructions as [address, reason, cycles, reason, cycles, ...] with reasons as
 * numbers in the list `reasons`. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "profile/profile.h"
#include "result/stats_source.h"
#include "unit/quantity.h"

#define PROFILE_FORMAT    1
#define PROFILE_FILE      "profile.json"
#define PROFILE_PATHS_MAX 16777216

/* ---- Writing: by hand, there may be a million entries ---- */

static void write_reasons(struct text *out)
{
    char name[64];
    text_add(out, " \"reasons\": [");
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        text_add(out, "%s\"%s\"", i ? ", " : "", profile_reason_name(i, name, sizeof name));
    text_add(out, "],\n");
}

static void write_instruction(struct text *out, u64 pc, const struct profile_counts *counts,
                              double issue_pj, bool first)
{
    char name[64];
    text_add(out, "%s\n  {\"pc\": %" PRIu64, first ? "" : ",", pc);
    if (issue_pj > 0) {
        text_add(out, ", \"issue_pj\": ");
        real_write(out, issue_pj);
    }
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        if (counts->cycles[i])
            text_add(out, ", \"%s\": %" PRIu64, profile_reason_name(i, name, sizeof name),
                     counts->cycles[i]);
    text_add(out, "}");
}

static int sample_compare(const void *a, const void *b)
{
    const struct profile_sample *x = *(const struct profile_sample *const *)a;
    const struct profile_sample *y = *(const struct profile_sample *const *)b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static void write_instructions(struct text *out, const struct profile *profile)
{
    u32 count = profile->sample_count;
    const struct profile_sample **order = heap_array(count + 1, sizeof *order);
    for (u32 i = 0; i < count; i++)
        order[i] = &profile->samples[i];
    qsort(order, count, sizeof *order, sample_compare);
    text_add(out, " \"instructions\": [");
    for (u32 i = 0; i < count;) {
        struct profile_counts sum = { 0 };
        u32 first = i;
        for (; i < count && order[i]->pc == order[first]->pc; i++)
            counts_add(&sum, &order[i]->counts);
        write_instruction(out, order[first]->pc, &sum, order[first]->issue_pj, first == 0);
    }
    text_add(out, "\n ],\n");
    free(order);
}

static void write_address(struct text *out, const char *name, u64 address)
{
    if (address == ADDRESS_NONE)
        text_add(out, "\"%s\": null, ", name);
    else
        text_add(out, "\"%s\": %" PRIu64 ", ", name, address);
}

static void write_sample(struct text *out, const struct profile_sample *sample)
{
    text_add(out, "[%" PRIu64, sample->pc);
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        if (sample->counts.cycles[i])
            text_add(out, ",%u,%" PRIu64, i, sample->counts.cycles[i]);
    text_add(out, "]");
}

static void write_paths(struct text *out, const struct profile *profile)
{
    u32 sample = 0;
    text_add(out, " \"paths\": [");
    for (u32 i = 0; i < profile->path_count; i++) {
        const struct profile_call *path = &profile->paths[i];
        text_add(out, "%s\n  {", i ? "," : "");
        write_address(out, "parent", path->parent == PATH_NONE ? ADDRESS_NONE : path->parent);
        write_address(out, "function", path->function);
        write_address(out, "site", path->site);
        text_add(out, "\"calls\": %" PRIu64 ", \"instructions\": [", path->calls);
        for (u32 n = 0; sample < profile->sample_count && profile->samples[sample].path == i; n++) {
            text_add(out, "%s", n ? "," : "");
            write_sample(out, &profile->samples[sample++]);
        }
        text_add(out, "]}");
    }
    text_add(out, "\n ]\n");
}

bool profile_write(const struct profile *profile, const char *folder, struct ogv_error *error)
{
    struct text out = { 0 };
    char *path = text_format("%s/" PROFILE_FILE, folder);
    text_add(&out,
             "{\n \"format\": %d,\n \"program\": \"program.elf\",\n \"program_hash\": \"%s\",\n"
             " \"thread_cycles\": %" PRIu64 ",\n \"halted_thread_cycles\": %" PRIu64 ",\n%s",
             PROFILE_FORMAT, profile->program_hash, profile->thread_cycles, profile->halted_cycles,
             profile->warps ? " \"warps\": true,\n" : "");
    write_reasons(&out);
    write_instructions(&out, profile);
    write_paths(&out, profile);
    text_add(&out, "}\n");
    bool good = file_write(path, text_get(&out), out.length, error);
    text_fini(&out);
    free(path);
    return good;
}

/* ---- Reading: nothing is believed ---- */

struct reading {
    const char *path;
    struct profile *profile;
    u32 reasons[PROFILE_REASONS]; /* by their numbers in the file */
    u32 reason_count;
    struct ogv_error *error;
};

static bool reading_fail(const struct reading *reading, const char *what)
{
    return error_user(reading->error, "%s: %s; is it what `ogive run --profile` wrote?",
                      reading->path, what);
}

static bool number_get(const json_t *value, u64 *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (u64)json_integer_value(value);
    return true;
}

/* null stands for ADDRESS_NONE. */
static bool address_get(const json_t *value, u64 *address)
{
    *address = ADDRESS_NONE;
    return json_is_null(value) || number_get(value, address);
}

static bool read_reasons(struct reading *reading, const json_t *list)
{
    size_t count = json_array_size(list);
    if (!count || count > PROFILE_REASONS)
        return reading_fail(reading, "the list of reasons is wrong");
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        char known[64];
        u32 reason = 0;
        while (reason < PROFILE_REASONS &&
               (!name || strcmp(profile_reason_name(reason, known, sizeof known), name)))
            reason++;
        if (reason == PROFILE_REASONS)
            return reading_fail(reading, "it has a reason that is not known");
        reading->reasons[i] = reason;
    }
    reading->reason_count = (u32)count;
    return true;
}

static bool read_sample(struct reading *reading, const json_t *list)
{
    struct profile *profile = reading->profile;
    struct profile_sample sample = { .path = profile->path_count - 1 };
    size_t size = json_array_size(list);
    bool good = size % 2 == 1 && number_get(json_array_get(list, 0), &sample.pc);
    for (size_t i = 1; good && i < size; i += 2) {
        u64 reason, cycles;
        good = number_get(json_array_get(list, i), &reason) && reason < reading->reason_count &&
               number_get(json_array_get(list, i + 1), &cycles) &&
               cycles <= INT64_MAX - profile->thread_cycles;
        if (!good)
            break;
        sample.counts.cycles[reading->reasons[reason]] += cycles;
        profile->thread_cycles += cycles;
    }
    if (!good)
        return reading_fail(reading, "an instruction of a path is wrong");
    profile->samples =
        heap_append(profile->samples, profile->sample_count, sizeof *profile->samples);
    profile->samples[profile->sample_count++] = sample;
    return true;
}

static bool read_path(struct reading *reading, const json_t *object)
{
    struct profile *profile = reading->profile;
    struct profile_call path;
    u64 parent;
    const json_t *samples = json_object_get(object, "instructions");
    if (!address_get(json_object_get(object, "parent"), &parent) ||
        !address_get(json_object_get(object, "function"), &path.function) ||
        !address_get(json_object_get(object, "site"), &path.site) ||
        !number_get(json_object_get(object, "calls"), &path.calls) ||
        (parent != ADDRESS_NONE && parent >= profile->path_count) ||
        profile->path_count == PROFILE_PATHS_MAX || !json_is_array(samples))
        return reading_fail(reading, "a path is wrong");
    path.parent = parent == ADDRESS_NONE ? PATH_NONE : (u32)parent;
    profile->paths = heap_append(profile->paths, profile->path_count, sizeof *profile->paths);
    profile->paths[profile->path_count++] = path;
    for (size_t i = 0; i < json_array_size(samples); i++)
        if (!read_sample(reading, json_array_get(samples, i)))
            return false;
    return true;
}

/* ---- Energies: by address ---- */

struct issue_cost {
    u64 pc;
    double pj;
};

static int issue_compare(const void *a, const void *b)
{
    const struct issue_cost *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* False if an address has none. */
static bool samples_charge(struct profile *profile, const struct issue_cost *costs, size_t count)
{
    for (u32 i = 0; i < profile->sample_count; i++) {
        struct profile_sample *sample = &profile->samples[i];
        struct issue_cost wanted = { .pc = sample->pc };
        const struct issue_cost *found =
            bsearch(&wanted, costs, count, sizeof *costs, issue_compare);
        if (!found)
            return false;
        sample->issue_pj = found->pj;
        sample->counts.picojoules = found->pj * (double)sample->counts.cycles[PROFILE_ISSUED];
    }
    return true;
}

/* A profile without any is one of cores whose costs are not known. */
static bool read_energies(struct reading *reading, const json_t *list)
{
    size_t size = json_array_size(list), known = 0;
    struct issue_cost *costs = heap_array(size + 1, sizeof *costs);
    bool good = true;
    for (size_t i = 0; i < size && good; i++) {
        const json_t *entry = json_array_get(list, i), *pj = json_object_get(entry, "issue_pj");
        costs[i].pj = json_number_value(pj);
        good = number_get(json_object_get(entry, "pc"), &costs[i].pc) && costs[i].pj >= 0 &&
               isfinite(costs[i].pj);
        known += json_is_number(pj);
    }
    qsort(costs, size, sizeof *costs, issue_compare);
    if (good && known)
        good = samples_charge(reading->profile, costs, size);
    reading->profile->has_energy = good && known;
    free(costs);
    return good || reading_fail(reading, "the energy of an instruction is wrong");
}

static bool read_all(struct reading *reading, const json_t *object)
{
    struct profile *profile = reading->profile;
    u64 format, total;
    const json_t *paths = json_object_get(object, "paths");
    const char *hash = json_string_value(json_object_get(object, "program_hash"));
    if (!number_get(json_object_get(object, "format"), &format) || format != PROFILE_FORMAT ||
        !number_get(json_object_get(object, "thread_cycles"), &total) ||
        !number_get(json_object_get(object, "halted_thread_cycles"), &profile->halted_cycles) ||
        !hash || strlen(hash) >= sizeof profile->program_hash || !json_is_array(paths))
        return reading_fail(reading, "is not a profile of this version");
    strcpy(profile->program_hash, hash);
    profile->warps = json_is_true(json_object_get(object, "warps"));
    if (!read_reasons(reading, json_object_get(object, "reasons")))
        return false;
    for (size_t i = 0; i < json_array_size(paths); i++)
        if (!read_path(reading, json_array_get(paths, i)))
            return false;
    if (!read_energies(reading, json_object_get(object, "instructions")))
        return false;
    return profile->thread_cycles == total ||
           reading_fail(reading, "its cycles do not add up to what it says");
}

struct profile *profile_read(const char *folder, struct ogv_error *error)
{
    char *path = text_format("%s/" PROFILE_FILE, folder);
    struct reading reading = { .path = path, .error = error };
    json_t *object = NULL;
    if (file_exists(path))
        object = run_file_load(folder, PROFILE_FILE, error);
    else
        error_user(error, "%s: is not there; `ogive run --profile` makes it", path);
    bool good = false;
    if (object) {
        reading.profile = heap_array(1, sizeof *reading.profile);
        reading.profile->program = text_format("%s/program.elf", folder);
        good = read_all(&reading, object);
    }
    if (!good) {
        profile_destroy(reading.profile);
        reading.profile = NULL;
    }
    json_decref(object);
    free(path);
    return reading.profile;
}
