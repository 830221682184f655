/* random.c - random instruction sequences, the same under qemu and in Ogive.
 *
 * Each sequence loads a few registers from a pool of awkward values, executes some instructions
 * picked from the whole list, and saves all registers and fcsr as one record. State flows on from
 * sequence to sequence. Two registers belong to the frame: one points to the record, the other
 * links to the save routine; which two they are changes from guest to guest.
 *
 * What would make the outcome unpredictable is fenced in: memory instructions get an address in the
 * scratch area first, jumps go forward over one instruction, frm is made valid after every write to
 * it, and a reservation never outlives the instruction group that made it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "differential.h"
#include "guest.h"
#include "values.h"

#define SEQUENCES    4000
#define RECORD_BYTES 512
#define SEED_FIRST   UINT64_C(0x0617e)

struct maker {
    struct guest guest;
    const struct isa *isa;
    u64 random;
    u32 pointer, link; /* the frame's registers */
    u32 save;          /* address of the save routine */
    u32 starts[SEQUENCES + 1];
};

static u32 below(struct maker *maker, u32 limit)
{
    return (u32)random_below(&maker->random, limit);
}

static void emit(struct maker *maker, u32 bits)
{
    guest_emit(&maker->guest, bits);
}

/* A register that the frame does not own. */
static u32 pick_register(struct maker *maker)
{
    for (;;) {
        u32 number = below(maker, 32);
        if (number != maker->pointer && number != maker->link)
            return number;
    }
}

static u32 pick_base(struct maker *maker)
{
    for (;;) {
        u32 number = pick_register(maker);
        if (number)
            return number;
    }
}

static u32 pick_mode(struct maker *maker)
{
    u32 mode = below(maker, 7);
    return mode > ROUND_NEAREST_AWAY ? ROUND_DYNAMIC : mode;
}

/* ---- One instruction of any kind ---- */

static u32 pick_operand(struct maker *maker, char letter)
{
    switch (letter) {
    case 'd':
        return pick_register(maker) << 7;
    case 'D':
        return below(maker, 32) << 7;
    case 's':
        return pick_register(maker) << 15;
    case 'S':
    case 'Z':
        return below(maker, 32) << 15;
    case 't':
        return pick_register(maker) << 20;
    case 'T':
    case '<':
        return below(maker, 32) << 20;
    case 'R':
        return below(maker, 32) << 27;
    case '>':
        return below(maker, 64) << 20;
    case 'm':
    case 'n':
        return pick_mode(maker) << 12;
    case 'q':
        return below(maker, 4) << 25;
    case 'E':
        return (1 + below(maker, 3)) << 20;
    case 'j':
    case 'F':
        return below(maker, 4096) << 20;
    case 'u':
        return (u32)random_next(&maker->random) << 12;
    default:
        return 0;
    }
}

static u32 pick_bits(struct maker *maker, const struct isa_row *row)
{
    u32 bits = row->match;
    for (const char *at = row->operands; *at; at++)
        bits |= pick_operand(maker, *at);
    return bits;
}

/* Puts an address into `base` such that base + offset is in the scratch area, aligned or not. */
static u32 emit_address(struct maker *maker, u32 base, int32_t offset, u32 alignment)
{
    u32 target = GUEST_SCRATCH + 16 + below(maker, SCRATCH_BYTES - 64) / alignment * alignment;
    guest_emit_constant(&maker->guest, base, target - (u32)offset);
    return target;
}

static u32 with_base(u32 bits, u32 base)
{
    return (bits & ~UINT32_C(0xf8000)) | base << 15;
}

static void emit_memory(struct maker *maker, const struct isa_row *row)
{
    u32 base = pick_base(maker), offset = below(maker, 4096);
    int32_t extended = (int32_t)(offset << 20) >> 20;
    u32 bits = with_base(pick_bits(maker, row), base);
    if (row->class == CLASS_STORE)
        bits = encode_s(bits, 0, 0, extended);
    else
        bits = (bits & 0xfffff) | offset << 20;
    emit_address(maker, base, extended, 1);
    emit(maker, bits);
}

