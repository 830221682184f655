/* functional.c - see functional.h. */
#include "run/functional.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/wall.h"
#include "isa/guest.h"
#include "ogive/messages.h"
#include "ogive/tracer.h"
#include "ogive/unit.h"
#include "rt/parallel.h"

#define ARGUMENTS_BYTES (64 * KiB)
#define HEAP_BYTES      (64 * MiB)
#define STACK_BYTES     (64 * KiB)
#define PAGE            (4 * KiB)
#define TICKETS         64
#define DEAL            64                      /* numbers that one program gets in a row */
#define TURN            UINT64_C(1000000)       /* instructions between two looks at the clock */
#define IDLE_MAX        UINT64_C(1000000000000) /* instructions without a new piece */

void work_add(struct work *sum, const struct work *part)
{
#define WORK_ADD(name, help) sum->name += part->name;
    FUNCTIONAL_WORK(WORK_ADD)
#undef WORK_ADD
}

u64 work_steps(const struct work *work)
{
    return work->instructions + work->nodes + work->blocks;
}

/* ---- All together ---- */

struct pass {
    const struct functional_options *options;
    struct interp interp; /* loaded; those that run are its branches */
    u64 arguments, world; /* addresses */
    struct runner *runners;
    u32 count;
    u64 expected; /* pieces; 0: not known */
    u64 done;     /* pieces, atomic */
    pthread_mutex_t lock;
    bool failed; /* under the lock, with the first error */
    struct ogv_error *error;
};

/* One program, with its part of the numbers. */
struct runner {
    struct pass *pass;
    struct interp interp;
    struct guest guest;
    struct work *pieces; /* in the order in which it got them */
    u64 count, room;
    struct work work; /* of the piece under way, or before the first */
    struct work rest;
    u64 begun; /* instructions before it */
    u32 number;
    struct bvh_list list; /* of all pieces, one after the other */
    u64 listed;           /* of those before the piece under way */
    u64 tickets;          /* bit i: given out */
    struct rt_hit hits[TICKETS];
};

/* ---- What a program asks for ---- */

/* The k-th number that a runner gets. All get 0 first, so that what a program does once, with its
 * first number, is never counted elsewhere. */
static u64 runner_number(const struct runner *runner, u64 k)
{
    if (runner->number)
        k--;
    return k == UINT64_MAX ? 0
                           : (k / DEAL * runner->pass->count + runner->number) * DEAL + k % DEAL;
}

/* What the program has loaded and stored since. */
static void loads_list(struct runner *runner)
{
    struct interp_notes *notes = &runner->interp.notes;
    for (u64 i = 0; i < notes->count; i++) {
        u32 kind = notes->at[i] & NOTES_STORED ? BVH_LIST_STORE : BVH_LIST_LOAD;
        bvh_list_add(&runner->list, kind | (notes->at[i] & ~NOTES_STORED));
    }
    notes->count = 0;
    memset(notes->recent, 0, sizeof notes->recent); /* pieces do not know of each other */
}

/* The first piece of all is that of the first. */
static void list_end(struct runner *runner)
{
    struct visit_lists *lists = runner->pass->options->lists;
    u64 k = runner->count - 1;
    loads_list(runner);
    if (lists && runner->count && (k || !runner->number) &&
        runner_number(runner, k) < lists->count) {
        struct visit_list *list = &lists->of[runner_number(runner, k)];
        list->first = runner->listed;
        list->count = runner->list.count - runner->listed;
        list->runner = runner->number;
        runner->listed = runner->list.count;
    }
    runner->list.count = runner->listed;
}

/* What was done since the last number, or since the beginning. */
static void piece_end(struct runner *runner)
{
    struct work *work = &runner->work;
    list_end(runner);
    work->instructions = runner->guest.instructions - runner->begun;
    runner->begun = runner->guest.instructions;
    if (runner->count)
        runner->pieces[runner->count - 1] = *work;
    else
        runner->rest = *work;
    *work = (struct work){ 0 };
}

static u64 piece_begin(struct runner *runner)
{
    piece_end(runner);
    if (runner->count == runner->room) {
        runner->room = runner->room ? 2 * runner->room : 1024;
        runner->pieces = heap_grow(runner->pieces, runner->room, sizeof *runner->pieces);
    }
    __atomic_fetch_add(&runner->pass->done, 1, __ATOMIC_RELAXED);
    return runner_number(runner, runner->count++);
}

static struct rt_hit ray_trace(struct runner *runner, const struct message *message, bool any)
{
    struct rt_ray ray = tracer_ray(message);
    struct bvh_visits visits = { 0 };
    if (rt_ray_is_empty(&ray))
        return rt_hit_none(&ray);
    const struct functional_options *options = runner->pass->options;
    const struct bvh *bvh = &options->world->bvh;
    loads_list(runner);
    struct rt_hit hit = options->lists ? bvh_trace_listed(bvh, &ray, any, &visits, &runner->list)
                                       : bvh_trace(bvh, &ray, 0, any, &visits);
    runner->work.rays++;
    runner->work.nodes += visits.nodes;
    runner->work.blocks += visits.blocks;
    runner->work.triangles += visits.triangles;
    return hit;
}

