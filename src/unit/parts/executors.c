/* executors.c - reads which class of instructions goes where.
 *
 * "int_mul: muldiv, fp_div: divsqrt, fp_add: 2 cycles, load: l1, custom.next: dispatch". What is
 * not named executes in the core in one cycle, and a custom instruction where its class does;
 * loads, stores and atomics need a unit, as do custom instructions that are messages, but only if a
 * program has any. */
#include "unit/parts/executors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "unit/quantity.h"
#include "unit/registry.h"

#define WORD_BYTES 64

/* Cuts the next "key: value" off; false at the end. */
static bool table_next(const char **text, char *key, char *value)
{
    while (**text == ',' || **text == ' ')
        ++*text;
    if (!**text)
        return false;
    size_t length = strcspn(*text, ":,");
    snprintf(key, WORD_BYTES, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ':');
    while (**text == ' ')
        ++*text;
    length = strcspn(*text, ",");
    snprintf(value, WORD_BYTES, "%.*s", (int)length, *text);
    *text += length;
    return true;
}

/* Names are compared for a hint only once one is wrong: a chip reads thousands of these tables. */
static bool port_unknown(const struct ports *units, const char *name, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < units->count; i++)
        nearest_offer(&nearest, units->at[i].peer);
    return unit_refuse(error, "execute: it is not linked to a unit '%s'%s", name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

static bool find_port(const struct ports *units, const char *name, u16 *port,
                      struct ogv_error *error)
{
    for (u32 i = 0; i < units->count; i++) {
        if (!strcmp(units->at[i].peer, name)) {
            *port = (u16)i;
            return true;
        }
    }
    return port_unknown(units, name, error);
}

static bool executor_read(const struct ports *units, const char *value, struct executor *executor,
                          struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    u64 latency;
    if (!isdigit((unsigned char)value[0]))
        return find_port(units, value, &executor->port, error);
    if (!quantity_read(value, PARAM_CYCLES, &latency, why))
        return unit_refuse(error, "execute: %s", why);
    if (latency < 1 || latency > 1000)
        return unit_refuse(error, "execute: '%s' must be 1 to 1000 cycles", value);
    *executor = (struct executor){ PORT_NONE, (u16)latency };
    return true;
}

static bool class_unknown(const char *param, const char *also, const char *key,
                          struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, key);
    for (u32 c = 0; c < CLASS_COUNT; c++)
        nearest_offer(&nearest, isa_class_name((enum isa_class)c));
    nearest_offer(&nearest, "fetch");
    nearest_offer(&nearest, "scratch");
    return unit_refuse(error, "%s: there is no class of instructions '%s'%s%s", param, key,
                       nearest_hint(&nearest, hint, sizeof hint), also);
}