/* A reservation is used up at once, either where it was made or elsewhere. */
static void emit_reserved(struct maker *maker, u32 bits, u32 base)
{
    bool word = (bits >> 12 & 7) == 2;
    u32 conditional =
        code_of(word ? OP_sc_w : OP_sc_d) | pick_register(maker) << 7 | pick_register(maker) << 20;
    if ((bits >> 7 & 31) == base || below(maker, 4) == 0)
        emit_address(maker, base, 0, 8);
    emit(maker, with_base(conditional, base));
}

static void emit_atomic(struct maker *maker, const struct isa_row *row)
{
    u32 base = pick_base(maker);
    u32 bits = with_base(pick_bits(maker, row), base);
    emit_address(maker, base, 0, 8);
    emit(maker, bits);
    if (row->op == OP_lr_w || row->op == OP_lr_d)
        emit_reserved(maker, bits, base);
}

static void emit_csr(struct maker *maker, const struct isa_row *row)
{
    emit(maker, pick_bits(maker, row));
    emit(maker, encode_i(code_of(OP_csrrwi), pick_register(maker), below(maker, 5), 2));
}

static void emit_plain(struct maker *maker);

/* A branch or jump over one plain instruction. */
static void emit_jump(struct maker *maker, const struct isa_row *row)
{
    u32 bits = pick_bits(maker, row), base = pick_base(maker);
    if (row->op == OP_jalr)
        emit(maker, encode_u(code_of(OP_auipc), base, 0));
    u32 at = guest_here(&maker->guest);
    emit(maker, bits);
    emit_plain(maker);
    int32_t offset = (int32_t)(guest_here(&maker->guest) - at);
    if (row->op == OP_jalr)
        /* The lowest bit of the target is ignored. */
        bits =
            encode_i(with_base(bits, base) & 0xfffff, 0, 0, offset + 4 + (int32_t)below(maker, 2));
    else if (row->op == OP_jal)
        bits = encode_j(bits, 0, offset);
    else
        bits = encode_b(bits, 0, 0, offset);
    guest_patch(&maker->guest, at, bits);
}

/* ---- Compressed instructions ---- */

static bool uses_frame(const struct maker *maker, const struct insn *insn)
{
    u64 frame = UINT64_C(1) << maker->pointer | UINT64_C(1) << maker->link;
    return (isa_reads(insn) | isa_writes(insn)) & frame;
}

static void emit_compressed_jump(struct maker *maker)
{
    static const u32 codes[] = { 0xa001, 0xc001, 0xe001 }; /* c.j, c.beqz, c.bnez */
    u32 which = below(maker, 3), at = guest_here(&maker->guest);
    emit(maker, codes[which]);
    emit_plain(maker);
    u32 offset = guest_here(&maker->guest) - at;
    u32 place = which ? (offset & 6) << 2 | below(maker, 8) << 7 : (offset >> 1 & 7) << 3;
    guest_patch(&maker->guest, at, codes[which] | place);
}

static void emit_compressed_link(struct maker *maker)
{
    u32 base = pick_base(maker);
    emit(maker, encode_u(code_of(OP_auipc), base, 0));
    emit(maker, encode_i(code_of(OP_addi), base, base, 10));
    bool jalr = maker->pointer != 1 && maker->link != 1 && below(maker, 2);
    emit(maker, (jalr ? 0x9002 : 0x8002) | base << 7);
}

static void emit_compressed(struct maker *maker)
{
    if (below(maker, 8) == 0) {
        emit_compressed_jump(maker);
        return;
    }
    if (below(maker, 12) == 0) {
        emit_compressed_link(maker);
        return;
    }
    for (;;) {
        u32 half = below(maker, 0x10000);
        struct insn insn = isa_decode(maker->isa, half);
        bool memory = insn.class == CLASS_LOAD || insn.class == CLASS_STORE;
        if (insn.length != 2 || insn.op == OP_illegal || insn.op == OP_ebreak ||
            insn.class == CLASS_BRANCH || insn.class == CLASS_JUMP || uses_frame(maker, &insn))
            continue;
        if (memory)
            emit_address(maker, insn.rs1, insn.immediate, 1);
        emit(maker, half);
        return;
    }
}

/* ---- Sequences ---- */

static const struct isa_row *pick_row(struct maker *maker)
{
    for (;;) {
        const struct isa_row *row = &maker->isa->rows[1 + below(maker, OP_custom - 1)];
        if (row->class != CLASS_SYSTEM && isa_row_is_standard(row))
            return row;
    }
}

