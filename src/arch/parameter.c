/* parameter.c - what a chip is built with: parameters, counts and clocks, by path or all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/system.h"
#include "base/error.h"
#include "base/path.h"
#include "unit/quantity.h"

#define STEPS_MAX 3
#define STEP_SIZE 80

struct question {
    const struct plan *plan;
    const char *path;
    char steps[STEPS_MAX][STEP_SIZE]; /* domain, unit, parameter; or fewer */
    u32 count;
    struct nearest nearest; /* to the step that is looked for */
    struct text answer;
};

/* Indices are left out: the copies of a unit are alike. */
static bool question_read(struct question *question)
{
    const char *rest = question->path;
    while (question->count < STEPS_MAX) {
        struct path_word word = path_name_cut(&rest), inside;
        if (!word.length || !path_word_copy(word, question->steps[question->count++], STEP_SIZE))
            return false;
        while (path_index_cut(&rest, &inside))
            ;
        if (!*rest)
            return true;
        if (*rest++ != '.')
            return false;
    }
    return false;
}

static bool question_is(struct question *question, u32 step, const char *known)
{
    nearest_offer(&question->nearest, known);
    return !strcmp(question->steps[step], known);
}

static bool question_fail(const struct question *question, const char *what,
                          struct ogv_error *error)
{
    char hint[128];
    return error_user(error, "%s: there is no %s '%s'%s", question->path, what,
                      question->nearest.typed, nearest_hint(&question->nearest, hint, sizeof hint));
}

/* `count` and `clock`, which all of them have; the chip is there once. */
static bool answer_common(struct question *question, u32 step, const u32 *count, u64 clock_hz)
{
    if (question->count != step + 1)
        return false;
    if (count && question_is(question, step, "count")) {
        text_add(&question->answer, "%u", *count);
        return true;
    }
    bool clock = question_is(question, step, "clock");
    if (clock)
        quantity_write(&question->answer, PARAM_HERTZ, clock_hz);
    return clock;
}

static bool answer_unit(struct question *question, const struct plan_unit *unit,
                        struct ogv_error *error)
{
    nearest_init(&question->nearest, question->steps[2]);
    if (answer_common(question, 2, &unit->count, unit->clock_hz))
        return true;
    for (u32 i = 0; unit->type->params[i].name; i++) {
        if (!question_is(question, 2, unit->type->params[i].name))
            continue;
        param_write(&question->answer, &unit->type->params[i], unit->values[i]);
        return true;
    }
    return question_fail(question, "parameter", error);
}

static bool answer_domain(struct question *question, const struct plan_domain *domain,
                          struct ogv_error *error)
{
    nearest_init(&question->nearest, question->steps[1]);
    if (answer_common(question, 1, &domain->count, domain->clock_hz))
        return true;
    for (u32 i = 0; i < domain->unit_count; i++)
        if (question_is(question, 1, domain->units[i].name) && question->count == STEPS_MAX)
            return answer_unit(question, &domain->units[i], error);
    return question_fail(question, question->count == STEPS_MAX ? "unit" : "parameter", error);
}

static bool answer_chip(struct question *question, struct ogv_error *error)
{
    const struct plan *plan = question->plan;
    nearest_init(&question->nearest, question->steps[0]);
    if (answer_common(question, 0, NULL, plan->clock_hz))
        return true;
    for (u32 i = 0; i < plan->domain_count; i++)
        if (question_is(question, 0, plan->domains[i].name) && question->count > 1)
            return answer_domain(question, &plan->domains[i], error);
    return question_fail(question, question->count > 1 ? "domain" : "parameter", error);
}

static char *plan_parameter(const struct plan *plan, const char *path, struct ogv_error *error)
{
    struct question question = { .plan = plan, .path = path };
    if (!question_read(&question)) {
        error_user(error, "%s: a parameter is written DOMAIN.UNIT.NAME, as in sm.l1.size", path);
        return NULL;
    }
    char *found = answer_chip(&question, error) ? heap_copy(text_get(&question.answer)) : NULL;
    text_fini(&question.answer);
    return found;
}

char *ogv_system_parameter(const ogv_system *system, const char *path, struct ogv_error *error)
{
    return plan_parameter(system->plan, path, error);
}

char *ogv_arch_parameter(const ogv_arch *arch, const char *path, struct ogv_error *error)
{
    struct plan *plan = plan_create(arch, error);
    char *found = plan ? plan_parameter(plan, path, error) : NULL;
    plan_destroy(plan);
    return found;
}

/* ---- All of them ---- */

struct listing {
    ogv_parameter_visit *visit;
    void *context;
};

/* Takes the path and the value. */
static void list_value(const struct listing *listing, char *path, struct text *value,
                       const char *help)
{
    listing->visit(listing->context,
                   &(struct ogv_parameter){ .path = path, .value = text_get(value), .help = help });
    text_fini(value);
    free(path);
}

static void list_count(const struct listing *listing, char *path, u32 count, const char *help)
{
    struct text value = { 0 };
    text_add(&value, "%u", count);
    list_value(listing, path, &value, help);
}

static void list_clock(const struct listing *listing, char *path, u64 clock_hz, const char *help)
{
    struct text value = { 0 };
    quantity_write(&value, PARAM_HERTZ, clock_hz);
    list_value(listing, path, &value, help);
}

static void list_unit(const struct listing *listing, const char *domain,
                      const struct plan_unit *unit)
{
    list_count(listing, text_format("%s.%s.count", domain, unit->name), unit->count,
               "copies in each copy of the domain");
    list_clock(listing, text_format("%s.%s.clock", domain, unit->name), unit->clock_hz,
               "clock of the unit");
    for (u32 i = 0; unit->type->params[i].name; i++) {
        const struct param_row *param = &unit->type->params[i];
        struct text value = { 0 };
        param_write(&value, param, unit->values[i]);
        list_value(listing, text_format("%s.%s.%s", domain, unit->name, param->name), &value,
                   param->help);
    }
}

static void list_domain(const struct listing *listing, const struct plan_domain *domain)
{
    list_count(listing, text_format("%s.count", domain->name), domain->count,
               "copies of the domain");
    list_clock(listing, text_format("%s.clock", domain->name), domain->clock_hz,
               "clock of the domain");
    for (u32 i = 0; i < domain->unit_count; i++)
        list_unit(listing, domain->name, &domain->units[i]);
}

bool ogv_arch_parameters(const ogv_arch *arch, ogv_parameter_visit *visit, void *context,
                         struct ogv_error *error)
{
    const struct listing listing = { visit, context };
    struct plan *plan = plan_create(arch, error);
    if (!plan)
        return false;
    list_clock(&listing, heap_copy("clock"), plan->clock_hz, "clock of the chip");
    for (u32 i = 0; i < plan->domain_count; i++)
        list_domain(&listing, &plan->domains[i]);
    plan_destroy(plan);
    return true;
}