static void ray_start(struct runner *runner, struct message *message)
{
    u64 ticket = (u64)__builtin_ctzll(~runner->tickets | UINT64_C(1) << (TICKETS - 1));
    bool room = ~runner->tickets;
    if (room) {
        runner->hits[ticket] = ray_trace(runner, message, false);
        runner->tickets |= UINT64_C(1) << ticket;
    }
    message->data.dword[0] = room ? ticket : UINT64_MAX;
}

static void ray_wait(struct runner *runner, struct message *message)
{
    u64 ticket = message->data.dword[0];
    if (ticket < TICKETS && runner->tickets >> ticket & 1) {
        runner->tickets &= ~(UINT64_C(1) << ticket);
        tracer_hit(message, &runner->hits[ticket]);
    } else {
        memset(&message->data, 0xff, sizeof message->data);
    }
}

static bool ray_answer(struct runner *runner, struct message *message)
{
    struct rt_hit hit;
    switch (message->kind) {
    case MESSAGE_TRACE:
    case MESSAGE_TRACE_ANY:
        hit = ray_trace(runner, message, message->kind == MESSAGE_TRACE_ANY);
        tracer_hit(message, &hit);
        return true;
    case MESSAGE_TRACE_START:
        ray_start(runner, message);
        return true;
    case MESSAGE_TRACE_WAIT:
        ray_wait(runner, message);
        return true;
    default:
        return false;
    }
}

/* A barrier of one is passed at once. */
static bool message_answer(struct guest *guest, struct message *message)
{
    struct runner *runner = guest->context;
    if (message->kind == MESSAGE_NEXT)
        message->data.dword[0] = unit_piece(runner->pass->options->chosen, piece_begin(runner));
    else if (message->kind != MESSAGE_BARRIER)
        return runner->pass->world && ray_answer(runner, message);
    return true;
}

/* ---- Running ---- */

static void pass_fail(struct pass *pass, const struct ogv_error *error)
{
    pthread_mutex_lock(&pass->lock);
    if (!pass->failed)
        *pass->error = *error;
    pass->failed = true;
    pthread_mutex_unlock(&pass->lock);
}

static void progress_show(const struct pass *pass)
{
    u64 done = __atomic_load_n(&pass->done, __ATOMIC_RELAXED);
    if (pass->options->progress && pass->expected)
        pass->options->progress(pass->options->context,
                                (double)min_u64(done, pass->expected) / (double)pass->expected);
}

/* False: the program came to a bad end, or was interrupted. */
static bool runner_finish(struct runner *runner, struct ogv_error *error)
{
    struct guest *guest = &runner->guest;
    enum guest_stop stop = GUEST_LIMIT;
    while (stop == GUEST_LIMIT && !stop_asked()) {
        stop = guest_run(guest, TURN);
        progress_show(runner->pass);
        if (guest->instructions - runner->begun > IDLE_MAX)
            return error_user(error, "the program does not end");
    }
    if (stop == GUEST_LIMIT)
        return stop_error(error, "counting the work");
    if (stop == GUEST_FAILED)
        return error_user(error, "the program fails: %s, at 0x%llx", guest->why,
                          (unsigned long long)guest->hart.pc);
    if (guest->exit_code)
        return error_user(error, "the program gives up, with exit code %llu",
                          (unsigned long long)guest->exit_code);
    return true;
}

static void runner_run(void *context, u32 number)
{
    struct pass *pass = context;
    struct runner *runner = &pass->runners[number];
    struct ogv_error error;
    *runner = (struct runner){ .pass = pass, .number = number };
    if (!interp_branch(&pass->interp, &runner->interp, &error)) {
        pass_fail(pass, &error);
        return;
    }
    guest_init(&runner->guest, &runner->interp, 0, 1, pass->arguments, STACK_BYTES);
    runner->guest.answer = message_answer;
    runner->guest.context = runner;
    runner->guest.world = pass->world;
    if (pass->options->lists)
        runner->interp.notes = (struct interp_notes){ .offset = pass->world - runner->interp.base,
                                                      .bytes = pass->options->world->header.bytes };
    if (runner_finish(runner, &error))
        piece_end(runner);
    else
        pass_fail(pass, &error);
    if (pass->options->lists)
        pass->options->lists->visits[number] = runner->list.visits;
    free(runner->interp.notes.at);
    guest_fini(&runner->guest);
    interp_fini(&runner->interp);
}

/* ---- Together again ---- */

/* The last number that each got was beyond the end, or the program would have asked for more; what
 * it did with it is what all do in the end. */
static void pieces_gather(const struct pass *pass, struct functional *functional)
{
    u64 count = UINT64_MAX;
    for (u32 i = 0; i < pass->count; i++) {
        const struct runner *runner = &pass->runners[i];
        count = min_u64(count, runner->count ? runner_number(runner, runner->count - 1) : 0);
    }
    functional->count = count;
    functional->pieces = heap_array(count, sizeof *functional->pieces);
    for (u32 i = 0; i < pass->count; i++) {
        const struct runner *runner = &pass->runners[i];
        for (u64 k = i ? 1 : 0; k < runner->count; k++)
            if (runner_number(runner, k) < count)
                functional->pieces[runner_number(runner, k)] = runner->pieces[k];
    }
    functional->rest = pass->runners[0].rest;
    if (pass->runners[0].count)
        work_add(&functional->rest, &pass->runners[0].pieces[pass->runners[0].count - 1]);
}

