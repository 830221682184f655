/* wrong_files.c - every file in wrong/ must be refused with the words on its first line.
 *
 *     # expect: FILE:4:12: count: '0' is out of range, it must be 1 to 65536
 *     # set: a.count=0
 *
 * FILE stands for the file's path and DIR for its folder. Lines `# set:` are settings as on the
 * command line. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support.h"

static int is_yaml(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && !strcmp(ending, ".yaml");
}

/* The rest of the first line that starts with `mark`, or NULL; the caller frees. */
static char *marked_line(const char *text, const char *mark)
{
    const char *found = strstr(text, mark);
    if (!found || (found != text && found[-1] != '\n'))
        return NULL;
    found += strlen(mark);
    return text_format("%.*s", (int)strcspn(found, "\n"), found);
}

static char *replaced(const char *text, const char *old, const char *new)
{
    struct text out = { 0 };
    for (const char *at = text; *at;) {
        bool here = !strncmp(at, old, strlen(old));
        text_add(&out, here ? "%s" : "%.1s", here ? new : at);
        at += here ? strlen(old) : 1;
    }
    return out.chars ? out.chars : heap_copy("");
}

/* The message without what differs between machines. */
static char *message_abstract(const char *message, const char *path, const char *folder)
{
    char *without_path = replaced(message, path, "FILE");
    char *abstract = replaced(without_path, folder, "DIR");
    free(without_path);
    return abstract;
}

/* What a user is told of the file, or NULL if it is accepted. */
static bool refused(const char *path, const char *setting, struct ogv_error *error)
{
    ogv_arch *arch = ogv_arch_load(path, error);
    bool good = arch && (!setting || arch_apply_settings(arch, &setting, 1, error)) &&
                ogv_arch_check(arch, error);
    ogv_arch_destroy(arch);
    return !good;
}

/* 0 if the file is refused as it should be. */
static int file_differs(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    size_t length;
    char *text = file_text(path, &length);
    char *expected = marked_line(text, "# expect: ");
    char *line = strchr(text, '\n');
    char *setting = line ? marked_line(line + 1, "# set: ") : NULL;
    struct ogv_error error = { 0 };
    char *told = NULL;
    if (refused(path, setting, &error))
        told = message_abstract(error.message, path, folder);
    bool same = told && expected && error.kind == OGV_ERROR_USER && !strcmp(told, expected);
    if (!same)
        print_error("%s\n    expected: %s\n    told:     %s\n", name, expected ? expected : "?",
                    told ? told : "that it is good");
    free(told);
    free(setting);
    free(expected);
    free(text);
    free(path);
    return !same;
}

static void every_wrong_file_is_refused_with_its_message(void **state)
{
    (void)state;
    char *folder = text_format("%s/wrong", getenv("OGIVE_TEST_DATA"));
    char *real = realpath(folder, NULL);
    char *library = text_format("%s/parts/not_a_library.txt", folder);
    assert_true(ogv_library_allow(library, NULL));
    free(library);
    struct dirent **entries = NULL;
    int count = real ? scandir(real, &entries, is_yaml, alphasort) : -1;
    int different = 0;
    for (int i = 0; i < count; i++) {
        different += file_differs(real, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    free(real);
    assert_true(count >= 100);
    assert_int_equal(different, 0);
}

/* A comment would make it another file, so it is not among the others. */
static void file_without_a_byte_is_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    const char *path = folder_file("nothing.yaml", "");
    char expected[512];
    snprintf(expected, sizeof expected,
             "%s:1:1: the file is empty; an architecture needs `domains:`", path);
    assert_null(ogv_arch_load(path, &error));
    assert_string_equal(error.message, expected);
}

static void folder_is_not_an_architecture(void **state)
{
    (void)state;
    struct ogv_error error;
    assert_null(ogv_arch_load("/tmp", &error));
    assert_string_equal(error.message,
                        "'/tmp' is a folder; the file or name of an architecture is needed");
}

static void errors_need_not_be_taken(void **state)
{
    (void)state;
    assert_null(ogv_arch_load(folder_file("wrong.yaml", "name: [\n"), NULL));
    assert_null(ogv_arch_load(folder_path("nowhere.yaml"), NULL));
    ogv_arch *arch = ogv_arch_load(folder_file("part.yaml", "name: x\n"), NULL);
    assert_non_null(arch);
    assert_false(ogv_arch_check(arch, NULL));
    assert_false(ogv_arch_set(arch, "a.b.c", "1", NULL));
    assert_null(ogv_arch_export(arch, NULL));
    assert_null(ogv_system_create(arch, NULL));
    ogv_arch_destroy(arch);
}

static void file_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    size_t length = 5 * MiB;
    char *text = malloc(length + 1);
    memset(text, '#', length);
    text[length] = 0;
    const char *path = folder_file("large.yaml", text);
    free(text);
    assert_null(ogv_arch_load(path, &error));
    assert_non_null(strstr(error.message, "is larger than 4194304 bytes"));
}

static void text_that_stands_alone_may_not_name_files(void **state)
{
    (void)state;
    static const char extends[] = "extends: exchange\n", path[] = "name: x\nunit_path: x.so\n";
    struct ogv_error error;
    assert_null(arch_parse("text", extends, strlen(extends), ARCH_ALONE, &error));
    assert_string_equal(error.message,
                        "text:1:1: `extends` names other files, which this text may not");
    assert_null(arch_parse("text", path, strlen(path), ARCH_ALONE, &error));
    assert_string_equal(error.message,
                        "text:2:1: `unit_path` names other files, which this text may not");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_file_is_refused_with_its_message),
        folder_test(file_without_a_byte_is_refused),
        cmocka_unit_test(folder_is_not_an_architecture),
        folder_test(errors_need_not_be_taken),
        folder_test(file_beyond_the_limit_is_refused),
        cmocka_unit_test(text_that_stands_alone_may_not_name_files),
    };
    return cmocka_run_group_tests_name("wrong_files", tests, NULL, NULL);
}
