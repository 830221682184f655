/* export.c - a plan written out: as an architecture file that says everything, and as a drawing. */
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/text.h"
#include "unit/quantity.h"

/* Text in double quotes, as YAML reads it back. */
static void export_quoted(struct text *out, const char *text)
{
    text_add(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            text_add(out, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            text_add(out, "%c", *c);
    }
    text_add(out, "\"");
}

static void export_clock(struct text *out, const char *indent, u64 clock_hz)
{
    text_add(out, "%sclock: ", indent);
    quantity_write(out, PARAM_HERTZ, clock_hz);
    text_add(out, "\n");
}

/* Those that were given; the others follow from parameters and technology. */
static void export_costs(struct text *out, const struct plan_unit *unit)
{
    for (u32 i = 0; i < costs_count(unit->type); i++) {
        char name[80];
        enum amount amount;
        if (!unit->costs[i].given || !cost_name(unit->type, i, name, sizeof name, &amount))
            continue;
        text_add(out, "        %s: ", name);
        amount_write(out, amount, unit->costs[i].value);
        text_add(out, "\n");
    }
}

static void export_technology(struct text *out, const struct technology *technology)
{
    text_add(out, "technology: { node: ");
    amount_write(out, AMOUNT_LENGTH, technology->node_nm);
    text_add(out, ", supply: ");
    amount_write(out, AMOUNT_VOLTAGE, technology->supply_v);
    text_add(out, " }\n");
}

static void export_unit(struct text *out, const struct plan_domain *domain,
                        const struct plan_unit *unit)
{
    text_add(out, "      %s:\n        type: %s\n        count: %u\n", unit->name, unit->type->name,
             unit->count);
    if (unit->clock_hz != domain->clock_hz)
        export_clock(out, "        ", unit->clock_hz);
    for (u32 i = 0; unit->type->params[i].name; i++) {
        const struct param_row *param = &unit->type->params[i];
        text_add(out, "        %s: ", param->name);
        if (param->type == PARAM_WORDS)
            export_quoted(out, unit->values[i].words);
        else if (param->type == PARAM_TABLE)
            text_add(out, "{ %s }", unit->values[i].words);
        else
            param_write(out, param, unit->values[i]);
        text_add(out, "\n");
    }
    export_costs(out, unit);
}

static void export_link(struct text *out, const char *indent, const struct plan_link *link)
{
    static const char *const maps[] = { "all", "each", "blocks", "ring" };
    text_add(out, "%s- %s: { latency: %u cycles, capacity: %u", indent, link->text, link->latency,
             link->capacity);
    if (link->by_address) {
        text_add(out, ", by: address, interleave: ");
        quantity_write(out, PARAM_BYTES, link->interleave);
    } else {
        text_add(out, ", map: %s", maps[link->map]);
    }
    if (link->name) {
        text_add(out, ", name: ");
        export_quoted(out, link->name);
    }
    text_add(out, " }\n");
}

/* The links of a domain, or those of the top level for NULL. */
static void export_links(struct text *out, const struct plan *plan,
                         const struct plan_domain *domain)
{
    bool any = false;
    const char *indent = domain ? "    " : "";
    for (u32 i = 0; i < plan->link_count; i++) {
        const struct plan_link *link = &plan->links[i];
        bool here =
            domain ? link->inside && &plan->domains[link->from.domain] == domain : !link->inside;
        if (!here)
            continue;
        if (!any)
            text_add(out, "%slinks:\n", indent);
        any = true;
        export_link(out, domain ? "      " : "  ", link);
    }
}

void plan_export(const struct plan *plan, struct text *out)
{
    text_add(out, "name: ");
    export_quoted(out, plan->name);
    text_add(out, "\nabout: ");
    export_quoted(out, plan->about);
    text_add(out, "\n");
    export_clock(out, "", plan->clock_hz);
    export_technology(out, &plan->technology);
    if (plan->unit_path_count)
        text_add(out, "unit_path:\n");
    for (u32 i = 0; i < plan->unit_path_count; i++) {
        text_add(out, "  - ");
        export_quoted(out, plan->unit_paths[i]);
        text_add(out, "\n");
    }
    text_add(out, "domains:\n");
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        text_add(out, "  %s:\n    count: %u\n", domain->name, domain->count);
        if (domain->clock_hz != plan->clock_hz)
            export_clock(out, "    ", domain->clock_hz);
        text_add(out, "    units:\n");
        for (u32 u = 0; u < domain->unit_count; u++)
            export_unit(out, domain, &domain->units[u]);
        export_links(out, plan, domain);
    }
    export_links(out, plan, NULL);
}

