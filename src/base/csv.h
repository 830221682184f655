/* csv.h - tables of values separated by commas, as RFC 4180 has them: values in quotes may hold
 * commas, line ends and doubled quotes. The text may come from anywhere, so all is checked. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "ogive/ogive.h"
#include "ogive/types.h"

#define CSV_FIELDS_MAX 64

struct csv {
    const char *path; /* for messages */
    char *text;       /* is changed while it is read */
    size_t length, at;
    u32 line;                     /* of the record last read, from 1 */
    u32 next_line;                /* that the next one begins in; 0 at first */
    char *fields[CSV_FIELDS_MAX]; /* of the record last read; live as long as the text */
    u32 count;
};

/* Reads the next record that is not an empty line. False at the end, and if something is wrong,
 * which `error` says then; its kind is 0 otherwise. */
bool csv_next(struct csv *csv, struct ogv_error *error);

#endif
