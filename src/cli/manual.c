/* manual.c - see manual.h. A page is written in the language of man(7): a line that begins with a
 * dot is a request, so every other text goes through manual_text. */
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>

/* What users can set, in no option's place. */
static const struct variable {
    const char *name, *help;
} variables[] = {
    { "OGIVE_HOME",
      "Folders, separated by colons, with archs, programs, scenes, report and include "
      "in them, that come before those that were installed." },
    { "OGIVE_UNIT_PATH", "Folders, separated by colons, from which an architecture may load "
                         "libraries of units without --load." },
    { "OGIVE_CACHE", "off: trees of scenes and other things that take long to make are not kept "
                     "for later runs, in ogive of the user's folder of caches." },
    { "OGIVE_MESHES", "Folder with the meshes of ogive validate." },
    { "OGIVE_IMPORT_SECONDS", "Processor time that the import of a mesh may take." },
};

static const struct outcome {
    int code;
    const char *help;
} outcomes[] = {
    { EXIT_GOOD, "Done." },
    { EXIT_SYSTEM, "No memory, no disk, no permission; of ogive compare, a statistic moved." },
    { EXIT_USER, "Wrong input." },
    { EXIT_HANG, "The simulated chip is in a deadlock." },
    { EXIT_PROGRAM, "The simulated program failed, or ended with an exit code of its own." },
    { EXIT_UNFINISHED, "Of ogive sweep: not all runs are made yet." },
    { EXIT_INTERRUPT, "Interrupted; the results are kept." },
};

/* Characters that groff would take for its own, or set as typographic ones. */
static const char *character_escape(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '`':
        return "\\(ga";
    case '\'':
        return "\\(aq";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

static void manual_text(const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        const char *escape = character_escape(*text);
        if (begins && *text == '.')
            fputs("\\&", stdout);
        if (escape)
            fputs(escape, stdout);
        else
            putchar(*text);
        begins = *text == '\n';
    }
}

/* A line of its own. */
static void manual_line(const char *text)
{
    manual_text(text);
    putchar('\n');
}

/* "\fB...\fR" and the like. */
static void manual_font(char font, const char *text)
{
    printf("\\f%c", font);
    manual_text(text);
    fputs("\\fR", stdout);
}

static void capitals_print(const char *text)
{
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
}

/* Of a command, or of the program if it is NULL. */
static void manual_title(const char *command)
{
    fputs(".TH OGIVE", stdout);
    if (command) {
        putchar('-');
        capitals_print(command);
    }
    printf(" 1 \"\" \"ogive %s\" \"Ogive\"\n.SH NAME\n", OGV_VERSION);
}

static void manual_item(const char *name, const char *help)
{
    fputs(".TP\n", stdout);
    manual_font('B', name);
    putchar('\n');
    manual_line(help);
}

/* ---- A command ---- */

static void option_write(char letter, const char *name, const char *placeholder, const char *help)
{
    fputs(".TP\n", stdout);
    if (letter) {
        char form[] = { '-', letter, 0 };
        manual_font('B', form);
        fputs(", ", stdout);
    }
    manual_font('B', name);
    if (placeholder) {
        putchar(' ');
        manual_font('I', placeholder);
    }
    putchar('\n');
    manual_line(help);
}

static void options_write(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", rows->name);
        option_write(rows->letter, name, rows->placeholder, rows->help);
    }
    option_write(0, "--help", NULL, "this text");
}

/* The lines of the details are set by their author. */
static void details_write(const struct command *command)
{
    manual_line(command->summary);
    if (!command->details)
        return;
    fputs(".PP\n.nf\n", stdout);
    manual_text(command->details);
    fputs(".fi\n", stdout);
}

static void synopsis_write(const struct command *command)
{
    fputs("\\fBogive ", stdout);
    manual_text(command->name);
    fputs("\\fR ", stdout);
    manual_line(command->usage);
}

/* The command itself opens the page; its parts, which have a name of two words, go on in it. */
static void command_write(void *context, const struct command *command,
                          const struct option_row *rows)
{
    if (command == context) {
        manual_title(command->name);
        printf("ogive\\-%s \\- ", command->name);
        manual_line(command->summary);
        fputs(".SH SYNOPSIS\n", stdout);
        synopsis_write(command);
        fputs(".SH DESCRIPTION\n", stdout);
        details_write(command);
        fputs(".SH OPTIONS\n", stdout);
    } else {
        fputs(".SS ", stdout);
        synopsis_write(command);
        details_write(command);
    }
    options_write(rows);
}

/* ---- The program ---- */

static void commands_write(void)
{
    fputs(".SH COMMANDS\n", stdout);
    for (u32 i = 0; i < command_count; i++) {
        printf(".TP\n.BR ogive\\-%s (1)\n", commands[i]->name);
        manual_line(commands[i]->summary);
    }
}

static void program_write(void)
{
    manual_title(NULL);
    fputs("ogive \\- ", stdout);
    manual_line(PROGRAM_SUMMARY);
    fputs(".SH SYNOPSIS\n\\fBogive\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n", stdout);
    fputs(".SH DESCRIPTION\n", stdout);
    manual_line("You describe a chip in a file (cores, RT cores, caches, memories, units of your "
                "own, and the links between them), run it, and get the frame, the cycle count and "
                "every statistic that explains it. To begin with:");
    fputs(".PP\n.nf\n    ogive run exchange\n.fi\n", stdout);
    commands_write();
    fputs(".SH OPTIONS\n", stdout);
    for (u32 i = 0; i < program_option_count; i++)
        option_write(0, program_options[i].name, program_options[i].placeholder,
                     program_options[i].help);
    fputs(".SH ENVIRONMENT\n", stdout);
    for (u32 i = 0; i < sizeof variables / sizeof *variables; i++)
        manual_item(variables[i].name, variables[i].help);
    fputs(".SH EXIT STATUS\n", stdout);
    for (u32 i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", outcomes[i].code);
        manual_item(code, outcomes[i].help);
    }
}

int manual_main(const struct program_option *self, const char *name)
{
    (void)self;
    if (!name) {
        program_write();
        return EXIT_GOOD;
    }
    const struct command *command = command_find(name);
    if (!command)
        return EXIT_USER;
    command_show(command, command_write, (void *)(uintptr_t)command);
    fputs(".SH SEE ALSO\n.BR ogive (1)\n", stdout);
    return EXIT_GOOD;
}
