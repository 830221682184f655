/* edge.c - every instruction that computes something, over every combination of edge values.
 *
 * For each instruction (each rounding mode, each of some immediates) the guest has a kernel: nested
 * loops over tables of values that load the operands, clear or preset the flags, execute the one
 * instruction and append two doublewords to a buffer: the result and what else it changed (fcsr, or
 * memory after an atomic). Presetting the inexact flag takes the fast path of floating point,
 * clearing it the slow one; both must agree with qemu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "differential.h"
#include "guest.h"
#include "values.h"

#define KERNELS_MAX   4096
#define RESULTS_BYTES (1 << 20)
#define RECORD_BYTES  16

/* Registers of a kernel. Operands are in x11, x12 or f11, f12, f13, the result in x10 or f10. */
enum {
    LOOP_A = 5, /* pointers into the tables */
    LOOP_B,
    LOOP_C,
    POINTER, /* where the next record goes */
    SCRATCH,
    RESULT,
    OPERAND_A,
    OPERAND_B,
    OPERAND_C,
    END_A,
    END_B,
    END_C,
    FLAGS_REGISTER = 18,
    CHANGED,
    LINK,
};

struct table {
    u32 offset, count; /* in the pool, in doublewords */
};

struct kernel {
    char text[48];
    struct table tables[3];
    u32 presets;
};

struct maker {
    struct guest guest;
    const struct isa *isa;
    struct table ints, f32s, f64s, f32s_fused, f64s_fused, nothing;
    struct kernel kernels[KERNELS_MAX];
    u32 kernel_count;
    u32 flush; /* address of the routine that writes the buffer out */
};

static void emit(struct maker *maker, u32 bits)
{
    guest_emit(&maker->guest, bits);
}

/* ---- What an instruction needs ---- */

static bool row_has(const struct isa_row *row, char letter)
{
    return strchr(row->operands, letter) != NULL;
}

/* Does the floating-point source of this instruction hold a double? */
static bool row_reads_double(const struct isa_row *row)
{
    size_t length = strlen(row->text);
    return row->text[length - 1] == 'd' || !strcmp(row->text, "fmv.x.d");
}

static struct table row_table(const struct maker *maker, const struct isa_row *row, char letter)
{
    bool is_double = row_reads_double(row);
    if (!row_has(row, letter))
        return maker->nothing;
    if (letter >= 'a')
        return maker->ints;
    if (row_has(row, 'R'))
        return is_double ? maker->f64s_fused : maker->f32s_fused;
    return is_double ? maker->f64s : maker->f32s;
}

static struct table row_source(const struct maker *maker, const struct isa_row *row, char x, char f)
{
    return row_has(row, x) ? row_table(maker, row, x) : row_table(maker, row, f);
}

/* ---- Loops ---- */

static void emit_loop(struct maker *maker, u32 pointer, u32 end, struct table table)
{
    u32 start = GUEST_POOL + table.offset * 8;
    guest_emit_constant(&maker->guest, end, start + table.count * 8);
    guest_emit_constant(&maker->guest, pointer, start);
}

static void emit_loop_end(struct maker *maker, u32 pointer, u32 end, u32 top)
{
    emit(maker, encode_i(code_of(OP_addi), pointer, pointer, 8));
    int32_t offset = (int32_t)(top - guest_here(&maker->guest));
    emit(maker, encode_b(code_of(OP_bne), pointer, end, offset));
}

static void emit_operands(struct maker *maker, const struct isa_row *row)
{
    static const char letters[3][2] = { { 's', 'S' }, { 't', 'T' }, { 'r', 'R' } };
    for (u32 i = 0; i < 3; i++) {
        u32 pointer = LOOP_A + i, target = OPERAND_A + i;
        if (row_has(row, letters[i][0]))
            emit(maker, encode_i(code_of(OP_ld), target, pointer, 0));
        if (row_has(row, letters[i][1]))
            emit(maker, encode_i(code_of(OP_fld), target, pointer, 0));
    }
}

/* Branches: the result is 1 if it was not taken. A load-reserved is followed by a store-conditional
 * of zero, so that no reservation is left over. */
