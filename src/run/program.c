/* program.c - see program.h.
 *
 * The text is decoded once, into the arena, and shared by all cores. Behind the program's highest
 * address lie 64 KiB for its arguments: argc, argv, a NULL, and the strings. The file itself is
 * kept in the arena too, so that a checkpoint can still name functions. */
#include "run/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "isa/elf.h"
#include "run/source_line.h"

#define TEXT_MAX       (64 * MiB)
#define ARGUMENTS_MAX  (64 * KiB)
#define ARGUMENTS_PAGE (4 * KiB)

bool program_present(const ogv_system *system)
{
    return system->chip->program;
}

static bool program_too_large(struct ogv_error *error)
{
    return error_user(error, "the program is too large for the state of this chip");
}

/* ---- Loading ---- */

static bool load_segments(ogv_system *system, const struct elf_image *image,
                          struct ogv_error *error)
{
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        u8 *zeros = heap_array(segment->size_bytes ? segment->size_bytes : 1, 1);
        memcpy(zeros, segment->bytes, segment->file_bytes);
        bool good = host_write(system, segment->address, zeros, segment->size_bytes, error);
        free(zeros);
        if (!good)
            return false;
    }
    return true;
}

/* All executable segments as one stretch of text; what lies between is illegal. */
static bool load_text(ogv_system *system, const struct elf_image *image, struct program *program,
                      struct ogv_error *error)
{
    u64 low = UINT64_MAX, high = 0;
    for (u32 i = 0; i < image->segment_count; i++) {
        if (!image->segments[i].executable)
            continue;
        low = min_u64(low, image->segments[i].address);
        high = max_u64(high, image->segments[i].address + image->segments[i].size_bytes);
    }
    if (low >= high || high - low > TEXT_MAX)
        return error_user(error, "the program's text is %llu bytes long, at most %llu are possible",
                          (unsigned long long)(high - low), (unsigned long long)TEXT_MAX);
    u64 bytes = high - low, count = bytes / 2;
    struct insn *insns = arena_alloc(system->chip->arena, count * sizeof *insns, 64);
    u64 *hazards = arena_alloc(system->chip->arena, count * sizeof *hazards, 64);
    if (!insns || !hazards)
        return program_too_large(error);
    u8 *text = heap_array(bytes, 1);
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->executable)
            memcpy(text + (segment->address - low), segment->bytes, segment->file_bytes);
    }
    isa_predecode(core_isa(), text, bytes, insns);
    free(text);
    for (u64 i = 0; i < count; i++)
        hazards[i] = isa_reads(&insns[i]) | isa_writes(&insns[i]);
    program->core.text = (struct isa_program){ low, count, insns };
    program->core.hazards = hazards;
    return true;
}

/* argv[0]: the name without its folder and ending, so that nothing of where files lie on the host
 * gets into simulated memory, where it would move what lies behind it. */
static char *program_title(const struct program_options *options)
{
    const char *name = options->name ? options->name : options->file;
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    return text_format("%.*s", (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)),
                       base);
}

/* argc, argv[], NULL, strings. */
static bool load_arguments(ogv_system *system, const struct program_options *options, u64 address,
                           struct ogv_error *error)
{
    u64 count = options->argument_count + 1, used = (count + 2) * sizeof(u64);
    u8 *block = heap_array(1, ARGUMENTS_MAX);
    u64 *words = (u64 *)(void *)block;
    char *title = program_title(options);
    bool fits = used < ARGUMENTS_MAX;
    words[0] = count;
    for (u64 i = 0; i < count && fits; i++) {
        const char *text = i ? options->arguments[i - 1] : title;
        size_t length = strlen(text) + 1;
        fits = length <= ARGUMENTS_MAX - used;
        if (!fits)
            break;
        words[1 + i] = address + used;
        memcpy(block + used, text, length);
        used += length;
    }
    bool good = fits ? host_write(system, address, block, used, error)
                     : error_user(error, "the program's arguments are longer than %llu KiB",
                                  (unsigned long long)(ARGUMENTS_MAX / KiB));
    free(title);
    free(block);
    return good;
}

/* ---- Profiling ---- */

struct cuts {
    struct profile_function *items;
    u32 count;
};

static void cuts_add(struct cuts *cuts, u64 from, u64 to)
{
    if (from < to)
        cuts->items[cuts->count++] = (struct profile_function){ (u32)from, (u32)(to - from) };
}

