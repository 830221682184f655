/* pipeline.c - see pipeline.h.
 *
 * A row is a thread, or a warp whose threads issue together. Its next instruction is followed from
 * the cycle in which the one before it issued: through the states that the row is in, to its issue,
 * and from there until all registers that it writes can be used. */
#include "debug/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "debug/pipeline_private.h"
#include "debug/threads.h"
#include "run/program.h"
#include "run/record.h"
#include "unit/registry.h"

#define NONE UINT32_MAX

struct row {
    u64 executed;
    u32 next;   /* instruction that is next, in the list; NONE */
    u32 oldest; /* of those that may not be done yet */
    u64 lanes;  /* of the warp that moved in this cycle */
    bool seen;
};

struct pipeline {
    struct pipeline_options options;
    ogv_system *system;
    struct unit *unit;
    struct isa_program text;
    struct sim_options sim;
    char *folder;
    struct trace_list list;
    struct row *rows;
    struct debug_view *views, *before; /* by thread */
    u32 threads, row_count;
    bool warps, on;
};

struct pipeline *pipeline_open(const struct pipeline_options *options)
{
    struct pipeline *pipeline = heap_array(1, sizeof *pipeline);
    pipeline->options = *options;
    return pipeline;
}

void pipeline_close(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    free(pipeline->folder);
    free(pipeline->list.items);
    free(pipeline->rows);
    free(pipeline->views);
    free(pipeline->before);
    free(pipeline);
}

/* ---- Instructions ---- */

static u32 traced_begin(struct pipeline *pipeline, u32 row, const struct debug_view *view,
                        cycle now)
{
    struct trace_list *list = &pipeline->list;
    const struct insn *insn = isa_fetch(&pipeline->text, view->pc);
    if (view->ended || !insn)
        return NONE;
    if (list->count == list->room) {
        list->room = 2 * list->room + 256;
        list->items = heap_grow(list->items, list->room, sizeof *list->items);
    }
    list->items[list->count] = (struct traced){ .pc = view->pc,
                                                .row = row,
                                                .insn = *insn,
                                                .writes = isa_writes(insn),
                                                .begun = now,
                                                .issued = NEVER,
                                                .done = NEVER };
    return list->count++;
}

static void traced_enter(struct traced *traced, const char *name, u8 blamed, cycle now)
{
    const struct stage *last =
        traced->stage_count ? &traced->stages[traced->stage_count - 1] : NULL;
    if ((last && last->name == name && last->blamed == blamed) || traced->stage_count == STAGES_MAX)
        return;
    traced->stages[traced->stage_count++] = (struct stage){ now, name, blamed };
}

static const char executes[] = "executes";

static void traced_issue(struct traced *traced, u64 lanes, cycle at)
{
    if (traced->stage_count == STAGES_MAX)
        traced->stage_count--; /* room for what is most of interest */
    traced->issued = at;
    traced->lanes = lanes;
    traced_enter(traced, executes, CLASS_COUNT, at);
}

/* ---- A cycle ---- */

/* Those of a row that have issued and whose registers can all be used by now. */
static void row_settle(struct pipeline *pipeline, u32 number, u64 busy, cycle now)
{
    struct row *row = &pipeline->rows[number];
    for (u32 i = row->oldest; i < pipeline->list.count; i++) {
        struct traced *traced = &pipeline->list.items[i];
        if (traced->row == number && traced->issued != NEVER && traced->done == NEVER &&
            !(traced->writes & busy) && now > traced->issued)
            traced->done = now;
    }
    while (row->oldest < pipeline->list.count && (pipeline->list.items[row->oldest].row != number ||
                                                  pipeline->list.items[row->oldest].done != NEVER))
        row->oldest++;
}

static u32 row_of(const struct pipeline *pipeline, u32 thread)
{
    return pipeline->warps ? pipeline->views[thread].warp : thread;
}

