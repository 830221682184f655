/* command_dram.c - `ogive dram`: the DRAM model by itself. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "dram/describe.h"
#include "dram/replay.h"

struct dram_arguments {
    const char *config, *commands, *requests, *progress;
    bool json;
};

static void replay_show(void *context, u64 done, u64 total)
{
    progress_task_show(context, (double)done / (double)total);
}

/* ---- What a replay prints ---- */

/* "bursty" of "traces/bursty.trace.gz", as the recorded results name it. */
static char *pattern_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = heap_copy(slash ? slash + 1 : path);
    static const char *const endings[] = { ".gz", ".trace" };
    for (u32 i = 0; i < 2; i++) {
        size_t length = strlen(name), ending = strlen(endings[i]);
        if (length > ending && !strcmp(name + length - ending, endings[i]))
            name[length - ending] = 0;
    }
    return name;
}

static void json_print_text(const char *key, const char *value)
{
    json_t *string = json_string(value);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    printf("  \"%s\": %s,\n", key, quoted ? quoted : "null");
    free(quoted);
    json_decref(string);
}

static void json_print(const struct dram_arguments *arguments, const char *trace,
                       const struct dram_replay_result *result)
{
#define COLUMN_QUOTE_count                 ""
#define COLUMN_QUOTE_real                  ""
#define COLUMN_QUOTE_hash                  "\""
#define COLUMN_QUOTE(type, name, decimals) COLUMN_QUOTE_##type,
    static const char *const quotes[] = { DRAM_REPLAY_COLUMNS(COLUMN_QUOTE) };
    char *pattern = pattern_of(trace);
    printf("{\n");
    json_print_text("config", arguments->config);
    json_print_text("pattern", pattern);
    struct text value = { 0 };
    const char *name;
    for (u32 i = 0; (name = dram_replay_column(result, i, &value)); i++) {
        printf("%s  \"%s\": %s%s%s", i ? ",\n" : "", name, quotes[i], text_get(&value), quotes[i]);
        text_fini(&value);
    }
    printf("\n}\n");
    free(pattern);
}

static void commands_print(const struct dram_replay_result *result)
{
    printf("commands    %llu:", (unsigned long long)result->n_commands);
    for (u32 i = 0; i < DRAM_COMMANDS; i++)
        if (result->issued[i])
            printf(" %llu %s", (unsigned long long)result->issued[i], dram_command_names[i]);
    printf("\nhash        %016llx\n", (unsigned long long)result->cmd_fnv1a64);
}

static void result_print(const struct dram_config *config, const char *trace,
                         const struct dram_replay_result *r)
{
    struct dram_device device;
    if (!dram_device_init(&device, config, NULL))
        return; /* it was good enough for the replay */
    double hertz = (double)dram_device_clock_hz(&device);
    printf("trace       %s: %llu reads, %llu writes\n", trace, (unsigned long long)r->reads,
           (unsigned long long)r->writes);
    printf("memory      %s: %s\n", config->name, config->help);
    printf("time        %llu cycles, %.3f us at %g MHz\n", (unsigned long long)r->total_cycles,
           1e6 * (double)r->total_cycles / hertz, hertz / 1e6);
    printf("bandwidth   %.3f bytes per cycle, %.1f%% of the peak of %.3f\n", r->bytes_per_cycle,
           100 * r->utilisation, r->peak_bytes_per_cycle);
    printf("latency     of a read: mean %.1f, least %llu, median %llu, 95%% %llu, 99%% %llu, "
           "most %llu cycles\n",
           r->avg_read_latency, (unsigned long long)r->min_lat, (unsigned long long)r->p50_lat,
           (unsigned long long)r->p95_lat, (unsigned long long)r->p99_lat,
           (unsigned long long)r->max_lat);
    printf("rows        %llu hits, %llu misses, %llu conflicts\n", (unsigned long long)r->row_hits,
           (unsigned long long)r->row_misses, (unsigned long long)r->row_conflicts);
    printf("queues      %llu reads forwarded, %llu writes merged, %llu offers refused\n",
           (unsigned long long)r->reads_forwarded, (unsigned long long)r->writes_merged,
           (unsigned long long)r->inject_rejections);
    commands_print(r);
}

/* ---- replay ---- */

/* A file to write, or none: then *file is NULL. */
static bool output_open(const char *path, FILE **file)
{
    *file = path ? fopen(path, "we") : NULL;
    if (*file || !path)
        return true;
    say_error("dram: cannot write %s: %s", path, strerror(errno));
    return false;
}

static bool output_close(const char *path, FILE *file)
{
    struct ogv_error error;
    return !file || file_close(file, path, &error) || fail(&error) == EXIT_GOOD;
}

static int replay_with(const struct dram_arguments *arguments, const char *trace,
                       struct dram_replay_options *options)
{
    struct ogv_error error;
    struct dram_replay_result result;
    enum progress_style style;
    if (!progress_read("dram", arguments->progress, &style))
        return EXIT_USER;
    struct progress_task progress = progress_task("replaying", style);
    options->progress = style == PROGRESS_NONE ? NULL : replay_show;
    options->progress_context = &progress;
    bool good = dram_replay(options, &result, &error);
    progress_clear(&progress.line);
    if (!good)
        return fail(&error);
    if (arguments->json)
        json_print(arguments, trace, &result);
    else
        result_print(dram_config_find(arguments->config, NULL), trace, &result);
    if (!result.dead)
        return EXIT_GOOD;
    say_error("dram: the memory stopped answering after cycle %llu",
              (unsigned long long)result.total_cycles);
    return EXIT_HANG;
}

