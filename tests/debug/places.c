/* places.c - registers and memory as the debugger sees them, against the functional interpreter, at
 * random places of a program that runs on one thread behind caches.
 *
 * The simulator runs as a process of its own and is asked through gdb's protocol. A place is where
 * the interpreter is after some further instructions; the chip is brought there by a breakpoint or
 * by steps. Registers that are still on their way are not compared: at least they are few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "debug/packet.h"
#include "isa/guest.h"
#include "ogive/messages.h"
#include "ogive/random.h"

#define STACK_BYTES 4096
#define ARGUMENTS   65536
#define HEAP        (16 * MiB)
#define ATOMICS_MAX 64

/* ---- The chip ---- */

struct client {
    pid_t process;
    int socket;
    char folder[64], path[96];
    struct packet_reader reader;
};

static _Noreturn void client_become(const struct client *client)
{
    char machine[512], program[512], out[128];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    snprintf(machine, sizeof machine, "%s/one-core.yaml", getenv("OGIVE_TEST_DATA"));
    snprintf(program, sizeof program, "%s/matmul.elf", getenv("OGIVE_PROGRAMS"));
    snprintf(out, sizeof out, "%s/out", client->folder);
    execl(getenv("OGIVE_PROGRAM"), "ogive", "run", machine, "--program", program, "--gdb",
          client->path, "--quiet", "--no-report", "--out", out, "--", "32", (char *)NULL);
    _exit(127);
}

static void client_open(struct client *client)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const struct timespec nap = { .tv_nsec = 20000000 };
    *client = (struct client){ 0 };
    strcpy(client->folder, "/tmp/ogive-places-XXXXXX");
    assert_non_null(mkdtemp(client->folder));
    snprintf(client->path, sizeof client->path, "%s/gdb", client->folder);
    client->process = fork();
    if (!client->process)
        client_become(client);
    memcpy(address.sun_path, client->path, strlen(client->path));
    client->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    while (connect(client->socket, (struct sockaddr *)&address, sizeof address)) {
        assert_int_equal(waitpid(client->process, NULL, WNOHANG), 0);
        nanosleep(&nap, NULL);
    }
}

static void client_close(struct client *client)
{
    char command[128];
    close(client->socket);
    kill(client->process, SIGTERM);
    waitpid(client->process, NULL, 0);
    snprintf(command, sizeof command, "rm -r %s", client->folder);
    assert_int_equal(system(command), 0);
}

/* The answer, which the next one overwrites; words on the way to the person are passed over. */
static const char *client_ask(struct client *client, const char *payload)
{
    struct text packet = { 0 };
    u8 byte;
    packet_add(&packet, payload, strlen(payload));
    assert_int_equal(send(client->socket, packet.chars, packet.length, 0), packet.length);
    text_fini(&packet);
    for (;;) {
        assert_int_equal(recv(client->socket, &byte, 1, 0), 1);
        if (packet_take(&client->reader, byte) != PACKET_WHOLE)
            continue;
        assert_int_equal(send(client->socket, "+", 1, 0), 1);
        const char *answer = client->reader.payload;
        if (*answer != 'O' || !strcmp(answer, "OK"))
            return answer;
    }
}

/* ---- The interpreter ---- */

struct model {
    struct elf_image image;
    struct interp interp;
    struct guest guest;
    u64 low, high, next;
    u64 atomics[ATOMICS_MAX]; /* words that atomic operations were on */
    u32 atomic_count;
};

static bool model_answer(struct guest *guest, struct message *message)
{
    struct model *model = guest->context;
    if (message->kind == MESSAGE_NEXT)
        message->data.dword[0] = model->next++;
    return message->kind == MESSAGE_NEXT || message->kind == MESSAGE_BARRIER;
}

static void model_open(struct model *model)
{
    static const char *const arguments[] = { "matmul", "32" };
    struct ogv_error error;
    char program[512];
    *model = (struct model){ 0 };
    snprintf(program, sizeof program, "%s/matmul.elf", getenv("OGIVE_PROGRAMS"));
    assert_true(elf_load(program, &model->image, &error));
    elf_extent(&model->image, &model->low, &model->high);
    u64 at = (model->high + 4095) / 4096 * 4096;
    assert_true(interp_init(&model->interp, isa_shared(), &model->image, HEAP, &error));
    assert_true(guest_arguments(&model->interp, at, ARGUMENTS, 2, arguments));
    guest_init(&model->guest, &model->interp, 0, 1, at, STACK_BYTES);
    program_enter_warp(&model->guest.hart, 1, 0);
    model->guest.answer = model_answer;
    model->guest.context = model;
}

static void model_close(struct model *model)
{
    guest_fini(&model->guest);
    interp_fini(&model->interp);
    elf_fini(&model->image);
}

static void model_note_atomic(struct model *model)
{
    const struct insn *insn = isa_fetch(&model->interp.program, model->guest.hart.pc);
    if (!insn || insn->class != CLASS_ATOMIC)
        return;
    u64 word = isa_access(&model->guest.hart, insn).address & ~UINT64_C(7);
    for (u32 i = 0; i < model->atomic_count; i++)
        if (model->atomics[i] == word)
            return;
    assert_true(model->atomic_count < ATOMICS_MAX);
    model->atomics[model->atomic_count++] = word;
}

