/* tree.c - libfyaml's events become a tree.
 *
 * A stack of open maps and lists; each event adds to the top one. In a map, keys and values
 * alternate. Limits keep a hostile file small: its length, its depth (libfyaml's), its number of
 * nodes. */
#include "base/tree.h"

#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define TREE_NODES_MAX 100000
#define TREE_DEPTH_MAX 32

bool place_error(struct ogv_error *error, struct place place, const char *format, ...)
{
    struct text text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&text, format, arguments);
    va_end(arguments);
    if (place.line)
        error_user(error, "%s:%u:%u: %s", place.file, place.line, place.column, text_get(&text));
    else
        error_user(error, "%s: %s", place.file, text_get(&text));
    text_fini(&text);
    return false;
}

const char *node_kind_name(enum node_kind kind)
{
    static const char *const names[] = { "a value", "a map", "a list" };
    return names[kind];
}

struct node *node_new(struct region *region, enum node_kind kind, struct place place)
{
    struct node *node = region_alloc(region, 1, sizeof *node);
    node->kind = kind;
    node->place = place;
    return node;
}

struct node *node_text(struct region *region, const char *text, struct place place)
{
    struct node *node = node_new(region, NODE_TEXT, place);
    node->text = region_copy(region, text, strlen(text));
    return node;
}

static u32 node_find(const struct node *map, const char *key)
{
    u32 i = 0;
    while (i < map->count && strcmp(map->items[i]->key, key))
        i++;
    return i;
}

struct node *node_get(const struct node *map, const char *key)
{
    u32 i = node_find(map, key);
    return i < map->count ? map->items[i] : NULL;
}

void node_append(struct region *region, struct node *list, struct node *item)
{
    list->items = region_grow(region, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = item;
}

void node_put(struct region *region, struct node *map, const char *key, struct node *value)
{
    u32 i = node_find(map, key);
    value->key = region_copy(region, key, strlen(key));
    if (!value->born.file)
        value->born = value->place;
    if (i < map->count)
        map->items[i] = value;
    else
        node_append(region, map, value);
}

void node_remove(struct node *map, const char *key)
{
    u32 i = node_find(map, key);
    if (i == map->count)
        return;
    memmove(&map->items[i], &map->items[i + 1], (map->count - i - 1) * sizeof *map->items);
    map->count--;
}

bool node_is_null(const struct node *node)
{
    return node->kind == NODE_TEXT && !node->quoted &&
           (!strcmp(node->text, "null") || !strcmp(node->text, "~"));
}

struct reader {
    struct region *region;
    const struct tree_words *words;
    struct ogv_error *error;
    const char *file;
    struct node *open[TREE_DEPTH_MAX];
    struct node *key[TREE_DEPTH_MAX]; /* of the value to come, in an open map */
    struct node *root;
    u32 depth, nodes;
    struct text complaint; /* what libfyaml has to say */
};

static struct place reader_place(const struct reader *reader, struct fy_token *token)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    if (mark)
        return (struct place){ reader->file, (u32)mark->line + 1, (u32)mark->column + 1 };
    /* An empty value has no token of its own: point to its key, or to its list. */
    if (!reader->depth)
        return (struct place){ reader->file, 1, 1 };
    const struct node *key = reader->key[reader->depth - 1];
    return key ? key->place : reader->open[reader->depth - 1]->place;
}

static bool reader_add_to_map(struct reader *reader, struct node *map, struct node *node)
{
    struct node **key = &reader->key[reader->depth - 1];
    if (!*key) {
        if (node->kind != NODE_TEXT)
            return place_error(reader->error, node->place, "a key must be plain text, not %s",
                               node_kind_name(node->kind));
        struct node *other = node_get(map, node->text);
        if (other)
            return place_error(reader->error, node->place,
                               "'%s' is given twice; the first is in line %u", node->text,
                               other->born.line);
        *key = node;
        return true;
    }
    node->born = (*key)->place;
    node_put(reader->region, map, (*key)->text, node);
    *key = NULL;
    return true;
}

static bool reader_add(struct reader *reader, struct node *node)
{
    if (++reader->nodes > TREE_NODES_MAX)
        return place_error(reader->error, node->place, "the file has more than %d parts",
                           TREE_NODES_MAX);
    if (!reader->depth) {
        reader->root = node;
        return true;
    }
    struct node *top = reader->open[reader->depth - 1];
    if (top->kind == NODE_MAP)
        return reader_add_to_map(reader, top, node);
    node_append(reader->region, top, node);
    return true;
}

static bool reader_open(struct reader *reader, enum node_kind kind, struct fy_token *token)
{
    struct node *node = node_new(reader->region, kind, reader_place(reader, token));
    if (reader->depth == TREE_DEPTH_MAX)
        return place_error(reader->error, node->place, "nested deeper than %d levels",
                           TREE_DEPTH_MAX);
    if (!reader_add(reader, node))
        return false;
    reader->key[reader->depth] = NULL;
    reader->open[reader->depth++] = node;
    return true;
}

/* As fy_token_get_text, which (in 0.7.12) loses memory over texts of many lines or escapes. */
static bool token_read(struct fy_token *token, struct text *text)
{
    struct fy_token_iter *iterator = fy_token_iter_create(token);
    const struct fy_iter_chunk *chunk = NULL;
    int wrong = 1;
    while (iterator && (chunk = fy_token_iter_chunk_next(iterator, chunk, &wrong)))
        text_add_bytes(text, chunk->str, chunk->len);
    fy_token_iter_destroy(iterator);
    return !wrong;
}

