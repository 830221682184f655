/* progress.c - see progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#define PERIOD_TERMINAL 0.1
#define PERIOD_PLAIN    10.0

void write_large(char *buffer, size_t size, double value)
{
    static const char *const marks[] = { "", " k", " M", " G", " T" };
    u32 mark = 0;
    while (value >= 9999.5 && mark < 4) {
        value /= 1000;
        mark++;
    }
    snprintf(buffer, size, mark ? "%.4g%s" : "%.0f%s", value, marks[mark]);
}

static void write_span(char *buffer, size_t size, double seconds)
{
    unsigned long whole = (unsigned long)seconds;
    if (whole >= 3600)
        snprintf(buffer, size, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        snprintf(buffer, size, "%lu min %02lu s", whole / 60, whole % 60);
    else
        snprintf(buffer, size, "%lu s", whole);
}

/* And of how many, if that is known. */
static void write_rays(char *buffer, size_t size, const struct run_progress *now)
{
    char done[32], all[32];
    write_large(done, sizeof done, (double)now->rays);
    write_large(all, sizeof all, (double)now->rays_in_all);
    *buffer = 0;
    if (now->rays && now->rays_in_all)
        snprintf(buffer, size, ", %s of %s rays", done, all);
    else if (now->rays)
        snprintf(buffer, size, ", %s rays", done);
}

static void progress_show(void *context, const struct run_progress *now)
{
    struct progress *progress = context;
    char cycles[32], rate[32], spent[32], left[64] = "", rays[96];
    write_large(cycles, sizeof cycles, (double)now->now);
    write_large(rate, sizeof rate, now->cycles_per_second);
    write_span(spent, sizeof spent, now->wall_seconds);
    if (now->target != NEVER && now->target && now->cycles_per_second > 0) {
        char eta[32];
        write_span(eta, sizeof eta, (double)(now->target - now->now) / now->cycles_per_second);
        snprintf(left, sizeof left, ", %.0f%%, %s left",
                 100.0 * (double)now->now / (double)now->target, eta);
    }
    write_rays(rays, sizeof rays, now);
    fprintf(stderr, "%scycle %s%s, %s cycles/s, %s%s%s", progress->terminal ? "\r" : "", cycles,
            rays, rate, spent, left, progress->terminal ? "\033[K" : "\n");
    fflush(stderr);
    progress->drawn = progress->terminal;
}

void progress_clear(struct progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}

static void progress_note(void *context, const char *text)
{
    progress_clear(context);
    fprintf(stderr, "%s\n", text);
}

struct run_listener progress_listener(struct progress *progress)
{
    progress->terminal = isatty(STDERR_FILENO);
    return (struct run_listener){ progress_show,
                                  progress->terminal ? PERIOD_TERMINAL : PERIOD_PLAIN,
                                  progress_note, progress };
}
