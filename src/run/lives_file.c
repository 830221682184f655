/* lives_file.c - see lives.h: ray_lives.json and trace.json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/error.h"
#include "base/file.h"
#include "rt/format.h"
#include "run/lives.h"
#include "unit/rtcore/life.h"
#include "unit/shipped_customs.h"

#define LIVES_FORMAT 1
#define PATH_BYTES   256

/* ---- Rays in order ---- */

struct kept {
    const struct rtcore *core;
    const struct life *life;
    struct life_event *events;
    u32 event_count;
    cycle end; /* so far */
    u64 cycles[LIFE_REASON_COUNT];
};

struct gathering {
    ogv_system *system;
    struct kept *kept; /* by core, then by the rays' numbers */
    u32 count;
    u64 taken, lost;
};

static int life_compare(const void *a, const void *b)
{
    const struct life *x = ((const struct kept *)a)->life, *y = ((const struct kept *)b)->life;
    return (x->number > y->number) - (x->number < y->number);
}

static struct kept keep(const struct gathering *gathering, const struct rtcore *core,
                        const struct life *life)
{
    struct kept kept = { .core = core, .life = life };
    cycle now = gathering->system->chip->now;
    kept.events = heap_array(life->event_count + 2, sizeof *kept.events);
    kept.event_count = life_events(core->lives, life, now, kept.events, kept.cycles);
    kept.end = life->begin;
    for (u32 i = 0; i < LIFE_REASON_COUNT; i++)
        kept.end += kept.cycles[i];
    return kept;
}

static void gather_core(void *context, struct unit *unit)
{
    struct gathering *gathering = context;
    const struct rtcore *core = (const struct rtcore *)unit;
    u32 first = gathering->count;
    gathering->taken += core->taken;
    if (!core->lives || !core->lives->count)
        return;
    gathering->count += core->lives->count;
    gathering->kept = heap_grow(gathering->kept, gathering->count, sizeof *gathering->kept);
    for (u32 i = 0; i < core->lives->count; i++) {
        gathering->kept[first + i] = keep(gathering, core, &core->lives->lives[i]);
        gathering->lost += core->lives->lives[i].lost;
    }
    qsort(&gathering->kept[first], core->lives->count, sizeof *gathering->kept, life_compare);
}

/* ---- ray_lives.json ---- */

static const char *const reason_names[] = {
#define REASON_NAME(name, NAME, help) #name,
    LIFE_REASONS(REASON_NAME)
#undef REASON_NAME
};

