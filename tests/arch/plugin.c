/* plugin.c - unit types from shared objects outside the tree.
 *
 * A process never forgets a type that it has loaded, so tests that need a clean start run in a
 * child, and come first: the parent has not loaded anything then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/energy.h"
#include "base/file.h"
#include "base/text.h"
#include "support.h"
#include "unit/registry.h"

static const char *built(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("OGIVE_TEST_BUILD"), name);
    return path;
}

static void allow(const char *path)
{
    struct ogv_error error;
    assert_good(ogv_library_allow(path, &error), error);
}

static ogv_arch *relay_arch(void)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(built("relay.yaml"), &error);
    assert_good(arch, error);
    return arch;
}

static ogv_system *relay_system(void)
{
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    ogv_system *system = ogv_system_create(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(system, error);
    return system;
}

/* ---- In a process of their own; these return an explanation, or NULL when all is well ---- */

typedef const char *(*child_function)(void);

static void assert_child_is_content(child_function function)
{
    int pipes[2], status;
    char words[1024] = "";
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        const char *complaint = function();
        ssize_t written = complaint ? write(pipes[1], complaint, strlen(complaint)) : 0;
        _exit(complaint || written < 0);
    }
    close(pipes[1]);
    assert_true(read(pipes[0], words, sizeof words - 1) >= 0);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("child ended with status %d: %s", status, words);
}

static ogv_system *load_and_build(const char *path, struct ogv_error *error)
{
    ogv_arch *arch = ogv_arch_load(path, error);
    ogv_system *system = arch ? ogv_system_create(arch, error) : NULL;
    ogv_arch_destroy(arch);
    return system;
}

static struct ogv_error child_error;
static char uninterrupted[33];

/* Runs half of it, leaves a checkpoint, and goes on to the end. */
static const char *write_checkpoint(void)
{
    ogv_system *system = load_and_build(built("relay.yaml"), &child_error);
    if (!system || ogv_system_run(system, 150, &child_error) != OGV_END_REACHED ||
        !ogv_system_checkpoint(system, folder_path("half.ogv"), &child_error) ||
        ogv_system_run(system, OGV_FOREVER, &child_error) != OGV_END_FINISHED)
        return child_error.message;
    ogv_system_digest(system, uninterrupted);
    return file_write(folder_path("digest"), uninterrupted, 32, &child_error) ? NULL
                                                                              : child_error.message;
}

static const char *resume_to_the_same_end(void)
{
    char digest[33];
    size_t length;
    ogv_system *system = ogv_system_resume(folder_path("half.ogv"), &child_error);
    if (!system || ogv_system_run(system, OGV_FOREVER, &child_error) != OGV_END_FINISHED)
        return child_error.message;
    ogv_system_digest(system, digest);
    char *expected = file_read(folder_path("digest"), 64, &length, &child_error);
    return expected && !strcmp(digest, expected) ? NULL : "another digest";
}

static const char *expect_other_libraries(ogv_system *system)
{
    if (system)
        return "was resumed";
    return strstr(child_error.message, "with other unit libraries") ? NULL : child_error.message;
}

/* With another library first, the type has another number, which the arena does not know. */
static const char *resume_after_another_library(void)
{
    char *text = text_format("unit_path: %s\n"
                             "domains: { a: { units: { s: { type: source }, h: { type: hole } },\n"
                             "  links: [ s -> h ] } }\n",
                             built("second.so"));
    ogv_system *other = load_and_build(folder_file("second.yaml", text), &child_error);
    if (!other)
        return child_error.message;
    ogv_system_destroy(other);
    return expect_other_libraries(ogv_system_resume(folder_path("half.ogv"), &child_error));
}

static void resumed_run_ends_like_an_uninterrupted_one(void **state)
{
    (void)state;
    assert_child_is_content(write_checkpoint);
    assert_child_is_content(resume_to_the_same_end);
}

static void resuming_after_another_library_is_refused(void **state)
{
    (void)state;
    assert_child_is_content(write_checkpoint);
    assert_child_is_content(resume_after_another_library);
}

