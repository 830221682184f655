/* link.c - one entry of a `links:` list: two ends by pattern, and how the copies at both ends pair
 * up.
 *
 *     core -> l1                                      every core of a domain to its l1
 *     rt[*2] -> l1                                    two links where one is meant
 *     sm.l1 -> partition.l2: { by: address, interleave: 4 KiB, latency: 40 cycles }
 *     node[0..3].out -> node[4].in: { latency: 8 cycles, map: all }
 *
 * An end is DOMAIN.UNIT or DOMAIN.UNIT.PORT at the top level, UNIT or UNIT.PORT within a domain.
 * The port may be left out where only one fits. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "unit/quantity.h"

#define LATENCY_INSIDE  1
#define CAPACITY_INSIDE 4
#define PARALLEL_MAX    64

/* What is being read, for messages. */
struct reader {
    struct plan *plan;
    const struct plan_domain *domain; /* NULL at the top level */
    struct plan_link *link;
    struct ogv_error *error;
};

/* "name[..][..]" cut off the front of a path. */
struct part {
    char name[72];
    bool indexed; /* something stood in brackets */
    bool chosen;  /* a range was given */
    u32 first, last;
    u32 parallel; /* 0: not given */
};

static bool index_read_range(struct path_word word, struct part *part)
{
    struct path_copies copies;
    if (part->chosen || !path_word_copies(word, &copies) || copies.last > UINT32_MAX)
        return false;
    part->chosen = true;
    part->first = (u32)copies.first;
    part->last = (u32)copies.last;
    return true;
}

static bool index_read_parallel(struct path_word word, struct part *part)
{
    u64 parallel;
    if (part->parallel || !path_word_number(word, &parallel) || parallel < 1 ||
        parallel > PARALLEL_MAX)
        return false;
    part->parallel = (u32)parallel;
    return true;
}

static bool part_read_index(struct reader *reader, struct path_word word, struct part *part)
{
    struct path_word behind_star = { word.chars + 1, word.length - 1 };
    part->indexed = true;
    if (path_word_is_all(word) || (*word.chars == '*' ? index_read_parallel(behind_star, part)
                                                      : index_read_range(word, part)))
        return true;
    return place_error(reader->error, reader->link->place,
                       "'[%.*s]' in '%s' is none of [*] (all), [3], [0..7], [*2] (two links each, "
                       "at most %d)",
                       (int)word.length, word.chars, reader->link->text, PARALLEL_MAX);
}

static bool part_malformed(struct reader *reader)
{
    return place_error(reader->error, reader->link->place,
                       "'%s' is not a link; write `a -> b` with ends like %s", reader->link->text,
                       reader->domain ? "core, core[0..3] or core.port"
                                      : "sm.l1, sm[0].core[*] or sm.l1.port");
}

/* Reads one part and moves `path` behind it and its dot; an empty name when the path is at its end.
 */
static bool part_read(struct reader *reader, const char **path, struct part *part)
{
    *part = (struct part){ 0 };
    struct path_word name = path_name_cut(path), inside;
    if (!path_word_copy(name, part->name, sizeof part->name) || (*name.chars && !name.length))
        return part_malformed(reader);
    while (path_index_cut(path, &inside))
        if (!part_read_index(reader, inside, part))
            return false;
    if (**path == '.' && (*path)[1])
        ++*path;
    else if (**path)
        return part_malformed(reader);
    return true;
}

static bool name_unknown(struct reader *reader, const char *what, const char *name,
                         const struct nearest *nearest)
{
    char hint[300];
    return place_error(reader->error, reader->link->place, "'%s': there is no %s '%s'%s",
                       reader->link->text, what, name, nearest_hint(nearest, hint, sizeof hint));
}

static bool end_choose(struct reader *reader, const struct part *part, const char *what, u32 count,
                       u32 *first, u32 *chosen)
{
    *first = part->chosen ? part->first : 0;
    *chosen = part->chosen ? part->last - part->first + 1 : count;
    if (!part->chosen || part->last < count)
        return true;
    if (count == 1)
        return place_error(reader->error, reader->link->place,
                           "'%s': there is no %s '%s[%u]', there is only one '%s'",
                           reader->link->text, what, part->name, part->last, part->name);
    return place_error(reader->error, reader->link->place,
                       "'%s': there is no %s '%s[%u]', they are numbered 0 to %u",
                       reader->link->text, what, part->name, part->last, count - 1);
}

