/* monitor_machine.c - commands about the machine: units, links, messages, statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "debug/monitor.h"
#include "unit/registry.h"
#include "unit/waits.h"

#define LINES_MAX  200
#define PATH_BYTES 256

/* ---- Units ---- */

static void unit_line(const struct unit *unit, struct text *out)
{
    text_add(out, "  %-28s %-12s holds %u\n", unit_path(unit), registry_type(unit->type)->name,
             unit->held);
}

/* All copies of a line of the architecture. */
static void groups_add(const ogv_system *system, struct text *out)
{
    const struct plan *plan = system->plan;
    for (u32 d = 0; d < plan->domain_count; d++) {
        const struct plan_domain *domain = &plan->domains[d];
        for (u32 u = 0; u < domain->unit_count; u++) {
            u64 held = 0, copies = (u64)domain->count * domain->units[u].count;
            for (u32 i = 0; i < domain->count; i++)
                for (u32 k = 0; k < domain->units[u].count; k++)
                    held += system->chip->units[plan_number(domain, i, &domain->units[u], k)]->held;
            text_add(out, "  %s.%-24s %-12s %5llu of them hold %llu\n", domain->name,
                     domain->units[u].name, domain->units[u].type->name, (unsigned long long)copies,
                     (unsigned long long)held);
        }
    }
}

void monitor_units(const struct monitor_call *call)
{
    const struct chip *chip = call->debug->system->chip;
    u32 shown = 0;
    if (!*call->rest) {
        groups_add(call->debug->system, call->out);
        return;
    }
    for (u32 i = 0; i < chip->unit_count && shown < LINES_MAX; i++) {
        if (!strstr(unit_path(chip->units[i]), call->rest))
            continue;
        unit_line(chip->units[i], call->out);
        shown++;
    }
    if (!shown)
        text_add(call->out, "no unit has '%s' in its path\n", call->rest);
    else if (shown == LINES_MAX)
        text_add(call->out, "  ... the first %d of them\n", LINES_MAX);
}

/* ---- Links ---- */

static void link_line(const struct link *link, struct text *out)
{
    text_add(out, "  %s -> %s: %llu of %u, %llu sent", unit_path(link->writer),
             unit_path(link->reader), (unsigned long long)link_held(link), link->mask + 1u,
             (unsigned long long)link->tail);
    cycle since = link_waiting_since(link);
    if (since != NEVER)
        text_add(out, "; full, its writer waits since cycle %llu", (unsigned long long)since);
    text_add(out, "\n");
}

static void links_of(const ogv_system *system, const struct unit *unit, struct text *out)
{
    u32 shown = 0, left = 0;
    for (u32 i = 0; i < system->chip->link_count; i++) {
        const struct link *link = system->chip->links[i];
        bool wanted = unit ? link->writer == unit || link->reader == unit : link_held(link);
        left += wanted && shown == LINES_MAX;
        if (!wanted || shown == LINES_MAX)
            continue;
        link_line(link, out);
        shown++;
    }
    if (left)
        text_add(out, "  ... and %u more\n", left);
    if (!shown)
        text_add(out, unit ? "  it has none\n" : "  nothing is on its way\n");
}

void monitor_links(const struct monitor_call *call)
{
    ogv_system *system = call->debug->system;
    struct unit *unit = *call->rest ? stops_unit(system, call->rest, call->out) : NULL;
    if (unit || !*call->rest)
        links_of(system, unit, call->out);
}

static void message_line(const struct link *link, u64 n, struct text *out)
{
    const struct slot *slot = link_nth(link, n);
    const struct message *message = &slot->message;
    text_add(out, "  arrives %-10llu kind %-3u address 0x%-12llx %3u bytes, tag 0x%x, source %u\n",
             (unsigned long long)slot->at, message->kind, (unsigned long long)message->address,
             message->size_bytes, message->tag, message->source);
}