/* The library next to a file of its own, so that it can be changed. */
static void copy_library(const char *more)
{
    struct ogv_error error;
    size_t length;
    char *bytes = file_text(built("relay.so"), &length), *arch;
    bytes = realloc(bytes, length + strlen(more));
    memcpy(bytes + length, more, strlen(more));
    assert_good(file_write(folder_path("copy.so"), bytes, length + strlen(more), &error), error);
    allow(folder_path("copy.so"));
    free(bytes);
    arch = file_text(built("relay.yaml"), &length);
    char *name = strstr(arch, "relay.so");
    memcpy(name, "copy.so ", 8);
    folder_file("copy.yaml", arch);
    free(arch);
}

static const char *checkpoint_of_the_copy(void)
{
    ogv_system *system = load_and_build(folder_path("copy.yaml"), &child_error);
    bool good = system && ogv_system_run(system, 150, &child_error) == OGV_END_REACHED &&
                ogv_system_checkpoint(system, folder_path("copy.ogv"), &child_error);
    return good ? NULL : child_error.message;
}

static const char *resume_of_the_copy(void)
{
    return ogv_system_resume(folder_path("copy.ogv"), &child_error) ? NULL : child_error.message;
}

static const char *refusal_of_the_copy(void)
{
    return expect_other_libraries(ogv_system_resume(folder_path("copy.ogv"), &child_error));
}

static void resuming_with_a_changed_library_is_refused(void **state)
{
    (void)state;
    copy_library("");
    assert_child_is_content(checkpoint_of_the_copy);
    assert_child_is_content(resume_of_the_copy);
    copy_library(" and one thing more");
    assert_child_is_content(refusal_of_the_copy);
}

/* ---- Not without being allowed ---- */

static const char *trap_text(void)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "unit_path: %s\n"
             "domains: { a: { units: { s: { type: source }, k: { type: sink } },\n"
             "  links: [ s -> k ] } }\n",
             built("trap.so"));
    return text;
}

/* Every way to an architecture: with it, extended by another, checked, exported, built. */
static const char *refuse_the_trap(void)
{
    const char *file = folder_file("trap.yaml", trap_text());
    char *told = text_format("%s:1:12: %s is native code", file, built("trap.so"));
    ogv_arch *archs[2] = { ogv_arch_load(file, NULL),
                           ogv_arch_load(folder_file("over.yaml", "extends: trap.yaml\n"), NULL) };
    setenv("OGIVE_TEST_TRAP", folder_path("sprung"), 1);
    for (u32 i = 0; i < 2; i++) {
        if (ogv_arch_check(archs[i], NULL) || ogv_arch_export(archs[i], NULL) ||
            ogv_system_create(archs[i], &child_error))
            return "was loaded";
        if (strncmp(child_error.message, told, strlen(told)))
            return child_error.message;
    }
    return file_exists(folder_path("sprung")) ? "its code was run" : NULL;
}

static const char *spring_the_trap(void)
{
    setenv("OGIVE_TEST_TRAP", folder_path("sprung"), 1);
    if (!ogv_library_allow(getenv("OGIVE_TEST_BUILD"), &child_error) ||
        !load_and_build(folder_file("trap.yaml", trap_text()), &child_error))
        return child_error.message;
    return file_exists(folder_path("sprung")) ? NULL : "its code was not run";
}

static void library_that_was_not_allowed_is_not_loaded(void **state)
{
    (void)state;
    assert_child_is_content(refuse_the_trap);
}

static void library_in_an_allowed_folder_is_loaded(void **state)
{
    (void)state;
    assert_child_is_content(spring_the_trap);
}

static void library_that_is_not_there_cannot_be_allowed(void **state)
{
    (void)state;
    struct ogv_error error;
    assert_false(ogv_library_allow("/nowhere/x.so", &error));
    assert_string_equal(error.message,
                        "cannot allow the library '/nowhere/x.so': No such file or directory");
}

static bool load_instruction(void)
{
    char *path = NULL;
    if (ogv_library_allow(built("instruction.so"), &child_error))
        path = registry_load(built("instruction.so"), &child_error);
    free(path);
    return path;
}

