/* ray_traces_file.c - see ray_traces.h: ray_traces.json and trace.json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/error.h"
#include "base/file.h"
#include "ogive/ray_trace.h"
#include "ogive/tracer.h"
#include "rt/format.h"
#include "run/ray_traces.h"
#include "run/workload.h"
#include "unit/registry.h"

#define TRACES_FORMAT 1
#define PATH_BYTES    256

/* ---- Rays in order ---- */

/* The tree of an RT core: where nodes and blocks begin, and how long they are. */
struct tree_shape {
    u64 nodes, blocks;
    u32 node_bytes, block_bytes, treelet_bytes;
};

struct kept {
    const struct unit *core;
    const struct ray_trace *trace;
    struct tree_shape tree;
    struct ray_trace_event *events;
    u32 event_count;
    cycle end; /* so far */
    u64 cycles[RAY_TRACE_REASON_COUNT];
};

struct gathering {
    ogv_system *system;
    struct kept *kept; /* by core, then by the rays' numbers */
    u32 count;
    u64 taken, lost;
};

static int trace_compare(const void *a, const void *b)
{
    const struct ray_trace *x = ((const struct kept *)a)->trace;
    const struct ray_trace *y = ((const struct kept *)b)->trace;
    return (x->number > y->number) - (x->number < y->number);
}

static struct kept keep(const struct gathering *gathering, const struct ray_traces *all, u32 number)
{
    const struct ray_trace *trace = &all->traces[number];
    struct kept kept = { .core = all->unit, .trace = trace };
    cycle now = gathering->system->chip->now;
    kept.events = heap_array(trace->event_count + 2, sizeof *kept.events);
    kept.event_count = ray_trace_events(all, trace, now, kept.events, kept.cycles);
    kept.end = trace->begin;
    for (u32 i = 0; i < RAY_TRACE_REASON_COUNT; i++)
        kept.end += kept.cycles[i];
    return kept;
}

static struct tree_shape tree_of(struct unit *unit)
{
    const struct tree_place *place = registry_type(unit->type)->rays->tree(unit);
    struct tree_wanted wanted = workload_wanted(unit);
    return (struct tree_shape){
        .nodes = place->nodes,
        .blocks = place->blocks,
        .node_bytes = node_formats[wanted.nodes]->bytes,
        .block_bytes = primitive_formats[wanted.primitives]->bytes,
        .treelet_bytes = place->treelet_bytes,
    };
}

static void gather_core(void *context, struct unit *unit)
{
    struct gathering *gathering = context;
    const struct ray_role *role = registry_type(unit->type)->rays;
    const struct ray_traces *all = role->followed ? role->followed(unit) : NULL;
    u32 first = gathering->count;
    gathering->taken += all ? all->taken : 0;
    if (!all || !all->count)
        return;
    struct tree_shape tree = tree_of(unit);
    gathering->count += all->count;
    gathering->kept = heap_grow(gathering->kept, gathering->count, sizeof *gathering->kept);
    for (u32 i = 0; i < all->count; i++) {
        gathering->kept[first + i] = keep(gathering, all, i);
        gathering->kept[first + i].tree = tree;
        gathering->lost += all->traces[i].lost;
    }
    qsort(&gathering->kept[first], all->count, sizeof *gathering->kept, trace_compare);
}

/* ---- ray_traces.json ---- */

static const char *const reason_names[] = {
#define REASON_NAME(name, NAME, help) #name,
    RAY_TRACE_REASONS(REASON_NAME)
#undef REASON_NAME
};

static void write_reasons(struct text *out)
{
    static const char *const helps[] = {
#define REASON_HELP(name, NAME, help) help,
        RAY_TRACE_REASONS(REASON_HELP)
#undef REASON_HELP
    };
    text_add(out, " \"reasons\": [");
    for (u32 i = 0; i < RAY_TRACE_REASON_COUNT; i++)
        text_add(out, "%s\n  {\"name\": \"%s\", \"help\": \"%s\"}", i ? "," : "", reason_names[i],
                 helps[i]);
    text_add(out, "\n ],\n");
}

static void write_real(struct text *out, float value)
{
    if (isfinite(value))
        text_add(out, "%.9g", (double)value);
    else
        text_add(out, "null");
}

static void write_point(struct text *out, const char *name, const float point[3])
{
    text_add(out, ", \"%s\": [", name);
    for (u32 i = 0; i < 3; i++) {
        text_add(out, i ? ", " : "");
        write_real(out, point[i]);
    }
    text_add(out, "]");
}

