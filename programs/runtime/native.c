/* native.c - runs a program on the host: every hart is a thread that calls the program's main.
 *
 * Linked with -Wl,--wrap=main, so that the process starts here and __real_main is the program's. */
#include <ogive/device.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
} native = { .print = PTHREAD_MUTEX_INITIALIZER };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* ---- Calls ---- */

void ogv_barrier_all(void)
{
    pthread_barrier_wait(&native.barrier);
}

uint64_t ogv_native_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
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
    const char *path = getenv("OGIVE_IMAGE");
    native.argc = argc;
    native.argv = argv;
    pthread_barrier_init(&native.barrier, NULL, harts);
    for (uint32_t i = 0; i < harts; i++) {
        selves[i] = (struct ogv_self){ i, harts };
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
