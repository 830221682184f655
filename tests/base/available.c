/* available.c - the memory that this process may still take is some, and no more than there is. */
#include "base/available.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void some_is_available_and_no_more_than_there_is(void **state)
{
    (void)state;
    u64 machine = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
    assert_in_range(memory_available(), 1, machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_is_available_and_no_more_than_there_is),
    };
    return cmocka_run_group_tests_name("available", tests, NULL, NULL);
}
