/* program_output.c - what a program has left in the units that run it: words, an exit code, an
 * image, or a fault with all that explains it. */
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "base/path.h"
#include "profile/source_line.h"
#include "run/program.h"
#include "unit/registry.h"

static const struct program_output *output_of(const struct unit *unit)
{
    return registry_type(unit->type)->programs->output(unit);
}

static void add_console(void *context, struct unit *unit)
{
    program_console_read(&output_of(unit)->console, context);
}

void program_console(ogv_system *system, struct text *out)
{
    host_visit(system, unit_runs_programs, add_console, out);
}

static void add_lost(void *context, struct unit *unit)
{
    *(u64 *)context += output_of(unit)->console.lost;
}

u64 program_console_lost(ogv_system *system)
{
    u64 lost = 0;
    host_visit(system, unit_runs_programs, add_lost, &lost);
    return lost;
}

static void find_exit_code(void *context, struct unit *unit)
{
    u64 *code = context;
    if (!*code)
        *code = output_of(unit)->exit_code;
}

u64 program_exit_code(ogv_system *system)
{
    u64 code = 0;
    host_visit(system, unit_runs_programs, find_exit_code, &code);
    return code;
}

static const char *instructions_of(const struct unit_type *type)
{
    return type->programs ? type->programs->instructions : NULL;
}

u64 program_instructions(ogv_system *system)
{
    return system_total(system, instructions_of);
}

/* ---- The image ---- */

static void find_image(void *context, struct unit *unit)
{
    struct program_image *image = context;
    if (!image->address)
        *image = output_of(unit)->image;
}

#define IMAGE_SIDE_MAX 32768

bool program_pixels(ogv_system *system, struct image *picture, struct ogv_error *error)
{
    struct program_image image = { 0 };
    *picture = (struct image){ 0 };
    host_visit(system, unit_runs_programs, find_image, &image);
    if (!image.address)
        return true;
    if (!image.width || !image.height || image.width > IMAGE_SIDE_MAX ||
        image.height > IMAGE_SIDE_MAX)
        return error_user(error, "the program's image of %u x %u pixels has an impossible size",
                          image.width, image.height);
    u64 bytes = (u64)image.width * image.height * 4;
    u8 *pixels = heap_array(bytes, 1);
    if (!host_read(system, image.address, pixels, bytes, error)) {
        free(pixels);
        return false;
    }
    *picture = (struct image){ pixels, image.width, image.height };
    return true;
}

bool program_image(ogv_system *system, const char *path, bool *written, struct ogv_error *error)
{
    struct image image;
    bool good = program_pixels(system, &image, error);
    *written = good && image.pixels &&
               (good = image_write(path, image.pixels, image.width, image.height, error));
    free(image.pixels);
    return good;
}

/* ---- Faults ---- */

struct fault_search {
    const struct unit *unit; /* whose fault is the first; NULL: none yet */
    const struct program_fault *fault;
    u64 hart;  /* that had it */
    u64 harts; /* of the units before */
    char path[256];
};

static void find_fault(void *context, struct unit *unit)
{
    struct fault_search *search = context;
    const struct program_fault *fault = &output_of(unit)->fault;
    if (fault->kind != FAULT_NONE && (!search->unit || fault->at < search->fault->at)) {
        search->unit = unit;
        search->fault = fault;
        search->hart = search->harts + fault->thread;
    }
    search->harts += registry_type(unit->type)->harts(unit);
}

/* The bytes of private memory of a thread; false if the type does not say. */
static bool stack_bytes(const struct unit *unit, unsigned long long *bytes)
{
    const struct unit_type *type = registry_type(unit->type);
    const union param_value *values = (const void *)((const char *)unit + type->params_offset);
    u32 i = 0;
    if (!type->programs->stack)
        return false;
    while (strcmp(type->params[i].name, type->programs->stack))
        i++;
    *bytes = values[i].integer;
    return true;
}

/* With what would give a thread twice the private memory; the copies of a unit are set together. */
static void explain_stack(const struct fault_search *search, struct text *out)
{
    char copies[256];
    unsigned long long bytes;
    path_plain(search->path, "", copies, sizeof copies);
    text_add(out, "stack overflow: access to address 0x%llx, outside the ",
             (unsigned long long)search->fault->address);
    if (stack_bytes(search->unit, &bytes))
        text_add(out, "%llu bytes of private memory; more with --set %s.%s=%lluB", bytes, copies,
                 registry_type(search->unit->type)->programs->stack, 2 * bytes);
    else
        text_add(out, "private memory");
}

static void explain_no_unit(const struct unit *unit, struct text *out)
{
    const char *parameter = registry_type(unit->type)->programs->execute;
    text_add(out, "an instruction of a class for which the core has no unit");
    if (parameter)
        text_add(out, " (parameter `%s` of the core)", parameter);
}

static void explain_fault(const struct fault_search *search, struct text *out)
{
    unsigned long long address = (unsigned long long)search->fault->address;
    switch (search->fault->kind) {
    case FAULT_ILLEGAL:
        text_add(out, "illegal instruction");
        break;
    case FAULT_FETCH:
        text_add(out, "jumped to 0x%llx, where there is no text", address);
        break;
    case FAULT_ACCESS:
        text_add(out, "access to address 0x%llx, where there is no memory", address);
        break;
    case FAULT_MISALIGNED:
        text_add(out, "misaligned access to address 0x%llx across a 32-byte sector", address);
        break;
    case FAULT_STACK:
        explain_stack(search, out);
        break;
    case FAULT_BREAK:
        text_add(out, "ebreak");
        break;
    case FAULT_CALL:
        text_add(out, "ecall number %llu, which the host does not offer", address);
        break;
    default:
        explain_no_unit(search->unit, out);
    }
}

static void explain_registers(const struct unit *unit, u32 thread, struct text *out)
{
    struct hart hart;
    registry_type(unit->type)->programs->hart(unit, thread, &hart);
    for (u32 i = 0; i < 32; i++)
        text_add(out, "%s%-4s %016llx", i % 4 ? "  " : "\n  ", isa_register_name(i),
                 (unsigned long long)hart.x[i]);
}

bool program_fault(ogv_system *system, struct text *out)
{
    struct fault_search search = { 0 };
    host_visit(system, unit_runs_programs, find_fault, &search);
    if (!search.unit)
        return false;
    const struct program *program = system->chip->program;
    const struct program_fault *fault = search.fault;
    char instruction[128] = "";
    plan_path(system->plan, search.unit->number, search.path, sizeof search.path);
    const struct insn *insn = isa_fetch(&program->chip.text, fault->pc);
    if (insn)
        isa_disassemble(isa_shared(), insn, fault->pc, instruction, sizeof instruction);
    text_add(out, "the program failed at cycle %llu: ", (unsigned long long)fault->at);
    explain_fault(&search, out);
    text_add(out, "\n  pc   0x%llx  %s", (unsigned long long)fault->pc, instruction);
    source_line_add(program->file, program->file_bytes, fault->pc, out);
    text_add(out, "\n  in   %s, thread %u (hart %llu)", search.path, fault->thread,
             (unsigned long long)search.hart);
    explain_registers(search.unit, fault->thread, out);
    return true;
}