static void write_reasons(struct text *out)
{
    static const char *const helps[] = {
#define REASON_HELP(name, NAME, help) help,
        LIFE_REASONS(REASON_HELP)
#undef REASON_HELP
    };
    text_add(out, " \"reasons\": [");
    for (u32 i = 0; i < LIFE_REASON_COUNT; i++)
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

static void write_ray(struct text *out, const struct life *life)
{
    static const char *const kinds[] = { [MESSAGE_TRACE] = "trace",
                                         [MESSAGE_TRACE_ANY] = "trace_any",
                                         [MESSAGE_TRACE_START] = "trace_start" };
    text_add(out, ", \"kind\": \"%s\", \"hart\": %u", kinds[life->kind], life->source);
    write_point(out, "origin", life->ray.origin);
    write_point(out, "direction", life->ray.direction);
    text_add(out, ", \"t_min\": ");
    write_real(out, life->ray.t_min);
    text_add(out, ", \"t_max\": ");
    write_real(out, life->ray.t_max);
    if (!life->ended || life->hit.triangle == RT_NOTHING) {
        text_add(out, ", \"triangle\": null, \"t\": null");
        return;
    }
    text_add(out, ", \"triangle\": %u, \"t\": ", life->hit.triangle);
    write_real(out, life->hit.t);
}

static void write_events(struct text *out, const struct kept *kept)
{
    bool first = true;
    text_add(out, ",\n   \"cycles\": {");
    for (u32 i = 0; i < LIFE_REASON_COUNT; i++) {
        if (!kept->cycles[i])
            continue;
        text_add(out, "%s\"%s\": %" PRIu64, first ? "" : ", ", reason_names[i], kept->cycles[i]);
        first = false;
    }
    text_add(out, "},\n   \"events\": [");
    for (u32 i = 0; i < kept->event_count; i++) {
        const struct life_event *event = &kept->events[i];
        text_add(out, "%s[%" PRIu64 ",%" PRIu64 ",%u", i ? "," : "", event->begin, event->cycles,
                 event->reason);
        if (event->bytes)
            text_add(out, ",%" PRIu64 ",%u,%u", event->address, event->bytes, event->missed);
        text_add(out, "]");
    }
    text_add(out, "]}");
}

static void write_life(struct text *out, const struct gathering *gathering, u32 index)
{
    const struct kept *kept = &gathering->kept[index];
    const struct life *life = kept->life;
    char path[PATH_BYTES];
    plan_path(gathering->system->plan, kept->core->base.number, path, sizeof path);
    text_add(out,
             "%s\n  {\"unit\": \"%s\", \"number\": %" PRIu64 ", \"slot\": %u, \"begin\": %" PRIu64
             ", \"end\": %" PRIu64
             ", \"ended\": %s, \"fault\": %s, \"nodes\": %u, \"triangles\": %u, \"lost\": %u",
             index ? "," : "", path, life->number, life->slot, life->begin, kept->end,
             life->ended ? "true" : "false", life->broken ? "true" : "false", life->nodes,
             life->triangles, life->lost);
    write_ray(out, life);
    write_events(out, kept);
}

static void write_tree(struct text *out, const struct rtcore *core)
{
    text_add(out,
             " \"tree\": {\"nodes\": %" PRIu64 ", \"node_bytes\": %u, \"blocks\": %" PRIu64
             ", \"block_bytes\": %u},\n",
             core->tree.nodes, node_formats[core->p.nodes]->bytes, core->tree.blocks,
             primitive_formats[core->p.primitives]->bytes);
}

static void write_lives(struct text *out, const struct gathering *gathering)
{
    text_add(out,
             "{\n \"format\": %d,\n \"clock_hz\": %" PRIu64 ",\n \"cycles\": %" PRIu64
             ",\n \"asked\": %" PRIu64 ",\n \"rays_in_all\": %" PRIu64
             ",\n \"events_lost\": %" PRIu64 ",\n",
             LIVES_FORMAT, gathering->system->plan->clock_hz, gathering->system->chip->now,
             lives_kept(gathering->system), gathering->taken, gathering->lost);
    if (gathering->count)
        write_tree(out, gathering->kept[0].core);
    write_reasons(out);
    text_add(out, " \"rays\": [");
    for (u32 i = 0; i < gathering->count; i++)
        write_life(out, gathering, i);
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
static void trace_number(struct text *out, const struct rtcore *core,
                         const struct life_event *event)
{
    u32 node = node_formats[core->p.nodes]->bytes;
    u32 block = primitive_formats[core->p.primitives]->bytes;
    bool of_node = event->reason >= LIFE_NODE_PORT && event->reason <= LIFE_BOX;
    bool of_block = event->reason >= LIFE_BLOCK_PORT && event->reason <= LIFE_TRIANGLE;
    if (of_node)
        text_add(out, ",\"node\":%" PRIu64, (event->address - core->tree.nodes) / node);
    else if (of_block && event->bytes == block)
        text_add(out, ",\"block\":%" PRIu64, (event->address - core->tree.blocks) / block);
}

static void trace_event(struct text *out, const struct kept *kept, u32 thread,
                        const struct life_event *event)
{
    bool fetch = event->reason == LIFE_NODE_FETCH || event->reason == LIFE_BLOCK_FETCH ||
                 event->reason == LIFE_STACK_FETCH;
    trace_next(out);
    text_add(out,
             "{\"ph\":\"X\",\"cat\":\"ray\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64
             ",\"dur\":%" PRIu64 ",\"args\":{\"ray\":%" PRIu64,
             reason_names[event->reason], kept->core->base.domain->number + 1, thread, event->begin,
             event->cycles, kept->life->number);
    if (event->bytes) {
        text_add(out, ",\"address\":\"0x%" PRIx64 "\",\"bytes\":%u", event->address, event->bytes);
        trace_number(out, kept->core, event);
    }
    if (fetch)
        text_add(out, ",\"caches_missed\":%u", event->missed);
    text_add(out, "}}");
}

static void trace_ray(struct text *out, const struct gathering *gathering, u32 index)
{
    const struct kept *kept = &gathering->kept[index];
    u32 process = kept->core->base.domain->number + 1, thread = index + 1;
    char path[PATH_BYTES];
    plan_path(gathering->system->plan, kept->core->base.number, path, sizeof path);
    const char *dot = strchr(path, '.');
    if (!index || gathering->kept[index - 1].core->base.domain != kept->core->base.domain) {
        trace_name(out, "process_name", process, 0);
        text_add(out, "\"%.*s\"}}", dot ? (int)(dot - path) : (int)strlen(path), path);
    }
    trace_name(out, "thread_name", process, thread);
    text_add(out, "\"%s ray %" PRIu64 "\"}}", dot ? dot + 1 : path, kept->life->number);
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

bool lives_write(ogv_system *system, const char *folder, struct text *words,
                 struct ogv_error *error)
{
    struct gathering gathering = { .system = system };
    if (!lives_kept(system))
        return true;
    host_units(system, "rtcore", gather_core, &gathering);
    struct ogv_error other;
    bool lives = file_put(&gathering, folder, "ray_lives.json", write_lives, error);
    bool trace = file_put(&gathering, folder, "trace.json", write_trace, lives ? error : &other);
    if (!lives && !trace)
        error_join(error, &other);
    text_add(words, "followed %u of %" PRIu64 " rays: ray_lives.json, trace.json", gathering.count,
             gathering.taken);
    if (gathering.lost)
        text_add(words, "; %" PRIu64 " waits did not fit", gathering.lost);
    for (u32 i = 0; i < gathering.count; i++)
        free(gathering.kept[i].events);
    free(gathering.kept);
    return lives && trace;
}
