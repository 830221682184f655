/* record_explain.c - rows of unit types, what units wait for, and numbers of parameters as JSON. */
#include "run/record_explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit/explain.h"

static json_t *text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* ---- Rows ---- */

static json_t *resources_record(const struct unit_type *type)
{
    json_t *list = json_array();
    for (const struct resource_row *row = type->resources; row && row->name; row++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(row->name));
        json_object_set_new(object, "kind", json_string(resource_kind_names[row->kind]));
        json_object_set_new(object, "capacity", text_json(row->capacity));
        json_object_set_new(object, "used", text_json(row->used));
        json_object_set_new(object, "held", text_json(row->held));
        json_object_set_new(object, "words", text_json(row->words));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *accounts_record(const struct unit_type *type)
{
    json_t *list = json_array();
    for (const struct account_row *row = type->accounts; row && row->words; row++) {
        json_t *object = json_object();
        json_object_set_new(object, "depth", json_integer((json_int_t)row->depth));
        json_object_set_new(object, "stat", text_json(row->stat));
        json_object_set_new(object, "words", json_string(row->words));
        json_object_set_new(object, "charge", json_string(account_charge_names[row->charge]));
        json_object_set_new(object, "at", text_json(row->at));
        json_object_set_new(object, "rest", text_json(row->rest));
        json_array_append_new(list, object);
    }
    return list;
}

static void type_add(void *context, const struct plan_domain *domain, const struct plan_unit *unit)
{
    json_t *object = context, *row = json_object();
    const struct unit_type *type = unit->type;
    (void)domain;
    json_object_set_new(row, "leads_to_memory", json_boolean(explain_is_memory(type)));
    json_object_set_new(row, "resources", resources_record(type));
    json_object_set_new(row, "accounts", accounts_record(type));
    json_object_set_new(object, type->name, row);
}

static void lines_visit(const struct plan *plan,
                        void (*visit)(void *context, const struct plan_domain *domain,
                                      const struct plan_unit *unit),
                        void *context)
{
    for (u32 d = 0; d < plan->domain_count; d++)
        for (u32 u = 0; u < plan->domains[d].unit_count; u++)
            visit(context, &plan->domains[d], &plan->domains[d].units[u]);
}

json_t *explained_record(const struct plan *plan)
{
    json_t *object = json_object();
    lines_visit(plan, type_add, object);
    return object;
}

/* ---- Numbers ---- */

struct numbering {
    json_t *object;
    const struct plan_unit *unit;
};

static void number_add(void *context, const struct unit_type *type, u32 param)
{
    const struct numbering *numbering = context;
    double number = explain_number(&type->params[param], numbering->unit->values[param]);
    json_object_set_new(numbering->object, type->params[param].name, json_real(number));
}

static void line_number(void *context, const struct plan_domain *domain,
                        const struct plan_unit *unit)
{
    json_t *object = context;
    struct numbering numbering = { json_object(), unit };
    char *name = text_format("%s.%s", domain->name, unit->name);
    explain_params(unit->type, number_add, &numbering);
    json_object_set_new(object, name, numbering.object);
    free(name);
}

json_t *numbers_record(const struct plan *plan)
{
    json_t *object = json_object();
    lines_visit(plan, line_number, object);
    return object;
}

/* ---- Who is waited for ---- */

struct awaiting {
    const ogv_system *system;
    json_t *object;
};

static void target_add(json_t *object, const struct plan *plan, const char *stat,
                       const struct unit *target)
{
    struct plan_spot spot = plan_locate(plan, target->number);
    char *name = text_format("%s.%s", spot.domain->name, spot.unit->name);
    json_object_set_new(object, stat, json_string(name));
    free(name);
}

static void line_await(void *context, const struct plan_domain *domain,
                       const struct plan_unit *line)
{
    const struct awaiting *awaiting = context;
    const struct unit_type *type = line->type;
    const struct unit *unit = awaiting->system->chip->units[plan_number(domain, 0, line, 0)];
    json_t *object = json_object();
    for (const struct account_row *row = type->accounts; row && row->words; row++) {
        bool others = row->charge == ACCOUNT_ROOM || row->charge == ACCOUNT_ANSWER;
        const struct unit *target = others && type->awaits ? type->awaits(unit, row->stat) : NULL;
        if (target)
            target_add(object, awaiting->system->plan, row->stat, target);
    }
    char *name = text_format("%s.%s", domain->name, line->name);
    if (json_object_size(object))
        json_object_set_new(awaiting->object, name, object);
    else
        json_decref(object);
    free(name);
}

json_t *awaits_record(const ogv_system *system)
{
    struct awaiting awaiting = { system, json_object() };
    lines_visit(system->plan, line_await, &awaiting);
    return awaiting.object;
}
