/* view.c - threads and memory as a debugger sees them. */
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "debug/debug_private.h"
#include "unit/registry.h"

/* ---- Registers in XML ---- */

static void describe_register(struct text *out, const char *name, u32 number, const char *type)
{
    text_add(out, "<reg name=\"%s\" bitsize=\"64\" regnum=\"%u\" type=\"%s\"/>\n", name, number,
             type);
}

/* $lanes_a0 is a0 in all lanes; a float is in the lower half of a register. */
static void describe_lanes(struct text *out, u32 width)
{
    text_add(out,
             "<union id=\"lane_f\"><field name=\"float\" type=\"ieee_single\"/>"
             "<field name=\"double\" type=\"ieee_double\"/></union>\n"
             "<vector id=\"lanes_x\" type=\"int64\" count=\"%u\"/>\n"
             "<vector id=\"lanes_f\" type=\"lane_f\" count=\"%u\"/>\n",
             width, width);
    for (u32 i = 0; i < TARGET_LANES_COUNT; i++)
        text_add(out,
                 "<reg name=\"lanes_%s\" bitsize=\"%u\" regnum=\"%u\" type=\"lanes_%c\" "
                 "group=\"lanes\"/>\n",
                 i < TARGET_LANES_COUNT - 1 ? isa_register_name(i) : "pc", 64 * width,
                 TARGET_LANES + i, i >= REGISTER_F0 && i < TARGET_LANES_COUNT - 1 ? 'f' : 'x');
}

static void describe_simt(struct text *out, u32 width)
{
    text_add(out, "<feature name=\"org.ogive.warp\">\n");
    describe_register(out, "warp", TARGET_WARP, "uint64");
    describe_register(out, "lane", TARGET_LANE, "uint64");
    describe_register(out, "active", TARGET_ACTIVE, "uint64");
    describe_lanes(out, width);
    text_add(out, "</feature>\n");
}

void view_describe(struct debug *debug)
{
    struct text *out = &debug->description;
    text_add(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                  "<target version=\"1.0\">\n<architecture>riscv:rv64</architecture>\n"
                  "<osabi>none</osabi>\n" /* for Linux, gdb steps with breakpoints of its own */
                  "<feature name=\"org.gnu.gdb.riscv.cpu\">\n");
    for (u32 i = 0; i < 32; i++)
        describe_register(out, isa_register_name(i), i,
                          i == REGISTER_RA   ? "code_ptr"
                          : i == REGISTER_SP ? "data_ptr"
                                             : "int");
    describe_register(out, "pc", TARGET_PC, "code_ptr");
    text_add(out, "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n");
    for (u32 i = 0; i < 32; i++)
        describe_register(out, isa_register_name(REGISTER_F0 + i), TARGET_F0 + i, "ieee_double");
    describe_register(out, "fflags", TARGET_FFLAGS, "int");
    describe_register(out, "frm", TARGET_FRM, "int");
    describe_register(out, "fcsr", TARGET_FCSR, "int");
    text_add(out, "</feature>\n");
    if (debug->threads.width)
        describe_simt(out, debug->threads.width);
    text_add(out, "</target>\n");
}

static const char *target_description(void *context)
{
    return text_get(&((struct debug *)context)->description);
}

/* ---- Threads ---- */

static u32 target_threads(void *context)
{
    return threads_count(&((struct debug *)context)->threads);
}

static bool target_alive(void *context, u32 thread)
{
    struct debug *debug = context;
    return thread < threads_count(&debug->threads) && going_is_alive(debug, thread);
}

static void target_name(void *context, u32 thread, struct text *out)
{
    threads_name(&((struct debug *)context)->threads, thread, out);
}

static void target_state(void *context, u32 thread, struct text *out)
{
    struct debug *debug = context;
    struct debug_view view;
    place_view(threads_place(&debug->threads, thread), &view);
    text_add(out, "%s", view.state ? view.state : "cycle");
    if (view.blamed < CLASS_COUNT)
        text_add(out, " of %s", isa_class_name(view.blamed));
    text_add(out, ", %llu instructions, cycle %llu", (unsigned long long)view.executed,
             (unsigned long long)debug->system->chip->now);
}

/* ---- Registers ---- */

/* Threads of the same warp that stand at the same place. */
static u64 warp_active(const struct thread_place *place, const struct debug_view *view)
{
    u64 mask = 0;
    u32 first = place->number - view->lane, width = place_width(*place);
    for (u32 i = 0; i < width && i < TARGET_LANES_MAX; i++) {
        struct debug_view mate;
        place_view((struct thread_place){ place->unit, first + i }, &mate);
        mask |= (u64)(!mate.ended && mate.pc == view->pc) << i;
    }
    return mask;
}

