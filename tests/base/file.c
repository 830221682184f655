/* file.c - files that are read are plain ones; files that are written are whole or not there. */
#include "base/file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"

static char folder[64];
static struct rlimit unlimited;

static int folder_setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ogive-file-XXXXXX");
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too long is an error of write() */
    return getrlimit(RLIMIT_FSIZE, &unlimited) || !mkdtemp(folder) || chdir(folder);
}

static int folder_teardown(void **state)
{
    (void)state;
    setrlimit(RLIMIT_FSIZE, &unlimited);
    static const char *const names[] = { "file", "file.new", "pipe", "link", "target", "below" };
    for (u32 i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    return chdir("/") || rmdir(folder);
}

/* From now on the disk is full for files of more than so many bytes. */
static void disk_limit(u64 bytes)
{
    struct rlimit limit = { bytes, unlimited.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void expect_contents(const char *path, const char *expected)
{
    struct ogv_error error;
    size_t length;
    char *text = file_read(path, 1 * MiB, &length, &error);
    if (!text)
        fail_msg("%s", error.message);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_refused(const char *path, const char *message)
{
    struct ogv_error error;
    size_t length;
    assert_null(file_read(path, 1 * MiB, &length, &error));
    assert_int_equal(error.kind, OGV_ERROR_USER);
    assert_string_equal(error.message, message);
    assert_int_equal(file_open_descriptor(path, NULL), -1);
}

/* Each of them is refused at once; a pipe that nobody writes to would be waited for. */
static void what_is_no_plain_file_is_not_read(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("below", 0700), 0);
    expect_refused("pipe", "pipe: is a pipe, not a plain file");
    expect_refused("below", "below: is a folder, not a plain file");
    expect_refused("/dev/zero", "/dev/zero: is a device, not a plain file");
    expect_refused("nothing", "nothing: cannot open: No such file or directory");
}

static void file_is_replaced_whole_or_not_at_all(void **state)
{
    (void)state;
    struct ogv_error error;
    assert_true(file_write("file", "before", 6, &error));
    disk_limit(10);
    assert_false(file_write("file", "longer than ten", 15, &error));
    assert_int_equal(error.kind, OGV_ERROR_SYSTEM);
    assert_string_equal(error.message, "file: cannot write: File too large");
    expect_contents("file", "before");
    assert_false(file_exists("file.new"));
    assert_true(file_write("file", "after", 5, &error));
    expect_contents("file", "after");
}

static void draft_that_is_not_good_leaves_nothing(void **state)
{
    (void)state;
    struct ogv_error error;
    struct draft draft;
    assert_true(draft_open(&draft, "file", &error));
    assert_true(draft_add(&draft, "some", 4, &error));
    assert_false(draft_finish(&draft, false, &error));
    assert_false(file_exists("file"));
    assert_false(file_exists("file.new"));
}

/* A link or a device that is written to stays what it is. */
static void what_is_no_plain_file_is_not_replaced(void **state)
{
    (void)state;
    struct ogv_error error;
    struct stat status;
    assert_int_equal(symlink("target", "link"), 0);
    assert_true(file_write("link", "a long text", 11, &error)); /* which led nowhere */
    expect_contents("target", "a long text");
    assert_true(file_write("link", "short", 5, &error));
    expect_contents("target", "short");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink("link");
    assert_int_equal(symlink("/dev/full", "link"), 0);
    assert_false(file_write("link", "x", 1, &error));
    assert_string_equal(error.message, "link: cannot write: No space left on device");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void piece_that_does_not_fit_is_taken_away(void **state)
{
    (void)state;
    struct ogv_error error;
    struct journal journal;
    assert_true(journal_open(&journal, heap_copy("file"), true, &error));
    assert_true(journal_add(&journal, "one\n", 4, &error));
    disk_limit(6);
    assert_false(journal_add(&journal, "two\n", 4, &error));
    assert_string_equal(error.message, "file: cannot write: File too large");
    expect_contents("file", "one\n");
    assert_true(journal_add(&journal, "3\n", 2, &error));
    expect_contents("file", "one\n3\n");
    assert_true(journal_close(&journal, &error));
    assert_true(journal_close(&journal, &error));
}

static void journal_goes_on_where_it_was(void **state)
{
    (void)state;
    struct ogv_error error;
    struct journal journal;
    for (u32 i = 0; i < 3; i++) {
        assert_true(journal_open(&journal, heap_copy("file"), i == 0, &error));
        journal_reserve(&journal, 4096); /* takes room, and adds nothing */
        assert_true(journal_add(&journal, "line\n", 5, &error));
        assert_true(journal_close(&journal, &error));
    }
    expect_contents("file", "line\nline\nline\n");
    assert_false(journal_open(&journal, heap_copy("none/file"), true, &error));
    assert_string_equal(error.message, "none/file: cannot write: No such file or directory");
    assert_true(journal_close(&journal, &error));
}

/* However full the disk is. */
static void bytes_that_are_there_can_be_changed(void **state)
{
    (void)state;
    struct ogv_error error;
    assert_true(file_write("file", "status running", 14, &error));
    disk_limit(12);
    assert_true(file_patch("file", 7, "ended", 5, &error));
    expect_contents("file", "status endedng");
    assert_false(file_patch("none", 7, "ended", 5, &error));
    assert_string_equal(error.message, "none: cannot write: No such file or directory");
}

static void closing_tells_what_was_lost(void **state)
{
    (void)state;
    struct ogv_error error;
    FILE *stream = fopen("/dev/full", "we");
    fputs("little", stream);
    assert_false(file_close(stream, "name", &error));
    assert_string_equal(error.message, "name: cannot write: No space left on device");
    stream = fopen("/dev/full", "we");
    setvbuf(stream, NULL, _IONBF, 0);
    fputs("little", stream);
    assert_false(file_close(stream, "name", &error));
    assert_string_equal(error.message, "name: cannot write: an earlier part was lost");
    stream = fopen("file", "we");
    fputs("little", stream);
    assert_true(file_close(stream, "file", &error));
    expect_contents("file", "little");
}

#define file_test(function) cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        file_test(what_is_no_plain_file_is_not_read),
        file_test(file_is_replaced_whole_or_not_at_all),
        file_test(draft_that_is_not_good_leaves_nothing),
        file_test(what_is_no_plain_file_is_not_replaced),
        file_test(piece_that_does_not_fit_is_taken_away),
        file_test(journal_goes_on_where_it_was),
        file_test(bytes_that_are_there_can_be_changed),
        file_test(closing_tells_what_was_lost),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
