/* csv.h - tables of values separated by commas, as RFC 4180 has them, read by libcsv: values in
 * quotes may hold commas, line ends and doubled quotes. What is added is the line of a record, for
 * messages. The text may come from anywhere, so all is checked. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <csv.h>

#include "base/text.h"
#include "ogive/ogive.h"

#define CSV_FIELDS_MAX 64

struct csv {
    const char *path, *text;
    size_t length, at;
    u32 line;                           /* of the record last read, from 1 */
    u32 next_line;                      /* that the next byte is in */
    const char *fields[CSV_FIELDS_MAX]; /* of the record last read, up to the next one */
    u32 count;

    struct csv_parser parser;
    struct text values; /* of the record, one behind the other */
    size_t starts[CSV_FIELDS_MAX];
    const char *wrong; /* NULL: nothing */
    bool begun, whole; /* a record has, is */
};

/* Path and text, which are the caller's, have to live until csv_close. */
void csv_open(struct csv *csv, const char *path, const char *text, size_t length);
void csv_close(struct csv *csv);

/* Reads the next record that is not an empty line. False at the end, and if something is wrong,
 * which `error` says then; its kind is 0 otherwise. */
bool csv_next(struct csv *csv, struct ogv_error *error);

#endif
