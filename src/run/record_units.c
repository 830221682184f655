/* record_units.c - see record_units.h.
 *
 * A large chip has hundreds of thousands of these numbers, nearly all of stats.json, so they become
 * text at once, laid out as jansson does it with JSON_INDENT(1). Names of units, types and
 * statistics are letters, digits and a few signs: none of them needs an escape. */
#include "run/record_units.h"

#include <stdlib.h>
#include <string.h>

#include "result/tally.h"

static void fraction_write(struct text *out, double value)
{
    json_t *number = json_real(value);
    char *digits = json_dumps(number, JSON_ENCODE_ANY | RECORD_DIGITS);
    text_add_words(out, digits ? digits : "null");
    free(digits);
    json_decref(number);
}

static void row_write(struct text *out, const char *name, struct stat_value value)
{
    text_add_words(out, ",\n   \"");
    text_add_words(out, name);
    text_add_words(out, "\": ");
    if (!value.defined)
        text_add_words(out, "null");
    else if (value.whole && value.integer <= INT64_MAX)
        text_add_whole(out, value.integer);
    else
        fraction_write(out, value.whole ? (double)value.integer : value.real);
}

static void unit_write(const ogv_system *system, u32 number, struct text *out)
{
    struct plan_spot spot = plan_locate(system->plan, number);
    struct stat_group one = { spot.domain, spot.unit, spot.domain_copy, 1, spot.unit_copy, 1 };
    const struct unit_type *type = spot.unit->type;
    const u64 *cells = unit_stats(system->chip->units[number]);
    char path[256];
    plan_path(system->plan, number, path, sizeof path);
    text_add(out, "\n  \"%s\": {\n   \"type\": \"%s\"", path, type->name);
    for (u32 i = 0; type->stats[i].name; i++)
        row_write(out, type->stats[i].name, tally_stat(&one, cells, i));
    for (u32 i = 0; type->ratios[i].name; i++)
        row_write(out, type->ratios[i].name, stats_ratio(type, i, cells));
    text_add_words(out, "\n  }");
}

void units_write(const ogv_system *system, struct text *out)
{
    text_add_words(out, "{");
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        text_add_words(out, n ? "," : "");
        unit_write(system, n, out);
    }
    text_add_words(out, system->chip->unit_count ? "\n }" : "}");
}
