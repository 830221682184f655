/* interp.c - one hart that executes an instruction after the other on flat memory. An
 * instruction is a cycle, and a cycle a tick of the clock. */
#include "isa/interp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "isa/plain.h"
#include "ogive/program.h"

#define INTERP_MEMORY_MAX (4 * GiB)

u8 *interp_memory(const struct interp *interp, u64 address, u64 size)
{
    u64 offset = address - interp->base;
    return offset <= interp->size && size <= interp->size - offset ? interp->memory + offset : NULL;
}

/* ---- Making ---- */

/* Of the whole file, which others see or not. */
static bool memory_map(struct interp *interp, int file, int visibility, struct ogv_error *error)
{
    void *memory =
        mmap(NULL, interp->size + 1, PROT_READ | PROT_WRITE, visibility | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        return error_system(error, "cannot get %llu bytes for the program's memory",
                            (unsigned long long)interp->size);
    interp->memory = memory;
    return true;
}

static bool memory_create(struct interp *interp, struct ogv_error *error)
{
    interp->file = memfd_create("ogive-program", MFD_CLOEXEC);
    if (interp->file < 0 || ftruncate(interp->file, (off_t)interp->size + 1))
        return error_system(error, "cannot get %llu bytes for the program's memory",
                            (unsigned long long)interp->size);
    return memory_map(interp, interp->file, MAP_SHARED, error);
}

bool interp_branch(const struct interp *from, struct interp *branch, struct ogv_error *error)
{
    *branch = *from;
    branch->insns = NULL;
    branch->memory = NULL;
    branch->file = -1;
    return memory_map(branch, from->file, MAP_PRIVATE, error);
}

#define BEYOND 2 /* halfwords behind the text, illegal, so that nobody need look where it ends */

static void program_decode(struct interp *interp, const struct isa *isa,
                           const struct elf_image *image)
{
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (image->entry - segment->address >= segment->size_bytes)
            continue;
        u64 skip = segment->address % 2; /* instructions are at even addresses */
        u64 bytes = segment->file_bytes - skip;
        interp->insns = heap_array(bytes / 2 + BEYOND, sizeof *interp->insns);
        isa_predecode(isa, segment->bytes + skip, bytes, interp->insns);
        interp->program = (struct isa_program){ segment->address + skip, bytes / 2, interp->insns };
    }
}

bool interp_init(struct interp *interp, const struct isa *isa, const struct elf_image *image,
                 u64 extra_bytes, struct ogv_error *error)
{
    u64 low, high;
    elf_extent(image, &low, &high);
    if (high - low > INTERP_MEMORY_MAX || extra_bytes > INTERP_MEMORY_MAX)
        return error_user(error, "the program needs %llu bytes of memory",
                          (unsigned long long)(high - low + extra_bytes));
    *interp = (struct interp){ .base = low, .size = high - low + extra_bytes, .file = -1 };
    if (!memory_create(interp, error)) {
        interp_fini(interp);
        return false;
    }
    for (u32 i = 0; i < image->segment_count; i++)
        memcpy(interp_memory(interp, image->segments[i].address, 0), image->segments[i].bytes,
               image->segments[i].file_bytes);
    program_decode(interp, isa, image);
    if (interp->insns)
        interp->plain = plain_text_create(&interp->program, plain_labels());
    hart_init(&interp->hart, image->entry);
    interp->environment.isa = isa;
    return true;
}

void interp_fini(struct interp *interp)
{
    if (interp->insns)
        plain_text_destroy(interp->plain);
    free(interp->insns);
    if (interp->memory)
        munmap(interp->memory, interp->size + 1);
    if (interp->file >= 0)
        close(interp->file);
    *interp = (struct interp){ .file = -1 };
}

/* ---- Memory ---- */

/* Hosts are little-endian, as the simulated machine is. */
static u64 bytes_read(const u8 *bytes, u32 size)
{
    u64 value = 0;
    memcpy(&value, bytes, size);
    return value;
}

static void bytes_write(u8 *bytes, u32 size, u64 value)
{
    memcpy(bytes, &value, size);
}

