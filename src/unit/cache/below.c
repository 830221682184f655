/* below.c - what a cache asks of the memory behind it: pieces to fetch, dirty bytes to keep, and
 * requests that it passes on.
 *
 * Requests leave a slice in the order in which they were made. That, and the order that all units
 * keep between requests for the same bytes, is why a write that was passed on needs no memory here:
 * a later read of the same bytes comes after it everywhere. */
#include <string.h>

#include "unit/cache/miss.h"

u32 cache_dirty_pieces(const struct cache *u, u32 line)
{
    u32 count = 0;
    if (!tags_is_dirty(&u->tags, line))
        return 0;
    for (u32 i = 0; i < u->tags.line_pieces; i++)
        count += tags_bytes(&u->tags, line, i)->dirty != 0;
    return count;
}

void piece_write_back(struct cache *u, u32 slice, u32 line, u32 index, u32 source, cycle now)
{
    struct cache_bytes *bytes = tags_bytes(&u->tags, line, index);
    u32 dirty = bytes->dirty;
    if (!dirty)
        return;
    struct cache_request *request = cache_ask(u, slice, now);
    request->address = (tags_number(&u->tags, line) << u->line_shift) + index * MEMORY_SECTOR;
    request->kind = MEMORY_WRITE;
    request->size_bytes = MEMORY_SECTOR;
    request->mask = dirty;
    request->source = source;
    request->tag = TAG_WRITE_BACK | cache_write_begins(u);
    memcpy(cache_ask_data(&u->slices[slice], request), tags_data(&u->tags, line, index),
           MEMORY_SECTOR);
    u->s.write_backs++;
    u->s.bytes_sent += (u32)__builtin_popcount(dirty);
    bytes->dirty = 0;
}

void cache_write_back(struct cache *u, u32 slice, u32 line, u32 source, cycle now)
{
    for (u32 i = 0; i < u->tags.line_pieces; i++)
        piece_write_back(u, slice, line, i, source, now);
    tags_clean(&u->tags, line);
}

void piece_fetch(struct cache *u, u32 slice, u32 mshr, u32 index, u64 address, u32 source, u32 kind,
                 cycle now)
{
    struct cache_request *request = cache_ask(u, slice, now);
    request->address = address;
    request->kind = (u16)kind;
    request->size_bytes = MEMORY_SECTOR;
    request->mask = 0;
    request->source = source;
    request->tag = mshr << TAG_PIECE_BITS | index;
    u->mshrs.at[mshr].pending |= UINT32_C(1) << index;
}

void request_pass(struct cache *u, const struct cache_home *home, u32 user,
                  const struct message *request, cycle now)
{
    struct cache_request *passed = cache_ask(u, home->slice, now);
    passed->address = home->local;
    passed->tag = request->tag;
    passed->source = request->source;
    passed->mask = request->mask;
    passed->kind = request->kind;
    passed->size_bytes = request->size_bytes;
    if (kind_has_data(request->kind))
        memcpy(cache_ask_data(&u->slices[home->slice], passed), request->data.byte,
               MESSAGE_DATA_BYTES);
    if (is_write(request))
        u->s.bytes_sent += (u32)__builtin_popcount(written_bytes(request));
    if ((request->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        return;
    u32 index = node_take(&u->mshrs);
    struct cache_node *node = &u->mshrs.nodes[index];
    node->passed = (struct cache_passed){ request->address, request->tag, cache_write_begins(u) };
    node->user = user;
    passed->tag = TAG_PASSED | index;
    u->passing++;
    u->inside++;
}

void cache_put_line(struct cache *u, const struct cache_home *home, u32 line, u32 source, cycle now)
{
    if (tags_is_dirty(&u->tags, line) && tags_holds(&u->tags, line))
        cache_write_back(u, home->slice, line, source, now);
    cache_replace_line(u, home, line);
}
