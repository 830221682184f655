/* text.c - the views of profile_tree.h that are read in a terminal, and folded stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ogive/isa.h"
#include "profile/tree.h"

#define SOURCE_MAX (16 * MiB)

static double share(const struct profile_tree *tree, double cost)
{
    double whole = tree->nodes[0].inclusive;
    return whole > 0 ? cost / whole : 0;
}

static void reason_words(u32 reason, char *buffer, size_t size)
{
    if (reason < PROFILE_HAZARD)
        profile_reason_name(reason, buffer, size);
    else
        snprintf(buffer, size, "waits for %s",
                 isa_class_name((enum isa_class)(reason - PROFILE_HAZARD)));
}

/* "waits for load 43%": the largest stall, as a share of these cycles. */
static void stall_words(const struct profile_counts *counts, char *buffer, size_t size)
{
    u32 stall = counts_main_stall(counts);
    char name[64];
    reason_words(stall, name, sizeof name);
    buffer[0] = 0;
    if (stall != PROFILE_ISSUED)
        snprintf(buffer, size, "%s %.0f%%", name,
                 100 * (double)counts->cycles[stall] / (double)counts_total(counts));
}

/* ---- Summary ---- */

static void summary_add(const struct profile_tree *tree, struct text *out)
{
    bool warps = tree->profile->warps;
    const char *const meanings[] = { "an instruction issued",
                                     warps ? "ready, but another warp issued"
                                           : "ready, but another thread issued",
                                     "no room in the unit that should execute",
                                     "waits for its instruction",
                                     "waits for its own memory accesses" };
    const struct profile_counts *counts = &tree->nodes[0].counts_inclusive;
    u64 all = tree->profile->thread_cycles;
    const char *who = warps ? "warp" : "thread";
    text_add(out, "%llu %s-cycles while %ss ran (%llu more after their end)\n%s",
             (unsigned long long)all, who, who, (unsigned long long)tree->profile->halted_cycles,
             tree->profile->has_energy ? "" : "\n");
    if (tree->profile->has_energy)
        text_add(out, "%.6g uJ for fetching, registers and computing in cores (--by energy)\n\n",
                 counts->picojoules * 1e-6);
    bool taken[PROFILE_REASONS] = { 0 };
    for (;;) {
        char name[64];
        u32 most = PROFILE_REASONS;
        for (u32 i = 0; i < PROFILE_REASONS; i++)
            if (!taken[i] && counts->cycles[i] &&
                (most == PROFILE_REASONS || counts->cycles[i] > counts->cycles[most]))
                most = i;
        if (most == PROFILE_REASONS)
            return;
        taken[most] = true;
        profile_reason_name(most, name, sizeof name);
        text_add(out, "  %6.2f%%  %-18s %s\n", 100 * (double)counts->cycles[most] / (double)all,
                 name, most < PROFILE_HAZARD ? meanings[most] : "waits for such a result");
    }
}

/* ---- Call tree ---- */

struct tree_view {
    const struct profile_tree *tree;
    const struct view_options *options;
    struct text *out;
    u32 hidden;
};

static void calls_words(const struct tree_node *node, char *buffer, size_t size)
{
    if (node->inlined)
        snprintf(buffer, size, "inlined");
    else
        snprintf(buffer, size, "%llu", (unsigned long long)node->calls);
}

#define INDENT_MAX 40

static void tree_line(struct tree_view *view, u32 number, u32 depth)
{
    const struct tree_node *node = &view->tree->nodes[number];
    char calls[32], stall[96] = "";
    calls_words(node, calls, sizeof calls);
    if (node->own > 0)
        stall_words(&node->counts, stall, sizeof stall);
    text_add(view->out, "  %8.2f%% %8.2f%% %12s  %*s%s%s%s\n",
             100 * share(view->tree, node->inclusive), 100 * share(view->tree, node->own), calls,
             (int)(2 * min_u64(depth, INDENT_MAX)), "", node->function, *stall ? "  | " : "",
             stall);
}

