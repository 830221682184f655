/* profile.c - see profile.h: from the rows of all domains to one profile, and what a view can rank
 * by. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "base/text.h"
#include "ogive/program.h"

/* ---- Merging ---- */

/* A path of the merged tree; children in order of site and function. */
struct merged {
    struct profile_function function;
    u32 site;
    u64 calls;
    struct profile_row *rows;
    struct merged *child, *next;
};

struct gathering {
    struct merged root;
    struct merged lost;
};

static struct merged *merged_below(struct merged *parent, const struct profile_path *path)
{
    struct merged **at = &parent->child;
    while (*at && ((*at)->site < path->site ||
                   ((*at)->site == path->site && (*at)->function.first < path->function.first)))
        at = &(*at)->next;
    if (*at && (*at)->site == path->site && (*at)->function.first == path->function.first)
        return *at;
    struct merged *made = heap_array(1, sizeof *made);
    *made = (struct merged){ .function = path->function, .site = path->site, .next = *at };
    *at = made;
    return made;
}

static void merged_add(struct merged *merged, const struct hart_profile *profile,
                       const struct profile_path *path)
{
    u32 count = path->function.count;
    if (!merged->rows)
        merged->rows = heap_array(count, sizeof *merged->rows);
    merged->calls += path->calls;
    for (u32 i = 0; i < count; i++)
        for (u32 reason = 0; reason < PROFILE_REASONS; reason++)
            merged->rows[i].cycles[reason] += profile->rows[path->rows + i].cycles[reason];
}

/* Paths stand behind their parents, so one pass finds every parent merged already. */
static void gather_profile(struct gathering *gathering, const struct hart_profile *profile)
{
    struct merged **known = heap_array(profile->path_count, sizeof *known);
    known[PATH_ROOT] = &gathering->root;
    gathering->lost.function = profile->paths[PATH_LOST].function;
    merged_add(&gathering->lost, profile, &profile->paths[PATH_LOST]);
    for (u32 i = PATH_LOST + 1; i < profile->path_count; i++) {
        const struct profile_path *path = &profile->paths[i];
        known[i] = merged_below(known[path->parent], path);
        merged_add(known[i], profile, path);
    }
    free(known);
}

static void merged_free(struct merged *merged)
{
    while (merged) {
        struct merged *next = merged->next;
        merged_free(merged->child);
        free(merged->rows);
        free(merged);
        merged = next;
    }
}

/* ---- Flattening ---- */

struct flattening {
    struct profile *profile;
    const struct isa_program *text;
    double issue_pj[CLASS_COUNT]; /* 0: not known */
};

static void flatten_row(struct flattening *flattening, const struct profile_row *row, u64 pc)
{
    struct profile *profile = flattening->profile;
    struct profile_sample sample = { .pc = pc, .path = profile->path_count - 1 };
    memcpy(sample.counts.cycles, row->cycles, sizeof sample.counts.cycles);
    u64 total = counts_total(&sample.counts);
    if (!total)
        return;
    const struct insn *insn = isa_fetch(flattening->text, pc);
    sample.issue_pj = insn ? flattening->issue_pj[insn->class] : 0;
    sample.counts.picojoules = sample.issue_pj * (double)row->cycles[PROFILE_ISSUED];
    profile->samples =
        heap_append(profile->samples, profile->sample_count, sizeof *profile->samples);
    profile->samples[profile->sample_count++] = sample;
    profile->thread_cycles += total;
}

static void flatten_path(struct flattening *flattening, const struct merged *merged,
                         struct profile_call path)
{
    struct profile *profile = flattening->profile;
    profile->paths = heap_append(profile->paths, profile->path_count, sizeof *profile->paths);
    profile->paths[profile->path_count++] = path;
    for (u32 i = 0; i < merged->function.count; i++)
        flatten_row(flattening, &merged->rows[i],
                    flattening->text->base + 2 * (u64)(merged->function.first + i));
}

static void flatten_below(struct flattening *flattening, const struct merged *parent, u32 number)
{
    for (const struct merged *child = parent->child; child; child = child->next) {
        u64 site =
            child->site == SITE_NONE ? ADDRESS_NONE : flattening->text->base + 2 * (u64)child->site;
        u32 own = flattening->profile->path_count;
        flatten_path(flattening, child,
                     (struct profile_call){ .function = flattening->text->base +
                                                        2 * (u64)child->function.first,
                                            .site = site,
                                            .calls = child->calls,
                                            .parent = number });
        flatten_below(flattening, child, own);
    }
}

static const char *halted_of(const struct unit_type *type)
{
    return type->programs ? type->programs->halted : NULL;
}

static bool runs_warps(const struct unit_type *type)
{
    return type->programs && type->programs->warps;
}

