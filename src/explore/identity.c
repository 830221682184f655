/* identity.c - see identity.h.
 *
 * Machines are read once for each file, and worked out once for each set of settings; programs and
 * scenes are read once for each name. */
#include "explore/identity.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"
#include "explore/fingerprint.h"

/* Something that was worked out once, found by a text. */
struct fact {
    char *name;
    char digits[HASH_TEXT_BYTES];
    double bytes;
    ogv_arch *arch;
};

struct identities {
    struct study *study;
    char build[HASH_TEXT_BYTES];
    void *facts; /* of tsearch */
};

static int fact_compare(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->name, ((const struct fact *)b)->name);
}

/* A new one has no digits and no machine yet. Takes the name. */
static struct fact *fact_find(struct identities *known, char *name)
{
    struct fact *fact = heap_array(1, sizeof *fact);
    fact->name = name;
    struct fact **found = tsearch(fact, &known->facts, fact_compare);
    if (!found)
        heap_exhausted(sizeof *fact);
    if (*found != fact) {
        free(name);
        free(fact);
    }
    return *found;
}

static void fact_free(void *item)
{
    struct fact *fact = item;
    ogv_arch_destroy(fact->arch);
    free(fact->name);
    free(fact);
}

struct identities *identities_create(struct study *study)
{
    struct identities *known = heap_array(1, sizeof *known);
    known->study = study;
    hash_build(known->build);
    return known;
}

void identities_destroy(struct identities *known)
{
    if (!known)
        return;
    tdestroy(known->facts, fact_free);
    free(known);
}

/* A mistake at a place, for what was found further down. */
static bool value_fail(struct patch_value value, const struct ogv_error *why,
                       struct ogv_error *error)
{
    if (why->kind == OGV_ERROR_SYSTEM || !value.place.file) {
        *error = *why;
        return false;
    }
    return place_error(error, value.place, "%s", why->message);
}

/* ---- The machine ---- */

static const ogv_arch *arch_find_once(struct identities *known, const struct point *point,
                                      struct ogv_error *error)
{
    const struct patch_value *machine = &point->patch.options[OPTION_MACHINE];
    const char *library = point->patch.options[OPTION_LOAD].text;
    struct fact *fact = fact_find(known, text_format("arch %s", machine->text));
    struct ogv_error why;
    if (library && !ogv_library_allow(library, &why)) {
        value_fail(point->patch.options[OPTION_LOAD], &why, error);
        return NULL;
    }
    if (!fact->arch)
        fact->arch = ogv_arch_load(machine->text, &why);
    if (!fact->arch)
        value_fail(*machine, &why, error);
    return fact->arch;
}

/* Which setting a message is about: it begins with "setting PATH=VALUE". */
static struct patch_value setting_blamed(const struct point *point, const char *message)
{
    for (u32 i = point->patch.setting_count; i-- > 0;) {
        const struct patch_setting *setting = &point->patch.settings[i];
        char *words = text_format("setting %s=%s", setting->path, setting->value.text);
        bool blamed = !strncmp(message, words, strlen(words));
        free(words);
        if (blamed)
            return setting->value;
    }
    return point->patch.options[OPTION_MACHINE];
}

static struct plan *plan_make(const ogv_arch *arch, const struct point *point,
                              struct ogv_error *error)
{
    ogv_arch *copy = ogv_arch_copy(arch);
    struct ogv_error why;
    bool good = true;
    for (u32 i = 0; good && i < point->patch.setting_count; i++) {
        const struct patch_setting *setting = &point->patch.settings[i];
        good = ogv_arch_set(copy, setting->path, setting->value.text, &why);
        if (!good)
            value_fail(setting->value, &why, error);
    }
    struct plan *plan = good ? plan_create(copy, &why) : NULL;
    if (good && !plan)
        value_fail(setting_blamed(point, why.message), &why, error);
    ogv_arch_destroy(copy);
    return plan;
}

static char *machine_name(const struct point *point)
{
    struct text name = { 0 };
    text_add(&name, "plan %s", point->patch.options[OPTION_MACHINE].text);
    for (u32 i = 0; i < point->patch.setting_count; i++)
        text_add(&name, "\n%s=%s", point->patch.settings[i].path,
                 point->patch.settings[i].value.text);
    return name.chars;
}

/* The machine after defaults, and what it takes. */
static const struct fact *machine_find(struct identities *known, const struct point *point,
                                       struct ogv_error *error)
{
    struct fact *fact = fact_find(known, machine_name(point));
    if (*fact->digits)
        return fact;
    const ogv_arch *arch = arch_find_once(known, point, error);
    struct plan *plan = arch ? plan_make(arch, point, error) : NULL;
    struct ogv_error why;
    bool good = plan && (plan_bytes(plan, &fact->bytes, &why) ||
                         value_fail(point->patch.options[OPTION_MACHINE], &why, error));
    if (good) {
        struct text text = { 0 };
        struct hash *hash = hash_create();
        plan_export(plan, &text);
        hash_add_text(hash, text_get(&text));
        hash_finish(hash, fact->digits);
        text_fini(&text);
    }
    plan_destroy(plan);
    return good ? fact : NULL;
}

/* ---- Program and scene ---- */

static const struct fact *program_find(struct identities *known, const struct point *point,
                                       struct ogv_error *error)
{
    struct patch_value program = point->patch.options[OPTION_PROGRAM];
    struct fact *fact =
        fact_find(known, text_format("program %s", program.text ? program.text : ""));
    struct ogv_error why;
    if (*fact->digits || program_fingerprint(program.text, fact->digits, &why))
        return fact;
    value_fail(program, &why, error);
    return NULL;
}

