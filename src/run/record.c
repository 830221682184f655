/* record.c - what was run, and what came out, as JSON.
 *
 * stats.json has the summary, the energy, then each group (all copies of a unit, combined), then
 * each unit by itself; units of measure and meanings stand once per unit type. */
#include "run/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "result/tally.h"
#include "result/traffic_record.h"
#include "rt/embree.h"
#include "run/figures.h"
#include "run/pieces.h"
#include "run/program.h"
#include "run/ray_traces.h"
#include "run/record_energy.h"
#include "run/record_explain.h"
#include "run/record_repeat.h"
#include "run/record_units.h"
#include "unit/explain.h"
#include "unit/quantity.h"
#include "unit/registry.h"

#define RUN_FILE     "run.json"
#define STATUS_KEY   "\"status\": "
#define STATUS_WIDTH 13 /* of the longest, "interrupted", with its quotation marks */

static char *json_text(const json_t *object)
{
    return json_dumps(object, JSON_INDENT(1) | RECORD_DIGITS);
}

/* Frees the text; NULL is one that could not be made. */
static bool text_write(char *text, const struct folder *folder, const char *name,
                       struct ogv_error *error)
{
    char *path = folder_file(folder, name);
    bool good = text ? file_write(path, text, strlen(text), error)
                     : error_system(error, "%s: cannot be put into JSON", path);
    free(text);
    free(path);
    return good;
}

/* JSON's integers are signed: what does not fit is written as a decimal fraction. */
static json_t *json_u64(u64 value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *json_words(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not valid UTF-8)");
}

/* ---- run.json ---- */

static json_t *unit_record(const struct plan_domain *domain, const struct plan_unit *unit)
{
    json_t *object = json_object();
    json_object_set_new(object, "type", json_words(unit->type->name));
    json_object_set_new(object, "copies", json_u64((u64)domain->count * unit->count));
    json_object_set_new(object, "clock_hz", json_u64(unit->clock_hz));
    for (u32 i = 0; unit->type->params[i].name; i++) {
        struct text value = { 0 };
        param_write(&value, &unit->type->params[i], unit->values[i]);
        json_object_set_new(object, unit->type->params[i].name, json_words(text_get(&value)));
        text_fini(&value);
    }
    return object;
}

static json_t *parameters_record(const struct plan *plan)
{
    json_t *object = json_object();
    for (u32 d = 0; d < plan->domain_count; d++) {
        const struct plan_domain *domain = &plan->domains[d];
        for (u32 u = 0; u < domain->unit_count; u++) {
            char *path = text_format("%s.%s", domain->name, domain->units[u].name);
            json_object_set_new(object, path, unit_record(domain, &domain->units[u]));
            free(path);
        }
    }
    return object;
}

static bool link_asks(const struct plan *plan, const struct plan_link *link)
{
    const struct plan_end *from = &link->from;
    return plan->domains[from->domain].units[from->unit].type->ports[from->port].role == ASKS;
}

static json_t *links_record(const struct plan *plan)
{
    json_t *list = json_array();
    for (u32 i = 0; i < plan->link_count; i++) {
        const struct plan_link *link = &plan->links[i];
        json_t *object = json_object();
        const char *within = link->inside ? plan->domains[link->from.domain].name : "";
        json_object_set_new(object, "link", json_words(link->text));
        json_object_set_new(object, "within", json_words(within));
        json_object_set_new(object, "from", traffic_end_record(plan, &link->from));
        json_object_set_new(object, "to", traffic_end_record(plan, &link->to));
        json_object_set_new(object, "asks", json_boolean(link_asks(plan, link)));
        json_object_set_new(object, "latency_cycles", json_u64(link->latency));
        json_object_set_new(object, "capacity_messages", json_u64(link->capacity));
        json_object_set_new(object, "interleave_bytes", json_u64(link->interleave));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *settings_record(const struct run_options *options)
{
    json_t *list = json_array();
    for (u32 i = 0; i < options->setting_count; i++)
        json_array_append_new(list, json_words(options->settings[i]));
    return list;
}

static json_t *arguments_record(const struct run_options *options)
{
    json_t *list = json_array();
    for (u32 i = 0; i < options->argument_count; i++)
        json_array_append_new(list, json_words(options->arguments[i]));
    return list;
}

static json_t *options_record(const struct record *record)
{
    const struct run_options *options = record->options;
    json_t *object = json_object();
    bool endless = options->stop_after == NEVER;
    json_object_set_new(object, "threads", json_u64(sim_threads(record->system->sim)));
    json_object_set_new(object, "interval_cycles", json_u64(options->interval));
    json_object_set_new(object, "trace_rays", json_u64(ray_traces_limit(record->system)));
    json_object_set_new(object, "stop_after_cycles",
                        endless ? json_null() : json_u64(options->stop_after));
    json_object_set_new(object, "watchdog_cycles", json_u64(options->sim.watchdog));
    json_object_set_new(object, "program",
                        record->program ? json_words(record->program) : json_null());
    json_object_set_new(object, "arguments", arguments_record(options));
    json_object_set_new(object, "pieces",
                        options->pieces ? json_u64(options->pieces->count) : json_null());
    json_object_set_new(object, "resumed_from",
                        options->resume ? json_words(options->resume) : json_null());
    return object;
}

static json_t *point_record(const float point[3])
{
    json_t *list = json_array();
    for (u32 i = 0; i < 3; i++)
        json_array_append_new(list, json_real((double)point[i]));
    return list;
}

static json_t *camera_record(const struct camera *camera)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_words(camera->name));
    json_object_set_new(object, "eye", point_record(camera->eye));
    json_object_set_new(object, "target", point_record(camera->target));
    json_object_set_new(object, "up", point_record(camera->up));
    json_object_set_new(object, "fov_degrees", json_real((double)camera->fov_degrees));
    return object;
}

