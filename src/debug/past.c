/* past.c - see past.h. */
#include "debug/past.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/text.h"
#include "base/wall.h"
#include "ogive/arbiter.h"

/* In memory or on the disk. */
struct page {
    u32 users;
    u8 *bytes; /* [ARENA_PAGE]; NULL: on the disk */
    struct spilled spilled;
    XXH128_hash_t hash; /* of what is there */
};

#define PAGE_BYTES (sizeof(struct page) + ARENA_PAGE)

struct moment_page {
    u64 number;
    struct page *page;
};

void past_init(struct past *past, struct arena *arena, u64 limit_bytes, const char *folder,
               u64 disk_bytes)
{
    *past = (struct past){ .arena = arena, .limit_bytes = limit_bytes };
    spill_init(&past->spill, folder, disk_bytes);
}

static void page_let_go(struct past *past, struct page *page)
{
    if (--page->users)
        return;
    past->bytes -= sizeof *page + (page->bytes ? ARENA_PAGE : 0);
    if (!page->bytes)
        spill_forget(&past->spill, page->spilled.volume);
    free(page->bytes);
    free(page);
}

static void moment_drop(struct past *past, struct moment *moment)
{
    for (u32 i = 0; i < moment->count; i++)
        page_let_go(past, moment->pages[i].page);
    past->bytes -= moment->count * sizeof *moment->pages;
    free(moment->pages);
}

static void past_remove(struct past *past, u32 number)
{
    moment_drop(past, &past->moments[number]);
    past->count--;
    memmove(&past->moments[number], &past->moments[number + 1],
            (past->count - number) * sizeof *past->moments);
}

void past_fini(struct past *past)
{
    while (past->count)
        past_remove(past, past->count - 1);
    free(past->moments);
    spill_fini(&past->spill);
}

/* ---- Keeping ---- */

/* A copy that is being made, beside the one before, whose pages it takes over if they are equal. */
struct keeping {
    struct past *past;
    struct moment *moment;
    const struct moment *before;
    u32 next; /* of the one before */
    u32 room;
};

static u64 page_bytes(const struct past *past, u64 number)
{
    return min_u64(ARENA_PAGE, past->arena->used - number * ARENA_PAGE);
}

/* The same page of the copy before; NULL: it has none. */
static struct page *page_before(struct keeping *keeping, u64 number)
{
    const struct moment *before = keeping->before;
    while (before && keeping->next < before->count && before->pages[keeping->next].number < number)
        keeping->next++;
    bool there =
        before && keeping->next < before->count && before->pages[keeping->next].number == number;
    return there ? before->pages[keeping->next].page : NULL;
}

static struct page *page_copy(struct past *past, const u8 *bytes, u64 length)
{
    struct page *page = heap_array(1, sizeof *page);
    page->bytes = heap_array(1, ARENA_PAGE);
    memcpy(page->bytes, bytes, length);
    past->bytes += PAGE_BYTES;
    return page;
}

/* What is on the disk is not read for that. */
static bool page_is(const struct page *page, const u8 *bytes, u64 length)
{
    u8 whole[ARENA_PAGE] = { 0 };
    if (page->bytes)
        return !memcmp(page->bytes, bytes, length);
    memcpy(whole, bytes, length);
    return XXH128_isEqual(page->hash, XXH3_128bits(whole, ARENA_PAGE));
}

static void page_keep(struct keeping *keeping, u64 number)
{
    struct past *past = keeping->past;
    struct moment *moment = keeping->moment;
    const u8 *bytes = (const u8 *)past->arena + number * ARENA_PAGE;
    u64 length = page_bytes(past, number);
    struct page *page = page_before(keeping, number);
    if (!page || !page_is(page, bytes, length))
        page = page_copy(past, bytes, length);
    page->users++;
    if (moment->count == keeping->room) {
        keeping->room = 2 * keeping->room + 1024;
        moment->pages = heap_grow(moment->pages, keeping->room, sizeof *moment->pages);
    }
    moment->pages[moment->count++] = (struct moment_page){ number, page };
}

static bool run_keep(void *context, u64 start, u64 length)
{
    for (u64 at = start; at < start + length; at += ARENA_PAGE)
        page_keep(context, at / ARENA_PAGE);
    return true;
}

u32 past_find(const struct past *past, cycle at)
{
    u32 number = past->count;
    while (number && past->moments[number - 1].at > at)
        number--;
    return number ? number - 1 : NOBODY;
}

/* Of a copy that is neither the first nor the last: how little would be lost. */
static double moment_worth(const struct past *past, u32 number)
{
    const struct moment *moment = &past->moments[number];
    cycle newest = past->moments[past->count - 1].at;
    return (double)(moment[1].at - moment[-1].at) / (double)(newest - moment->at + 1);
}

static void past_remove_least(struct past *past)
{
    u32 least = 1;
    for (u32 i = 2; i + 1 < past->count; i++)
        if (moment_worth(past, i) < moment_worth(past, least))
            least = i;
    past_remove(past, least);
}

