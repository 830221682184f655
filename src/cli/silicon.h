/* silicon.h - `ogive validate h200`: what was measured on a card beside the same on its model. */
#ifndef CLI_SILICON_H
#define CLI_SILICON_H

#include <jansson.h>

#include "base/text.h"
#include "cli/progress.h"
#include "run/silicon.h"

struct silicon_validation {
    struct silicon_machine machine;
    u32 jobs;              /* rows that run at once */
    const char *reference; /* NULL: the shipped ones */
    const char *json;      /* NULL: not wanted */
    enum progress_style style;
};

/* Returns the exit code. */
int silicon_validate(const struct silicon_validation *validation);

/* ---- What the tables of several references have in common ---- */

struct silicon_table {
    const struct silicon_validation *validation;
    struct text out; /* Markdown, which grows row by row and is shown as far as it goes */
    size_t shown;
    json_t *rows;
    struct progress_task task;
    u32 row_count;          /* of the reference under way */
    struct ogv_error first; /* of the rows that failed */
};

/* Makes the folder for results, and sees whether there can be such a machine. */
bool silicon_ready(const struct silicon_table *table, struct ogv_error *error);

/* Calls `run` for rows in processes of their own, and `take` here, in order, with `context`, whose
 * first member is a struct silicon_table *. */
bool silicon_rows(struct silicon_table *table, u32 count, size_t result_bytes, void *context,
                  bool (*run)(void *context, u32 row, void *result, struct ogv_error *error),
                  void (*take)(void *context, u32 row, const void *result,
                               const struct ogv_error *error),
                  struct ogv_error *error);

void silicon_show(struct silicon_table *table);

/* Keeps the first error, in the name of a row, and returns a line of it without what a table cannot
 * hold; the caller frees. */
char *silicon_failed(struct silicon_table *table, const char *row, const struct ogv_error *error);

/* A number for the file, or null. */
json_t *silicon_json(double number);

/* Adds the table of a reference of launches. */
bool silicon_launches(struct silicon_table *table, const char *path, struct ogv_error *error);

#endif
