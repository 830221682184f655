/* calls.c - the tree of calls as JSON: the nodes that cost enough to be seen, parents before
 * children. A profile that cannot be read is shown as the problem that it has. */
#include "report/calls.h"

#include <stdlib.h>

#include "base/file.h"
#include "profile/tree.h"

#define LEAST     0.0005 /* of all cycles */
#define NODES_MAX 4000

static json_t *node_json(const struct tree_node *node, json_int_t parent, bool energy)
{
    char reason[64] = "";
    u32 stall = counts_main_stall(&node->counts);
    json_t *object = json_object(), *name = json_string(node->function ? node->function : "?");
    if (stall != PROFILE_ISSUED)
        profile_reason_name(stall, reason, sizeof reason);
    json_object_set_new(object, "name", name ? name : json_string("?"));
    json_object_set_new(object, "parent", json_integer(parent));
    json_object_set_new(object, "own", json_real(node->own));
    json_object_set_new(object, "all", json_real(node->inclusive));
    json_object_set_new(object, "calls",
                        node->inlined ? json_null() : json_integer((json_int_t)node->calls));
    if (energy)
        json_object_set_new(object, "own_pj", json_real(node->counts.picojoules));
    json_object_set_new(object, "stall", json_string(reason));
    json_object_set_new(object, "stall_cycles",
                        json_integer((json_int_t)node->counts.cycles[stall]));
    return object;
}

/* A node is at least as costly as those below it, so whoever is in the list has its parent there.
 */
static json_t *nodes_json(const struct profile_tree *tree)
{
    json_t *list = json_array();
    json_int_t *place = heap_array(tree->node_count + 1, sizeof *place);
    double least = LEAST * tree->nodes[0].inclusive;
    for (u32 i = 0; i < tree->node_count && json_array_size(list) < NODES_MAX; i++) {
        const struct tree_node *node = &tree->nodes[i];
        bool under = node->parent < i && place[node->parent] >= 0;
        place[i] = -1;
        if (i && (!under || node->inclusive < least))
            continue;
        place[i] = (json_int_t)json_array_size(list);
        json_array_append_new(
            list, node_json(node, i ? place[node->parent] : -1, tree->profile->has_energy));
    }
    free(place);
    return list;
}

static json_t *profile_json(const struct profile *profile, struct ogv_error *error)
{
    struct profile_measure measure;
    if (!profile_measure_find("cycles", &measure, error))
        return NULL;
    struct profile_tree *tree = tree_create(profile, &measure, error);
    if (!tree)
        return NULL;
    json_t *object = json_object();
    json_object_set_new(object, "cycles", json_integer((json_int_t)profile->thread_cycles));
    json_object_set_new(object, "nodes", nodes_json(tree));
    tree_destroy(tree);
    return object;
}

void calls_write(const struct result *result, struct text *json)
{
    char *path = text_format("%s/profile.json", result->folder);
    struct ogv_error error = { 0 };
    json_t *object = NULL;
    if (file_exists(path)) {
        struct profile *profile = profile_read(result->folder, &error);
        object = profile ? profile_json(profile, &error) : NULL;
        if (!object)
            object = json_pack("{s:s}", "problem", error.message);
        profile_destroy(profile);
    }
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    text_add(json, "%s", text ? text : "null");
    free(text);
    json_decref(object);
    free(path);
}
