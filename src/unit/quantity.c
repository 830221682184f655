/* quantity.c - see quantity.h. One table says which units of measure each type of value knows. */
#include "unit/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

__extension__ typedef unsigned __int128 wide;

struct measure {
    enum param_type type;
    const char *name;
    u64 factor;
};

/* Largest first within a type; the last of a type is its plain unit. */
static const struct measure measures[] = {
    { PARAM_CYCLES, "cycles", 1 },
    { PARAM_BYTES, "GiB", GiB },
    { PARAM_BYTES, "MiB", MiB },
    { PARAM_BYTES, "KiB", KiB },
    { PARAM_BYTES, "B", 1 },
    { PARAM_BITS, "bit", 1 },
    { PARAM_HERTZ, "GHz", GHz },
    { PARAM_HERTZ, "MHz", MHz },
    { PARAM_HERTZ, "kHz", kHz },
    { PARAM_HERTZ, "Hz", 1 },
    { PARAM_BANDWIDTH, "TB/s", UINT64_C(1000000000000) },
    { PARAM_BANDWIDTH, "GB/s", UINT64_C(1000000000) },
    { PARAM_BANDWIDTH, "MB/s", UINT64_C(1000000) },
    { PARAM_BANDWIDTH, "kB/s", UINT64_C(1000) },
    { PARAM_BANDWIDTH, "B/s", 1 },
};

#define MEASURES (sizeof measures / sizeof *measures)

static const char *const examples[] = {
    [PARAM_NUMBER] = "8",         [PARAM_CYCLES] = "20 cycles", [PARAM_BYTES] = "64 KiB",
    [PARAM_BITS] = "16 bit",      [PARAM_HERTZ] = "1515 MHz",   [PARAM_BANDWIDTH] = "448 GB/s",
    [PARAM_REAL] = "0.5",         [PARAM_FLAG] = "true",        [PARAM_CHOICE] = "",
    [PARAM_WORDS] = "some words",
};

/* A decimal number as digits * 10^-decimals. */
struct decimal {
    u64 digits;
    u32 decimals;
    bool too_long; /* more digits than fit; the others are not valid then */
};

#define DECIMALS_MAX 18

static const char *decimal_read(const char *text, struct decimal *decimal)
{
    const char *at = text;
    bool point = false, any = false;
    *decimal = (struct decimal){ 0 };
    for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        if (__builtin_mul_overflow(decimal->digits, 10, &decimal->digits) ||
            __builtin_add_overflow(decimal->digits, (u64)(*at - '0'), &decimal->digits) ||
            (decimal->decimals += point) > DECIMALS_MAX)
            decimal->too_long = true;
    }
    return any ? at : NULL;
}

/* False if the product is not whole. */
static bool decimal_scale(struct decimal decimal, u64 factor, wide *value)
{
    *value = (wide)decimal.digits * factor;
    for (u32 i = 0; i < decimal.decimals; i++) {
        if (*value % 10)
            return false;
        *value /= 10;
    }
    return true;
}

static const struct measure *measure_find(enum param_type type, const char *name)
{
    for (size_t i = 0; i < MEASURES; i++) {
        bool singular = type == PARAM_CYCLES && !strcmp(name, "cycle");
        bool plural = type == PARAM_BITS && !strcmp(name, "bits");
        if (measures[i].type == type && (singular || plural || !strcmp(measures[i].name, name)))
            return &measures[i];
    }
    return NULL;
}

static void measure_explain(enum param_type type, const char *text, const char *name, char *why)
{
    struct text known = { 0 };
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (size_t i = 0; i < MEASURES; i++) {
        if (measures[i].type != type)
            continue;
        text_add(&known, "%s%s", known.length ? ", " : "", measures[i].name);
        nearest_offer(&nearest, measures[i].name);
    }
    if (!*name)
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' needs a unit (%s), as in '%s'", text,
                 text_get(&known), examples[type]);
    else
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' has the wrong unit '%.64s', it takes %s%s", text,
                 name, text_get(&known), nearest_hint(&nearest, hint, sizeof hint));
    text_fini(&known);
}

/* " of bytes": what a value of this type counts, for messages. */
static const char *type_counts(enum param_type type)
{
    switch (type) {
    case PARAM_CYCLES:
        return " of cycles";
    case PARAM_BYTES:
        return " of bytes";
    case PARAM_BITS:
        return " of bits";
    case PARAM_HERTZ:
        return " of Hz";
    case PARAM_BANDWIDTH:
        return " of B/s";
    default:
        return "";
    }
}

bool quantity_read(const char *text, enum param_type type, u64 *value, char why[QUANTITY_WHY_BYTES])
{
    struct decimal decimal;
    const char *rest = decimal_read(text, &decimal);
    if (!rest) {
        bool negative = text[0] == '-' && isdigit((unsigned char)text[1]);
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is %s as in '%s'", text,
                 negative ? "negative, it must be a number" : "not a number", examples[type]);
        return false;
    }
    while (*rest == ' ')
        rest++;
    u64 factor = 1;
    if (type != PARAM_NUMBER) {
        const struct measure *measure = measure_find(type, rest);
        if (!measure) {
            measure_explain(type, text, rest, why);
            return false;
        }
        factor = measure->factor;
    } else if (*rest) {
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' must be a plain number as in '%s'", text,
                 examples[type]);
        return false;
    }
    wide scaled = 0;
    bool whole = decimal.too_long || decimal_scale(decimal, factor, &scaled);
    bool fits = !decimal.too_long && scaled <= UINT64_MAX;
    if (!whole)
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is not a whole number%s", text,
                 type_counts(type));
    else if (!fits)
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is too large, or has too many digits", text);
    *value = (u64)scaled;
    return whole && fits;
}

