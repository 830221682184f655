/* words.h - one word out of a list of those that are known. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "ogive/types.h"

struct ogv_error;

/* Its place in the list; else false, and a message that says what `what` there are and which one
 * was probably meant. */
bool words_find(const char *what, const char *word, const char *const *words, u32 count, u32 *found,
                struct ogv_error *error);

#endif
