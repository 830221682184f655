/* plain_text.c - see plain.h. */
#include <stdlib.h>

#include "base/text.h"
#include "isa/plain.h"
#include "ogive/program.h"

/* ---- Where records are ---- */

#define NOWHERE UINT32_MAX

static u32 halfwords(const struct insn *insn)
{
    return insn->length / 2 ? insn->length / 2 : 1;
}

/* First those that are found from the beginning on, then one that ends them, then those within
 * others, each with one that leads on. Behind the text there is nothing to be done. */
static void text_number(struct plain_text *text, const struct isa_program *program)
{
    u32 count = (u32)program->count;
    for (u32 at = 0; at < count + 2; at++)
        text->of[at] = NOWHERE;
    for (u32 at = 0; at < count; at += halfwords(&program->insns[at]))
        text->of[at] = text->count++;
    text->of[count] = text->of[count + 1] = text->count++;
    for (u32 at = 0; at < count; at++) {
        if (text->of[at] != NOWHERE)
            continue;
        text->of[at] = text->count;
        text->count += 2;
    }
}

/* ---- What is in them ---- */

/* Which mostly point there in compiled programs: sp, s0, a0, a1, s2, s3 and s4. */
#define STACK_REGISTERS (UINT32_C(0x1c0d00) | UINT32_C(1) << REGISTER_SP)

static bool insn_leaps(const struct insn *insn)
{
    return insn->class == CLASS_BRANCH || insn->class == CLASS_JUMP;
}

static bool insn_rounds(const struct insn *insn)
{
    return insn->class == CLASS_FP_ADD || insn->class == CLASS_FP_MUL ||
           insn->class == CLASS_FP_FMA || insn->class == CLASS_FP_DIV ||
           insn->class == CLASS_FP_SQRT || insn->class == CLASS_FP_CONVERT;
}

static u64 distance(u32 from, u32 to)
{
    return ((u64)to - from) * sizeof(struct plain_insn);
}

/* The halfword that a branch or jump leads to; beyond the text: the count. */
static u64 target_of(const struct isa_program *program, u32 at)
{
    u64 to = at + (u64)((i64)program->insns[at].immediate / 2);
    return program->insns[at].immediate % 2 || to >= program->count ? program->count : to;
}

static u64 operand_of(const struct plain_text *text, const struct isa_program *program, u32 at)
{
    const struct insn *insn = &program->insns[at];
    if (insn->op == OP_auipc)
        return program->base + 2 * (u64)at + (u64)insn->immediate;
    if (insn_leaps(insn) && insn->op != OP_jalr)
        return distance(text->of[at] + 1, text->of[target_of(program, at)]);
    return insn_rounds(insn) ? insn->mode : (u64)insn->immediate;
}

static const void *label_of(const struct isa_program *program, u32 at, bool usual,
                            const struct plain_labels *labels)
{
    const struct insn *insn = &program->insns[at];
    bool nearest = insn->mode == ROUND_NEAREST_EVEN || insn->mode == ROUND_DYNAMIC;
    if (insn->op == OP_auipc)
        return labels->usual[OP_lui]; /* its sum is known */
    if (insn_leaps(insn) && insn->op != OP_jalr && target_of(program, at) == program->count)
        return labels->leave;
    if (insn->op == OP_jal && insn->rd == REGISTER_NONE)
        return labels->jump;
    if (labels->own[insn->op] && STACK_REGISTERS >> insn->rs1 & 1)
        return labels->own[insn->op];
    if (labels->careful[insn->op] && !(usual && nearest))
        return labels->careful[insn->op];
    return labels->usual[insn->op];
}

static struct plain_insn record_of(const struct plain_text *text, const struct isa_program *program,
                                   u32 at, bool usual, const struct plain_labels *labels)
{
    const struct insn *insn = &program->insns[at];
    struct plain_insn record = { .label = label_of(program, at, usual, labels),
                                 .operand = operand_of(text, program, at),
                                 .rd = insn->rd,
                                 .rs1 = insn->rs1,
                                 .rs2 = insn->rs2,
                                 .rs3 = insn->rs3,
                                 .place = at };
    if (insn->class == CLASS_JUMP)
        record.rs3 = insn->length; /* to keep the address behind it */
    return record;
}

/* The second can still be jumped to. */
static void records_pair(struct plain_insn *records, u32 count, const struct plain_labels *labels)
{
    for (u32 i = 0; i + 1 < count; i++) {
        const struct plain_pair *pair = labels->pairs;
        while (pair->both &&
               (records[i].label != pair->first || records[i + 1].label != pair->second))
            pair++;
        if (pair->both)
            records[i].label = pair->both;
    }
}

static struct plain_insn *text_write(const struct plain_text *text,
                                     const struct isa_program *program, bool usual,
                                     const struct plain_labels *labels)
{
    u32 count = (u32)program->count, end = text->of[count];
    struct plain_insn *records = heap_array(text->count, sizeof *records);
    records[end] = (struct plain_insn){ .label = labels->leave, .place = count };
    for (u32 at = 0; at < count; at++) {
        u32 number = text->of[at], behind = text->of[at + halfwords(&program->insns[at])];
        records[number] = record_of(text, program, at, usual, labels);
        if (number > end)
            records[number + 1] = (struct plain_insn){ .label = labels->lead,
                                                       .operand = distance(number + 1, behind),
                                                       .place = at };
    }
    records_pair(records, end, labels);
    return records;
}

static u32 text_stretch(const struct isa_program *program, const struct plain_labels *labels)
{
    u32 longest = 0, count = (u32)program->count;
    u32 *left = heap_array((size_t)count + 2, sizeof *left);
    for (u32 at = count; at-- > 0;) {
        const struct insn *insn = &program->insns[at];
        if (labels->usual[insn->op] != labels->leave)
            left[at] = 1 + (insn_leaps(insn) ? 0 : left[at + halfwords(insn)]);
        longest = left[at] > longest ? left[at] : longest;
    }
    free(left);
    return longest;
}

struct plain_text *plain_text_create(const struct isa_program *program,
                                     const struct plain_labels *labels)
{
    struct plain_text *text = heap_array(1, sizeof *text);
    text->of = heap_array(program->count + 2, sizeof *text->of);
    text_number(text, program);
    text->usual = text_write(text, program, true, labels);
    text->careful = text_write(text, program, false, labels);
    text->stretch = text_stretch(program, labels);
    return text;
}

void plain_text_destroy(struct plain_text *text)
{
    if (!text)
        return;
    free(text->usual);
    free(text->careful);
    free(text->of);
    free(text);
}