/* The cores of a chip would look for its place beyond their tables. */
static const char *instruction_after_a_chip(void)
{
    ogv_system *system = load_and_build("tiny", &child_error);
    if (!system)
        return child_error.message;
    if (load_instruction())
        return "was added while a chip was there";
    if (!strstr(child_error.message, "instruction.so: instruction 'twice' comes too late: a chip "
                                     "was built whose cores have no place for it"))
        return child_error.message;
    ogv_system_destroy(system);
    return load_instruction() ? NULL : child_error.message;
}

static const char *instruction_before_a_chip(void)
{
    if (!load_instruction() || !load_and_build("tiny", &child_error) || !load_instruction())
        return child_error.message;
    return NULL;
}

static void instruction_is_refused_while_a_chip_would_not_know_it(void **state)
{
    (void)state;
    assert_child_is_content(instruction_after_a_chip);
    assert_child_is_content(instruction_before_a_chip);
}

/* ---- In this process ---- */

static void library_next_to_the_file_is_found(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    assert_good(ogv_arch_check(arch, &error), error);
    ogv_arch_destroy(arch);
    assert_true(registry_find("relay") > 0);
}

static void unit_runs_and_its_statistics_are_read(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_system *system = relay_system();
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    assert_int_equal((u64)stat_of(system, "a[0].relay.left"), 51);
    assert_int_equal((u64)stat_of(system, "a[1].relay.right"), 50);
    assert_int_equal((u64)stat_of(system, "a[*].relay.left"), 102);
    assert_int_equal((u64)stat_of(system, "a.relay.tag_max"), 100);
    assert_int_equal((u64)stat_of(system, "a.relay.taken"), 101);
    assert_true(stat_of(system, "a.relay.balance") == 102.0 / 100.0);
    assert_int_equal((u64)stat_of(system, "a.even.received"), 102);
    ogv_system_destroy(system);
}

