/* tool.c - see tool.h. Both streams go to files without names, so that neither can block. */
#include "explore/tool.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

extern char **environ;

static void heard(int descriptor, struct text *out)
{
    char chunk[4096];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(descriptor, chunk, sizeof chunk, at)) > 0) {
        text_add_bytes(out, chunk, (size_t)got);
        at += got;
    }
}

static bool tool_wait(char *const *words, int said, int complained, struct ogv_error *error)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, said, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complained, STDERR_FILENO);
    int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return error_system(error, "cannot run %s: %s", words[0], strerror(failed));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        return true;
    struct text words_said = { 0 };
    heard(complained, &words_said);
    text_add(&words_said, "%s", "");
    words_said.chars[strcspn(words_said.chars, "\n")] = 0;
    error_system(error, "%s failed: %s", words[0], words_said.chars);
    text_fini(&words_said);
    return false;
}

bool tool_run(char *const *words, struct text *out, struct ogv_error *error)
{
    int said = memfd_create("said", MFD_CLOEXEC),
        complained = memfd_create("complained", MFD_CLOEXEC);
    bool good = said >= 0 && complained >= 0 ? tool_wait(words, said, complained, error)
                                             : error_system(error, "no file for what %s says: %s",
                                                            words[0], strerror(errno));
    if (good)
        heard(said, out);
    if (said >= 0)
        close(said);
    if (complained >= 0)
        close(complained);
    return good;
}
