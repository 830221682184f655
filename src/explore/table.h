/* table.h - statistics of a study's runs over its axes.
 *
 * A cell is the mean (or geometric mean) of all runs that have its values on the axes that are
 * shown: of repeats, and over axes that are not shown. */
#ifndef EXPLORE_TABLE_H
#define EXPLORE_TABLE_H

#include "explore/manifest.h"
#include "explore/sheet.h"

#define TABLE_STATS_MAX 64

struct table_options {
    const char *const *stats;   /* names, formulas of them, or "LABEL = FORMULA" */
    u32 stat_count;             /* 0: cycles */
    const char *rows, *columns; /* axes, with commas between; NULL: all others; none */
    const char *relative;       /* "AXIS=VALUE,...": to the run that has this, and all else alike */
    bool geometric;             /* means within cells */
};

struct table_axes {
    u32 axes[STUDY_AXES_MAX];
    u32 count;
};

struct table_stat {
    char *label;
    const char *unit; /* "" if it has none, or is a formula of several */
    struct formula *formula;
};

/* Where a cell stands on the axes of a side: AXIS_NONE for those of the other. */
struct table_key {
    u32 at[STUDY_AXES_MAX];
};

struct table {
    const struct manifest *manifest;
    struct index *index; /* what units belong to */
    struct table_axes row_axes, column_axes;
    struct table_stat stats[TABLE_STATS_MAX];
    u32 stat_count;
    struct table_key *rows, *columns; /* in the order of the axes */
    u32 row_count, column_count;      /* of columns at least one */
    double *values;                   /* [row][column][stat]; NAN: no run has it */
    u32 done;                         /* runs that have a result */
    double *of_runs;                  /* [run][stat]: before anything is combined or related */
};

bool table_make(const struct store *store, const struct manifest *manifest,
                const struct table_options *options, struct table *table, struct ogv_error *error);
void table_fini(struct table *table);

double table_value(const struct table *table, u32 row, u32 column, u32 stat);

/* "64 KiB, primary"; the caller frees. */
char *table_label(const struct table *table, const struct table_axes *axes,
                  const struct table_key *key);

struct table_shape {
    bool mean, geomean; /* rows at the bottom */
    bool exact;         /* all digits */
};
void table_draw(const struct table *table, const struct table_shape *shape, struct sheet *sheet);

/* "sm.l1.hits (requests)"; the caller frees. */
char *table_heading(const struct table_stat *stat);

/* A number as tables show it; the caller frees. */
char *table_number_words(double value, bool exact);

#endif
