/* traffic.c - checks what stats.json says of links, line by line, before the picture relies on
 * it; if anything is wrong, the picture has none of it. */
#include "report/traffic.h"

#include <stdlib.h>

static bool number_check(const json_t *number)
{
    return json_is_integer(number) && json_integer_value(number) >= 0;
}

static bool copies_check(const json_t *list, u32 copies)
{
    if (json_array_size(list) != copies)
        return false;
    for (size_t i = 0; i < copies; i++) {
        const json_t *pair = json_array_get(list, i);
        if (json_array_size(pair) != 2 || !number_check(json_array_get(pair, 0)) ||
            !number_check(json_array_get(pair, 1)))
            return false;
    }
    return true;
}

/* One end of a line: a group, and what each copy of its domain had. */
static bool end_check(const struct result *result, const json_t *line, const char *name,
                      const char *copies)
{
    const char *path = json_string_value(json_object_get(line, name));
    const struct result_group *group = path ? result_find(result, path) : NULL;
    return group && copies_check(json_object_get(line, copies), group->domain_copies);
}

static bool line_check(const struct result *result, const json_t *line)
{
    const json_t *answered = json_object_get(line, "answered");
    return number_check(json_object_get(line, "joints")) &&
           number_check(json_object_get(line, "sent")) &&
           (json_is_null(answered) || number_check(answered)) &&
           end_check(result, line, "from", "from_copies") &&
           end_check(result, line, "to", "to_copies");
}

void traffic_show(const struct result *result, struct text *json)
{
    const json_t *lines = json_object_get(result->stats, "links");
    bool good = json_is_array(lines) &&
                json_array_size(lines) == json_array_size(json_object_get(result->run, "links"));
    for (size_t i = 0; good && i < json_array_size(lines); i++)
        good = line_check(result, json_array_get(lines, i));
    char *text = good ? json_dumps(lines, JSON_COMPACT) : NULL;
    text_add(json, "%s", text ? text : "null");
    free(text);
}