static void model_run(struct model *model, u64 count)
{
    for (u64 i = 0; i < count; i++) {
        model_note_atomic(model);
        assert_int_equal(guest_run(&model->guest, 1), GUEST_LIMIT);
    }
}

/* ---- Comparing ---- */

/* How many registers are still on their way. */
static u32 registers_compare(struct client *client, const struct model *model)
{
    const char *digits = client_ask(client, "g");
    u32 pending = 0;
    for (u32 i = 0; i < 65; i++) {
        const char *at = digits + 16 * i;
        u64 value, expected = i < 32    ? model->guest.hart.x[i]
                              : i == 32 ? model->guest.hart.pc
                                        : model->guest.hart.f[i - 33];
        if (*at == 'x') {
            pending++;
            continue;
        }
        assert_int_equal(hex_bytes(at, (u8 *)&value, 8), 8);
        if (value != expected)
            print_error("register %u at pc 0x%llx\n", i, (unsigned long long)model->guest.hart.pc);
        assert_int_equal(value, expected);
    }
    return pending;
}

/* An atomic operation is done where the data lives: while it is on its way, there is nothing to see
 * of it. What those are on is left out. */
static void atomics_leave_out(const struct model *model, u64 address, const u8 *expected,
                              u64 length, u8 *bytes)
{
    for (u32 i = 0; i < model->atomic_count; i++)
        for (u32 k = 0; k < 8; k++)
            if (model->atomics[i] + k - address < length)
                bytes[model->atomics[i] + k - address] = expected[model->atomics[i] + k - address];
}

static void memory_compare(struct client *client, const struct model *model, u64 address,
                           const u8 *expected, u64 length)
{
    char packet[64];
    u8 bytes[64];
    snprintf(packet, sizeof packet, "m%llx,%llx", (unsigned long long)address,
             (unsigned long long)length);
    u64 got = hex_bytes(client_ask(client, packet), bytes, length);
    atomics_leave_out(model, address, expected, length, bytes);
    if (got != length || memcmp(bytes, expected, length) != 0)
        print_error("memory at 0x%llx: %s\n", (unsigned long long)address, client->reader.payload);
    assert_int_equal(got, length);
    assert_memory_equal(bytes, expected, length);
}

/* Around what the program works on: its data, its stack, and where its registers point to. */
static void memories_compare(struct client *client, const struct model *model, u64 *random)
{
    for (u32 i = 0; i < 4; i++) {
        u64 address = model->low + random_below(random, model->high - model->low - 64);
        memory_compare(client, model, address, interp_memory(&model->interp, address, 64), 64);
    }
    for (u32 i = 1; i < 32; i++) {
        u64 address = model->guest.hart.x[i] & ~UINT64_C(63);
        if (address >= model->low && address < model->high - 64)
            memory_compare(client, model, address, interp_memory(&model->interp, address, 64), 64);
    }
    u64 stack = model->guest.hart.x[REGISTER_SP] - STACK_WINDOW;
    if (stack < STACK_BYTES)
        memory_compare(client, model, STACK_WINDOW + stack, model->guest.stack + stack,
                       min_u64(64, STACK_BYTES - stack));
}

/* ---- Going there ---- */

static void go_by_steps(struct client *client, struct model *model, u64 count)
{
    for (u64 i = 0; i < count; i++)
        assert_memory_equal(client_ask(client, "vCont;s:1"), "T05", 3);
    model_run(model, count);
}

/* How many instructions the chip's thread has executed. */
static u64 client_executed(struct client *client)
{
    char words[128] = "";
    hex_bytes(client_ask(client, "qThreadExtraInfo,1"), (u8 *)words, sizeof words - 1);
    const char *number = strchr(words, ',');
    assert_non_null(number);
    return strtoull(number + 1, NULL, 10);
}

/* The chip may come by the same place several times before. */
static void go_by_breakpoint(struct client *client, struct model *model, u64 ahead)
{
    char packet[64];
    u64 at;
    model_run(model, ahead);
    snprintf(packet, sizeof packet, "Z0,%llx,2", (unsigned long long)model->guest.hart.pc);
    assert_string_equal(client_ask(client, packet), "OK");
    do {
        assert_non_null(strstr(client_ask(client, "vCont;c"), "swbreak"));
        at = client_executed(client);
    } while (at < model->guest.instructions);
    assert_int_equal(at, model->guest.instructions);
    packet[0] = 'z';
    assert_string_equal(client_ask(client, packet), "OK");
}

static void equals_the_interpreter_at_random_places(void **state)
{
    struct client client;
    struct model model;
    u64 random = 22;
    u32 places = getenv("OGIVE_LONG") ? 1000 : 60, pending = 0;
    (void)state;
    model_open(&model);
    client_open(&client);
    for (u32 i = 0; i < places; i++) {
        if (random_below(&random, 2))
            go_by_steps(&client, &model, 1 + random_below(&random, 8));
        else
            go_by_breakpoint(&client, &model, 1 + random_below(&random, 40));
        pending += registers_compare(&client, &model);
        memories_compare(&client, &model, &random);
    }
    assert_true(pending < 2 * places);
    client_close(&client);
    model_close(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_interpreter_at_random_places),
    };
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
