/* study_page.c - see study_page.h. The page is report/study.html with the numbers of all runs. */
#include "report/study_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "explore/index.h"
#include "report/page.h"

#define NUMBERS_MAX  1000000 /* in a page; a study with more has the summary's only */
#define FIGURE_BYTES 128
#define DIGITS_MAX   15 /* that a browser keeps */

struct chosen {
    const struct figure_names *names; /* of the first run that has some */
    u32 count;
};

static void json_text_add(struct text *data, const char *words)
{
    json_t *string = json_string(words);
    char *text = json_dumps(string, JSON_ENCODE_ANY);
    text_add_words(data, text ? text : "\"\"");
    free(text);
    json_decref(string);
}

/* ---- Statistics ---- */

/* Figures of the summary come first, and have no dots. */
static struct chosen figures_choose(const struct index *index, const struct manifest *manifest)
{
    struct chosen chosen = { 0 };
    for (u32 i = 0; !chosen.names && i < manifest->count; i++) {
        const struct index_row *row = index_find(index, manifest->runs[i].key);
        chosen.names = row ? row->names : NULL;
    }
    chosen.count = chosen.names ? chosen.names->count : 0;
    if ((double)chosen.count * manifest->count > NUMBERS_MAX)
        for (chosen.count = 0;
             chosen.count < chosen.names->count && !strchr(chosen.names->names[chosen.count], '.');)
            chosen.count++;
    return chosen;
}

static void stats_add(struct text *data, const struct chosen *chosen)
{
    text_add(data, "\"stats\":[");
    for (u32 i = 0; i < chosen->count; i++) {
        text_add(data, i ? ",[" : "[");
        json_text_add(data, chosen->names->names[i]);
        text_add(data, ",");
        json_text_add(data, chosen->names->units[i]);
        text_add(data, "]");
    }
    text_add(data, "],\n");
}

/* A number as JSON has it; false if the text is none. */
static bool number_is(const char *text)
{
    return *text && strspn(text, "0123456789.eE+-") == strlen(text) &&
           strspn(text, "0123456789") <= DIGITS_MAX && *text != '+' && *text != '.';
}

/* Runs of machines of another make have their figures elsewhere, or not at all. */
static void values_add(struct text *data, const struct index_row *row, const struct chosen *chosen)
{
    text_add(data, "[");
    for (u32 i = 0; i < chosen->count; i++) {
        char text[FIGURE_BYTES];
        u32 figure =
            row->names == chosen->names ? i : figure_find(row->names, chosen->names->names[i]);
        bool known = figure != UINT32_MAX && row_figure(row, figure, text, sizeof text);
        text_add(data, i ? "," : "");
        text_add_words(data, known && number_is(text) ? text : "null");
    }
    text_add(data, "]");
}

/* ---- Runs ---- */

static void run_add(struct text *data, const struct store *store, const struct manifest *manifest,
                    const struct standing *standing, const struct index *index,
                    const struct chosen *chosen, const char *reports, u32 number)
{
    const struct manifest_run *run = &manifest->runs[number];
    const struct index_row *row = index_find(index, run->key);
    u8 state = standing->states[number];
    char *command = manifest_command(run);
    char *report = store_file(store, run->key, "run/report.html");
    text_add(data, "{\"key\":\"%s\",\"state\":\"%s\",\"at\":[", run->key,
             state == STANDING_FAILED ? run_classes[standing->outcomes[number].class].words
                                      : standing_names[state]);
    for (u32 i = 0; i < manifest->axis_count; i++) {
        text_add(data, i ? "," : "");
        if (run->at[i] == AXIS_NONE)
            text_add(data, "null");
        else
            text_add(data, "%u", run->at[i]);
    }
    text_add(data, "],\"command\":");
    json_text_add(data, command);
    text_add(data, ",\"report\":");
    if (reports && state == STANDING_DONE && file_exists(report)) {
        char *link = text_format("%s/runs/%.2s/%s/run/report.html", reports, run->key, run->key);
        json_text_add(data, link);
        free(link);
    } else {
        text_add(data, "null");
    }
    text_add(data, ",\"values\":");
    if (row && row->names)
        values_add(data, row, chosen);
    else
        text_add(data, "null");
    text_add(data, "}");
    free(report);
    free(command);
}

static void axes_add(struct text *data, const struct manifest *manifest)
{
    text_add(data, "\"axes\":[");
    for (u32 i = 0; i < manifest->axis_count; i++) {
        text_add(data, "%s{\"name\":", i ? "," : "");
        json_text_add(data, manifest->axes[i].name);
        text_add(data, ",\"values\":[");
        for (u32 v = 0; v < manifest->axes[i].count; v++) {
            text_add(data, v ? "," : "");
            json_text_add(data, manifest->axes[i].labels[v]);
        }
        text_add(data, "]}");
    }
    text_add(data, "],\n");
}

bool study_page_write(const struct store *store, const struct manifest *manifest,
                      const struct standing *standing, const char *reports, const char *file,
                      struct ogv_error *error)
{
    struct index index;
    struct text data = { 0 };
    bool charts;
    if (!index_load(store, &index, error))
        return false;
    struct chosen chosen = figures_choose(&index, manifest);
    text_add(&data, "{\"ogive\":\"%s\",\"study\":", OGV_VERSION);
    json_text_add(&data, manifest->study);
    text_add(&data, ",\"about\":");
    json_text_add(&data, manifest->about);
    text_add(&data, ",\"build\":\"%s\",\n", manifest->build);
    axes_add(&data, manifest);
    stats_add(&data, &chosen);
    text_add(&data, "\"runs\":[");
    for (u32 i = 0; i < manifest->count; i++) {
        text_add(&data, i ? ",\n" : "\n");
        run_add(&data, store, manifest, standing, &index, &chosen, reports, i);
    }
    text_add(&data, "]}");
    bool good = page_put_together("study.html", text_get(&data), file, &charts, error);
    text_fini(&data);
    index_fini(&index);
    return good;
}
