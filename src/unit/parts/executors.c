/* executors.c - reads which class of instructions goes where.
 *
 * "int_mul: muldiv, fp_div: divsqrt, fp_add: 2 cycles, load: l1, custom.next: dispatch". What is
 * not named executes in the core in one cycle, and a custom instruction where its class does;
 * loads, stores and atomics need a unit, as do custom instructions that are messages, but only if a
 * program has any. "fp64.fp_add: 8 cycles" is for double precision, which else is as single. */
#include "unit/parts/executors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/table.h"
#include "unit/quantity.h"
#include "unit/registry.h"

#define WORD_BYTES 64

/* The format is in bits 25 and 26 of the code: 1 is double precision. Of a conversion between
 * formats it is that of the result. */
#define IS_FP64(op, class, code)                                        \
    (CLASS_##class >= CLASS_FP_ADD && CLASS_##class <= CLASS_FP_MOVE && \
     (((code) >> 25 & 3) == 1 || OP_##op == OP_fcvt_s_d))

const u8 kinds_fp64[OP_COUNT] = {
#define INSN(op, text, format, class, code, action) \
    [OP_##op] = IS_FP64(op, class, code) ? KIND_FP64 : 0,
#include "ogive/isa_insn.def"
};

static bool kind_find(const char *name, u32 *kind)
{
    bool fp64 = !strncmp(name, "fp64.", 5);
    enum isa_class class;
    if (!isa_class_find(fp64 ? name + 5 : name, &class))
        return false;
    *kind = fp64 ? class + KIND_FP64 : class;
    return !fp64 || (class >= CLASS_FP_ADD && class <= CLASS_FP_MOVE);
}

/* The class that a kind is of. */
static u32 kind_class(u32 kind)
{
    return kind < CLASS_COUNT ? kind : kind - KIND_FP64;
}

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
static bool port_unknown(const char *param, const struct ports *units, const char *name,
                         struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < units->count; i++)
        nearest_offer(&nearest, ports_peer(units, i));
    return unit_refuse(error, "%s: it is not linked to a unit '%s'%s", param, name,
                       nearest_hint(&nearest, hint, sizeof hint));
}

bool port_find(const char *param, const struct ports *units, const char *name, u16 *port,
               struct ogv_error *error)
{
    for (u32 i = 0; i < units->count; i++) {
        if (!strcmp(ports_peer(units, i), name)) {
            *port = (u16)i;
            return true;
        }
    }
    return port_unknown(param, units, name, error);
}

static bool executor_read(const struct ports *units, const char *value, struct executor *executor,
                          struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    u64 latency;
    if (!isdigit((unsigned char)value[0]))
        return port_find("execute", units, value, &executor->port, error);
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
    nearest_offer(&nearest, "constant");
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
    u32 kind;
    if (!strncmp(key, "custom.", 7))
        return read_custom(to, units, key + 7, value, error);
    if (!strcmp(key, "fetch"))
        return port_find("execute", units, value, &to->instructions, error);
    if (!strcmp(key, "scratch"))
        return port_find("execute", units, value, &to->scratch, error);
    if (!strcmp(key, "constant"))
        return port_find("execute", units, value, &to->constant, error);
    if (!kind_find(key, &kind))
        return class_unknown(
            "execute", " (also: fetch, scratch, constant, custom.NAME, fp64.CLASS)", key, error);
    bool memory = kind == CLASS_LOAD || kind == CLASS_STORE || kind == CLASS_ATOMIC;
    if (memory && isdigit((unsigned char)value[0]))
        return unit_refuse(error, "execute: %s needs a unit that has the data, not '%s'", key,
                           value);
    to->fp64 |= kind >= CLASS_COUNT;
    return executor_read(units, value, &to->classes[kind], error);
}

bool executors_read(struct executors *to, struct unit *unit, const struct ports *units,
                    const char *text, struct ogv_error *error)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    u32 customs = isa_custom_count(isa_shared());
    to->customs = unit_alloc(unit, customs, sizeof *to->customs, error);
    if (!to->customs)
        return false;
    for (u32 i = 0; i < KIND_COUNT; i++)
        to->classes[i] = (struct executor){ PORT_NONE, i < CLASS_COUNT };
    to->fp64 = false;
    for (u32 i = 0; i < customs; i++)
        to->customs[i] = (struct executor){ PORT_NONE, 0 };
    to->scratch = to->constant = to->instructions = PORT_NONE;
    while (table_next(&text, key, value))
        if (!read_row(to, units, key, value, error))
            return false;
    for (u32 i = 0; i < customs; i++)
        if (to->customs[i].port == PORT_NONE && !to->customs[i].latency)
            to->customs[i] = to->classes[CLASS_CUSTOM0 + isa_custom_at(isa_shared(), i)->space];
    for (u32 i = CLASS_COUNT; i < KIND_COUNT; i++)
        if (to->classes[i].port == PORT_NONE && !to->classes[i].latency)
            to->classes[i] = to->classes[kind_class(i)];
    to->memory = to->classes[CLASS_LOAD].port;
    if (to->classes[CLASS_STORE].port == PORT_NONE)
        to->classes[CLASS_STORE].port = to->memory;
    if (to->classes[CLASS_ATOMIC].port == PORT_NONE)
        to->classes[CLASS_ATOMIC].port = to->memory;
    if (to->constant != PORT_NONE && (to->constant == to->memory || to->constant == to->scratch))
        return unit_refuse(error, "execute: constant needs a unit of its own, not that of %s",
                           to->constant == to->memory ? "load" : "scratch");
    return true;
}

/* ---- Tables of numbers and of kinds ---- */

static bool kind_number_read(u16 *numbers, const char *param, const char *key, const char *value,
                             enum param_type type, struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    u64 number;
    u32 kind;
    if (!kind_find(key, &kind))
        return class_unknown(param, "", key, error);
    if (!isdigit((unsigned char)value[0]))
        return unit_refuse(error, "%s: %s must be a number%s, not '%s'", param, key,
                           type == PARAM_CYCLES ? " of cycles" : "", value);
    if (!quantity_read(value, type, &number, why))
        return unit_refuse(error, "%s: %s", param, why);
    if (number < 1 || number > 1000)
        return unit_refuse(error, "%s: '%s' must be 1 to 1000", param, value);
    numbers[kind] = (u16)number;
    return true;
}

bool kinds_read(u16 numbers[KIND_COUNT], const char *param, const char *text, enum param_type type,
                u16 otherwise, struct ogv_error *error)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    for (u32 i = 0; i < KIND_COUNT; i++)
        numbers[i] = i < CLASS_COUNT ? otherwise : 0;
    while (table_next(&text, key, value))
        if (!kind_number_read(numbers, param, key, value, type, error))
            return false;
    for (u32 i = CLASS_COUNT; i < KIND_COUNT; i++)
        if (!numbers[i])
            numbers[i] = numbers[kind_class(i)];
    return true;
}

