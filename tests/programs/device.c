/* device.c - runs a program for the chip in the functional interpreter, and keeps the contract that
 * programs rely on: private memory, argument block, calls to the host, `next` and `barrier`.
 *
 *     device ELF [arguments]
 *
 * Harts take turns of a few instructions; a reservation does not outlive a turn. The console goes
 * to stdout, the image as PPM to the file that OGIVE_IMAGE names, the number of harts is
 * OGIVE_HARTS (1), as in native builds. OGIVE_STACK sets the bytes of private memory (1024), and
 * how many of them were used at most is written to stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/interp.h"
#include "unit/core/core.h"
#include "unit/shipped_customs.h"

#define ARGUMENT_BYTES (64 * KiB)
#define HEAP_BYTES     (64 * MiB)
#define STEPS_MAX      UINT64_C(2000000000)
#define TURN_MAX       64 /* instructions; a power of two */

struct device_hart {
    struct hart hart;
    u8 *stack;
    bool ended, waits; /* at a barrier */
};

struct device {
    struct isa *isa;
    struct interp interp; /* its hart is the one whose turn it is */
    u64 arguments;        /* address of the block */
    struct device_hart *harts, *turn;
    u64 hart_count, running, waiting;
    u64 stack_bytes, stack_lowest;
    u64 next;
    struct program_image image;
    int exit_code;
};

static void fail(const struct device *device, const char *why)
{
    u64 fault = device->interp.fault_address;
    fprintf(stderr, "%s; pc 0x%llx, last address 0x%llx\n", why,
            (unsigned long long)device->interp.hart.pc, (unsigned long long)fault);
    exit(2);
}

/* ---- Start ---- */

/* The example of docs/programs.md, for calls.c. */
static u64 popcount(u64 rs1, u64 rs2, u64 rs3, i64 immediate)
{
    (void)rs2, (void)rs3, (void)immediate;
    return (u64)__builtin_popcountll(rs1);
}

static const struct isa_custom popcount_custom = {
    .name = "popcount", .funct3 = 1, .operands = "d,s", .execute = popcount
};

static void arguments_write(struct device *device, int count, char **values)
{
    u64 table = device->arguments, text = table + 8 * ((u64)count + 2);
    u8 *end = interp_memory(&device->interp, table, ARGUMENT_BYTES) + ARGUMENT_BYTES;
    u64 number = (u64)count;
    memcpy(interp_memory(&device->interp, table, 8), &number, 8);
    for (int i = 0; i < count; i++) {
        size_t size = strlen(values[i]) + 1;
        u8 *place = interp_memory(&device->interp, text, size);
        if (!place || place + size > end)
            fail(device, "arguments too long");
        memcpy(place, values[i], size);
        memcpy(interp_memory(&device->interp, table + 8 + 8 * (u64)i, 8), &text, 8);
        text += size;
    }
}

static void harts_start(struct device *device)
{
    device->harts = calloc(device->hart_count, sizeof *device->harts);
    device->running = device->hart_count;
    for (u64 i = 0; i < device->hart_count; i++) {
        struct device_hart *hart = &device->harts[i];
        hart->stack = calloc(1, device->stack_bytes);
        hart->hart = device->interp.hart;
        hart->hart.x[REGISTER_SP] = STACK_WINDOW + device->stack_bytes;
        hart->hart.x[REGISTER_A0] = i;
        hart->hart.x[REGISTER_A0 + 1] = device->hart_count;
        hart->hart.x[REGISTER_A0 + 2] = device->arguments;
    }
}

static void device_start(struct device *device, int count, char **values)
{
    struct elf_image image;
    struct ogv_error error;
    u64 low, high;
    device->isa = isa_create();
    for (u32 i = 0; i < SHIPPED_CUSTOMS; i++)
        if (!isa_add(device->isa, &shipped_customs[i], &error))
            fail(device, error.message);
    if (!isa_add(device->isa, &popcount_custom, &error) || !elf_load(values[0], &image, &error))
        fail(device, error.message);
    elf_extent(&image, &low, &high);
    if (!interp_init(&device->interp, device->isa, &image, HEAP_BYTES, &error))
        fail(device, error.message);
    elf_fini(&image);
    device->arguments = (high + 4095) & ~UINT64_C(4095);
    arguments_write(device, count, values);
    device->stack_lowest = device->stack_bytes;
    harts_start(device);
}

/* ---- What the interpreter leaves to its owner ---- */

static void private_access(struct device *device, const struct insn *insn)
{
    struct hart *hart = &device->interp.hart;
    struct isa_access access = isa_access(hart, insn);
    u64 offset = access.address - STACK_WINDOW, old = 0, new = access.data;
    u8 *bytes = device->turn->stack + offset;
    if (offset >= device->stack_bytes || access.size_bytes > device->stack_bytes - offset)
        fail(device, "access outside memory");
    device->stack_lowest = min_u64(device->stack_lowest, offset);
    memcpy(&old, bytes, access.size_bytes);
    if (access.amo && access.amo != AMO_LR && access.amo != AMO_SC)
        new = isa_amo(access.amo, access.size_bytes, old, access.data);
    if (access.store || (access.amo && access.amo != AMO_LR))
        memcpy(bytes, &new, access.size_bytes);
    if (access.amo || !access.store)
        isa_finish(hart, insn, access.amo == AMO_SC ? 0 : old);
}