static void emit_subject(struct maker *maker, const struct isa_row *row, u32 bits)
{
    if (row->class == CLASS_BRANCH) {
        emit(maker, encode_i(code_of(OP_addi), RESULT, 0, 0));
        emit(maker, encode_b(bits, 0, 0, 8));
        emit(maker, encode_i(code_of(OP_addi), RESULT, 0, 1));
    } else if (row->class == CLASS_ATOMIC) {
        emit(maker, encode_s(code_of(OP_sd), SCRATCH, OPERAND_A, 0));
        emit(maker, (bits & ~UINT32_C(0xf8000)) | SCRATCH << 15);
        if (row->op == OP_lr_w || row->op == OP_lr_d)
            emit(maker, encode_r(code_of(OP_sc_w) | (bits & 0x7000), 0, SCRATCH, 0));
        emit(maker, encode_i(code_of(OP_ld), CHANGED, SCRATCH, 0));
    } else {
        emit(maker, bits);
    }
}

static void emit_record(struct maker *maker, const struct isa_row *row)
{
    enum isa_op store = row_has(row, 'D') ? OP_fsd : OP_sd;
    if (row->class != CLASS_ATOMIC)
        emit(maker, encode_i(code_of(OP_csrrs), CHANGED, 0, 3));
    emit(maker, encode_s(code_of(store), POINTER, RESULT, 0));
    emit(maker, encode_s(code_of(OP_sd), POINTER, CHANGED, 8));
    emit(maker, encode_i(code_of(OP_addi), POINTER, POINTER, RECORD_BYTES));
}

static struct kernel *kernel_add(struct maker *maker, const struct isa_row *row, u32 bits,
                                 u32 presets)
{
    assert_true(maker->kernel_count < KERNELS_MAX);
    struct kernel *kernel = &maker->kernels[maker->kernel_count++];
    struct insn insn = isa_decode(maker->isa, bits);
    isa_disassemble(maker->isa, &insn, 0, kernel->text, sizeof kernel->text);
    kernel->tables[0] = row_source(maker, row, 's', 'S');
    kernel->tables[1] = row_source(maker, row, 't', 'T');
    kernel->tables[2] = row_table(maker, row, 'R');
    kernel->presets = presets;
    return kernel;
}

/* One instruction over all operands; `frm` is what fcsr holds when it executes. */
static void emit_kernel(struct maker *maker, const struct isa_row *row, u32 bits, u32 frm)
{
    u32 presets = row->class >= CLASS_FP_ADD && row->class <= CLASS_FP_CONVERT ? 2 : 1;
    struct kernel *kernel = kernel_add(maker, row, bits, presets);
    for (u32 preset = 0; preset < presets; preset++) {
        guest_emit_constant(&maker->guest, POINTER, GUEST_RESULTS);
        emit(maker, encode_i(code_of(OP_addi), FLAGS_REGISTER, 0, (int32_t)(frm << 5 | preset)));
        emit_loop(maker, LOOP_A, END_A, kernel->tables[0]);
        u32 top_a = guest_here(&maker->guest);
        emit_loop(maker, LOOP_B, END_B, kernel->tables[1]);
        u32 top_b = guest_here(&maker->guest);
        emit_loop(maker, LOOP_C, END_C, kernel->tables[2]);
        u32 top_c = guest_here(&maker->guest);
        emit(maker, encode_i(code_of(OP_csrrw), 0, FLAGS_REGISTER, 3));
        emit_operands(maker, row);
        emit_subject(maker, row, bits);
        emit_record(maker, row);
        emit_loop_end(maker, LOOP_C, END_C, top_c);
        emit_loop_end(maker, LOOP_B, END_B, top_b);
        emit_loop_end(maker, LOOP_A, END_A, top_a);
        int32_t offset = (int32_t)(maker->flush - guest_here(&maker->guest));
        emit(maker, encode_j(code_of(OP_jal), LINK, offset));
    }
}

/* ---- Which kernels there are ---- */