static bool is_plain(const struct isa_row *row)
{
    switch (row->class) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ATOMIC:
    case CLASS_BRANCH:
    case CLASS_JUMP:
    case CLASS_CSR:
        return false;
    default:
        return true;
    }
}

static void emit_plain(struct maker *maker)
{
    const struct isa_row *row;
    do
        row = pick_row(maker);
    while (!is_plain(row));
    emit(maker, pick_bits(maker, row));
}

static void emit_any(struct maker *maker)
{
    if (below(maker, 5) == 0) {
        emit_compressed(maker);
        return;
    }
    const struct isa_row *row = pick_row(maker);
    switch (row->class) {
    case CLASS_LOAD:
    case CLASS_STORE:
        emit_memory(maker, row);
        break;
    case CLASS_ATOMIC:
        emit_atomic(maker, row);
        break;
    case CLASS_CSR:
        emit_csr(maker, row);
        break;
    case CLASS_BRANCH:
    case CLASS_JUMP:
        emit_jump(maker, row);
        break;
    default:
        emit(maker, pick_bits(maker, row));
    }
}

static void emit_sequence(struct maker *maker)
{
    emit(maker, encode_u(code_of(OP_lui), maker->link, GUEST_POOL_MIDDLE >> 12));
    for (u32 loads = 2 + below(maker, 4); loads; loads--) {
        int32_t offset = (int32_t)below(maker, POOL_COUNT) * 8 - 2048;
        emit(maker, encode_i(code_of(OP_ld), pick_register(maker), maker->link, offset));
        offset = (int32_t)below(maker, POOL_COUNT) * 8 - 2048;
        emit(maker, encode_i(code_of(OP_fld), below(maker, 32), maker->link, offset));
    }
    for (u32 instructions = 4 + below(maker, 9); instructions; instructions--)
        emit_any(maker);
    int32_t offset = (int32_t)(maker->save - guest_here(&maker->guest));
    emit(maker, encode_j(code_of(OP_jal), maker->link, offset));
}

/* Record: fcsr in the place of x0, then x1-x31 (of the frame's registers nothing), f0-f31. */
static void emit_save(struct maker *maker)
{
    u32 free = maker->pointer == 1 || maker->link == 1 ? 5 : 1;
    maker->save = guest_here(&maker->guest);
    for (u32 i = 1; i < 32; i++)
        if (i != maker->pointer && i != maker->link)
            emit(maker, encode_s(code_of(OP_sd), maker->pointer, i, (int32_t)(8 * i)));
    for (u32 i = 0; i < 32; i++)
        emit(maker, encode_s(code_of(OP_fsd), maker->pointer, i, (int32_t)(256 + 8 * i)));
    emit(maker, encode_i(code_of(OP_csrrs), free, 0, 3));
    emit(maker, encode_s(code_of(OP_sd), maker->pointer, free, 0));
    emit(maker, encode_i(code_of(OP_ld), free, maker->pointer, (int32_t)(8 * free)));
    emit(maker, encode_i(code_of(OP_addi), maker->pointer, maker->pointer, RECORD_BYTES));
    emit(maker, encode_i(code_of(OP_jalr), 0, maker->link, 0));
}

static void emit_write(struct maker *maker, u32 address, u32 size)
{
    guest_emit_constant(&maker->guest, 10, 1);
    guest_emit_constant(&maker->guest, 11, address);
    guest_emit_constant(&maker->guest, 12, size);
    guest_emit_call(&maker->guest, 64);
}

static void maker_fill(struct maker *maker)
{
    u64 *pool = guest_pool(&maker->guest);
    for (u32 i = 0; i < POOL_COUNT; i++)
        pool[i] = random_value(&maker->random);
    for (u32 i = 0; i < SCRATCH_BYTES; i++)
        guest_scratch(&maker->guest)[i] = (u8)random_next(&maker->random);
}

/* All registers start at zero, whatever the environment left in them. */
static void emit_start(struct maker *maker)
{
    for (u32 i = 1; i < 32; i++)
        emit(maker, encode_i(code_of(OP_addi), i, 0, 0));
    for (u32 i = 0; i < 32; i++)
        emit(maker, encode_r(code_of(OP_fmv_d_x), i, 0, 0));
    guest_emit_constant(&maker->guest, maker->pointer, GUEST_RESULTS);
}

