/* launches.c - see launches.h. */
#include "run/launches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/launches_rules.h"
#include "run/launches_window.h"
#include "run/silicon.h"

#define PROGRAM "kernels"

/* C(name, column): what is read of a row, besides kernel, grid and block. */
#define LAUNCH_COLUMNS(C)                                                \
    C(cycles, "sm__cycles_elapsed.max")                                  \
    C(instructions, "smsp__inst_executed.sum")                           \
    C(requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")       \
    C(sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")         \
    C(hits, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum") \
    C(l2_sectors, "lts__t_sectors.sum")                                  \
    C(dram_read, "dram__bytes_read.sum")                                 \
    C(dram_written, "dram__bytes_write.sum")

enum launch_column {
    COLUMN_kernel,
    COLUMN_grid,
    COLUMN_block,
#define COLUMN_NUMBER(name, column) COLUMN_##name,
    LAUNCH_COLUMNS(COLUMN_NUMBER)
#undef COLUMN_NUMBER
        COLUMNS,
};

static const char *const column_names[COLUMNS] = { "kernel", "grid", "block",
#define COLUMN_NAME(name, column) column,
                                                   LAUNCH_COLUMNS(COLUMN_NAME)
#undef COLUMN_NAME
};

/* ---- The file ---- */

/* Which field of a record has which column. */
struct header {
    u32 at[COLUMNS], count;
};

bool launches_are(const char *path, bool *are, struct ogv_error *error)
{
    struct csv csv = { .path = path };
    csv.text = file_read(path, SILICON_FILE_BYTES_MAX, &csv.length, error);
    *are = csv.text && csv_next(&csv, error) && !strcmp(csv.fields[0], column_names[COLUMN_kernel]);
    bool good = csv.text && !error->kind;
    free(csv.text);
    return good;
}

static bool column_find(const struct csv *csv, u32 column, u32 *at, struct ogv_error *error)
{
    u32 found = 0;
    for (u32 i = 0; i < csv->count; i++)
        if (!strcmp(csv->fields[i], column_names[column])) {
            *at = i;
            found++;
        }
    if (found == 1)
        return true;
    return error_user(error, "%s:1: %s column '%s'", csv->path,
                      found ? "there is more than one" : "there is no", column_names[column]);
}

static bool header_read(struct csv *csv, struct header *header, struct ogv_error *error)
{
    if (!csv_next(csv, error))
        return error->kind ? false : error_user(error, "%s: is empty", csv->path);
    header->count = csv->count;
    for (u32 i = 0; i < COLUMNS; i++)
        if (!column_find(csv, i, &header->at[i], error))
            return false;
    return true;
}

/* "(256, 1, 1)" */
static bool extent_read(const struct csv *csv, const struct header *header, u32 column,
                        u32 extent[3], struct ogv_error *error)
{
    const char *text = csv->fields[header->at[column]];
    int length = 0;
    if (strspn(text, "(), 0123456789") == strlen(text) && strlen(text) <= 40 &&
        sscanf(text, "(%9u, %9u, %9u)%n", &extent[0], &extent[1], &extent[2], &length) == 3 &&
        (size_t)length == strlen(text))
        return true;
    return error_user(error, "%s:%u: '%.40s' as %s: has to be as in \"(256, 1, 1)\"", csv->path,
                      csv->line, text, column_names[column]);
}

static bool counts_read(const struct csv *csv, const struct header *header, double counts[COLUMNS],
                        struct ogv_error *error)
{
    for (u32 i = COLUMN_block + 1; i < COLUMNS; i++) {
        const char *text = csv->fields[header->at[i]];
        if (!silicon_number_read(csv, column_names[i], text, &counts[i], error))
            return false;
        if (counts[i] < 0)
            return error_user(error, "%s:%u: '%.40s' as %s: has to be 0 or more", csv->path,
                              csv->line, text, column_names[i]);
    }
    return true;
}

static char *field_copy(const struct csv *csv, const struct header *header, u32 column)
{
    char *copy = heap_copy(csv->fields[header->at[column]]);
    text_make_printable(copy);
    return copy;
}

static void figures_fill(struct launch *launch, const double counts[COLUMNS])
{
    double loads = counts[COLUMN_sectors];
    launch->figures[LAUNCH_cycles] = counts[COLUMN_cycles];
    launch->figures[LAUNCH_l1_hit_rate] = loads > 0 ? counts[COLUMN_hits] / loads : NAN;
    launch->figures[LAUNCH_l2_sectors] = counts[COLUMN_l2_sectors];
    launch->figures[LAUNCH_dram_bytes] = counts[COLUMN_dram_read] + counts[COLUMN_dram_written];
    launch->figures[LAUNCH_instructions] = counts[COLUMN_instructions];
}

static bool launch_read(const struct csv *csv, const struct header *header, struct launch *launch,
                        struct ogv_error *error)
{
    double counts[COLUMNS];
    if (csv->count != header->count)
        return error_user(error, "%s:%u: %u columns instead of %u; values with commas are quoted",
                          csv->path, csv->line, csv->count, header->count);
    *launch = (struct launch){ .kernel = field_copy(csv, header, COLUMN_kernel),
                               .grid = field_copy(csv, header, COLUMN_grid),
                               .block = field_copy(csv, header, COLUMN_block),
                               .line = csv->line };
    struct launch_shape shape = { .kernel = launch->kernel };
    if (!extent_read(csv, header, COLUMN_grid, shape.grid, error) ||
        !extent_read(csv, header, COLUMN_block, shape.block, error) ||
        !counts_read(csv, header, counts, error))
        return false;
    shape.requests = counts[COLUMN_requests];
    shape.sectors = counts[COLUMN_sectors];
    shape.dram_read = counts[COLUMN_dram_read];
    figures_fill(launch, counts);
    launch->arguments = launch_arguments(&shape, &launch->reason);
    return true;
}

static bool rows_read(struct csv *csv, struct launches *launches, struct ogv_error *error)
{
    struct header header;
    u32 room = 0;
    if (!header_read(csv, &header, error))
        return false;
    while (csv_next(csv, error)) {
        if (launches->count == SILICON_ROWS_MAX)
            return error_user(error, "%s: more than %d rows", csv->path, SILICON_ROWS_MAX);
        if (launches->count == room) {
            room = room ? 2 * room : 64;
            launches->of = heap_grow(launches->of, room, sizeof *launches->of);
        }
        struct launch *launch = &launches->of[launches->count++];
        *launch = (struct launch){ 0 };
        if (!launch_read(csv, &header, launch, error))
            return false;
    }
    if (error->kind)
        return false;
    return launches->count || error_user(error, "%s: there is no row in it", csv->path);
}

bool launches_read(const char *path, struct launches *launches, struct ogv_error *error)
{
    struct csv csv = { .path = path };
    *launches = (struct launches){ 0 };
    csv.text = file_read(path, SILICON_FILE_BYTES_MAX, &csv.length, error);
    bool good = csv.text && rows_read(&csv, launches, error);
    free(csv.text);
    return good;
}

void launches_fini(struct launches *launches)
{
    for (u32 i = 0; i < launches->count; i++) {
        struct launch *launch = &launches->of[i];
        free(launch->kernel);
        free(launch->grid);
        free(launch->block);
        free(launch->arguments);
        free(launch->reason);
    }
    free(launches->of);
}

/* ---- Running one ---- */

bool launches_compile(const struct silicon_machine *machine, struct ogv_error *error)
{
    return silicon_program_make(machine, "programs", PROGRAM, error);
}

/* What the program prints of its launch. */
static bool window_find(const char *said, cycle *from, cycle *cycles)
{
    unsigned long long first, length;
    const char *at = strstr(said, " cycles ");
    if (!at || sscanf(at, " cycles %llu from %llu", &length, &first) != 2)
        return false;
    *from = first;
    *cycles = length;
    return true;
}

bool launch_run(const struct silicon_machine *machine, const struct launch *launch,
                double figures[LAUNCH_FIGURE_COUNT], struct ogv_error *error)
{
    ogv_system *system = silicon_start(machine, true, PROGRAM, launch->arguments, error);
    if (!system)
        return false;
    struct launch_samples *samples = samples_create();
    cycle from, cycles;
    error->kind = OGV_ERROR_NONE;
    enum sim_end end = samples_run(samples, system, error);
    char *said = error->kind ? NULL : silicon_end(system, end, error);
    bool good = said && window_find(said, &from, &cycles);
    if (good)
        samples_figures(samples, from, cycles, figures);
    else if (said)
        error_user(error, "its program did not say how long it took: %s", said);
    free(said);
    samples_destroy(samples);
    ogv_system_destroy(system);
    return good;
}

double launch_error(enum launch_figure figure, double measured, double simulated)
{
    double off = fabs(simulated - measured);
    if (figure == LAUNCH_l1_hit_rate)
        return off;
    return measured > 0 ? off / measured : NAN;
}
