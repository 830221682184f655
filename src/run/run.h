/* run.h - one run: an architecture simulated to its end, and the folder that it leaves behind.
 *
 * DIR/run.json     what was run: every parameter after defaults, fingerprints, how it ended
 * DIR/stats.json   every counter with its unit of measure and meaning
 * DIR/series.csv   statistics per interval
 * DIR/series.units, if asked for: the same for every unit; see unit_series.h
 * DIR/log.txt      what happened when
 * DIR/program.elf, console.txt, image.png, if there was a program, it printed, it drew
 * DIR/heatmap.png  what each pixel cost, if asked for
 * DIR/profile.json, if asked for: where the program spent its cycles
 * DIR/ray_traces.json, trace.json, if asked for: the waits of a sample of rays; see
 *                  ray_traces.h
 * DIR/checkpoint.ogv, if asked for
 *
 * The folder is readable at every moment: files are replaced whole, or grow by whole lines. A file
 * that cannot be written ends nothing: the run goes on, and the others are written, the most
 * important first. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "arch/energy.h"
#include "run/figures.h"
#include "run/world.h"

struct ghosts_around;
struct pieces;
struct record;

struct run_options {
    const char *arch; /* file or name; NULL when resuming */
    const char *const *settings;
    u32 setting_count;
    const char *out;     /* folder; NULL: results/NAME, or the next free results/NAME-2 ... */
    const char *program; /* name, source file or ELF; NULL: none */
    const char *const *arguments;
    u32 argument_count;
    const struct world_options *world; /* the scene, for chips with RT cores or if `world_given` */
    bool world_given;
    const struct pieces *pieces;        /* of the work, that are done; NULL: all */
    const struct ghosts_around *ghosts; /* the rest of the machine; NULL: there is none */
    const char *resume;                 /* checkpoint file; NULL: start at cycle 0 */
    bool same_scene;                    /* when resuming: `world` says what the checkpoint has */
    struct sim_options sim;
    bool profile;              /* count where the program spends its cycles: profile.json */
    u64 trace_rays;            /* keep the traces of that many rays; 0: none */
    cycle interval;            /* of the series; 0: none */
    bool every_unit;           /* the series has every unit: series.units */
    cycle stop_after;          /* NEVER: to the end */
    cycle checkpoint_cycles;   /* 0: not by cycles */
    double checkpoint_seconds; /* 0: not by time */
};

enum run_status {
    RUN_RUNNING,
    RUN_FINISHED,
    RUN_STOPPED, /* by stop_after or a watcher */
    RUN_INTERRUPTED,
    RUN_DEADLOCK,
    RUN_LIVELOCK,
    RUN_FAULT, /* the program failed */
    RUN_WRONG, /* the rays' hits are not the right ones */
};

/* What is not known is 0, or NAN. */
struct run_progress {
    const struct record *record; /* the run itself, for whoever looks closer (run/record.h) */
    cycle now;
    cycle target; /* NEVER: none */
    double simulated_seconds, wall_seconds;
    double cycles_per_second; /* over the last moments */
    u64 rays, rays_in_all;
    u64 pixels, pixels_in_all; /* of programs that make their own rays */
    double share;              /* of the run that is done, 0 to 1 */
    double seconds_left;
};

/* Whoever shows the run to a person. */
struct run_listener {
    void (*progress)(void *context, const struct run_progress *progress);
    double first_seconds, period_seconds; /* to the first call of progress, and between calls */
    void (*note)(void *context, const char *text);
    void (*failure)(void *context, const char *text); /* a file could not be written */
    void (*status)(void *context, const struct run_progress *progress); /* it was asked for */
    void *context;
    const struct run_watcher *watcher; /* NULL: none */
};

/* What a watcher wants. */
struct run_orders {
    bool pause; /* stand still: visit again at once */
    bool stop;  /* end here, keep the results */
    bool checkpoint;
    cycle visit_at; /* stop there for a visit; NEVER: no need */
    u64 edits;      /* changes that it has made to the chip, which the results tell of */
};

/* Whoever watches and steers the run. All calls come from the thread that runs it, while the chip
 * stands still; none of them can change what the chip does, but for a debugger's edits. */
struct run_watcher {
    void (*begun)(void *context, const struct run_progress *progress);
    bool (*calls)(void *context); /* after each window: whether to visit now */
    void (*visit)(void *context, const struct run_progress *progress, struct run_orders *orders);
    void (*sampled)(void *context, cycle end, const u64 *grown); /* a line of the series */
    void (*ended)(void *context, const struct run_progress *progress);
    void *context;
    /* The chip has come to its end (the record's result has the status), and why in words (NULL:
     * nothing to say), before anything is written; NULL: it need not know. */
    void (*over)(void *context, const struct run_progress *progress, const char *words);
    /* Before there is a folder: whether it can watch this chip, which has its program; NULL: any.
     */
    bool (*accepts)(void *context, ogv_system *system, struct ogv_error *error);
};

struct run_result {
    enum run_status status;
    char *folder; /* the caller frees */
    char digest[HASH_TEXT_BYTES];
    cycle cycles;
    double wall_seconds;
    double work_seconds; /* of the processor, over all threads */
    bool exited;         /* the program has ended, all of its threads by themselves */
    u64 exit_code;       /* of the program, if it has ended */
    u64 edits;           /* of a debugger: what the run did is no longer its own doing alone */
    u64 instructions;    /* issued by all cores */
    cycle cycles_before; /* of `cycles` and `instructions`: what a checkpoint brought along */
    u64 instructions_before;
    struct figures figures;
    struct energy_total energy;
    u64 rays;        /* whose hits were judged */
    bool judged;     /* its hits were compared with Embree's */
    u64 ties, edges; /* hits that rounding lets differ from Embree's (rt/judge.h) */
    char *console;   /* what the program printed; the caller frees */
    size_t console_bytes;
    char *image;   /* path of the picture it made, or NULL; the caller frees */
    char *heatmap; /* likewise of what pixels cost */
    /* Of the first file that is missing or not complete, of which the listener was told; 0: none.
     */
    enum ogv_error_kind unwritten;
};

/* False when there is no run to speak of. A hang is a result too: status says so, and `error` holds
 * the report. */
bool run_execute(const struct run_options *options, const struct run_listener *listener,
                 struct run_result *result, struct ogv_error *error);

/* Asks the run under way to end at the next window. Callable from a signal handler. */
void run_interrupt(void);

/* Asks for its status: a line, and stats.json as of now. Callable from a signal handler. */
void run_ask_status(void);

/* Whether it was asked to end. */
bool run_interrupted(void);

/* How much of something was simulated per second of wall time. */
double run_rate(const struct run_result *result, u64 amount);

const char *run_status_name(enum run_status status);

#endif