static u32 subject_bits(const struct isa_row *row)
{
    u32 bits = row->match;
    if (row_has(row, 'd') || row_has(row, 'D'))
        bits |= RESULT << 7;
    if (row_has(row, 's') || row_has(row, 'S'))
        bits |= OPERAND_A << 15;
    if (row_has(row, 't') || row_has(row, 'T'))
        bits |= OPERAND_B << 20;
    if (row_has(row, 'R'))
        bits |= (u32)OPERAND_C << 27;
    return bits;
}

static void emit_modes(struct maker *maker, const struct isa_row *row)
{
    for (u32 mode = 0; mode <= ROUND_NEAREST_AWAY; mode++) {
        emit_kernel(maker, row, subject_bits(row) | mode << 12, 0);
        if (mode != ROUND_TO_ZERO && !row_has(row, 'R'))
            emit_kernel(maker, row, subject_bits(row) | ROUND_DYNAMIC << 12, mode);
    }
}

static void emit_immediates(struct maker *maker, const struct isa_row *row)
{
    static const u32 immediates[] = { 0, 1, 2, 0x555, 0x7ff, 0x800, 0x801, 0xaaa, 0xffe, 0xfff };
    for (u32 i = 0; i < COUNT_OF(immediates); i++)
        emit_kernel(maker, row, subject_bits(row) | immediates[i] << 20, 0);
}

static void emit_shifts(struct maker *maker, const struct isa_row *row, u32 limit)
{
    for (u32 shift = 0; shift < limit; shift++)
        emit_kernel(maker, row, subject_bits(row) | shift << 20, 0);
}

static void emit_uppers(struct maker *maker, const struct isa_row *row)
{
    static const u32 uppers[] = { 0, 1, 0x7ffff, 0x80000, 0xfffff, 0x12345 };
    for (u32 i = 0; i < COUNT_OF(uppers); i++)
        emit_kernel(maker, row, subject_bits(row) | uppers[i] << 12, 0);
}

static bool row_is_subject(const struct isa_row *row)
{
    switch (row->class) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_JUMP:
    case CLASS_FENCE:
    case CLASS_CSR:
    case CLASS_SYSTEM:
        return false;
    default:
        return row->op != OP_auipc && isa_row_is_standard(row);
    }
}

static void emit_row(struct maker *maker, const struct isa_row *row)
{
    if (row_has(row, 'm') || row_has(row, 'n'))
        emit_modes(maker, row);
    else if (row_has(row, 'j'))
        emit_immediates(maker, row);
    else if (row_has(row, '<'))
        emit_shifts(maker, row, 32);
    else if (row_has(row, '>'))
        emit_shifts(maker, row, 64);
    else if (row_has(row, 'u'))
        emit_uppers(maker, row);
    else
        emit_kernel(maker, row, subject_bits(row), 0);
}

/* ---- The guest ---- */

static struct table table_add(struct maker *maker, u32 *used, const u64 *values, u32 count)
{
    struct table table = { *used, count };
    assert_true(*used + count <= POOL_COUNT);
    memcpy(guest_pool(&maker->guest) + *used, values, count * sizeof *values);
    *used += count;
    return table;
}

static void maker_fill(struct maker *maker, u64 seed)
{
    u32 used = 0;
    u64 doubles[16], floats[16];
    for (u32 i = 0; i < 16; i++) {
        doubles[i] = random_f64(&seed);
        floats[i] = random_f32(&seed);
    }
    maker->nothing = table_add(maker, &used, int_values, 1);
    maker->ints = table_add(maker, &used, int_values, COUNT_OF(int_values));
    maker->f64s = table_add(maker, &used, f64_values, COUNT_OF(f64_values));
    maker->f64s.count += table_add(maker, &used, doubles, 16).count;
    maker->f32s = table_add(maker, &used, f32_values, COUNT_OF(f32_values));
    maker->f32s.count += table_add(maker, &used, floats, 16).count;
    maker->f64s_fused = table_add(maker, &used, f64_values, FUSED_VALUES);
    maker->f64s_fused.count += table_add(maker, &used, doubles, 6).count;
    maker->f32s_fused = table_add(maker, &used, f32_values, FUSED_VALUES + 1);
    maker->f32s_fused.count += table_add(maker, &used, floats, 5).count;
}

