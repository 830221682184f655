/* folder.h - the folder that a run leaves behind; see run.h for what is in it. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include <stdio.h>

#include "run/run.h"

struct folder {
    char *path;
    FILE *log;
};

/* Makes the folder for a run of `name`. A run that is there already is moved aside, and `note` is
 * told. */
bool folder_open(struct folder *folder, const char *out, const char *name,
                 const struct run_listener *listener, struct ogv_error *error);
void folder_close(struct folder *folder);

char *folder_file(const struct folder *folder, const char *name);

/* One line in log.txt, with the time of day. */
void folder_log(struct folder *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
