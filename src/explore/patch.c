/* patch.c - see patch.h. */
#include "explore/patch.h"

#include <string.h>

#include "base/text.h"

static bool option_unknown(const struct node *item, const char *where, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, item->key);
    nearest_offer(&nearest, "set");
    for (u32 i = 0; i < STUDY_OPTIONS; i++)
        nearest_offer(&nearest, study_options[i].name);
    return place_error(error, item->born,
                       "there is no '%s' in %s%s (parameters of the machine stand under `set:`)",
                       item->key, where, nearest_hint(&nearest, hint, sizeof hint));
}

static bool settings_read(struct region *region, const struct node *map, struct patch *patch,
                          struct ogv_error *error)
{
    if (map->kind != NODE_MAP)
        return place_error(error, map->place,
                           "`set` is a map of parameters, as in sm.l1.size: 128 KiB");
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        if (item->kind != NODE_TEXT)
            return place_error(error, item->place, "%s: a value is needed here, not %s", item->key,
                               node_kind_name(item->kind));
        patch_set(region, patch, item->key, (struct patch_value){ item->text, item->place });
    }
    return true;
}

bool patch_read(struct region *region, const struct node *map, const char *from, const char *where,
                struct patch *patch, struct ogv_error *error)
{
    if (map->kind != NODE_MAP)
        return place_error(error, map->place, "%s is a map of options, as in size: 64x64", where);
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        if (!strcmp(item->key, "set")) {
            if (!settings_read(region, item, patch, error))
                return false;
            continue;
        }
        u32 option = study_option_find(item->key);
        if (option == STUDY_OPTIONS)
            return option_unknown(item, where, error);
        const char *text = option_read(region, option, item, from, error);
        if (!text)
            return false;
        patch->options[option] = (struct patch_value){ text, item->place };
    }
    return true;
}

/* A setting that is given again takes the other's place at the end: the order may matter. */
void patch_set(struct region *region, struct patch *patch, const char *path,
               struct patch_value value)
{
    u32 i = 0;
    while (i < patch->setting_count && strcmp(patch->settings[i].path, path))
        i++;
    if (i == patch->setting_count) {
        patch->settings =
            region_grow(region, patch->settings, patch->setting_count, sizeof *patch->settings);
        patch->setting_count++;
    } else {
        memmove(&patch->settings[i], &patch->settings[i + 1],
                (patch->setting_count - i - 1) * sizeof *patch->settings);
    }
    patch->settings[patch->setting_count - 1] = (struct patch_setting){ path, value };
}

void patch_lay(struct region *region, struct patch *patch, const struct patch *over)
{
    for (u32 i = 0; i < STUDY_OPTIONS; i++)
        if (over->options[i].text)
            patch->options[i] = over->options[i];
    for (u32 i = 0; i < over->setting_count; i++)
        patch_set(region, patch, over->settings[i].path, over->settings[i].value);
}
