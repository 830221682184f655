/* folder.h - the folder that a run leaves behind; see run/run.h for what is in it.
 *
 * A run holds a lock on its log.txt until it ends, however it ends. Whoever wants to write into a
 * folder takes that lock first: two runs never share one, and none is moved while it is written. */
#ifndef RESULT_FOLDER_H
#define RESULT_FOLDER_H

#include "base/file.h"
#include "base/text.h"
#include "ogive/ogive.h"

struct folder {
    char *path; /* NULL: not yet open */
    struct journal log;
    struct text early; /* of the log, from before there was a file */
    bool log_lost;     /* some of its lines */
};

/* Whether a run may go to `out` (NULL: a folder of its own): there is nothing, an empty folder, or
 * a run that has ended. Touches nothing, so that a run which cannot start leaves all as it was. */
bool folder_check(const char *out, struct ogv_error *error);

/* Whether a run is writing into the folder at this moment. */
bool folder_is_busy(const char *path);

/* Makes the folder for a run of `name`, and locks it. A run that is there already is moved; `aside`
 * is then where to, for the caller to free, or else NULL. */
bool folder_open(struct folder *folder, const char *out, const char *name, char **aside,
                 struct ogv_error *error);
void folder_close(struct folder *folder);

char *folder_file(const struct folder *folder, const char *name);

/* One line in log.txt, with the time of day; kept for it until the folder is open. */
void folder_log(struct folder *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a run that is over. */
void folder_log_late(const char *path, const char *text);

#endif
