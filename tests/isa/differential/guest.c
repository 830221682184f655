/* guest.c - puts guests together, instruction by instruction, and runs the same file under qemu
 * and on the interpreter. */
#include "guest.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { A0 = 10, A7 = 17 };
enum { CALL_WRITE = 64, CALL_EXIT = 93 };

static const u32 codes[OP_COUNT] = {
#define INSN(op, text, format, class, code, action) [OP_##op] = (code),
#include "ogive/isa_insn.def"
};

u32 code_of(enum isa_op op)
{
    return codes[op];
}

void guest_init(struct guest *guest, u64 results_bytes)
{
    *guest = (struct guest){ .results_bytes = results_bytes };
}

void guest_fini(struct guest *guest)
{
    free(guest->text);
}

u64 *guest_pool(struct guest *guest)
{
    return (u64 *)(void *)(guest->data + (GUEST_POOL - GUEST_DATA));
}

u8 *guest_scratch(struct guest *guest)
{
    return guest->data + (GUEST_SCRATCH - GUEST_DATA);
}

u32 guest_here(const struct guest *guest)
{
    return GUEST_TEXT + guest->text_bytes;
}

static void bits_write(u8 *to, u32 bits)
{
    for (u32 i = 0; i < isa_length((u16)bits); i++)
        to[i] = (u8)(bits >> 8 * i);
}

void guest_emit(struct guest *guest, u32 bits)
{
    if (guest->text_bytes + 4 > guest->text_capacity) {
        guest->text_capacity = guest->text_capacity * 2 + 4096;
        guest->text = heap_grow(guest->text, guest->text_capacity, 1);
    }
    bits_write(guest->text + guest->text_bytes, bits);
    guest->text_bytes += isa_length((u16)bits);
}

void guest_patch(struct guest *guest, u32 at, u32 bits)
{
    bits_write(guest->text + (at - GUEST_TEXT), bits);
}

void guest_emit_constant(struct guest *guest, u32 rd, u32 value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    guest_emit(guest, encode_u(code_of(OP_lui), rd, (int32_t)((value - (u32)low) >> 12)));
    guest_emit(guest, encode_i(code_of(OP_addiw), rd, rd, low));
}

void guest_emit_call(struct guest *guest, u32 number)
{
    guest_emit(guest, encode_i(code_of(OP_addi), A7, 0, (int32_t)number));
    guest_emit(guest, code_of(OP_ecall));
}

void guest_emit_exit(struct guest *guest)
{
    guest_emit(guest, encode_i(code_of(OP_addi), A0, 0, 0));
    guest_emit_call(guest, CALL_EXIT);
}

/* ---- The file ---- */

struct file {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
};

/* File offsets are congruent to addresses modulo the page size, as a real loader wants it. */
static u8 *guest_file(const struct guest *guest, size_t *size)
{
    u64 text_offset = 4096;
    u64 data_offset = text_offset + (guest->text_bytes + 4095) / 4096 * 4096;
    struct file head = {
        .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                    .e_type = ET_EXEC,
                    .e_machine = EM_RISCV,
                    .e_version = EV_CURRENT,
                    .e_entry = GUEST_TEXT,
                    .e_phoff = sizeof(Elf64_Ehdr),
                    .e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
                    .e_ehsize = sizeof(Elf64_Ehdr),
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = 2 },
        .segments = { { PT_LOAD, PF_R | PF_X, text_offset, GUEST_TEXT, GUEST_TEXT,
                        guest->text_bytes, guest->text_bytes, 4096 },
                      { PT_LOAD, PF_R | PF_W, data_offset, GUEST_DATA, GUEST_DATA,
                        sizeof guest->data, sizeof guest->data + guest->results_bytes, 4096 } },
    };
    *size = data_offset + sizeof guest->data;
    u8 *file = heap_array(*size, 1);
    memcpy(file, &head, sizeof head);
    memcpy(file + text_offset, guest->text, guest->text_bytes);
    memcpy(file + data_offset, guest->data, sizeof guest->data);
    return file;
}

static void output_add(struct output *output, const u8 *bytes, size_t length)
{
    output->bytes = heap_grow(output->bytes, output->length + length, 1);
    memcpy(output->bytes + output->length, bytes, length);
    output->length += length;
}

/* ---- Under qemu ---- */

bool qemu_exists(void)
{
    return system("qemu-riscv64 --version >/dev/null 2>&1") == 0;
}

static bool file_write(const struct guest *guest, char *path)
{
    size_t size;
    u8 *file = guest_file(guest, &size);
    int descriptor = mkstemp(path);
    bool written = descriptor >= 0 && write(descriptor, file, size) == (ssize_t)size &&
                   fchmod(descriptor, 0700) == 0;
    if (descriptor >= 0)
        close(descriptor);
    free(file);
    return written;
}

bool guest_run_qemu(const struct guest *guest, struct output *output)
{
    char path[] = "/tmp/ogive_guest_XXXXXX", command[128];
    *output = (struct output){ 0 };
    if (!file_write(guest, path))
        return false;
    snprintf(command, sizeof command, "exec qemu-riscv64 %s", path);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    u8 *chunk = heap_array(MiB, 1);
    for (size_t got; (got = fread(chunk, 1, MiB, pipe));)
        output_add(output, chunk, got);
    free(chunk);
    int status = pclose(pipe);
    unlink(path);
    return status == 0;
}

/* ---- Under Ogive ---- */

static bool call_write(struct interp *interp, struct output *output)
{
    u64 size = interp->hart.x[12];
    const u8 *bytes = interp_memory(interp, interp->hart.x[11], size);
    if (!bytes)
        return false;
    output_add(output, bytes, size);
    interp->hart.x[A0] = size;
    interp->hart.pc += 4;
    return true;
}

static bool interp_finish(struct interp *interp, struct output *output)
{
    enum interp_stop stop;
    while ((stop = interp_run(interp, UINT64_MAX)) == INTERP_ECALL) {
        if (interp->hart.x[A7] == CALL_EXIT)
            return interp->hart.x[A0] == 0;
        if (interp->hart.x[A7] != CALL_WRITE || !call_write(interp, output))
            break;
    }
    fprintf(stderr, "the interpreter stopped (%d) at 0x%llx\n", stop,
            (unsigned long long)interp->hart.pc);
    return false;
}

bool guest_run_ogive(const struct guest *guest, const struct isa *isa, struct output *output)
{
    struct ogv_error error;
    struct elf_image image;
    struct interp interp;
    size_t size;
    u8 *file = guest_file(guest, &size);
    *output = (struct output){ 0 };
    bool loaded = elf_load_memory("guest", file, size, &image, &error);
    free(file);
    if (!loaded || !interp_init(&interp, isa, &image, 0, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    bool finished = interp_finish(&interp, output);
    interp_fini(&interp);
    elf_fini(&image);
    return finished;
}
