/* traffic.c - which link of the chip belongs to which line of the architecture file, and sums of
 * what links count.
 *
 * Links of the chip stand in the order of the plan's edges, the way back behind the way there:
 * whoever changes that order is stopped here. */
#include "arch/traffic.h"

#include <stdlib.h>

#include "base/error.h"

struct traffic_joint {
    const struct link *there, *back; /* back: NULL if nothing is answered */
    struct traffic_line *line;
    u32 from_copy, to_copy;
};

static void line_init(struct traffic_line *line, const struct plan *plan,
                      const struct plan_link *link)
{
    const struct plan_domain *from = &plan->domains[link->from.domain];
    const struct plan_domain *to = &plan->domains[link->to.domain];
    line->link = link;
    line->asks = from->units[link->from.unit].type->ports[link->from.port].role == ASKS;
    line->from_count = from->count;
    line->to_count = to->count;
    line->from = heap_array(from->count, sizeof *line->from);
    line->to = heap_array(to->count, sizeof *line->to);
}

struct traffic *traffic_create(const ogv_system *system)
{
    const struct plan *plan = system->plan;
    struct traffic *traffic = heap_array(1, sizeof *traffic);
    traffic->line_count = plan->link_count;
    traffic->lines = heap_array(plan->link_count + 1, sizeof *traffic->lines);
    traffic->joint_count = plan->edge_count;
    traffic->joints = heap_array(plan->edge_count + 1, sizeof *traffic->joints);
    for (u32 i = 0; i < plan->link_count; i++)
        line_init(&traffic->lines[i], plan, &plan->links[i]);
    /* Links stand in the order of the edges that they were made for. */
    for (u32 i = 0, made = 0; i < plan->edge_count; i++) {
        const struct plan_edge *edge = &plan->edges[i];
        struct traffic_joint *joint = &traffic->joints[i];
        joint->line = &traffic->lines[edge->link];
        joint->there = system->chip->links[made++];
        joint->back = joint->line->asks ? system->chip->links[made++] : NULL;
        joint->from_copy = plan_locate(plan, edge->from).domain_copy;
        joint->to_copy = plan_locate(plan, edge->to).domain_copy;
        if (joint->there->writer->number != edge->from || joint->there->reader->number != edge->to)
            ogv_bug("link %s -> %s stands where that of '%s' should",
                    unit_path(joint->there->writer), unit_path(joint->there->reader),
                    plan->links[edge->link].text);
    }
    return traffic;
}

void traffic_destroy(struct traffic *traffic)
{
    if (!traffic)
        return;
    for (u32 i = 0; i < traffic->line_count; i++) {
        free(traffic->lines[i].from);
        free(traffic->lines[i].to);
    }
    free(traffic->lines);
    free(traffic->joints);
    free(traffic);
}

static void sum_add(struct traffic_sum *sum, const struct traffic_joint *joint)
{
    sum->sent += joint->there->tail;
    sum->answered += joint->back ? joint->back->tail : 0;
    sum->joints++;
}

void traffic_count(struct traffic *traffic)
{
    for (u32 i = 0; i < traffic->line_count; i++)
        traffic->lines[i].all = (struct traffic_sum){ 0 };
    for (u32 i = 0; i < traffic->joint_count; i++)
        sum_add(&traffic->joints[i].line->all, &traffic->joints[i]);
}

void traffic_count_copies(struct traffic *traffic)
{
    traffic_count(traffic);
    for (u32 i = 0; i < traffic->line_count; i++) {
        struct traffic_line *line = &traffic->lines[i];
        for (u32 k = 0; k < line->from_count; k++)
            line->from[k] = (struct traffic_sum){ 0 };
        for (u32 k = 0; k < line->to_count; k++)
            line->to[k] = (struct traffic_sum){ 0 };
    }
    for (u32 i = 0; i < traffic->joint_count; i++) {
        const struct traffic_joint *joint = &traffic->joints[i];
        sum_add(&joint->line->from[joint->from_copy], joint);
        sum_add(&joint->line->to[joint->to_copy], joint);
    }
}