/* One that is joined to another cannot be what others are joined to: who shares is then seen at
 * once. */
static bool kinds_are_plain(const u8 *as, const bool *said, const char *param,
                            struct ogv_error *error)
{
    for (u32 i = 0; i < KIND_COUNT; i++)
        if (said[i] && as[as[i]] != as[i])
            return unit_refuse(error, "%s: %s is itself treated as another class", param,
                               isa_class_name((enum isa_class)kind_class(as[i])));
    return true;
}

bool kinds_join(u8 as[KIND_COUNT], const char *param, const char *text, struct ogv_error *error)
{
    char key[WORD_BYTES], value[WORD_BYTES];
    bool said[KIND_COUNT] = { false };
    for (u32 i = 0; i < KIND_COUNT; i++)
        as[i] = (u8)i;
    while (table_next(&text, key, value)) {
        u32 kind, other;
        if (!kind_find(key, &kind))
            return class_unknown(param, "", key, error);
        if (!kind_find(value, &other))
            return class_unknown(param, "", value, error);
        as[kind] = (u8)other;
        said[kind] = said[other] = true;
    }
    for (u32 i = CLASS_COUNT; i < KIND_COUNT; i++)
        if (!said[i])
            as[i] = as[kind_class(i)];
    return kinds_are_plain(as, said, param, error);
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
