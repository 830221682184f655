/* program.c - what every unit that runs programs does alike: how a thread begins, what an ecall
 * does, and keeping what was printed. */
#include "ogive/program.h"

#include <string.h>

#include "base/text.h"

void program_hazards(const struct insn *insns, u64 halfwords, u64 *hazards)
{
    const u64 call = UINT64_C(7) << REGISTER_A0 | UINT64_C(1) << REGISTER_A7;
    for (u64 i = 0; i < halfwords; i++) {
        u64 host = insns[i].op == OP_ecall ? call : 0;
        hazards[i] = isa_reads(&insns[i]) | isa_writes(&insns[i]) | host;
    }
}

void program_count(const struct insn *insns, u64 halfwords, u32 *ordinals)
{
    u32 count = 0;
    for (u64 i = 0; i < halfwords; count++) {
        ordinals[i] = count;
        if (insns[i].length == 4 && i + 1 < halfwords)
            ordinals[i + 1] = count;
        i += insns[i].length / 2;
    }
}

void program_enter(const struct chip_program *program, struct hart *hart, u32 number, u64 stack_end)
{
    hart_init(hart, program->entry);
    hart->x[REGISTER_SP] = stack_end;
    hart->x[REGISTER_A0] = number;
    hart->x[REGISTER_A0 + 1] = program->harts;
    hart->x[REGISTER_A0 + 2] = program->arguments;
    program_enter_warp(hart, 1, 0);
}

void program_enter_warp(struct hart *hart, u32 width, u32 lane)
{
    hart->x[REGISTER_A0 + 3] = width;
    hart->x[REGISTER_A0 + 4] = lane;
}

/* ---- The console ---- */

#define CONSOLE_BYTES 4096

static bool console_init(struct program_console *console, struct unit *unit,
                         struct ogv_error *error)
{
    u64 burst = WINDOW_MAX * unit->clock.times / unit->clock.per + 1;
    u64 room = max_u64(CONSOLE_BYTES, 2 * burst);
    if (room > UINT32_MAX)
        return unit_refuse(error, "has a clock that is too fast for the chip's");
    console->room = (u32)room;
    console->call_at = (u32)(room - burst);
    console->bytes = unit_alloc_aside(unit, room, 1, error);
    return console->bytes;
}

static void console_put(struct program_console *console, struct unit *unit, char character)
{
    if (console->length == console->room) {
        console->lost++;
        return;
    }
    console->bytes[console->length++] = character;
    if (console->length >= console->call_at)
        unit_call(unit);
}

void program_console_read(const struct program_console *console, struct text *out)
{
    for (const struct console_part *part = console->first; part; part = part->next)
        text_add_bytes(out, part->bytes, part->length);
    text_add_bytes(out, console->bytes, console->length);
}

/* ---- The output ---- */

bool program_output_init(struct program_output *output, struct unit *unit, struct ogv_error *error)
{
    output->fault.at = NEVER;
    return console_init(&output->console, unit, error);
}

/* Between two windows: empties the buffer if it is time. */
void program_output_attend(struct program_output *output, struct unit *unit)
{
    struct program_console *console = &output->console;
    struct ogv_error ignored;
    if (console->length < console->call_at)
        return;
    struct console_part *part = unit_alloc_aside(unit, sizeof *part + console->length, 1, &ignored);
    if (!part) {
        console->call_at = UINT32_MAX; /* nor will there be room later */
        return;
    }
    part->length = console->length;
    memcpy(part->bytes, console->bytes, console->length);
    *(console->last ? &console->last->next : &console->first) = part;
    console->last = part;
    console->length = 0;
}

enum program_next program_call(struct program_output *output, struct unit *unit,
                               const struct chip_program *program, struct hart *hart)
{
    u64 *arguments = &hart->x[REGISTER_A0];
    unit_effect(unit);
    switch (hart->x[REGISTER_A7]) {
    case CALL_EXIT:
        if (!output->exit_code)
            output->exit_code = arguments[0];
        return PROGRAM_ENDS;
    case CALL_PUTC:
        console_put(&output->console, unit, (char)arguments[0]);
        return PROGRAM_GOES_ON;
    case CALL_IMAGE:
        output->image =
            (struct program_image){ arguments[0], (u32)arguments[1], (u32)arguments[2] };
        return PROGRAM_GOES_ON;
    case CALL_WORLD:
        arguments[0] = program->world;
        return PROGRAM_GOES_ON;
    default:
        return PROGRAM_FAILS;
    }
}

void program_fail(struct program_output *output, struct unit *unit, struct program_fault fault)
{
    if (output->fault.kind == FAULT_NONE)
        output->fault = fault;
    unit_stop(unit);
}