static bool runs_threads(const struct unit_type *type)
{
    return type->programs && !type->programs->warps;
}

struct profile *profile_gather(ogv_system *system, const struct profile_source *source)
{
    struct gathering gathering = { 0 };
    struct profile *profile = heap_array(1, sizeof *profile);
    profile->halted_cycles = system_total(system, halted_of); /* which settles all units */
    for (u32 i = 0; i < system->chip->domain_count; i++)
        if (source->profiles[i])
            gather_profile(&gathering, source->profiles[i]);
    profile->warps = system_any(system, runs_warps) && !system_any(system, runs_threads);
    struct flattening flattening = { .profile = profile, .text = source->text };
    profile->has_energy = profile_issue_costs(system, flattening.issue_pj);
    flatten_below(&flattening, &gathering.root, PATH_NONE);
    flatten_path(&flattening, &gathering.lost,
                 (struct profile_call){ ADDRESS_NONE, ADDRESS_NONE, 0, PATH_NONE });
    bool lost = profile->sample_count &&
                profile->samples[profile->sample_count - 1].path == profile->path_count - 1;
    profile->path_count -= !lost;
    struct hash *hash = hash_create();
    hash_add(hash, source->file, source->file_bytes);
    hash_finish(hash, profile->program_hash);
    merged_free(gathering.root.child);
    free(gathering.lost.rows);
    return profile;
}

void profile_destroy(struct profile *profile)
{
    if (!profile)
        return;
    free(profile->paths);
    free(profile->samples);
    free(profile->program);
    free(profile);
}

/* ---- Costs ---- */

void counts_add(struct profile_counts *sum, const struct profile_counts *part)
{
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        sum->cycles[i] += part->cycles[i];
    sum->picojoules += part->picojoules;
}

u64 counts_total(const struct profile_counts *counts)
{
    u64 total = 0;
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        total += counts->cycles[i];
    return total;
}

u32 counts_main_stall(const struct profile_counts *counts)
{
    u32 most = PROFILE_ISSUED;
    u64 cycles = 0;
    for (u32 i = PROFILE_ISSUED + 1; i < PROFILE_REASONS; i++) {
        if (counts->cycles[i] <= cycles)
            continue;
        most = i;
        cycles = counts->cycles[i];
    }
    return most;
}

#define REASONS_ALL ((UINT32_C(1) << PROFILE_REASONS) - 1)

_Static_assert(PROFILE_REASONS < 32, "reasons are bits of a u32");

static u32 reasons_find(const char *name)
{
    char known[64];
    u32 hazards = REASONS_ALL << PROFILE_HAZARD & REASONS_ALL;
    if (!strcmp(name, "cycles"))
        return REASONS_ALL;
    if (!strcmp(name, "stalled"))
        return REASONS_ALL & ~(UINT32_C(1) << PROFILE_ISSUED);
    if (!strcmp(name, "hazard"))
        return hazards;
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        if (!strcmp(profile_reason_name(i, known, sizeof known), name))
            return UINT32_C(1) << i;
    return 0;
}

static bool reason_unknown(const char *name, struct ogv_error *error)
{
    static const char *const groups[] = { "cycles", "stalled", "hazard", "energy" };
    char known[PROFILE_REASONS][64], hint[128];
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < 4; i++)
        nearest_offer(&nearest, groups[i]);
    for (u32 i = 0; i < PROFILE_REASONS; i++)
        nearest_offer(&nearest, profile_reason_name(i, known[i], sizeof known[i]));
    return error_user(
        error,
        "there is no reason '%s'; there are cycles (all), stalled, issued, passed, "
        "busy, fetch, fence, hazard, hazard_CLASS as in hazard_load, and by itself energy%s",
        name, nearest_hint(&nearest, hint, sizeof hint));
}

bool profile_measure_find(const char *text, struct profile_measure *measure,
                          struct ogv_error *error)
{
    *measure = (struct profile_measure){ .name = text, .energy = !strcmp(text, "energy") };
    if (measure->energy)
        return true;
    char *copy = heap_copy(text), *rest = copy, *name;
    bool good = true;
    while (good && (name = strsep(&rest, ","))) {
        u32 found = reasons_find(name);
        good = found || reason_unknown(name, error);
        measure->reasons |= found;
    }
    free(copy);
    return good;
}

double profile_cost(const struct profile_measure *measure, const struct profile_sample *sample)
{
    u64 sum = 0;
    if (measure->energy)
        return sample->counts.picojoules;
    for (u32 bits = measure->reasons; bits; bits &= bits - 1)
        sum += sample->counts.cycles[__builtin_ctz(bits)];
    return (double)sum;
}