char *ogv_arch_export(const ogv_arch *arch, struct ogv_error *error)
{
    struct plan *plan = plan_create(arch, error);
    struct text text = { 0 };
    if (!plan)
        return NULL;
    plan_export(plan, &text);
    plan_destroy(plan);
    return text.chars;
}

/* ---- Drawing: one box per line of the file, one arrow per link as written ---- */

static void draw_quoted(struct text *out, const char *text)
{
    for (const char *c = text; *c; c++)
        text_add(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
}

static void draw_unit(struct text *out, const struct plan_domain *domain,
                      const struct plan_unit *unit)
{
    text_add(out, "    \"%s.%s\" [label=\"%s", domain->name, unit->name, unit->name);
    if (unit->count > 1)
        text_add(out, " x %u", unit->count);
    text_add(out, "\\n%s\", tooltip=\"", unit->type->name);
    for (u32 i = 0; unit->type->params[i].name; i++) {
        struct text value = { 0 };
        param_write(&value, &unit->type->params[i], unit->values[i]);
        text_add(out, "%s: ", unit->type->params[i].name);
        draw_quoted(out, text_get(&value));
        text_add(out, "\\n");
        text_fini(&value);
    }
    text_add(out, "\"];\n");
}

static void draw_link(struct text *out, const struct plan *plan, const struct plan_link *link)
{
    const struct plan_domain *from = &plan->domains[link->from.domain];
    const struct plan_domain *to = &plan->domains[link->to.domain];
    const struct plan_unit *a = &from->units[link->from.unit], *b = &to->units[link->to.unit];
    bool both_ways = a->type->ports[link->from.port].role == ASKS;
    text_add(out, "  \"%s.%s\" -> \"%s.%s\" [dir=%s, label=\"%u cycle%s", from->name, a->name,
             to->name, b->name, both_ways ? "both" : "forward", link->latency,
             link->latency == 1 ? "" : "s");
    if (link->by_address) {
        text_add(out, "\\nby address, ");
        quantity_write(out, PARAM_BYTES, link->interleave);
    }
    text_add(out, "\"];\n");
}

void plan_draw(const struct plan *plan, struct text *out)
{
    text_add(out, "digraph \"");
    draw_quoted(out, plan->name);
    text_add(out, "\" {\n  rankdir=LR; fontname=\"sans-serif\"; compound=true;\n"
                  "  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
                  "fontname=\"sans-serif\", fontsize=11];\n"
                  "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#556677\"];\n  label=\"");
    draw_quoted(out, plan->name);
    text_add(out, "\"; labelloc=t;\n");
    for (u32 i = 0; i < plan->domain_count; i++) {
        const struct plan_domain *domain = &plan->domains[i];
        text_add(out,
                 "  subgraph \"cluster_%s\" {\n    label=\"%s x %u\"; style=\"rounded,filled\"; "
                 "fillcolor=\"#eef3f8\"; color=\"#8899aa\";\n",
                 domain->name, domain->name, domain->count);
        for (u32 u = 0; u < domain->unit_count; u++)
            draw_unit(out, domain, &domain->units[u]);
        text_add(out, "  }\n");
    }
    for (u32 i = 0; i < plan->link_count; i++)
        draw_link(out, plan, &plan->links[i]);
    text_add(out, "}\n");
}
