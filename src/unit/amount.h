/* amount.h - measured values as people write them: `7.4 pJ`, `184.55 mW`, `0.39 mm2`, `12 nm`.
 *
 * Not exact like quantities, and they may be missing: `unknown`. */
#ifndef UNIT_AMOUNT_H
#define UNIT_AMOUNT_H

#include "unit/quantity.h"

/* Kept in pJ, mW, mm2, nm and V. */
enum amount { AMOUNT_ENERGY, AMOUNT_POWER, AMOUNT_AREA, AMOUNT_LENGTH, AMOUNT_VOLTAGE };

/* COST_UNKNOWN for `unknown`. On failure `why` says what is wrong with `text`. */
bool amount_read(const char *text, enum amount amount, double *value, char why[QUANTITY_WHY_BYTES]);

/* Writes it the way amount_read accepts, exactly. */
void amount_write(struct text *out, enum amount amount, double value);

#endif
