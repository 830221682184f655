/* error.c - filling in error values. */
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool error_fill(struct ogv_error *error, enum ogv_error_kind kind, const char *format,
                       va_list arguments)
{
    if (error) {
        error->kind = kind;
        vsnprintf(error->message, sizeof error->message, format, arguments);
    }
    return false;
}

bool error_user(struct ogv_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, OGV_ERROR_USER, format, arguments);
    va_end(arguments);
    return false;
}

bool error_system(struct ogv_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, OGV_ERROR_SYSTEM, format, arguments);
    va_end(arguments);
    return false;
}

bool error_hang(struct ogv_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, OGV_ERROR_HANG, format, arguments);
    va_end(arguments);
    return false;
}

void error_join(struct ogv_error *error, const struct ogv_error *other)
{
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, "; %s", other->message);
}

void ogv_bug(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("ogive: internal error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nThis is a mistake in the simulator or in a unit, not in your input.\n", stderr);
    va_end(arguments);
    abort();
}
