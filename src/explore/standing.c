/* standing.c - see standing.h. */
#include "explore/standing.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/text.h"
#include "explore/index.h"

const char *const standing_names[STANDINGS] = { "done", "failed", "running", "interrupted",
                                                "waiting" };

static enum standing_state state_of_outcome(const struct outcome *outcome)
{
    return run_classes[outcome->class].fails ? STANDING_FAILED : STANDING_DONE;
}

/* Not in the index: perhaps its line was not written yet, or never. */
static enum standing_state state_look(const struct store *store, const char *key,
                                      struct outcome *outcome)
{
    char *folder = store_folder(store, key), *begun = store_file(store, key, "attempts.txt");
    enum standing_state state = STANDING_WAITING;
    if (folder_exists(folder)) {
        if (store_is_busy(store, key))
            state = STANDING_RUNNING;
        else if (outcome_read(store, key, outcome))
            state = state_of_outcome(outcome);
        else if (file_exists(begun))
            state = STANDING_INTERRUPTED;
    }
    free(folder);
    free(begun);
    return state;
}

bool standing_look(const struct store *store, const struct manifest *manifest,
                   struct standing *standing, struct ogv_error *error)
{
    struct index index;
    *standing = (struct standing){ 0 };
    if (!index_load(store, &index, error))
        return false;
    standing->states = heap_array(manifest->count + 1, sizeof *standing->states);
    standing->outcomes = heap_array(manifest->count + 1, sizeof *standing->outcomes);
    for (u32 i = 0; i < manifest->count; i++) {
        const struct index_row *row = index_find(&index, manifest->runs[i].key);
        enum standing_state state;
        if (row) {
            standing->outcomes[i] = row->outcome;
            state = state_of_outcome(&row->outcome);
        } else {
            state = state_look(store, manifest->runs[i].key, &standing->outcomes[i]);
        }
        standing->states[i] = (u8)state;
        standing->counts[state]++;
    }
    index_fini(&index);
    return true;
}

void standing_fini(struct standing *standing)
{
    free(standing->states);
    free(standing->outcomes);
    *standing = (struct standing){ 0 };
}
