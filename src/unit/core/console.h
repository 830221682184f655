/* console.h - what the program of a core prints, without limit.
 *
 * A tick may not allocate, so characters go to a buffer. When that might not last for another
 * window, the core calls the host, which moves them to a part of their own between two windows. A
 * core prints at most one character per cycle.
 *
 * Always true: the parts in their order, then the buffer, hold everything that was printed but
 * `lost`, which is 0 unless the state of the chip takes all the room there is for it. */
#ifndef UNIT_CORE_CONSOLE_H
#define UNIT_CORE_CONSOLE_H

#include "base/text.h"
#include "ogive/unit.h"

struct console_part {
    struct console_part *next;
    u64 length;
    char bytes[];
};

struct core_console {
    char *bytes; /* [room] */
    u32 length, room;
    u32 call_at; /* length at which the host is called */
    u64 lost;
    struct console_part *first, *last;
};

bool console_init(struct core_console *console, struct unit *unit, struct ogv_error *error);

static inline void console_put(struct core_console *console, struct unit *unit, char character)
{
    if (console->length == console->room) {
        console->lost++;
        return;
    }
    console->bytes[console->length++] = character;
    if (console->length >= console->call_at)
        unit_call(unit);
}

/* Between two windows: empties the buffer if it is time. */
void console_attend(struct core_console *console, struct unit *unit);

/* Adds all that was printed. */
void console_read(const struct core_console *console, struct text *out);

#endif
