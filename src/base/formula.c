/* formula.c - a sum is products, a product is factors, a factor is a number, a name, or a sum in
 * parentheses; each adds its steps behind those of what it is made of. */
#include "base/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

struct reading {
    const char *text, *at;
    struct formula *formula;
    u32 depth; /* of parentheses */
    u32 stack; /* numbers on the stack after the last step */
    struct ogv_error *error;
};

static bool reading_fail(const struct reading *reading, const char *what)
{
    char *shown = heap_copy(reading->text);
    text_make_printable(shown);
    error_user(reading->error, "formula '%.200s': %s at character %zu", shown, what,
               (size_t)(reading->at - reading->text) + 1);
    free(shown);
    return false;
}

static void skip_blanks(struct reading *reading)
{
    reading->at += strspn(reading->at, " \t");
}

static bool step_add(struct reading *reading, struct formula_step step)
{
    struct formula *formula = reading->formula;
    bool operand = step.sign == FORMULA_NUMBER || step.sign == FORMULA_NAME;
    reading->stack = operand ? reading->stack + 1 : reading->stack - 1;
    if (formula->step_count == FORMULA_STEPS_MAX || reading->stack > FORMULA_DEPTH_MAX) {
        free(step.name);
        return reading_fail(reading, "it is too long");
    }
    formula->steps[formula->step_count++] = step;
    return true;
}

static bool read_sum(struct reading *reading);

static bool read_parentheses(struct reading *reading)
{
    if (++reading->depth > FORMULA_DEPTH_MAX)
        return reading_fail(reading, "too many parentheses");
    reading->at++;
    if (!read_sum(reading))
        return false;
    if (*reading->at != ')')
        return reading_fail(reading, "a ')' is missing");
    reading->at++;
    reading->depth--;
    return true;
}

static bool read_number(struct reading *reading)
{
    char digits[32];
    size_t length = strspn(reading->at, "0123456789.");
    if (length >= sizeof digits)
        return reading_fail(reading, "a number of too many digits");
    memcpy(digits, reading->at, length);
    digits[length] = 0;
    char *end;
    double number = strtod(digits, &end);
    if (*end)
        return reading_fail(reading, "no number");
    reading->at += length;
    return step_add(reading, (struct formula_step){ FORMULA_NUMBER, number, NULL });
}

static bool read_factor(struct reading *reading)
{
    skip_blanks(reading);
    const char *from = reading->at;
    if (*from == '(')
        return read_parentheses(reading);
    if (isdigit((unsigned char)*from))
        return read_number(reading);
    while (isalnum((unsigned char)*reading->at) || *reading->at == '_' ||
           (*reading->at == '.' && reading->at > from))
        reading->at++;
    if (reading->at == from)
        return reading_fail(reading, "a name, a number or '(' is missing");
    char *name = text_format("%.*s", (int)(reading->at - from), from);
    return step_add(reading, (struct formula_step){ FORMULA_NAME, 0, name });
}

/* Parts with signs between them. */
static bool read_chain(struct reading *reading, bool (*part)(struct reading *), const char *signs,
                       enum formula_sign first)
{
    if (!part(reading))
        return false;
    for (;;) {
        skip_blanks(reading);
        const char *sign = *reading->at ? strchr(signs, *reading->at) : NULL;
        if (!sign)
            return true;
        reading->at++;
        struct formula_step step = { first + (enum formula_sign)(sign - signs), 0, NULL };
        if (!part(reading) || !step_add(reading, step))
            return false;
    }
}

static bool read_product(struct reading *reading)
{
    return read_chain(reading, read_factor, "*/", FORMULA_MUL);
}

static bool read_sum(struct reading *reading)
{
    return read_chain(reading, read_product, "+-", FORMULA_ADD);
}

struct formula *formula_parse(const char *text, struct ogv_error *error)
{
    if (strlen(text) > FORMULA_BYTES_MAX) {
        error_user(error, "a formula of more than %d characters", FORMULA_BYTES_MAX);
        return NULL;
    }
    struct formula *formula = heap_array(1, sizeof *formula);
    struct reading reading = { .text = text, .at = text, .formula = formula, .error = error };
    formula->steps = heap_array(FORMULA_STEPS_MAX, sizeof *formula->steps);
    if (read_sum(&reading) &&
        (!*reading.at || reading_fail(&reading, "a sign (+ - * /) is missing")))
        return formula;
    formula_free(formula);
    return NULL;
}

void formula_free(struct formula *formula)
{
    if (!formula)
        return;
    for (u32 i = 0; i < formula->step_count; i++)
        free(formula->steps[i].name);
    free(formula->steps);
    free(formula);
}

static double sign_apply(enum formula_sign sign, double left, double right)
{
    switch (sign) {
    case FORMULA_ADD:
        return left + right;
    case FORMULA_SUB:
        return left - right;
    case FORMULA_MUL:
        return left * right;
    default:
        return right != 0 ? left / right : 0;
    }
}

double formula_value(const struct formula *formula,
                     double (*value)(void *context, const char *name), void *context)
{
    double stack[FORMULA_DEPTH_MAX + 1] = { 0 };
    u32 top = 0;
    for (u32 i = 0; i < formula->step_count; i++) {
        const struct formula_step *step = &formula->steps[i];
        if (step->sign == FORMULA_NUMBER)
            stack[top++] = step->number;
        else if (step->sign == FORMULA_NAME)
            stack[top++] = value(context, step->name);
        else {
            top--;
            stack[top - 1] = sign_apply(step->sign, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

const char *formula_sign(enum formula_sign sign)
{
    static const char *const signs[] = { NULL, NULL, "+", "-", "*", "/" };
    return signs[sign];
}
