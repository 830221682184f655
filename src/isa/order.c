/* order.c - an order of all instructions of a text in which whoever is to be waited for comes
 * first.
 *
 * Ways lead forward in it, but for those back to the head of a loop, and a loop is in one piece
 * which begins with its head: all that is in it comes before what lies behind it. So it does not
 * matter where a compiler has put a block.
 *
 * That is the weak topological order of F. Bourdoncle, "Efficient Chaotic Iteration Strategies with
 * Widenings" (1993): the strongly connected parts of the graph follow each other as ways lead; a
 * part of several instructions begins with the one where it was entered first, and the others are
 * put in order like the whole, without the ways back to that head. The parts are found as by R.
 * Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972).
 *
 * As in flow.c there is an instruction at every halfword; the search begins at functions that are
 * called, then at what linear decoding finds, then at whatever is left. Loops within more than
 * LEVELS others are not looked into, so that no text takes long.
 *
 * Always true: a part is a stretch of `order`, and its instructions have the number of that part in
 * `part`; places of a stretch are filled from its end, for what a search is done with first comes
 * last. */
#include <stdlib.h>

#include "base/text.h"
#include "isa/flow.h"

#define LEVELS 64
#define DONE   UINT32_MAX /* of `number` */

struct stretch {
    u32 begin, end; /* in `order` */
    u32 part, level;
};

struct search {
    const struct isa_program *text;
    u32 *order; /* [count] instructions in their order */
    u32 *part;  /* [count] that an instruction belongs to */
    u32 parts;
    struct stretch *stretches; /* [count] yet to be put in order */
    u32 waiting;
    /* The search under way: in `now`, without ways to `head`. */
    struct stretch now;
    u32 head, clock;
    u32 *number, *low; /* [count] when it was entered, 0: not yet; the least that it leads to */
    u8 *tried;         /* [count] of the ways from it */
    u32 *path, *open;  /* [count] from the root to here; entered, and its part not yet known */
    u32 depth, opened;
};

static void search_enter(struct search *search, u32 at)
{
    search->number[at] = search->low[at] = ++search->clock;
    search->tried[at] = 0;
    search->path[search->depth++] = at;
    search->open[search->opened++] = at;
}

/* What is open from `first` on is a part. */
static void part_close(struct search *search, u32 first)
{
    u32 end = search->now.end, begin = end, at;
    do {
        at = search->open[--search->opened];
        search->order[--begin] = at;
        search->number[at] = DONE;
    } while (at != first);
    search->now.end = begin;
    if (end - begin == 1 || search->now.level == LEVELS)
        return;
    search->parts++;
    for (u32 i = begin; i < end; i++) {
        search->part[search->order[i]] = search->parts;
        search->number[search->order[i]] = 0;
    }
    search->stretches[search->waiting++] =
        (struct stretch){ begin, end, search->parts, search->now.level + 1 };
}

static void low_note(struct search *search, u32 at, u32 number)
{
    if (number < search->low[at])
        search->low[at] = number;
}

static void search_leave(struct search *search, u32 at)
{
    search->depth--;
    if (search->depth)
        low_note(search, search->path[search->depth - 1], search->low[at]);
    if (search->low[at] == search->number[at])
        part_close(search, at);
}

/* A way that the search may take. */
static bool way_counts(const struct search *search, u32 to)
{
    return to != search->text->count && to != search->head && search->part[to] == search->now.part;
}

/* Targets of branches first: they come after what is behind the branch, as in most texts. */
static void search_from(struct search *search, u32 root)
{
    u32 after[2];
    if (search->number[root] || search->part[root] != search->now.part)
        return;
    search_enter(search, root);
    while (search->depth) {
        u32 at = search->path[search->depth - 1];
        u32 ways = flow_after(search->text, at, after);
        if (search->tried[at] == ways) {
            search_leave(search, at);
            continue;
        }
        u32 next = after[ways - ++search->tried[at]];
        if (!way_counts(search, next))
            continue;
        if (!search->number[next])
            search_enter(search, next);
        else
            low_note(search, at, search->number[next]);
    }
}

static bool insn_calls(const struct insn *insn)
{
    return insn->op == OP_jal && insn->rd != REGISTER_NONE;
}

static void search_whole(struct search *search)
{
    const struct insn *insns = search->text->insns;
    u32 count = (u32)search->text->count, after[2];
    search->now = (struct stretch){ 0, count, 0, 0 };
    search->head = count;
    for (u32 at = 0; at < count; at += insns[at].length / 2)
        if (insn_calls(&insns[at]) && flow_after(search->text, at, after) && after[1] != count)
            search_from(search, after[1]);
    for (u32 at = 0; at < count; at += insns[at].length / 2)
        search_from(search, at);
    for (u32 at = 0; at < count; at++)
        search_from(search, at);
}

void order_find(const struct isa_program *text, u32 *order)
{
    size_t count = text->count;
    u32 *memory = heap_array(6 * count, sizeof *memory);
    struct search search = { .text = text,
                             .order = memory,
                             .part = memory + count,
                             .number = memory + 2 * count,
                             .low = memory + 3 * count,
                             .path = memory + 4 * count,
                             .open = memory + 5 * count,
                             .tried = heap_array(count, 1),
                             .stretches = heap_array(count, sizeof *search.stretches) };
    search_whole(&search);
    while (search.waiting) {
        search.now = search.stretches[--search.waiting];
        search.head = search.order[search.now.begin];
        search.clock = 0;
        search_from(&search, search.head);
    }
    for (u32 i = 0; i < count; i++)
        order[search.order[i]] = i;
    free(search.stretches);
    free(search.tried);
    free(memory);
}
