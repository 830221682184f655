/* pieces.c - see pieces.h. */
#include "run/pieces.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "arch/stats.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "unit/registry.h"

#define FILE_BYTES_MAX (1 * GiB)

/* ---- Reading ---- */

struct reading {
    const char *path, *at;
    struct pieces *pieces;
    u64 room;
    u32 line;
    struct ogv_error *error;
};

/* Past what separates numbers. */
static void gap_skip(struct reading *reading)
{
    for (; isspace((unsigned char)*reading->at) || *reading->at == ',' || *reading->at == '#';
         reading->at++) {
        if (*reading->at == '#')
            reading->at += strcspn(reading->at, "\n");
        if (!*reading->at)
            return;
        reading->line += *reading->at == '\n';
    }
}

static bool number_take(struct reading *reading, u64 *number)
{
    const char *begin = reading->at;
    for (*number = 0; isdigit((unsigned char)*reading->at) && *number < PIECES_MAX; reading->at++)
        *number = *number * 10 + (u64)(*reading->at - '0');
    if (reading->at != begin && *number < PIECES_MAX && !isalnum((unsigned char)*reading->at))
        return true;
    char word[24];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(begin, " \t\r\n,#"), begin);
    text_make_printable(word);
    return error_user(reading->error,
                      "%s:%u: '%s': pieces of work are whole numbers below %llu, as 7 or 64-127",
                      reading->path, reading->line, word, (unsigned long long)PIECES_MAX);
}

static bool range_add(struct reading *reading, u64 first, u64 last)
{
    struct pieces *pieces = reading->pieces;
    if (first > last)
        return error_user(reading->error, "%s:%u: %llu-%llu: ends before it begins", reading->path,
                          reading->line, (unsigned long long)first, (unsigned long long)last);
    while (reading->room < pieces->count + (last - first + 1)) {
        reading->room = reading->room ? 2 * reading->room : 1024;
        pieces->numbers = heap_grow(pieces->numbers, reading->room, sizeof *pieces->numbers);
    }
    for (; first <= last; first++)
        pieces->numbers[pieces->count++] = (u32)first;
    return true;
}

static bool range_take(struct reading *reading)
{
    u64 first, last;
    if (!number_take(reading, &first))
        return false;
    last = first;
    if (*reading->at == '-') {
        reading->at++;
        if (!number_take(reading, &last))
            return false;
    }
    return range_add(reading, first, last);
}

static int number_compare(const void *a, const void *b)
{
    u32 first = *(const u32 *)a, second = *(const u32 *)b;
    return (first > second) - (first < second);
}

static bool none_twice(const struct pieces *pieces, struct ogv_error *error)
{
    u32 *sorted = heap_array(pieces->count, sizeof *sorted);
    u64 twice = 0;
    memcpy(sorted, pieces->numbers, pieces->count * sizeof *sorted);
    qsort(sorted, pieces->count, sizeof *sorted, number_compare);
    for (u64 i = 1; i < pieces->count && !twice; i++)
        twice = sorted[i] == sorted[i - 1] ? i : 0;
    bool good =
        !twice || error_user(error, "%s: piece %u is there twice", pieces->path, sorted[twice]);
    free(sorted);
    return good;
}

bool pieces_read(const char *path, struct pieces *pieces, struct ogv_error *error)
{
    size_t length;
    *pieces = (struct pieces){ .path = path };
    char *text = file_read(path, FILE_BYTES_MAX, &length, error);
    if (!text)
        return false;
    struct reading reading = { path, text, pieces, 0, 1, error };
    bool good = strlen(text) == length || error_user(error, "%s: is no text", path);
    for (gap_skip(&reading); good && *reading.at; gap_skip(&reading))
        good = range_take(&reading);
    if (good && !pieces->count)
        good = error_user(error, "%s: names no piece of work", path);
    good = good && none_twice(pieces, error);
    free(text);
    if (!good)
        pieces_fini(pieces);
    return good;
}

void pieces_fini(struct pieces *pieces)
{
    free(pieces->numbers);
    *pieces = (struct pieces){ 0 };
}

/* ---- Choosing ---- */

static void tell_unit(void *context, struct unit *unit)
{
    registry_type(unit->type)->choose(unit, context);
}

bool pieces_choose(ogv_system *system, const struct pieces *pieces, struct ogv_error *error)
{
    struct arena *arena = system->chip->arena;
    if (!system_any(system, unit_hands_out_pieces))
        return error_user(error, "%s has no unit that hands out pieces of work one by one",
                          system->plan->name);
    struct unit_pieces *chosen = arena_alloc(arena, sizeof *chosen, 64);
    u32 *numbers = chosen ? arena_alloc(arena, pieces->count * sizeof *numbers, 64) : NULL;
    if (!numbers)
        return error_user(error, "the list of pieces is too large for the state of this chip");
    memcpy(numbers, pieces->numbers, pieces->count * sizeof *numbers);
    *chosen = (struct unit_pieces){ pieces->count, numbers };
    host_visit(system, unit_hands_out_pieces, tell_unit, chosen);
    return true;
}
