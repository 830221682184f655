/* scale.c - see scale.h. The plan says what there is; the changes are made as settings, so that
 * what checks a file checks the part, too. */
#include "arch/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "unit/quantity.h"

#define CLOCK_SLACK 0.005 /* what is less off than this is left alone */

struct division {
    struct scaled *scaled;
    const struct plan *plan;
    bool working; /* only what runs programs or traces rays is divided, and what is beside it */
    struct ogv_error *error;
};

/* ---- What there is several of ---- */

static u32 common_divisor(u32 a, u32 b)
{
    while (b) {
        u32 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

u32 scale_factor_largest(const ogv_arch *arch, struct ogv_error *error)
{
    struct plan *plan = plan_create(arch, error);
    u32 divisor = 0;
    if (!plan)
        return 0;
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        if (domain->count > 1)
            divisor = common_divisor(divisor, domain->count);
        for (u32 u = 0; domain->count == 1 && u < domain->unit_count; u++)
            if (domain->units[u].count > 1)
                divisor = common_divisor(divisor, domain->units[u].count);
    }
    plan_destroy(plan);
    if (!divisor)
        error_user(error, "there is nothing in this machine several times that could be divided");
    return divisor;
}

/* How many are left of `count`, at least one, and by how much what each of them has must be divided
 * besides. */
static u32 count_divide(u32 count, double factor, double *rest)
{
    u32 left = (u32)fmax(1, floor(count / factor + 0.5));
    *rest = count < factor ? factor / count : 1;
    return left;
}

/* ---- Making changes ---- */

static void change_free(struct scale_change *change)
{
    free(change->path);
    free(change->before);
    free(change->after);
}

/* What was changed already is changed once more, or back again. */
static bool change_renew(struct scaled *scaled, const char *path, const char *after)
{
    for (u32 i = 0; i < scaled->change_count; i++) {
        struct scale_change *change = &scaled->changes[i];
        if (strcmp(change->path, path))
            continue;
        free(change->after);
        change->after = heap_copy(after);
        change->rounding = 1;
        if (!strcmp(change->before, after)) {
            change_free(change);
            *change = scaled->changes[--scaled->change_count];
        }
        return true;
    }
    return false;
}

static bool change_make(const struct division *division, const char *path, const char *before,
                        const char *after, double rounding)
{
    struct scaled *scaled = division->scaled;
    if (!strcmp(before, after))
        return true;
    if (!ogv_arch_set(scaled->arch, path, after, division->error))
        return false;
    if (change_renew(scaled, path, after))
        return true;
    scaled->changes = heap_append(scaled->changes, scaled->change_count, sizeof *scaled->changes);
    scaled->changes[scaled->change_count++] =
        (struct scale_change){ heap_copy(path), heap_copy(before), heap_copy(after), rounding };
    return true;
}

/* `share` is what is to be left of it. */
static bool count_change(const struct division *division, const char *path, u32 before, u32 after,
                         double share)
{
    char *texts[] = { text_format("%s.count", path), text_format("%u", before),
                      text_format("%u", after) };
    bool good = change_make(division, texts[0], texts[1], texts[2], after / (before * share));
    for (u32 i = 0; i < 3; i++)
        free(texts[i]);
    return good;
}

static bool param_change(const struct division *division, const char *path,
                         const struct param_row *param, union param_value before,
                         union param_value after, double rounding)
{
    char *whole = text_format("%s.%s", path, param->name);
    struct text texts[2] = { { 0 } };
    param_write(&texts[0], param, before);
    param_write(&texts[1], param, after);
    bool good = change_make(division, whole, text_get(&texts[0]), text_get(&texts[1]), rounding);
    text_fini(&texts[0]);
    text_fini(&texts[1]);
    free(whole);
    return good;
}

/* ---- Parameters that grow with the chip ---- */

#define SIZE_STEPS 16 /* bytes are rounded to steps of which there are so many or more, ... */

/* ... since capacities are multiples of something. */
static u64 whole_divide(enum param_type type, u64 value, double rest)
{
    double part = (double)value / rest;
    u64 step = 1;
    while (type == PARAM_BYTES && (double)step * SIZE_STEPS * 2 <= part)
        step *= 2;
    return value ? (u64)fmax(1, floor(part / (double)step + 0.5)) * step : 0;
}

static bool param_divide(const struct division *division, const char *path,
                         const struct param_row *param, union param_value value, double rest)
{
    u64 part = whole_divide(param->type, value.integer, rest);
    if (part < param->smallest.integer)
        part = param->smallest.integer;
    return param_change(division, path, param, value, (union param_value){ .integer = part },
                        (double)part * rest / (double)value.integer);
}

static bool word_in(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* A memory's 0 stands for what its kind has; the 0 of others for what follows from the machine. */
static bool value_known(const struct division *division, const struct plan_unit *unit,
                        const char *path, u32 param)
{
    return !unit->type->holds || unit->values[param].integer ||
           error_user(division->error,
                      "%s.%s: is 0, which stands for a number that cannot be divided by %u; "
                      "set it, or take a smaller factor",
                      path, unit->type->params[param].name, division->scaled->factor);
}

static bool unit_divide(const struct division *division, const struct plan_unit *unit,
                        const char *path, double rest)
{
    for (u32 i = 0; unit->type->params[i].name; i++) {
        const struct param_row *param = &unit->type->params[i];
        if (!word_in(unit->type->scales, param->name))
            continue;
        if (!value_known(division, unit, path, i) ||
            !param_divide(division, path, param, unit->values[i], rest))
            return false;
    }
    return true;
}

/* ---- Clocks that make up for counts ---- */

/* Whether a clock that is not the one of what the unit stands for must be asked for. */
static bool clock_free(const struct division *division, const struct plan_unit *unit,
                       const char *path)
{
    for (u32 i = 0; unit->type->any_clock && unit->type->params[i].name; i++)
        if (!strcmp(unit->type->params[i].name, unit->type->any_clock))
            return param_change(division, path, &unit->type->params[i], unit->values[i],
                                (union param_value){ .integer = 1 }, 0);
    return true;
}

static bool clock_change(const struct division *division, const char *path, u64 clock_hz,
                         double factor)
{
    char *whole = text_format("%s.clock", path);
    struct text texts[2] = { { 0 } };
    quantity_write(&texts[0], PARAM_HERTZ, clock_hz);
    quantity_write(&texts[1], PARAM_HERTZ,
                   (u64)floor((double)clock_hz * factor / 1e3 + 0.5) * 1000);
    bool good = change_make(division, whole, text_get(&texts[0]), text_get(&texts[1]), 0);
    text_fini(&texts[0]);
    text_fini(&texts[1]);
    free(whole);
    return good;
}

/* How many times its share a unit has that was divided by `rest`, since numbers are whole; 1 for
 * those whose clock cannot make up for it. */
static double unit_excess(const struct plan_unit *unit, double rest)
{
    const struct param_row *params = unit->type->params;
    double excess = 1;
    for (u32 i = 0; rest != 1 && unit->type->any_clock && params[i].name; i++) {
        u64 value = unit->values[i].integer;
        if (params[i].type == PARAM_NUMBER && value && word_in(unit->type->scales, params[i].name))
            excess *= (double)whole_divide(params[i].type, value, rest) * rest / (double)value;
    }
    return excess;
}

/* `follows`: its clock is that of its domain. */
static bool unit_clock_change(const struct division *division, const struct plan_unit *unit,
                              const char *path, bool follows, double factor)
{
    double change = fmax(factor, 1 / factor);
    if (change < 1 + CLOCK_SLACK)
        return true;
    division->scaled->made_up = fmax(division->scaled->made_up, change);
    return (follows || clock_change(division, path, unit->clock_hz, factor)) &&
           clock_free(division, unit, path);
}

/* The clock of a domain whose units were divided by `rest`, and of those that have their own. */
static bool clocks_change(const struct division *division, const struct plan_domain *domain,
                          double factor, double rest)
{
    bool good = fabs(factor - 1) < CLOCK_SLACK ||
                clock_change(division, domain->name, domain->clock_hz, factor);
    for (u32 u = 0; good && u < domain->unit_count; u++) {
        const struct plan_unit *unit = &domain->units[u];
        double excess = unit_excess(unit, rest);
        bool follows = unit->clock_hz == domain->clock_hz && excess == 1;
        char *path = text_format("%s.%s", domain->name, unit->name);
        good = unit_clock_change(division, unit, path, follows, factor / excess);
        free(path);
    }
    return good;
}

/* ---- Domains ---- */

static bool type_works(const struct unit_type *type)
{
    return unit_runs_programs(type) || unit_traces_rays(type);
}

static bool domain_works(const struct plan_domain *domain)
{
    for (u32 u = 0; u < domain->unit_count; u++)
        if (type_works(domain->units[u].type))
            return true;
    return false;
}

/* What runs programs or traces rays is divided into whole ones. */
static bool works_check(const struct division *division, const char *path, u32 count)
{
    u32 factor = division->scaled->factor;
    return count == 1 || count >= factor ||
           error_user(division->error,
                      "there are %u of '%s', which cannot be divided by %u: less than one would be "
                      "left",
                      count, path, factor);
}

/* In a domain that is not there several times. */
static bool units_divide(const struct division *division, const struct plan_domain *domain,
                         double factor)
{
    bool good = true;
    for (u32 u = 0; good && u < domain->unit_count; u++) {
        const struct plan_unit *unit = &domain->units[u];
        double rest;
        u32 left = count_divide(unit->count, factor, &rest);
        char *path = text_format("%s.%s", domain->name, unit->name);
        good = (!type_works(unit->type) || works_check(division, path, unit->count)) &&
               count_change(division, path, unit->count, left, rest / factor) &&
               (rest == 1 || unit_divide(division, unit, path, rest));
        free(path);
    }
    return good;
}

/* What is left of so many. */
static double count_share(u32 count, double factor)
{
    double rest;
    u32 left = count_divide(count, factor, &rest);
    return left / rest / count;
}

static bool domain_divide(const struct division *division, const struct plan_domain *domain)
{
    double factor = division->scaled->factor, share = division->scaled->share, rest;
    if (division->working && !domain_works(domain))
        return true;
    if (domain->count == 1)
        return units_divide(division, domain, 1 / share);
    u32 left = count_divide(domain->count, factor, &rest);
    double off = share / count_share(domain->count, factor);
    return (!domain_works(domain) || works_check(division, domain->name, domain->count)) &&
           count_change(division, domain->name, domain->count, left, share * rest) &&
           (rest == 1 || units_divide(division, domain, rest)) &&
           clocks_change(division, domain, off, rest);
}

/* How many there are of what works, which the other parts follow; 0 if that is there once. */
static u32 working_count(const struct plan_domain *domain)
{
    if (domain->count > 1)
        return domain_works(domain) ? domain->count : 0;
    for (u32 u = 0; u < domain->unit_count; u++)
        if (domain->units[u].count > 1 && type_works(domain->units[u].type))
            return domain->units[u].count;
    return 0;
}

static double share_find(const struct plan *plan, u32 factor)
{
    u32 count = 0;
    for (u32 i = 0; !count && i < plan->domain_count; i++)
        count = working_count(&plan->domains[i]);
    return count ? count_share(count, factor) : 1.0 / factor;
}

/* ---- All ---- */

static bool plan_divide(const struct division *division)
{
    const struct plan *plan = division->plan;
    for (u32 i = 0; i < plan->domain_count; i++)
        if (!domain_divide(division, &plan->domains[i]))
            return false;
    return true;
}

static bool part_name(const struct division *division)
{
    const struct plan *plan = division->plan;
    u32 factor = division->scaled->factor;
    char *name = text_format("%s-by-%u", plan->name, factor);
    char *about = text_format("one part in %u of: %s", factor, plan->about);
    bool good = ogv_arch_set(division->scaled->arch, "name", name, division->error) &&
                ogv_arch_set(division->scaled->arch, "about", about, division->error);
    free(name);
    free(about);
    return good;
}

/* That the part can be built; how much memory it has left. */
static bool part_check(const struct division *division)
{
    struct plan *part = plan_create(division->scaled->arch, division->error);
    bool good = part && plan_check_sample(part, division->error);
    if (good && division->plan->memory_bytes > 0)
        division->scaled->memory = part->memory_bytes / division->plan->memory_bytes;
    plan_destroy(part);
    return good;
}

static bool scale(const ogv_arch *arch, u32 factor, bool working, struct scaled *scaled,
                  struct ogv_error *error)
{
    *scaled =
        (struct scaled){ .arch = arch_copy(arch), .factor = factor, .memory = 1, .made_up = 1 };
    struct plan *plan = plan_create(arch, error);
    struct division division = { scaled, plan, working, error };
    bool good = plan;
    if (good && factor > 1) {
        scaled->share = share_find(plan, factor);
        good = plan_divide(&division) && part_name(&division) && part_check(&division);
    }
    plan_destroy(plan);
    if (!good)
        scaled_fini(scaled);
    return good;
}

bool arch_scale(const ogv_arch *arch, u32 factor, struct scaled *scaled, struct ogv_error *error)
{
    return scale(arch, factor, false, scaled, error);
}

bool arch_scale_working(const ogv_arch *arch, u32 factor, struct scaled *scaled,
                        struct ogv_error *error)
{
    return scale(arch, factor, true, scaled, error);
}

/* ---- What holds the past ---- */

/* `whole` and `part` are the same line of the file; `times` is how much of each of the whole's a
 * unit of the part gets. */
static bool unit_keep(const struct division *division, const char *path,
                      const struct plan_unit *whole, const struct plan_unit *part, double times)
{
    for (u32 i = 0; whole->type->params[i].name; i++) {
        const struct param_row *param = &whole->type->params[i];
        if (!word_in(whole->type->keeps, param->name))
            continue;
        u64 kept = whole_divide(param->type, whole->values[i].integer, 1 / times);
        if (!param_change(division, path, param, part->values[i],
                          (union param_value){ .integer = kept }, 1))
            return false;
    }
    return true;
}

static bool domain_keep(const struct division *division, const struct plan_domain *whole,
                        const struct plan_domain *part, double share)
{
    bool good = true;
    for (u32 u = 0; good && !domain_works(whole) && u < whole->unit_count; u++) {
        double copies = (double)whole->count * whole->units[u].count;
        char *path = text_format("%s.%s", whole->name, whole->units[u].name);
        good = unit_keep(division, path, &whole->units[u], &part->units[u],
                         share * copies / ((double)part->count * part->units[u].count));
        free(path);
    }
    return good;
}

bool scale_keep(const ogv_arch *arch, double share, struct scaled *scaled, struct ogv_error *error)
{
    struct plan *whole = plan_create(arch, error);
    struct plan *part = whole ? plan_create(scaled->arch, error) : NULL;
    struct division division = { scaled, whole, false, error };
    bool good = part;
    for (u32 i = 0; good && i < whole->domain_count; i++)
        good = domain_keep(&division, &whole->domains[i], &part->domains[i], share);
    good = good && part_check(&division);
    plan_destroy(part);
    plan_destroy(whole);
    return good;
}

void scaled_fini(struct scaled *scaled)
{
    ogv_arch_destroy(scaled->arch);
    for (u32 i = 0; i < scaled->change_count; i++)
        change_free(&scaled->changes[i]);
    free(scaled->changes);
    *scaled = (struct scaled){ 0 };
}
