/* reference.c - see reference.h. */
#include "explore/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"

#define REFERENCE_MAX (16 * MiB)

struct columns {
    u32 axes[CSV_FIELDS_MAX]; /* of each column: an axis, or UINT32_MAX */
    u32 count, number;        /* number: the column with the values */
};

static bool heading_read(const struct manifest *manifest, const struct csv *csv, const char *column,
                         struct columns *columns, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    columns->count = csv->count;
    columns->number = UINT32_MAX;
    nearest_init(&nearest, column);
    for (u32 i = 0; i < csv->count; i++) {
        nearest_offer(&nearest, csv->fields[i]);
        columns->axes[i] = manifest_axis_find(manifest, csv->fields[i]);
        if (!strcmp(csv->fields[i], column))
            columns->number = i;
    }
    return columns->number != UINT32_MAX ||
           error_user(error, "%s:%u: there is no column '%s'%s", csv->path, csv->line, column,
                      nearest_hint(&nearest, hint, sizeof hint));
}

static bool line_fits(const struct manifest *manifest, const struct manifest_run *run,
                      const struct csv *csv, const struct columns *columns)
{
    for (u32 i = 0; i < columns->count; i++)
        if (columns->axes[i] != UINT32_MAX &&
            strcmp(csv->fields[i], manifest_label(manifest, run, columns->axes[i])))
            return false;
    return true;
}

static bool line_read(const struct manifest *manifest, const struct csv *csv,
                      const struct columns *columns, double *numbers, struct ogv_error *error)
{
    char *end;
    u32 fitting = 0;
    if (csv->count != columns->count)
        return error_user(error, "%s:%u: has %u values, not %u as the first line", csv->path,
                          csv->line, csv->count, columns->count);
    const char *text = csv->fields[columns->number];
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return error_user(error, "%s:%u: '%s' is not a number", csv->path, csv->line, text);
    for (u32 i = 0; i < manifest->count; i++)
        if (line_fits(manifest, &manifest->runs[i], csv, columns)) {
            numbers[i] = number;
            fitting++;
        }
    return fitting ||
           error_user(error, "%s:%u: no run of the study has these values", csv->path, csv->line);
}

bool reference_read(const struct manifest *manifest, const char *path, const char *column,
                    double *numbers, struct ogv_error *error)
{
    struct csv csv;
    struct columns columns;
    if (!csv_open_file(&csv, path, REFERENCE_MAX, error))
        return false;
    for (u32 i = 0; i < manifest->count; i++)
        numbers[i] = NAN;
    bool good = csv_next(&csv, error);
    if (!good && !error->kind)
        error_user(error, "%s: is empty", path);
    good = good && heading_read(manifest, &csv, column ? column : "reference", &columns, error);
    while (good && csv_next(&csv, error))
        good = line_read(manifest, &csv, &columns, numbers, error);
    good = good && !error->kind;
    csv_close(&csv);
    return good;
}