/* write(1, results, pointer - results) */
static void emit_flush(struct maker *maker)
{
    maker->flush = guest_here(&maker->guest);
    guest_emit_constant(&maker->guest, 10, 1);
    guest_emit_constant(&maker->guest, 11, GUEST_RESULTS);
    emit(maker, encode_r(code_of(OP_sub), 12, POINTER, 11));
    guest_emit_call(&maker->guest, 64);
    emit(maker, encode_i(code_of(OP_jalr), 0, LINK, 0));
}

static void maker_init(struct maker *maker, const struct isa *isa, u64 seed)
{
    maker->isa = isa;
    guest_init(&maker->guest, RESULTS_BYTES);
    maker_fill(maker, seed);
    emit(maker, encode_j(code_of(OP_jal), 0, 4 + 4 * 8));
    emit_flush(maker);
    assert_int_equal(guest_here(&maker->guest), GUEST_TEXT + 4 + 4 * 8);
    guest_emit_constant(&maker->guest, SCRATCH, GUEST_SCRATCH);
    for (u32 op = 1; op < OP_custom; op++)
        if (row_is_subject(&isa->rows[op]))
            emit_row(maker, &isa->rows[op]);
    guest_emit_exit(&maker->guest);
}

/* ---- Comparing ---- */

static void difference_print(const struct maker *maker, const struct kernel *kernel, u32 index,
                             const u64 *expected, const u64 *got)
{
    const struct table *t = kernel->tables;
    const u64 *pool = (const u64 *)(const void *)(maker->guest.data + (GUEST_POOL - GUEST_DATA));
    u32 c = index % t[2].count, b = index / t[2].count % t[1].count;
    u32 a = index / t[2].count / t[1].count % t[0].count;
    print_error("%s of %016llx %016llx %016llx, inexact %s before:\n"
                "  qemu  %016llx %llx\n  ogive %016llx %llx\n",
                kernel->text, (unsigned long long)pool[t[0].offset + a],
                (unsigned long long)pool[t[1].offset + b],
                (unsigned long long)pool[t[2].offset + c],
                index < t[0].count * t[1].count * t[2].count ? "clear" : "set",
                (unsigned long long)expected[0], (unsigned long long)expected[1],
                (unsigned long long)got[0], (unsigned long long)got[1]);
}

/* How many records differ; the first few are printed. */
static u32 outputs_compare(const struct maker *maker, const struct output *expected,
                           const struct output *got)
{
    u32 differences = 0;
    size_t at = 0;
    for (u32 k = 0; k < maker->kernel_count; k++) {
        const struct kernel *kernel = &maker->kernels[k];
        u32 records = kernel->presets * kernel->tables[0].count * kernel->tables[1].count *
                      kernel->tables[2].count;
        for (u32 i = 0; i < records; i++, at += RECORD_BYTES) {
            assert_true(at + RECORD_BYTES <= expected->length);
            const u64 *want = (const u64 *)(const void *)(expected->bytes + at);
            const u64 *have = (const u64 *)(const void *)(got->bytes + at);
            if (memcmp(want, have, RECORD_BYTES) && differences++ < 20)
                difference_print(maker, kernel, i, want, have);
        }
    }
    assert_int_equal(at, expected->length);
    return differences;
}

void test_edge_values(void **state)
{
    (void)state;
    if (!qemu_exists()) {
        print_message("# qemu-riscv64 is not installed: nothing to compare with\n");
        skip();
    }
    struct isa *isa = isa_create();
    struct maker *maker = heap_array(1, sizeof *maker);
    struct output expected, got;
    maker_init(maker, isa, 1);
    assert_true(guest_run_qemu(&maker->guest, &expected));
    assert_true(guest_run_ogive(&maker->guest, isa, &got));
    assert_int_equal(got.length, expected.length);
    assert_int_equal(outputs_compare(maker, &expected, &got), 0);
    print_message("# %u instructions and variants agree on %zu cases\n", maker->kernel_count,
                  expected.length / RECORD_BYTES);
    free(expected.bytes);
    free(got.bytes);
    guest_fini(&maker->guest);
    free(maker);
    isa_destroy(isa);
}