static void parameter_reaches_the_unit(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    assert_good(ogv_arch_set(arch, "a.relay.swap", "true", &error), error);
    ogv_system *system = ogv_system_create(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(system, error);
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    assert_int_equal((u64)stat_of(system, "a[0].relay.left"), 50);
    ogv_system_destroy(system);
}

static void export_names_the_library_by_its_whole_path(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    char *once = ogv_arch_export(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(once, error);
    assert_non_null(strstr(once, "unit_path:\n  - \"/"));
    assert_non_null(strstr(once, "        swap: false\n        width: 32 bit\n"
                                 "        rate: 1500 GB/s\n        refresh: 60 Hz\n"
                                 "        factor: 0.25\n"
                                 "        label: \"a: 'label' # \\\"x\\\"\"\n"));
    arch = ogv_arch_load(folder_file("elsewhere.yaml", once), &error);
    assert_good(arch, error);
    char *twice = ogv_arch_export(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(twice, error);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

static void assert_setting_refused(const char *path, const char *value, const char *expected)
{
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    assert_good(ogv_arch_set(arch, path, value, &error), error);
    assert_false(ogv_arch_check(arch, &error));
    ogv_arch_destroy(arch);
    if (!strstr(error.message, expected))
        fail_msg("no '%s' in '%s'", expected, error.message);
}

static void parameters_are_checked_like_those_in_the_tree(void **state)
{
    (void)state;
    assert_setting_refused("a.relay.swap", "yes",
                           "setting a.relay.swap=yes: swap: 'yes' must be true or false");
    assert_setting_refused("a.relay.width", "32", "width: '32' needs a unit (bit), as in '16 bit'");
    assert_setting_refused("a.relay.rate", "448 GBps",
                           "rate: '448 GBps' has the wrong unit 'GBps', it takes TB/s, GB/s, MB/s, "
                           "kB/s, B/s; did you mean 'GB/s'?");
    assert_setting_refused("a.relay.factor", "-2",
                           "factor: '-2' is out of range, it must be -1 to 1");
    assert_setting_refused("a.relay.widht", "2 bit",
                           "a relay has no parameter 'widht'; did you mean 'width'?");
}

static void init_may_refuse_with_a_reason_or_without(void **state)
{
    (void)state;
    assert_setting_refused("a.relay.label", "refuse",
                           "a[0].relay: does not like its label 'refuse'");
    assert_setting_refused("a.relay.label", "silent",
                           "a[0].relay: its init function refused, without a reason");
}

static void link_must_tell_two_fitting_ports_apart(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    assert_good(ogv_arch_add_link(arch, "a.relay", "a.even", "{ latency: 1 cycles }", &error),
                error);
    assert_false(ogv_arch_check(arch, &error));
    ogv_arch_destroy(arch);
    assert_string_equal(error.message,
                        "a.relay -> a.even: 'a.relay -> a.even': 2 pairs of ports fit; "
                        "name them, as in unit.port");
}

static void port_of_the_wrong_direction_is_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = relay_arch();
    assert_good(ogv_arch_add_link(arch, "a.relay.in", "a.even", "{ latency: 1 cycles }", &error),
                error);
    assert_false(ogv_arch_check(arch, &error));
    ogv_arch_destroy(arch);
    assert_non_null(strstr(error.message, "no way from a relay to a sink through these ports; "
                                          "`ogive units relay` shows its ports"));
}

static void assert_library_refused(const char *library, const char *expected)
{
    struct ogv_error error;
    char *text = text_format("unit_path: [ \"%s\" ]\n"
                             "domains: { a: { units: { s: { type: source }, k: { type: sink } },\n"
                             "  links: [ s -> k ] } }\n",
                             library);
    const char *path = folder_file("wrong.yaml", text);
    free(text);
    ogv_arch *arch = ogv_arch_load(path, &error);
    assert_good(arch, error);
    assert_false(ogv_arch_check(arch, &error));
    ogv_arch_destroy(arch);
    char *message = text_format("%s:1:14: %s", path, expected);
    assert_string_equal(error.message, message);
    free(message);
}

static void library_of_another_interface_is_refused(void **state)
{
    (void)state;
    char *expected =
        text_format("%s: was compiled for unit interface %d, this is %d; compile it again",
                    built("wrong_abi.so"), OGIVE_UNIT_ABI + 1, OGIVE_UNIT_ABI);
    assert_library_refused(built("wrong_abi.so"), expected);
    free(expected);
}

static void library_without_unit_types_is_refused(void **state)
{
    (void)state;
    char *expected =
        text_format("%s: holds no unit types (it should end with OGIVE_UNITS(...), see "
                    "ogive/unit.h)",
                    built("no_units.so"));
    assert_library_refused(built("no_units.so"), expected);
    free(expected);
}

static void energy_of_no_statistic_is_refused(void **state)
{
    (void)state;
    char *expected =
        text_format("%s: unit type 'uncounted': energy 'step' is of 'steps', no statistic",
                    built("uncounted.so"));
    assert_library_refused(built("uncounted.so"), expected);
    free(expected);
}

static void assert_tracer_refused(const char *lacks, const char *why)
{
    char *name = text_format("tracer_%s.so", lacks);
    char *expected =
        text_format("%s: unit type 'tracer'%s%s", built(name), *why == ':' ? "" : " ", why);
    assert_library_refused(built(name), expected);
    free(expected);
    free(name);
}

static void type_that_traces_rays_has_what_is_asked_of_it(void **state)
{
    (void)state;
    assert_tracer_refused("tree", "traces rays, but lacks `rays.tree`");
    assert_tracer_refused("followed", "traces rays, but lacks `rays.followed`");
    assert_tracer_refused("counter", ": rays.rays is 'rays', no statistic");
}

static void rows_of_no_statistic_are_refused(void **state)
{
    (void)state;
    char *expected = text_format(
        "%s: unit type 'misnamed': resource 'bandwidth' names 'byts', which is neither a statistic "
        "nor a parameter that is a number; did you mean 'bytes'?",
        built("misnamed.so"));
    assert_library_refused(built("misnamed.so"), expected);
    free(expected);
}

static void role_that_is_not_filled_is_refused(void **state)
{
    (void)state;
    char *expected = text_format(
        "%s: unit type 'handless' runs programs, but lacks `programs.hart`", built("handless.so"));
    assert_library_refused(built("handless.so"), expected);
    free(expected);
}

static void energy_of_a_loaded_type_is_counted(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_system *system = load_and_build(built("relay.yaml"), &error);
    assert_good(system, error);
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    struct energy_model *model = energy_create(system);
    double left = 0;
    for (u32 i = 0; i < model->group_count; i++) {
        const struct energy_group *group = &model->groups[i];
        u64 sums[16];
        if (strcmp(group->units.unit->type->name, "relay"))
            continue;
        energy_sums(system, group, sums);
        left += (double)sums[0];
        assert_true(energy_group_use(group, sums, 0).events == (double)sums[0] * 2.5 * 1e-12);
    }
    assert_true(left > 0);
    energy_destroy(model);
    ogv_system_destroy(system);
}

static void unit_type_without_a_step_is_refused(void **state)
{
    (void)state;
    char *expected = text_format("%s: a unit type in it lacks a name, a list or a tick function",
                                 built("lacking.so"));
    assert_library_refused(built("lacking.so"), expected);
    free(expected);
}

static void second_type_of_the_same_name_is_refused(void **state)
{
    (void)state;
    copy_library("");
    char *expected =
        text_format("%s: its unit type 'relay' has the name of one that exists already",
                    folder_path("copy.so"));
    ogv_system_destroy(relay_system());
    assert_library_refused(folder_path("copy.so"), expected);
    free(expected);
}

static void libraries_of_extended_files_add_up(void **state)
{
    (void)state;
    struct ogv_error error;
    char *text = text_format("extends: %s\n", built("relay.yaml"));
    text = realloc(text, strlen(text) + 4200);
    sprintf(text + strlen(text), "unit_path: %s\n", built("second.so"));
    strcat(text, "domains:\n  a:\n    units: { even: { type: hole } }\n");
    ogv_arch *arch = ogv_arch_load(folder_file("both.yaml", text), &error);
    free(text);
    assert_good(arch, error);
    assert_good(ogv_arch_set(arch, "a.even.clock", "1 GHz", &error), error);
    assert_good(ogv_arch_check(arch, &error), error);
    ogv_arch_destroy(arch);
}

static void allow_built(void)
{
    static const char *const names[] = {
        "handless.so",    "lacking.so",   "misnamed.so",       "no_units.so",
        "relay.so",       "second.so",    "tracer_counter.so", "tracer_followed.so",
        "tracer_tree.so", "uncounted.so", "wrong_abi.so"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        allow(built(names[i]));
}

int main(void)
{
    allow_built();
    const struct CMUnitTest tests[] = {
        folder_test(resumed_run_ends_like_an_uninterrupted_one),
        folder_test(resuming_after_another_library_is_refused),
        folder_test(resuming_with_a_changed_library_is_refused),
        folder_test(library_that_was_not_allowed_is_not_loaded),
        folder_test(library_in_an_allowed_folder_is_loaded),
        cmocka_unit_test(library_that_is_not_there_cannot_be_allowed),
        cmocka_unit_test(instruction_is_refused_while_a_chip_would_not_know_it),
        cmocka_unit_test(library_next_to_the_file_is_found),
        cmocka_unit_test(unit_runs_and_its_statistics_are_read),
        cmocka_unit_test(parameter_reaches_the_unit),
        folder_test(export_names_the_library_by_its_whole_path),
        cmocka_unit_test(parameters_are_checked_like_those_in_the_tree),
        cmocka_unit_test(init_may_refuse_with_a_reason_or_without),
        cmocka_unit_test(link_must_tell_two_fitting_ports_apart),
        cmocka_unit_test(port_of_the_wrong_direction_is_refused),
        folder_test(library_of_another_interface_is_refused),
        folder_test(library_without_unit_types_is_refused),
        folder_test(unit_type_without_a_step_is_refused),
        folder_test(energy_of_no_statistic_is_refused),
        folder_test(type_that_traces_rays_has_what_is_asked_of_it),
        folder_test(rows_of_no_statistic_are_refused),
        folder_test(role_that_is_not_filled_is_refused),
        folder_test(energy_of_a_loaded_type_is_counted),
        folder_test(second_type_of_the_same_name_is_refused),
        folder_test(libraries_of_extended_files_add_up),
    };
    return cmocka_run_group_tests_name("plugin", tests, NULL, NULL);
}
