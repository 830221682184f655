/* values.c - reads sizes, vectors, numbers and words out of arguments, the whole argument or not
 * at all, and writes values with the prefix that fits. */
#include "cli/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "ogive/rt_treelet.h"
#include "unit/quantity.h"

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

bool number_within(const char *command, const char *option, u64 number, u64 least, u64 most)
{
    if (number >= least && number <= most)
        return true;
    say_error("%s: --%s %llu: can be %llu to %llu", command, option, (unsigned long long)number,
              (unsigned long long)least, (unsigned long long)most);
    return false;
}

bool output_check(const char *option, const char *path, const char *ending, struct ogv_error *error)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (folder_exists(path))
        return error_user(error, "%s %s: is a folder; the name of a %s file is needed", option,
                          path, ending);
    if (length <= tail || strcasecmp(path + length - tail, ending))
        return error_user(error, "%s %s: only %s files can be written, so the name must end in %s",
                          option, path, ending, ending);
    return true;
}

bool checkpoints_read(const char *command, const char *text, cycle *cycles, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    bool time = !strcmp(end, "s") || !strcmp(end, "seconds");
    bool good =
        value >= (time ? 1e-9 : 1) && value < 1e15 && (time || !*end || !strcmp(end, "cycles"));
    if (good && time)
        *seconds = value;
    else if (good)
        *cycles = (cycle)value;
    else
        say_error("%s: --checkpoint-every %s: write cycles as in '50000' or a time as in '30s'",
                  command, text);
    return good;
}

bool word_read(const char *command, const char *option, const char *text, const char *const *words,
               u32 *number)
{
    struct text list = { 0 };
    struct nearest nearest;
    char hint[128];
    for (*number = 0; words[*number]; ++*number)
        if (!strcmp(words[*number], text))
            return true;
    nearest_init(&nearest, text);
    for (u32 i = 0; words[i]; i++) {
        text_add(&list, "%s%s", i ? ", " : "", words[i]);
        nearest_offer(&nearest, words[i]);
    }
    say_error("%s: --%s %s: there is %s%s", command, option, text, text_get(&list),
              nearest_hint(&nearest, hint, sizeof hint));
    text_fini(&list);
    return false;
}

bool treelets_read(const char *text, u32 *bytes, struct ogv_error *error)
{
    char why[QUANTITY_WHY_BYTES];
    u64 size;
    if (!text)
        return true;
    if (!quantity_read(text, PARAM_BYTES, &size, why))
        return error_user(error, "--treelets %s: %s", text, why);
    if (!rt_treelet_bytes_fit(size))
        return error_user(error, "--treelets %s: can be 8, 16, 32 or 64 KiB", text);
    *bytes = (u32)size;
    return true;
}
