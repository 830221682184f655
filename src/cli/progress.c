/* progress.c - what a run has done so far, in words: cycles, work, speed, time left. It is told
 * by the run's listener and writes to standard error alone. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/wall.h"
#include "cli/cli.h"
#include "cli/values.h"

#define PERIOD_LINE   0.1
#define PERIOD_PLAIN  10.0
#define PERIOD_LIMIT  1.0 /* between searches for what limits the chip */
#define PATIENCE      2.0 /* seconds: shorter tasks show no progress */
#define WIDTH_DEFAULT 80

bool progress_read(const char *command, const char *text, enum progress_style *style)
{
    static const char *const words[] = { "line", "plain", "none", NULL };
    u32 number;
    *style = PROGRESS_AUTO;
    if (!text)
        return true;
    if (!word_read(command, "progress", text, words, &number))
        return false;
    *style = (enum progress_style)(PROGRESS_LINE + number);
    return true;
}

/* ---- Any text ---- */

struct progress_line progress_line(enum progress_style style)
{
    if (style == PROGRESS_AUTO)
        style = isatty(STDERR_FILENO) ? PROGRESS_LINE : PROGRESS_PLAIN;
    return (struct progress_line){ style, false };
}

double progress_period(const struct progress_line *line)
{
    return line->style == PROGRESS_LINE ? PERIOD_LINE : PERIOD_PLAIN;
}

/* The last column stays free: a cursor behind it may be on the next line already. */
static size_t terminal_width(void)
{
    struct winsize size;
    const char *told = getenv("COLUMNS");
    unsigned long columns = told ? strtoul(told, NULL, 10) : 0;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        columns = size.ws_col;
    return (columns > 1 && columns <= UINT16_MAX ? columns : WIDTH_DEFAULT) - 1;
}

/* How much of a text fits: all, or whole parts of it, of which there is at least one. */
static size_t text_fitting(const char *text, size_t width)
{
    size_t length = strlen(text), end = 0;
    if (length <= width)
        return length;
    for (size_t i = 0; i <= width; i++)
        if (text[i] == ',' || text[i] == ';')
            end = i;
    return end ? end : width;
}

/* What does not fit would leave lines behind. */
void progress_show(struct progress_line *line, const char *text)
{
    if (line->style == PROGRESS_LINE)
        fprintf(stderr, "\r%.*s\033[K", (int)text_fitting(text, terminal_width()), text);
    else if (line->style == PROGRESS_PLAIN)
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
    line->drawn = line->style == PROGRESS_LINE;
}

void progress_clear(struct progress_line *line)
{
    if (line->drawn)
        fputs("\r\033[K", stderr);
    line->drawn = false;
}

/* ---- Numbers ---- */

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
    unsigned long whole = (unsigned long)fmin(seconds, 1e9);
    if (whole >= 3600)
        snprintf(buffer, size, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        snprintf(buffer, size, "%lu min %02lu s", whole / 60, whole % 60);
    else
        snprintf(buffer, size, "%lu s", whole);
}

static void add_simulated(struct text *text, double seconds)
{
    if (seconds >= 1)
        text_add(text, " (%.4g s)", seconds);
    else if (seconds >= 1e-3)
        text_add(text, " (%.4g ms)", seconds * 1e3);
    else
        text_add(text, " (%.4g us)", seconds * 1e6);
}

/* And of how many, if that is known. */
static void add_work(struct text *text, const char *what, u64 done, u64 in_all)
{
    char some[32], all[32];
    write_large(some, sizeof some, (double)done);
    write_large(all, sizeof all, (double)in_all);
    if (in_all)
        text_add(text, ", %s of %s %s", some, all, what);
    else if (done)
        text_add(text, ", %s %s", some, what);
}

/* ---- A task that knows how much of it is done ---- */

struct progress_task progress_task(const char *name, enum progress_style style)
{
    return (struct progress_task){ name, progress_line(style), wall_clock(), 0, 0 };
}

static void task_words(const struct progress_task *task, double done, double spent,
                       struct text *text)
{
    char number[32];
    text_add(text, "%s: %.0f%%", task->name, 100 * done);
    if (done > 0) {
        write_span(number, sizeof number, spent * (1 - done) / done);
        text_add(text, ", %s left", number);
    }
    write_span(number, sizeof number, spent);
    text_add(text, ", %s", number);
}