static bool end_find_domain(struct reader *reader, const struct part *part, struct plan_end *end)
{
    struct nearest nearest;
    if (part->parallel)
        return place_error(reader->error, reader->link->place,
                           "'%s': [*%u] (as many links each) goes behind a unit, not behind '%s'",
                           reader->link->text, part->parallel, part->name);
    nearest_init(&nearest, part->name);
    for (u32 i = 0; i < reader->plan->domain_count; i++) {
        const struct plan_domain *domain = &reader->plan->domains[i];
        nearest_offer(&nearest, domain->name);
        if (!strcmp(domain->name, part->name)) {
            end->domain = i;
            return end_choose(reader, part, "domain", domain->count, &end->domain_first,
                              &end->domain_count);
        }
    }
    return name_unknown(reader, "domain", part->name, &nearest);
}

static bool end_find_unit(struct reader *reader, const struct part *part, struct plan_end *end)
{
    const struct plan_domain *domain = &reader->plan->domains[end->domain];
    struct nearest nearest;
    nearest_init(&nearest, part->name);
    for (u32 i = 0; i < domain->unit_count; i++) {
        nearest_offer(&nearest, domain->units[i].name);
        if (!strcmp(domain->units[i].name, part->name)) {
            end->unit = i;
            end->parallel = part->parallel ? part->parallel : 1;
            return end_choose(reader, part, "unit", domain->units[i].count, &end->unit_first,
                              &end->unit_count);
        }
    }
    char what[100];
    snprintf(what, sizeof what, "unit in domain '%s' called", domain->name);
    return name_unknown(reader, what, part->name, &nearest);
}

#define PORT_UNSAID UINT32_MAX

static bool end_find_port(struct reader *reader, const struct part *part, struct plan_end *end)
{
    const struct unit_type *type = reader->plan->domains[end->domain].units[end->unit].type;
    struct nearest nearest;
    end->port = PORT_UNSAID;
    if (part->indexed)
        return place_error(reader->error, reader->link->place,
                           "'%s': the port '%s' takes no [...]; domains and units do",
                           reader->link->text, part->name);
    if (!*part->name)
        return true;
    nearest_init(&nearest, part->name);
    for (u32 i = 0; type->ports[i].name; i++) {
        nearest_offer(&nearest, type->ports[i].name);
        if (!strcmp(type->ports[i].name, part->name)) {
            end->port = i;
            return true;
        }
    }
    char what[100];
    snprintf(what, sizeof what, "port of a %s called", type->name);
    return name_unknown(reader, what, part->name, &nearest);
}

static bool end_read(struct reader *reader, const char *path, struct plan_end *end)
{
    struct part part;
    if (reader->domain) {
        end->domain = (u32)(reader->domain - reader->plan->domains);
        end->domain_count = reader->domain->count;
    } else if (!part_read(reader, &path, &part) || !end_find_domain(reader, &part, end)) {
        return false;
    }
    if (!part_read(reader, &path, &part))
        return false;
    if (!*part.name)
        return part_malformed(reader);
    if (!end_find_unit(reader, &part, end) || !part_read(reader, &path, &part))
        return false;
    if (*path)
        return part_malformed(reader);
    return end_find_port(reader, &part, end);
}

static const struct unit_type *end_type(const struct plan *plan, const struct plan_end *end)
{
    return plan->domains[end->domain].units[end->unit].type;
}

static bool roles_fit(enum port_role from, enum port_role to)
{
    return (from == SENDS && to == RECEIVES) || (from == ASKS && to == SERVES);
}

/* A port that may stay empty, and that nobody has named. */
static bool port_is_spare(const struct plan_end *end, const struct port_row *row)
{
    return end->port == PORT_UNSAID && row->many == MAYBE;
}

/* How many pairs of ports fit, of those that are named or left open; which was the last. Ports that
 * may stay empty count only where no others fit. */
static u32 ports_fitting(const struct plan *plan, const struct plan_end *a,
                         const struct plan_end *b, u32 *a_port, u32 *b_port)
{
    const struct port_row *from = end_type(plan, a)->ports, *to = end_type(plan, b)->ports;
    u32 fitting = 0;
    bool spare = true;
    for (u32 i = 0; from[i].name; i++) {
        for (u32 k = 0; to[k].name; k++) {
            bool said = (a->port == PORT_UNSAID || a->port == i) &&
                        (b->port == PORT_UNSAID || b->port == k);
            if (!said || !roles_fit(from[i].role, to[k].role))
                continue;
            bool both = !port_is_spare(a, &from[i]) && !port_is_spare(b, &to[k]);
            if (!both && !spare)
                continue;
            fitting = both && spare ? 1 : fitting + 1;
            spare = !both;
            *a_port = i;
            *b_port = k;
        }
    }
    return fitting;
}

