/* decode.c - machine code to `struct insn`.
 *
 * A compressed instruction is expanded first. The row is found through a bucket of the few rows
 * that share opcode and funct3, and the row's operand letters say which fields to take out: the
 * same letters that the disassembler prints by. */
#include "isa/table.h"

static u32 bits_at(u32 bits, u32 from, u32 count)
{
    return bits >> from & ((UINT32_C(1) << count) - 1);
}

static int32_t immediate_s(u32 bits)
{
    return (int32_t)(bits & 0xfe000000) >> 20 | (int32_t)bits_at(bits, 7, 5);
}

static int32_t immediate_b(u32 bits)
{
    return (int32_t)(bits & 0x80000000) >> 19 |
           (int32_t)(bits_at(bits, 7, 1) << 11 | bits_at(bits, 25, 6) << 5 |
                     bits_at(bits, 8, 4) << 1);
}

static int32_t immediate_j(u32 bits)
{
    return (int32_t)(bits & 0x80000000) >> 11 |
           (int32_t)(bits_at(bits, 12, 8) << 12 | bits_at(bits, 20, 1) << 11 |
                     bits_at(bits, 21, 10) << 1);
}

static u32 register_f(u32 number)
{
    return REGISTER_F0 + number;
}

static u32 register_destination(u32 number)
{
    return number ? number : REGISTER_NONE;
}

/* Takes out the operand that one letter of isa_format.def names. */
static void operand_decode(struct insn *insn, char letter, u32 bits)
{
    u32 rd = bits_at(bits, 7, 5), rs1 = bits_at(bits, 15, 5), rs2 = bits_at(bits, 20, 5);
    u32 rs3 = bits_at(bits, 27, 5), funct3 = bits_at(bits, 12, 3);
    /* clang-format off */
    switch (letter) {
    case 'd': insn->rd = (u8)register_destination(rd); break;
    case 'D': insn->rd = (u8)register_f(rd); break;
    case 's': insn->rs1 = (u8)rs1; break;
    case 'S': insn->rs1 = (u8)register_f(rs1); break;
    case 't': insn->rs2 = (u8)rs2; break;
    case 'T': insn->rs2 = (u8)register_f(rs2); break;
    case 'r': insn->rs3 = (u8)rs3; break;
    case 'R': insn->rs3 = (u8)register_f(rs3); break;
    case 'm':
    case 'n': insn->mode = (u8)funct3; break;
    case 'q': insn->mode = (u8)bits_at(bits, 25, 2); break;
    case 'F':
    case 'j': insn->immediate = (int32_t)bits >> 20; break;
    case 'o': insn->immediate = immediate_s(bits); break;
    case 'b': insn->immediate = immediate_b(bits); break;
    case 'a': insn->immediate = immediate_j(bits); break;
    case 'u': insn->immediate = (int32_t)(bits & 0xfffff000); break;
    case '<': insn->immediate = (int32_t)rs2; break;
    case '>': insn->immediate = (int32_t)bits_at(bits, 20, 6); break;
    case 'E': insn->immediate |= (int32_t)bits_at(bits, 20, 12); break;
    case 'Z': insn->immediate |= (int32_t)(rs1 << 12); break;
    default: break;
    }
    /* clang-format on */
}

/* A block of registers may not run over the end of its file nor begin at x0. */
static bool block_fits(u32 first, u32 count)
{
    return count == 1 || (first % 32 + count <= 32 && first != 0 && first != REGISTER_NONE);
}

/* Reads the letters, and the number after a letter that makes it a block. */
static bool operands_decode(struct insn *insn, const char *operands, u32 bits)
{
    for (const char *at = operands; *at; at++) {
        operand_decode(insn, *at, bits);
        u32 count = 0;
        char letter = *at;
        for (; at[1] >= '0' && at[1] <= '9'; at++)
            count = count * 10 + (u32)(at[1] - '0');
        if (count && (letter == 'd' || letter == 'D'))
            insn->rd_count = (u8)count;
        else if (count)
            insn->rs1_count = (u8)count;
    }
    return block_fits(insn->rd, insn->rd_count) && block_fits(insn->rs1, insn->rs1_count);
}

static struct insn insn_illegal(u32 bits, u32 length)
{
    return (struct insn){
        .op = OP_illegal,
        .class = CLASS_ILLEGAL,
        .length = (u8)length,
        .rd = REGISTER_NONE,
        .rd_count = 1,
        .rs1_count = 1,
        .immediate = (int32_t)bits,
    };
}

/* Modes 5 and 6 mean nothing, and whether 7 does is only known when the instruction executes. */
static bool mode_is_reserved(const struct isa_row *row, u32 mode)
{
    for (const char *at = row->operands; *at; at++)
        if (*at == 'm' || *at == 'n')
            return mode == 5 || mode == 6;
    return false;
}

struct insn isa_decode(const struct isa *isa, u32 bits)
{
    u32 length = isa_length((u16)bits);
    u32 original = length == 2 ? (u16)bits : bits;
    if (length == 2)
        bits = isa_expand((u16)bits);
    const struct isa_row *row = isa_find(isa, bits);
    struct insn insn = insn_illegal(original, length);
    if (row->op == OP_illegal)
        return insn;
    insn.op = row->op;
    insn.class = row->class;
    insn.custom = row->custom;
    insn.immediate = 0;
    if (!operands_decode(&insn, row->operands, bits) || mode_is_reserved(row, insn.mode))
        return insn_illegal(original, length);
    return insn;
}

static u32 halfword_at(const u8 *text)
{
    return (u32)text[0] | (u32)text[1] << 8;
}

void isa_predecode(const struct isa *isa, const u8 *text, u64 size, struct insn *insns)
{
    for (u64 at = 0; at + 2 <= size; at += 2) {
        u32 bits = halfword_at(text + at);
        bool whole = isa_length((u16)bits) == 2 || at + 4 <= size;
        if (whole && isa_length((u16)bits) == 4)
            bits |= halfword_at(text + at + 2) << 16;
        insns[at / 2] = whole ? isa_decode(isa, bits) : insn_illegal(bits, 4);
    }
}
