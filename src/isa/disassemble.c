/* disassemble.c - instructions as text, from the same operand letters that they were decoded by. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/csr.h"
#include "isa/table.h"

static const char *const register_names[REGISTER_NONE + 1] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",   "a2",
    "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",   "s9",
    "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5",  "ft6",
    "ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2",  "fs3",
    "fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11", "zero",
};

static const char *const mode_names[8] = { "rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn" };
static const char *const order_names[4] = { "", ".rl", ".aq", ".aqrl" };

/* Text that stops growing at the end of its buffer but goes on counting. */
struct line {
    char *buffer;
    size_t size, length;
};

const char *isa_register_name(u32 number)
{
    return number <= REGISTER_NONE ? register_names[number] : "?";
}

static void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;
    size_t room = line->size > line->length ? line->size - line->length : 0;
    va_start(arguments, format);
    int length = vsnprintf(room ? line->buffer + line->length : NULL, room, format, arguments);
    va_end(arguments);
    line->length += length > 0 ? (size_t)length : 0;
}

static void line_add_csr(struct line *line, u32 number)
{
    const char *name = csr_name(number);
    if (name)
        line_add(line, "%s", name);
    else
        line_add(line, "0x%x", number);
}

/* Predecessor and successor sets of a fence: input, output, reads, writes. */
static void line_add_fence(struct line *line, u32 immediate)
{
    for (u32 set = 4;; set -= 4) {
        u32 bits = immediate >> set & 15;
        line_add(line, "%s%s%s%s%s", bits ? "" : "unknown", bits & 8 ? "i" : "",
                 bits & 4 ? "o" : "", bits & 2 ? "r" : "", bits & 1 ? "w" : "");
        if (set == 0)
            return;
        line_add(line, ",");
    }
}

static void line_add_block(struct line *line, u32 first, u32 count)
{
    line_add(line, "%s", isa_register_name(first));
    if (count > 1)
        line_add(line, "-%s", isa_register_name(first + count - 1));
}

static void line_add_mode(struct line *line, u32 mode)
{
    if (mode != ROUND_DYNAMIC)
        line_add(line, ",%s", mode_names[mode]);
}

static void line_add_operand(struct line *line, const struct insn *insn, u64 pc, char letter)
{
    u32 immediate = (u32)insn->immediate;
    /* clang-format off */
    switch (letter) {
    case 'd': case 'D': line_add_block(line, insn->rd, insn->rd_count); break;
    case 's': case 'S': line_add_block(line, insn->rs1, insn->rs1_count); break;
    case 't': case 'T': line_add(line, "%s", isa_register_name(insn->rs2)); break;
    case 'r': case 'R': line_add(line, "%s", isa_register_name(insn->rs3)); break;
    case 'm':           line_add_mode(line, insn->mode); break;
    case 'j': case 'o': line_add(line, "%d", insn->immediate); break;
    case '<': case '>': line_add(line, "0x%x", immediate); break;
    case 'b': case 'a': line_add(line, "0x%llx", (unsigned long long)(pc + (u64)insn->immediate)); break;
    case 'u':           line_add(line, "0x%x", immediate >> 12); break;
    case 'E':           line_add_csr(line, immediate & 0xfff); break;
    case 'Z':           line_add(line, "%u", immediate >> 12); break;
    case 'F':           line_add_fence(line, immediate); break;
    case ',': case '(':
    case ')':           line_add(line, "%c", letter); break;
    default: break;
    }
    /* clang-format on */
}

int isa_disassemble(const struct isa *isa, const struct insn *insn, u64 pc, char *buffer,
                    size_t size)
{
    struct line line = { buffer, size, 0 };
    const struct isa_row *row = isa_row(isa, insn);
    if (insn->op == OP_illegal) {
        line_add(&line, ".%ubyte\t0x%x", insn->length, (u32)insn->immediate);
        return (int)line.length;
    }
    line_add(&line, "%s", row->text);
    const char *operands = row->operands;
    if (*operands == 'q') {
        line_add(&line, "%s", order_names[insn->mode & 3]);
        operands++;
    }
    if (*operands)
        line_add(&line, "\t");
    for (; *operands; operands++)
        line_add_operand(&line, insn, pc, *operands);
    return (int)line.length;
}
