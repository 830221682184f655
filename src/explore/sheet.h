/* sheet.h - a table of texts, written for terminals, spreadsheets, documents. */
#ifndef EXPLORE_SHEET_H
#define EXPLORE_SHEET_H

#include "base/text.h"
#include "ogive/ogive.h"

enum sheet_format { SHEET_TEXT, SHEET_CSV, SHEET_MARKDOWN, SHEET_LATEX, SHEET_FORMATS };
extern const char *const sheet_format_names[SHEET_FORMATS + 1]; /* ended by NULL */

struct sheet {
    char *title;  /* what the numbers are, where no heading says it; or NULL */
    char **cells; /* row after row; the first row is the heading */
    u32 rows, columns;
    u32 labels; /* columns at the left that hold names, not numbers */
    u32 feet;   /* rows at the bottom that sum up the others */
};

/* A sheet of empty cells. */
void sheet_init(struct sheet *sheet, u32 rows, u32 columns, u32 labels);
void sheet_fini(struct sheet *sheet);

/* Takes the text. */
void sheet_put(struct sheet *sheet, u32 row, u32 column, char *text);
const char *sheet_get(const struct sheet *sheet, u32 row, u32 column);

void sheet_write(const struct sheet *sheet, enum sheet_format format, struct text *out);

#endif
