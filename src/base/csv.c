/* csv.c - see csv.h. Fields are unquoted in place: they only become shorter. */
#include "base/csv.h"

#include <string.h>

#include "base/error.h"

static bool at_end(const struct csv *csv)
{
    return csv->at >= csv->length;
}

static bool csv_wrong(const struct csv *csv, const char *what, struct ogv_error *error)
{
    return error_user(error, "%s:%u: %s", csv->path, csv->line, what);
}

/* From behind the opening quote to behind the closing one. */
static bool quoted_read(struct csv *csv, char **to, struct ogv_error *error)
{
    for (; !at_end(csv); csv->at++) {
        char c = csv->text[csv->at];
        if (c == '"') {
            if (csv->at + 1 >= csv->length || csv->text[csv->at + 1] != '"') {
                csv->at++;
                return true;
            }
            csv->at++;
        }
        csv->next_line += c == '\n';
        *(*to)++ = c;
    }
    return csv_wrong(csv, "a quote is opened and not closed", error);
}

/* What ends it is taken with it; `last`: that was the end of the record. */
static bool field_read(struct csv *csv, bool *last, struct ogv_error *error)
{
    char *to = csv->text + csv->at;
    if (csv->count == CSV_FIELDS_MAX)
        return csv_wrong(csv, "too many columns", error);
    csv->fields[csv->count++] = to;
    bool quoted = !at_end(csv) && csv->text[csv->at] == '"';
    if (quoted) {
        csv->at++;
        if (!quoted_read(csv, &to, error))
            return false;
    } else {
        while (!at_end(csv) && !strchr(",\r\n\"", csv->text[csv->at]))
            *to++ = csv->text[csv->at++];
    }
    char end = at_end(csv) ? '\n' : csv->text[csv->at];
    if (!at_end(csv) && end == '\0')
        return csv_wrong(csv, "there is a byte of zero in it: it is no text", error);
    if (end == '"' || (quoted && !strchr(",\r\n", end)))
        return csv_wrong(csv, "a quote in the middle of a value", error);
    csv->at += !at_end(csv);
    if (end == '\r' && !at_end(csv) && csv->text[csv->at] == '\n')
        csv->at++;
    *last = end != ',';
    csv->next_line += *last;
    *to = '\0';
    return true;
}

bool csv_next(struct csv *csv, struct ogv_error *error)
{
    error->kind = 0;
    csv->next_line += !csv->next_line;
    while (!at_end(csv) && strchr("\r\n", csv->text[csv->at]) && csv->text[csv->at])
        csv->next_line += csv->text[csv->at++] == '\n';
    csv->line = csv->next_line;
    csv->count = 0;
    if (at_end(csv))
        return false;
    for (bool last = false; !last;)
        if (!field_read(csv, &last, error))
            return false;
    return true;
}
