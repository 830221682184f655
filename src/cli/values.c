/* values.c - see values.h. */
#include "cli/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

bool pixels_read(const char *text, u32 least, u32 most, u32 *width, u32 *height,
                 struct ogv_error *error)
{
    char end;
    bool good = isdigit((unsigned char)*text) &&
                sscanf(text, "%9ux%9u%c", width, height, &end) == 2 && *width >= least &&
                *height >= least && *width <= most && *height <= most;
    return good || error_user(error,
                              "--size %s: has to be WIDTHxHEIGHT in pixels, each %u to %u, such as "
                              "1024x1024",
                              text, least, most);
}

static bool finite_read(const char *text, char **end, float *value)
{
    *value = strtof(text, end);
    return *end != text && !isspace((unsigned char)*text) && isfinite(*value);
}

bool vector_read(const char *option, const char *text, float out[3], struct ogv_error *error)
{
    const char *at = text;
    char *end = NULL;
    for (u32 k = 0; k < 3; k++) {
        if (!finite_read(at, &end, &out[k]) || *end != (k < 2 ? ',' : 0))
            return error_user(error, "--%s needs three numbers, such as 1,2.5,-3, not '%s'", option,
                              text);
        at = end + 1;
    }
    return true;
}

void si_write(char *buffer, size_t size, double value, const char *unit)
{
    static const struct {
        double from;
        const char *name;
    } prefixes[] = {
        { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" }, { 1e-6, "u" }, { 1e-9, "n" },
    };
    u32 i = 0;
    if (!isfinite(value)) {
        snprintf(buffer, size, "not known");
        return;
    }
    while (i < 5 && fabs(value) < prefixes[i].from)
        i++;
    if (value == 0)
        snprintf(buffer, size, "0 %s", unit);
    else
        snprintf(buffer, size, "%.4g %s%s", value / prefixes[i].from, prefixes[i].name, unit);
}

bool number_read(const char *option, const char *text, float *out, struct ogv_error *error)
{
    char *end;
    return (finite_read(text, &end, out) && !*end) ||
           error_user(error, "--%s needs a number, not '%s'", option, text);
}