/* The node after this one, from the top down; PATH_NONE after the last. `depth` is kept right. */
static u32 tree_next(const struct profile_tree *tree, u32 number, bool enter, u32 *depth)
{
    const struct tree_node *nodes = tree->nodes;
    if (enter && nodes[number].child != PATH_NONE) {
        ++*depth;
        return nodes[number].child;
    }
    while (number && nodes[number].next == PATH_NONE) {
        number = nodes[number].parent;
        --*depth;
    }
    return number ? nodes[number].next : PATH_NONE;
}

static void tree_lines(struct tree_view *view)
{
    u32 depth = 0;
    for (u32 i = tree_next(view->tree, 0, true, &depth); i != PATH_NONE;) {
        bool shown = share(view->tree, view->tree->nodes[i].inclusive) >= view->options->least;
        if (shown)
            tree_line(view, i, depth - 1);
        view->hidden += !shown;
        i = tree_next(view->tree, i, shown, &depth);
    }
}

/* ---- Functions ---- */

struct function_sum {
    const char *name;
    double own, inclusive;
    struct profile_counts counts;
};

static bool above_has(const struct profile_tree *tree, u32 number)
{
    const struct tree_node *node = &tree->nodes[number];
    for (u32 up = node->parent; up != PATH_NONE; up = tree->nodes[up].parent)
        if (!strcmp(tree->nodes[up].function, node->function))
            return true;
    return false;
}

static int function_order(const void *a, const void *b)
{
    const struct tree_node *x = *(const struct tree_node *const *)a;
    const struct tree_node *y = *(const struct tree_node *const *)b;
    return strcmp(x->function, y->function);
}

