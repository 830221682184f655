/* differential.h - the tests that compare with qemu-riscv64. */
#ifndef TESTS_ISA_DIFFERENTIAL_DIFFERENTIAL_H
#define TESTS_ISA_DIFFERENTIAL_DIFFERENTIAL_H

void test_edge_values(void **state);
void test_random_sequences(void **state);

#endif
