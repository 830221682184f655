/* roles.c - see roles.h. What is asked here once, nobody needs to ask when a chip runs. */
#include "unit/roles.h"

#include <string.h>

#include "base/error.h"
#include "ogive/program.h"
#include "ogive/tracer.h"
#include "unit/explain.h"

bool type_has_stat(const struct unit_type *type, const char *name)
{
    const struct stat_row *stat = type->stats;
    while (stat->name && strcmp(stat->name, name))
        stat++;
    return stat->name;
}

bool type_has_param(const struct unit_type *type, const char *name)
{
    const struct param_row *param = type->params;
    while (param->name && strcmp(param->name, name))
        param++;
    return param->name;
}

/* A type under examination, and what to say of it. */
struct examination {
    const struct unit_type *type;
    const char *from;
    struct ogv_error *error;
};

/* What every type with a role must have. */
static bool role_needs(const struct examination *examined, const char *role, const char *what,
                       bool there)
{
    return there || error_user(examined->error, "%s: unit type '%s' %s, but lacks `%s`",
                               examined->from, examined->type->name, role, what);
}

/* A statistic that a role names; NULL where it need not. */
static bool role_counts(const struct examination *examined, const char *what, const char *name)
{
    return !name || type_has_stat(examined->type, name) ||
           error_user(examined->error, "%s: unit type '%s': %s is '%s', no statistic",
                      examined->from, examined->type->name, what, name);
}

/* The same for a parameter. */
static bool role_takes(const struct examination *examined, const char *what, const char *name)
{
    return !name || type_has_param(examined->type, name) ||
           error_user(examined->error, "%s: unit type '%s': %s is '%s', no parameter",
                      examined->from, examined->type->name, what, name);
}

static bool programs_check(const struct examination *examined)
{
    static const char role[] = "runs programs";
    const struct unit_type *type = examined->type;
    const struct program_role *programs = type->programs;
    return !programs ||
           (role_needs(examined, role, "harts", type->harts) &&
            role_needs(examined, role, "toward", type->toward) &&
            role_needs(examined, role, "programs.start", programs->start) &&
            role_needs(examined, role, "programs.output", programs->output) &&
            role_needs(examined, role, "programs.hart", programs->hart) &&
            role_needs(examined, role, "programs.instructions", programs->instructions) &&
            role_needs(examined, role, "programs.halted", programs->halted) &&
            role_counts(examined, "programs.instructions", programs->instructions) &&
            role_counts(examined, "programs.halted", programs->halted) &&
            role_takes(examined, "programs.stack", programs->stack) &&
            role_takes(examined, "programs.execute", programs->execute));
}

static bool rays_check(const struct examination *examined)
{
    static const char role[] = "traces rays";
    const struct ray_role *rays = examined->type->rays;
    return !rays || (role_needs(examined, role, "rays.wants", rays->wants) &&
                     role_needs(examined, role, "rays.tree", rays->tree) &&
                     role_needs(examined, role, "rays.follow", rays->follow || !rays->followed) &&
                     role_needs(examined, role, "rays.followed", rays->followed || !rays->follow) &&
                     role_needs(examined, role, "rays.rays", rays->rays) &&
                     role_counts(examined, "rays.rays", rays->rays));
}

#define COUNTS_BYTES(examined, name, NAME, words)                       \
    role_counts(examined, "what `mark` counts", "bytes_read_" #name) && \
        role_counts(examined, "what `mark` counts", "bytes_written_" #name) &&

/* Memory that can be marked says what became of it. */
static bool mark_check(const struct examination *examined)
{
    return !examined->type->mark || (PURPOSES(COUNTS_BYTES, examined) true);
}

static bool rows_check(const struct examination *examined)
{
    struct ogv_error why;
    return explain_check(examined->type, &why) ||
           error_user(examined->error, "%s: %s", examined->from, why.message);
}

bool roles_check(const struct unit_type *type, const char *from, struct ogv_error *error)
{
    const struct examination examined = { type, from, error };
    return programs_check(&examined) && rays_check(&examined) && mark_check(&examined) &&
           role_counts(&examined, "pieces", type->pieces) &&
           role_takes(&examined, "any_clock", type->any_clock) && rows_check(&examined);
}
