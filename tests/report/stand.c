/* stand.c - makes folders of runs, by a tiny run or by writing made-up files, and removes them. */
#include "stand.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"

#define FILE_MAX (64 * MiB)

char *stand_folder(void)
{
    const char *top = getenv("TMPDIR");
    char *folder = text_format("%s/ogive-report-XXXXXX", top ? top : "/tmp");
    assert_non_null(mkdtemp(folder));
    return folder;
}

void stand_remove(char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char *path = text_format("%s/%s", folder, entry->d_name);
        unlink(path);
        free(path);
    }
    if (entries)
        closedir(entries);
    rmdir(folder);
    free(folder);
}

void stand_write(const char *folder, const char *name, const char *text)
{
    char *path = text_format("%s/%s", folder, name);
    struct ogv_error error;
    if (!file_write(path, text, strlen(text), &error))
        fail_msg("%s", error.message);
    free(path);
}

char *stand_read(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    struct ogv_error error;
    size_t length;
    char *text = file_read(path, FILE_MAX, &length, &error);
    if (!text)
        fail_msg("%s", error.message);
    free(path);
    return text;
}

/* A wall of 2 x 64 triangles; the caller removes the file and frees its path. */
static char *scene_write(const char *folder)
{
    struct ogv_error error;
    char *path = text_format("%s.ply", folder);
    struct text ply = { 0 };
    text_add(&ply, "ply\nformat ascii 1.0\nelement vertex 81\nproperty float x\nproperty float y\n"
                   "property float z\nelement face 128\nproperty list uchar int vertex_indices\n"
                   "end_header\n");
    for (u32 i = 0; i < 81; i++)
        text_add(&ply, "%u %u %u\n", i % 9, i / 9, i * 7 % 3);
    for (u32 i = 0; i < 64; i++) {
        u32 corner = i / 8 * 9 + i % 8;
        text_add(&ply, "3 %u %u %u\n3 %u %u %u\n", corner, corner + 1, corner + 9, corner + 1,
                 corner + 10, corner + 9);
    }
    if (!file_write(path, text_get(&ply), ply.length, &error))
        fail_msg("%s", error.message);
    text_fini(&ply);
    return path;
}

void stand_run(const char *folder, const struct stand_job *job)
{
    char *scene = scene_write(folder);
    struct world_options world = { .scene = scene,
                                   .traced = job->traced,
                                   .rays = RAYS_PRIMARY,
                                   .width = 12,
                                   .height = 12,
                                   .samples = 1,
                                   .bounces = 1,
                                   .threads = 1 };
    struct run_options options = { .arch = job->arch,
                                   .settings = job->settings,
                                   .out = folder,
                                   .program = job->program,
                                   .arguments = job->arguments,
                                   .world = &world,
                                   .world_given = job->traced,
                                   .interval = job->cycles / 8,
                                   .every_unit = true,
                                   .sim = { .threads = 1 },
                                   .stop_after = job->cycles };
    struct run_listener listener = { 0 };
    struct run_result result;
    struct ogv_error error;
    while (options.setting_count < STAND_SETTINGS && job->settings[options.setting_count])
        options.setting_count++;
    while (options.argument_count < 2 && job->arguments[options.argument_count])
        options.argument_count++;
    if (!run_execute(&options, &listener, &result, &error))
        fail_msg("%s: %s", job->arch, error.message);
    free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    unlink(scene);
    free(scene);
}

/* Statistics that are sums, separated by blanks, as stats.json describes them. */
static void rows_write(struct text *json, const char *names)
{
    while (*names) {
        int length = (int)strcspn(names, " ");
        text_add(json,
                 "\"%.*s\": {\"unit\": \"cycles\", \"help\": \"a sum\", "
                 "\"over_units\": \"sum\", \"over_sample\": \"work\"}",
                 length, names);
        names += length + (names[length] == ' ');
        text_add(json, *names ? ",\n" : "");
    }
}

#define RESOURCE(name, kind, capacity, used, held)                                                 \
    "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"capacity\": " capacity ", \"used\": " used \
    ", \"held\": " held ", \"words\": null}"
#define ACCOUNT(depth, stat, words, charge, at)                          \
    "{\"depth\": " depth ", \"stat\": \"" stat "\", \"words\": \"" words \
    "\", \"charge\": \"" charge "\", \"at\": " at ", \"rest\": null}"

/* clang-format off */
static const char made_up_core[] =
    "\"core\": {\"leads_to_memory\": true, \"resources\": ["
    RESOURCE("issue slots", "work", "\"1\"", "\"active\"", "null") ","
    RESOURCE("own pipelines", "delay", "null", "null", "null") "], \"accounts\": ["
    ACCOUNT("0", "cycles", "thread-cycles of all cores", "parts", "null") ","
    ACCOUNT("1", "issued", "an instruction issued", "work", "null") ","
    ACCOUNT("1", "passed", "ready, another thread issued", "own", "\"issue slots\"") ","
    ACCOUNT("1", "hazard", "waited for a result", "parts", "null") ","
    ACCOUNT("2", "hazard_load", "load", "memory", "null") ","
    ACCOUNT("2", "hazard_int_add", "int_add", "answer", "\"own pipelines\"") ","
    ACCOUNT("1", "busy", "waited for room in a unit", "parts", "null") ","
    ACCOUNT("2", "busy_load", "load", "memory", "null") ","
    ACCOUNT("1", "halted", "the program had ended", "over", "null") "]}";

