/* crash.c - see crash.h.
 *
 * The handler runs on a stack of its own, as the fault may be that the thread's is used up, and
 * calls nothing but what a handler may: the line is put together by hand and written at once. Then
 * the signal does what it did before (a core dump, a sanitizer's report): a fault happens again
 * when the handler returns, a signal that was sent is sent again. */
#include "cli/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/text.h"
#include "sim/pool.h"
#include "unit/registry.h"

#define LINE_BYTES  8192
#define STACK_BYTES (64 * KiB)
#define NEAR_BYTES  (64 * KiB)

static const struct fault {
    int signal;
    const char *words;
    bool has_address; /* of the memory that was touched */
} faults[] = {
    { SIGSEGV, "segmentation fault", true }, { SIGBUS, "bus error", true },
    { SIGFPE, "arithmetic fault", false },   { SIGILL, "illegal instruction", false },
    { SIGABRT, "aborted", false },
};

#define FAULTS (sizeof faults / sizeof *faults)

static struct sigaction before[FAULTS];

/* ---- The line ---- */

struct line {
    char chars[LINE_BYTES];
    size_t length;
};

static void line_add(struct line *line, const char *text)
{
    while (*text && line->length < sizeof line->chars)
        line->chars[line->length++] = *text++;
}

static void line_add_number(struct line *line, u64 value, u32 base)
{
    char digits[24], *at = &digits[sizeof digits - 1];
    *at = 0;
    do
        *--at = "0123456789abcdef"[value % base];
    while (value /= base);
    line_add(line, at);
}

static void line_add_unit(struct line *line, const struct unit *unit)
{
    const char *library = registry_file(unit->type);
    line_add(line, "unit ");
    line_add(line, unit_path(unit));
    line_add(line, " (type ");
    line_add(line, registry_type(unit->type)->name);
    if (library) {
        line_add(line, ", from ");
        line_add(line, library);
    }
    line_add(line, ")");
}

static void line_add_time(struct line *line, const struct running *when)
{
    if (when->function) {
        line_add(line, " in ");
        line_add(line, when->function);
    }
    line_add(line, " at cycle ");
    line_add_number(line, when->unit->domain->now, 10);
}

/* Where the thread's stack stood; 0 where that is not known. */
static u64 stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (u64)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

/* Touched so near to where the stack stood, it is the stack's end. */
static void line_add_address(struct line *line, u64 address, u64 stack)
{
    line_add(line, " at address 0x");
    line_add_number(line, address, 16);
    if (stack && (address < stack ? stack - address : address - stack) < NEAR_BYTES)
        line_add(line, " (the stack is used up)");
}

static void crash_say(const struct fault *fault, const siginfo_t *info, const ucontext_t *context)
{
    struct line line = { .length = 0 };
    line_add(&line, "\nogive: "); /* a line of progress may stand there */
    line_add_unit(&line, running->unit);
    line_add_time(&line, running);
    line_add(&line, ": ");
    line_add(&line, fault->words);
    if (fault->has_address && info->si_code > 0)
        line_add_address(&line, (u64)(uintptr_t)info->si_addr, stack_pointer(context));
    line_add(&line, "\n");
    ssize_t written = write(STDERR_FILENO, line.chars, line.length);
    (void)written;
}

static void crash_handle(int number, siginfo_t *info, void *context)
{
    u32 i = 0;
    while (faults[i].signal != number)
        i++;
    if (unit_running())
        crash_say(&faults[i], info, context);
    sigaction(number, &before[i], NULL);
    if (info->si_code <= 0)
        raise(number);
}

/* ---- The stacks ---- */

static void *first_stack; /* of the thread that runs main, for as long as the program runs */

/* A thread may have one already: that of a sanitizer, which takes it back itself. */
static void *stack_lend(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) || !(stack.ss_flags & SS_DISABLE))
        return NULL;
    void *memory = heap_array(1, STACK_BYTES);
    stack = (stack_t){ .ss_sp = memory, .ss_size = STACK_BYTES };
    sigaltstack(&stack, NULL);
    return memory;
}

static void stack_take_back(void *memory)
{
    if (memory)
        sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    free(memory);
}

void crash_watch(void)
{
    static const struct pool_guard guard = { stack_lend, stack_take_back };
    struct sigaction action = { .sa_sigaction = crash_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    first_stack = stack_lend();
    pool_set_guard(&guard);
    registry_count(); /* the handler must not be the first to ask */
    for (u32 i = 0; i < FAULTS; i++)
        sigaction(faults[i].signal, &action, &before[i]);
}
