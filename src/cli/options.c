/* options.c - see options.h. getopt_long does the parsing; the table says what is known. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

/* What getopt returns for row 0; letters are smaller. */
#define FIRST_ROW 1000

static u32 rows_count(const struct option_row *rows)
{
    u32 count = 0;
    while (rows[count].name)
        count++;
    return count;
}

static void help_print(void *context, const struct command *command, const struct option_row *rows)
{
    (void)context;
    printf("Usage: ogive %s %s\n\n%s\n", command->name, command->usage, command->summary);
    if (command->details)
        printf("\n%s", command->details);
    printf("\nOptions:\n");
    for (; rows->name; rows++) {
        char letter[8] = "";
        if (rows->letter)
            snprintf(letter, sizeof letter, "-%c, ", rows->letter);
        char *left = text_format("%s--%s%s%s", letter, rows->name, rows->placeholder ? " " : "",
                                 rows->placeholder ? rows->placeholder : "");
        printf("  %-26s %s\n", left, rows->help);
        free(left);
    }
    printf("  %-26s %s\n", "--help", "this text");
}

static options_show *shown_by = help_print;
static void *shown_to;

void options_help(const struct command *command, const struct option_row *rows)
{
    shown_by(shown_to, command, rows);
}

/* A command's table is made by its function, from the places that its values go to: --help is how
 * to get at it. */
void command_show(const struct command *command, options_show *show, void *context)
{
    char *arguments[] = { "command", "--help", NULL };
    const struct command *part = command->parts;
    shown_by = show;
    shown_to = context;
    command->function(command, 2, arguments);
    for (; part && part->name; part++)
        part->function(part, 2, arguments);
    shown_by = help_print;
}

/* Digits and nothing else: no sign, which would wrap around, and no exponent. */
static bool number_read(const char *text, u64 *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

static bool number_refuse(const struct command *command, const struct option_row *row,
                          const char *text)
{
    bool digits = *text && strspn(text, "0123456789") == strlen(text);
    if (digits)
        say_error("%s: --%s %s: is too large", command->name, row->name, text);
    else
        say_error("%s: --%s %s: a whole number is needed, in digits alone%s", command->name,
                  row->name, text, row->kind == OPTION_MAYBE ? ", or none" : "");
    return false;
}

static bool threads_read(const struct command *command, const struct option_row *row,
                         const char *text)
{
    u64 *threads = row->value;
    if (!number_read(text, threads))
        return number_refuse(command, row, text);
    if (*threads > THREADS_MAX)
        say_error("%s: --%s %s: can be 1 to %d, or 0 for all cores", command->name, row->name, text,
                  THREADS_MAX);
    return *threads <= THREADS_MAX;
}

static bool row_given(const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_FLAG:
        return *(const bool *)row->value;
    case OPTION_TEXT:
        return *(const char *const *)row->value;
    case OPTION_NUMBER:
    case OPTION_THREADS:
        return *(const u64 *)row->value != NUMBER_NONE;
    case OPTION_MAYBE:
        return ((const struct maybe_number *)row->value)->given;
    case OPTION_MAYBE_TEXT:
        return ((const struct maybe_text *)row->value)->given;
    default:
        return ((const struct text_list *)row->value)->count;
    }
}

const char *options_given(const struct option_row *rows)
{
    while (rows->name && !row_given(rows))
        rows++;
    return rows->name;
}

static bool row_store(const struct command *command, const struct option_row *row, const char *text)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->value = true;
        return true;
    case OPTION_TEXT:
        *(const char **)row->value = text;
        return true;
    case OPTION_NUMBER:
        return number_read(text, row->value) || number_refuse(command, row, text);
    case OPTION_THREADS:
        return threads_read(command, row, text);
    case OPTION_MAYBE:
        ((struct maybe_number *)row->value)->given = true;
        return !text || number_read(text, &((struct maybe_number *)row->value)->number) ||
               number_refuse(command, row, text);
    case OPTION_MAYBE_TEXT:
        *(struct maybe_text *)row->value = (struct maybe_text){ true, text };
        return true;
    default:
        list_add_text(row->value, text);
        return true;
    }
}

/* getopt finds a value that may be left out only behind a `=`: here it may be the next word, too.
 */
static const char *row_value(const struct option_row *row, int argc, char **argv)
{
    u64 ignored;
    const char *next = option_is_maybe(row->kind) && !optarg && optind < argc ? argv[optind] : NULL;
    bool path = next && row->kind == OPTION_MAYBE_TEXT && *next != '-' && strchr(next, '/');
    if (next && (path || number_read(next, &ignored)))
        return argv[optind++];
    return optarg;
}

static void complain_unknown(const struct command *command, const struct option_row *rows,
                             const char *typed)
{
    struct nearest nearest;
    char name[64], hint[128];
    while (*typed == '-')
        typed++;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    nearest_init(&nearest, name);
    for (; rows->name; rows++)
        nearest_offer(&nearest, rows->name);
    say_error("%s: there is no option --%s%s (ogive %s --help lists them)", command->name, name,
              nearest_hint(&nearest, hint, sizeof hint), command->name);
}

/* ":h" and the short forms, as getopt wants them. */
static void letters_for_getopt(const struct option_row *rows, struct text *letters)
{
    text_add(letters, ":h");
    for (; rows->name; rows++)
        if (rows->letter)
            text_add(letters, "%c%s", rows->letter, rows->placeholder ? ":" : "");
}

static const struct option_row *row_find(const struct option_row *rows, int found)
{
    if (found >= FIRST_ROW)
        return &rows[found - FIRST_ROW];
    while (rows->name && (!rows->letter || rows->letter != found))
        rows++;
    return rows->name ? rows : NULL;
}

static struct option *rows_for_getopt(const struct option_row *rows, u32 count)
{
    struct option *known = heap_array(count + 2, sizeof *known);
    for (u32 i = 0; i < count; i++) {
        int value = option_is_maybe(rows[i].kind) ? optional_argument
                    : rows[i].placeholder         ? required_argument
                                                  : no_argument;
        known[i] = (struct option){ rows[i].name, value, NULL, (int)i + FIRST_ROW };
    }
    known[count] = (struct option){ "help", no_argument, NULL, 'h' };
    return known;
}

bool options_parse(const struct command *command, const struct option_row *rows, int argc,
                   char **argv, struct text_list *rest, int *exit_code)
{
    u32 count = rows_count(rows);
    struct option *known = rows_for_getopt(rows, count);
    struct text letters = { 0 };
    bool good = true;
    int found;
    letters_for_getopt(rows, &letters);
    opterr = 0;
    optind = 1;
    *exit_code = EXIT_USER;
    while (good && (found = getopt_long(argc, argv, text_get(&letters), known, NULL)) != -1) {
        const struct option_row *row = row_find(rows, found);
        if (row) {
            good = row_store(command, row, row_value(row, argc, argv));
        } else if (found == 'h') {
            options_help(command, rows);
            *exit_code = EXIT_GOOD;
            good = false;
        } else if (found == ':') {
            say_error("%s: %s needs a value", command->name, argv[optind - 1]);
            good = false;
        } else {
            complain_unknown(command, rows, argv[optind - 1]);
            good = false;
        }
    }
    for (int i = optind; good && i < argc; i++)
        list_add_text(rest, argv[i]);
    text_fini(&letters);
    free(known);
    return good;
}