/* The last of those that still run lets all go. */
static void barrier_arrive(struct device *device)
{
    device->turn->waits = true;
    if (++device->waiting < device->running)
        return;
    for (u64 i = 0; i < device->hart_count; i++)
        device->harts[i].waits = false;
    device->waiting = 0;
}

static void message_answer(struct device *device, const struct insn *insn)
{
    u32 message = isa_custom(device->isa, insn)->message;
    u64 values[ISA_BLOCK_MAX] = { 0 };
    if (message == MESSAGE_NEXT)
        values[0] = device->next++;
    else if (message == MESSAGE_BARRIER)
        barrier_arrive(device);
    else
        fail(device, "no unit for this instruction");
    isa_results(&device->interp.hart, insn, values);
}

static void call_answer(struct device *device)
{
    const u64 *x = device->interp.hart.x;
    switch (x[REGISTER_A7]) {
    case CALL_EXIT:
        if (!device->exit_code)
            device->exit_code = (int)x[REGISTER_A0];
        device->turn->ended = true;
        device->running--;
        break;
    case CALL_PUTC:
        putchar((int)(x[REGISTER_A0] & 255));
        break;
    case CALL_IMAGE:
        device->image = (struct program_image){ x[REGISTER_A0], (u32)x[REGISTER_A0 + 1],
                                                (u32)x[REGISTER_A0 + 2] };
        break;
    case CALL_WORLD:
        device->interp.hart.x[REGISTER_A0] = 0;
        break;
    default:
        fail(device, "no such call");
    }
}

/* Moves on past what the interpreter stopped at. */
static void stop_handle(struct device *device, enum interp_stop stop)
{
    struct hart *hart = &device->interp.hart;
    const struct insn *insn = isa_fetch(&device->interp.program, hart->pc);
    switch (stop) {
    case INTERP_ACCESS:
        private_access(device, insn);
        break;
    case INTERP_MESSAGE:
        message_answer(device, insn);
        break;
    case INTERP_ECALL:
        call_answer(device);
        break;
    case INTERP_LIMIT:
        return;
    default:
        fail(device, stop == INTERP_FETCH ? "left the text" : "illegal instruction or ebreak");
    }
    hart->pc += insn->length;
    device->interp.environment.instret++;
    device->interp.environment.cycle++;
}

static void turn_run(struct device *device, struct device_hart *hart, u64 instructions)
{
    struct isa_environment *environment = &device->interp.environment;
    u64 end = environment->instret + instructions;
    device->turn = hart;
    device->interp.hart = hart->hart;
    while (!hart->ended && !hart->waits && environment->instret < end)
        stop_handle(device, interp_run(&device->interp, end - environment->instret));
    hart->hart = device->interp.hart;
    hart->hart.reservation = NEVER;
}

static void device_run(struct device *device)
{
    u64 random = 1;
    while (device->running) {
        for (u64 i = 0; i < device->hart_count; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            turn_run(device, &device->harts[i], 1 + (random >> 40) % TURN_MAX);
        }
        if (device->interp.environment.instret > STEPS_MAX)
            fail(device, "does not end");
    }
}

/* ---- End ---- */

static void image_write(const struct device *device, const char *path)
{
    u64 count = (u64)device->image.width * device->image.height;
    const u8 *pixels = interp_memory(&device->interp, device->image.address, 4 * count);
    FILE *file = fopen(path, "wb");
    if (!file || !pixels)
        fail(device, "no image, or no file for it");
    fprintf(file, "P6\n%u %u\n255\n", device->image.width, device->image.height);
    for (u64 i = 0; i < count; i++)
        fwrite(pixels + 4 * i, 1, 3, file);
    fclose(file);
}

static u64 setting(const char *name, u64 otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const char *path = getenv("OGIVE_IMAGE");
    struct device device = { .stack_bytes = setting("OGIVE_STACK", 1 * KiB),
                             .hart_count = setting("OGIVE_HARTS", 1) };
    if (argc < 2) {
        fprintf(stderr, "usage: device ELF [arguments]\n");
        return 2;
    }
    device_start(&device, argc - 1, argv + 1);
    device_run(&device);
    fflush(stdout);
    fprintf(stderr, "%llu instructions, %llu bytes of private memory\n",
            (unsigned long long)device.interp.environment.instret,
            (unsigned long long)(device.stack_bytes - device.stack_lowest));
    if (path && device.image.address)
        image_write(&device, path);
    for (u64 i = 0; i < device.hart_count; i++)
        free(device.harts[i].stack);
    free(device.harts);
    interp_fini(&device.interp);
    isa_destroy(device.isa);
    return device.exit_code;
}