static bool ports_unfit(struct reader *reader)
{
    const struct plan_link *link = reader->link;
    const char *from = end_type(reader->plan, &link->from)->name;
    const char *to = end_type(reader->plan, &link->to)->name;
    bool named = link->from.port != PORT_UNSAID || link->to.port != PORT_UNSAID;
    u32 i, k;
    if (ports_fitting(reader->plan, &link->to, &link->from, &i, &k))
        return place_error(reader->error, link->place,
                           "'%s': no way from a %s to a %s; the other way round there is",
                           link->text, from, to);
    return place_error(reader->error, link->place,
                       "'%s': no way from a %s to a %s%s; `ogive units %s` shows its ports",
                       link->text, from, to, named ? " through these ports" : "", from);
}

/* Fills in ports that were not named, if exactly one pair of ports fits. */
static bool link_choose_ports(struct reader *reader)
{
    struct plan_link *link = reader->link;
    u32 from_port = 0, to_port = 0;
    u32 fitting = ports_fitting(reader->plan, &link->from, &link->to, &from_port, &to_port);
    if (fitting == 0)
        return ports_unfit(reader);
    if (fitting > 1)
        return place_error(reader->error, link->place,
                           "'%s': %u pairs of ports fit; name them, as in unit.port", link->text,
                           fitting);
    link->from.port = from_port;
    link->to.port = to_port;
    return true;
}

static bool option_quantity(struct reader *reader, const struct node *node, enum param_type type,
                            u64 smallest, u64 largest, u64 *value)
{
    struct param_row param = { .type = type,
                               .smallest.integer = smallest,
                               .largest.integer = largest };
    char why[QUANTITY_WHY_BYTES];
    union param_value read;
    if (!param_read(&param, node->text, &read, why))
        return place_error(reader->error, node->place, "%s: %s", node->key, why);
    *value = read.integer;
    return true;
}

static bool option_choice(struct reader *reader, const struct node *node, const char *choices,
                          u64 *value)
{
    struct param_row param = { .type = PARAM_CHOICE, .choices = choices };
    char why[QUANTITY_WHY_BYTES];
    union param_value read;
    if (!param_read(&param, node->text, &read, why))
        return place_error(reader->error, node->place, "%s: %s", node->key, why);
    *value = read.integer;
    return true;
}

static bool name_taken(struct reader *reader, const struct node *node, const char *by)
{
    return place_error(reader->error, node->place, "name: '%s' is the name of %s already",
                       node->text, by);
}

/* A named link is set like a unit, so it may not have the name of something else that is. */
static bool option_name(struct reader *reader, const struct node *node)
{
    const struct plan *plan = reader->plan;
    const struct plan_domain *domain = reader->domain;
    if (!name_check(node->text, node->place, "link", reader->error))
        return false;
    for (u32 i = 0; !domain && i < plan->domain_count; i++)
        if (!strcmp(plan->domains[i].name, node->text))
            return name_taken(reader, node, "a domain");
    for (u32 i = 0; domain && i < domain->unit_count; i++)
        if (!strcmp(domain->units[i].name, node->text))
            return name_taken(reader, node, "a unit");
    for (u32 i = 0; i < plan->link_count; i++) {
        const struct plan_link *other = &plan->links[i];
        bool here =
            domain ? other->inside && &plan->domains[other->from.domain] == domain : !other->inside;
        if (here && other->name && !strcmp(other->name, node->text))
            return name_taken(reader, node, "another link");
    }
    reader->link->name = region_copy(&reader->plan->region, node->text, strlen(node->text));
    return true;
}

struct options {
    u64 latency, capacity, interleave, map, by;
    bool has_latency, has_capacity, has_interleave, has_map, has_by;
};

static bool option_read(struct reader *reader, const struct node *node, struct options *options)
{
    static const char *const known[] = { "latency",    "capacity", "map", "by",
                                         "interleave", "name",     NULL };
    if (node->kind != NODE_TEXT)
        return place_error(reader->error, node->place, "'%s' must be a value", node->key);
    if (!strcmp(node->key, "latency")) {
        options->has_latency = true;
        return option_quantity(reader, node, PARAM_CYCLES, 1, LINK_LATENCY_MAX, &options->latency);
    }
    if (!strcmp(node->key, "capacity")) {
        options->has_capacity = true;
        return option_quantity(reader, node, PARAM_NUMBER, 1, LINK_CAPACITY_MAX,
                               &options->capacity);
    }
    if (!strcmp(node->key, "interleave")) {
        options->has_interleave = true;
        return option_quantity(reader, node, PARAM_BYTES, 1, 1 * GiB, &options->interleave);
    }
    if (!strcmp(node->key, "map")) {
        options->has_map = true;
        return option_choice(reader, node, "all|each|blocks|ring", &options->map);
    }
    if (!strcmp(node->key, "by")) {
        options->has_by = true;
        return option_choice(reader, node, "address", &options->by);
    }
    if (!strcmp(node->key, "name"))
        return option_name(reader, node);
    return key_unknown(node, "a link", known, reader->error);
}

