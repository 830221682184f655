/* stats_rows.c - see stats_rows.h. */
#include "result/stats_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "result/summary.h"

#define NAME_MAX_BYTES 512

/* The length of the domain's own part of a path, with its number; 0 if it is another domain's. */
static size_t path_domain(const char *path, const char *domain)
{
    struct path_word inside, name;
    const char *end = path;
    name = path_name_cut(&end);
    if (name.length != strlen(domain) || strncmp(path, domain, name.length))
        return 0;
    path_index_cut(&end, &inside);
    return (size_t)(end - path);
}

/* The name of the row that a unit's statistic belongs to; the caller frees. */
static char *row_name(const struct asking *asking, const struct source_unit *unit, const char *stat)
{
    const struct stats_query *query = asking->query;
    char path[NAME_MAX_BYTES];
    if (query->combine == QUERY_EACH)
        return text_format("%s.%s", unit->path, stat);
    if (query->group && !strcmp(query->group, "type"))
        return text_format("%s.%s", unit->type->name, stat);
    size_t length = query->group ? path_domain(unit->path, query->group) : 0;
    path_plain(unit->path + length, "[*]", path, sizeof path);
    return text_format("%.*s%s.%s", (int)length, unit->path, path, stat);
}

static u8 row_kind(const struct asking *asking, enum source_combine combine)
{
    static const u8 natural[] = { KIND_SUM, KIND_MEAN, KIND_MAX, KIND_RATIO };
    if (combine == SOURCE_MAX || combine == SOURCE_RATIO)
        return natural[combine];
    if (asking->query->combine == QUERY_SUM)
        return KIND_SUM;
    return asking->query->combine == QUERY_MEAN ? KIND_MEAN : natural[combine];
}

/* A statistic of a unit that was asked for. */
struct choice {
    char *row;
    u32 unit, stat;
    u32 order;
    bool named;
};

static int choice_by_row(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    int rows = strcmp(x->row, y->row);
    return rows ? rows : (x->order > y->order) - (x->order < y->order);
}

struct choices {
    struct choice *items;
    u32 count, capacity;
};

static void choices_add(struct choices *choices, const struct choice *choice)
{
    if (choices->count == choices->capacity) {
        choices->capacity = 2 * choices->capacity + 64;
        choices->items = heap_grow(choices->items, choices->capacity, sizeof *choices->items);
    }
    choices->items[choices->count++] = *choice;
}

bool pattern_unknown(const struct asking *asking, const char *pattern)
{
    struct nearest nearest;
    char plain[NAME_MAX_BYTES], hint[NAME_MAX_BYTES + 64], wanted[NAME_MAX_BYTES];
    struct {
        char **items;
        u32 count;
    } names = { 0 };
    path_plain(pattern, "", wanted, sizeof wanted);
    nearest_init(&nearest, wanted);
    const char *figure;
    json_t *value;
    json_object_foreach(json_object_get(asking->source->object, "summary"), figure, value)
        nearest_offer(&nearest, figure);
    for (u32 u = 0; u < asking->source->unit_count; u++) {
        const struct source_unit *unit = &asking->source->units[u];
        path_plain(unit->path, "", plain, sizeof plain);
        for (u32 s = 0; s < unit->type->stat_count; s++) {
            names.items = heap_append(names.items, names.count, sizeof *names.items);
            names.items[names.count] = text_format("%s.%s", plain, unit->type->stats[s].name);
            nearest_offer(&nearest, names.items[names.count++]);
        }
        while (u + 1 < asking->source->unit_count &&
               asking->source->units[u + 1].type == unit->type)
            u++; /* the same names again, as good as always */
    }
    error_user(asking->error,
               "%s: there is no such statistic in %s; names are figures of the summary, as "
               "'cycles', or DOMAIN.UNIT.STATISTIC, as in 'sm[*].l1.hits' or 'sm[0..3].l1.*'%s",
               pattern, asking->query->folder, nearest_hint(&nearest, hint, sizeof hint));
    for (u32 i = 0; i < names.count; i++)
        free(names.items[i]);
    free(names.items);
    return false;
}

/* Which patterns fit a name; marks them as used. */
static bool patterns_fit(const struct stats_query *query, const char *name, bool *used, bool *named)
{
    bool fits = !query->pattern_count;
    *named = false;
    for (u32 p = 0; p < query->pattern_count; p++) {
        if (!stat_name_fits(query->patterns[p], name))
            continue;
        used[p] = fits = true;
        *named = *named || stat_name_is_exact(query->patterns[p]);
    }
    return fits;
}

static bool choose(struct asking *asking, struct choices *choices)
{
    const struct stats_query *query = asking->query;
    u32 patterns = query->pattern_count;
    bool *used = heap_array((size_t)patterns + 1, sizeof *used);
    char name[NAME_MAX_BYTES];
    for (u32 u = 0; u < asking->source->unit_count; u++) {
        const struct source_unit *unit = &asking->source->units[u];
        for (u32 s = 0; s < unit->type->stat_count; s++) {
            bool named;
            snprintf(name, sizeof name, "%s.%s", unit->path, unit->type->stats[s].name);
            if (!patterns_fit(query, name, used, &named))
                continue;
            char *row = row_name(asking, unit, unit->type->stats[s].name);
            choices_add(choices, &(struct choice){ row, u, s, choices->count, named });
        }
    }
    bool good = true;
    for (u32 p = 0; p < patterns && good; p++)
        good = used[p] || figure_is_meant(query->patterns[p]) ||
               pattern_unknown(asking, query->patterns[p]);
    free(used);
    return good;
}