/* A value of one lane; false: it is still on its way. */
static bool lane_read(struct thread_place place, u32 number, u64 *value)
{
    struct hart hart = { 0 };
    struct debug_view view;
    place_view(place, &view);
    unit_program_role(place.unit)->hart(place.unit, place.number, &hart);
    bool pc = number == TARGET_LANES_COUNT - 1;
    *value = pc ? view.pc : hart.r[number];
    return pc || view.ended || !(view.pending >> number & 1);
}

/* Of a warp that is narrower than others, what is left is 0. */
static bool target_lanes(void *context, u32 thread, u32 number, u64 *values, u32 *count)
{
    struct debug *debug = context;
    struct thread_place place = threads_place(&debug->threads, thread);
    struct debug_view view;
    bool known = true;
    u32 width = (u32)min_u64(place_width(place), TARGET_LANES_MAX);
    place_view(place, &view);
    *count = (u32)min_u64(debug->threads.width, TARGET_LANES_MAX);
    for (u32 i = 0; i < width; i++)
        known = lane_read((struct thread_place){ place.unit, place.number - view.lane + i }, number,
                          &values[i]) &&
                known;
    return known;
}

static void registers_add_warp(struct target_registers *registers, const struct thread_place *place,
                               const struct debug_view *view)
{
    for (u32 i = TARGET_WARP; i < TARGET_REGISTERS; i++)
        registers->known[i] = view->lane != NOBODY;
    if (view->lane == NOBODY)
        return;
    registers->value[TARGET_WARP] = view->warp;
    registers->value[TARGET_LANE] = view->lane;
    registers->value[TARGET_ACTIVE] = warp_active(place, view);
}

static void target_get_registers(void *context, u32 thread, struct target_registers *registers)
{
    struct debug *debug = context;
    struct thread_place place = threads_place(&debug->threads, thread);
    struct hart hart = { 0 };
    struct debug_view view;
    place_view(place, &view);
    if (place.unit)
        unit_program_role(place.unit)->hart(place.unit, place.number, &hart);
    for (u32 i = 0; i < 32; i++) {
        registers->value[i] = hart.x[i];
        registers->value[TARGET_F0 + i] = hart.f[i];
        registers->known[i] = !(view.pending >> i & 1);
        registers->known[TARGET_F0 + i] = !(view.pending >> (REGISTER_F0 + i) & 1);
    }
    registers->value[TARGET_PC] = view.pc;
    registers->value[TARGET_FFLAGS] = hart.fcsr & 31;
    registers->value[TARGET_FRM] = hart.fcsr >> 5;
    registers->value[TARGET_FCSR] = hart.fcsr;
    registers->known[TARGET_PC] = registers->known[TARGET_FFLAGS] = registers->known[TARGET_FRM] =
        registers->known[TARGET_FCSR] = true;
    registers_add_warp(registers, &place, &view);
}

/* ---- Memory ---- */

/* What holds SCRATCH_WINDOW for the threads of a unit; NULL: nothing. */
static struct unit *scratchpad_of(const struct unit *unit)
{
    const struct debug_role *role = unit_program_role(unit)->debug;
    const struct link *link = role && role->scratch ? role->scratch(unit) : NULL;
    return link ? link->reader : NULL;
}

/* Where bytes lie that only this thread, or those that share its scratchpad, can see; NULL: they
 * are in the chip's memory, or nowhere. */
static u8 *near_bytes(struct debug *debug, u32 thread, u64 address, u64 *length)
{
    struct thread_place place = threads_place(&debug->threads, thread);
    struct debug_view view;
    place_view(place, &view);
    if (address - STACK_WINDOW < view.private_bytes) {
        *length = view.private_bytes - (address - STACK_WINDOW);
        return view.private + (address - STACK_WINDOW);
    }
    struct unit *pad =
        place.unit && address - SCRATCH_WINDOW < WINDOW_BYTES ? scratchpad_of(place.unit) : NULL;
    const struct unit_type *type = pad ? registry_type(pad->type) : NULL;
    return type && type->local ? type->local(pad, address - SCRATCH_WINDOW, length) : NULL;
}

/* Stores that units have yet to send; `pad`: of those that are linked to it. */
static void unsent_add(const struct debug *debug, const struct unit *pad, u64 address, u8 *bytes,
                       u64 length)
{
    for (u32 i = 0; i < debug->threads.unit_count; i++) {
        const struct unit *unit = debug->threads.units[i];
        const struct debug_role *role = unit_program_role(unit)->debug;
        if (role && role->unsent && (!pad || scratchpad_of(unit) == pad))
            role->unsent(unit, address, bytes, length);
    }
}

