/* cost.c - energies, leakage and area in architecture files, and the technology.
 *
 * They are parameters of units like others, but never part of the simulated state: what is given
 * stays in the plan, and energy.c works out the rest. */
#include <stdio.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"

u32 energies_count(const struct unit_type *type)
{
    u32 count = 0;
    while (type->energy && type->energy[count].name)
        count++;
    return count;
}

u32 costs_count(const struct unit_type *type)
{
    return energies_count(type) + 2;
}

bool cost_name(const struct unit_type *type, u32 index, char *buffer, size_t size,
               enum amount *amount)
{
    u32 energies = energies_count(type);
    if (index >= energies) {
        *amount = index == energies ? AMOUNT_POWER : AMOUNT_AREA;
        snprintf(buffer, size, "%s", index == energies ? "leakage" : "area");
        return true;
    }
    *amount = AMOUNT_ENERGY;
    snprintf(buffer, size, "energy_%s", type->energy[index].name);
    return type->energy[index].picojoules != COST_COUNTED;
}

static bool amount_of(const struct node *node, enum amount amount, double *value,
                      struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    if (amount_read(node->text, amount, value, why))
        return true;
    return place_error(error, node->place, "%s: %s", node->key, why);
}

bool plan_read_cost(struct plan_unit *unit, const struct node *node, bool *found,
                    struct ogv_error *error)
{
    char name[80];
    enum amount amount;
    *found = false;
    for (u32 i = 0; i < costs_count(unit->type) && !*found; i++) {
        if (!cost_name(unit->type, i, name, sizeof name, &amount) || strcmp(name, node->key))
            continue;
        *found = true;
        unit->costs[i].given = true;
        return amount_of(node, amount, &unit->costs[i].value, error);
    }
    return false;
}

void costs_offer(const struct unit_type *type, struct nearest *nearest, struct region *region)
{
    char name[80];
    enum amount amount;
    for (u32 i = 0; i < costs_count(type); i++)
        if (cost_name(type, i, name, sizeof name, &amount))
            nearest_offer(nearest, region_copy(region, name, strlen(name)));
}

/* ---- Technology ---- */

static bool technology_item(struct technology *technology, const struct node *node,
                            struct ogv_error *error)
{
    bool is_node = !strcmp(node->key, "node");
    double *value = is_node ? &technology->node_nm : &technology->supply_v;
    double low = is_node ? TECHNOLOGY_SMALLEST_NM : TECHNOLOGY_SUPPLY_MIN;
    double high = is_node ? TECHNOLOGY_LARGEST_NM : TECHNOLOGY_SUPPLY_MAX;
    if (!amount_of(node, is_node ? AMOUNT_LENGTH : AMOUNT_VOLTAGE, value, error))
        return false;
    if (*value >= low && *value <= high)
        return true;
    return place_error(error, node->place, "%s: '%s' is out of range, it must be %g to %g %s",
                       node->key, node->text, low, high, is_node ? "nm" : "V");
}

bool plan_read_technology(struct plan *plan, const struct node *root, struct ogv_error *error)
{
    static const char *const known[] = { "node", "supply", NULL };
    const struct node *map = node_get(root, "technology");
    struct technology *technology = &plan->technology;
    *technology = (struct technology){ .node_nm = TECHNOLOGY_NODE_NM };
    if (map && !node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; map && i < map->count; i++) {
        const struct node *item = map->items[i];
        if (strcmp(item->key, known[0]) && strcmp(item->key, known[1]))
            return key_unknown(item, "`technology`", known, error);
        if (!technology_item(technology, item, error))
            return false;
    }
    if (technology->supply_v <= 0)
        technology->supply_v = technology_supply(technology->node_nm);
    return true;
}