static int replay(const struct dram_arguments *arguments, const char *trace)
{
    struct ogv_error error;
    struct dram_replay_options options = { .trace = trace, .config = arguments->config };
    if (!arguments->config) {
        say_error("dram: replay needs --config NAME; `ogive dram list` shows the names");
        return EXIT_USER;
    }
    if (!dram_config_find(arguments->config, &error))
        return fail(&error);
    int code = EXIT_USER;
    if (output_open(arguments->commands, &options.commands) &&
        output_open(arguments->requests, &options.requests))
        code = replay_with(arguments, trace, &options);
    bool written = output_close(arguments->commands, options.commands);
    written &= output_close(arguments->requests, options.requests);
    return code == EXIT_GOOD && !written ? EXIT_SYSTEM : code;
}

/* ---- list and show ---- */

static int text_print(struct text *text, bool good, const struct ogv_error *error)
{
    if (good)
        fputs(text_get(text), stdout);
    text_fini(text);
    return good ? EXIT_GOOD : fail(error);
}

static int list(void)
{
    struct text text = { 0 };
    dram_describe_all(&text);
    return text_print(&text, true, NULL);
}

/* A configuration by its name or by the two words that architectures write, or a standard with one
 * of its timing presets. */
static int show(const char *standard, const char *preset)
{
    struct ogv_error error;
    struct text text = { 0 };
    char *name = preset ? text_format("%s_%s", standard, preset) : heap_copy(standard);
    const struct dram_config *config = dram_config_find(name, &error);
    bool good;
    if (config || !preset)
        good = config && dram_describe_config(config, &text, &error);
    else
        good = dram_describe_preset(standard, preset, NULL, &text, &error);
    free(name);
    return text_print(&text, good, &error);
}

/* ---- The command ---- */

static int action_unknown(const char *typed)
{
    static const char *const actions[] = { "replay", "list", "show" };
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, typed);
    for (u32 i = 0; i < 3; i++)
        nearest_offer(&nearest, actions[i]);
    say_error("dram: there is no '%s'%s (ogive dram --help explains replay, list and show)", typed,
              nearest_hint(&nearest, hint, sizeof hint));
    return EXIT_USER;
}

static int action_misused(const char *usage)
{
    say_error("dram: usage: ogive dram %s", usage);
    return EXIT_USER;
}

static int dram_with(const struct dram_arguments *arguments, const struct text_list *rest)
{
    const char *action = rest->count ? rest->items[0] : NULL;
    u32 given = rest->count ? rest->count - 1 : 0;
    if (!action)
        return action_misused("replay|list|show; ogive dram --help explains them");
    if (!strcmp(action, "replay"))
        return given == 1 ? replay(arguments, rest->items[1])
                          : action_misused("replay TRACE --config NAME");
    if (!strcmp(action, "list"))
        return given == 0 ? list() : action_misused("list");
    if (!strcmp(action, "show"))
        return given == 1 || given == 2 ? show(rest->items[1], given == 2 ? rest->items[2] : NULL)
                                        : action_misused("show CONFIG, or show STANDARD PRESET");
    return action_unknown(action);
}

static int dram_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct dram_arguments arguments = { 0 };
    const struct option_row rows[] = {
        { 0, "config", "NAME", "replay: the memory, one of `ogive dram list`", OPTION_TEXT,
          &arguments.config },
        { 0, "commands", "FILE", "replay: write the command stream there", OPTION_TEXT,
          &arguments.commands },
        { 0, "requests", "FILE", "replay: write each request's cycles there", OPTION_TEXT,
          &arguments.requests },
        { 0, "json", NULL, "replay: print one JSON object", OPTION_FLAG, &arguments.json },
        PROGRESS_ROW(arguments.progress),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = dram_with(&arguments, &rest);
    list_fini(&rest);
    return code;
}

const struct command command_dram = {
    .name = "dram",
    .usage = "replay TRACE --config NAME | list | show STANDARD PRESET",
    .summary = "Try the DRAM model by itself: replay a trace of requests, list and show memories.",
    .details =
        "replay  plays the requests of a file to a memory and prints what came of them\n"
        "list    names all configurations, and the standards that they are made from\n"
        "show    prints a memory's organisation, timings and constraints in cycles\n"
        "\n"
        "A trace has one request per line, cycle, R or W, and address in hex; it may be .gz:\n"
        "  # K=4         up to 4 requests per cycle (1 without this line)\n"
        "  # W=64        at most 64 reads under way (any number without this line)\n"
        "  0 R 25cdbe00\n"
        "  3 W 16e5140\n"
        "Examples:\n"
        "  ogive dram list\n"
        "  ogive dram replay my.trace --config gddr6_14000\n"
        "  ogive dram replay my.trace.gz --config gddr6_14000 --json --commands my.commands\n"
        "  ogive dram show gddr6 14000\n"
        "A line of --commands is cycle, channel, command, its coordinates from the rank down, and\n"
        "the request (from 0; -1: maintenance). A line of --requests belongs to a request: cycles\n"
        "since the one before was accepted, from there to its data (a write: to its WR, -1 if\n"
        "merged), and for reads from there to the return.\n",
    .function = dram_main,
};
