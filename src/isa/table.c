/* table.c - the instruction list as data, and the instruction set made from it. */
#include "isa/table.h"

#include <string.h>

#include "base/text.h"

static const struct {
    u32 mask;
    const char *operands;
} formats[FORMAT_COUNT] = {
#define FORMAT(name, mask, operands) [FORMAT_##name] = { mask, operands },
#include "ogive/isa_format.def"
};

static const struct {
    const char *text;
    u32 match;
    u8 format, class;
} instructions[OP_custom] = {
#define INSN(op, text, format, class, code, action) \
    [OP_##op] = { text, code, FORMAT_##format, CLASS_##class },
#include "ogive/isa_insn.def"
};

static const struct {
    const char *name, *help;
} classes[CLASS_COUNT] = {
#define CLASS_ROW(prefix, name, NAME, help) [prefix##NAME] = { #name, help },
    ISA_CLASSES(CLASS_ROW, CLASS_)
};

const char *isa_class_name(enum isa_class class)
{
    return classes[class].name;
}

const char *isa_class_help(enum isa_class class)
{
    return classes[class].help;
}

bool isa_class_find(const char *name, enum isa_class *class)
{
    for (u32 i = 0; i < CLASS_COUNT; i++) {
        if (strcmp(classes[i].name, name) != 0)
            continue;
        *class = i;
        return true;
    }
    return false;
}

static u32 bucket_of(u32 bits)
{
    return (bits >> 2 & 31) << 3 | (bits >> 12 & 7);
}

static bool row_has(const struct isa_row *row, const char *letters)
{
    return strpbrk(row->operands, letters) != NULL;
}

void isa_link(struct isa *isa, u32 number)
{
    struct isa_row *row = &isa->rows[number];
    row->reads_rs1 = row_has(row, "sS");
    row->reads_rs2 = row_has(row, "tT");
    row->reads_rs3 = row_has(row, "rR");
    for (u32 funct3 = 0; funct3 < 8; funct3++) {
        u32 bits = (row->match & ~UINT32_C(0x7000)) | funct3 << 12;
        if ((bits & row->mask) != row->match)
            continue;
        u16 *first = &isa->first[bucket_of(bits)];
        isa->next[number][funct3] = *first;
        *first = (u16)number;
    }
}

const struct isa_row *isa_find(const struct isa *isa, u32 bits)
{
    u32 funct3 = bits >> 12 & 7;
    u32 number = isa->first[bucket_of(bits)];
    while (number && (bits & isa->rows[number].mask) != isa->rows[number].match)
        number = isa->next[number][funct3];
    return &isa->rows[number];
}

struct isa *isa_create(void)
{
    struct isa *isa = heap_array(1, sizeof *isa);
    isa->rows[OP_illegal] = (struct isa_row){ .text = "illegal", .operands = "" };
    for (u32 op = OP_illegal + 1; op < OP_custom; op++) {
        isa->rows[op] = (struct isa_row){
            .text = instructions[op].text,
            .operands = formats[instructions[op].format].operands,
            .match = instructions[op].match,
            .mask = formats[instructions[op].format].mask,
            .op = (u16)op,
            .class = instructions[op].class,
        };
        isa_link(isa, op);
    }
    return isa;
}
