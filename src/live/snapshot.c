/* snapshot.c - what the simulation publishes: the state of the chip as JSON, and the picture.
 *
 * Utilisation is that of the cycles since the last snapshot. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/image.h"
#include "live/live_private.h"
#include "report/samples.h"
#include "result/tally.h"
#include "run/program.h"
#include "run/record_energy.h"
#include "run/workload.h"
#include "unit/registry.h"

#define LINKS_SHOWN 40
#define PATH_BYTES  256

static void json_add(struct text *json, const char *key, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    text_add(json, ",\n\"%s\":%s", key, text ? text : "null");
    free(text);
    json_decref(value);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- How far it is ---- */

static json_t *progress_json(const struct run_progress *progress)
{
    json_t *object = json_object();
    json_object_set_new(object, "simulated_seconds", json_real(progress->simulated_seconds));
    json_object_set_new(object, "wall_seconds", json_real(progress->wall_seconds));
    json_object_set_new(object, "cycles_per_second", json_real(progress->cycles_per_second));
    json_object_set_new(object, "rays", json_integer((json_int_t)progress->rays));
    json_object_set_new(object, "rays_in_all", json_integer((json_int_t)progress->rays_in_all));
    json_object_set_new(object, "pixels", json_integer((json_int_t)progress->pixels));
    json_object_set_new(object, "pixels_in_all", json_integer((json_int_t)progress->pixels_in_all));
    json_object_set_new(object, "share", number_or_null(progress->share));
    json_object_set_new(object, "seconds_left", number_or_null(progress->seconds_left));
    return object;
}

/* ---- How busy each unit is ---- */

/* Where the statistics of each unit begin in the copies of all. */
static void units_open(struct live *live, const ogv_system *system)
{
    u32 cells = 0;
    live->unit_first = heap_array(system->chip->unit_count, sizeof *live->unit_first);
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        live->unit_first[n] = cells;
        cells += stats_count(registry_type(system->chip->units[n]->type));
    }
    live->units_now = heap_array(cells, sizeof *live->units_now);
    live->units_before = heap_array(cells, sizeof *live->units_before);
}

/* Those of now become those of before. */
static void units_take(struct live *live, const ogv_system *system)
{
    if (!live->units_now)
        units_open(live, system);
    u64 *into = live->units_before;
    live->units_before = live->units_now;
    live->units_now = into;
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        const struct unit *unit = system->chip->units[n];
        memcpy(&into[live->unit_first[n]], unit_stats(unit),
               stats_count(registry_type(unit->type)) * sizeof *into);
    }
}

/* The group of a name as "sm.core". */
static bool group_find(const struct plan *plan, const char *name, struct stat_group *group)
{
    for (u32 d = 0; d < plan->domain_count; d++) {
        const struct plan_domain *domain = &plan->domains[d];
        size_t length = strlen(domain->name);
        if (strncmp(name, domain->name, length) != 0 || name[length] != '.')
            continue;
        for (u32 u = 0; u < domain->unit_count; u++) {
            *group = stats_group(domain, &domain->units[u]);
            if (!strcmp(name + length + 1, domain->units[u].name))
                return true;
        }
    }
    return false;
}

/* A unit whose statistics since the last look are asked for by name. */
struct asked {
    const struct live *live;
    const struct unit_type *type;
    u32 number;
};

static double unit_grown(void *context, const char *name)
{
    const struct asked *asked = context;
    const struct live *live = asked->live;
    u32 cell = live->unit_first[asked->number] + stat_index(asked->type, name);
    return (double)(live->units_now[cell] - live->units_before[cell]);
}

static double unit_used(const struct live *live, const struct stat_group *group, u32 number,
                        const struct resource *resource)
{
    struct asked asked = { live, group->unit->type, number };
    return group_value_of(resource->group, resource->row->used, unit_grown, &asked);
}

static void resource_cells(const struct live *live, const struct stat_group *group,
                           const struct resource *resource, struct text *json)
{
    u32 copies = group->domain_count * group->unit_count, copy = 0;
    double cycles = (double)(live->current.to - live->current.from);
    u8 *cells = heap_array(copies, 1);
    for (u32 d = 0; d < group->domain_count; d++)
        for (u32 c = 0; c < group->unit_count; c++) {
            u32 number = plan_number(group->domain, d, group->unit, c);
            cells[copy++] = cell_of(unit_used(live, group, number, resource),
                                    resource->per_cycle / copies * cycles);
        }
    text_add(json, "{\"total\":\"");
    text_add_base64(json, cells, copies);
    text_add(json, "\",\"time\":null}");
    free(cells);
}

/* As the report has it for a whole run (report/samples.h). */
static void cells_add(const struct live *live, const struct plan *plan, struct text *json)
{
    const struct bottleneck *found = live->current.bottleneck;
    struct stat_group group;
    text_add(json, ",\n\"cells\":{\"ends\":[],\"resources\":[");
    for (u32 i = 0; i < found->resource_count; i++) {
        const struct resource *resource = &found->resources[i];
        text_add(json, i ? "," : "");
        if (cells_known(resource) && group_find(plan, resource->group->name, &group))
            resource_cells(live, &group, resource, json);
        else
            text_add(json, "null");
    }
    text_add(json, "]}");
}

