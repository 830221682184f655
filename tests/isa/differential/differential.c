/* differential.c - the same machine code under qemu-riscv64 and in Ogive must leave the same
 * registers, flags and memory behind. OGIVE_LONG=1 runs many more random sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "differential.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edge_values),
        cmocka_unit_test(test_random_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
