/* support.h - what the tests of architectures share: descriptions from text, files in a folder of
 * their own, and errors that show themselves. */
#ifndef TESTS_ARCH_SUPPORT_H
#define TESTS_ARCH_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "arch/plan.h"
#include "ogive/ogive.h"

/* Fails the test with the error's message. */
#define assert_good(condition, error)        \
    do {                                     \
        if (!(condition))                    \
            fail_msg("%s", (error).message); \
    } while (0)

/* A description from text that stands alone; the test fails if it cannot be read. */
ogv_arch *arch_from(const char *text);
struct plan *plan_from(const char *text);

/* The chip that the text describes, with all its defaults; the caller frees. */
char *export_from(const char *text);

/* Everything in a file; the caller frees. */
char *file_text(const char *path, size_t *length);

/* ---- A folder that is removed with all that is in it ---- */

int folder_setup(void **state);
int folder_teardown(void **state);

/* The path of a file in the folder. Good until the 16th call after this one. */
const char *folder_path(const char *name);
const char *folder_file(const char *name, const char *text);

#define folder_test(function) \
    cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

/* ---- Running ---- */

ogv_system *system_from(const char *text);
double stat_of(ogv_system *system, const char *path);

#endif
