/* host.c - what stands between a program on the chip and the host: calls, picolibc's hooks, and the
 * few functions that C++ expects of a runtime.
 *
 * An ecall's number is in a7, its arguments in a0 and up (include/ogive/program.h). Locks are words
 * in shared memory, 0 or the owner's number + 1; taking and leaving one includes the fences that
 * make what it guards visible. */
#include <ogive/gate.h>
#include <ogive/rt_device.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/lock.h>

#include "print.h"

enum host_call { CALL_EXIT = 93, CALL_PUTC = 1000, CALL_IMAGE = 1001, CALL_WORLD = 1002 };

__thread struct ogv_self ogv_self;

static inline long host_call(long number, long first, long second, long third)
{
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

void ogv_exit(int code)
{
    host_call(CALL_EXIT, code, 0, 0);
    __builtin_trap();
}

void _exit(int code)
{
    ogv_exit(code);
}

void ogv_image(const uint32_t *pixels, uint32_t width, uint32_t height)
{
    host_call(CALL_IMAGE, (long)pixels, (long)width, (long)height);
}

const struct rt_world *ogv_world(void)
{
    const struct rt_world *world = (const struct rt_world *)host_call(CALL_WORLD, 0, 0, 0);
    if (world && world->software && !rt_walk_fits(world)) {
        ogv_print("the program was compiled for other formats of nodes and primitives\n");
        ogv_exit(1);
    }
    return world;
}

/* ---- Waiting ---- */

struct __lock {
    uint32_t owner;
    uint32_t depth;
};

static void lock_take(struct __lock *lock)
{
    uint32_t self = ogv_hart() + 1, pauses = 1;
    while (ogv_atomic_compare_exchange_u32(&lock->owner, 0, self))
        ogv_stand_back(&pauses);
    ogv_fence();
}

static void lock_leave(struct __lock *lock)
{
    ogv_fence();
    ogv_atomic_store_u32(&lock->owner, 0);
}

/* A tree of two levels: neighbours meet at a gate of their own, and the last of each of them at the
 * one of all. So few ask for the same word. */
#define GATES_MAX 512

void ogv_barrier_all(void)
{
    static struct ogv_gate all, gates[GATES_MAX];
    uint64_t harts = ogv_harts(), size = 64, round, round_of_all;
    while (size * GATES_MAX < harts)
        size *= 2;
    uint64_t count = (harts + size - 1) / size, index = ogv_hart() / size;
    uint64_t here = index + 1 < count ? size : harts - index * size;
    ogv_fence();
    if (ogv_gate_count(&gates[index], here, &round)) {
        if (ogv_gate_count(&all, count, &round_of_all))
            ogv_gate_open(&all, round_of_all);
        else
            ogv_gate_poll(&all, round_of_all);
        ogv_gate_open(&gates[index], round);
    } else {
        ogv_gate_poll(&gates[index], round);
    }
    __asm__ volatile("" ::: "memory");
}

/* ---- Printing ---- */

static struct __lock print_lock __attribute__((aligned(64)));

static void print_char(char c)
{
    host_call(CALL_PUTC, c, 0, 0);
}

void ogv_print(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    lock_take(&print_lock);
    print_format(format, values);
    lock_leave(&print_lock);
    va_end(values);
}

static int stdio_put(char c, FILE *file)
{
    (void)file;
    print_char(c);
    return (unsigned char)c;
}

static int stdio_get(FILE *file)
{
    (void)file;
    return EOF;
}

static FILE stdio_file = FDEV_SETUP_STREAM(stdio_put, stdio_get, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &stdio_file;
FILE *const stdout = &stdio_file;
FILE *const stderr = &stdio_file;

/* ---- Memory ---- */

/* The heap ends where the scene begins; without one, what goes beyond the chip's memory faults
 * where it is touched. */
static void *heap_take(uint64_t bytes)
{
    extern char __heap_start[];
    static uint64_t used;
    char *at = __heap_start + ogv_atomic_add_u64(&used, bytes);
    const char *end = (const char *)ogv_world();
    if (!end || at + bytes <= end)
        return at;
    ogv_atomic_add_u64(&used, -bytes);
    return 0;
}

#define HEAP_ALIGNMENT 64

void *ogv_reserve(size_t bytes)
{
    return heap_take((bytes + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT);
}

/* For picolibc's malloc. */
void *sbrk(ptrdiff_t bytes)
{
    void *at = heap_take((uint64_t)bytes);
    return at ? at : (void *)-1;
}

struct __lock __lock___libc_recursive_mutex __attribute__((aligned(64)));

void __retarget_lock_init(_LOCK_T *lock)
{
    (void)lock;
}

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    (void)lock;
}

void __retarget_lock_close(_LOCK_T lock)
{
    (void)lock;
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    (void)lock;
}

void __retarget_lock_acquire(_LOCK_T lock)
{
    lock_take(lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
    lock_leave(lock);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    if (ogv_atomic_load_u32(&lock->owner) != ogv_hart() + 1)
        lock_take(lock);
    lock->depth++;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (--lock->depth == 0)
        lock_leave(lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
    if (ogv_atomic_compare_exchange_u32(&lock->owner, 0, ogv_hart() + 1))
        return 0;
    ogv_fence();
    return 1;
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    if (ogv_atomic_load_u32(&lock->owner) != ogv_hart() + 1 && !__retarget_lock_try_acquire(lock))
        return 0;
    lock->depth++;
    return 1;
}

/* ---- C++ ---- */

extern void *malloc(size_t bytes);
extern void free(void *memory);

void *operator_new(size_t bytes) __asm__("_Znwm");
void *operator_new_array(size_t bytes) __asm__("_Znam");
void operator_delete(void *memory) __asm__("_ZdlPv");
void operator_delete_array(void *memory) __asm__("_ZdaPv");
void operator_delete_sized(void *memory, size_t bytes) __asm__("_ZdlPvm");
void operator_delete_array_sized(void *memory, size_t bytes) __asm__("_ZdaPvm");

void *operator_new(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

void *operator_new_array(size_t bytes)
{
    return operator_new(bytes);
}

void operator_delete(void *memory)
{
    free(memory);
}

void operator_delete_array(void *memory)
{
    free(memory);
}

void operator_delete_sized(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

void operator_delete_array_sized(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

void __cxa_pure_virtual(void)
{
    __builtin_trap();
}

/* Harts end one by one, so there is no moment to destroy what they share: nothing is. */
void *__dso_handle;

int __cxa_atexit(void (*function)(void *), void *argument, void *handle)
{
    (void)function, (void)argument, (void)handle;
    return 0;
}

/* A variable inside a function that is initialised by the hart that comes first. The compiler
 * itself looks at the guard's first byte; its upper word is the lock. */
int __cxa_guard_acquire(uint32_t *guard)
{
    for (uint32_t pauses = 1;; ogv_stand_back(&pauses)) {
        if (ogv_atomic_load_u32(guard) & 1) {
            ogv_fence();
            return 0;
        }
        if (!ogv_atomic_compare_exchange_u32(guard + 1, 0, ogv_hart() + 1)) {
            if (!(ogv_atomic_load_u32(guard) & 1))
                return 1;
            ogv_atomic_store_u32(guard + 1, 0);
        }
    }
}

void __cxa_guard_release(uint32_t *guard)
{
    ogv_fence();
    ogv_atomic_store_u32(guard, 1);
    ogv_fence();
    ogv_atomic_store_u32(guard + 1, 0);
}
