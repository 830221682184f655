/* stats_table.h - series.csv, read back. */
#ifndef RESULT_STATS_TABLE_H
#define RESULT_STATS_TABLE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

struct stats_table {
    char *text;           /* the file, cut up */
    const char **columns; /* names; the first is `cycle` */
    const char **fields;  /* [lines][columns] */
    cycle *ends;          /* the first column */
    u32 column_count, line_count;
};

/* NULL on failure. A last line that is not whole does not count. */
struct stats_table *table_read(const char *path, struct ogv_error *error);
void table_free(struct stats_table *table);

/* UINT32_MAX if there is none of that name. */
u32 table_column(const struct stats_table *table, const char *name);

/* 0 for an empty field. */
double table_number(const struct stats_table *table, u32 line, u32 column);

#endif
