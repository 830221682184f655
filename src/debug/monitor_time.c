/* monitor_time.c - commands about time: where it stands, where to stop, how far back it goes. */
#include <stdlib.h>
#include <string.h>

#include "debug/monitor.h"

void monitor_cycle(const struct monitor_call *call)
{
    const struct debug *debug = call->debug;
    const struct chip *chip = debug->system->chip;
    text_add(call->out, "cycle %llu", (unsigned long long)chip->now);
    if (chip->clock_hz)
        text_add(call->out, " (%.3f us)", (double)chip->now / (double)chip->clock_hz * 1e6);
    if (chip->now < debug->newest)
        text_add(call->out, ", in the past: the run has come to %llu",
                 (unsigned long long)debug->newest);
    if (debug->ended != RUN_RUNNING)
        text_add(call->out, "; it ended there: %s", run_status_name(debug->ended));
    text_add(call->out, "\n");
}

/* ---- Stops ---- */

/* The piece of work that is a pixel: "X,Y". */
static bool pixel_piece(const struct monitor_call *call, const char *words, u64 *piece)
{
    const struct world *world = call->debug->record->world;
    char *end;
    u64 x = strtoull(words, &end, 10), y = *end == ',' ? strtoull(end + 1, &end, 10) : 0;
    if (!world || !world->rays.pixels) {
        text_add(call->out, "this run draws no scene; `break piece N` stops at a piece of work\n");
        return false;
    }
    if (*end || x >= world->header.width || y >= world->header.height) {
        text_add(call->out, "a pixel is X,Y, up to %u,%u\n", world->header.width - 1,
                 world->header.height - 1);
        return false;
    }
    u64 count = (u64)world->header.width * world->header.height;
    for (*piece = 0; *piece < count; ++*piece)
        if (world->rays.pixels[*piece] == y * world->header.width + x)
            return true;
    text_add(call->out, "pixel %s is not drawn\n", words);
    return false;
}

void monitor_break(const struct monitor_call *call)
{
    struct debug *debug = call->debug;
    u64 piece = 0;
    bool pixel = !strncmp(call->rest, "pixel ", 6);
    if (pixel && !pixel_piece(call, call->rest + 6, &piece))
        return;
    char *words = pixel ? text_format("piece %llu", (unsigned long long)piece) : NULL;
    u32 number =
        stops_add(&debug->stops, debug->system, pixel ? words : call->rest, call->rest, call->out);
    if (number)
        text_add(call->out, "stop %u: %s\n", number, call->rest);
    free(words);
}

void monitor_stops(const struct monitor_call *call)
{
    const struct stops *stops = &call->debug->stops;
    for (u32 i = 0; i < stops->count; i++)
        text_add(call->out, "stop %u: %s\n", stops->items[i].number, stops->items[i].words);
    if (!stops->count)
        text_add(call->out, "none; `monitor help break` says how to make one\n");
}

void monitor_delete(const struct monitor_call *call)
{
    if (stops_remove(&call->debug->stops, (u32)strtoul(call->rest, NULL, 10)))
        text_add(call->out, "forgotten\n");
    else
        text_add(call->out, "there is no stop %s; `monitor stops` lists them\n", call->rest);
}

/* ---- How ---- */

void monitor_stepping(const struct monitor_call *call)
{
    struct debug *debug = call->debug;
    char *end;
    u64 cycles = strtoull(call->rest, &end, 10);
    bool all = !strcmp(call->rest, "all");
    if (all || !strcmp(call->rest, "one"))
        debug->step_all = all;
    else if (!strcmp(call->rest, "window"))
        debug->step_cycles = debug->system->chip->window;
    else if (cycles && !*end)
        debug->step_cycles = cycles;
    else if (*call->rest)
        text_add(call->out, "stepping takes `one`, `all`, `window` or a number of cycles\n");
    text_add(call->out, "a step ends when %s; one of the machine is %llu cycle%s\n",
             debug->step_all ? "all threads have executed an instruction"
                             : "this thread has executed an instruction, while others run on",
             (unsigned long long)debug->step_cycles, debug->step_cycles == 1 ? "" : "s");
}

void monitor_why(const struct monitor_call *call)
{
    monitor_stop_words(call->debug, call->out);
    monitor_cycle(call);
}

void monitor_writes(const struct monitor_call *call)
{
    struct debug *debug = call->debug;
    bool on = !strcmp(call->rest, "on");
    if (on || !strcmp(call->rest, "off"))
        debug->options.allow_writes = on;
    else if (*call->rest)
        text_add(call->out, "writes takes `on` or `off`\n");
    text_add(call->out, "registers and memory can%s be changed; %u change%s so far\n",
             debug->options.allow_writes ? "" : "not", debug->edit_count,
             debug->edit_count == 1 ? "" : "s");
}

void monitor_history(const struct monitor_call *call)
{
    const struct past *past = &call->debug->past;
    if (!past->count) {
        text_add(call->out, "nothing is kept (--history 0): it cannot go back\n");
        return;
    }
    text_add(call->out,
             "back to cycle %llu, from %u copies of the machine that take %.1f of %.1f MiB of "
             "memory and %.1f of %.1f MiB of the disk%s; the last took %.1f ms\n",
             (unsigned long long)past->moments[0].at, past->count,
             (double)past->bytes / (double)MiB, (double)past->limit_bytes / (double)MiB,
             (double)past->spill.bytes / (double)MiB, (double)past->spill.limit_bytes / (double)MiB,
             past->spill.failed ? ", which takes no more" : "", past->cost_seconds * 1e3);
}