static int sum_order(const void *a, const void *b)
{
    const struct function_sum *x = a, *y = b;
    if (x->own > y->own || x->own < y->own)
        return x->own < y->own ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* By name; a function that is below itself counts once in inclusive costs. */
static u32 functions_sum(const struct profile_tree *tree, struct function_sum *sums)
{
    const struct tree_node **order = heap_array(tree->node_count, sizeof *order);
    u32 count = 0, made = 0;
    for (u32 i = 1; i < tree->node_count; i++)
        order[count++] = &tree->nodes[i];
    qsort(order, count, sizeof *order, function_order);
    for (u32 i = 0; i < count; i++) {
        if (!made || strcmp(sums[made - 1].name, order[i]->function))
            sums[made++] = (struct function_sum){ .name = order[i]->function };
        struct function_sum *sum = &sums[made - 1];
        sum->own += order[i]->own;
        counts_add(&sum->counts, &order[i]->counts);
        if (!above_has(tree, (u32)(order[i] - tree->nodes)))
            sum->inclusive += order[i]->inclusive;
    }
    qsort(sums, made, sizeof *sums, sum_order);
    free(order);
    return made;
}

static void functions_add(struct tree_view *view)
{
    const struct profile_tree *tree = view->tree;
    struct function_sum *sums = heap_array(tree->node_count, sizeof *sums);
    u32 count = functions_sum(tree, sums);
    text_add(view->out, "\n  %9s %9s %9s  %s\n", "exclusive", "inclusive", "issued", "function");
    for (u32 i = 0; i < count; i++) {
        char stall[96];
        u64 total = counts_total(&sums[i].counts);
        if (share(tree, sums[i].own) < view->options->least || !total)
            continue;
        stall_words(&sums[i].counts, stall, sizeof stall);
        text_add(view->out, "  %8.2f%% %8.2f%% %8.2f%%  %s%s%s\n", 100 * share(tree, sums[i].own),
                 100 * share(tree, sums[i].inclusive),
                 100 * (double)sums[i].counts.cycles[PROFILE_ISSUED] / (double)total, sums[i].name,
                 *stall ? "  | " : "", stall);
    }
    free(sums);
}

void view_tree(const struct profile_tree *tree, const struct view_options *options,
               struct text *out)
{
    struct tree_view view = { tree, options, out, 0 };
    summary_add(tree, out);
    text_add(out, "\n  %9s %9s %12s  %s\n", "inclusive", "exclusive", "calls",
             "call tree, with the main stall of a function's own instructions");
    tree_lines(&view);
    if (view.hidden)
        text_add(out, "  (%u branches below %.3g%% are not shown)\n", view.hidden,
                 100 * options->least);
    functions_add(&view);
}

/* ---- Source ---- */

struct line_sum {
    const char *file;
    u32 line;
    double cost;
    struct profile_counts counts;
};

static int item_order(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* Lines by file and number; instructions without a line are not among them. */
static u32 lines_sum(const struct profile_tree *tree, struct line_sum *lines)
{
    const struct tree_item **order =
        heap_array((size_t)tree->profile->sample_count + 1, sizeof *order);
    u32 count = 0, made = 0;
    for (u32 i = 0; i < tree->profile->sample_count; i++)
        if (tree->items[i].file)
            order[count++] = &tree->items[i];
    qsort(order, count, sizeof *order, item_order);
    for (u32 i = 0; i < count; i++) {
        if (!made || lines[made - 1].line != order[i]->line ||
            strcmp(lines[made - 1].file, order[i]->file))
            lines[made++] = (struct line_sum){ .file = order[i]->file, .line = order[i]->line };
        lines[made - 1].cost += profile_cost(tree->measure, order[i]->sample);
        counts_add(&lines[made - 1].counts, &order[i]->sample->counts);
    }
    free(order);
    return made;
}

struct source_view {
    const struct profile_tree *tree;
    const struct view_options *options;
    struct text *out;
};

static void source_line(const struct source_view *view, const struct line_sum *sum, u32 number,
                        const char *text, size_t length)
{
    char stall[96] = "", percent[32] = "", issued[32] = "";
    if (sum) {
        stall_words(&sum->counts, stall, sizeof stall);
        snprintf(percent, sizeof percent, "%.2f%%", 100 * share(view->tree, sum->cost));
        snprintf(issued, sizeof issued, "%llu",
                 (unsigned long long)sum->counts.cycles[PROFILE_ISSUED]);
    }
    text_add(view->out, "  %8s %14s  %-26s %5u  %.*s\n", percent, issued, stall, number,
             (int)length, text);
}

/* All lines of the file, or those with costs if it is not there any more. */
static void source_file(const struct source_view *view, const struct line_sum *lines, u32 count)
{
    struct ogv_error error;
    size_t length;
    char *text = file_read(lines->file, SOURCE_MAX, &length, &error);
    const char *at = text;
    u32 next = 0;
    for (u32 number = 1; at && *at; number++) {
        size_t width = strcspn(at, "\n");
        bool known = next < count && lines[next].line == number;
        source_line(view, known ? &lines[next] : NULL, number, at, min_u64(width, 160));
        next += known;
        at += width + (at[width] == '\n');
    }
    for (; next < count; next++)
        source_line(view, &lines[next], lines[next].line, "", 0);
    free(text);
}

void view_source(const struct profile_tree *tree, const struct view_options *options,
                 struct text *out)
{
    struct source_view view = { tree, options, out };
    struct line_sum *lines = heap_array((size_t)tree->profile->sample_count + 1, sizeof *lines);
    u32 count = lines_sum(tree, lines);
    for (u32 first = 0; first < count;) {
        u32 end = first;
        double cost = 0;
        for (; end < count && !strcmp(lines[end].file, lines[first].file); end++)
            cost += lines[end].cost;
        if (share(tree, cost) >= options->least) {
            text_add(out, "%s%s: %.2f%% of %s\n  %8s %14s  %-26s %5s\n", first ? "\n" : "",
                     lines[first].file, 100 * share(tree, cost), tree->measure->name, "cost",
                     "issued", "main stall", "line");
            source_file(&view, &lines[first], end - first);
        }
        first = end;
    }
    free(lines);
}

/* ---- Disassembly ---- */

static int pc_order(const void *a, const void *b)
{
    const struct tree_item *x = *(const struct tree_item *const *)a;
    const struct tree_item *y = *(const struct tree_item *const *)b;
    return (x->sample->pc > y->sample->pc) - (x->sample->pc < y->sample->pc);
}

static void instruction_words(const struct elf_image *image, u64 pc, char *buffer, size_t size)
{
    buffer[0] = 0;
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        u64 at = pc - segment->address;
        if (!segment->executable || pc < segment->address || at + 2 > segment->file_bytes)
            continue;
        u32 bits = segment->bytes[at] | (u32)segment->bytes[at + 1] << 8;
        if (isa_length((u16)bits) == 4 && at + 4 <= segment->file_bytes)
            bits |= (u32)segment->bytes[at + 2] << 16 | (u32)segment->bytes[at + 3] << 24;
        struct insn insn = isa_decode(isa_shared(), bits);
        isa_disassemble(isa_shared(), &insn, pc, buffer, size);
    }
}

static void instruction_line(const struct profile_tree *tree, const struct tree_item *item,
                             double cost, const struct profile_counts *counts, struct text *out)
{
    char words[128], stall[96];
    instruction_words(places_image(tree->places), item->sample->pc, words, sizeof words);
    stall_words(counts, stall, sizeof stall);
    text_add(out, "  %8.2f%% %14llu  %-26s %8llx:  %-36s", 100 * share(tree, cost),
             (unsigned long long)counts->cycles[PROFILE_ISSUED], stall,
             (unsigned long long)item->sample->pc, words);
    const char *slash = item->file ? strrchr(item->file, '/') : NULL;
    if (item->file)
        text_add(out, " %s:%u", slash ? slash + 1 : item->file, item->line);
    text_add(out, "\n");
}

void view_disassembly(const struct profile_tree *tree, const struct view_options *options,
                      struct text *out)
{
    u32 count = tree->profile->sample_count;
    const struct tree_item **order = heap_array((size_t)count + 1, sizeof *order);
    const struct elf_symbol *last = NULL;
    for (u32 i = 0; i < count; i++)
        order[i] = &tree->items[i];
    qsort(order, count, sizeof *order, pc_order);
    text_add(out, "  %9s %14s  %-26s %8s\n", "cost", "issued", "main stall", "address");
    for (u32 i = 0; i < count;) {
        const struct tree_item *item = order[i];
        struct profile_counts counts = { 0 };
        double cost = 0;
        for (; i < count && order[i]->sample->pc == item->sample->pc; i++) {
            cost += profile_cost(tree->measure, order[i]->sample);
            counts_add(&counts, &order[i]->sample->counts);
        }
        if (share(tree, cost) < options->least)
            continue;
        const struct elf_symbol *symbol =
            elf_symbol_at(places_image(tree->places), item->sample->pc);
        if (symbol && symbol != last)
            text_add(out, "\n%016llx <%s>:\n", (unsigned long long)symbol->address, symbol->name);
        last = symbol;
        instruction_line(tree, item, cost, &counts, out);
    }
    free(order);
}

/* ---- Folded stacks ---- */

/* Semicolons part the functions, the last space the cost. */
static void folded_name(struct text *out, const char *name)
{
    for (; *name; name++)
        text_add(out, "%c", *name == ';' ? ':' : *name);
}

/* From the outermost function down to this one. */
static void folded_stack(const struct profile_tree *tree, u32 number, u32 depth, struct text *out)
{
    u32 *way = heap_array((size_t)depth + 1, sizeof *way);
    for (u32 i = depth; i-- > 0; number = tree->nodes[number].parent)
        way[i] = number;
    for (u32 i = 0; i < depth; i++) {
        text_add(out, "%s", i ? ";" : "");
        folded_name(out, tree->nodes[way[i]].function);
    }
    free(way);
}

void view_folded(const struct profile_tree *tree, struct text *out)
{
    u32 depth = 0;
    for (u32 i = 0; i != PATH_NONE; i = tree_next(tree, i, true, &depth)) {
        if (!i || !(tree->nodes[i].own > 0))
            continue;
        folded_stack(tree, i, depth, out);
        text_add(out, " %.0f\n", tree->nodes[i].own);
    }
}