/* The library that builds trees; it may be another one tomorrow. */
static json_t *embree_record(void)
{
    u32 version = embree_version();
    char *text = text_format("%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
    json_t *words = json_words(text);
    free(text);
    return words;
}

/* What is drawn. */
static json_t *workload_record(const struct record *record)
{
    const struct world *world = record->world;
    const struct world_options *options = record->world_options;
    if (!world)
        return json_null();
    const char *scene = options->scene ? options->scene : SCENE_DEFAULT;
    const char *rays = options->traced ? ray_kind_names[options->rays] : "of the program";
    json_t *object = json_object();
    json_object_set_new(object, "scene", json_words(scene));
    json_object_set_new(object, "mesh_hash", json_words(world->mesh_hash));
    json_object_set_new(object, "triangles", json_u64(world->scene.mesh.triangle_count));
    json_object_set_new(object, "camera", camera_record(&world->camera));
    json_object_set_new(object, "rays", json_words(rays));
    json_object_set_new(object, "width_pixels", json_u64(options->width));
    json_object_set_new(object, "height_pixels", json_u64(options->height));
    json_object_set_new(object, "samples", json_u64(options->samples));
    json_object_set_new(object, "bounces", json_u64(options->bounces));
    json_object_set_new(object, "seed", json_u64(options->seed));
    json_object_set_new(object, "builder", json_words(bvh_builder_names[options->builder]));
    json_object_set_new(object, "embree", embree_record());
    json_object_set_new(object, "nodes", json_words(options->nodes->name));
    json_object_set_new(object, "primitives", json_words(options->primitives->name));
    if (options->treelet_bytes)
        json_object_set_new(object, "treelet_bytes", json_u64(options->treelet_bytes));
    json_object_set_new(object, "software", json_boolean(options->software));
    if (options->pipelines)
        json_object_set_new(object, "joined", json_boolean(true));
    json_object_set_new(object, "heatmap", json_boolean(options->heatmap));
    json_object_set_new(object, "memory_bytes", json_u64(world->header.bytes));
    return object;
}

json_t *record_of_run(const struct record *record)
{
    const struct plan *plan = record->system->plan;
    char arch_hash[HASH_TEXT_BYTES];
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    system_arch_hash(record->system, arch_hash);
    json_t *object = json_object();
    const char *file = record->options->arch ? record->options->arch : record->options->resume;
    json_object_set_new(object, "ogive", json_words(OGV_VERSION));
    json_object_set_new(object, "status", json_words(run_status_name(record->result->status)));
    json_object_set_new(object, "started", json_words(record->started));
    json_object_set_new(object, "host", json_words(host));
    json_object_set_new(object, "architecture", json_words(plan->name));
    json_object_set_new(object, "architecture_file", json_words(file));
    json_object_set_new(object, "architecture_hash", json_words(arch_hash));
    json_object_set_new(object, "simulator_hash", json_words(record->system->build));
    json_object_set_new(object, "clock_hz", json_u64(plan->clock_hz));
    json_object_set_new(object, "window_cycles", json_u64(record->system->chip->window));
    json_object_set_new(object, "settings", settings_record(record->options));
    json_object_set_new(object, "options", options_record(record));
    json_object_set_new(object, "workload", workload_record(record));
    json_t *parameters = parameters_record(plan);
    energy_parameters(record->system, parameters);
    json_object_set_new(object, "parameters", parameters);
    json_object_set_new(object, "links", links_record(plan));
    json_object_set_new(object, "awaits", awaits_record(record->system));
    json_object_set_new(object, "numbers", numbers_record(plan));
    json_object_set_new(object, "repeat", repeat_record(record));
    json_object_set_new(object, "tries", tries_record(plan));
    if (record->result->edits)
        json_object_set_new(object, "debugger_edits", json_u64(record->result->edits));
    return object;
}

/* The status as it stands in the file: wide enough for any other to take its place. */
static char *status_text(const struct record *record)
{
    char *word = text_format("\"%s\"", run_status_name(record->result->status));
    char *field = text_format(STATUS_KEY "%-*s", STATUS_WIDTH, word);
    free(word);
    return field;
}

/* As it is while the run is under way. */
static char *run_text(const struct record *record)
{
    json_t *object = record_of_run(record);
    char *plain = json_text(object), *field = status_text(record);
    char *at = plain ? strstr(plain, STATUS_KEY) : NULL;
    char *text =
        at ? text_format("%.*s%s%s", (int)(at - plain), plain, field, strpbrk(at, ",\n")) : NULL;
    free(plain);
    free(field);
    json_decref(object);
    return text;
}

bool record_run(const struct record *record, const struct folder *folder, struct ogv_error *error)
{
    return text_write(run_text(record), folder, RUN_FILE, error);
}

static bool status_patch(const struct record *record, const struct folder *folder,
                         struct ogv_error *error)
{
    char *path = folder_file(folder, RUN_FILE), *field = status_text(record);
    char *text = run_text(record);
    const char *at = text ? strstr(text, STATUS_KEY) : NULL;
    bool good = at && file_patch(path, (u64)(at - text), field, strlen(field), error);
    free(text);
    free(field);
    free(path);
    return good;
}

bool record_end(const struct record *record, const struct folder *folder, struct ogv_error *error)
{
    json_t *object = record_of_run(record);
    bool good = text_write(json_text(object), folder, RUN_FILE, error);
    json_decref(object);
    return good || status_patch(record, folder, error);
}

/* ---- stats.json ---- */

static json_t *value_record(struct stat_value value)
{
    if (!value.defined)
        return json_null();
    return value.whole ? json_u64(value.integer) : json_real(value.real);
}

static json_t *json_share(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

/* Counts are whole, rates are not. */
static json_t *figure_json(u32 figure, double value)
{
#define FIGURE_WHOLE(name, nothing) !isnan((double)(nothing)),
    static const bool whole[] = { RUN_FIGURES(FIGURE_WHOLE) };
#undef FIGURE_WHOLE
    return whole[figure] ? json_u64((u64)value) : json_share(value);
}

static void figures_record(const struct record *record, json_t *object)
{
    const struct figures figures = record->result->figures;
    if (figures.rays) {
        json_object_set_new(object, "rays", json_u64(figures.rays));
        json_object_set_new(object, "mrays_per_s", json_real(figures.mrays_per_s));
    }
    for (u32 i = 0; i < FIGURES_COUNT; i++)
        json_object_set_new(object, run_figure_names[i], figure_json(i, figures.values[i]));
}

/* Whether a whole picture was drawn, and not only rays of one kind traced for it. */
static bool record_is_frame(const struct record *record)
{
    return record->world && !record->world_options->traced &&
           record->result->status == RUN_FINISHED;
}

/* Of a run that a debugger has changed. */
static void edits_record(const struct record *record, json_t *object)
{
    if (record->result->edits)
        json_object_set_new(object, "debugger_edits", json_u64(record->result->edits));
}

json_t *record_summary(const struct record *record)
{
    const struct run_result *result = record->result;
    json_t *object = json_object();
    double rate = run_rate(result, result->cycles - result->cycles_before);
    double seconds = (double)result->cycles / (double)record->system->plan->clock_hz;
    json_object_set_new(object, "status", json_words(run_status_name(result->status)));
    json_object_set_new(object, "cycles", json_u64(result->cycles));
    json_object_set_new(object, "simulated_seconds", json_real(seconds));
    json_object_set_new(object, "wall_seconds", json_real(result->wall_seconds));
    json_object_set_new(object, "work_seconds", json_real(result->work_seconds));
    json_object_set_new(object, "cycles_per_wall_second", json_real(rate));
    json_object_set_new(object, "threads", json_u64(sim_threads(record->system->sim)));
    json_object_set_new(object, "digest", json_words(result->digest));
    edits_record(record, object);
    if (program_present(record->system)) {
        json_object_set_new(object, "instructions", json_u64(result->instructions));
        json_object_set_new(
            object, "ipc",
            json_real((double)result->instructions / fmax((double)result->cycles, 1)));
        json_object_set_new(object, "exit_code",
                            result->exited ? json_u64(result->exit_code) : json_null());
    }
    if (record_is_frame(record) && seconds > 0)
        json_object_set_new(object, "frames_per_s", json_real(1 / seconds));
    figures_record(record, object);
    energy_summary(record, object);
    return object;
}

static json_t *type_record(const struct unit_type *type)
{
    static const char *const combine[] = { "sum", "mean", "max" };
    static const char *const scale[] = { "work", "rate", "fixed" };
    json_t *object = json_object();
    for (u32 i = 0; type->stats[i].name; i++) {
        const struct stat_row *stat = &type->stats[i];
        json_t *row =
            json_pack("{s:s, s:s, s:s, s:s}", "unit", stat->measure, "help", stat->help,
                      "over_units", combine[stat->combine], "over_sample", scale[stat->scale]);
        json_object_set_new(object, stat->name, row);
    }
    for (u32 i = 0; type->ratios[i].name; i++) {
        const struct ratio_row *ratio = &type->ratios[i];
        json_t *row =
            json_pack("{s:s, s:s, s:s, s:s, s:s}", "unit", ratio->measure, "help", ratio->help,
                      "over_units", "ratio", "above", ratio->above, "below", ratio->below);
        json_object_set_new(object, ratio->name, row);
    }
    return object;
}

static json_t *types_record(const struct plan *plan)
{
    json_t *object = json_object();
    for (u32 d = 0; d < plan->domain_count; d++) {
        for (u32 u = 0; u < plan->domains[d].unit_count; u++) {
            const struct unit_type *type = plan->domains[d].units[u].type;
            if (!json_object_get(object, type->name))
                json_object_set_new(object, type->name, type_record(type));
        }
    }
    return object;
}

/* `cells`: the statistics of the group (result/tally.h), or those of a single unit. */
static json_t *group_record(const struct stat_group *group, const u64 *cells)
{
    const struct unit_type *type = group->unit->type;
    json_t *object = json_object();
    json_object_set_new(object, "type", json_words(type->name));
    for (u32 i = 0; type->stats[i].name; i++)
        json_object_set_new(object, type->stats[i].name, value_record(tally_stat(group, cells, i)));
    for (u32 i = 0; type->ratios[i].name; i++)
        json_object_set_new(object, type->ratios[i].name,
                            value_record(stats_ratio(type, i, cells)));
    return object;
}

struct grouping {
    json_t *object;
    const u64 *cells;
};

static void group_add(void *context, const struct stat_group *group, u32 cell)
{
    const struct grouping *grouping = context;
    char path[256];
    stats_group_path(group, path, sizeof path);
    json_object_set_new(grouping->object, path, group_record(group, &grouping->cells[cell]));
}

json_t *record_groups(const struct plan *plan, const u64 *cells)
{
    struct grouping grouping = { json_object(), cells };
    tally_groups(plan, group_add, &grouping);
    return grouping.object;
}

#define UNITS_PLACE "\n \"units\": "
#define UNITS_NONE  "null"

/* All but the units, for which a place is kept. */
static json_t *stats_frame(const struct record *record)
{
    const struct plan *plan = record->system->plan;
    u64 *cells = heap_array(tally_groups(plan, NULL, NULL), sizeof *cells);
    json_t *object = json_object();
    tally_take(record->system, cells);
    json_object_set_new(object, "summary", record_summary(record));
    json_object_set_new(object, "energy",
                        energy_record(record->system, record->result->energy.seconds));
    json_object_set_new(object, "groups", record_groups(plan, cells));
    json_object_set_new(object, "units", json_null());
    json_object_set_new(object, "links", traffic_record(record->system));
    json_object_set_new(object, "types", types_record(plan));
    json_object_set_new(object, "explained", explained_record(plan));
    free(cells);
    return object;
}

/* Only members of the outermost object stand behind a line's end and one blank. */
char *record_stats_text(const struct record *record)
{
    json_t *object = stats_frame(record);
    char *frame = json_text(object), *place = frame ? strstr(frame, UNITS_PLACE UNITS_NONE) : NULL;
    struct text text = { 0 };
    json_decref(object);
    if (place) {
        size_t before = (size_t)(place - frame) + strlen(UNITS_PLACE);
        text_add_bytes(&text, frame, before);
        units_write(record->system, &text);
        text_add_words(&text, frame + before + strlen(UNITS_NONE));
    }
    free(frame);
    return text.chars;
}

bool record_stats(const struct record *record, const struct folder *folder, struct ogv_error *error)
{
    return text_write(record_stats_text(record), folder, "stats.json", error);
}
