/* guest.c - see guest.h. */
#include "isa/guest.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void guest_init(struct guest *guest, struct interp *interp, u32 number, u32 harts, u64 arguments,
                u64 stack_bytes)
{
    *guest = (struct guest){ .interp = interp,
                             .stack = heap_array(stack_bytes, 1),
                             .stack_bytes = stack_bytes,
                             .stack_lowest = stack_bytes };
    guest->hart = interp->hart;
    guest->hart.x[REGISTER_SP] = STACK_WINDOW + stack_bytes;
    guest->hart.x[REGISTER_A0] = number;
    guest->hart.x[REGISTER_A0 + 1] = harts;
    guest->hart.x[REGISTER_A0 + 2] = arguments;
}

void guest_fini(struct guest *guest)
{
    free(guest->stack);
    guest->stack = NULL;
}

bool guest_arguments(struct interp *interp, u64 address, u64 room, u32 count,
                     const char *const *values)
{
    u64 used = 8 * ((u64)count + 2), number = count;
    u8 *block = interp_memory(interp, address, room);
    if (!block || used > room)
        return false;
    memcpy(block, &number, sizeof number);
    for (u32 i = 0; i < count; i++) {
        size_t length = strlen(values[i]) + 1;
        u64 at = address + used;
        if (length > room - used)
            return false;
        memcpy(block + 8 + 8 * (u64)i, &at, sizeof at);
        memcpy(block + used, values[i], length);
        used += length;
    }
    return true;
}

/* ---- What the interpreter leaves to its owner ---- */

static bool guest_fail(struct guest *guest, const char *why)
{
    guest->why = why;
    return false;
}

static bool private_access(struct guest *guest, const struct insn *insn)
{
    struct hart *hart = &guest->interp->hart;
    struct isa_access access = isa_access(hart, insn);
    u64 offset = access.address - STACK_WINDOW, old = 0, new = access.data;
    if (offset >= guest->stack_bytes || access.size_bytes > guest->stack_bytes - offset)
        return guest_fail(guest, "access outside memory");
    u8 *bytes = guest->stack + offset;
    guest->stack_lowest = min_u64(guest->stack_lowest, offset);
    memcpy(&old, bytes, access.size_bytes);
    if (access.amo && access.amo != AMO_LR && access.amo != AMO_SC)
        new = isa_amo(access.amo, access.size_bytes, old, access.data);
    if (access.store || (access.amo && access.amo != AMO_LR))
        memcpy(bytes, &new, access.size_bytes);
    if (access.amo || !access.store)
        isa_finish(hart, insn, access.amo == AMO_SC ? 0 : old);
    return true;
}

static bool message_answer(struct guest *guest, const struct insn *insn)
{
    struct message message;
    struct hart *hart = &guest->interp->hart;
    isa_message(guest->interp->environment.isa, hart, insn, &message);
    if (!guest->answer(guest, &message))
        return guest_fail(guest, "no unit for this instruction");
    isa_answer(hart, insn, &message);
    return true;
}

static bool call_answer(struct guest *guest)
{
    u64 *x = guest->interp->hart.x;
    switch (x[REGISTER_A7]) {
    case CALL_EXIT:
        guest->exit_code = x[REGISTER_A0];
        guest->ended = true;
        return true;
    case CALL_PUTC:
        if (guest->print)
            guest->print(guest, (char)(x[REGISTER_A0] & 255));
        return true;
    case CALL_IMAGE:
        guest->image = (struct program_image){ x[REGISTER_A0], (u32)x[REGISTER_A0 + 1],
                                               (u32)x[REGISTER_A0 + 2] };
        return true;
    case CALL_WORLD:
        x[REGISTER_A0] = guest->world;
        return true;
    default:
        return guest_fail(guest, "no such call");
    }
}

/* Moves on past what the interpreter stopped at. */
static bool stop_handle(struct guest *guest, enum interp_stop stop)
{
    struct hart *hart = &guest->interp->hart;
    const struct insn *insn = isa_fetch(&guest->interp->program, hart->pc);
    bool good = false;
    if (stop == INTERP_ACCESS)
        good = private_access(guest, insn);
    else if (stop == INTERP_MESSAGE)
        good = message_answer(guest, insn);
    else if (stop == INTERP_ECALL)
        good = call_answer(guest);
    else
        guest_fail(guest, stop == INTERP_FETCH ? "left the text" : "illegal instruction or ebreak");
    if (!good)
        return false;
    hart->pc += insn->length;
    guest->interp->environment.instret++;
    guest->interp->environment.cycle++;
    guest->instructions++;
    return true;
}

enum guest_stop guest_run(struct guest *guest, u64 limit)
{
    struct interp *interp = guest->interp;
    u64 end = guest->instructions + limit;
    bool good = true;
    interp->hart = guest->hart;
    interp->own = guest->stack;
    interp->own_bytes = guest->stack_bytes;
    interp->own_lowest = guest->stack_lowest;
    while (good && !guest->ended && !guest->waits && guest->instructions < end) {
        u64 before = interp->environment.instret;
        enum interp_stop stop = interp_run(interp, end - guest->instructions);
        guest->instructions += interp->environment.instret - before;
        good = stop == INTERP_LIMIT || stop_handle(guest, stop);
    }
    guest->hart = interp->hart;
    guest->stack_lowest = min_u64(guest->stack_lowest, interp->own_lowest);
    interp->own_bytes = 0;
    if (!good)
        return GUEST_FAILED;
    return guest->ended ? GUEST_ENDED : guest->waits ? GUEST_WAITS : GUEST_LIMIT;
}
