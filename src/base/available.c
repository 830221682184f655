/* available.c - see available.h. Linux says it in text files. */
#include "base/available.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LINE_BYTES 4096

/* The number that follows a word at the start of a line; false if there is none. */
static bool figure_read(const char *path, const char *word, u64 *value)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, word, strlen(word)) &&
                sscanf(line + strlen(word), " %" SCNu64, value) == 1;
    if (file)
        fclose(file);
    return found;
}

/* Version 2 of control groups has one hierarchy, version 1 one of its own for memory. */
static const struct group_version {
    const char *mark; /* in /proc/self/cgroup, before the path of the group */
    const char *root, *limit, *taken;
} versions[] = {
    { "0::", "/sys/fs/cgroup", "memory.max", "anon" },
    { ":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss" },
};

/* What is cached of files counts as taken, but is given back when memory is short. */
static u64 group_left(const struct group_version *version, const char *group)
{
    u64 limit, taken = 0;
    char *path = text_format("%s%s/%s", version->root, group, version->limit);
    bool limited = figure_read(path, "", &limit);
    free(path);
    if (!limited)
        return UINT64_MAX;
    path = text_format("%s%s/memory.stat", version->root, group);
    figure_read(path, version->taken, &taken);
    free(path);
    return limit > taken ? limit - taken : 0;
}

/* Inside a container the group's path may be that of the host; its own files are at the root. */
static u64 groups_left(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[LINE_BYTES];
    u64 left = UINT64_MAX;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        for (u32 i = 0; i < sizeof versions / sizeof *versions; i++) {
            const char *mark = strstr(line, versions[i].mark);
            if (!mark)
                continue;
            left = min_u64(left, group_left(&versions[i], mark + strlen(versions[i].mark)));
            left = min_u64(left, group_left(&versions[i], ""));
        }
    }
    if (file)
        fclose(file);
    return left;
}

u64 memory_available(void)
{
    u64 kibibytes;
    bool known = figure_read("/proc/meminfo", "MemAvailable:", &kibibytes);
    return min_u64(known ? kibibytes * KiB : UINT64_MAX, groups_left());
}
