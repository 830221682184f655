/* unit_series.h - series.units: every counter of every unit, interval by interval.
 *
 * A file of columns, so that whoever wants one statistic of a large chip reads only that. After a
 * description of the columns come blocks of up to 256 intervals. A block holds, for each statistic
 * of a line of the architecture file, the values of all its copies, interval after interval, as
 * variable-length numbers packed with zstd; what was zero throughout is left out. Counters are
 * written as what they grew by, largest values as they stand.
 *
 *     "OGVSERS1"  u32 length  JSON: { "groups": [ { "path", "type", "stats": [...],
 *                                                   "units": [paths] } ] }
 *     block:  "BLK1"  u32 intervals  u32 chunks  u32 bytes of chunks  u64 ends[intervals]
 *             chunk:  u32 column  u32 bytes unpacked  u32 bytes packed  packed bytes
 *
 * Numbers are little-endian. Columns count through the statistics of the first group, then of the
 * second, and so on. The file grows by whole blocks; a block that is not whole does not count. */
#ifndef RESULT_UNIT_SERIES_H
#define RESULT_UNIT_SERIES_H

#include "result/folder.h"

#define UNIT_SERIES_FILE "series.units"

/* ---- Writing ---- */

struct unit_series;

/* NULL on failure. */
struct unit_series *unit_series_open(ogv_system *system, const struct folder *folder,
                                     struct ogv_error *error);

/* Adds an interval that ends now. The statistics must be settled. After a block that could not be
 * written there comes nothing more: the file says what happened until then. */
bool unit_series_sample(struct unit_series *series, cycle now, struct ogv_error *error);

/* Writes what is held back as a block of its own. */
bool unit_series_flush(struct unit_series *series, struct ogv_error *error);

/* Writes what is left; false if that fails. Frees the series in any case. */
bool unit_series_close(struct unit_series *series, struct ogv_error *error);

/* ---- Reading ---- */

struct series_group {
    const char *path, *type;
    const char **stats, **units;
    u32 stat_count, unit_count, first_column;
};

struct series_file {
    struct series_group *groups;
    u32 group_count, column_count;
    cycle *ends; /* of the intervals */
    u32 interval_count;
    struct series_content *content; /* where blocks and chunks are */
};

/* NULL on failure. */
struct series_file *series_file_open(const char *folder, struct ogv_error *error);
void series_file_close(struct series_file *file);

/* Calls `visit` with the values of all units of a column, for each of the intervals in [first, end)
 * in which any is not zero. False if the file is damaged. */
typedef void series_visitor(void *context, u32 interval, const u64 *values);
bool series_file_visit(const struct series_file *file, u32 column, u32 first, u32 end,
                       series_visitor *visit, void *context, struct ogv_error *error);

#endif