static bool target_read(void *context, u32 thread, u64 address, u8 *bytes, u64 length)
{
    struct debug *debug = context;
    struct ogv_error ignored;
    u64 there = 0;
    const struct unit *pad = NULL;
    const u8 *near = near_bytes(debug, thread, address, &there);
    if (near && there < length)
        return false;
    if (near)
        memcpy(bytes, near, length);
    else if (!debug->threads.unit_count ||
             !host_read(debug->system, address, bytes, length, &ignored))
        return false;
    if (near && address < STACK_WINDOW) {
        pad = scratchpad_of(threads_place(&debug->threads, thread).unit);
        host_add_under_way(pad, address - SCRATCH_WINDOW, bytes, length);
    }
    if (!near || pad)
        unsent_add(debug, pad, address, bytes, length);
    return true;
}

/* ---- Changing things ---- */

bool view_edit(struct debug *debug, const struct edit *edit)
{
    struct thread_place place = threads_place(&debug->threads, edit->thread);
    struct ogv_error ignored;
    u64 there = 0;
    if (edit->number != NOBODY) {
        const struct debug_role *role = place.unit ? unit_program_role(place.unit)->debug : NULL;
        return role && role->set && role->set(place.unit, place.number, edit->number, edit->value);
    }
    u8 *near = near_bytes(debug, edit->thread, edit->address, &there);
    if (!near)
        return host_change(debug->system, edit->address, edit->bytes, edit->length, &ignored);
    if (there < edit->length)
        return false;
    memcpy(near, edit->bytes, edit->length);
    return true;
}

static bool edit_allowed(const struct debug *debug, struct text *why)
{
    if (!debug->options.allow_writes)
        text_add(why, "this run is only looked at; `monitor writes on` allows changes, which its "
                      "results then tell of");
    else if (debug->system->chip->now < debug->newest)
        text_add(why,
                 "the past cannot be changed: this is cycle %llu, and the run has come to %llu",
                 (unsigned long long)debug->system->chip->now, (unsigned long long)debug->newest);
    else
        return true;
    return false;
}

/* Kept, so that replays do it again. A copy of this very cycle was made before. */
static bool edit_make(struct debug *debug, struct edit edit, struct text *why)
{
    edit.at = debug->system->chip->now;
    if (!view_edit(debug, &edit)) {
        text_add(why, edit.number == NOBODY ? "there is no memory there"
                                            : "that register cannot be set now");
        free(edit.bytes);
        return false;
    }
    debug->edits = heap_append(debug->edits, debug->edit_count, sizeof *debug->edits);
    debug->edits[debug->edit_count++] = edit;
    if (debug->options.history_bytes)
        going_keep(debug);
    return true;
}

static bool target_set_register(void *context, u32 thread, u32 number, u64 value, struct text *why)
{
    struct debug *debug = context;
    bool counted = number < TARGET_FFLAGS;
    u32 which = number == TARGET_PC  ? DEBUG_PC
                : number < TARGET_PC ? number
                                     : REGISTER_F0 + (number - TARGET_F0);
    if (!edit_allowed(debug, why))
        return false;
    if (!counted) {
        text_add(why, "that register cannot be set");
        return false;
    }
    return edit_make(debug, (struct edit){ .thread = thread, .number = which, .value = value },
                     why);
}

static bool target_write(void *context, u32 thread, u64 address, const u8 *bytes, u64 length,
                         struct text *why)
{
    struct debug *debug = context;
    if (!edit_allowed(debug, why))
        return false;
    u8 *copy = heap_array(length, 1);
    memcpy(copy, bytes, length);
    return edit_make(debug,
                     (struct edit){ .thread = thread,
                                    .number = NOBODY,
                                    .address = address,
                                    .bytes = copy,
                                    .length = length },
                     why);
}

/* ---- Points ---- */

static bool target_insert(void *context, enum target_point point, u64 address, u64 length)
{
    struct debug *debug = context;
    return debug->threads.unit_count &&
           lookout_insert(&debug->lookout, point, address, length, debug->remote.general);
}

static bool target_remove(void *context, enum target_point point, u64 address, u64 length)
{
    return lookout_remove(&((struct debug *)context)->lookout, point, address, length);
}

void view_target(struct debug *debug)
{
    struct target *target = &debug->target;
    target->context = debug;
    target->description = target_description;
    target->threads = target_threads;
    target->alive = target_alive;
    target->name = target_name;
    target->state = target_state;
    target->registers = target_get_registers;
    target->lanes = target_lanes;
    target->set_register = target_set_register;
    target->read = target_read;
    target->write = target_write;
    target->insert = target_insert;
    target->remove = target_remove;
    target->monitor = monitor_command;
}