static void share_add(struct asking *asking, u32 unit, u32 stat, u32 row, bool below)
{
    asking->shares[asking->share_count++] = (struct share){ unit, stat, row, below };
}

static int share_order(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->stat != y->stat)
        return x->stat < y->stat ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

struct row_place {
    u32 row, order;
};

static int row_place_order(const void *a, const void *b)
{
    const struct row_place *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Rows in the order in which their first statistics stand in the file. */
static u32 *rows_order(const struct choices *choices, u32 rows)
{
    struct row_place *places = heap_array((size_t)rows + 1, sizeof *places);
    u32 *order = heap_array((size_t)rows + 1, sizeof *order), row = 0;
    for (u32 i = 0; i < choices->count; i++)
        if (!i || strcmp(choices->items[i].row, choices->items[i - 1].row)) {
            places[row] = (struct row_place){ row, choices->items[i].order };
            row++;
        }
    qsort(places, rows, sizeof *places, row_place_order);
    for (u32 i = 0; i < rows; i++)
        order[places[i].row] = i;
    free(places);
    return order;
}

static void rows_build(struct asking *asking, struct choices *choices)
{
    struct query_answer *answer = asking->answer;
    u32 rows = 0;
    if (choices->count)
        qsort(choices->items, choices->count, sizeof *choices->items, choice_by_row);
    for (u32 i = 0; i < choices->count; i++)
        rows += !i || strcmp(choices->items[i].row, choices->items[i - 1].row);
    answer->rows = heap_array((size_t)rows + 1, sizeof *answer->rows);
    answer->row_count = rows;
    asking->shares = heap_array(2 * (size_t)choices->count + 1, sizeof *asking->shares);
    u32 *order = rows_order(choices, rows), row = UINT32_MAX;
    for (u32 i = 0; i < choices->count; i++) {
        const struct choice *choice = &choices->items[i];
        const struct source_stat *stat =
            &asking->source->units[choice->unit].type->stats[choice->stat];
        row += !i || strcmp(choice->row, choices->items[i - 1].row);
        struct query_row *into = &answer->rows[order[row]];
        if (!into->name)
            *into = (struct query_row){ .name = heap_copy(choice->row),
                                        .measure = stat->measure,
                                        .help = stat->help,
                                        .kind = row_kind(asking, stat->combine) };
        into->units++;
        into->named = into->named || choice->named;
        bool ratio = stat->combine == SOURCE_RATIO;
        share_add(asking, choice->unit, ratio ? stat->above : choice->stat, order[row], false);
        if (ratio)
            share_add(asking, choice->unit, stat->below, order[row], true);
    }
    free(order);
    if (asking->share_count)
        qsort(asking->shares, asking->share_count, sizeof *asking->shares, share_order);
}

bool rows_choose(struct asking *asking)
{
    struct choices choices = { 0 };
    bool good = choose(asking, &choices);
    if (good)
        rows_build(asking, &choices);
    for (u32 i = 0; i < choices.count; i++)
        free(choices.items[i].row);
    free(choices.items);
    return good;
}

const struct share *shares_find(const struct asking *asking, u32 unit, u32 stat, u32 *count)
{
    struct share key = { unit, stat, 0, false };
    size_t low = 0, high = asking->share_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (share_order(&asking->shares[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < asking->share_count && asking->shares[low + *count].unit == unit &&
           asking->shares[low + *count].stat == stat)
        ++*count;
    return &asking->shares[low];
}

/* ---- Groups ---- */

static bool group_unknown(const struct asking *asking, const char *group)
{
    struct nearest nearest;
    char hint[NAME_MAX_BYTES + 64];
    u32 count = asking->source->unit_count;
    char **domains = heap_array((size_t)count + 1, sizeof *domains);
    nearest_init(&nearest, group);
    for (u32 u = 0; u < count; u++) {
        const char *path = asking->source->units[u].path;
        struct path_word domain = path_name_cut(&path);
        domains[u] = text_format("%.*s", (int)domain.length, domain.chars);
        nearest_offer(&nearest, domains[u]);
    }
    error_user(asking->error,
               "--group %s: is neither a domain (one result for each of its copies) nor 'type'%s",
               group, nearest_hint(&nearest, hint, sizeof hint));
    for (u32 u = 0; u < count; u++)
        free(domains[u]);
    free(domains);
    return false;
}

bool group_check(const struct asking *asking)
{
    const char *group = asking->query->group;
    if (!group || !strcmp(group, "type"))
        return true;
    for (u32 u = 0; u < asking->source->unit_count; u++)
        if (path_domain(asking->source->units[u].path, group))
            return true;
    return group_unknown(asking, group);
}
