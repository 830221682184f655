/* device.c - runs a program for the chip as its only hart, in the functional interpreter, and keeps
 * the contract that programs rely on: private memory, argument block, calls to the host, `next` and
 * `barrier`.
 *
 *     device ELF [arguments]
 *
 * The console goes to stdout, the image as PPM to the file that OGIVE_IMAGE names, as in native
 * builds. OGIVE_STACK sets the bytes of private memory (1024), and how many of them were used is
 * written to stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/interp.h"
#include "unit/core.h"
#include "unit/standard.h"

#define ARGUMENT_BYTES (64 * KiB)
#define HEAP_BYTES     (64 * MiB)
#define STEPS_MAX      UINT64_C(2000000000)

enum { REGISTER_SP = 2, REGISTER_A0 = 10, REGISTER_A7 = 17 };

struct device {
    struct isa *isa;
    struct interp interp;
    u64 arguments; /* address of the block */
    u8 *stack;
    u64 stack_bytes, stack_lowest;
    u64 next;
    struct core_image image;
    int exit_code;
};

static void fail(const struct device *device, const char *why)
{
    fprintf(stderr, "%s at pc 0x%llx, address 0x%llx\n", why,
            (unsigned long long)device->interp.hart.pc,
            (unsigned long long)device->interp.fault_address);
    exit(2);
}

/* ---- Start ---- */

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

static void device_start(struct device *device, int count, char **values)
{
    struct elf_image image;
    struct ogv_error error;
    u64 low, high;
    device->isa = isa_create();
    for (u32 i = 0; i < STANDARD_CUSTOMS; i++)
        if (!isa_add(device->isa, &standard_customs[i], &error))
            fail(device, error.message);
    if (!elf_load(values[0], &image, &error))
        fail(device, error.message);
    elf_extent(&image, &low, &high);
    if (!interp_init(&device->interp, device->isa, &image, HEAP_BYTES, &error))
        fail(device, error.message);
    elf_fini(&image);
    device->arguments = (high + 4095) & ~UINT64_C(4095);
    arguments_write(device, count, values);
    device->stack_lowest = device->stack_bytes;
    device->stack = calloc(1, device->stack_bytes);
    u64 *x = device->interp.hart.x;
    x[REGISTER_SP] = STACK_WINDOW + device->stack_bytes;
    x[REGISTER_A0] = 0;
    x[REGISTER_A0 + 1] = 1;
    x[REGISTER_A0 + 2] = device->arguments;
}

/* ---- What the interpreter leaves to its owner ---- */

static void private_access(struct device *device, const struct insn *insn)
{
    struct hart *hart = &device->interp.hart;
    struct isa_access access = isa_access(hart, insn);
    u64 offset = access.address - STACK_WINDOW;
    if (offset >= device->stack_bytes || access.size_bytes > device->stack_bytes - offset)
        fail(device, "access outside memory");
    if (access.amo)
        fail(device, "atomic in private memory");
    device->stack_lowest = min_u64(device->stack_lowest, offset);
    u64 value = 0;
    if (access.store) {
        memcpy(device->stack + offset, &access.data, access.size_bytes);
    } else {
        memcpy(&value, device->stack + offset, access.size_bytes);
        isa_finish(hart, insn, value);
    }
}

static void message_answer(struct device *device, const struct insn *insn)
{
    u32 message = isa_custom(device->isa, insn)->message;
    u64 values[ISA_BLOCK_MAX] = { 0 };
    if (message == MESSAGE_NEXT)
        values[0] = device->next++;
    else if (message != MESSAGE_BARRIER)
        fail(device, "no unit for this instruction");
    isa_results(&device->interp.hart, insn, values);
}

/* False if the hart has ended. */
static bool call_answer(struct device *device)
{
    const u64 *x = device->interp.hart.x;
    switch (x[REGISTER_A7]) {
    case CALL_EXIT:
        device->exit_code = (int)x[REGISTER_A0];
        return false;
    case CALL_PUTC:
        putchar((int)(x[REGISTER_A0] & 255));
        return true;
    case CALL_IMAGE:
        device->image =
            (struct core_image){ x[REGISTER_A0], (u32)x[REGISTER_A0 + 1], (u32)x[REGISTER_A0 + 2] };
        return true;
    default:
        fail(device, "no such call");
        return false;
    }
}

/* Moves on past what the interpreter stopped at; false if the hart has ended. */
static bool stop_handle(struct device *device, enum interp_stop stop)
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
        if (!call_answer(device))
            return false;
        break;
    case INTERP_LIMIT:
        fail(device, "does not end");
        break;
    default:
        fail(device, stop == INTERP_FETCH ? "left the text" : "illegal instruction or ebreak");
    }
    hart->pc += insn->length;
    device->interp.environment.instret++;
    device->interp.environment.cycle++;
    return true;
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

int main(int argc, char **argv)
{
    const char *stack = getenv("OGIVE_STACK"), *path = getenv("OGIVE_IMAGE");
    struct device device = { .stack_bytes = stack ? strtoull(stack, NULL, 10) : 1 * KiB };
    if (argc < 2) {
        fprintf(stderr, "usage: device ELF [arguments]\n");
        return 2;
    }
    device_start(&device, argc - 1, argv + 1);
    while (stop_handle(&device, interp_run(&device.interp, STEPS_MAX)))
        ;
    fflush(stdout);
    fprintf(stderr, "%llu instructions, %llu bytes of private memory\n",
            (unsigned long long)device.interp.environment.instret + 1,
            (unsigned long long)(device.stack_bytes - device.stack_lowest));
    if (path && device.image.address)
        image_write(&device, path);
    free(device.stack);
    interp_fini(&device.interp);
    isa_destroy(device.isa);
    return device.exit_code;
}
