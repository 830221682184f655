/* stalls.c - see stalls.h.
 *
 * A tree is described by the rows of a type's account: depth, statistic, words. The value of a row
 * is the sum of its statistic over all units of the type; that of a row without a statistic is the
 * sum of its parts. What the parts of a row do not account for, if anything, becomes a part of its
 * own, so that sums are exact whatever the file says. */
#include "report/stalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/waiting.h"

#define REST "not accounted for"

/* Where reading the rows of a type stands. */
struct reading {
    const struct result *result;
    const struct explained *type;
    u32 at; /* the next row */
    const char *rest;
};

static double row_value(const struct reading *reading, u32 row)
{
    double sum = 0;
    for (u32 i = 0; i < reading->result->group_count; i++)
        if (reading->result->groups[i].explained == reading->type)
            sum += account_value(&reading->result->groups[i], row);
    return sum;
}

static struct stall *stall_add(struct stall *parent, const char *name, const char *words,
                               double value)
{
    parent->parts = heap_append(parent->parts, parent->part_count, sizeof *parent->parts);
    struct stall *part = &parent->parts[parent->part_count++];
    *part = (struct stall){ .name = name, .label = heap_copy(words), .value = value };
    return part;
}

/* What the parts leave over; a row without a statistic is what they are. */
static void stall_settle(struct stall *stall, const char *rest, bool counted)
{
    double sum = 0;
    for (u32 i = 0; i < stall->part_count; i++)
        sum += stall->parts[i].value;
    if (!counted)
        stall->value = sum;
    else if (stall->part_count && sum < stall->value)
        stall_add(stall, rest, rest, stall->value - sum);
    else if (stall->part_count && sum > stall->value)
        stall->value = sum;
}

/* A part deep in the tree that never was, of a row that is counted without it: one of many classes
 * of instructions. */
static bool row_is_idle(const struct reading *reading, const struct explained_account *parent,
                        u32 row, double value)
{
    return parent->depth && parent->stat && !(value > 0) && account_is_leaf(reading->type, row);
}

/* Reads the rows of the parts of `stall`, which is described by the one before. */
static void stall_fill(struct reading *reading, struct stall *stall)
{
    const struct explained_account *rows = reading->type->accounts, *self = &rows[reading->at - 1];
    while (reading->at < reading->type->account_count && rows[reading->at].depth > self->depth) {
        const struct explained_account *row = &rows[reading->at];
        double value = row_value(reading, reading->at);
        bool idle = row_is_idle(reading, self, reading->at++, value);
        if (!idle)
            stall_fill(reading,
                       stall_add(stall, row->stat ? row->stat : row->words, row->words, value));
    }
    stall_settle(stall, reading->rest, self->stat);
}

static bool tree_read(struct reading *reading, struct stall *tree)
{
    const struct explained_account *row = &reading->type->accounts[reading->at];
    *tree = (struct stall){ .name = row->stat ? row->stat : row->words,
                            .label = heap_copy(row->words),
                            .value = row_value(reading, reading->at),
                            .type = reading->type->type,
                            .first = reading->at == 0 };
    reading->at++;
    reading->rest = row->rest ? row->rest : REST;
    stall_fill(reading, tree);
    if (tree->value > 0)
        return true;
    stall_fini(tree);
    return false;
}

u32 stalls_find(const struct result *result, struct stall **trees)
{
    u32 count = 0;
    *trees = NULL;
    for (u32 t = 0; t < result->explained_count; t++) {
        struct reading reading = { .result = result, .type = &result->explained[t] };
        while (reading.at < reading.type->account_count) {
            *trees = heap_append(*trees, count, sizeof **trees);
            count += tree_read(&reading, *trees + count);
        }
    }
    return count;
}

void stall_fini(struct stall *stall)
{
    for (u32 i = 0; i < stall->part_count; i++)
        stall_fini(&stall->parts[i]);
    free(stall->parts);
    free(stall->label);
}

double stall_value(const struct stall *stall, const char *name)
{
    double sum = strcmp(stall->name, name) ? 0 : stall->value;
    for (u32 i = 0; i < stall->part_count && !(sum > 0); i++)
        sum += stall_value(&stall->parts[i], name);
    return sum;
}
