/* error.h - an error is a value: what went wrong, in words for the person who can mend it.
 *
 * A function that can fail takes a `struct ogv_error *` last and returns false or NULL after
 * filling it in. The caller either passes it up or adds what it knows. Nobody below the command
 * line prints or exits. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>

#include "ogive/ogive.h"
#include "ogive/types.h"

/* Fills in `error` (which may be NULL) and returns false, so that `return error_user(...)` reads
 * well. */
bool error_user(struct ogv_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The machine's fault rather than the user's: no memory, no disk, no permission. */
bool error_system(struct ogv_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A program under simulation cannot go on: deadlock or livelock. */
bool error_hang(struct ogv_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what else went wrong to what is there. */
void error_join(struct ogv_error *error, const struct ogv_error *other);

/* Our own broken invariant: says so and aborts. Never a user's mistake. */
_Noreturn void ogv_bug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
