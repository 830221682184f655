/* program.c - see program.h.
 *
 * The text is decoded once, into the arena, and shared by all units that run it. Behind the
 * program's highest address lie 64 KiB for its arguments: argc, argv, a NULL, and the strings. The
 * file itself is kept in the arena too, so that a checkpoint can still name functions. */
#include "run/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "isa/elf.h"
#include "isa/flow.h"
#include "unit/registry.h"

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
    u32 *ordinals = arena_alloc(system->chip->arena, count * sizeof *ordinals, 64);
    u32 *meets = arena_alloc(system->chip->arena, count * sizeof *meets, 64);
    u32 *order = arena_alloc(system->chip->arena, count * sizeof *order, 64);
    u8 *runs = arena_alloc(system->chip->arena, count, 64);
    if (!insns || !hazards || !ordinals || !meets || !order || !runs)
        return program_too_large(error);
    u8 *text = heap_array(bytes, 1);
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->executable)
            memcpy(text + (segment->address - low), segment->bytes, segment->file_bytes);
    }
    isa_predecode(isa_shared(), text, bytes, insns);
    free(text);
    program_hazards(insns, count, hazards);
    program->chip.text = (struct isa_program){ low, count, insns };
    program->chip.hazards = hazards;
    program_count(insns, count, ordinals);
    program->chip.ordinals = ordinals;
    flow_find(&program->chip.text, meets);
    program->chip.meets = meets;
    order_find(&program->chip.text, order);
    program->chip.order = order;
    runs_find(&program->chip.text, runs);
    program->chip.runs = runs;
    return true;
}

/* Constants: the largest segment that is neither written nor executed. */
static void load_constants(const struct elf_image *image, struct chip_program *chip)
{
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->writable || segment->executable || segment->size_bytes <= chip->constant_bytes)
            continue;
        chip->constants = segment->address;
        chip->constant_bytes = segment->size_bytes;
    }
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
    u64 base = program->chip.text.base, count = program->chip.text.count, at = 0;
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
    u64 domains = system->chip->domain_count;
    program->profiles = arena_alloc(system->chip->arena, domains * sizeof *program->profiles, 64);
    return program->profiles || program_too_large(error);
}

/* ---- Starting ---- */

struct starting {
    ogv_system *system;
    struct program *program;
    u32 started; /* harts */
    bool good;
};

static u64 unit_harts(const struct unit *unit)
{
    return registry_type(unit->type)->harts(unit);
}

static void count_harts(void *context, struct unit *unit)
{
    *(u64 *)context += unit_harts(unit);
}

u64 program_harts(ogv_system *system)
{
    u64 harts = 0;
    host_visit(system, unit_runs_programs, count_harts, &harts);
    return harts;
}

/* The one of the unit's domain; made if it is not there yet. NULL without profiling. */
static struct hart_profile *starting_profile(struct starting *starting, const struct unit *unit)
{
    struct program *program = starting->program;
    if (!program->profiles)
        return NULL;
    struct hart_profile **profile = &program->profiles[unit->domain->number];
    if (!*profile)
        *profile = profile_create(starting->system->chip->arena, program->functions,
                                  program->function_count);
    starting->good = starting->good && *profile;
    return *profile;
}

static void start_unit(void *context, struct unit *unit)
{
    struct starting *starting = context;
    registry_type(unit->type)
        ->programs->start(unit, &starting->program->chip, starting->started,
                          starting_profile(starting, unit));
    starting->started += (u32)unit_harts(unit);
}

static bool program_start(ogv_system *system, struct program *program, struct ogv_error *error)
{
    struct starting starting = { .system = system, .program = program, .good = true };
    u64 harts = program_harts(system);
    if (!harts)
        return error_user(error, "%s has no cores that could run a program", system->plan->name);
    program->chip.harts = (u32)harts;
    host_visit(system, unit_runs_programs, start_unit, &starting);
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
    program->chip.entry = image->entry;
    program->chip.memory_bytes = host_memory_bytes(system);
    load_constants(image, &program->chip);
    u64 low, high;
    elf_extent(image, &low, &high);
    program->chip.arguments = (high + ARGUMENTS_PAGE - 1) / ARGUMENTS_PAGE * ARGUMENTS_PAGE;
    if (!load_segments(system, image, error) || !load_text(system, image, program, error) ||
        !load_arguments(system, options, program->chip.arguments, error) ||
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
    return (program->chip.arguments + ARGUMENTS_MAX + heap_bytes + MiB - 1) / MiB * MiB;
}

void program_set_world(ogv_system *system, u64 address)
{
    ((struct program *)system->chip->program)->chip.world = address;
}

u64 program_world(const ogv_system *system)
{
    const struct program *program = system->chip->program;
    return program ? program->chip.world : 0;
}

struct profile *program_profile(ogv_system *system)
{
    const struct program *program = system->chip->program;
    if (!program || !program->profiles)
        return NULL;
    return profile_gather(system, &(struct profile_source){ .text = &program->chip.text,
                                                            .profiles = program->profiles,
                                                            .file = program->file,
                                                            .file_bytes = program->file_bytes });
}
