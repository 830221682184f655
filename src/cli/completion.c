/* completion.c - see completion.h.
 *
 * What a value can be follows from the placeholder of its option, and for a few from the option's
 * name; what an argument can be, from the words of the usage. So a command that shows in --help how
 * it is used is completed as well. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "rt/bvh.h"
#include "rt/format.h"
#include "rt/rays.h"

static void kinds_add(struct text *kinds, const char *kind)
{
    text_add(kinds, "%s%s", kinds->length ? " " : "", kind);
}

static void words_add(struct text *kinds, const char *const *words, u32 count)
{
    for (u32 i = 0; i < count && words[i]; i++)
        text_add(kinds, "%s+%s", kinds->length ? " " : "", words[i]);
}

/* ---- Options ---- */

static void rays_add(struct text *kinds)
{
    words_add(kinds, ray_kind_names, RAY_KINDS);
}

static void orders_add(struct text *kinds)
{
    words_add(kinds, ray_order_names, RAY_ORDERS);
}

static void builders_add(struct text *kinds)
{
    words_add(kinds, bvh_builder_names, UINT32_MAX);
}

static void nodes_add(struct text *kinds)
{
    for (u32 i = 0; node_formats[i]; i++)
        words_add(kinds, &node_formats[i]->name, 1);
}

static void primitives_add(struct text *kinds)
{
    for (u32 i = 0; primitive_formats[i]; i++)
        words_add(kinds, &primitive_formats[i]->name, 1);
}

static void styles_add(struct text *kinds)
{
    static const char *const styles[] = { "line", "plain", "none" };
    words_add(kinds, styles, 3);
}

/* Options whose values have names that a table knows. */
static const struct {
    const char *option;
    void (*add)(struct text *kinds);
} named[] = {
    { "rays", rays_add },
    { "kind", rays_add },
    { "order", orders_add },
    { "builder", builders_add },
    { "nodes", nodes_add },
    { "format", nodes_add },
    { "primitives", primitives_add },
    { "progress", styles_add },
};

/* "chip|all": these words themselves. */
static bool placeholder_is_words(const char *placeholder)
{
    const char *c = placeholder;
    while (islower((unsigned char)*c) || *c == '|')
        c++;
    return !*c && strchr(placeholder, '|');
}

static void placeholder_add_words(const char *placeholder, struct text *kinds)
{
    while (*placeholder) {
        size_t length = strcspn(placeholder, "|");
        text_add(kinds, "%s+%.*s", kinds->length ? " " : "", (int)length, placeholder);
        placeholder += length + (placeholder[length] == '|');
    }
}

void completion_of_option(const struct option_row *row, struct text *kinds)
{
    if (placeholder_is_words(row->placeholder)) {
        placeholder_add_words(row->placeholder, kinds);
        return;
    }
    bool file = strstr(row->placeholder, "FILE"), either = !strcmp(row->placeholder, "NAME|FILE");
    if (either && !strcmp(row->name, "scene"))
        kinds_add(kinds, "scenes");
    if (either && !strcmp(row->name, "program"))
        kinds_add(kinds, "programs");
    if (file)
        kinds_add(kinds, "files");
    else if (strstr(row->placeholder, "DIR"))
        kinds_add(kinds, "folders");
    for (u32 i = 0; i < sizeof named / sizeof *named && !kinds->length; i++)
        if (!strcmp(row->name, named[i].option))
            named[i].add(kinds);
}

/* ---- Arguments ---- */

/* What the words of a usage stand for. */
static const struct {
    const char *word, *kinds;
} meanings[] = {
    { "ARCH", "archs files" },
    { "DIR", "folders" },
    { "ELF", "files" },
    { "FILE", "files" },
    { "MACHINE", "archs" },
    { "NAME", "units" },
    { "PROGRAM", "programs files" },
    { "SCENE", "scenes files" },
    { "TRACE", "files" },
};

static const char *word_meaning(const char *word, size_t length)
{
    for (u32 i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strlen(meanings[i].word) == length && !strncmp(meanings[i].word, word, length))
            return meanings[i].kinds;
    return NULL;
}

/* Each of them once. */
static void kinds_join(struct text *kinds, const char *more)
{
    if (!strstr(text_get(kinds), more))
        kinds_add(kinds, more);
}

/* The words of one way to use a command, up to its options. */
static void usage_way(const char *usage, size_t length, struct text *first, struct text *others)
{
    const char *end = usage + length;
    for (bool leads = true; usage < end && *usage != '-'; leads = false) {
        size_t word = strcspn(usage, " .[]");
        const char *kinds = word_meaning(usage, word);
        if (leads && islower((unsigned char)*usage))
            text_add(first, "%s+%.*s", first->length ? " " : "", (int)word, usage);
        if (leads && kinds)
            kinds_join(first, kinds);
        if (kinds)
            kinds_join(others, kinds);
        usage += word;
        usage += strspn(usage, " .[]");
    }
}

void completion_of_usage(const char *usage, struct text *first, struct text *others)
{
    while (*usage) {
        const char *bar = strstr(usage, " | ");
        size_t length = bar ? (size_t)(bar - usage) : strlen(usage);
        size_t opening = strspn(usage, "[");
        usage_way(usage + opening, length - opening, first, others);
        usage += length + (bar ? 3 : 0);
    }
}

int completion_main(const struct program_option *self, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } scripts[] = { { "bash", completion_bash }, { "zsh", completion_zsh } };
    for (u32 i = 0; shell && i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(shell, scripts[i].shell))
            continue;
        scripts[i].print();
        return EXIT_GOOD;
    }
    say_error("%s: takes %s, the shell that is to complete", self->name, self->placeholder);
    return EXIT_USER;
}
