/* stops.h - stops of the machine's own, which gdb knows nothing of: a cycle, a statistic, a link, a
 * ray, a pixel. They are looked at after each cycle while there are any. */
#ifndef DEBUG_STOPS_H
#define DEBUG_STOPS_H

#include "arch/system.h"
#include "base/text.h"

enum stop_kind { STOP_AT_CYCLE, STOP_AT_STAT, STOP_AT_LINK, STOP_AT_RAY, STOP_AT_PIECE };

struct machine_stop {
    u32 number;
    enum stop_kind kind;
    char *words; /* as it was asked for */
    cycle at;
    struct unit *unit, *to; /* whose statistic; from whom and to whom the link goes */
    u32 stat;
    bool below; /* the statistic is to fall to the value, not to reach it */
    bool empty; /* the link is to be empty, not full */
    u64 value;  /* of a statistic; or which ray or piece */
    bool was;   /* it held after the last cycle: it is met when it begins to */
};

struct stops {
    struct machine_stop *items;
    u32 count, made;
};

void stops_fini(struct stops *stops);

/* "cycle N", "stat PATH >= N", "link A -> B full|empty", "ray N", "piece N"; from then on it is
 * `called` that. The number of the new stop, or 0 with what is wrong in `out`. */
u32 stops_add(struct stops *stops, ogv_system *system, const char *words, const char *called,
              struct text *out);
bool stops_remove(struct stops *stops, u32 number);

/* Before the machine goes on from where it is. */
void stops_begin(struct stops *stops, ogv_system *system);

/* Whether one is met now that was not before; says which in `out`, and which thread it is about
 * (NOBODY: none). */
bool stops_meet(struct stops *stops, ogv_system *system, u32 *thread, struct text *out);

/* The next cycle that was asked for, after now; NEVER: none. */
cycle stops_next_cycle(const struct stops *stops, cycle now);

/* Whether every cycle has to be looked at. */
bool stops_every_cycle(const struct stops *stops);

/* The unit of a path ("sm[3].l1"); NULL, with a hint in `out`. */
struct unit *stops_unit(ogv_system *system, const char *path, struct text *out);

#endif