static void store_conditional(struct interp *interp, const struct insn *insn,
                              const struct isa_access *access, u8 *bytes)
{
    bool holds = interp->hart.reservation == access->address;
    if (holds)
        bytes_write(bytes, access->size_bytes, access->data);
    interp->hart.reservation = NEVER;
    isa_finish(&interp->hart, insn, !holds);
}

static void atomic_execute(struct interp *interp, const struct insn *insn,
                           const struct isa_access *access, u8 *bytes)
{
    u64 old = bytes_read(bytes, access->size_bytes);
    if (access->amo == AMO_SC) {
        store_conditional(interp, insn, access, bytes);
        return;
    }
    if (access->amo == AMO_LR)
        interp->hart.reservation = access->address;
    else
        bytes_write(bytes, access->size_bytes,
                    isa_amo(access->amo, access->size_bytes, old, access->data));
    isa_finish(&interp->hart, insn, old);
}

/* In the hart's own memory, where its owner does atomics. */
static u8 *own_memory(struct interp *interp, const struct isa_access *access)
{
    u64 offset = access->address - STACK_WINDOW;
    if (access->amo || offset >= interp->own_bytes ||
        access->size_bytes > interp->own_bytes - offset)
        return NULL;
    if (access->store)
        interp->own_lowest = min_u64(interp->own_lowest, offset);
    return interp->own + offset;
}

static bool memory_execute(struct interp *interp, const struct insn *insn)
{
    struct isa_access access = isa_access(&interp->hart, insn);
    u8 *bytes = interp_memory(interp, access.address, access.size_bytes);
    if (!bytes)
        bytes = own_memory(interp, &access);
    if (!bytes || (access.amo && access.misaligned)) {
        interp->fault_address = access.address;
        return false;
    }
    if (!access.amo)
        interp_note(interp, access.address, access.size_bytes, access.store);
    if (access.amo)
        atomic_execute(interp, insn, &access, bytes);
    else if (access.store)
        bytes_write(bytes, access.size_bytes, access.data);
    else
        isa_finish(&interp->hart, insn, bytes_read(bytes, access.size_bytes));
    interp->hart.pc += insn->length;
    return true;
}

/* ---- Running ---- */

/* True if the program goes on; else *stop says why not. */
static bool outcome_handle(struct interp *interp, const struct insn *insn, enum isa_outcome outcome,
                           enum interp_stop *stop)
{
    switch (outcome) {
    case ISA_NEXT:
        return true;
    case ISA_MEMORY:
        *stop = INTERP_ACCESS;
        return memory_execute(interp, insn);
    case ISA_FENCE:
    case ISA_FENCE_I:
    case ISA_PAUSE:
        interp->hart.pc += insn->length;
        return true;
    case ISA_MESSAGE:
        *stop = INTERP_MESSAGE;
        return false;
    case ISA_ECALL:
        *stop = INTERP_ECALL;
        return false;
    case ISA_EBREAK:
        *stop = INTERP_EBREAK;
        return false;
    default:
        *stop = INTERP_ILLEGAL;
        return false;
    }
}

/* One instruction per cycle, one cycle per tick of the clock. */
static void time_pass(struct isa_environment *environment, u64 instructions)
{
    environment->cycle += instructions;
    environment->time += instructions;
    environment->instret += instructions;
}

enum interp_stop interp_run(struct interp *interp, u64 limit)
{
    struct isa_environment *environment = &interp->environment;
    enum interp_stop stop = INTERP_LIMIT;
    for (u64 left = limit; left; left--) {
        u64 before = left;
        left = interp_run_plain(interp, left);
        time_pass(environment, before - left);
        if (!left)
            break;
        const struct insn *insn = isa_fetch(&interp->program, interp->hart.pc);
        if (!insn)
            return INTERP_FETCH;
        enum isa_outcome outcome = isa_execute(&interp->hart, insn, environment);
        if (outcome != ISA_NEXT && !outcome_handle(interp, insn, outcome, &stop))
            return stop;
        time_pass(environment, 1);
    }
    return INTERP_LIMIT;
}
