/* quantity.h - values as people write them: `64 KiB`, `1515 MHz`, `20 cycles`, `448 GB/s`, `true`,
 * `lru`. */
#ifndef UNIT_QUANTITY_H
#define UNIT_QUANTITY_H

#include "base/text.h"
#include "ogive/unit.h"

#define QUANTITY_WHY_BYTES 512

/* Reads a number with its unit, exactly: no rounding, no overflow. On failure `why` says what is
 * wrong with `text`. */
bool quantity_read(const char *text, enum param_type type, u64 *value,
                   char why[QUANTITY_WHY_BYTES]);

/* Writes it the way quantity_read accepts, in the largest unit that keeps it whole. */
void quantity_write(struct text *out, enum param_type type, u64 value);

/* A value for a parameter, checked against its bounds. `words` values point to `text` itself. */
bool param_read(const struct param_row *param, const char *text, union param_value *value,
                char why[QUANTITY_WHY_BYTES]);
void param_write(struct text *out, const struct param_row *param, union param_value value);

/* The shortest digits that mean exactly this number. */
void real_write(struct text *out, double value);

/* The value that a parameter has when nobody sets it. */
union param_value param_default(const struct param_row *param);

/* The i-th of "a|b|c" into the buffer; false past the end. */
bool choice_name(const char *choices, u32 index, char *buffer, size_t size);

#endif
