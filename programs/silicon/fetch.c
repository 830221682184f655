/* fetch.c - code without branches, of more and more bytes.
 *
 * fetch KIBIBYTES WARPS    cycles for an instruction of a warp
 *
 * An instruction of the card has 16 bytes: a KiB is 64 instructions here as there, and a machine
 * that is to have the card's code size says how long its instructions are. Of several passes over
 * the same code the last one counts. */
#include "silicon.h"

#define LINE_MOST 65536 /* instructions */
#define PASSES    4

static uint64_t instructions;

#ifdef OGIVE_DEVICE

/* The last `count` of them: returns the cycles that they took. */
uint64_t line_run(uint64_t count);
__asm__(".text\n"
        ".option push\n"
        ".option norvc\n"
        ".balign 128\n"
        ".globl line_run\n"
        "line_run:\n"
        "    slli a0, a0, 2\n"
        "    la   t0, line_end\n"
        "    sub  t0, t0, a0\n"
        "    rdcycle a1\n"
        "    jr   t0\n"
        ".balign 128\n"
        ".rept 16384\n"
        "    fmadd.s ft0, ft0, ft4, ft4\n"
        "    fmadd.s ft1, ft1, ft4, ft4\n"
        "    fmadd.s ft2, ft2, ft4, ft4\n"
        "    fmadd.s ft3, ft3, ft4, ft4\n"
        ".endr\n"
        "line_end:\n"
        "    rdcycle a0\n"
        "    sub  a0, a0, a1\n"
        "    ret\n"
        ".option pop\n");

#else

static uint64_t line_run(uint64_t count)
{
    return count;
}

#endif

static void code(void *argument)
{
    uint64_t taken = 0;
    (void)argument;
    for (int pass = 0; pass < PASSES; pass++) {
        ogv_block_barrier();
        taken = line_run(instructions);
    }
    silicon_leave(0, taken);
}

int main(int argc, char **argv)
{
    uint64_t count = 64 * ogv_argument(argc, argv, 1, 4);
    uint32_t warps = (uint32_t)ogv_argument(argc, argv, 2, 1);
    if (count < 1 || count > LINE_MOST || warps - 1 >= WARPS_MAX)
        return 1;
    instructions = count;
    struct ogv_grid grid = { 1, 32 * warps, 0, 0 };
    ogv_launch(&grid, code, NULL);
    if (!ogv_hart())
        silicon_print(silicon_time(1, warps) / (double)count);
    return 0;
}