static bool reader_scalar(struct reader *reader, struct fy_token *token)
{
    struct node *node = node_new(reader->region, NODE_TEXT, reader_place(reader, token));
    struct text text = { 0 };
    bool good = (!token || token_read(token, &text)) && !memchr(text_get(&text), 0, text.length);
    node->text = region_copy(reader->region, text_get(&text), text.length);
    text_fini(&text);
    if (!good)
        return place_error(reader->error, node->place, "text that contains a zero character");
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    node->quoted = style != FYSS_PLAIN;
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
        node->place.column--; /* from the first letter to the quotation mark */
    return reader_add(reader, node);
}

/* Parts of YAML that descriptions have no use for. */
static bool reader_plain(struct reader *reader, struct fy_token *anchor, struct fy_token *tag)
{
    if (anchor)
        return place_error(reader->error, reader_place(reader, anchor),
                           "anchors (&name) are not supported; %s", reader->words->sharing);
    if (tag)
        return place_error(reader->error, reader_place(reader, tag),
                           "tags (!name) are not supported; leave it out");
    return true;
}

static bool reader_event(struct reader *reader, const struct fy_event *event)
{
    switch (event->type) {
    case FYET_SCALAR:
        return reader_plain(reader, event->scalar.anchor, event->scalar.tag) &&
               reader_scalar(reader, event->scalar.value);
    case FYET_MAPPING_START:
        return reader_plain(reader, event->mapping_start.anchor, event->mapping_start.tag) &&
               reader_open(reader, NODE_MAP, event->mapping_start.mapping_start);
    case FYET_SEQUENCE_START:
        return reader_plain(reader, event->sequence_start.anchor, event->sequence_start.tag) &&
               reader_open(reader, NODE_LIST, event->sequence_start.sequence_start);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        reader->depth--;
        return true;
    case FYET_ALIAS:
        return place_error(reader->error, reader_place(reader, event->alias.anchor),
                           "aliases (*name) are not supported; %s", reader->words->sharing);
    case FYET_DOCUMENT_START:
        if (reader->root)
            return place_error(reader->error,
                               reader_place(reader, event->document_start.document_start),
                               "a second YAML document starts here; a file holds one");
        return true;
    default:
        return true;
    }
}

static void reader_hear(struct fy_diag *diag, void *user, const char *words, size_t length)
{
    struct reader *reader = user;
    (void)diag;
    if (reader->complaint.length < 1024)
        text_add_bytes(&reader->complaint, words, length);
}

/* "<memory-@0x..>:LINE:COLUMN: error: WHAT" as one of our messages. */
static bool reader_complain(struct reader *reader)
{
    struct place place = { reader->file, 1, 1 };
    const char *words = text_get(&reader->complaint);
    const char *position = strstr(words, ">:");
    char what[256] = "it cannot be read";
    if (position)
        sscanf(position, ">:%u:%u: error: %255[^\n]", &place.line, &place.column, what);
    return place_error(reader->error, place, "not valid YAML: %s", what);
}

/* Length of the UTF-8 character at the start of the text; 0 if there is none. */
static size_t character_length(const unsigned char *text, size_t left)
{
    static const u32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (length == 1)
        return text[0] >= 0x20 || text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
    u32 code = text[0] & (0x7fu >> length);
    if (text[0] < 0xc0 || text[0] > 0xf7 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= smallest[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

/* libfyaml takes some bytes that are not text for the end of the file, and showing where a mistake
 * is amid many tabs it reads beyond its own memory. */
static bool reader_check_text(struct reader *reader, const char *text, size_t length)
{
    struct place place = { reader->file, 1, 1 };
    for (size_t at = 0; at < length; place.column++) {
        size_t step = character_length((const unsigned char *)text + at, length - at);
        if (!step)
            return place_error(reader->error, place,
                               "byte 0x%02x is not text; a file is UTF-8 without control "
                               "characters",
                               (unsigned)(unsigned char)text[at]);
        if (text[at] == '\t')
            return place_error(reader->error, place, "a tab; YAML is indented with spaces");
        if (text[at] == '\n') {
            place.line++;
            place.column = 0;
        }
        at += step;
    }
    return true;
}

static bool reader_read(struct reader *reader, struct fy_parser *parser)
{
    struct fy_event *event;
    bool good = true;
    while (good && (event = fy_parser_parse(parser))) {
        good = reader_event(reader, event);
        fy_parser_event_free(parser, event);
    }
    if (!good)
        return false;
    if (fy_parser_get_stream_error(parser))
        return reader_complain(reader);
    if (!reader->root)
        return place_error(reader->error, (struct place){ reader->file, 1, 1 },
                           "the file is empty; %s", reader->words->empty);
    return true;
}

struct node *tree_parse(struct region *region, const struct tree_words *words, const char *name,
                        const char *text, size_t length, struct ogv_error *error)
{
    struct reader reader = { .region = region, .words = words, .error = error };
    reader.file = region_copy(region, name, strlen(name));
    struct fy_diag_cfg diag_settings;
    fy_diag_cfg_default(&diag_settings);
    diag_settings.fp = NULL;
    diag_settings.output_fn = reader_hear;
    diag_settings.user = &reader;
    diag_settings.level = FYET_ERROR;
    diag_settings.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_settings);
    struct fy_parse_cfg settings = { .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                     .diag = diag };
    struct fy_parser *parser = diag ? fy_parser_create(&settings) : NULL;
    bool ready = parser && fy_parser_set_string(parser, text, length) == 0;
    bool good = ready && reader_check_text(&reader, text, length) && reader_read(&reader, parser);
    if (!ready)
        error_system(error, "%s: cannot start the YAML reader", name);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    text_fini(&reader.complaint);
    return good ? reader.root : NULL;
}
