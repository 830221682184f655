/* cost.c - see cost.h. */
#include "run/cost.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/image.h"
#include "base/text.h"
#include "ogive/unit.h"
#include "rt/heat.h"
#include "run/load.h"
#include "run/pieces.h"

#define TABLE_PIECE (1 * MiB) /* written at a time */

/* ---- Counting ---- */

static bool pieces_check(const struct cost *cost, const char *program, struct ogv_error *error)
{
    return cost->work.count ||
           error_user(error,
                      "'%s' has no pieces of work that could be counted one by one: it does not "
                      "take numbers with ogv_next until there are none left",
                      program);
}

/* Those that are counted, if there are so many. */
static bool numbers_keep(const struct pieces *pieces, struct cost *cost, struct ogv_error *error)
{
    if (!pieces)
        return true;
    if (cost->work.count != pieces->count)
        return error_user(error, "there are no pieces of work beyond the %lluth of those chosen",
                          (unsigned long long)cost->work.count);
    cost->numbers = heap_array(pieces->count, sizeof *cost->numbers);
    memcpy(cost->numbers, pieces->numbers, pieces->count * sizeof *cost->numbers);
    return true;
}

/* The pixels of pieces, if there are as many. */
static void pixels_keep(const struct world *world, const struct pieces *pieces, struct cost *cost)
{
    u64 all = (u64)world->header.width * world->header.height;
    if (cost->work.count != (pieces ? pieces->count : all))
        return;
    cost->width = world->header.width;
    cost->height = world->header.height;
    cost->pixels = heap_array(cost->work.count, sizeof *cost->pixels);
    for (u64 i = 0; i < cost->work.count; i++)
        cost->pixels[i] = world->rays.pixels[cost_number(cost, i)];
}

static bool program_count(const char *name, const struct cost_options *options,
                          const struct world_options *world_options, struct world *world,
                          struct cost *cost, struct ogv_error *error)
{
    char *made = file_create_temporary(error);
    char *file = made ? compile_program(name, made, load_formats(world_options), error) : NULL;
    struct unit_pieces chosen = { 0 };
    if (options->pieces)
        chosen = (struct unit_pieces){ options->pieces->count, options->pieces->numbers };
    struct functional_options functional = { .file = file,
                                             .title = name,
                                             .arguments = options->arguments,
                                             .argument_count = options->argument_count,
                                             .world = world,
                                             .chosen = options->pieces ? &chosen : NULL,
                                             .lists = options->lists,
                                             .threads = options->threads,
                                             .progress = options->progress,
                                             .context = options->context };
    bool good = file && functional_run(&functional, &cost->work, error) &&
                pieces_check(cost, name, error) && numbers_keep(options->pieces, cost, error);
    if (made)
        unlink(made);
    free(made);
    free(file);
    return good;
}

bool cost_count(ogv_system *system, const struct cost_options *options, struct cost *cost,
                struct ogv_error *error)
{
    struct world_options wanted = *options->world;
    struct world world = { 0 };
    bool with_world = false;
    *cost = (struct cost){ 0 };
    if (!load_choose_world(system, &wanted, options->world_given, &with_world, error))
        return false;
    wanted.streams = false; /* rays that a machine would hold take as much when traced at once */
    const char *name = load_program_name(options->program, with_world ? &wanted : NULL);
    if (!name)
        return error_user(error, "there is neither a program nor a scene whose work could be "
                                 "counted; --program or --scene say which");
    bool good = (!with_world || world_prepare(&wanted, &world, error)) &&
                program_count(name, options, with_world ? &wanted : NULL,
                              with_world ? &world : NULL, cost, error);
    if (good && with_world)
        pixels_keep(&world, options->pieces, cost);
    if (with_world)
        world_free(&world);
    if (!good)
        cost_fini(cost);
    return good;
}

void cost_fini(struct cost *cost)
{
    functional_fini(&cost->work);
    free(cost->numbers);
    free(cost->pixels);
    *cost = (struct cost){ 0 };
}

struct work cost_sum(const struct cost *cost)
{
    struct work sum = { 0 };
    for (u64 i = 0; i < cost->work.count; i++)
        work_add(&sum, &cost->work.pieces[i]);
    return sum;
}

/* ---- Writing ---- */

static void row_add(const struct cost *cost, u64 piece, struct text *out)
{
    const struct work *work = &cost->work.pieces[piece];
    text_add_whole(out, cost_number(cost, piece));
    if (cost->pixels)
        text_add(out, ",%u,%u", cost->pixels[piece] % cost->width,
                 cost->pixels[piece] / cost->width);
#define WORK_CELL(name, help) \
    text_add_words(out, ","); \
    text_add_whole(out, work->name);
    FUNCTIONAL_WORK(WORK_CELL)
#undef WORK_CELL
    text_add_words(out, "\n");
}

bool cost_write_table(const struct cost *cost, const char *path, struct ogv_error *error)
{
    struct draft draft;
    struct text rows = { 0 };
    if (!draft_open(&draft, path, error))
        return false;
#define WORK_COLUMN(name, help) "," #name
    text_add(&rows, "piece%s" FUNCTIONAL_WORK(WORK_COLUMN) "\n", cost->pixels ? ",x,y" : "");
#undef WORK_COLUMN
    bool good = true;
    for (u64 i = 0; i < cost->work.count && good; i++) {
        row_add(cost, i, &rows);
        if (rows.length < TABLE_PIECE && i + 1 < cost->work.count)
            continue;
        good = draft_add(&draft, rows.chars, rows.length, error);
        rows.length = 0;
    }
    text_fini(&rows);
    return draft_finish(&draft, good, error);
}

bool cost_write_picture(const struct cost *cost, const char *path, struct ogv_error *error)
{
    struct heat heat = { .nodes = heap_array((u64)cost->width * cost->height, sizeof *heat.nodes),
                         .width = cost->width,
                         .height = cost->height };
    for (u64 i = 0; i < cost->work.count; i++)
        heat.nodes[cost->pixels[i]] = (u32)min_u64(work_steps(&cost->work.pieces[i]), UINT32_MAX);
    u8 *pixels = heat_picture(&heat, heat_scale(&heat));
    bool good = image_write(path, pixels, heat.width, heat.height, error);
    free(pixels);
    heat_free(&heat);
    return good;
}