/* The text cut into functions, and what lies between them. A symbol without a size reaches to the
 * next one. */
static bool load_functions(ogv_system *system, const struct elf_image *image,
                           struct program *program, struct ogv_error *error)
{
    u64 base = program->core.text.base, count = program->core.text.count, at = 0;
    struct cuts cuts = { .items = arena_alloc(
                             system->chip->arena,
                             (2 * (u64)image->symbol_count + 1) * sizeof *cuts.items, 64) };
    if (!cuts.items)
        return program_too_large(error);
    for (u32 i = 0; i < image->symbol_count; i++) {
        const struct elf_symbol *symbol = &image->symbols[i];
        u64 first = (symbol->address - base) / 2;
        u64 next = i + 1 < image->symbol_count ? (symbol[1].address - base) / 2 : count;
        u64 end = symbol->size_bytes ? first + (symbol->size_bytes + 1) / 2 : next;
        if (symbol->address < base || first < at || first >= count)
            continue;
        cuts_add(&cuts, at, first);
        at = min_u64(max_u64(first, end), min_u64(max_u64(next, first), count));
        cuts_add(&cuts, first, at);
    }
    cuts_add(&cuts, at, count);
    program->functions = cuts.items;
    program->function_count = cuts.count;
    return true;
}

/* ---- Starting ---- */

struct starting {
    ogv_system *system;
    const struct program *program;
    const struct domain *domain; /* of the core before */
    struct core_profile *profile;
    u32 harts, started;
    bool good;
};

static void count_harts(void *context, struct unit *unit)
{
    ((struct starting *)context)->harts += (u32)((struct core *)unit)->p.threads;
}

/* Cores of a domain stand together, so its first one makes the profile. */
static void start_core(void *context, struct unit *unit)
{
    struct starting *starting = context;
    const struct program *program = starting->program;
    if (program->functions && unit->domain != starting->domain) {
        starting->profile = profile_create(starting->system->chip->arena, program->functions,
                                           program->function_count);
        starting->good = starting->good && starting->profile;
    }
    starting->domain = unit->domain;
    core_start(unit, &program->core, starting->started, starting->profile);
    starting->started += (u32)((struct core *)unit)->p.threads;
}

static bool program_start(ogv_system *system, struct program *program, struct ogv_error *error)
{
    struct starting starting = { .system = system, .program = program, .good = true };
    host_units(system, "core", count_harts, &starting);
    if (!starting.harts)
        return error_user(error, "%s has no cores that could run a program", system->plan->name);
    program->core.harts = starting.harts;
    host_units(system, "core", start_core, &starting);
    return starting.good ||
           error_user(error, "the program is too large to be profiled on %s", system->plan->name);
}

static bool program_place(ogv_system *system, const struct program_options *options,
                          const struct elf_image *image, struct ogv_error *error)
{
    struct program *program = arena_alloc(system->chip->arena, sizeof *program, 64);
    u8 *file = program ? arena_alloc(system->chip->arena, image->size_bytes, 64) : NULL;
    if (!file)
        return program_too_large(error);
    memcpy(file, image->bytes, image->size_bytes);
    program->file = file;
    program->file_bytes = image->size_bytes;
    program->core.entry = image->entry;
    u64 low, high;
    elf_extent(image, &low, &high);
    program->core.arguments = (high + ARGUMENTS_PAGE - 1) / ARGUMENTS_PAGE * ARGUMENTS_PAGE;
    if (!load_segments(system, image, error) || !load_text(system, image, program, error) ||
        !load_arguments(system, options, program->core.arguments, error) ||
        (options->profile && !load_functions(system, image, program, error)))
        return false;
    system->chip->program = program;
    return program_start(system, program, error);
}

bool program_load(ogv_system *system, const struct program_options *options,
                  struct ogv_error *error)
{
    struct elf_image image;
    if (!elf_load(options->file, &image, error))
        return false;
    bool good = program_place(system, options, &image, error);
    elf_fini(&image);
    return good;
}

u64 program_end(const ogv_system *system, u64 heap_bytes)
{
    const struct program *program = system->chip->program;
    return (program->core.arguments + ARGUMENTS_MAX + heap_bytes + MiB - 1) / MiB * MiB;
}

