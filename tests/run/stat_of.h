/* stat_of.h - a statistic of a system by its path; the test fails if there is none. After cmocka.h.
 */
#ifndef TESTS_RUN_STAT_OF_H
#define TESTS_RUN_STAT_OF_H

#include "ogive/ogive.h"

static inline double stat_of(ogv_system *system, const char *path)
{
    struct ogv_error error;
    double value = 0;
    if (!ogv_system_stat(system, path, &value, &error))
        fail_msg("%s", error.message);
    return value;
}

#endif
