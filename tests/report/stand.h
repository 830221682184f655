/* stand.h - folders of runs for tests of the report. */
#ifndef TESTS_REPORT_STAND_H
#define TESTS_REPORT_STAND_H

#include "report/bottleneck.h"
#include "run/run.h"

#define STAND_SETTINGS 4

/* A tiny run of a shipped architecture. */
struct stand_job {
    const char *arch;
    const char *settings[STAND_SETTINGS];
    const char *program; /* NULL: none, or what traces the rays */
    const char *arguments[2];
    bool traced; /* rays of a small scene */
    u64 cycles;  /* at most */
};

/* An empty folder that is removed with stand_remove, which frees the name. */
char *stand_folder(void);
void stand_remove(char *folder);

/* Writes a file into a folder. */
void stand_write(const char *folder, const char *name, const char *text);

/* A file of a folder; the caller frees. */
char *stand_read(const char *folder, const char *name);

void stand_run(const char *folder, const struct stand_job *job);

/* What is listed under that name; there must be such a line. */
const struct resource *stand_resource(const struct bottleneck *found, const char *group,
                                      const char *name);

/* A folder with a run of one core and one cache whose numbers are made up. */
char *stand_made_up(void);

#endif