void program_set_world(ogv_system *system, u64 address)
{
    ((struct program *)system->chip->program)->core.world = address;
}

u64 program_world(const ogv_system *system)
{
    const struct program *program = system->chip->program;
    return program ? program->core.world : 0;
}

/* ---- What it left ---- */

static void add_console(void *context, struct unit *unit)
{
    console_read(&((const struct core *)unit)->console, context);
}

void program_console(ogv_system *system, struct text *out)
{
    host_units(system, "core", add_console, out);
}

static void add_lost(void *context, struct unit *unit)
{
    *(u64 *)context += ((const struct core *)unit)->console.lost;
}

u64 program_console_lost(ogv_system *system)
{
    u64 lost = 0;
    host_units(system, "core", add_lost, &lost);
    return lost;
}

static void find_exit_code(void *context, struct unit *unit)
{
    u64 *code = context;
    if (!*code)
        *code = ((struct core *)unit)->exit_code;
}

u64 program_exit_code(ogv_system *system)
{
    u64 code = 0;
    host_units(system, "core", find_exit_code, &code);
    return code;
}

static void find_image(void *context, struct unit *unit)
{
    struct core_image *image = context;
    if (!image->address)
        *image = ((struct core *)unit)->image;
}

#define IMAGE_SIDE_MAX 32768

bool program_pixels(ogv_system *system, struct image *picture, struct ogv_error *error)
{
    struct core_image image = { 0 };
    *picture = (struct image){ 0 };
    host_units(system, "core", find_image, &image);
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
    const struct core *core;
};

static void find_fault(void *context, struct unit *unit)
{
    struct fault_search *search = context;
    const struct core *core = (const struct core *)unit;
    bool first = core->fault.kind != FAULT_NONE &&
                 (!search->core || core->fault.at < search->core->fault.at);
    if (first)
        search->core = core;
}

/* With what would give a thread twice the private memory; the copies of a unit are set together. */
static void explain_stack(const struct core *core, const char *path, struct text *out)
{
    char copies[256];
    unsigned long long bytes = core->p.stack;
    path_plain(path, "", copies, sizeof copies);
    text_add(
        out,
        "stack overflow: access to address 0x%llx, outside the %llu bytes of private memory; more "
        "with --set ",
        (unsigned long long)core->fault.address, bytes);
    text_add(out, "%s.stack=%lluB", copies, 2 * bytes);
}

static void explain_fault(const struct core *core, const char *path, struct text *out)
{
    const struct core_fault *fault = &core->fault;
    unsigned long long address = (unsigned long long)fault->address;
    switch (fault->kind) {
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
        explain_stack(core, path, out);
        break;
    case FAULT_BREAK:
        text_add(out, "ebreak");
        break;
    case FAULT_CALL:
        text_add(out, "ecall number %llu, which the host does not offer", address);
        break;
    default:
        text_add(out, "an instruction of a class for which the core has no unit (parameter "
                      "`execute` of the core)");
    }
}

static void explain_registers(const struct hart *hart, struct text *out)
{
    for (u32 i = 0; i < 32; i++)
        text_add(out, "%s%-4s %016llx", i % 4 ? "  " : "\n  ", isa_register_name(i),
                 (unsigned long long)hart->x[i]);
}

bool program_fault(ogv_system *system, struct text *out)
{
    struct fault_search search = { NULL };
    host_units(system, "core", find_fault, &search);
    if (!search.core)
        return false;
    const struct core *core = search.core;
    const struct program *program = system->chip->program;
    char path[256], instruction[128] = "";
    plan_path(system->plan, core->base.number, path, sizeof path);
    const struct core_fault *fault = &core->fault;
    const struct insn *insn = isa_fetch(&program->core.text, fault->pc);
    if (insn)
        isa_disassemble(core_isa(), insn, fault->pc, instruction, sizeof instruction);
    text_add(out, "the program failed at cycle %llu: ", (unsigned long long)fault->at);
    explain_fault(core, path, out);
    text_add(out, "\n  pc   0x%llx  %s", (unsigned long long)fault->pc, instruction);
    source_line_add(program->file, program->file_bytes, fault->pc, out);
    text_add(out, "\n  in   %s, thread %u (hart %u)", path, fault->thread,
             core->first_hart + fault->thread);
    explain_registers(&core->threads[fault->thread].hart, out);
    return true;
}
