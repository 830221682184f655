/* words.c - looks a word up in a list; one that is not there is answered by the whole list and
 * the nearest of it. */
#include "base/words.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

static void words_unknown(const char *what, const char *word, const char *const *words, u32 count,
                          struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    struct text list = { 0 };
    nearest_init(&nearest, word);
    for (u32 i = 0; i < count; i++) {
        nearest_offer(&nearest, words[i]);
        text_add(&list, "%s%s", i ? ", " : "", words[i]);
    }
    error_user(error, "there is no %s '%s'%s (there are %s)", what, word,
               nearest_hint(&nearest, hint, sizeof hint), text_get(&list));
    text_fini(&list);
}

bool words_find(const char *what, const char *word, const char *const *words, u32 count, u32 *found,
                struct ogv_error *error)
{
    for (*found = 0; *found < count; ++*found)
        if (!strcmp(word, words[*found]))
            return true;
    words_unknown(what, word, words, count, error);
    return false;
}