/* ---- How full each link is ---- */

static double link_fill(const struct link *link)
{
    return (double)link_held(link) / ((double)link->mask + 1);
}

/* The fullest first; of those, whose writer waits longest. */
static bool link_before(const struct link *a, const struct link *b)
{
    double fill_a = link_fill(a), fill_b = link_fill(b);
    return fill_a != fill_b ? fill_a > fill_b : link_waiting_since(a) < link_waiting_since(b);
}

/* Keeps the first of them in order. */
static u32 links_choose(const struct chip *chip, const struct link *chosen[LINKS_SHOWN], u32 *used)
{
    u32 count = 0;
    *used = 0;
    for (u32 i = 0; i < chip->link_count; i++) {
        const struct link *link = chip->links[i];
        u32 at = count;
        if (!link_held(link))
            continue;
        ++*used;
        while (at && link_before(link, chosen[at - 1]))
            at--;
        if (at == LINKS_SHOWN)
            continue;
        count += count < LINKS_SHOWN;
        memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof *chosen);
        chosen[at] = link;
    }
    return count;
}

static json_t *link_json(const struct plan *plan, const struct link *link)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    cycle since = link_waiting_since(link);
    plan_path(plan, link->writer->number, from, sizeof from);
    plan_path(plan, link->reader->number, to, sizeof to);
    return json_pack("{s:s, s:s, s:I, s:I, s:i, s:o}", "from", from, "to", to, "held",
                     (json_int_t)link_held(link), "capacity", (json_int_t)link->mask + 1,
                     "latency_cycles", (int)link->latency, "waiting_since",
                     since != NEVER ? json_integer((json_int_t)since) : json_null());
}

static void links_add(const ogv_system *system, struct text *json)
{
    const struct link *chosen[LINKS_SHOWN];
    json_t *list = json_array(), *object = json_object();
    u32 used, count = links_choose(system->chip, chosen, &used);
    for (u32 i = 0; i < count; i++)
        json_array_append_new(list, link_json(system->plan, chosen[i]));
    json_object_set_new(object, "all", json_integer(system->chip->link_count));
    json_object_set_new(object, "used", json_integer(used));
    json_object_set_new(object, "fullest", list);
    json_add(json, "links", object);
}

/* ---- Who waits for whom ---- */

/* Only while it stands still: nobody can read it otherwise. */
static json_t *waits_json(const struct live *live, const ogv_system *system)
{
    struct text report = { 0 };
    if (live->paused)
        system_report_waits(system, &report);
    json_t *words = json_string(text_get(&report));
    text_fini(&report);
    return words;
}

/* ---- All ---- */

void snapshot_write(struct live *live, const struct run_progress *progress, struct text *json)
{
    const struct record *record = progress->record;
    enum run_status status = record->result->status;
    const char *word = status == RUN_RUNNING && live->paused ? "paused" : run_status_name(status);
    bool moved = system_cycles(record->system) != live->current.to || !live->units_now;
    current_look(&live->current, record);
    if (moved)
        units_take(live, record->system);
    text_add(json, "{\"cycle\":%llu,\"from\":%llu,\"status\":\"%s\"",
             (unsigned long long)live->current.to, (unsigned long long)live->current.from, word);
    if (live->checkpoint_at != NEVER)
        text_add(json, ",\"checkpoint_cycle\":%llu", (unsigned long long)live->checkpoint_at);
    json_add(json, "progress", progress_json(progress));
    json_add(json, "stats", record_groups(record->system->plan, live->current.now));
    json_add(json, "energy", energy_record(record->system, progress->simulated_seconds));
    json_add(json, "bottleneck", bottleneck_json(live->current.bottleneck));
    cells_add(live, record->system->plan, json);
    links_add(record->system, json);
    json_add(json, "waits", waits_json(live, record->system));
    text_add(json, "}");
}

/* ---- Names ---- */

struct naming {
    struct text *json;
    bool first;
};

static void group_names(void *context, const struct stat_group *group, u32 cell)
{
    struct naming *naming = context;
    char path[PATH_BYTES];
    (void)cell;
    stats_group_path(group, path, sizeof path);
    for (u32 i = 0; group->unit->type->stats[i].name; i++) {
        text_add(naming->json, "%s\"%s.%s\"", naming->first ? "" : ",", path,
                 group->unit->type->stats[i].name);
        naming->first = false;
    }
}

void snapshot_columns(const struct plan *plan, struct text *json)
{
    struct naming naming = { json, true };
    text_add(json, "[");
    tally_groups(plan, group_names, &naming);
    text_add(json, "]");
}

/* ---- The picture ---- */

void snapshot_image(const struct record *record, struct text *png)
{
    struct ogv_error ignored;
    struct image image = { 0 };
    if (record->world && record->world->answers)
        workload_pixels(record->system, record->world, &image, &ignored);
    else if (program_present(record->system))
        program_pixels(record->system, &image, &ignored);
    if (image.pixels)
        image_encode(&image, png, &ignored);
    free(image.pixels);
}
