/* monitor.h - the simulator's own commands (`monitor ...` in gdb): a table of them, by file. */
#ifndef DEBUG_MONITOR_H
#define DEBUG_MONITOR_H

#include "debug/debug_private.h"

struct monitor_call {
    struct debug *debug;
    u32 thread;       /* that gdb has chosen */
    const char *rest; /* what follows the command's name; "" if nothing */
    struct text *out;
};

typedef void monitor_function(const struct monitor_call *call);

/* monitor_machine.c: units, links, messages, waits. */
monitor_function monitor_units, monitor_unit, monitor_links, monitor_messages, monitor_waits;
monitor_function monitor_stats;

/* monitor_program.c: threads and what they execute. */
monitor_function monitor_threads, monitor_lanes, monitor_code, monitor_ray;

/* monitor_time.c: where in time, stops, copies. */
monitor_function monitor_cycle, monitor_break, monitor_delete, monitor_stops, monitor_history;
monitor_function monitor_stepping, monitor_writes, monitor_why;

#endif
