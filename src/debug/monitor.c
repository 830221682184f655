/* monitor.c - which command is meant, help, and words at a stop. */
#include "debug/monitor.h"

#include <string.h>

#include "run/program.h"

static monitor_function monitor_help;

static const struct monitor_row {
    const char *name, *usage, *help, *more;
    monitor_function *function;
} rows[] = {
    { "help", "[COMMAND]", "what there is, or more about one", "", monitor_help },
    { "why", "", "why the machine stands still", "", monitor_why },
    { "cycle", "", "where in time the machine stands", "", monitor_cycle },
    { "units", "[PART]", "the units whose path has PART in it, and what they hold",
      "Without PART, one line for all copies of a unit.\n", monitor_units },
    { "unit", "PATH", "one unit: statistics, links, what it waits for", "", monitor_unit },
    { "links", "[PATH]", "how full links are: all that hold something, or those of one unit", "",
      monitor_links },
    { "messages", "FROM -> TO", "messages under way on a link, with the cycle of their arrival", "",
      monitor_messages },
    { "stats", "[PART]", "statistics that have changed since the last stop, of units with PART", "",
      monitor_stats },
    { "waits", "", "who waits for whom, as in the report of a deadlock", "", monitor_waits },
    { "threads", "[STATE]", "how many threads do what; those in STATE, one by one", "",
      monitor_threads },
    { "lanes", "REGISTER", "one register in all threads of this thread's warp", "", monitor_lanes },
    { "code", "[ADDRESS] [COUNT]", "instructions, how often they issued and why they stalled",
      "Counts are those of a run with --profile. Without ADDRESS, around the pc.\n", monitor_code },
    { "ray", "", "the life of the ray that this thread waits for", "Needs --trace-rays N.\n",
      monitor_ray },
    { "break", "WHAT", "stop when something happens in the machine",
      "  break cycle N                  at that cycle\n"
      "  break stat PATH.NAME >= N      a unit's statistic gets there (or <=)\n"
      "  break link FROM -> TO full     no room is left on a link (or: empty)\n"
      "  break ray N                    the hit of a ray is sent to its thread, and N were before\n"
      "  break pixel X,Y                a thread is given this pixel to draw\n"
      "  break piece N                  a thread is given this piece of work\n"
      "Then `continue` or `reverse-continue`.\n",
      monitor_break },
    { "stops", "", "the stops that `break` has made", "", monitor_stops },
    { "delete", "N", "forget one of them", "", monitor_delete },
    { "stepping", "one|all|window|N", "what a step is",
      "  stepping one      this thread executes an instruction, while others run on\n"
      "  stepping all      all threads execute one at least\n"
      "  stepping N        of a machine without a program: so many cycles (at first, 1)\n"
      "  stepping window   the same: the cycles that its domains run alone\n",
      monitor_stepping },
    { "history", "", "how far back it goes, and what that takes", "", monitor_history },
    { "writes", "on|off", "allow changes of registers and memory", "The results tell of them.\n",
      monitor_writes },
};

#define ROWS (sizeof rows / sizeof *rows)

static const struct monitor_row *row_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length))
            return &rows[i];
    return NULL;
}

static void row_unknown(const char *name, struct text *out)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (size_t i = 0; i < ROWS; i++)
        nearest_offer(&nearest, rows[i].name);
    text_add(out, "there is no command '%s'%s; `monitor help` lists all\n", name,
             nearest_hint(&nearest, hint, sizeof hint));
}

static void monitor_help(const struct monitor_call *call)
{
    const struct monitor_row *row = row_find(call->rest, strlen(call->rest));
    if (*call->rest && !row) {
        row_unknown(call->rest, call->out);
        return;
    }
    if (row) {
        text_add(call->out, "monitor %s %s: %s\n%s", row->name, row->usage, row->help, row->more);
        return;
    }
    for (size_t i = 0; i < ROWS; i++)
        text_add(call->out, "  %-9s%-19s%s\n", rows[i].name, rows[i].usage, rows[i].help);
}

void monitor_command(void *context, u32 thread, const char *command, struct text *out)
{
    size_t length = strcspn(command, " ");
    const struct monitor_row *row = row_find(command, length);
    const char *rest = command + length;
    rest += strspn(rest, " ");
    if (row)
        row->function(&(struct monitor_call){ context, thread, rest, out });
    else
        row_unknown(command, out);
}

static void end_words(const struct debug *debug, struct text *out)
{
    if (debug->ended == RUN_STOPPED)
        text_add(out, "the run was to stop at cycle %llu", (unsigned long long)debug->newest);
    else
        text_add(out, "the run has ended at cycle %llu", (unsigned long long)debug->newest);
    if (debug->ended == RUN_FINISHED && program_present(debug->system))
        text_add(out, ", with exit code %llu",
                 (unsigned long long)program_exit_code(debug->system));
    text_add(out, "; it can go backwards from here, or be let go of (`continue`, `detach`), which "
                  "keeps its results\n");
}

void monitor_stop_words(struct debug *debug, struct text *out)
{
    enum target_stop_reason reason = debug->stop.reason;
    if (debug->stop.last)
        return;
    text_add(out, "%s", text_get(&debug->reason));
    if (reason == STOP_HANG || reason == STOP_FAULT)
        text_add(out, "%s\n", text_get(&debug->ending));
    else if (reason == STOP_END)
        end_words(debug, out);
}
