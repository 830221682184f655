/* completion_bash.c - the script for bash: three tables, as functions that look up a command or an
 * option of it, and the function that readline asks. */
#include <stdio.h>

#include "cli/completion.h"

struct tables {
    struct text options, values, places;
};

static void options_add(struct tables *tables, const struct command *command,
                        const struct option_row *rows)
{
    text_add(&tables->options, "    \"%s\") echo \"", command->name);
    for (; rows->name; rows++) {
        text_add(&tables->options, "--%s ", rows->name);
        if (!rows->placeholder || option_is_maybe(rows->kind))
            continue;
        struct text kinds = { 0 };
        completion_of_option(rows, &kinds);
        text_add(&tables->values, "    \"%s --%s\"", command->name, rows->name);
        if (rows->letter)
            text_add(&tables->values, " | \"%s -%c\"", command->name, rows->letter);
        text_add(&tables->values, ") echo \"%s\" ;;\n", text_get(&kinds));
        text_fini(&kinds);
    }
    text_add(&tables->options, "--help\" ;;\n");
}

static void command_add(void *context, const struct command *command, const struct option_row *rows)
{
    struct tables *tables = context;
    struct text first = { 0 }, others = { 0 };
    completion_of_usage(command->usage, &first, &others);
    options_add(tables, command, rows);
    text_add(&tables->places, "    \"%s first\") echo \"%s\" ;;\n", command->name,
             text_get(&first));
    text_add(&tables->places, "    \"%s others\") echo \"%s\" ;;\n", command->name,
             text_get(&others));
    text_fini(&first);
    text_fini(&others);
}

static void table_print(const char *name, struct text *rows)
{
    printf("_ogive_%s() {\n    case $1 in\n%s    *) return 1 ;;\n    esac\n}\n\n", name,
           text_get(rows));
    text_fini(rows);
}

static void words_print(void)
{
    printf("_ogive_commands=\"");
    for (u32 i = 0; i < command_count; i++)
        printf("%s ", commands[i]->name);
    printf("help version\"\n_ogive_program_options=\"");
    for (u32 i = 0; i < program_option_count; i++)
        printf("%s ", program_options[i].name);
    printf("--help --version\"\n\n");
}

static const char asking[] =
    "# _ogive_names PROGRAM COMMAND - the names in a list that the program prints.\n"
    "_ogive_names() {\n"
    "    \"$1\" \"$2\" 2>/dev/null | sed -n 's/^\\([A-Za-z0-9_.-]*\\) .*/\\1/p'\n"
    "}\n\n"
    "# _ogive_offer PROGRAM WORD KIND... - adds what begins with the word.\n"
    "_ogive_offer() {\n"
    "    local program=$1 word=$2 kind found\n"
    "    shift 2\n"
    "    for kind; do\n"
    "        case $kind in\n"
    "        +*) found=$(compgen -W \"${kind#+}\" -- \"$word\") ;;\n"
    "        files) compopt -o filenames 2>/dev/null; found=$(compgen -f -- \"$word\") ;;\n"
    "        folders) compopt -o filenames 2>/dev/null; found=$(compgen -d -- \"$word\") ;;\n"
    "        *) found=$(compgen -W \"$(_ogive_names \"$program\" \"$kind\")\" -- \"$word\") ;;\n"
    "        esac\n"
    "        [ -z \"$found\" ] || mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY <<<\"$found\"\n"
    "    done\n"
    "}\n\n"
    "_ogive() {\n"
    "    local program=$1 word=$2 before=$3 key place=others kinds\n"
    "    COMPREPLY=()\n"
    "    # --option=value comes as three words.\n"
    "    [ \"$word\" != = ] || word=\n"
    "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    key=\"${COMP_WORDS[1]} ${COMP_WORDS[2]}\"\n"
    "    [ \"$COMP_CWORD\" -gt 2 ] && _ogive_options \"$key\" >/dev/null || key=${COMP_WORDS[1]}\n"
    "    [ \"$COMP_CWORD\" -gt 2 ] || place=first\n"
    "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_ogive_commands $_ogive_program_options\" -- "
    "\"$word\")\n"
    "    elif [[ $key = help || $key = --man ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$_ogive_commands\" -- \"$word\")\n"
    "    elif [ \"$key\" = --completion ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W 'bash zsh' -- \"$word\")\n"
    "    elif kinds=$(_ogive_values \"$key $before\"); then\n"
    "        _ogive_offer \"$program\" \"$word\" $kinds\n"
    "    elif [[ $word = -* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$(_ogive_options \"$key\")\" -- \"$word\")\n"
    "    else\n"
    "        _ogive_offer \"$program\" \"$word\" $(_ogive_places \"$key $place\")\n"
    "    fi\n"
    "}\n"
    "complete -F _ogive ogive\n";

void completion_bash(void)
{
    struct tables tables = { 0 };
    for (u32 i = 0; i < command_count; i++)
        command_show(commands[i], command_add, &tables);
    puts("# Completion of ogive for bash; `ogive --completion bash` prints it.");
    words_print();
    table_print("options", &tables.options);
    table_print("values", &tables.values);
    table_print("places", &tables.places);
    fputs(asking, stdout);
}
