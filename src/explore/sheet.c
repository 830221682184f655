/* sheet.c - see sheet.h. */
#include "explore/sheet.h"

#include <stdlib.h>
#include <string.h>

const char *const sheet_format_names[SHEET_FORMATS + 1] = { "text", "csv", "markdown", "latex",
                                                            NULL };

void sheet_init(struct sheet *sheet, u32 rows, u32 columns, u32 labels)
{
    *sheet = (struct sheet){ .cells = heap_array((size_t)rows * columns + 1, sizeof *sheet->cells),
                             .rows = rows,
                             .columns = columns,
                             .labels = labels };
}

void sheet_fini(struct sheet *sheet)
{
    for (size_t i = 0; i < (size_t)sheet->rows * sheet->columns; i++)
        free(sheet->cells[i]);
    free(sheet->cells);
    free(sheet->title);
    *sheet = (struct sheet){ 0 };
}

void sheet_put(struct sheet *sheet, u32 row, u32 column, char *text)
{
    char **cell = &sheet->cells[(size_t)row * sheet->columns + column];
    free(*cell);
    *cell = text;
}

const char *sheet_get(const struct sheet *sheet, u32 row, u32 column)
{
    const char *text = sheet->cells[(size_t)row * sheet->columns + column];
    return text ? text : "";
}

/* Characters, of which a terminal shows one each. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void pad(struct text *out, size_t count, char with)
{
    for (size_t i = 0; i < count; i++)
        text_add_bytes(out, &with, 1);
}

static void widths_find(const struct sheet *sheet, size_t *widths)
{
    for (u32 c = 0; c < sheet->columns; c++)
        for (u32 r = 0; r < sheet->rows; r++) {
            size_t width = width_of(sheet_get(sheet, r, c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
}

/* Names to the left, numbers to the right. */
static void cell_align(const struct sheet *sheet, u32 row, u32 column, size_t width,
                       struct text *out)
{
    const char *text = sheet_get(sheet, row, column);
    bool left = column < sheet->labels;
    size_t blanks = width - width_of(text);
    pad(out, left ? 0 : blanks, ' ');
    text_add_words(out, text);
    pad(out, left && column + 1 < sheet->columns ? blanks : 0, ' ');
}

static void text_write(const struct sheet *sheet, struct text *out)
{
    size_t *widths = heap_array(sheet->columns + 1, sizeof *widths), all = 0;
    widths_find(sheet, widths);
    for (u32 c = 0; c < sheet->columns; c++)
        all += widths[c] + (c ? 2 : 0);
    if (sheet->title)
        text_add(out, "%s\n", sheet->title);
    for (u32 r = 0; r < sheet->rows; r++) {
        if (r == 1 || (sheet->feet && r == sheet->rows - sheet->feet)) {
            pad(out, all, '-');
            text_add(out, "\n");
        }
        for (u32 c = 0; c < sheet->columns; c++) {
            text_add(out, c ? "  " : "");
            cell_align(sheet, r, c, widths[c], out);
        }
        text_add(out, "\n");
    }
    free(widths);
}

static void csv_cell(const char *text, struct text *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        text_add_words(out, text);
        return;
    }
    text_add(out, "\"");
    for (; *text; text++)
        text_add_words(out, *text == '"' ? "\"\"" : (char[]){ *text, 0 });
    text_add(out, "\"");
}

static void csv_write(const struct sheet *sheet, struct text *out)
{
    for (u32 r = 0; r < sheet->rows; r++)
        for (u32 c = 0; c < sheet->columns; c++) {
            csv_cell(sheet_get(sheet, r, c), out);
            text_add(out, c + 1 < sheet->columns ? "," : "\n");
        }
}

static void markdown_write(const struct sheet *sheet, struct text *out)
{
    if (sheet->title)
        text_add(out, "%s:\n\n", sheet->title);
    for (u32 r = 0; r < sheet->rows; r++) {
        for (u32 c = 0; c < sheet->columns; c++) {
            text_add(out, "| ");
            for (const char *at = sheet_get(sheet, r, c); *at; at++)
                text_add_words(out, *at == '|' ? "\\|" : (char[]){ *at, 0 });
            text_add(out, " ");
        }
        text_add(out, "|\n");
        for (u32 c = 0; r == 0 && c < sheet->columns; c++)
            text_add(out, c < sheet->labels ? "|---" : "|---:");
        text_add(out, r == 0 ? "|\n" : "");
    }
}

static void latex_cell(const char *text, struct text *out)
{
    for (; *text; text++) {
        if (strchr("#$%&_{}", *text))
            text_add(out, "\\%c", *text);
        else if (*text == '\\')
            text_add(out, "\\textbackslash{}");
        else if (*text == '~' || *text == '^')
            text_add(out, "\\%c{}", *text);
        else
            text_add_bytes(out, text, 1);
    }
}

/* With the rules of the package booktabs. */
static void latex_write(const struct sheet *sheet, struct text *out)
{
    if (sheet->title)
        text_add(out, "%% %s\n", sheet->title);
    text_add(out, "\\begin{tabular}{");
    for (u32 c = 0; c < sheet->columns; c++)
        text_add(out, c < sheet->labels ? "l" : "r");
    text_add(out, "}\n\\toprule\n");
    for (u32 r = 0; r < sheet->rows; r++) {
        if (r == 1 || (sheet->feet && r == sheet->rows - sheet->feet))
            text_add(out, "\\midrule\n");
        for (u32 c = 0; c < sheet->columns; c++) {
            text_add(out, c ? " & " : "");
            latex_cell(sheet_get(sheet, r, c), out);
        }
        text_add(out, " \\\\\n");
    }
    text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

void sheet_write(const struct sheet *sheet, enum sheet_format format, struct text *out)
{
    static void (*const writers[])(const struct sheet *, struct text *) = { text_write, csv_write,
                                                                            markdown_write,
                                                                            latex_write };
    writers[format](sheet, out);
}
