/* csv.c - see csv.h. The library is given a byte at a time, so that records and mistakes are known
 * by their lines. */
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

void csv_open(struct csv *csv, const char *path, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that spreadsheets begin UTF-8 with */
    bool marked = length >= 3 && !memcmp(text, mark, 3);
    *csv = (struct csv){
        .path = path, .text = text, .length = length, .at = marked ? 3 : 0, .next_line = 1
    };
    if (csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI))
        ogv_bug("libcsv refuses its own options");
}

bool csv_open_file(struct csv *csv, const char *path, size_t limit, struct ogv_error *error)
{
    size_t length;
    char *text = file_read(path, limit, &length, error);
    if (!text)
        return false;
    csv_open(csv, path, text, length);
    csv->owned = text;
    return true;
}

void csv_close(struct csv *csv)
{
    free(csv->owned);
    csv_free(&csv->parser);
    text_fini(&csv->values);
}

static void field_take(void *bytes, size_t length, void *context)
{
    struct csv *csv = context;
    if (csv->count == CSV_FIELDS_MAX)
        csv->wrong = "too many columns";
    else if (length && memchr(bytes, 0, length))
        csv->wrong = "there is a byte of zero in it: it is no text";
    if (csv->wrong)
        return;
    csv->starts[csv->count++] = csv->values.length;
    text_add_bytes(&csv->values, bytes, length);
    text_add_bytes(&csv->values, "", 1);
}

static void record_take(int end, void *context)
{
    struct csv *csv = context;
    (void)end;
    csv->whole = true;
}

/* The last record may end with the text instead of a line. */
static void text_end(struct csv *csv)
{
    if (csv_fini(&csv->parser, field_take, record_take, csv))
        csv->wrong = "a quote is opened and not closed";
}

static void byte_take(struct csv *csv)
{
    char byte = csv->text[csv->at++];
    if (!csv->begun && byte != '\r' && byte != '\n') {
        csv->begun = true;
        csv->line = csv->next_line;
    }
    if (csv_parse(&csv->parser, &byte, 1, field_take, record_take, csv) != 1)
        csv->wrong = csv_error(&csv->parser) == CSV_EPARSE ? "a quote in the middle of a value"
                                                           : csv_strerror(csv_error(&csv->parser));
    csv->next_line += byte == '\n';
}

bool csv_next(struct csv *csv, struct ogv_error *error)
{
    error->kind = 0;
    csv->count = 0;
    csv->values.length = 0;
    csv->begun = csv->whole = false;
    while (!csv->whole && !csv->wrong && csv->at < csv->length)
        byte_take(csv);
    if (!csv->whole && !csv->wrong)
        text_end(csv);
    if (csv->wrong)
        return error_user(error, "%s:%u: %s", csv->path, csv->line, csv->wrong);
    for (u32 i = 0; i < csv->count; i++)
        csv->fields[i] = csv->values.chars + csv->starts[i];
    return csv->whole;
}