static bool page_spill(struct past *past, struct page *page, struct volume *volume)
{
    if (!spill_write(&past->spill, volume, page->bytes, ARENA_PAGE, &page->spilled))
        return false;
    page->hash = XXH3_128bits(page->bytes, ARENA_PAGE);
    free(page->bytes);
    page->bytes = NULL;
    past->bytes -= ARENA_PAGE;
    return true;
}

/* What the last copy has as well stays: the next one is compared with it. */
static bool moment_spill(struct past *past, struct moment *moment)
{
    const struct moment *last = &past->moments[past->count - 1];
    struct volume *volume = spill_begin(&past->spill);
    bool good = volume;
    for (u32 i = 0, k = 0; good && i < moment->count; i++) {
        struct page *page = moment->pages[i].page;
        while (k < last->count && last->pages[k].number < moment->pages[i].number)
            k++;
        bool shared = k < last->count && last->pages[k].page == page;
        good = !page->bytes || shared || page_spill(past, page, volume);
    }
    if (volume)
        spill_forget(&past->spill, volume);
    return good;
}

/* The oldest copy that is in memory, to the disk. False: none is, or there is no room. */
static bool past_spill(struct past *past)
{
    for (u32 i = 0; i + 1 < past->count && spill_takes(&past->spill); i++) {
        struct moment *moment = &past->moments[i];
        u64 before = past->bytes;
        if (moment->spilled)
            continue;
        moment->spilled = moment_spill(past, moment);
        if (!moment->spilled)
            return false;
        if (past->bytes < before)
            return true;
    }
    return false;
}

static void past_thin(struct past *past)
{
    while (past->bytes > past->limit_bytes)
        if (!past_spill(past)) {
            if (past->count <= 2)
                return;
            past_remove_least(past);
        }
}

void past_keep(struct past *past, cycle at)
{
    double begun = wall_clock();
    u32 before = past_find(past, at);
    if (before != NOBODY && past->moments[before].at == at) {
        past_remove(past, before);
        before = before ? before - 1 : NOBODY;
    }
    u32 number = before == NOBODY ? 0 : before + 1;
    struct moment moment = { .at = at };
    struct keeping keeping = { .past = past, .moment = &moment };
    keeping.before = before == NOBODY ? NULL : &past->moments[before];
    arena_visit(past->arena, run_keep, &keeping);
    past->bytes += moment.count * sizeof *moment.pages;
    past->moments = heap_append(past->moments, past->count, sizeof *past->moments);
    memmove(&past->moments[number + 1], &past->moments[number],
            (past->count - number) * sizeof *past->moments);
    past->moments[number] = moment;
    past->count++;
    past_thin(past);
    past->cost_seconds = wall_clock() - begun;
}

/* ---- Restoring ---- */

struct clearing {
    struct past *past;
    const struct moment *moment;
    u32 next;
};

/* What is there now and was not then becomes zero. */
static bool run_clear(void *context, u64 start, u64 length)
{
    struct clearing *clearing = context;
    const struct moment *moment = clearing->moment;
    for (u64 at = start; at < start + length; at += ARENA_PAGE) {
        u64 number = at / ARENA_PAGE;
        while (clearing->next < moment->count && moment->pages[clearing->next].number < number)
            clearing->next++;
        if (clearing->next == moment->count || moment->pages[clearing->next].number != number)
            memset((u8 *)clearing->past->arena + at, 0, page_bytes(clearing->past, number));
    }
    return true;
}

/* Back into memory, all or nothing. */
static bool moment_fetch(struct past *past, struct moment *moment)
{
    for (u32 i = 0; i < moment->count; i++) {
        struct page *page = moment->pages[i].page;
        if (page->bytes)
            continue;
        u8 *bytes = heap_array(1, ARENA_PAGE);
        if (!spill_read(&past->spill, &page->spilled, bytes, ARENA_PAGE)) {
            free(bytes);
            return false;
        }
        spill_forget(&past->spill, page->spilled.volume);
        page->bytes = bytes;
        past->bytes += ARENA_PAGE;
    }
    moment->spilled = false;
    return true;
}

/* The first page says how much is used, and comes last: until then all that is there counts. */
bool past_restore(struct past *past, u32 number)
{
    if (!moment_fetch(past, &past->moments[number])) {
        past_remove(past, number);
        past->spill.failed = true;
        return false;
    }
    const struct moment *moment = &past->moments[number];
    struct clearing clearing = { .past = past, .moment = moment };
    arena_visit(past->arena, run_clear, &clearing);
    for (u32 i = moment->count; i--;) {
        u8 *bytes = (u8 *)past->arena + moment->pages[i].number * ARENA_PAGE;
        if (memcmp(bytes, moment->pages[i].page->bytes, ARENA_PAGE) != 0)
            memcpy(bytes, moment->pages[i].page->bytes, ARENA_PAGE);
    }
    past_thin(past);
    return true;
}
