/* sweep_table.c - `ogive sweep table`: statistics of a study's runs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/sweep.h"
#include "cli/values.h"
#include "explore/table.h"

struct table_arguments {
    struct text_list rest, stats;
    const char *store, *format, *out;
    struct table_options options;
    struct table_shape shape;
};

static int sheet_print(const struct table_arguments *arguments, const struct sheet *sheet,
                       enum sheet_format format)
{
    struct text out = { 0 };
    struct ogv_error error;
    sheet_write(sheet, format, &out);
    bool good = true;
    if (arguments->out)
        good = file_write(arguments->out, text_get(&out), out.length, &error);
    else
        fwrite(text_get(&out), 1, out.length, stdout);
    text_fini(&out);
    return good ? EXIT_GOOD : fail(&error);
}

static int table_do(const struct table_arguments *arguments, const struct store *store,
                    const struct manifest *manifest, enum sheet_format format)
{
    struct table table;
    struct sheet sheet;
    struct ogv_error error;
    struct table_shape shape = arguments->shape;
    if (!table_make(store, manifest, &arguments->options, &table, &error))
        return fail(&error);
    shape.exact = format == SHEET_CSV;
    table_draw(&table, &shape, &sheet);
    int code = sheet_print(arguments, &sheet, format);
    if (table.done < manifest->count)
        say_error("%u of %u runs have no result; `ogive sweep status %s` says why",
                  manifest->count - table.done, manifest->count, manifest->study);
    sheet_fini(&sheet);
    table_fini(&table);
    return code;
}

int sweep_table(const struct command *self, int argc, char **argv)
{
    struct table_arguments a = { 0 };
    const struct option_row rows[] = {
        STORE_ROW(a.store),
        { 0, "stat", "NAME",
          "figure of the summary, statistic as in sm.l1.hits, or formula of them; may be repeated "
          "(default: cycles)",
          OPTION_LIST, &a.stats },
        { 0, "rows", "AXIS,..", "axes down the side (default: those that are not columns)",
          OPTION_TEXT, &a.options.rows },
        { 0, "columns", "AXIS,..", "axes along the top (default: none)", OPTION_TEXT,
          &a.options.columns },
        { 0, "relative", "AXIS=VALUE", "to the run that has this value, and all others alike",
          OPTION_TEXT, &a.options.relative },
        { 0, "geometric", NULL, "means within a cell are geometric ones", OPTION_FLAG,
          &a.options.geometric },
        { 0, "mean", NULL, "a row with the mean of each column", OPTION_FLAG, &a.shape.mean },
        { 0, "geomean", NULL, "a row with the geometric mean", OPTION_FLAG, &a.shape.geomean },
        { 0, "format", "text|csv|markdown|latex", "default: text", OPTION_TEXT, &a.format },
        { 'o', "out", "FILE", "write it there", OPTION_TEXT, &a.out },
        { 0 },
    };
    struct store store;
    u32 format = SHEET_TEXT;
    int code;
    if (options_parse(self, rows, argc, argv, &a.rest, &code)) {
        a.options.stats = a.stats.items;
        a.options.stat_count = a.stats.count;
        code = EXIT_USER;
        bool good =
            !a.format || word_read("sweep table", "format", a.format, sheet_format_names, &format);
        struct manifest *manifest =
            good ? sweep_open(self, &a.rest, a.store, STORE_READ, &store, &code) : NULL;
        if (manifest) {
            code = table_do(&a, &store, manifest, (enum sheet_format)format);
            manifest_destroy(manifest);
            store_close(&store);
        }
    }
    list_fini(&a.rest);
    list_fini(&a.stats);
    return code;
}