/* What a core sent it with, "custom" where that is an instruction of somebody else's. */
static const char *kind_name(u16 kind)
{
    static const char *const kinds[] = { [MESSAGE_TRACE] = "trace",
                                         [MESSAGE_TRACE_ANY] = "trace_any",
                                         [MESSAGE_TRACE_START] = "trace_start" };
    bool known = kind < sizeof kinds / sizeof *kinds && kinds[kind];
    return known ? kinds[kind] : "custom";
}

static void write_ray(struct text *out, const struct ray_trace *trace)
{
    const struct rt_hit *hit = &trace->outcome.hit;
    text_add(out, ", \"kind\": \"%s\", \"hart\": %u", kind_name(trace->kind), trace->source);
    write_point(out, "origin", trace->ray.origin);
    write_point(out, "direction", trace->ray.direction);
    text_add(out, ", \"t_min\": ");
    write_real(out, trace->ray.t_min);
    text_add(out, ", \"t_max\": ");
    write_real(out, trace->ray.t_max);
    if (!trace->ended || hit->triangle == RT_NOTHING) {
        text_add(out, ", \"triangle\": null, \"t\": null");
        return;
    }
    text_add(out, ", \"triangle\": %u, \"t\": ", hit->triangle);
    write_real(out, hit->t);
}

static void write_events(struct text *out, const struct kept *kept)
{
    bool first = true;
    text_add(out, ",\n   \"cycles\": {");
    for (u32 i = 0; i < RAY_TRACE_REASON_COUNT; i++) {
        if (!kept->cycles[i])
            continue;
        text_add(out, "%s\"%s\": %" PRIu64, first ? "" : ", ", reason_names[i], kept->cycles[i]);
        first = false;
    }
    text_add(out, "},\n   \"events\": [");
    for (u32 i = 0; i < kept->event_count; i++) {
        const struct ray_trace_event *event = &kept->events[i];
        text_add(out, "%s[%" PRIu64 ",%" PRIu64 ",%u", i ? "," : "", event->begin, event->cycles,
                 event->reason);
        if (event->bytes)
            text_add(out, ",%" PRIu64 ",%u,%u", event->address, event->bytes, event->missed);
        text_add(out, "]");
    }
    text_add(out, "]}");
}

static void write_kept(struct text *out, const struct gathering *gathering, u32 index)
{
    const struct kept *kept = &gathering->kept[index];
    const struct ray_trace *trace = kept->trace;
    const struct ray_outcome *outcome = &trace->outcome;
    char path[PATH_BYTES];
    plan_path(gathering->system->plan, kept->core->number, path, sizeof path);
    text_add(out,
             "%s\n  {\"unit\": \"%s\", \"number\": %" PRIu64 ", \"slot\": %u, \"begin\": %" PRIu64
             ", \"end\": %" PRIu64
             ", \"ended\": %s, \"fault\": %s, \"nodes\": %u, \"triangles\": %u, \"lost\": %u",
             index ? "," : "", path, trace->number, trace->slot, trace->begin, kept->end,
             trace->ended ? "true" : "false", outcome->broken ? "true" : "false", outcome->nodes,
             outcome->triangles, trace->lost);
    write_ray(out, trace);
    write_events(out, kept);
}

static void write_tree(struct text *out, const struct tree_shape *tree)
{
    text_add(out,
             " \"tree\": {\"nodes\": %" PRIu64 ", \"node_bytes\": %u, \"blocks\": %" PRIu64
             ", \"block_bytes\": %u},\n",
             tree->nodes, tree->node_bytes, tree->blocks, tree->block_bytes);
}

static void write_traces(struct text *out, const struct gathering *gathering)
{
    text_add(out,
             "{\n \"format\": %d,\n \"clock_hz\": %" PRIu64 ",\n \"cycles\": %" PRIu64
             ",\n \"asked\": %" PRIu64 ",\n \"rays_in_all\": %" PRIu64
             ",\n \"events_lost\": %" PRIu64 ",\n",
             TRACES_FORMAT, gathering->system->plan->clock_hz, gathering->system->chip->now,
             ray_traces_limit(gathering->system), gathering->taken, gathering->lost);
    if (gathering->count)
        write_tree(out, &gathering->kept[0].tree);
    write_reasons(out);
    text_add(out, " \"rays\": [");
    for (u32 i = 0; i < gathering->count; i++)
        write_kept(out, gathering, i);
    text_add(out, "\n ]\n}\n");
}

/* ---- trace.json ---- */

static void trace_next(struct text *out)
{
    text_add(out, out->chars[out->length - 1] == '[' ? "\n" : ",\n");
}

static void trace_name(struct text *out, const char *what, u32 process, u32 thread)
{
    trace_next(out);
    text_add(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what,
             process, thread);
}

