/* live.h - the page of a run under way, served by the simulator itself.
 *
 * A thread of libmicrohttpd answers requests. It never looks at the chip: it sends what the
 * simulation published last, and notes what was asked for. The simulation looks at these notes
 * between windows (struct run_watcher): it publishes again if somebody asked since the last time,
 * and takes orders. So nothing that is requested can change a result, and if nobody watches there
 * is next to nothing to do. */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "run/run.h"

struct live_options {
    const char *address; /* to listen at, in numbers; NULL: only this machine can connect */
    u16 port;            /* 0: any that is free */
};

struct live;

/* Begins to listen. NULL on failure. */
struct live *live_open(const struct live_options *options, struct ogv_error *error);

/* Where the page is, with the token without which nothing is answered. */
const char *live_url(const struct live *live);

struct run_watcher live_watcher(struct live *live);

/* The run is over: says so to those who watch, with the name of its report (NULL: none), and waits
 * a moment for them to hear it. */
void live_finish(struct live *live, const char *report);

void live_close(struct live *live);

#endif
