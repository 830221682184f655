/* amount.c - one table of units of measure, by which amounts are read and written. */
#include "unit/amount.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct measure {
    enum amount amount;
    const char *name;
    double factor;
};

/* The unit that values are kept in stands first. */
static const struct measure measures[] = {
    { AMOUNT_ENERGY, "pJ", 1 }, { AMOUNT_ENERGY, "fJ", 1e-3 },  { AMOUNT_ENERGY, "nJ", 1e3 },
    { AMOUNT_POWER, "mW", 1 },  { AMOUNT_POWER, "uW", 1e-3 },   { AMOUNT_POWER, "W", 1e3 },
    { AMOUNT_AREA, "mm2", 1 },  { AMOUNT_AREA, "um2", 1e-6 },   { AMOUNT_LENGTH, "nm", 1 },
    { AMOUNT_VOLTAGE, "V", 1 }, { AMOUNT_VOLTAGE, "mV", 1e-3 },
};

#define MEASURES (sizeof measures / sizeof *measures)

static const struct measure *measure_find(enum amount amount, const char *name)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (measures[i].amount == amount && (!name || !strcmp(measures[i].name, name)))
            return &measures[i];
    return NULL;
}

static void measure_explain(enum amount amount, const char *text, char *why)
{
    struct text known = { 0 };
    for (size_t i = 0; i < MEASURES; i++)
        if (measures[i].amount == amount)
            text_add(&known, "%s%s", known.length ? ", " : "", measures[i].name);
    snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' needs a number and a unit (%s), as in '1.5 %s'",
             text, text_get(&known), measure_find(amount, NULL)->name);
    text_fini(&known);
}

bool amount_read(const char *text, enum amount amount, double *value, char why[QUANTITY_WHY_BYTES])
{
    char *end;
    if (!strcmp(text, "unknown")) {
        *value = COST_UNKNOWN;
        return true;
    }
    bool plain = isdigit((unsigned char)*text) || *text == '.' || *text == '-';
    double number = plain ? strtod(text, &end) : 0;
    if (!plain || end == text || !isfinite(number)) {
        measure_explain(amount, text, why);
        return false;
    }
    while (*end == ' ')
        end++;
    const struct measure *measure = measure_find(amount, end);
    if (!measure) {
        measure_explain(amount, text, why);
        return false;
    }
    *value = number * measure->factor;
    if (*value >= 0)
        return true;
    snprintf(why, QUANTITY_WHY_BYTES, "'%.64s' is negative; write `unknown` if it is not known",
             text);
    return false;
}

void amount_write(struct text *out, enum amount amount, double value)
{
    if (value < 0) {
        text_add(out, "unknown");
        return;
    }
    real_write(out, value);
    text_add(out, " %s", measure_find(amount, NULL)->name);
}