/* The thread that stands for a row: of a warp, the first of those that go on next. */
static void row_look(struct pipeline *pipeline, u32 thread, cycle now)
{
    const struct debug_view *view = &pipeline->views[thread];
    struct row *row = &pipeline->rows[row_of(pipeline, thread)];
    bool parted = view->state && !strcmp(view->state, "parted");
    if (row->seen || parted || view->ended)
        return;
    row->seen = true;
    row_settle(pipeline, row_of(pipeline, thread), view->busy, now);
    struct traced *next = row->next == NONE ? NULL : &pipeline->list.items[row->next];
    if (!next || next->issued != NEVER || next->pc != view->pc)
        row->next = traced_begin(pipeline, row_of(pipeline, thread), view, now);
    if (row->next != NONE)
        traced_enter(&pipeline->list.items[row->next], view->state ? view->state : "waits",
                     view->blamed, now);
}

static void row_note_issue(struct pipeline *pipeline, u32 thread, cycle at)
{
    struct row *row = &pipeline->rows[row_of(pipeline, thread)];
    const struct debug_view *view = &pipeline->views[thread];
    struct traced *next = row->next == NONE ? NULL : &pipeline->list.items[row->next];
    if (view->executed == pipeline->before[thread].executed || !next)
        return;
    if (pipeline->warps)
        row->lanes |= UINT64_C(1) << view->lane;
    if (next->issued == NEVER)
        traced_issue(next, 0, at);
    next->lanes = row->lanes;
}

static void views_take(struct pipeline *pipeline)
{
    struct debug_view *views = pipeline->before;
    pipeline->before = pipeline->views;
    pipeline->views = views;
    for (u32 i = 0; i < pipeline->threads; i++)
        place_view((struct thread_place){ pipeline->unit, i }, &views[i]);
}

/* What happened in the cycle before `now`. */
static void pipeline_look(struct pipeline *pipeline, cycle now)
{
    views_take(pipeline);
    for (u32 i = 0; i < pipeline->row_count; i++) {
        pipeline->rows[i].seen = false;
        pipeline->rows[i].lanes = 0;
    }
    for (u32 i = 0; i < pipeline->threads; i++)
        row_note_issue(pipeline, i, now - 1);
    for (u32 i = 0; i < pipeline->threads; i++)
        row_look(pipeline, i, now);
}

/* ---- The watcher ---- */

static bool unit_find(struct pipeline *pipeline, struct ogv_error *error)
{
    const struct chip *chip = pipeline->system->chip;
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, pipeline->options.unit);
    for (u32 i = 0; i < chip->unit_count && !pipeline->unit; i++) {
        const char *path = unit_path(chip->units[i]);
        if (!registry_type(chip->units[i]->type)->programs)
            continue;
        nearest_offer(&nearest, path);
        if (!strcmp(path, pipeline->options.unit))
            pipeline->unit = chip->units[i];
    }
    return pipeline->unit ||
           error_user(error,
                      "--trace-pipeline %s: there is no unit of that path that runs programs%s",
                      pipeline->options.unit, nearest_hint(&nearest, hint, sizeof hint));
}

static bool pipeline_accepts(void *context, ogv_system *system, struct ogv_error *error)
{
    struct pipeline *pipeline = context;
    pipeline->system = system;
    if (!system->chip->program)
        return error_user(error, "--trace-pipeline %s: needs a program (--program)",
                          pipeline->options.unit);
    if (!unit_find(pipeline, error))
        return false;
    const struct debug_role *role = unit_program_role(pipeline->unit)->debug;
    return (role && role->view) ||
           error_user(error,
                      "--trace-pipeline %s: its type does not say what its threads do "
                      "(ogive/debug.h)",
                      pipeline->options.unit);
}

static void rows_make(struct pipeline *pipeline)
{
    pipeline->threads = (u32)registry_harts(pipeline->unit);
    pipeline->views = heap_array(pipeline->threads, sizeof *pipeline->views);
    pipeline->before = heap_array(pipeline->threads, sizeof *pipeline->before);
    views_take(pipeline);
    pipeline->warps = pipeline->views[0].lane != NOBODY;
    pipeline->row_count = pipeline->threads;
    pipeline->rows = heap_array(pipeline->row_count, sizeof *pipeline->rows);
    for (u32 i = 0; i < pipeline->row_count; i++)
        pipeline->rows[i].next = NONE;
}