void quantity_write(struct text *out, enum param_type type, u64 value)
{
    for (size_t i = 0; i < MEASURES; i++) {
        bool plain = measures[i].factor == 1;
        if (measures[i].type == type && (plain || (value && value % measures[i].factor == 0))) {
            text_add(out, "%llu %s", (unsigned long long)(value / measures[i].factor),
                     measures[i].name);
            return;
        }
    }
    text_add(out, "%llu", (unsigned long long)value);
}

bool choice_name(const char *choices, u32 index, char *buffer, size_t size)
{
    for (; index; index--) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
    }
    snprintf(buffer, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

static bool choice_read(const struct param_row *param, const char *text, u64 *index, char *why)
{
    struct nearest nearest;
    char name[64], best[64] = "", hint[128];
    nearest_init(&nearest, text);
    for (u32 i = 0; choice_name(param->choices, i, name, sizeof name); i++) {
        if (!strcmp(name, text)) {
            *index = i;
            return true;
        }
        size_t before = nearest.distance;
        nearest_offer(&nearest, name);
        if (nearest.distance < before)
            memcpy(best, name, sizeof best);
    }
    nearest.best = best;
    snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is none of %s%s", text, param->choices,
             nearest_hint(&nearest, hint, sizeof hint));
    return false;
}

static bool flag_read(const char *text, u64 *value, char *why)
{
    bool yes = !strcmp(text, "true"), no = !strcmp(text, "false");
    if (!yes && !no)
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' must be true or false", text);
    *value = yes;
    return yes || no;
}

static void bounds_explain(const struct param_row *param, const char *text, char *why)
{
    struct text bounds = { 0 };
    param_write(&bounds, param, param->smallest);
    if (param->largest.integer == UINT64_MAX) {
        text_add(&bounds, " or more");
    } else {
        text_add(&bounds, " to ");
        param_write(&bounds, param, param->largest);
    }
    snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is out of range, it must be %s", text,
             text_get(&bounds));
    text_fini(&bounds);
}

static bool real_read(const struct param_row *param, const char *text, double *value, char *why)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value)) {
        snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is not a number as in '0.5'", text);
        return false;
    }
    if (*value < param->smallest.real || *value > param->largest.real) {
        bounds_explain(param, text, why);
        return false;
    }
    return true;
}

static bool words_read(const struct param_row *param, const char *text, char *why)
{
    size_t length = strlen(text);
    if (length >= param->smallest.integer && length <= param->largest.integer)
        return true;
    snprintf(why, QUANTITY_WHY_BYTES, "text of %zu characters, it must have %llu to %llu", length,
             (unsigned long long)param->smallest.integer,
             (unsigned long long)param->largest.integer);
    return false;
}

bool param_read(const struct param_row *param, const char *text, union param_value *value,
                char why[QUANTITY_WHY_BYTES])
{
    switch (param->type) {
    case PARAM_REAL:
        return real_read(param, text, &value->real, why);
    case PARAM_FLAG:
        return flag_read(text, &value->integer, why);
    case PARAM_CHOICE:
        return choice_read(param, text, &value->integer, why);
    case PARAM_WORDS:
    case PARAM_TABLE:
        value->words = text;
        return words_read(param, text, why);
    default:
        if (!quantity_read(text, param->type, &value->integer, why))
            return false;
        if (value->integer >= param->smallest.integer && value->integer <= param->largest.integer)
            return true;
        bounds_explain(param, text, why);
        return false;
    }
}

void real_write(struct text *out, double value)
{
    char digits[64];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        bool plain = !strchr(digits, 'e') || fabs(value) < 1e-4 || fabs(value) >= 1e15;
        if (plain && strtod(digits, NULL) == value)
            break;
    }
    text_add(out, "%s", digits);
}

void param_write(struct text *out, const struct param_row *param, union param_value value)
{
    char name[64];
    switch (param->type) {
    case PARAM_REAL:
        real_write(out, value.real);
        break;
    case PARAM_FLAG:
        text_add(out, "%s", value.integer ? "true" : "false");
        break;
    case PARAM_CHOICE:
        if (choice_name(param->choices, (u32)value.integer, name, sizeof name))
            text_add(out, "%s", name);
        break;
    case PARAM_WORDS:
    case PARAM_TABLE:
        text_add(out, "%s", value.words);
        break;
    default:
        quantity_write(out, param->type, value.integer);
    }
}

union param_value param_default(const struct param_row *param)
{
    union param_value value = param->default_value;
    char why[QUANTITY_WHY_BYTES];
    if (param->type == PARAM_CHOICE &&
        !choice_read(param, param->default_value.words, &value.integer, why))
        ogv_bug("parameter '%s': its default %s", param->name, why);
    return value;
}
