/* traffic_record.c - the lines of an architecture's links as JSON: what went each way, in all
 * and by copies of the domains at both ends. */
#include "result/traffic_record.h"

#include <stdlib.h>

#include "arch/traffic.h"

static json_t *count_record(u64 count)
{
    return json_integer((json_int_t)count);
}

json_t *traffic_end_record(const struct plan *plan, const struct plan_end *end)
{
    const struct plan_domain *domain = &plan->domains[end->domain];
    char *name = text_format("%s.%s", domain->name, domain->units[end->unit].name);
    json_t *object = json_string(name);
    free(name);
    return object;
}

static json_t *copies_record(const struct traffic_sum *sums, u32 count)
{
    json_t *list = json_array();
    for (u32 i = 0; i < count; i++) {
        json_t *pair = json_array();
        json_array_append_new(pair, count_record(sums[i].sent));
        json_array_append_new(pair, count_record(sums[i].answered));
        json_array_append_new(list, pair);
    }
    return list;
}

static json_t *line_record(const struct plan *plan, const struct traffic_line *line)
{
    json_t *object = json_object();
    json_object_set_new(object, "from", traffic_end_record(plan, &line->link->from));
    json_object_set_new(object, "to", traffic_end_record(plan, &line->link->to));
    json_object_set_new(object, "joints", count_record(line->all.joints));
    json_object_set_new(object, "sent", count_record(line->all.sent));
    json_object_set_new(object, "answered",
                        line->asks ? count_record(line->all.answered) : json_null());
    json_object_set_new(object, "from_copies", copies_record(line->from, line->from_count));
    json_object_set_new(object, "to_copies", copies_record(line->to, line->to_count));
    return object;
}

json_t *traffic_record(const ogv_system *system)
{
    struct traffic *traffic = traffic_create(system);
    json_t *list = json_array();
    traffic_count_copies(traffic);
    for (u32 i = 0; i < traffic->line_count; i++)
        json_array_append_new(list, line_record(system->plan, &traffic->lines[i]));
    traffic_destroy(traffic);
    return list;
}
