/* debug.h - a debugger on a run: gdb through its remote protocol, forwards and backwards in time.
 *
 * It is a watcher of the run (run/run.h): all that it does happens while the chip stands still, on
 * the thread that runs it. What the run does, it only decides when. Going back is a copy of the
 * machine and an exact replay from there; the run itself goes on from the newest cycle it has
 * reached, so its files are those of a run that nobody looked at. */
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H

#include "run/run.h"

#define DEBUG_HISTORY_DEFAULT (1 * GiB)
#define DEBUG_HISTORY_DISK    4 /* times as much on the disk, if nothing else is said */

struct debug_options {
    const char *where; /* port or path of a socket; NULL: a free port */
    u64 history_bytes; /* of memory for going back, and */
    u64 history_disk_bytes;
    bool allow_writes; /* to registers and memory */
    bool to_end;       /* the first stop is where the run ends, not where it begins */
};

struct debug;

/* Begins to listen. NULL on failure. */
struct debug *debug_open(const struct debug_options *options, struct ogv_error *error);
void debug_close(struct debug *debug);

/* Where, as gdb's `target remote` takes it. */
const char *debug_where(const struct debug *debug);

struct run_watcher debug_watcher(struct debug *debug);

/* Nobody will connect any more: the run ends where it stands. Callable from a signal handler. */
void debug_abandon(struct debug *debug);

#endif
