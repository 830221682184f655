/* formula.h - arithmetic on named numbers: "hits * latency + (lookups - hits) * 2".
 *
 * Names (with dots between their parts), numbers, + - * / with their usual order, parentheses. A
 * formula is read once, into steps that work on a stack (first what is worked with, then the sign),
 * and worked out as often as wanted. A text may come from anybody: its length, its steps and its
 * depth are bounded. */
#ifndef BASE_FORMULA_H
#define BASE_FORMULA_H

#include "ogive/types.h"

struct ogv_error;

#define FORMULA_BYTES_MAX 1024
#define FORMULA_STEPS_MAX 128
#define FORMULA_DEPTH_MAX 16 /* of parentheses, and of the stack */

enum formula_sign {
    FORMULA_NUMBER,
    FORMULA_NAME,
    FORMULA_ADD,
    FORMULA_SUB,
    FORMULA_MUL,
    FORMULA_DIV
};

struct formula_step {
    enum formula_sign sign;
    double number;
    char *name;
};

struct formula {
    struct formula_step *steps; /* in the order in which they are worked out */
    u32 step_count;
};

/* NULL on failure; the message says what is wrong and at which character. */
struct formula *formula_parse(const char *text, struct ogv_error *error);
void formula_free(struct formula *formula);

/* Division by zero gives 0: nothing was there to be divided among. */
double formula_value(const struct formula *formula,
                     double (*value)(void *context, const char *name), void *context);

/* "+", "-", "*" or "/"; NULL for what is worked with. */
const char *formula_sign(enum formula_sign sign);

#endif
