/* native.c - runs a program on the host: every hart is a thread that calls the program's main.
 *
 * Linked with -Wl,--wrap=main, so that the process starts here and __real_main is the program's. */
#include <ogive/rt_device.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "print.h"

#define HARTS_MAX 1024

__thread struct ogv_self ogv_self;
uint64_t ogv_native_next, ogv_native_scratch[8192];
uint32_t ogv_native_order;

static struct {
    pthread_barrier_t barrier;
    pthread_mutex_t print;
    int argc;
    char **argv;
    int exit_code; /* the first that was not 0 */
    const uint32_t *pixels;
    uint32_t width, height;
    const struct rt_world *world;
    struct reserved *reserved;
} native = { .print = PTHREAD_MUTEX_INITIALIZER };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* ---- Calls ---- */

void ogv_barrier_all(void)
{
    pthread_barrier_wait(&native.barrier);
}

/* What ogv_reserve gave: kept in a list until the process ends. */
struct reserved {
    struct reserved *before;
} __attribute__((aligned(64)));

void *ogv_reserve(size_t bytes)
{
    size_t whole = (bytes / sizeof(struct reserved) + 2) * sizeof(struct reserved);
    struct reserved *block = whole > bytes ? aligned_alloc(sizeof *block, whole) : NULL;
    if (!block)
        return NULL;
    memset(block, 0, whole);
    block->before = __atomic_load_n(&native.reserved, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&native.reserved, &block->before, block, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return block + 1;
}

void ogv_native_pause(void)
{
    sched_yield();
}

uint64_t ogv_native_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- The scene ---- */

const struct rt_world *ogv_world(void)
{
    return native.world;
}

struct rt_hit ogv_trace(const struct rt_ray *ray)
{
    return rt_walk_world(native.world, ray, 0);
}

struct rt_hit ogv_trace_any(const struct rt_ray *ray)
{
    return rt_walk_world(native.world, ray, 1);
}

#define TICKETS 64

/* A ticket's hit is known at once; a hart may hold as many as an RT core has places. */
static __thread struct rt_hit ticket_hits[TICKETS];
static __thread uint64_t tickets_out;

uint64_t ogv_trace_start(const struct rt_ray *ray)
{
    if (tickets_out == UINT64_MAX)
        return OGV_NO_TICKET;
    uint64_t ticket = (uint64_t)__builtin_ctzll(~tickets_out);
    tickets_out |= UINT64_C(1) << ticket;
    ticket_hits[ticket] = ogv_trace(ray);
    return ticket;
}

struct rt_hit ogv_trace_wait(uint64_t ticket)
{
    static const struct rt_hit none = { 0, 0, 0, RT_NOTHING };
    if (ticket >= TICKETS || !(tickets_out >> ticket & 1))
        return none;
    tickets_out &= ~(UINT64_C(1) << ticket);
    return ticket_hits[ticket];
}

#define STREAM_ROOM 64

/* Rays that were stored by a hart wait for it. They are finished at once. */
static __thread struct ogv_stream_hit stream_found[STREAM_ROOM];
static __thread uint32_t stream_held;

int ogv_stream_store(const struct rt_ray *ray, uint32_t id)
{
    if (stream_held == STREAM_ROOM)
        return 0;
    stream_found[stream_held].hit = ogv_trace(ray);
    stream_found[stream_held++].id = id;
    return 1;
}

struct ogv_stream_hit ogv_stream_hit_load(uint64_t priority)
{
    static const struct ogv_stream_hit none = { { 0, 0, 0, RT_NOTHING }, STREAM_NO_ID };
    (void)priority;
    return stream_held ? stream_found[--stream_held] : none;
}

static const char *world_open(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0)
        return "cannot be read";
    size_t bytes = (size_t)status.st_size;
    if (bytes < sizeof(struct rt_world))
        return "is no world of `ogive world`";
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    if (at == MAP_FAILED)
        return "does not fit into memory";
    const struct rt_world *world = at;
    if (world->magic != RT_WORLD_MAGIC || world->bytes != bytes)
        return "is no world of `ogive world`";
    if (world->sum != rt_world_sum(world))
        return "is damaged; make it again with `ogive world`";
    if (!rt_walk_fits(world))
        return "has other formats than this was built for (see --nodes, --primitives and "
               "--treelets of `ogive programs build`)";
    native.world = world;
    return NULL;
}

static void print_char(char c)
{
    putchar(c);
}

void ogv_print(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&native.print);
    print_format(format, values);
    pthread_mutex_unlock(&native.print);
    va_end(values);
}

void ogv_image(const uint32_t *pixels, uint32_t width, uint32_t height)
{
    pthread_mutex_lock(&native.print);
    native.pixels = pixels;
    native.width = width;
    native.height = height;
    pthread_mutex_unlock(&native.print);
}

static void exit_code_keep(int code)
{
    int none = 0;
    if (code)
        __atomic_compare_exchange_n(&native.exit_code, &none, code, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
}

void ogv_exit(int code)
{
    exit_code_keep(code);
    pthread_exit(NULL);
}

/* ---- Running ---- */

static int image_write(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    fprintf(file, "P6\n%u %u\n255\n", native.width, native.height);
    for (uint64_t i = 0; i < (uint64_t)native.width * native.height; i++) {
        putc((int)(native.pixels[i] & 255), file);
        putc((int)(native.pixels[i] >> 8 & 255), file);
        putc((int)(native.pixels[i] >> 16 & 255), file);
    }
    if (fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

static void *hart_run(void *self)
{
    ogv_self = *(struct ogv_self *)self;
    exit_code_keep(__real_main(native.argc, native.argv));
    return NULL;
}

static uint32_t harts_wanted(void)
{
    const char *text = getenv("OGIVE_HARTS");
    unsigned long harts = text ? strtoul(text, NULL, 10) : 4;
    if (harts >= 1 && harts <= HARTS_MAX)
        return (uint32_t)harts;
    fprintf(stderr, "OGIVE_HARTS is '%s'; it can be 1 to %d\n", text, HARTS_MAX);
    exit(2);
}

int __wrap_main(int argc, char **argv)
{
    static struct ogv_self selves[HARTS_MAX];
    static pthread_t threads[HARTS_MAX];
    uint32_t harts = harts_wanted();
    const char *path = getenv("OGIVE_IMAGE"), *world = getenv("OGIVE_WORLD");
    const char *wrong = world ? world_open(world) : NULL;
    if (wrong) {
        fprintf(stderr, "OGIVE_WORLD=%s: %s\n", world, wrong);
        exit(2);
    }
    native.argc = argc;
    native.argv = argv;
    pthread_barrier_init(&native.barrier, NULL, harts);
    for (uint32_t i = 0; i < harts; i++) {
        selves[i] = (struct ogv_self){ i, harts, 1, 0 };
        if (pthread_create(&threads[i], NULL, hart_run, &selves[i])) {
            fprintf(stderr, "hart %u cannot be started\n", i);
            exit(2);
        }
    }
    for (uint32_t i = 0; i < harts; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&native.barrier);
    if (path && native.pixels)
        exit_code_keep(image_write(path));
    return native.exit_code;
}
