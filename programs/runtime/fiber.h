/* fiber.h - threads of a program that one hart runs in turn: each has a stack of its own, and goes
 * on where it left off when it is switched to.
 *
 *     fiber_stacks(count)               memory for so many stacks; NULL: there is none
 *     fiber_make(fiber, stack, body)    it begins in body() when it is first switched to
 *     fiber_switch(from, to)            leaves `from` and goes on in `to`
 *     fiber_began(from)                 the first that body() does; `from` switched to it
 *     fiber_leave(from, to)             the last that it does
 *     fiber_end(fiber)                  called by another one after that
 *
 * On the chip a switch saves what a function has to preserve. Natively it is the C library's
 * swapcontext, and sanitizers are told. */
#ifndef PROGRAMS_RUNTIME_FIBER_H
#define PROGRAMS_RUNTIME_FIBER_H

#include <ogive/device.h>

#ifdef OGIVE_DEVICE

#define FIBER_STACK 2048

struct fiber {
    uint64_t ra, sp, s[12];
    double fs[12];
};

void fiber_switch(struct fiber *from, struct fiber *to);

__asm__(".section .text.fiber_switch, \"ax\"\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    sd ra, 0(a0)\n"
        "    sd sp, 8(a0)\n"
        "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
        "    sd s\\n, 16 + 8 * \\n(a0)\n"
        "    fsd fs\\n, 112 + 8 * \\n(a0)\n"
        "    .endr\n"
        "    ld ra, 0(a1)\n"
        "    ld sp, 8(a1)\n"
        "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"
        "    ld s\\n, 16 + 8 * \\n(a1)\n"
        "    fld fs\\n, 112 + 8 * \\n(a1)\n"
        "    .endr\n"
        "    ret\n"
        ".size fiber_switch, . - fiber_switch\n"
        ".previous\n");

static inline char *fiber_stacks(uint32_t count)
{
    return (char *)ogv_reserve((size_t)count * FIBER_STACK);
}

static inline void fiber_make(struct fiber *fiber, char *stack, void (*body)(void))
{
    fiber->ra = (uint64_t)(uintptr_t)body;
    fiber->sp = (uint64_t)(uintptr_t)(stack + FIBER_STACK);
}

static inline void fiber_began(struct fiber *from)
{
    (void)from;
}

static inline void fiber_leave(struct fiber *from, struct fiber *to)
{
    fiber_switch(from, to);
}

static inline void fiber_end(struct fiber *fiber)
{
    (void)fiber;
}

#else

#include <sys/mman.h>
#include <ucontext.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define FIBER_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(FIBER_ASAN)
#define FIBER_ASAN
#endif
#if defined(__SANITIZE_THREAD__) && !defined(FIBER_TSAN)
#define FIBER_TSAN
#endif

#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifndef FIBER_ASAN
#define __sanitizer_start_switch_fiber(fake, bottom, size)  ((void)(fake))
#define __sanitizer_finish_switch_fiber(fake, bottom, size) ((void)(fake))
#endif
#ifndef FIBER_TSAN
#define __tsan_get_current_fiber()           NULL
#define __tsan_create_fiber(flags)           NULL
#define __tsan_switch_to_fiber(fiber, flags) ((void)(fiber))
#define __tsan_destroy_fiber(fiber)          ((void)(fiber))
#endif

#define FIBER_STACK 65536

struct fiber {
    ucontext_t context;
    const void *bottom; /* of its stack */
    size_t bytes;
    void *fake; /* stack of the address sanitizer */
    void *flow; /* as the thread sanitizer knows it */
};

/* Untouched, they take no memory. */
static inline char *fiber_stacks(uint32_t count)
{
    void *at = mmap(NULL, (size_t)count * FIBER_STACK, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : (char *)at;
}

static inline void fiber_make(struct fiber *fiber, char *stack, void (*body)(void))
{
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = FIBER_STACK;
    fiber->context.uc_link = NULL;
    fiber->bottom = stack;
    fiber->bytes = FIBER_STACK;
    fiber->fake = NULL;
    fiber->flow = __tsan_create_fiber(0);
    makecontext(&fiber->context, body, 0);
}

static inline void fiber_swap(struct fiber *from, struct fiber *to, void **fake)
{
    from->flow = __tsan_get_current_fiber();
    __sanitizer_start_switch_fiber(fake, to->bottom, to->bytes);
    __tsan_switch_to_fiber(to->flow, 0);
    swapcontext(&from->context, &to->context);
}

static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
    fiber_swap(from, to, &from->fake);
    __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
}

static inline void fiber_began(struct fiber *from)
{
    (void)from;
    __sanitizer_finish_switch_fiber(NULL, &from->bottom, &from->bytes);
}

static inline void fiber_leave(struct fiber *from, struct fiber *to)
{
    fiber_swap(from, to, NULL);
}

static inline void fiber_end(struct fiber *fiber)
{
    __tsan_destroy_fiber(fiber->flow);
}

#endif

#endif