/* ---- Loading ---- */

static bool world_put_bytes(void *context, u64 offset, const void *bytes, u64 length,
                            struct ogv_error *error)
{
    struct pass *pass = context;
    u8 *place = interp_memory(&pass->interp, pass->world + offset, length);
    if (!place)
        return error_user(error, "the scene is larger than it says");
    memcpy(place, bytes, length);
    return true;
}

/* The program, its arguments, its heap, and the world. */
static bool pass_load(struct pass *pass, const struct elf_image *image, struct ogv_error *error)
{
    const struct functional_options *options = pass->options;
    u64 low, high, world_bytes = options->world ? options->world->header.bytes : 0;
    elf_extent(image, &low, &high);
    pass->arguments = (high + PAGE - 1) / PAGE * PAGE;
    u64 end = pass->arguments + ARGUMENTS_BYTES + HEAP_BYTES;
    if (!interp_init(&pass->interp, isa_shared(), image, end + world_bytes - high, error))
        return false;
    const char **values = heap_array(options->argument_count + 1, sizeof *values);
    values[0] = options->title;
    for (u32 i = 0; i < options->argument_count; i++)
        values[i + 1] = options->arguments[i];
    bool good = guest_arguments(&pass->interp, pass->arguments, ARGUMENTS_BYTES,
                                options->argument_count + 1, values) ||
                error_user(error, "the program's arguments are longer than %llu KiB",
                           (unsigned long long)(ARGUMENTS_BYTES / KiB));
    free(values);
    pass->world = world_bytes ? end : 0;
    return good && (!world_bytes || world_write(options->world, world_put_bytes, pass, error));
}

static u64 pieces_expected(const struct world *world)
{
    if (!world)
        return 0;
    return world->header.ray_count ? world->header.ray_count
                                   : (u64)world->header.width * world->header.height;
}

static void pass_run(struct pass *pass, struct functional *functional)
{
    pass->count = parallel_threads(pass->options->threads);
    pass->runners = heap_array(pass->count, sizeof *pass->runners);
    pthread_mutex_init(&pass->lock, NULL);
    if (!parallel_run(pass->count, pass->count, runner_run, pass) && !pass->failed) {
        pass->failed = true;
        stop_error(pass->error, "counting the work");
    }
    if (!pass->failed)
        pieces_gather(pass, functional);
    for (u32 i = 0; i < pass->count; i++)
        free(pass->runners[i].pieces);
    pthread_mutex_destroy(&pass->lock);
    free(pass->runners);
}

static void lists_begin(const struct functional_options *options)
{
    const struct world *world = options->world;
    struct visit_lists *lists = options->lists;
    *lists = (struct visit_lists){ .count = options->chosen->count,
                                   .nodes = world->header.nodes,
                                   .blocks = world->header.blocks,
                                   .node_bytes = world->bvh.nodes_format->bytes,
                                   .block_bytes = world->bvh.primitives_format->bytes };
    lists->of = heap_array(lists->count + 1, sizeof *lists->of);
    lists->runners = parallel_threads(options->threads);
    lists->visits = heap_array(lists->runners, sizeof *lists->visits);
}

void visit_lists_fini(struct visit_lists *lists)
{
    for (u32 i = 0; i < lists->runners; i++)
        free(lists->visits[i]);
    free(lists->visits);
    free(lists->of);
    *lists = (struct visit_lists){ 0 };
}

bool functional_run(const struct functional_options *options, struct functional *functional,
                    struct ogv_error *error)
{
    struct pass pass = { .options = options,
                         .interp = { .file = -1 },
                         .expected = options->chosen ? options->chosen->count
                                                     : pieces_expected(options->world),
                         .error = error };
    struct elf_image image;
    *functional = (struct functional){ 0 };
    if (options->lists && options->world->header.bytes / NOTES_BYTES >= UNIT_GHOST_MOST)
        return error_user(error,
                          "the scene with its tree takes %llu MiB: what is asked of it can "
                          "be listed up to %llu MiB",
                          (unsigned long long)(options->world->header.bytes >> 20),
                          (unsigned long long)UNIT_GHOST_MOST * NOTES_BYTES >> 20);
    if (options->lists)
        lists_begin(options);
    if (!elf_load(options->file, &image, error))
        return false;
    bool loaded = pass_load(&pass, &image, error);
    elf_fini(&image);
    double wall = wall_clock(), work = work_clock();
    if (loaded)
        pass_run(&pass, functional);
    functional->wall_seconds = wall_clock() - wall;
    functional->work_seconds = work_clock() - work;
    interp_fini(&pass.interp);
    return loaded && !pass.failed;
}

void functional_fini(struct functional *functional)
{
    free(functional->pieces);
    *functional = (struct functional){ 0 };
}
