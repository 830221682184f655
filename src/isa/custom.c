/* custom.c - instructions that are added at run time, in the opcode spaces set aside for them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/table.h"
#include "ogive/link.h"

static const u32 space_opcode[4] = { 0x0b, 0x2b, 0x5b, 0x7b };

void isa_destroy(struct isa *isa)
{
    if (!isa)
        return;
    for (u32 i = 0; i < isa->custom_count; i++) {
        free((char *)isa->custom[i].name);
        free((char *)isa->custom[i].operands);
    }
    free(isa);
}

const struct isa_custom *isa_custom(const struct isa *isa, const struct insn *insn)
{
    return &isa->custom[insn->custom];
}

void isa_set_warp(struct isa *isa, const struct isa_warp *warp)
{
    isa->warp[isa->custom_count - 1] = *warp;
}

struct isa_warp isa_custom_warp(const struct isa *isa, const struct insn *insn)
{
    return isa->warp[insn->custom];
}

u32 isa_custom_count(const struct isa *isa)
{
    return isa->custom_count;
}

const struct isa_custom *isa_custom_at(const struct isa *isa, u32 index)
{
    return &isa->custom[index];
}

void isa_use(struct isa *isa)
{
    isa->users++;
}

void isa_unuse(struct isa *isa)
{
    isa->users--;
}

/* Which bits an operand letter occupies; 0 if there is no such operand. */
static u32 letter_bits(char letter)
{
    switch (letter) {
    case 'd':
    case 'D':
        return 0x00000f80;
    case 's':
    case 'S':
        return 0x000f8000;
    case 't':
    case 'T':
    case '<':
        return 0x01f00000;
    case 'r':
    case 'R':
        return 0xf8000000;
    case 'm':
        return 0x00007000;
    case 'j':
        return 0xfff00000;
    case 'o':
    case 'b':
        return 0xfe000f80;
    case 'u':
    case 'a':
        return 0xfffff000;
    default:
        return 0;
    }
}

/* Reads the number after a letter; 0 if there is none. */
static u32 block_count(const char **at)
{
    u32 count = 0;
    while ((*at)[1] >= '0' && (*at)[1] <= '9' && count <= ISA_BLOCK_MAX)
        count = count * 10 + (u32)(*++*at - '0');
    return count;
}

/* The bits that the operands occupy together; false if they make no sense. */
static bool operands_check(const struct isa_custom *custom, u32 *taken, struct ogv_error *error)
{
    *taken = 0;
    for (const char *at = custom->operands; *at; at++) {
        char letter = *at;
        if (strchr(",()", letter))
            continue;
        u32 bits = letter_bits(letter), count = block_count(&at);
        if (!bits)
            return error_user(error, "instruction '%s': '%c' is not an operand", custom->name,
                              letter);
        if (*taken & bits)
            return error_user(error, "instruction '%s': operand '%c' lies in bits already in use",
                              custom->name, letter);
        if (count && (!strchr("dDsS", letter) || count > ISA_BLOCK_MAX))
            return error_user(error,
                              "instruction '%s': only d, D, s and S can be blocks, of up to %d "
                              "registers",
                              custom->name, ISA_BLOCK_MAX);
        if (count > 1 && custom->execute)
            return error_user(error,
                              "instruction '%s': a function takes single registers; blocks are for "
                              "messages to a unit",
                              custom->name);
        *taken |= bits;
    }
    return true;
}

/* Adds a fixed field to the encoding, unless it is left free. */
static bool field_add(struct isa_row *row, u32 taken, int value, u32 bits, const char *field,
                      struct ogv_error *error)
{
    if (value == ISA_ANY)
        return true;
    u32 shift = (u32)__builtin_ctz(bits);
    if (value < 0 || (u32)value > bits >> shift)
        return error_user(error, "instruction '%s': %s = %d is out of range (0 to %u)", row->text,
                          field, value, bits >> shift);
    if (taken & bits)
        return error_user(error,
                          "instruction '%s': %s is fixed, but an operand lies there; use ISA_ANY",
                          row->text, field);
    row->match |= (u32)value << shift;
    row->mask |= bits;
    return true;
}

static bool row_encode(struct isa_row *row, const struct isa_custom *custom,
                       struct ogv_error *error)
{
    u32 taken;
    if (custom->space < 0 || custom->space > 3)
        return error_user(error, "instruction '%s': there is no custom-%d, only 0 to 3",
                          custom->name, custom->space);
    if (!operands_check(custom, &taken, error))
        return false;
    bool has_rs3 = (taken & 0xfe000000) == 0xf8000000;
    row->match = space_opcode[custom->space];
    row->mask = 0x7f;
    return field_add(row, taken, custom->funct3, 0x7000, "funct3", error) &&
           field_add(row, taken, custom->funct7, has_rs3 ? 0x06000000 : 0xfe000000, "funct7",
                     error);
}

