/* isa.c - nanoseconds per instruction: isa_execute alone, one instruction at a time, for each
 * kind of instruction, and the interpreter over a loop. The inexact flag is set beforehand, as it
 * is in any program after its first few floating-point instructions, except where the name says
 * "exact".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/encode.h"
#include "isa/interp.h"
#include "isa/table.h"

#define REPEAT      5000000
#define FUNCT5_SQRT 0x0b

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The best of five runs, each over eight instructions with different registers. */
static double execute_measure(const struct isa *isa, u32 code, u32 fcsr, bool single)
{
    const struct isa_environment environment = { .isa = isa };
    struct insn insns[8];
    struct hart hart;
    double best = 1e9;
    for (u32 i = 0; i < 8; i++)
        insns[i] =
            isa_decode(isa, encode_r(code, 8 + i, 16 + i, code >> 27 == FUNCT5_SQRT ? 0 : 24 + i));
    for (u32 run = 0; run < 5; run++) {
        hart_init(&hart, 0);
        for (u32 i = 0; i < 32; i++) {
            hart.x[i] = i * 123457;
            hart.f[i] = UINT64_C(0x3ff123456789abcd) + ((u64)i << 44);
            if (single)
                hart.f[i] = UINT64_C(0xffffffff3f812345) + (i << 16);
        }
        double start = now_ns();
        for (u32 i = 0; i < REPEAT; i++) {
            hart.fcsr = fcsr;
            isa_execute(&hart, &insns[i % 8], &environment);
        }
        double each = (now_ns() - start) / REPEAT;
        best = each < best ? each : best;
    }
    return best;
}

static void bench_instructions(const struct isa *isa)
{
    static const struct {
        const char *name;
        u32 code, fcsr;
    } rows[] = {
        { "add", CODE(0x33, 0, 0), 0 },
        { "mul", CODE(0x33, 0, 1), 0 },
        { "div", CODE(0x33, 4, 1), 0 },
        { "fadd.s", CODE(0x53, 7, 0), FLAG_INEXACT },
        { "fmadd.s", CODE(0x43, 7, 0), FLAG_INEXACT },
        { "fadd.d", CODE(0x53, 7, 1), FLAG_INEXACT },
        { "fmul.d", CODE(0x53, 7, 9), FLAG_INEXACT },
        { "fdiv.d", CODE(0x53, 7, 13), FLAG_INEXACT },
        { "fmadd.d", CODE(0x43, 7, 1), FLAG_INEXACT },
        { "fsqrt.d", CODE(0x53, 7, 0x2d), FLAG_INEXACT },
        { "flt.d", CODE(0x53, 1, 0x51), FLAG_INEXACT },
        { "fadd.d, inexact clear", CODE(0x53, 7, 1), 0 },
        { "fmadd.d, inexact clear", CODE(0x43, 7, 1), 0 },
        { "fdiv.d, inexact clear", CODE(0x53, 7, 13), 0 },
        { "fsqrt.d, rtz", CODE(0x53, 1, 0x2d), FLAG_INEXACT },
        { "fadd.d, rmm", CODE(0x53, 4, 1), FLAG_INEXACT },
    };
    for (u32 i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%-24s %6.2f ns\n", rows[i].name,
               execute_measure(isa, rows[i].code, rows[i].fcsr, strstr(rows[i].name, ".s")));
}

/* A dot product: two loads, a fused multiply-add, two pointer steps and a branch per turn. */
static void bench_interpreter(const struct isa *isa)
{
    const u32 text[] = {
        encode_i(CODE(0x07, 3, 0), 1, 5, 0),     /* fld f1,0(x5) */
        encode_i(CODE(0x07, 3, 0), 2, 6, 0),     /* fld f2,0(x6) */
        encode_r4(CODE(0x43, 7, 1), 3, 1, 2, 3), /* fmadd.d f3,f1,f2,f3 */
        encode_i(CODE(0x13, 0, 0), 5, 5, 0),     /* addi x5,x5,0 */
        encode_i(CODE(0x13, 0, 0), 7, 7, -1),    /* addi x7,x7,-1 */
        encode_b(CODE(0x63, 1, 0), 7, 0, -20),   /* bnez x7 */
        CODE(0x73, 0, 0),                        /* ecall */
    };
    struct insn insns[14];
    double data[2] = { 1.1, 2.3 };
    u64 turns = 10000000;
    struct interp interp = { .environment.isa = isa,
                             .program = { 0, 14, insns },
                             .memory = (u8 *)data,
                             .base = 0x1000,
                             .size = sizeof data };
    isa_predecode(isa, (const u8 *)text, sizeof text, insns);
    hart_init(&interp.hart, 0);
    interp.hart.x[5] = 0x1000;
    interp.hart.x[6] = 0x1008;
    interp.hart.x[7] = turns;
    double start = now_ns();
    interp_run(&interp, UINT64_MAX);
    double each = (now_ns() - start) / (double)(turns * 6);
    printf("%-24s %6.2f ns, %.0f million instructions per second\n", "interpreter, dot product",
           each, 1e3 / each);
}

static void bench_decoder(const struct isa *isa)
{
    u32 codes[OP_custom], sum = 0, rounds = 20000;
    for (u32 op = 1; op < OP_custom; op++)
        codes[op] = isa->rows[op].match;
    double start = now_ns();
    for (u32 round = 0; round < rounds; round++)
        for (u32 op = 1; op < OP_custom; op++)
            sum += isa_decode(isa, codes[op]).op;
    double each = (now_ns() - start) / (double)(rounds * (OP_custom - 1));
    printf("%-24s %6.2f ns%s\n", "decode", each, sum ? "" : " ?");
}

int main(void)
{
    struct isa *isa = isa_create();
    bench_instructions(isa);
    bench_interpreter(isa);
    bench_decoder(isa);
    isa_destroy(isa);
    return 0;
}
