/* index.c - see index.h. */
#include "explore/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "explore/figures.h"

#define INDEX_FILE   "index.txt"
#define INDEX_MAX    (4 * GiB)
#define NAMES_MAX    (16 * MiB)
#define CHECK_DIGITS 16 /* of a fingerprint, behind the last tab */
#define FIELDS       8  /* before the values */
#define NO_NAMES     "-"

/* ---- Lines ---- */

static void line_check(const char *line, size_t length, char check[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add(hash, line, length);
    hash_finish(hash, check);
    check[CHECK_DIGITS] = 0;
}

/* Cuts the fingerprint off a line that ends with a zero; false if it is not the line's. */
static bool line_accept(char *line, size_t length)
{
    char check[HASH_TEXT_BYTES];
    if (length < CHECK_DIGITS + 2 || line[length - CHECK_DIGITS - 1] != '\t')
        return false;
    line_check(line, length - CHECK_DIGITS - 1, check);
    if (memcmp(line + length - CHECK_DIGITS, check, CHECK_DIGITS))
        return false;
    line[length - CHECK_DIGITS - 1] = 0;
    return true;
}

static void line_seal(struct text *line)
{
    char check[HASH_TEXT_BYTES];
    line_check(text_get(line), line->length, check);
    text_add(line, "\t%s\n", check);
}

/* ---- Names of figures ---- */

static void names_split(struct figure_names *names)
{
    for (char *at = names->text, *end; (end = strchr(at, '\n')); at = end + 1) {
        char *tab = memchr(at, '\t', (size_t)(end - at));
        *end = 0;
        if (tab)
            *tab = 0;
        names->names = heap_grow(names->names, names->count + 1, sizeof *names->names);
        names->units = heap_grow(names->units, names->count + 1, sizeof *names->units);
        names->names[names->count] = at;
        names->units[names->count++] = tab ? tab + 1 : "";
    }
}

/* NULL if the file is not there. */
static const struct figure_names *names_find(const struct store *store, struct index *index,
                                             const char *digits)
{
    for (u32 i = 0; i < index->names_count; i++)
        if (!strcmp(index->names[i]->digits, digits))
            return index->names[i]->text ? index->names[i] : NULL;
    struct figure_names *names = heap_array(1, sizeof *names);
    size_t length;
    snprintf(names->digits, sizeof names->digits, "%s", digits);
    if (strspn(digits, "0123456789abcdef") == strlen(digits)) {
        char *path = text_format("%s/figures/%s", store->path, digits);
        names->text = file_read(path, NAMES_MAX, &length, NULL);
        free(path);
    }
    if (names->text)
        names_split(names);
    index->names = heap_grow(index->names, index->names_count + 1, sizeof *index->names);
    index->names[index->names_count++] = names;
    return names->text ? names : NULL;
}

/* Written first: a line of the index must find it. */
static bool names_write(const struct store *store, const struct text *names,
                        char digits[HASH_TEXT_BYTES], struct ogv_error *error)
{
    struct hash *hash = hash_create();
    hash_add(hash, text_get(names), names->length);
    hash_finish(hash, digits);
    char *path = text_format("%s/figures/%s", store->path, digits);
    bool good = file_exists(path) || store_put(path, text_get(names), names->length, error);
    free(path);
    return good;
}

u32 figure_find(const struct figure_names *names, const char *name)
{
    for (u32 i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return i;
    return UINT32_MAX;
}

bool row_figure(const struct index_row *row, u32 figure, char *buffer, size_t size)
{
    const char *at = row->values;
    if (!at || !row->names || figure >= row->names->count)
        return false;
    for (; figure && at; figure--) {
        at = strchr(at, '\t');
        at = at ? at + 1 : NULL;
    }
    size_t length = at ? strcspn(at, "\t") : 0;
    if (!length || length >= size || !strncmp(at, "-\t", 2) || !strcmp(at, "-"))
        return false;
    memcpy(buffer, at, length);
    buffer[length] = 0;
    return true;
}

/* ---- Reading ---- */

static bool row_read(const struct store *store, struct index *index, char *line,
                     struct index_row *row)
{
    char *fields[FIELDS + 1], *rest = line;
    u32 count = 0;
    while (count < FIELDS && rest) {
        fields[count++] = rest;
        rest = strchr(rest, '\t');
        if (rest)
            *rest++ = 0;
    }
    *row = (struct index_row){ .key = count > 1 ? fields[1] : "" };
    row->outcome.class = RUN_CLASSES;
    if (count < 2 || strlen(row->key) != HASH_TEXT_BYTES - 1)
        return false;
    if (!strcmp(fields[0], "D"))
        return true;
    if (strcmp(fields[0], "R") || count < FIELDS)
        return false;
    row->outcome = (struct outcome){ class_find(fields[2]), atoi(fields[3]), atof(fields[4]),
                                     strtoull(fields[5], NULL, 10), (u32)atoi(fields[6]) };
    row->names = strcmp(fields[7], NO_NAMES) ? names_find(store, index, fields[7]) : NULL;
    row->values = rest;
    return row->outcome.class != RUN_CLASSES;
}

static int row_compare(const void *a, const void *b)
{
    const struct index_row *first = a, *second = b;
    int order = strcmp(first->key, second->key);
    return order ? order : first->key < second->key ? -1 : 1;
}

/* Of lines of the same run, the last; none if that took it away. */
static void rows_settle(struct index *index)
{
    u32 kept = 0;
    if (index->count)
        qsort(index->rows, index->count, sizeof *index->rows, row_compare);
    for (u32 i = 0; i < index->count; i++) {
        bool last = i + 1 == index->count || strcmp(index->rows[i].key, index->rows[i + 1].key);
        if (last && index->rows[i].outcome.class != RUN_CLASSES)
            index->rows[kept++] = index->rows[i];
    }
    index->count = kept;
}

static void index_split(const struct store *store, struct index *index, size_t length)
{
    u32 room = 0;
    for (char *at = index->text, *end; (end = memchr(at, '\n', length)); at = end + 1) {
        length -= (size_t)(end - at) + 1;
        *end = 0;
        struct index_row row;
        if (!line_accept(at, (size_t)(end - at)) || !row_read(store, index, at, &row))
            continue;
        if (index->count == room) {
            room = room ? 2 * room : 64;
            index->rows = heap_grow(index->rows, room, sizeof *index->rows);
        }
        index->rows[index->count++] = row;
    }
    rows_settle(index);
}

bool index_load(const struct store *store, struct index *index, struct ogv_error *error)
{
    char *path = text_format("%s/" INDEX_FILE, store->path);
    size_t length = 0;
    *index = (struct index){ 0 };
    bool good = true;
    if (file_exists(path)) {
        index->text = file_read(path, INDEX_MAX, &length, error);
        good = index->text;
    }
    if (index->text)
        index_split(store, index, length);
    free(path);
    return good;
}

void index_fini(struct index *index)
{
    for (u32 i = 0; i < index->names_count; i++) {
        free(index->names[i]->text);
        free(index->names[i]->names);
        free(index->names[i]->units);
        free(index->names[i]);
    }
    free(index->names);
    free(index->rows);
    free(index->text);
    *index = (struct index){ 0 };
}

const struct index_row *index_find(const struct index *index, const char *key)
{
    u32 low = 0, high = index->count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        int order = strcmp(index->rows[middle].key, key);
        if (!order)
            return &index->rows[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- Writing ---- */

/* Waits for its turn. Whoever moved the file in the meantime had the old one locked. */
static bool index_lock(const struct store *store, struct journal *journal, struct ogv_error *error)
{
    for (;;) {
        if (!journal_open(journal, text_format("%s/" INDEX_FILE, store->path), false, error))
            return false;
        while (flock(journal->descriptor, LOCK_EX) && errno == EINTR)
            ;
        char *path = text_format("%s/" INDEX_FILE, store->path);
        bool current = descriptor_is(journal->descriptor, path);
        free(path);
        if (current)
            return true;
        journal_close(journal, NULL);
    }
}

/* A line that was not finished is closed before the next: it then counts as none. */
static bool line_write(const struct store *store, struct text *line, struct ogv_error *error)
{
    struct journal journal;
    struct text whole = { 0 };
    if (!index_lock(store, &journal, error))
        return false;
    char last = '\n';
    int reader = open(journal.path, O_RDONLY | O_CLOEXEC);
    off_t end = reader >= 0 ? lseek(reader, 0, SEEK_END) : 0;
    if (end > 0 && pread(reader, &last, 1, end - 1) != 1)
        last = '\n';
    if (reader >= 0)
        close(reader);
    line_seal(line);
    text_add(&whole, "%s%s", last == '\n' ? "" : "\n", text_get(line));
    bool good = journal_add(&journal, text_get(&whole), whole.length, error);
    text_fini(&whole);
    return journal_close(&journal, good ? error : NULL) && good;
}

static bool row_write(const struct store *store, const char *key, const struct outcome *outcome,
                      struct text *line, struct ogv_error *error)
{
    char digits[HASH_TEXT_BYTES] = NO_NAMES;
    struct figure_lines figures = { 0 };
    if (outcome->class == CLASS_DONE) {
        char *folder = store_result(store, key);
        bool good = figures_read(folder, &figures, error) &&
                    names_write(store, &figures.names, digits, error);
        free(folder);
        if (!good) {
            figures_fini(&figures);
            return false;
        }
    }
    text_add(line, "R\t%s\t%s\t%d\t%.3f\t%llu\t%u\t%s%s", key, run_classes[outcome->class].words,
             outcome->exit_code, outcome->seconds, (unsigned long long)outcome->peak_bytes,
             outcome->tries, digits, text_get(&figures.values));
    figures_fini(&figures);
    return true;
}

bool index_add(const struct store *store, const char *key, const struct outcome *outcome,
               struct ogv_error *error)
{
    struct text line = { 0 };
    bool good = row_write(store, key, outcome, &line, error) && line_write(store, &line, error);
    text_fini(&line);
    return good;
}

bool index_drop(const struct store *store, const char *key, struct ogv_error *error)
{
    struct text line = { 0 };
    text_add(&line, "D\t%s", key);
    bool good = line_write(store, &line, error);
    text_fini(&line);
    return good;
}

static void row_copy(const struct index_row *row, struct text *out)
{
    struct text line = { 0 };
    text_add(&line, "R\t%s\t%s\t%d\t%.3f\t%llu\t%u\t%s", row->key,
             run_classes[row->outcome.class].words, row->outcome.exit_code, row->outcome.seconds,
             (unsigned long long)row->outcome.peak_bytes, row->outcome.tries,
             row->names ? row->names->digits : NO_NAMES);
    if (row->values)
        text_add(&line, "\t%s", row->values);
    line_seal(&line);
    text_add_bytes(out, text_get(&line), line.length);
    text_fini(&line);
}

bool index_compact(const struct store *store, struct ogv_error *error)
{
    struct journal journal;
    struct index index;
    struct text text = { 0 };
    if (!index_lock(store, &journal, error))
        return false;
    bool good = index_load(store, &index, error);
    for (u32 i = 0; good && i < index.count; i++) {
        char *folder = store_folder(store, index.rows[i].key);
        if (folder_exists(folder))
            row_copy(&index.rows[i], &text);
        free(folder);
    }
    good = good && file_write(journal.path, text_get(&text), text.length, error);
    text_fini(&text);
    index_fini(&index);
    journal_close(&journal, NULL);
    return good;
}
