/* search_page.h - what a search has found, as one page that holds all it needs. */
#ifndef REPORT_SEARCH_PAGE_H
#define REPORT_SEARCH_PAGE_H

#include "base/text.h"
#include "explore/search.h"

/* "l1=64 KiB rays=84"; the caller frees. */
char *search_point_words(const struct study *study, const u32 *at);

/* What a goal was worth in a trial, as it is shown. */
double search_goal_value(const struct search_plan *plan, const struct trial *trial, u32 goal);

/* The front or the best point, the way of the search, and how much each axis matters. */
void search_page(const struct search *search, struct text *page);

#endif
