/* device.c - runs a program for the chip without a machine, as many harts as wanted, and keeps the
 * contract that programs rely on: private memory, argument block, calls to the host, `next` and
 * `barrier`.
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

#include "isa/guest.h"
#include "unit/shipped_customs.h"

#define ARGUMENT_BYTES (64 * KiB)
#define HEAP_BYTES     (64 * MiB)
#define STEPS_MAX      UINT64_C(2000000000)
#define TURN_MAX       64 /* instructions; a power of two */

struct device {
    struct isa *isa;
    struct interp interp; /* its hart is the one whose turn it is */
    struct guest *harts;
    u64 hart_count, running, waiting;
    u64 stack_bytes;
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

/* ---- What harts ask for ---- */

/* The last of those that still run lets all go. */
static void barrier_arrive(struct device *device, struct guest *hart)
{
    hart->waits = true;
    if (++device->waiting < device->running)
        return;
    for (u64 i = 0; i < device->hart_count; i++)
        device->harts[i].waits = false;
    device->waiting = 0;
}

static bool message_answer(struct guest *hart, struct message *message)
{
    struct device *device = hart->context;
    if (message->kind == MESSAGE_NEXT)
        message->data.dword[0] = device->next++;
    else if (message->kind == MESSAGE_BARRIER)
        barrier_arrive(device, hart);
    else
        return false;
    return true;
}

static void print(struct guest *hart, char character)
{
    (void)hart;
    putchar(character);
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

static void harts_start(struct device *device, u64 arguments)
{
    device->harts = calloc(device->hart_count, sizeof *device->harts);
    device->running = device->hart_count;
    for (u64 i = 0; i < device->hart_count; i++) {
        struct guest *hart = &device->harts[i];
        guest_init(hart, &device->interp, (u32)i, (u32)device->hart_count, arguments,
                   device->stack_bytes);
        hart->answer = message_answer;
        hart->print = print;
        hart->context = device;
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
    u64 arguments = (high + 4095) & ~UINT64_C(4095);
    if (!guest_arguments(&device->interp, arguments, ARGUMENT_BYTES, (u32)count,
                         (const char *const *)values))
        fail(device, "arguments too long");
    harts_start(device, arguments);
}

/* ---- Running ---- */

static void turn_run(struct device *device, struct guest *hart, u64 instructions)
{
    if (hart->ended || hart->waits)
        return;
    if (guest_run(hart, instructions) == GUEST_FAILED)
        fail(device, hart->why);
    hart->hart.reservation = NEVER;
    if (hart->image.address)
        device->image = hart->image;
    if (hart->ended) {
        device->running--;
        if (!device->exit_code)
            device->exit_code = (int)hart->exit_code;
    }
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
    u64 lowest = device.stack_bytes;
    for (u64 i = 0; i < device.hart_count; i++)
        lowest = min_u64(lowest, device.harts[i].stack_lowest);
    fprintf(stderr, "%llu instructions, %llu bytes of private memory\n",
            (unsigned long long)device.interp.environment.instret,
            (unsigned long long)(device.stack_bytes - lowest));
    if (path && device.image.address)
        image_write(&device, path);
    for (u64 i = 0; i < device.hart_count; i++)
        guest_fini(&device.harts[i]);
    free(device.harts);
    interp_fini(&device.interp);
    isa_destroy(device.isa);
    return device.exit_code;
}
