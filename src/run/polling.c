/* polling.c - notices a run in which threads do nothing but ask memory again and again.
 *
 * Such a run retires instructions, so the watchdog is content with it; but if every thread waits
 * for another one, it never ends. What units call an effect (unit_effect) is what somebody could
 * wait for. Threads that compute for millions of cycles and store nothing look the same from here,
 * so this is a note and not an end; it names the functions that the threads are in, which tells the
 * two apart. */
#include "run/polling.h"

#include <stdlib.h>

#include "arch/host.h"
#include "isa/elf.h"
#include "run/program.h"
#include "unit/registry.h"

#define POLLING_CYCLES  2000000
#define FUNCTIONS_SHOWN 3

void polling_begin(struct polling *polling)
{
    *polling = (struct polling){ POLLING_CYCLES, POLLING_CYCLES };
}

/* ---- Where the threads are ---- */

struct standing {
    const struct elf_symbol *function; /* NULL: none of the symbols */
    u64 threads;
};

struct standings {
    const struct elf_image *image;
    struct standing *rows; /* one per function, and one for none */
    u64 running;
};

static void standings_add_thread(struct standings *standings, const struct hart *hart)
{
    const struct elf_symbol *symbol = elf_symbol_at(standings->image, hart->pc);
    u64 row = symbol ? (u64)(symbol - standings->image->symbols) : standings->image->symbol_count;
    standings->rows[row].function = symbol;
    standings->rows[row].threads++;
    standings->running++;
}

static void standings_add(void *context, struct unit *unit)
{
    const struct unit_type *type = registry_type(unit->type);
    u32 threads = (u32)type->harts(unit);
    for (u32 i = 0; i < threads; i++) {
        struct hart hart;
        if (type->programs->hart(unit, i, &hart))
            standings_add_thread(context, &hart);
    }
}

static int standing_compare(const void *one, const void *other)
{
    const struct standing *a = one, *b = other;
    return (a->threads < b->threads) - (a->threads > b->threads);
}

static void standings_say(const struct standings *standings, struct text *out)
{
    u32 count = standings->image->symbol_count + 1, shown = 0;
    qsort(standings->rows, count, sizeof *standings->rows, standing_compare);
    text_add(out, "; of %llu threads", (unsigned long long)standings->running);
    for (; shown < count && shown < FUNCTIONS_SHOWN && standings->rows[shown].threads; shown++) {
        const struct standing *row = &standings->rows[shown];
        text_add(out, "%s %llu are in %s", shown ? "," : "", (unsigned long long)row->threads,
                 row->function ? row->function->name : "no known function");
    }
}

static void threads_say(ogv_system *system, struct text *out)
{
    const struct program *program = system->chip->program;
    struct elf_image image;
    struct ogv_error error;
    if (!elf_load_memory("the program", program->file, program->file_bytes, &image, &error))
        return;
    struct standings standings = { .image = &image };
    standings.rows = heap_array(image.symbol_count + 1, sizeof *standings.rows);
    host_visit(system, unit_runs_programs, standings_add, &standings);
    standings_say(&standings, out);
    free(standings.rows);
    elf_fini(&image);
}

/* ---- Looking ---- */

static cycle chip_last_effect(const struct chip *chip)
{
    cycle last = 0;
    for (u32 i = 0; i < chip->domain_count; i++)
        last = max_u64(last, chip->domains[i]->last_effect);
    return last;
}

bool polling_notice(struct polling *polling, ogv_system *system, struct text *out)
{
    cycle now = system->chip->now;
    if (now < polling->look_at || !program_present(system))
        return false;
    cycle last = chip_last_effect(system->chip), quiet = now > last ? now - last : 0;
    polling->look_at = last + polling->patience;
    if (quiet < polling->patience)
        return false;
    text_add(out,
             "for %llu cycles no thread has written to shared memory, ended or used another unit: "
             "they wait for each other, or compute",
             (unsigned long long)quiet);
    threads_say(system, out);
    polling->patience = 2 * quiet;
    polling->look_at = last + polling->patience;
    return true;
}