static bool custom_unknown(const char *name, struct ogv_error *error)
{
    struct isa *isa = isa_shared();
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < isa_custom_count(isa); i++)
        nearest_offer(&nearest, isa_custom_at(isa, i)->name);
    return unit_refuse(error, "execute: there is no custom instruction '%s'%s", name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

static bool read_custom(struct executors *to, const struct ports *units, const char *name,
                        const char *value, struct ogv_error *error)
{
    struct isa *isa = isa_shared();
    for (u32 i = 0; i < isa_custom_count(isa); i++)
        if (!strcmp(isa_custom_at(isa, i)->name, name))
            return executor_read(units, value, &to->customs[i], error);
    return custom_unknown(name, error);
}

static bool read_row(struct executors *to, const struct ports *units, const char *key,
                     const char *value, struct ogv_error *error)
{
    enum isa_class class;
    if (!strncmp(key, "custom.", 7))
        return read_custom(to, units, key + 7, value, error);
    if (!strcmp(key, "fetch"))
        return find_port(units, value, &to->instructions, error);
    if (!strcmp(key, "scratch"))
        return find_port(units, value, &to->scratch, error);
    if (!isa_class_find(key, &class))
        return class_unknown("execute", " (also: fetch, scratch, custom.NAME)", key, error);
    bool memory = class == CLASS_LOAD || class == CLASS_STORE || class == CLASS_ATOMIC;
    if (memory && isdigit((unsigned char)value[0]))
        return unit_refuse(error, "execute: %s needs a unit that has the data, not '%s'", key,
                           value);
    return executor_read(units, value, &to->classes[class], error);
}

bool executors_read(struct executors *to, struct unit *unit, const struct ports *units,
                    const char *text, struct ogv_error *error)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    u32 customs = isa_custom_count(isa_shared());
    to->customs = unit_alloc(unit, customs, sizeof *to->customs, error);
    if (!to->customs)
        return false;
    for (u32 i = 0; i < CLASS_COUNT; i++)
        to->classes[i] = (struct executor){ PORT_NONE, 1 };
    for (u32 i = 0; i < customs; i++)
        to->customs[i] = (struct executor){ PORT_NONE, 0 };
    to->scratch = to->instructions = PORT_NONE;
    while (table_next(&text, key, value))
        if (!read_row(to, units, key, value, error))
            return false;
    for (u32 i = 0; i < customs; i++)
        if (to->customs[i].port == PORT_NONE && !to->customs[i].latency)
            to->customs[i] = to->classes[CLASS_CUSTOM0 + isa_custom_at(isa_shared(), i)->space];
    to->memory = to->classes[CLASS_LOAD].port;
    if (to->classes[CLASS_STORE].port == PORT_NONE)
        to->classes[CLASS_STORE].port = to->memory;
    if (to->classes[CLASS_ATOMIC].port == PORT_NONE)
        to->classes[CLASS_ATOMIC].port = to->memory;
    return true;
}

static bool interval_read(u16 *intervals, const char *key, const char *value,
                          struct ogv_error *error)
{
    static const struct ports none;
    struct executor read = { PORT_NONE, 1 };
    enum isa_class class;
    if (!isa_class_find(key, &class))
        return class_unknown("interval", "", key, error);
    if (!isdigit((unsigned char)value[0]))
        return unit_refuse(error, "interval: %s must be a number of cycles, not '%s'", key, value);
    if (!executor_read(&none, value, &read, error))
        return false;
    intervals[class] = read.latency;
    return true;
}

bool intervals_read(u16 intervals[CLASS_COUNT], const char *text, struct ogv_error *error)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    for (u32 i = 0; i < CLASS_COUNT; i++)
        intervals[i] = 1;
    while (table_next(&text, key, value))
        if (!interval_read(intervals, key, value, error))
            return false;
    return true;
}

/* ---- Who is waited for ---- */

const struct unit *executor_unit(const struct ports *units, struct executor executor)
{
    return executor.port == PORT_NONE ? NULL : units->at[executor.port].out->reader;
}

/* Whether a unit can say itself what it spent its time with, as one that traces rays does. */
static bool unit_says_more(const struct unit *unit)
{
    const struct unit_type *type = registry_type(unit->type);
    return unit_traces_rays(type) || type->accounts;
}

/* The custom instructions of one space share their counters. Most of the time is spent with rays,
 * where there are any. */
static const struct unit *custom_unit(const struct executor *customs, const struct ports *units,
                                      u32 space)
{
    const struct isa *isa = isa_shared();
    const struct unit *first = NULL;
    for (u32 i = 0; i < isa_custom_count(isa); i++) {
        const struct unit *unit =
            (u32)isa_custom_at(isa, i)->space == space ? executor_unit(units, customs[i]) : NULL;
        if (unit && unit_says_more(unit))
            return unit;
        first = first ? first : unit;
    }
    return first;
}

const struct unit *executors_awaited(const struct executor *classes, const struct executor *customs,
                                     const struct ports *units, const char *stat)
{
    const char *name = strchr(stat, '_');
    enum isa_class class;
    if (!name || !isa_class_find(name + 1, &class))
        return NULL;
    if (class >= CLASS_CUSTOM0 && class <= CLASS_CUSTOM3)
        return custom_unit(customs, units, class - CLASS_CUSTOM0);
    return executor_unit(units, classes[class]);
}
