/* unit.c - what units call while they are being built, and when they report. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "ogive/unit.h"
#include "sim/clock.h"
#include "sim/sim.h"
#include "unit/waits.h"

static void *alloc_with(void *(*alloc)(struct arena *arena, u64 size, u64 align), struct unit *unit,
                        u64 count, u64 size, struct ogv_error *error)
{
    u64 bytes;
    void *memory = NULL;
    if (unit_is_ticking())
        ogv_bug("%s allocates in its tick, at cycle %llu; only init may", unit_path(unit),
                (unsigned long long)unit->domain->now);
    if (!__builtin_mul_overflow(count, size, &bytes))
        memory = alloc(unit->domain->chip->arena, bytes, 64);
    if (!memory)
        error_user(error, "is too large: the state of all units together may take %llu GiB",
                   (unsigned long long)(ARENA_SLOT_BYTES / GiB));
    return memory;
}

void *unit_alloc(struct unit *unit, u64 count, u64 size, struct ogv_error *error)
{
    return alloc_with(arena_alloc, unit, count, size, error);
}

void *unit_alloc_aside(struct unit *unit, u64 count, u64 size, struct ogv_error *error)
{
    return alloc_with(arena_alloc_aside, unit, count, size, error);
}

bool unit_refuse(struct ogv_error *error, const char *format, ...)
{
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return error_user(error, "%s", reason);
}

void unit_say(struct unit_words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_v(words->text, format, arguments);
    va_end(arguments);
}

void unit_say_path(struct unit_words *words, const struct unit *unit)
{
    text_add(words->text, "%s", unit_path(unit));
}

cycle unit_end(const struct unit *unit, cycle now)
{
    const struct chip *chip = unit->domain->chip;
    return chip->ended ? clock_own(unit->clock, chip->ended_at) : now;
}

u64 unit_clock_hz(const struct unit *unit)
{
    __extension__ typedef unsigned __int128 wide;
    wide hertz = (wide)unit->domain->chip->clock_hz * unit->clock.times;
    return (u64)(hertz / unit->clock.per);
}
