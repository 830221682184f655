/* what_if.c - see what_if.h.
 *
 * The run itself wrote which settings there are (`tries` of run.json), and the words that repeat it
 * (`repeat`). The file may be anybody's: what stands in it becomes words of a shell command, so
 * each of them is quoted unless it is made of harmless letters. */
#include "report/what_if.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Below this share of the waiting, a change is not worth a try. */
#define WORTH 0.1

const char *resource_try(const struct resource *resource)
{
    if (resource_at_limit(resource))
        return resource->more;
    if (resource->less)
        return resource->less;
    return resource->utilisation >= RESOURCE_HALF_USED ? resource->more : NULL;
}

/* ---- The command ---- */

static bool letter_is_harmless(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || (letter && strchr("_-./,:=+@%", letter));
}

static void word_add(struct text *command, const char *word)
{
    size_t harmless = 0;
    while (letter_is_harmless(word[harmless]))
        harmless++;
    text_add(command, " ");
    if (*word && !word[harmless]) {
        text_add(command, "%s", word);
        return;
    }
    text_add(command, "'");
    for (; *word; word++)
        text_add(command, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(command, "'");
}

/* Texts of a list; false: it is not a list of texts. */
static bool words_add(struct text *command, const json_t *words)
{
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (!word)
            return false;
        word_add(command, word);
    }
    return json_is_array(words);
}

/* NULL: the run cannot be repeated. */
static char *command_make(const struct result *result, const char *setting)
{
    const json_t *arguments = json_object_get(json_object_get(result->run, "options"), "arguments");
    struct text command = { 0 };
    char *whole = NULL, *out = text_format("%s-what-if", result->folder);
    text_add(&command, "ogive run");
    if (words_add(&command, json_object_get(result->run, "repeat"))) {
        word_add(&command, "--set");
        word_add(&command, setting);
        word_add(&command, "--out");
        word_add(&command, out);
        if (json_array_size(arguments))
            word_add(&command, "--");
        if (!json_array_size(arguments) || words_add(&command, arguments))
            whole = heap_copy(text_get(&command));
    }
    text_fini(&command);
    free(out);
    return whole;
}

/* The first in the ranking that something can be done about. */
void what_if_find(const struct result *result, struct bottleneck *found)
{
    for (u32 i = 0; i < found->resource_count; i++) {
        const struct resource *resource = &found->resources[i];
        const char *setting = resource_try(resource);
        if (!setting || !(resource_at_limit(resource) || resource->waiting >= WORTH))
            continue;
        found->what_if = (struct what_if){ resource, setting, command_make(result, setting) };
        return;
    }
}
