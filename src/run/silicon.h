/* silicon.h - microbenchmarks of a card: what was measured on it, row by row, and the same on a
 * simulated one.
 *
 * A reference is a CSV file of the columns group, name, parameter, value, unit, as micro.cu of
 * bench/silicon prints it. Each row names a benchmark, which is a device program of
 * programs/silicon with arguments that follow from the row's name and parameter. */
#ifndef RUN_SILICON_H
#define RUN_SILICON_H

#include "base/csv.h"
#include "run/silicon_machine.h"

#define SILICON_FILE_BYTES_MAX (16 * MiB)
#define SILICON_ROWS_MAX       100000

struct silicon_benchmark;

struct silicon_row {
    char *group, *name, *unit;
    double parameter, value;
    u32 line; /* of the file */
    const struct silicon_benchmark *benchmark;
    char *arguments; /* of its program */
    char *reason;    /* why there is no benchmark for it; or NULL */
};

struct silicon_reference {
    struct silicon_row *rows;
    u32 count;
};

/* Reads a reference. False if it is no such file; rows that no benchmark is known for have a
 * reason. The caller frees what was read in either case. */
bool silicon_read(const char *path, struct silicon_reference *reference, struct ogv_error *error);
void silicon_fini(struct silicon_reference *reference);

/* A value of the record that was read last. */
bool silicon_number_read(const struct csv *csv, const char *column, const char *text,
                         double *number, struct ogv_error *error);

/* Compiles the programs of a reference's benchmarks into the folder. */
bool silicon_compile(const struct silicon_machine *machine,
                     const struct silicon_reference *reference, struct ogv_error *error);

/* Runs a row's benchmark; fails with the reason where there is none. */
bool silicon_run(const struct silicon_machine *machine, const struct silicon_row *row,
                 double *value, struct ogv_error *error);

/* How a simulated value stands to the one that was measured. */
struct silicon_score {
    u32 rows, within_10, within_30;
};
void silicon_score_add(struct silicon_score *score, double measured, double simulated);

#endif
