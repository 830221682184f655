/* live_private.h - what the files of src/live share with each other and nobody else.
 *
 * Two threads: the simulation's (watch.c, snapshot.c) and the server's (server.c). What both use is
 * under the lock. */
#ifndef LIVE_LIVE_PRIVATE_H
#define LIVE_LIVE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"
#include "live/access.h"
#include "live/door.h"
#include "live/history.h"
#include "live/live.h"
#include "report/current.h"

/* Bytes that were published; never changed once they are, only replaced. */
struct publication {
    char *bytes;
    size_t length;
    u64 number;  /* counts up; 0: nothing yet */
    bool wanted; /* somebody asked since */
};

/* What those who watch want. */
struct live_request {
    bool pause, go_on, stop, checkpoint;
    u64 step_cycles; /* 0: no step */
};

struct live {
    /* Fixed before the server starts. */
    char token[ACCESS_TOKEN_BYTES], nonce[ACCESS_TOKEN_BYTES];
    char machine[256]; /* its name */
    char *url;
    struct MHD_Daemon *daemon;

    struct door door; /* the server's own */

    pthread_mutex_t lock;
    pthread_cond_t news; /* for the simulation: somebody asked */
    struct publication page, state, image;
    struct history history;
    bool begun; /* there is a history */
    struct live_request request;
    u64 requests_given, requests_taken;
    double asked_at;   /* when somebody last did; wall clock */
    char *status;      /* how the run ended; NULL: it has not */
    char *report;      /* what it left; NULL: none */
    bool report_known; /* all is written: the end may be told */
    bool ended_heard;  /* somebody was told */

    atomic_bool attention; /* something is wanted: the simulation should look */
    atomic_bool urgent;    /* at once */

    /* The simulation's own. */
    struct current current;
    u32 *unit_first;               /* by unit: its first cell in the following */
    u64 *units_before, *units_now; /* statistics of all units at the last two snapshots */
    double state_due, image_due;   /* not before; wall clock */
    cycle state_at, image_at;      /* cycles of what was published */
    bool state_paused;             /* likewise */
    cycle checkpoint_at;           /* of the last one that was asked for; NEVER: none */
    bool paused, checkpointing;
};

/* ---- server.c ---- */

/* Answers what comes to a socket that listens, which it takes over unless it fails. */
bool server_start(struct live *live, int listener, struct ogv_error *error);
void server_stop(struct live *live);

/* ---- watch.c ---- */

struct run_watcher watch_functions(struct live *live);
void watch_fini(struct live *live);

/* ---- snapshot.c ---- */

/* The state of the run as JSON. */
void snapshot_write(struct live *live, const struct run_progress *progress, struct text *json);

/* Names of the values of a sample, as a list in JSON. */
void snapshot_columns(const struct plan *plan, struct text *json);

/* The picture as a PNG; nothing is added if there is none. */
void snapshot_image(const struct record *record, struct text *png);

#endif
