/* console.c - moves what was printed from the buffer to parts of their own, between windows, and
 * reads all of it back. */
#include "unit/core/console.h"

#include <string.h>

#include "sim/sim.h"

#define CONSOLE_BYTES 4096

bool console_init(struct core_console *console, struct unit *unit, struct ogv_error *error)
{
    u64 burst = WINDOW_MAX * unit->clock.times / unit->clock.per + 1;
    u64 room = max_u64(CONSOLE_BYTES, 2 * burst);
    if (room > UINT32_MAX)
        return unit_refuse(error, "has a clock that is too fast for the chip's");
    console->room = (u32)room;
    console->call_at = (u32)(room - burst);
    console->bytes = unit_alloc_aside(unit, room, 1, error);
    return console->bytes;
}

void console_attend(struct core_console *console, struct unit *unit)
{
    struct ogv_error ignored;
    if (console->length < console->call_at)
        return;
    struct console_part *part = unit_alloc_aside(unit, sizeof *part + console->length, 1, &ignored);
    if (!part) {
        console->call_at = UINT32_MAX; /* nor will there be room later */
        return;
    }
    part->length = console->length;
    memcpy(part->bytes, console->bytes, console->length);
    *(console->last ? &console->last->next : &console->first) = part;
    console->last = part;
    console->length = 0;
}

void console_read(const struct core_console *console, struct text *out)
{
    for (const struct console_part *part = console->first; part; part = part->next)
        text_add_bytes(out, part->bytes, part->length);
    text_add_bytes(out, console->bytes, console->length);
}