/* One thread at a time shows something, the others go on. */
void progress_task_show(void *context, double done)
{
    struct progress_task *task = context;
    if (task->line.style == PROGRESS_NONE || __atomic_exchange_n(&task->busy, 1, __ATOMIC_ACQUIRE))
        return;
    double now = wall_clock(), spent = now - task->begun;
    if (spent >= PATIENCE && now - task->shown >= progress_period(&task->line)) {
        struct text text = { 0 };
        task_words(task, done, spent, &text);
        progress_show(&task->line, text_get(&text));
        text_fini(&text);
        task->shown = now;
    }
    __atomic_store_n(&task->busy, 0, __ATOMIC_RELEASE);
}

/* ---- A run's ---- */

static void limit_find(struct progress *progress, const struct run_progress *now)
{
    struct ogv_error ignored;
    bool known = progress->current.result;
    if (known && now->wall_seconds - progress->looked < PERIOD_LIMIT)
        return;
    progress->looked = now->wall_seconds;
    if (known)
        current_look(&progress->current, now->record);
    else
        known = current_init(&progress->current, now->record, "", &ignored);
    if (known)
        current_words(&progress->current, progress->limit, sizeof progress->limit);
}

/* "34%, 23 s left, cycle 12.3 M (8.12 ms), 1024 of 65.54 k pixels, 40 k cycles/s, 12 s; ...": what
 * matters most comes first, as a narrow terminal shows no more. */
static void progress_words(struct progress *progress, const struct run_progress *now,
                           struct text *text)
{
    char number[32];
    limit_find(progress, now);
    if (!isnan(now->share))
        text_add(text, "%.0f%%, ", 100 * now->share);
    if (!isnan(now->seconds_left)) {
        write_span(number, sizeof number, now->seconds_left);
        text_add(text, "%s left, ", number);
    }
    write_large(number, sizeof number, (double)now->now);
    text_add(text, "cycle %s", number);
    add_simulated(text, now->simulated_seconds);
    add_work(text, "pixels", now->pixels, now->pixels_in_all);
    add_work(text, "rays", now->rays, now->rays_in_all);
    write_large(number, sizeof number, now->cycles_per_second);
    text_add(text, ", %s cycles/s", number);
    write_span(number, sizeof number, now->wall_seconds);
    text_add(text, ", %s", number);
    if (*progress->limit)
        text_add(text, "; limit: %s", progress->limit);
}

static void run_show(void *context, const struct run_progress *now)
{
    struct progress *progress = context;
    struct text text = { 0 };
    progress_words(progress, now, &text);
    progress_show(&progress->line, text_get(&text));
    text_fini(&text);
}

static void run_say_status(void *context, const struct run_progress *now)
{
    struct progress *progress = context;
    struct text text = { 0 };
    progress_words(progress, now, &text);
    progress_clear(&progress->line);
    fprintf(stderr, "%s\n", text_get(&text));
    text_fini(&text);
}

static void run_note(void *context, const char *text)
{
    progress_clear(&((struct progress *)context)->line);
    fprintf(stderr, "%s\n", text);
}

static void run_say_failure(void *context, const char *text)
{
    progress_clear(&((struct progress *)context)->line);
    say_error("%s", text);
}

void progress_init(struct progress *progress, enum progress_style style, bool quiet)
{
    *progress = (struct progress){ .line = progress_line(style), .quiet = quiet };
}

void progress_fini(struct progress *progress)
{
    progress_clear(&progress->line);
    current_fini(&progress->current);
}

struct run_listener progress_listener(struct progress *progress)
{
    struct run_listener listener = { .status = run_say_status,
                                     .failure = run_say_failure,
                                     .context = progress };
    if (progress->quiet)
        return listener;
    listener.note = run_note;
    listener.period_seconds = progress_period(&progress->line);
    listener.first_seconds = progress->line.style == PROGRESS_LINE ? 0 : listener.period_seconds;
    if (progress->line.style != PROGRESS_NONE)
        listener.progress = run_show;
    return listener;
}