static void pipeline_begun(void *context, const struct run_progress *progress)
{
    struct pipeline *pipeline = context;
    const struct program *program = pipeline->system->chip->program;
    pipeline->sim = progress->record->options->sim;
    pipeline->folder = heap_copy(progress->record->result->folder);
    pipeline->text = program->chip.text;
    rows_make(pipeline);
}

static bool pipeline_calls(void *context)
{
    struct pipeline *pipeline = context;
    cycle now = pipeline->system->chip->now;
    if (now > pipeline->options.to)
        return pipeline->on;
    if (pipeline->on && now > pipeline->options.from)
        pipeline_look(pipeline, now);
    return !pipeline->on || now >= pipeline->options.to;
}

/* Cycle by cycle while it looks, as the run wants otherwise. */
static void pipeline_visit(void *context, const struct run_progress *progress,
                           struct run_orders *orders)
{
    struct pipeline *pipeline = context;
    struct sim_options options = pipeline->sim;
    bool due = progress->now >= pipeline->options.from && progress->now < pipeline->options.to;
    orders->visit_at = progress->now < pipeline->options.from ? pipeline->options.from : NEVER;
    if (due == pipeline->on)
        return;
    pipeline->on = due;
    if (due) {
        options.window = 1;
        views_take(pipeline);
        pipeline_look(pipeline, progress->now);
    }
    system_set_options(pipeline->system, &options);
}

static void pipeline_sampled(void *context, cycle end, const u64 *grown)
{
    (void)context;
    (void)end;
    (void)grown;
}

static void pipeline_ended(void *context, const struct run_progress *progress)
{
    struct pipeline *pipeline = context;
    if (pipeline->on)
        pipeline->options.to = min_u64(pipeline->options.to, progress->now);
}

struct run_watcher pipeline_watcher(struct pipeline *pipeline)
{
    return (struct run_watcher){ .begun = pipeline_begun,
                                 .calls = pipeline_calls,
                                 .visit = pipeline_visit,
                                 .sampled = pipeline_sampled,
                                 .ended = pipeline_ended,
                                 .context = pipeline,
                                 .accepts = pipeline_accepts };
}

/* ---- Files ---- */

static void words_of(const void *context, const struct traced *traced, char *buffer, size_t size)
{
    (void)context;
    int length = snprintf(buffer, size, "%llx ", (unsigned long long)traced->pc);
    isa_disassemble(isa_shared(), &traced->insn, traced->pc, buffer + length,
                    size - (size_t)length);
    for (char *tab = buffer; (tab = strchr(tab, '\t'));)
        *tab = ' ';
}

static bool file_put(const struct pipeline *pipeline, const char *name, const struct text *text,
                     struct ogv_error *error)
{
    char *path = text_format("%s/%s", pipeline->folder, name);
    bool good = file_write(path, text->chars, text->length, error);
    free(path);
    return good;
}

bool pipeline_finish(const struct pipeline *pipeline, struct ogv_error *error)
{
    struct text kanata = { 0 }, page = { 0 };
    if (!pipeline->list.count)
        return error_user(error, "--trace-pipeline %s: the run has none of the cycles %llu to %llu",
                          pipeline->options.unit, (unsigned long long)pipeline->options.from,
                          (unsigned long long)pipeline->options.to);
    struct trace_source source = { .list = &pipeline->list,
                                   .unit = pipeline->options.unit,
                                   .from = pipeline->options.from,
                                   .to = pipeline->options.to,
                                   .warps = pipeline->warps,
                                   .words = words_of,
                                   .context = pipeline };
    kanata_write(&source, &kanata);
    pipeline_page(&source, &page);
    bool good = file_put(pipeline, "pipeline.kanata", &kanata, error) &&
                file_put(pipeline, "pipeline.html", &page, error);
    text_fini(&kanata);
    text_fini(&page);
    return good;
}
