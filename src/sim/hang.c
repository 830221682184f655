/* hang.c - the report of a hang.
 *
 * A unit that was refused by a full link waits for that link's reader. Following these steps from
 * any waiting unit ends in a circle (a true deadlock) or in a unit that does not wait for room:
 * that one sits on messages or never got one. */
#include "sim/hang.h"

#include <stdlib.h>

#define CHAINS_SHOWN  4
#define HOLDERS_SHOWN 16

struct hang {
    const struct chip *chip;
    hang_tell *tell;
    struct text *report;
    const struct link **waits; /* by unit number: a link that refused it, or NULL */
    u32 *chain;                /* by unit number: the chain that it was shown in, or 0 */
    bool *said;                /* by unit number: it has said what it waits for */
};

static void hang_find_waits(struct hang *hang)
{
    for (u32 i = 0; i < hang->chip->link_count; i++) {
        const struct link *link = hang->chip->links[i];
        cycle since = link_waiting_since(link);
        const struct link **known = &hang->waits[link->writer->number];
        if (since != NEVER && (!*known || since < link_waiting_since(*known)))
            *known = link;
    }
}

static void hang_show_step(const struct hang *hang, const struct link *link)
{
    text_add(hang->report,
             "  %s waits for room in its link to %s since cycle %llu (%llu of %u slots taken)\n",
             unit_path(link->writer), unit_path(link->reader),
             (unsigned long long)link_waiting_since(link), (unsigned long long)link_held(link),
             link->mask + 1u);
}

static void hang_show_chain(struct hang *hang, const struct unit *start, u32 chain)
{
    const struct unit *unit = start;
    while (hang->waits[unit->number] && !hang->chain[unit->number]) {
        hang->chain[unit->number] = chain;
        hang_show_step(hang, hang->waits[unit->number]);
        unit = hang->waits[unit->number]->reader;
    }
    const char *name = unit_path(unit);
    if (hang->chain[unit->number] == chain)
        text_add(hang->report, "  ... and so on around: %s waits for itself. A deadlock.\n", name);
    else if (hang->chain[unit->number])
        text_add(hang->report, "  ... and %s waits as shown above.\n", name);
    else
        text_add(hang->report, "  %s waits for no room, yet takes nothing from that link.\n", name);
}

static void hang_show_chains(struct hang *hang)
{
    u32 chains = 0;
    for (u32 i = 0; i < hang->chip->unit_count && chains < CHAINS_SHOWN; i++) {
        if (!hang->waits[i] || hang->chain[i])
            continue;
        text_add(hang->report, "Who waits for whom:\n");
        hang_show_chain(hang, hang->chip->units[i], ++chains);
    }
}

static void hang_show_said(struct hang *hang)
{
    u32 shown = 0;
    for (u32 i = 0; hang->tell && i < hang->chip->unit_count; i++) {
        const struct unit *unit = hang->chip->units[i];
        struct text words = { 0 };
        hang->tell(unit, &words);
        hang->said[i] = words.length;
        if (words.length && ++shown <= HOLDERS_SHOWN)
            text_add(hang->report, "  %s: %s\n", unit_path(unit), words.chars);
        text_fini(&words);
    }
    if (shown > HOLDERS_SHOWN)
        text_add(hang->report, "  ... and %u more like that\n", shown - HOLDERS_SHOWN);
}

static void hang_show_holders(struct hang *hang)
{
    u32 shown = 0;
    for (u32 i = 0; i < hang->chip->unit_count; i++) {
        const struct unit *unit = hang->chip->units[i];
        if (!unit->held || hang->waits[i] || hang->said[i])
            continue;
        if (++shown > HOLDERS_SHOWN)
            continue;
        text_add(hang->report, "  %s holds %u unfinished item%s and waits for a message\n",
                 unit_path(unit), unit->held, unit->held == 1 ? "" : "s");
    }
    if (shown > HOLDERS_SHOWN)
        text_add(hang->report, "  ... and %u more\n", shown - HOLDERS_SHOWN);
}

/* Nobody waits or holds: then messages lie somewhere that nobody takes. */
static void hang_show_unread(struct hang *hang)
{
    u32 shown = 0;
    for (u32 i = 0; i < hang->chip->link_count && shown < HOLDERS_SHOWN; i++) {
        const struct link *link = hang->chip->links[i];
        if (!link_held(link) || hang->waits[link->reader->number])
            continue;
        shown++;
        text_add(hang->report, "  %s leaves %llu message%s of %s unread\n", unit_path(link->reader),
                 (unsigned long long)link_held(link), link_held(link) == 1 ? "" : "s",
                 unit_path(link->writer));
    }
}

void hang_report(const struct chip *chip, hang_tell *tell, struct text *report)
{
    struct hang hang = { .chip = chip, .tell = tell, .report = report };
    size_t before = report->length;
    hang.waits = heap_array(chip->unit_count, sizeof *hang.waits);
    hang.chain = heap_array(chip->unit_count, sizeof *hang.chain);
    hang.said = heap_array(chip->unit_count, sizeof *hang.said);
    hang_find_waits(&hang);
    hang_show_said(&hang);
    hang_show_chains(&hang);
    hang_show_holders(&hang);
    if (report->length == before)
        hang_show_unread(&hang);
    free(hang.waits);
    free(hang.chain);
    free(hang.said);
}
