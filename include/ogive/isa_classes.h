/* isa_classes.h - kinds of instructions that hardware treats alike: C(with, name, NAME, help),
 * where `with` is whatever the list was given beside C. A core's instruction table maps these names
 * to latencies or to units. */
#ifndef OGIVE_ISA_CLASSES_H
#define OGIVE_ISA_CLASSES_H

/* clang-format off */
#define ISA_CLASSES(C, with)                                                                       \
    C(with, illegal, ILLEGAL,           "no instruction at all")                                   \
    ISA_CLASSES_LEGAL(C, with)

#define ISA_CLASSES_LEGAL(C, with)                                                                 \
    C(with, int_add, INT_ADD,           "add, subtract, compare, load constant")                   \
    C(with, int_logic, INT_LOGIC,       "and, or, xor")                                            \
    C(with, int_shift, INT_SHIFT,       "shifts")                                                  \
    C(with, int_mul, INT_MUL,           "integer multiply")                                        \
    C(with, int_div, INT_DIV,           "integer divide and remainder")                            \
    C(with, branch, BRANCH,             "conditional branches")                                    \
    C(with, jump, JUMP,                 "jal, jalr")                                               \
    C(with, load, LOAD,                 "loads, integer and floating point")                       \
    C(with, store, STORE,               "stores, integer and floating point")                      \
    C(with, atomic, ATOMIC,             "load-reserved, store-conditional, atomic memory "         \
                                        "operations, floating-point ones too")                     \
    C(with, fence, FENCE,               "fence, fence.i, pause")                                   \
    C(with, csr, CSR,                   "reads and writes of control and status registers")        \
    C(with, system, SYSTEM,             "ecall, ebreak")                                           \
    C(with, fp_add, FP_ADD,             "floating-point add and subtract")                         \
    C(with, fp_mul, FP_MUL,             "floating-point multiply")                                 \
    C(with, fp_fma, FP_FMA,             "fused multiply-add")                                      \
    C(with, fp_div, FP_DIV,             "floating-point divide")                                   \
    C(with, fp_sqrt, FP_SQRT,           "square root")                                             \
    C(with, fp_compare, FP_COMPARE,     "compare, minimum, maximum, sign injection, classify")     \
    C(with, fp_convert, FP_CONVERT,     "conversions between formats and to and from integers")    \
    C(with, fp_move, FP_MOVE,           "bit copies between the register files")                   \
    C(with, custom0, CUSTOM0,           "custom instructions of opcode space 0")                   \
    C(with, custom1, CUSTOM1,           "custom instructions of opcode space 1")                   \
    C(with, custom2, CUSTOM2,           "custom instructions of opcode space 2")                   \
    C(with, custom3, CUSTOM3,           "custom instructions of opcode space 3")
/* clang-format on */

enum isa_class {
#define CLASS_VALUE(prefix, name, NAME, help) prefix##NAME,
    ISA_CLASSES(CLASS_VALUE, CLASS_) CLASS_COUNT
#undef CLASS_VALUE
};

#endif
