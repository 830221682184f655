/* table.h - what the files of this folder know about instructions: the rows of isa_insn.def as
 * data. */
#ifndef ISA_TABLE_H
#define ISA_TABLE_H

#include "ogive/isa.h"

#define CODE2(opcode, funct3, funct7, rs2) \
    ((u32)(opcode) | (u32)(funct3) << 12 | (u32)(rs2) << 20 | (u32)(funct7) << 25)
#define CODE(opcode, funct3, funct7) CODE2(opcode, funct3, funct7, 0)

#define ISA_CUSTOM_MAX               256
#define ISA_BUCKETS                  256 /* opcode bits 6:2, then funct3 */

/* One instruction as the decoder and the disassembler see it. */
struct isa_row {
    const char *text;
    const char *operands;
    u32 match, mask;
    u16 op;
    u8 class;
    u8 custom;
    bool reads_rs1, reads_rs2, reads_rs3; /* as its operands say */
};

/* The rows are OP_COUNT standard ones, indexed by op, then the custom ones. A bucket lists the rows
 * that an encoding with that opcode and funct3 may be: first[] names one, next[] the one after it,
 * 0 (the illegal row) ends the list. A row whose funct3 is free stands in eight buckets and has a
 * successor in each. */
struct isa {
    struct isa_row rows[OP_COUNT + ISA_CUSTOM_MAX];
    u16 first[ISA_BUCKETS];
    u16 next[OP_COUNT + ISA_CUSTOM_MAX][8];
    u32 custom_count;
    u32 users; /* chips whose cores have a place for each of these instructions */
    struct isa_custom custom[ISA_CUSTOM_MAX];
    struct isa_warp warp[ISA_CUSTOM_MAX];
};

/* Makes a row findable by the decoder, and notes what it reads. */
void isa_link(struct isa *isa, u32 number);

/* The row that an encoding belongs to; the illegal row if none. */
const struct isa_row *isa_find(const struct isa *isa, u32 bits);

/* Whether it is RISC-V's own, which other tools know. */
static inline bool isa_row_is_standard(const struct isa_row *row)
{
    return (row->match & 0x7f) != 0x0b; /* custom-0 */
}

/* The row that an instruction was decoded with. */
static inline const struct isa_row *isa_row(const struct isa *isa, const struct insn *insn)
{
    return insn->op == OP_custom ? &isa->rows[OP_COUNT + insn->custom] : &isa->rows[insn->op];
}

#endif
