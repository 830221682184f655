/* explain.c - see explain.h. A statistic that is given another name breaks the rows that it stood
 * in, and never becomes a 0. */
#include "unit/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define ACCOUNT_DEPTH_MAX 8
#define NAME_BYTES        64

const char *const resource_kind_names[RESOURCE_KINDS] = { "work", "room", "delay", "links" };
const char *const account_charge_names[ACCOUNT_CHARGES] = { "parts",  "work", "over",  "own",
                                                            "memory", "room", "answer" };

#define FIGURE_WORD(name, nothing) #name,
const char *const run_figure_names[] = { RUN_FIGURES(FIGURE_WORD) };
#undef FIGURE_WORD

u32 run_figure_count(void)
{
    return sizeof run_figure_names / sizeof *run_figure_names;
}

bool explain_is_memory(const struct unit_type *type)
{
    return type->toward || type->stored;
}

/* ---- Names ---- */

static bool stat_known(const struct unit_type *type, const char *name)
{
    const struct stat_row *stat = type->stats;
    while (stat->name && strcmp(stat->name, name))
        stat++;
    return stat->name;
}

static bool param_counts(const struct param_row *param)
{
    return param->type != PARAM_CHOICE && param->type != PARAM_WORDS && param->type != PARAM_TABLE;
}

bool explain_param(const struct unit_type *type, const char *name, u32 *number)
{
    for (u32 i = 0; type->params[i].name; i++) {
        if (strcmp(type->params[i].name, name) || !param_counts(&type->params[i]))
            continue;
        *number = i;
        return true;
    }
    return false;
}

double explain_number(const struct param_row *param, union param_value value)
{
    return param->type == PARAM_REAL ? value.real : (double)value.integer;
}

/* What is checked at the moment: the words begin a message about it. */
struct checking {
    const struct unit_type *type;
    const char *what, *name; /* "resource", "bandwidth" */
    struct ogv_error *error;
};

static bool check_fail(const struct checking *checking, const char *why)
{
    return error_user(checking->error, "unit type '%s': %s '%s': %s", checking->type->name,
                      checking->what, checking->name, why);
}

static bool name_unknown(const struct checking *checking, const char *name, bool params)
{
    const struct unit_type *type = checking->type;
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (const struct stat_row *stat = type->stats; stat->name; stat++)
        nearest_offer(&nearest, stat->name);
    for (const struct param_row *param = type->params; params && param->name; param++)
        if (param_counts(param))
            nearest_offer(&nearest, param->name);
    return error_user(checking->error, "unit type '%s': %s '%s' names '%s', which is %s%s",
                      type->name, checking->what, checking->name, name,
                      params ? "neither a statistic nor a parameter that is a number"
                             : "no statistic",
                      nearest_hint(&nearest, hint, sizeof hint));
}

/* ---- Formulas ---- */

/* Whether each name of a formula is a statistic, a parameter, or `also`, which may be NULL. */
static bool names_check(const struct checking *checking, const struct formula *formula,
                        const char *also)
{
    u32 number;
    for (u32 i = 0; i < formula->step_count; i++) {
        const char *name = formula->steps[i].name;
        if (name && !stat_known(checking->type, name) &&
            !explain_param(checking->type, name, &number) && !(also && !strcmp(name, also)))
            return name_unknown(checking, name, true);
    }
    return true;
}

static struct formula *formula_read(const struct checking *checking, const char *text)
{
    struct ogv_error why;
    struct formula *formula = formula_parse(text, &why);
    if (!formula)
        check_fail(checking, why.message);
    return formula;
}

static bool formula_check(const struct checking *checking, const char *text, const char *also)
{
    if (!text)
        return true;
    struct formula *formula = formula_read(checking, text);
    bool good = formula && names_check(checking, formula, also);
    formula_free(formula);
    return good;
}