/* The number of the node or block, where that is what was fetched. */
static void trace_number(struct text *out, const struct tree_shape *tree,
                         const struct ray_trace_event *event)
{
    bool of_node = event->reason >= RAY_TRACE_NODE_PORT && event->reason <= RAY_TRACE_BOX;
    bool of_block = event->reason >= RAY_TRACE_BLOCK_PORT && event->reason <= RAY_TRACE_TRIANGLE;
    if (of_node)
        text_add(
            out, ",\"node\":%u",
            rt_tree_number(event->address - tree->nodes, tree->treelet_bytes, tree->node_bytes));
    else if (of_block && event->bytes == tree->block_bytes)
        text_add(
            out, ",\"block\":%u",
            rt_tree_number(event->address - tree->blocks, tree->treelet_bytes, tree->block_bytes));
}

static void trace_event(struct text *out, const struct kept *kept, u32 thread,
                        const struct ray_trace_event *event)
{
    bool fetch = event->reason == RAY_TRACE_NODE_FETCH || event->reason == RAY_TRACE_BLOCK_FETCH ||
                 event->reason == RAY_TRACE_STACK_FETCH;
    trace_next(out);
    text_add(out,
             "{\"ph\":\"X\",\"cat\":\"ray\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64
             ",\"dur\":%" PRIu64 ",\"args\":{\"ray\":%" PRIu64,
             reason_names[event->reason], kept->core->domain->number + 1, thread, event->begin,
             event->cycles, kept->trace->number);
    if (event->bytes) {
        text_add(out, ",\"address\":\"0x%" PRIx64 "\",\"bytes\":%u", event->address, event->bytes);
        trace_number(out, &kept->tree, event);
    }
    if (fetch)
        text_add(out, ",\"caches_missed\":%u", event->missed);
    text_add(out, "}}");
}

static void trace_ray(struct text *out, const struct gathering *gathering, u32 index)
{
    const struct kept *kept = &gathering->kept[index];
    u32 process = kept->core->domain->number + 1, thread = index + 1;
    char path[PATH_BYTES];
    plan_path(gathering->system->plan, kept->core->number, path, sizeof path);
    const char *dot = strchr(path, '.');
    if (!index || gathering->kept[index - 1].core->domain != kept->core->domain) {
        trace_name(out, "process_name", process, 0);
        text_add(out, "\"%.*s\"}}", dot ? (int)(dot - path) : (int)strlen(path), path);
    }
    trace_name(out, "thread_name", process, thread);
    text_add(out, "\"%s ray %" PRIu64 "\"}}", dot ? dot + 1 : path, kept->trace->number);
    for (u32 i = 0; i < kept->event_count; i++)
        trace_event(out, kept, thread, &kept->events[i]);
}

static void write_trace(struct text *out, const struct gathering *gathering)
{
    text_add(out,
             "{\"otherData\":{\"time\":\"1 us in the viewer is 1 cycle\",\"clock_hz\":%" PRIu64
             ",\"events_lost\":%" PRIu64 "},\n\"traceEvents\":[",
             gathering->system->plan->clock_hz, gathering->lost);
    for (u32 i = 0; i < gathering->count; i++)
        trace_ray(out, gathering, i);
    text_add(out, "\n]}\n");
}

/* ---- Both ---- */

static bool file_put(const struct gathering *gathering, const char *folder, const char *name,
                     void (*write)(struct text *out, const struct gathering *gathering),
                     struct ogv_error *error)
{
    struct text out = { 0 };
    char *path = text_format("%s/%s", folder, name);
    write(&out, gathering);
    bool good = file_write(path, text_get(&out), out.length, error);
    text_fini(&out);
    free(path);
    return good;
}

bool ray_traces_write(ogv_system *system, const char *folder, struct text *words,
                      struct ogv_error *error)
{
    struct gathering gathering = { .system = system };
    if (!ray_traces_limit(system))
        return true;
    host_visit(system, unit_traces_rays, gather_core, &gathering);
    struct ogv_error other;
    bool traces = file_put(&gathering, folder, "ray_traces.json", write_traces, error);
    bool trace = file_put(&gathering, folder, "trace.json", write_trace, traces ? error : &other);
    if (!traces && !trace)
        error_join(error, &other);
    text_add(words, "followed %u of %" PRIu64 " rays: ray_traces.json, trace.json", gathering.count,
             gathering.taken);
    if (gathering.lost)
        text_add(words, "; %" PRIu64 " waits did not fit", gathering.lost);
    for (u32 i = 0; i < gathering.count; i++)
        free(gathering.kept[i].events);
    free(gathering.kept);
    return traces && trace;
}