static u32 end_size(const struct plan_link *link, const struct plan_end *end)
{
    return end->unit_count * (link->inside ? 1 : end->domain_count);
}

static bool link_decide_map(struct reader *reader, const struct options *options)
{
    struct plan_link *link = reader->link;
    u32 from = end_size(link, &link->from), to = end_size(link, &link->to);
    link->by_address = options->has_by;
    link->map = (enum link_map)options->map;
    link->interleave = options->interleave;
    if (options->has_by != options->has_interleave)
        return place_error(
            reader->error, link->place,
            "'%s': `by: address` and `interleave:` go together, as in { by: address, "
            "interleave: 4 KiB }",
            link->text);
    if (options->has_by && options->has_map && link->map != MAP_ALL)
        return place_error(reader->error, link->place,
                           "'%s': `by: address` joins all to all; leave `map:` out", link->text);
    if (options->has_by && link->from.parallel * link->to.parallel > 1)
        return place_error(reader->error, link->place,
                           "'%s': `by: address` needs one link to each; leave [*...] out",
                           link->text);
    if (!options->has_map && !options->has_by && from > 1 && to > 1)
        return place_error(reader->error, link->place,
                           "'%s' joins %u units to %u: say how with %s`map: blocks`, `map: all` or "
                           "`by: address`",
                           link->text, from, to,
                           from == to ? "`map: each` (first to first, ...), " : "");
    bool same_number = link->map == MAP_EACH || link->map == MAP_RING;
    if (options->has_map && same_number && from != to)
        return place_error(reader->error, link->place,
                           "'%s': this map needs as many units on both sides, here are %u and %u",
                           link->text, from, to);
    return true;
}

static bool link_decide_timing(struct reader *reader, const struct options *options)
{
    struct plan_link *link = reader->link;
    if (!link->inside && !options->has_latency)
        return place_error(
            reader->error, link->place,
            "'%s' joins domains and needs a `latency:`, as in { latency: 40 cycles }", link->text);
    link->latency = options->has_latency ? (u32)options->latency : LATENCY_INSIDE;
    /* Between domains a slot comes back after 2 x latency cycles: that many keep the wire full. */
    u32 capacity = link->inside ? CAPACITY_INSIDE : 2 * link->latency;
    link->capacity = options->has_capacity ? (u32)options->capacity : capacity;
    return true;
}

static bool link_read_options(struct reader *reader, const struct node *map)
{
    struct options options = { 0 };
    if (map && map->kind != NODE_MAP)
        return place_error(reader->error, map->place,
                           "'%s': its options must be a map, as in { latency: 40 cycles }",
                           reader->link->text);
    for (u32 i = 0; map && i < map->count; i++)
        if (!option_read(reader, map->items[i], &options))
            return false;
    return link_decide_map(reader, &options) && link_decide_timing(reader, &options);
}

static char *end_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    return text;
}

static bool link_read_ends(struct reader *reader)
{
    struct plan_link *link = reader->link;
    char *text = region_copy(&reader->plan->region, link->text, strlen(link->text));
    char *arrow = strstr(text, "->");
    if (!arrow || strstr(arrow + 2, "->"))
        return part_malformed(reader);
    *arrow = 0;
    char *from = end_trim(text), *to = end_trim(arrow + 2);
    if (!*from || !*to)
        return part_malformed(reader);
    if (!end_read(reader, from, &link->from) || !end_read(reader, to, &link->to))
        return false;
    link->text = region_format(&reader->plan->region, "%s -> %s", from, to);
    return link_choose_ports(reader);
}

bool plan_read_link(struct plan *plan, const struct plan_domain *domain, const struct node *node,
                    struct ogv_error *error)
{
    bool has_options = node->kind == NODE_MAP && node->count == 1;
    if (node->kind != NODE_TEXT && !has_options)
        return place_error(error, node->place, "a link is written `a -> b` or `a -> b: { ... }`");
    const char *text = has_options ? node->items[0]->key : node->text;
    plan->links = region_grow(&plan->region, plan->links, plan->link_count, sizeof *plan->links);
    struct plan_link *link = &plan->links[plan->link_count];
    *link = (struct plan_link){ .text = region_copy(&plan->region, text, strlen(text)),
                                .place = node->place,
                                .inside = domain != NULL };
    link->place.file = region_copy(&plan->region, node->place.file, strlen(node->place.file));
    struct reader reader = { plan, domain, link, error };
    if (!link_read_ends(&reader) ||
        !link_read_options(&reader, has_options ? node->items[0] : NULL))
        return false;
    plan->link_count++;
    return true;
}
