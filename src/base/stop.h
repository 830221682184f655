/* stop.h - whether this process was asked to stop what it is at, by Ctrl-C for example.
 *
 * Whatever takes long below the command line (importing, making, building, tracing reference rays)
 * asks now and then, gives up if so, and leaves nothing half done behind. A run under way ends at
 * its next window instead, with its results. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Callable from a signal handler. */
void stop_ask(void);
bool stop_asked(void);

/* For a process that goes on after it has stopped. */
void stop_forget(void);

/* "WHAT was interrupted"; returns false. */
bool stop_error(struct ogv_error *error, const char *what);

#endif