static const struct fact *scene_find(struct identities *known, const struct point *point,
                                     struct ogv_error *error)
{
    struct patch_value scene = point->patch.options[OPTION_SCENE];
    struct patch_value camera = point->patch.options[OPTION_CAMERA];
    struct fact *fact = fact_find(known, text_format("scene %s\n%s", scene.text ? scene.text : "",
                                                     camera.text ? camera.text : ""));
    struct ogv_error why;
    if (*fact->digits || scene_fingerprint(scene.text, camera.text, fact->digits, &why))
        return fact;
    value_fail(camera.text ? camera : scene, &why, error);
    return NULL;
}

/* ---- The command ---- */

static const char *command_of(const struct point *point)
{
    const char *command = point->patch.options[OPTION_COMMAND].text;
    return command ? command : study_options[OPTION_COMMAND].otherwise;
}

/* Each command has some options that others do not take. */
static bool command_check(const struct point *point, struct ogv_error *error)
{
    const char *command = command_of(point);
    for (u32 i = 0; i < STUDY_OPTIONS; i++) {
        const struct study_option *option = &study_options[i];
        const struct patch_value *value = &point->patch.options[i];
        if (value->text && option->only && strcmp(option->only, command))
            return place_error(error, value->place, "%s: is for `command: %s`; this run is a `%s`",
                               option->name, option->only, command);
    }
    return true;
}

/* ---- The key ---- */

/* What is left at its default, or said to be so, is the same. */
static bool value_counts(u32 option, const char *text)
{
    const char *otherwise = study_options[option].otherwise;
    bool flag = study_options[option].value == VALUE_FLAG;
    return text && (!otherwise || strcmp(text, otherwise)) && (!flag || strcmp(text, "false"));
}

static bool option_add(struct hash *hash, u32 option, struct patch_value value,
                       struct ogv_error *error)
{
    char digits[HASH_TEXT_BYTES];
    hash_add_text(hash, study_options[option].name);
    if (study_options[option].value != VALUE_FILE)
        hash_add_text(hash, value.text);
    else if (hash_file(value.text, digits))
        hash_add_text(hash, digits);
    else
        return place_error(error, value.place, "%s: cannot be read", value.text);
    return true;
}

static bool options_add(struct hash *hash, const struct point *point, struct ogv_error *error)
{
    for (u32 i = 0; i < STUDY_OPTIONS; i++) {
        enum option_value value = study_options[i].value;
        bool apart = value == VALUE_MACHINE || value == VALUE_PROGRAM || value == VALUE_SCENE;
        if (apart || !value_counts(i, point->patch.options[i].text))
            continue;
        if (!option_add(hash, i, point->patch.options[i], error))
            return false;
    }
    return true;
}

static bool key_find(struct identities *known, const struct point *point, struct identity *identity,
                     struct ogv_error *error)
{
    const struct fact *machine = machine_find(known, point, error);
    const struct fact *program = machine ? program_find(known, point, error) : NULL;
    const struct fact *scene = program ? scene_find(known, point, error) : NULL;
    if (!scene)
        return false;
    struct hash *hash = hash_create();
    hash_add_text(hash, known->build);
    hash_add_text(hash, machine->digits);
    hash_add_text(hash, program->digits);
    hash_add_text(hash, scene->digits);
    bool good = options_add(hash, point, error);
    hash_finish(hash, identity->key);
    identity->memory_bytes = machine->bytes;
    return good;
}

/* ---- The command line ---- */

struct words {
    struct region *region;
    const char **items;
    u32 count;
};

static void word_add(struct words *words, const char *word)
{
    words->items = region_grow(words->region, words->items, words->count, sizeof *words->items);
    words->items[words->count++] = word;
}

static void option_words(struct words *words, u32 option, const char *text)
{
    if (!text || option == OPTION_COMMAND || option == OPTION_MACHINE || option == OPTION_ARGUMENTS)
        return;
    bool flag = study_options[option].value == VALUE_FLAG;
    if (flag && strcmp(text, "true"))
        return;
    word_add(words, region_format(words->region, "--%s", study_options[option].name));
    if (!flag)
        word_add(words, text);
}

static void arguments_add(struct words *words, const char *text)
{
    if (!text)
        return;
    word_add(words, "--");
    for (const char *at = text;; at++) {
        const char *end = strchr(at, VALUE_BREAK);
        word_add(words, region_copy(words->region, at, end ? (size_t)(end - at) : strlen(at)));
        if (!end)
            return;
        at = end;
    }
}

static void words_make(struct region *region, const struct point *point, struct identity *identity)
{
    const struct patch_value *options = point->patch.options;
    struct words words = { .region = region }, resumed = { .region = region };
    word_add(&words, command_of(point));
    word_add(&words, options[OPTION_MACHINE].text);
    for (u32 i = 0; i < point->patch.setting_count; i++) {
        const struct patch_setting *setting = &point->patch.settings[i];
        word_add(&words, "--set");
        word_add(&words, region_format(region, "%s=%s", setting->path, setting->value.text));
    }
    word_add(&resumed, "--same-scene");
    for (u32 i = 0; i < STUDY_OPTIONS; i++) {
        option_words(&words, i, options[i].text);
        if (study_options[i].resumes)
            option_words(&resumed, i, options[i].text);
    }
    arguments_add(&words, options[OPTION_ARGUMENTS].text);
    identity->words = words.items;
    identity->word_count = words.count;
    identity->resumed = resumed.items;
    identity->resumed_count = resumed.count;
}

bool identity_find(struct identities *known, const struct point *point, struct identity *identity,
                   struct ogv_error *error)
{
    *identity = (struct identity){ 0 };
    if (!command_check(point, error) || !key_find(known, point, identity, error))
        return false;
    words_make(&known->study->region, point, identity);
    return true;
}