static const char made_up_cache[] =
    "\"cache\": {\"leads_to_memory\": true, \"accounts\": [], \"resources\": ["
    RESOURCE("bandwidth", "work", "\"banks\"", "\"reads + writes\"", "\"bank_conflicts\"") ","
    RESOURCE("latency", "delay", "null", "null", "\"hits * latency + (lookups - hits) * 2\"") ","
    RESOURCE("MSHRs", "room", "\"mshrs\"", "\"occupancy\"", "\"mshr_stalls\"") "]}";
/* clang-format on */

static void stats_write(const char *folder)
{
    struct text json = { 0 };
    text_add(&json,
             "{\"summary\": {\"cycles\": 100, \"status\": \"finished\", \"digest\": \"d\"},\n"
             " \"groups\": {\n"
             "  \"sm.core[*]\": {\"type\": \"core\", \"cycles\": 800, \"issued\": 150,\n"
             "   \"active\": 150, \"passed\": 50, \"hazard\": 400, \"busy\": 100,\n"
             "   \"halted\": 100, \"hazard_load\": 300, \"hazard_int_add\": 100,\n"
             "   \"busy_load\": 100, \"issued_load\": 40, \"issued_int_add\": 110},\n"
             "  \"sm.l1\": {\"type\": \"cache\", \"reads\": 40, \"writes\": 10, \"lookups\": 50,\n"
             "   \"hits\": 40, \"occupancy\": 100, \"bank_conflicts\": 80, \"mshr_stalls\": 100,\n"
             "   \"hit_rate\": 0.8}},\n"
             " \"units\": {\n"
             "  \"sm.core[0]\": {\"type\": \"core\", \"active\": 100},\n"
             "  \"sm.core[1]\": {\"type\": \"core\", \"active\": 50},\n"
             "  \"sm.l1\": {\"type\": \"cache\", \"reads\": 40, \"writes\": 10}},\n"
             " \"types\": {\"core\": {");
    rows_write(&json, "issued active passed hazard busy halted cycles hazard_load hazard_int_add "
                      "busy_load issued_load issued_int_add");
    text_add(&json, "},\n \"cache\": {");
    rows_write(&json, "reads writes lookups hits occupancy bank_conflicts mshr_stalls");
    text_add(&json, ", \"hit_rate\": {\"unit\": \"\", \"help\": \"hits\", \"over_units\": "
                    "\"ratio\", \"above\": \"hits\", \"below\": \"lookups\"}}},\n");
    text_add(&json, " \"explained\": {%s,\n%s}}", made_up_core, made_up_cache);
    stand_write(folder, "stats.json", text_get(&json));
    text_fini(&json);
}

char *stand_made_up(void)
{
    char *folder = stand_folder();
    stand_write(
        folder, "run.json",
        "{\"architecture\": \"made <up>\", \"clock_hz\": 1000, \"started\": \"now\",\n"
        " \"options\": {\"interval_cycles\": 50}, \"settings\": [],\n"
        " \"parameters\": {\n"
        "  \"sm.core\": {\"type\": \"core\", \"copies\": 2, \"clock_hz\": 1000,\n"
        "   \"threads\": \"4\", \"execute\": \"load: l1, int_mul: mul\"},\n"
        "  \"sm.l1\": {\"type\": \"cache\", \"copies\": 1, \"clock_hz\": 1000,\n"
        "   \"slices\": \"1\", \"banks\": \"2\", \"ports\": \"1\", \"mshrs\": \"4\",\n"
        "   \"latency\": \"20 cycles\", \"lookup\": \"1 cycles\", \"fill\": \"1 cycles\"}},\n"
        " \"numbers\": {\"sm.l1\": {\"banks\": 2, \"mshrs\": 4, \"latency\": 20}},\n"
        " \"links\": []}");
    stats_write(folder);
    stand_write(folder, "series.csv",
                "cycle,sm.core[*].active,sm.l1.lookups,sm.l1.hits,sm.l1.hit_rate\n"
                "50,100,30,28,0.933333333333\n100,50,20,12,0.6\n");
    return folder;
}

const struct resource *stand_resource(const struct bottleneck *found, const char *group,
                                      const char *name)
{
    for (u32 i = 0; i < found->resource_count; i++)
        if (!strcmp(found->resources[i].group->name, group) &&
            !strcmp(found->resources[i].name, name))
            return &found->resources[i];
    fail_msg("no resource '%s' of %s", name, group);
    return NULL;
}
