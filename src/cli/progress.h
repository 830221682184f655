/* progress.h - progress for a person: a line that redraws itself on a terminal, plain lines
 * elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "report/current.h"
#include "run/run.h"

enum progress_style {
    PROGRESS_AUTO, /* a line if standard error is a terminal, else plain */
    PROGRESS_LINE,
    PROGRESS_PLAIN,
    PROGRESS_NONE,
};

/* The option of every command that shows progress; `value` is its text. */
#define PROGRESS_ROW(value)                                                                 \
    {                                                                                       \
        0, "progress", "STYLE",                                                             \
            "line (redraws itself), plain (a line every 10 s) or none; default: line on a " \
            "terminal",                                                                     \
            OPTION_TEXT, &(value)                                                           \
    }

/* Its text as a style; NULL is the default. Says what is wrong in the name of a command. */
bool progress_read(const char *command, const char *text, enum progress_style *style);

/* ---- Any text ---- */

struct progress_line {
    enum progress_style style; /* not PROGRESS_AUTO */
    bool drawn;
};

struct progress_line progress_line(enum progress_style style);

/* Seconds between two texts. */
double progress_period(const struct progress_line *line);

void progress_show(struct progress_line *line, const char *text);

/* Takes the line away. */
void progress_clear(struct progress_line *line);

/* ---- A task that knows how much of it is done ---- */

struct progress_task {
    const char *name; /* "building" */
    struct progress_line line;
    double begun, shown;
    int busy; /* a thread is at it */
};

struct progress_task progress_task(const char *name, enum progress_style style);

/* With 0 to 1, as often as one likes and from any thread: "building: 34%, 12 s left, 6 s". Short
 * tasks show nothing. */
void progress_task_show(void *task, double done);

/* ---- A run's ---- */

struct progress {
    struct progress_line line;
    bool quiet; /* says nothing but what it is asked for */
    struct current current;
    char limit[96]; /* what limits the chip, in words */
    double looked;  /* when that was found, in seconds */
};

void progress_init(struct progress *progress, enum progress_style style, bool quiet);
void progress_fini(struct progress *progress);

/* A listener that shows progress on standard error. `progress` must outlive it. */
struct run_listener progress_listener(struct progress *progress);

/* "1.23 M" */
void write_large(char *buffer, size_t size, double value);

#endif