static const struct isa_row *row_conflict(const struct isa *isa, const struct isa_row *row)
{
    for (u32 i = OP_illegal + 1; i < OP_COUNT + isa->custom_count; i++) {
        const struct isa_row *other = &isa->rows[i];
        if (other->mask && !((row->match ^ other->match) & row->mask & other->mask))
            return other;
    }
    return NULL;
}

bool isa_add(struct isa *isa, const struct isa_custom *custom, struct ogv_error *error)
{
    u32 index = isa->custom_count;
    struct isa_row row = {
        .text = custom->name,
        .op = OP_custom,
        .class = (u8)(CLASS_CUSTOM0 + custom->space),
        .custom = (u8)index,
    };
    if (isa->users)
        return error_user(error,
                          "instruction '%s' comes too late: a chip was built whose cores have no "
                          "place for it; add it before, or destroy that chip first",
                          custom->name);
    if (index == ISA_CUSTOM_MAX)
        return error_user(error, "instruction '%s': there are %d custom instructions already",
                          custom->name, ISA_CUSTOM_MAX);
    if (!row_encode(&row, custom, error))
        return false;
    const struct isa_row *other = row_conflict(isa, &row);
    if (other)
        return error_user(error, "instruction '%s' has the same encoding as '%s'", custom->name,
                          other->text);
    isa->custom[index] = *custom;
    isa->custom[index].name = row.text = heap_copy(custom->name);
    isa->custom[index].operands = row.operands = heap_copy(custom->operands);
    isa->rows[OP_COUNT + index] = row;
    isa->custom_count++;
    isa_link(isa, OP_COUNT + index);
    return true;
}

u32 isa_operands(const struct isa *isa, const struct hart *hart, const struct insn *insn,
                 u64 values[ISA_BLOCK_MAX + 2])
{
    const struct isa_row *row = isa_row(isa, insn);
    u32 count = 0;
    if (row->reads_rs1)
        for (; count < insn->rs1_count; count++)
            values[count] = hart->r[insn->rs1 + count];
    if (row->reads_rs2)
        values[count++] = hart->r[insn->rs2];
    if (row->reads_rs3)
        values[count++] = hart->r[insn->rs3];
    return count;
}

void isa_results(struct hart *hart, const struct insn *insn, const u64 *values)
{
    for (u32 i = 0; i < insn->rd_count; i++)
        hart->r[insn->rd + i] = values[i];
}

/* ---- Messages ---- */

#define NAN_BOX    UINT64_C(0xffffffff00000000)

/* Values above this many share the data as 32 bits each. */
#define WIDE_MAX   (MESSAGE_DATA_BYTES / sizeof(u64))
#define NARROW_MAX (MESSAGE_DATA_BYTES / sizeof(u32))

void isa_message(const struct isa *isa, const struct hart *hart, const struct insn *insn,
                 struct message *message)
{
    u64 values[ISA_BLOCK_MAX + 2];
    u32 count = isa_operands(isa, hart, insn, values);
    message->kind = (u16)isa_custom(isa, insn)->message;
    message->address = insn->custom;
    message->mask = count > NARROW_MAX ? (u32)values[NARROW_MAX] : 0;
    message->size_bytes = MESSAGE_DATA_BYTES;
    memset(&message->data, 0, sizeof message->data);
    for (u32 i = 0; i < count && count <= WIDE_MAX; i++)
        message->data.dword[i] = values[i];
    for (u32 i = 0; i < count && i < NARROW_MAX && count > WIDE_MAX; i++)
        message->data.word[i] = (u32)values[i];
}

void isa_answer(struct hart *hart, const struct insn *insn, const struct message *answer)
{
    u64 values[ISA_BLOCK_MAX];
    u32 count = insn->rd_count;
    for (u32 i = 0; i < count && count <= WIDE_MAX; i++)
        values[i] = answer->data.dword[i];
    for (u32 i = 0; i < count && count > WIDE_MAX; i++) {
        u64 box = insn->rd >= REGISTER_F0 ? NAN_BOX : 0;
        values[i] = i < NARROW_MAX ? answer->data.word[i] | box : 0;
    }
    isa_results(hart, insn, values);
}