static void maker_init(struct maker *maker, const struct isa *isa, u64 seed)
{
    static const u32 frames[][2] = { { 30, 31 }, { 3, 4 }, { 1, 26 }, { 19, 6 } };
    *maker = (struct maker){ .isa = isa, .random = seed };
    u32 frame = below(maker, COUNT_OF(frames));
    maker->pointer = frames[frame][0];
    maker->link = frames[frame][1];
    guest_init(&maker->guest, (u64)SEQUENCES * RECORD_BYTES);
    maker_fill(maker);
    emit(maker, encode_j(code_of(OP_jal), 0, 4 + 4 * 69));
    emit_save(maker);
    while (guest_here(&maker->guest) < GUEST_TEXT + 4 + 4 * 69)
        emit(maker, encode_i(code_of(OP_addi), 0, 0, 0));
    emit_start(maker);
    for (u32 i = 0; i < SEQUENCES; i++) {
        maker->starts[i] = guest_here(&maker->guest);
        emit_sequence(maker);
    }
    maker->starts[SEQUENCES] = guest_here(&maker->guest);
    emit_write(maker, GUEST_RESULTS, SEQUENCES * RECORD_BYTES);
    emit_write(maker, GUEST_SCRATCH, SCRATCH_BYTES);
    guest_emit_exit(&maker->guest);
}

/* ---- Comparing ---- */

static void sequence_print(const struct maker *maker, u32 sequence)
{
    u64 end = maker->starts[sequence + 1];
    for (u64 pc = maker->starts[sequence]; pc < end;) {
        const u8 *at = maker->guest.text + (pc - GUEST_TEXT);
        u32 bits = (u32)(at[0] | at[1] << 8);
        if (isa_length((u16)bits) == 4)
            bits |= (u32)at[2] << 16 | (u32)at[3] << 24;
        struct insn insn = isa_decode(maker->isa, bits);
        char text[64];
        isa_disassemble(maker->isa, &insn, pc, text, sizeof text);
        print_error("  %llx: %08x %s\n", (unsigned long long)pc, bits, text);
        pc += insn.length;
    }
}

static void record_compare(const struct maker *maker, u32 sequence, const u64 *expected,
                           const u64 *got)
{
    if (!memcmp(expected, got, RECORD_BYTES))
        return;
    print_error("sequence %u:\n", sequence);
    sequence_print(maker, sequence);
    for (u32 i = 0; i < RECORD_BYTES / 8; i++)
        if (expected[i] != got[i])
            print_error("%s: qemu %016llx, ogive %016llx, before %016llx\n",
                        i ? isa_register_name(i) : "fcsr", (unsigned long long)expected[i],
                        (unsigned long long)got[i],
                        sequence ? (unsigned long long)*(expected + i - RECORD_BYTES / 8) : 0);
    fail();
}

static void guest_compare(const struct isa *isa, u64 seed)
{
    struct maker *maker = heap_array(1, sizeof *maker);
    struct output expected, got;
    maker_init(maker, isa, seed);
    assert_true(guest_run_qemu(&maker->guest, &expected));
    assert_true(guest_run_ogive(&maker->guest, isa, &got));
    assert_int_equal(expected.length, SEQUENCES * RECORD_BYTES + SCRATCH_BYTES);
    assert_int_equal(got.length, expected.length);
    for (u32 i = 0; i < SEQUENCES; i++)
        record_compare(maker, i, (const u64 *)(const void *)(expected.bytes + i * RECORD_BYTES),
                       (const u64 *)(const void *)(got.bytes + i * RECORD_BYTES));
    assert_memory_equal(expected.bytes + SEQUENCES * RECORD_BYTES,
                        got.bytes + SEQUENCES * RECORD_BYTES, SCRATCH_BYTES);
    free(expected.bytes);
    free(got.bytes);
    guest_fini(&maker->guest);
    free(maker);
}

void test_random_sequences(void **state)
{
    (void)state;
    if (!qemu_exists()) {
        print_message("# qemu-riscv64 is not installed: nothing to compare with\n");
        skip();
    }
    u64 guests = getenv("OGIVE_LONG") ? 2500 : 100;
    struct isa *isa = isa_create();
    for (u64 i = 0; i < guests; i++)
        guest_compare(isa, SEED_FIRST + i);
    isa_destroy(isa);
    print_message("# %llu sequences agree\n", (unsigned long long)(guests * SEQUENCES));
}