/* Either what users waited, or the unit's own names. */
static bool held_check(const struct checking *checking, const char *text)
{
    struct formula *formula = text ? formula_read(checking, text) : NULL;
    u32 users = 0, names = 0;
    if (!formula)
        return !text;
    for (u32 i = 0; i < formula->step_count; i++) {
        const char *name = formula->steps[i].name;
        names += name != NULL;
        users +=
            name && (!strcmp(name, RESOURCE_USERS_ROOM) || !strcmp(name, RESOURCE_USERS_ANSWER));
    }
    bool good = !users ? names_check(checking, formula, NULL)
                       : users == names ||
                             check_fail(checking, "what it held is of users_room and users_answer, "
                                                  "or of other names, never of both");
    formula_free(formula);
    return good;
}

/* ---- Resources ---- */

static const struct resource_row *resource_find(const struct unit_type *type, const char *name)
{
    const struct resource_row *row = type->resources;
    while (row && row->name && strcmp(row->name, name))
        row++;
    return row && row->name ? row : NULL;
}

static bool resource_check(const struct unit_type *type, const struct resource_row *row,
                           struct ogv_error *error)
{
    const struct checking checking = { type, "resource", row->name, error };
    if ((u32)row->kind >= RESOURCE_KINDS)
        return check_fail(&checking, "is of no kind that there is");
    if (resource_find(type, row->name) != row)
        return check_fail(&checking, "is there twice");
    if (row->kind == RESOURCE_LINKS && (!row->used || row->capacity || row->held))
        return check_fail(&checking, "links have what was used, and neither capacity nor held");
    return formula_check(&checking, row->capacity, NULL) &&
           formula_check(&checking, row->used, NULL) && held_check(&checking, row->held);
}

/* ---- Accounts ---- */

static bool at_check(const struct checking *checking, const struct account_row *row)
{
    const struct unit_type *type = checking->type;
    bool others = row->charge == ACCOUNT_ROOM || row->charge == ACCOUNT_ANSWER;
    if (others && !row->stat)
        return check_fail(checking, "waits for a unit, and has no statistic to ask for which");
    if (!row->at)
        return row->charge != ACCOUNT_OWN && (!others || type->awaits)
                   ? true
                   : check_fail(checking, "does not say at which resource");
    const struct resource_row *resource = resource_find(type, row->at);
    if (resource)
        return !resource->held ||
               check_fail(checking, "is charged at a resource that says itself what it held");
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, row->at);
    for (const struct resource_row *known = type->resources; known && known->name; known++)
        nearest_offer(&nearest, known->name);
    return error_user(checking->error, "unit type '%s': account '%s' is at '%s', no resource%s",
                      type->name, row->words, row->at, nearest_hint(&nearest, hint, sizeof hint));
}

/* `tree`: how many began, with this one. */
static bool account_check(const struct unit_type *type, const struct account_row *row, u32 tree,
                          struct ogv_error *error)
{
    const struct checking checking = { type, "account", row->words, error };
    bool first = row == type->accounts, leaf = !row[1].words || row[1].depth <= row->depth;
    if (first ? row->depth != 0 : row->depth > row[-1].depth + 1)
        return check_fail(&checking, "is deeper than one below the row before");
    if (row->depth > ACCOUNT_DEPTH_MAX)
        return check_fail(&checking, "is too deep");
    if ((u32)row->charge >= ACCOUNT_CHARGES)
        return check_fail(&checking, "is charged to nothing that there is");
    if (row->stat && !stat_known(type, row->stat))
        return name_unknown(&checking, row->stat, false);
    if (leaf && !row->stat)
        return check_fail(&checking, "has neither a statistic nor parts");
    if ((row->charge != ACCOUNT_PARTS) != (leaf && tree == 1))
        return check_fail(&checking, "what has no parts is charged in the first tree, and only it");
    return at_check(&checking, row);
}

static bool accounts_check(const struct unit_type *type, struct ogv_error *error)
{
    u32 trees = 0;
    for (const struct account_row *row = type->accounts; row && row->words; row++) {
        trees += row->depth == 0;
        if (!account_check(type, row, trees, error))
            return false;
    }
    return true;
}

/* ---- Figures ---- */

