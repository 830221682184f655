/* tap.c - how tests print.
 *
 * cmocka before 1.1.6 reports a skipped test as "not ok 3 # SKIP name", which counts as a failure.
 * It prints with print_message, which a program may bring itself: this one says "ok". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FAILED "not "

void print_message(const char *const format, ...)
{
    bool skipped = !strncmp(format, FAILED, strlen(FAILED)) && strstr(format, "# SKIP");
    va_list arguments;
    va_start(arguments, format);
    vprintf(skipped ? format + strlen(FAILED) : format, arguments);
    va_end(arguments);
    fflush(stdout);
}
