/* completion_zsh.c - the script for zsh: for each command the specifications that _arguments takes,
 * with the words of --help beside the options. */
#include <stdio.h>
#include <string.h>

#include "cli/completion.h"

/* Within single quotes of the shell, and within the brackets of a specification. */
static void text_print(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void action_print(const char *what, const char *kinds)
{
    putchar(':');
    text_print(what);
    putchar(':');
    if (*kinds)
        printf("_ogive_values %s", kinds);
    putchar('\'');
}

/* One spelling of an option. */
static void option_print(const struct option_row *row, const char *dashes, const char *name)
{
    printf(" \\\n            '%s%s%s%s[", row->kind == OPTION_LIST ? "*" : "", dashes, name,
           row->placeholder && dashes[1] ? "=" : "");
    text_print(row->help);
    putchar(']');
    if (!row->placeholder) {
        putchar('\'');
        return;
    }
    struct text kinds = { 0 };
    completion_of_option(row, &kinds);
    if (option_is_maybe(row->kind))
        putchar(':');
    action_print(row->placeholder, text_get(&kinds));
    text_fini(&kinds);
}

static void place_print(const char *place, const char *kinds)
{
    printf(" \\\n            '%s", place);
    action_print(" ", kinds);
}

/* `context` says whether commands or their parts are wanted: one is asked for before the other. */
static void command_print(void *context, const struct command *command,
                          const struct option_row *rows)
{
    const char *space = strchr(command->name, ' ');
    if (*(const bool *)context != (space != NULL))
        return;
    struct text first = { 0 }, others = { 0 };
    completion_of_usage(command->usage, &first, &others);
    printf("    '%s')\n        shift %d words; (( CURRENT -= %d ))\n        _arguments",
           command->name, space ? 2 : 1, space ? 2 : 1);
    for (; rows->name; rows++) {
        char letter[] = { rows->letter, 0 };
        if (rows->letter)
            option_print(rows, "-", letter);
        option_print(rows, "--", rows->name);
    }
    printf(" \\\n            '--help[this text]'");
    if (first.length)
        place_print("1", text_get(&first));
    if (others.length)
        place_print("*", text_get(&others));
    printf("\n        return ;;\n");
    text_fini(&first);
    text_fini(&others);
}

static void commands_print(bool parts)
{
    for (u32 i = 0; i < command_count; i++)
        command_show(commands[i], command_print, &parts);
}

static void summary_print(const char *name, const char *help)
{
    printf("        '");
    text_print(name);
    putchar(':');
    text_print(help);
    printf("'\n");
}

static void summaries_print(void)
{
    printf("    local -a commands=(\n");
    for (u32 i = 0; i < command_count; i++)
        summary_print(commands[i]->name, commands[i]->summary);
    printf("    )\n    local -a options=(\n");
    for (u32 i = 0; i < program_option_count; i++)
        summary_print(program_options[i].name, program_options[i].help);
    printf("    )\n");
}

static const char beginning[] =
    "#compdef ogive\n"
    "# Completion of ogive for zsh; `ogive --completion zsh` prints it.\n\n"
    "# _ogive_values KIND... - what can stand here.\n"
    "_ogive_values() {\n"
    "    local kind result=1\n"
    "    local -a names\n"
    "    for kind; do\n"
    "        case $kind in\n"
    "        files) _files && result=0 ;;\n"
    "        folders) _files -/ && result=0 ;;\n"
    "        +*) compadd -- ${kind#+} && result=0 ;;\n"
    "        *)\n"
    "            names=($(_call_program names $ogive_program $kind 2>/dev/null |\n"
    "                sed -n 's/^\\([A-Za-z0-9_.-]*\\) .*/\\1/p'))\n"
    "            compadd -- $names && result=0\n"
    "            ;;\n"
    "        esac\n"
    "    done\n"
    "    return result\n"
    "}\n\n"
    "_ogive() {\n"
    "    local ogive_program=$words[1]\n";

static const char choosing[] = "    if (( CURRENT == 2 )); then\n"
                               "        _describe command commands -- options\n"
                               "        return\n"
                               "    fi\n"
                               "    (( CURRENT > 3 )) && case \"$words[2] $words[3]\" in\n";

static const char going_on[] = "    esac\n"
                               "    case $words[2] in\n"
                               "    help|--man) _describe command commands ;;\n"
                               "    --completion) compadd bash zsh ;;\n";

/* The file is the function's own in a folder of $fpath; otherwise it is read once. */
static const char ending[] = "    esac\n"
                             "}\n\n"
                             "if [[ $funcstack[1] = _ogive ]]; then\n"
                             "    _ogive \"$@\"\n"
                             "else\n"
                             "    compdef _ogive ogive\n"
                             "fi\n";

void completion_zsh(void)
{
    fputs(beginning, stdout);
    summaries_print();
    fputs(choosing, stdout);
    commands_print(true);
    fputs(going_on, stdout);
    commands_print(false);
    fputs(ending, stdout);
}