void monitor_messages(const struct monitor_call *call)
{
    ogv_system *system = call->debug->system;
    char from[PATH_BYTES], to[PATH_BYTES];
    if (sscanf(call->rest, "%255s -> %255s", from, to) != 2) {
        text_add(call->out, "write it as in `messages sm[3].l1 -> partition[2].l2`\n");
        return;
    }
    struct unit *writer = stops_unit(system, from, call->out);
    struct unit *reader = writer ? stops_unit(system, to, call->out) : NULL;
    bool found = false;
    for (u32 i = 0; reader && i < system->chip->link_count; i++) {
        const struct link *link = system->chip->links[i];
        if (link->writer != writer || link->reader != reader)
            continue;
        found = true;
        link_line(link, call->out);
        for (u64 n = 0; n < link_held(link); n++)
            message_line(link, n, call->out);
    }
    if (reader && !found)
        text_add(call->out, "there is no link from %s to %s\n", from, to);
}

/* ---- One unit ---- */

void monitor_unit(const struct monitor_call *call)
{
    ogv_system *system = call->debug->system;
    struct unit *unit = stops_unit(system, call->rest, call->out);
    struct text words = { 0 };
    if (!unit)
        return;
    const struct unit_type *type = registry_type(unit->type);
    system_settle(system);
    text_add(call->out, "%s: %s, holds %u unfinished items\n", unit_path(unit), type->help,
             unit->held);
    if (type->waits)
        type->waits(unit, &(struct unit_words){ &words });
    if (words.length)
        text_add(call->out, "it waits: %s\n", words.chars);
    text_fini(&words);
    text_add(call->out, "statistics that are not 0:\n");
    for (u32 i = 0; type->stats[i].name; i++)
        if (unit_stats(unit)[i])
            text_add(call->out, "  %-24s %12llu %s\n", type->stats[i].name,
                     (unsigned long long)unit_stats(unit)[i], type->stats[i].measure);
    text_add(call->out, "links:\n");
    links_of(system, unit, call->out);
}

void monitor_waits(const struct monitor_call *call)
{
    system_report_waits(call->debug->system, call->out);
}

/* ---- Statistics since the last stop ---- */

static u32 cells_of(const struct unit *unit)
{
    return stats_count(registry_type(unit->type));
}

void monitor_note_stats(struct debug *debug)
{
    const struct chip *chip = debug->system->chip;
    u64 cells = 0, at = 0;
    for (u32 i = 0; i < chip->unit_count; i++)
        cells += cells_of(chip->units[i]);
    if (!debug->before)
        debug->before = heap_array(cells, sizeof *debug->before);
    system_settle(debug->system);
    for (u32 i = 0; i < chip->unit_count; i++) {
        memcpy(&debug->before[at], unit_stats(chip->units[i]),
               cells_of(chip->units[i]) * sizeof *debug->before);
        at += cells_of(chip->units[i]);
    }
    debug->before_at = chip->now;
}

static void unit_changes(const struct unit *unit, const u64 *before, struct text *out)
{
    const struct unit_type *type = registry_type(unit->type);
    for (u32 i = 0; type->stats[i].name; i++) {
        long long change = (long long)(unit_stats(unit)[i] - before[i]);
        if (change)
            text_add(out, "  %s.%s %+lld %s\n", unit_path(unit), type->stats[i].name, change,
                     type->stats[i].measure);
    }
}

void monitor_stats(const struct monitor_call *call)
{
    struct debug *debug = call->debug;
    const struct chip *chip = debug->system->chip;
    u64 at = 0;
    system_settle(debug->system);
    text_add(call->out, "since cycle %llu, %+lld cycles:\n", (unsigned long long)debug->before_at,
             (long long)(chip->now - debug->before_at));
    for (u32 i = 0; i < chip->unit_count && call->out->length < PACKET_MAX / 4; i++) {
        if (strstr(unit_path(chip->units[i]), call->rest))
            unit_changes(chip->units[i], &debug->before[at], call->out);
        at += cells_of(chip->units[i]);
    }
    if (call->out->length >= PACKET_MAX / 4)
        text_add(call->out, "  ... there are more: name a part of the units' path\n");
}