void figure_name(const struct unit_type *type, const struct figure_row *row,
                 const union param_value *values, char *buffer, size_t size)
{
    char param[NAME_BYTES];
    u32 number = 0;
    const char *open = strchr(row->figure, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        snprintf(buffer, size, "%s", row->figure);
        return;
    }
    snprintf(param, sizeof param, "%.*s", (int)(close - open - 1), open + 1);
    explain_param(type, param, &number);
    snprintf(buffer, size, "%.*s%.0f%s", (int)(open - row->figure), row->figure,
             explain_number(&type->params[number], values[number]), close + 1);
}

/* Whether a name is that of a row, whose parameter in braces may be any number. */
static bool figure_fits(const char *pattern, const char *name)
{
    size_t before = strcspn(pattern, "{");
    if (!pattern[before])
        return !strcmp(pattern, name);
    if (strncmp(pattern, name, before))
        return false;
    size_t digits = strspn(name + before, "0123456789");
    const char *close = strchr(pattern, '}');
    return digits && close && !strcmp(close + 1, name + before + digits);
}

static bool figure_known(const struct checking *checking)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, checking->name);
    for (u32 i = 0; i < run_figure_count(); i++) {
        if (figure_fits(checking->name, run_figure_names[i]))
            return true;
        nearest_offer(&nearest, run_figure_names[i]);
    }
    return error_user(
        checking->error, "unit type '%s': figure '%s' is none of those that sum up a run%s",
        checking->type->name, checking->name, nearest_hint(&nearest, hint, sizeof hint));
}

static bool figure_check(const struct unit_type *type, const struct figure_row *row,
                         struct ogv_error *error)
{
    const struct checking checking = { type, "figure", row->figure, error };
    char param[NAME_BYTES];
    u32 number;
    const char *open = strchr(row->figure, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!row->above)
        return check_fail(&checking, "has nothing above");
    if (!figure_known(&checking))
        return false;
    snprintf(param, sizeof param, "%.*s", close ? (int)(close - open - 1) : 0,
             close ? open + 1 : "");
    if (open && !explain_param(type, param, &number))
        return name_unknown(&checking, param, true);
    return formula_check(&checking, row->above, FIGURE_CYCLES) &&
           formula_check(&checking, row->below, FIGURE_CYCLES);
}

/* ---- What grows with the chip ---- */

static bool scales_check(const struct unit_type *type, const char *names, struct ogv_error *error)
{
    for (const char *at = names; at && *at;) {
        char name[NAME_BYTES];
        u32 number;
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length + strspn(at + length, " ");
        if (explain_param(type, name, &number))
            continue;
        struct nearest nearest;
        char hint[128];
        nearest_init(&nearest, name);
        for (const struct param_row *param = type->params; param->name; param++)
            nearest_offer(&nearest, param->name);
        return error_user(error, "unit type '%s': '%s' is no parameter that could grow%s",
                          type->name, name, nearest_hint(&nearest, hint, sizeof hint));
    }
    return true;
}

/* ---- All ---- */

bool explain_check(const struct unit_type *type, struct ogv_error *error)
{
    for (const struct resource_row *row = type->resources; row && row->name; row++)
        if (!resource_check(type, row, error))
            return false;
    for (const struct figure_row *row = type->figures; row && row->figure; row++)
        if (!figure_check(type, row, error))
            return false;
    return accounts_check(type, error) && scales_check(type, type->scales, error) &&
           scales_check(type, type->keeps, error);
}

void explain_params(const struct unit_type *type,
                    void (*visit)(void *context, const struct unit_type *type, u32 param),
                    void *context)
{
    for (const struct resource_row *row = type->resources; row && row->name; row++) {
        const char *const texts[] = { row->capacity, row->used, row->held };
        for (u32 i = 0; i < 3; i++) {
            struct formula *formula = texts[i] ? formula_parse(texts[i], NULL) : NULL;
            u32 number;
            for (u32 s = 0; formula && s < formula->step_count; s++) {
                const char *name = formula->steps[s].name;
                if (name && (texts[i] == row->capacity || !stat_known(type, name)) &&
                    explain_param(type, name, &number))
                    visit(context, type, number);
            }
            formula_free(formula);
        }
    }
}
