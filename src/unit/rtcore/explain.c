/* explain.c - what an RT core has that rays wait for, and where their cycles went. */
#include "unit/rtcore/rtcore.h"

#define SCHEDULE  "schedule slots"
#define BOXES     "box pipes"
#define TRIANGLES "triangle pipes"
#define ANSWERS   "answers"

const struct resource_row rtcore_resource_rows[] = {
    { .name = "ray slots",
      .kind = RESOURCE_ROOM,
      .capacity = "rays",
      .used = "ray_cycles",
      .held = "users_room" },
    { .name = SCHEDULE, .kind = RESOURCE_WORK, .capacity = "schedule", .used = "slots_used" },
    { .name = BOXES, .kind = RESOURCE_WORK, .capacity = "box_pipes", .used = "box_busy" },
    { .name = TRIANGLES,
      .kind = RESOURCE_WORK,
      .capacity = "triangle_pipes",
      .used = "triangle_busy" },
    { .name = ANSWERS, .kind = RESOURCE_WORK, .capacity = "answers", .used = "rays + empty" },
    { 0 },
};

const struct figure_row rtcore_figure_rows[] = {
    { "nodes_per_ray", "nodes", "rays" },
    { "triangles_per_ray", "triangles", "rays" },
    { 0 },
};

const struct account_row rtcore_account_rows[] = {
    { 0, "ray_cycles", "ray-cycles of all RT cores", ACCOUNT_PARTS, NULL, NULL },
    { 1, NULL, "memory", ACCOUNT_PARTS, NULL, NULL },
    { 2, "wait_node_fetch", "a node was on its way", ACCOUNT_MEMORY, NULL, NULL },
    { 2, "wait_block_fetch", "triangles were on their way", ACCOUNT_MEMORY, NULL, NULL },
    { 2, "wait_stack_fetch", "stack entries were on their way", ACCOUNT_MEMORY, NULL, NULL },
    { 1, NULL, "box tests", ACCOUNT_PARTS, NULL, NULL },
    { 2, "wait_box_queue", "waited for a box pipe", ACCOUNT_OWN, BOXES, NULL },
    { 2, "wait_box", "in a box pipe", ACCOUNT_OWN, BOXES, NULL },
    { 1, NULL, "triangle tests", ACCOUNT_PARTS, NULL, NULL },
    { 2, "wait_triangle_queue", "waited for a triangle pipe", ACCOUNT_OWN, TRIANGLES, NULL },
    { 2, "wait_triangle", "in a triangle pipe", ACCOUNT_OWN, TRIANGLES, NULL },
    { 1, "wait_schedule", "ready, before its turn", ACCOUNT_OWN, SCHEDULE, NULL },
    { 1, NULL, "done", ACCOUNT_PARTS, NULL, NULL },
    { 2, "wait_warp", "waited for its warp", ACCOUNT_OWN, ANSWERS, NULL },
    { 2, "wait_answer", "waited to leave", ACCOUNT_OWN, ANSWERS, NULL },
    { 2, "wait_held", "waited to be asked for", ACCOUNT_OVER, NULL, NULL },
    { 0, "slot_cycles", "slot-cycles of all RT cores", ACCOUNT_PARTS, NULL, "empty" },
    { 1, "ray_cycles", "in use", ACCOUNT_PARTS, NULL, NULL },
    { 0 },
};
