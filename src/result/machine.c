/* machine.c - turns a plan into JSON: domains, units with their parameters, links. */
#include "result/machine.h"

#include <stdlib.h>

#include "result/difference.h"
#include "unit/quantity.h"

/* Takes the text. */
static void words_put(json_t *object, const char *key, struct text *words)
{
    json_t *string = json_string(text_get(words));
    json_object_set_new(object, key, string ? string : json_string("(not valid UTF-8)"));
    text_fini(words);
}

static void quantity_put(json_t *object, const char *key, enum param_type type, u64 value)
{
    struct text words = { 0 };
    quantity_write(&words, type, value);
    words_put(object, key, &words);
}

static void amount_put(json_t *object, const char *key, enum amount amount, double value)
{
    struct text words = { 0 };
    amount_write(&words, amount, value);
    words_put(object, key, &words);
}

static void param_put(json_t *object, const struct param_row *param, union param_value value)
{
    struct text words = { 0 };
    if (param->type == PARAM_TABLE) {
        json_t *table = table_split(value.words);
        json_object_set_new(object, param->name, table ? table : json_object());
        return;
    }
    param_write(&words, param, value);
    words_put(object, param->name, &words);
}

static void costs_put(json_t *object, const struct plan_unit *unit)
{
    for (u32 i = 0; i < costs_count(unit->type); i++) {
        char name[80];
        enum amount amount;
        if (unit->costs[i].given && cost_name(unit->type, i, name, sizeof name, &amount))
            amount_put(object, name, amount, unit->costs[i].value);
    }
}

static json_t *unit_describe(const struct plan_domain *domain, const struct plan_unit *unit)
{
    json_t *object = json_object();
    json_object_set_new(object, "type", json_string(unit->type->name));
    json_object_set_new(object, "count", json_integer(unit->count));
    if (unit->clock_hz != domain->clock_hz)
        quantity_put(object, "clock", PARAM_HERTZ, unit->clock_hz);
    for (u32 i = 0; unit->type->params[i].name; i++)
        param_put(object, &unit->type->params[i], unit->values[i]);
    costs_put(object, unit);
    return object;
}

static json_t *domain_describe(const struct plan *plan, const struct plan_domain *domain)
{
    json_t *object = json_object(), *units = json_object();
    json_object_set_new(object, "count", json_integer(domain->count));
    if (domain->clock_hz != plan->clock_hz)
        quantity_put(object, "clock", PARAM_HERTZ, domain->clock_hz);
    for (u32 u = 0; u < domain->unit_count; u++)
        json_object_set_new(units, domain->units[u].name, unit_describe(domain, &domain->units[u]));
    json_object_set_new(object, "units", units);
    return object;
}

static json_t *link_describe(const struct plan_link *link)
{
    static const char *const maps[] = { "all", "each", "blocks", "ring" };
    json_t *object = json_object();
    quantity_put(object, "latency", PARAM_CYCLES, link->latency);
    json_object_set_new(object, "capacity", json_integer(link->capacity));
    json_object_set_new(object, "by", json_string(link->by_address ? "address" : maps[link->map]));
    if (link->by_address)
        quantity_put(object, "interleave", PARAM_BYTES, link->interleave);
    return object;
}

/* The first of that text that is not there yet: a line may stand in a file twice. */
static char *link_key(const json_t *links, const struct plan *plan, const struct plan_link *link)
{
    const char *domain = link->inside ? plan->domains[link->from.domain].name : NULL;
    char *plain = domain ? text_format("%s: %s", domain, link->text) : heap_copy(link->text);
    char *key = heap_copy(plain);
    for (u32 n = 2; json_object_get(links, key); n++) {
        free(key);
        key = text_format("%s (%u)", plain, n);
    }
    free(plain);
    return key;
}

static json_t *links_describe(const struct plan *plan)
{
    json_t *links = json_object();
    for (u32 i = 0; i < plan->link_count; i++) {
        char *key = link_key(links, plan, &plan->links[i]);
        json_object_set_new(links, key, link_describe(&plan->links[i]));
        free(key);
    }
    return links;
}

json_t *machine_describe(const struct plan *plan)
{
    json_t *object = json_object(), *technology = json_object(), *domains = json_object();
    quantity_put(object, "clock", PARAM_HERTZ, plan->clock_hz);
    amount_put(technology, "node", AMOUNT_LENGTH, plan->technology.node_nm);
    amount_put(technology, "supply", AMOUNT_VOLTAGE, plan->technology.supply_v);
    json_object_set_new(object, "technology", technology);
    for (u32 d = 0; d < plan->domain_count; d++)
        json_object_set_new(domains, plan->domains[d].name,
                            domain_describe(plan, &plan->domains[d]));
    json_object_set_new(object, "domains", domains);
    json_object_set_new(object, "links", links_describe(plan));
    return object;
}
