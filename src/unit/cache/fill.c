/* fill.c - what becomes of an answer from below.
 *
 * A fill goes to its line, and the requests that wait for it are executed in the order in which
 * they came. The answer to a request that was passed on goes up. The acknowledgement of a
 * write-back only lets fences go on. */
#include "unit/cache/address.h"
#include "unit/cache/bytes.h"
#include "unit/cache/sector.h"

static bool passed_receive(struct cache *u, const struct message *answer, cycle now)
{
    u32 index = answer->tag & TAG_NUMBER;
    struct cache_node *node = &u->mshrs.nodes[index];
    struct cache_passed passed = node->passed;
    struct cache_home home;
    home_find(u, cache_local(u, passed.address), &home);
    if (!bank_take_fill(u, home.bank, now))
        return false;
    u32 kind = answer->kind & MEMORY_KIND;
    node->message = *answer;
    node->message.address = passed.address;
    node->message.tag = passed.tag;
    node->message.missed += kind == MEMORY_READ;
    if (kind == MEMORY_READ || kind == MEMORY_AMO) {
        u->s.bytes_fetched += answer->size_bytes;
        u->s.bytes_answered += answer->size_bytes;
    }
    cache_write_ends(u, passed.epoch);
    u->passing--;
    cache_answer_node(u, home.bank, index, now);
    return true;
}

static void write_back_receive(struct cache *u, const struct message *answer)
{
    u->s.faults += (answer->kind & MEMORY_KIND) == MEMORY_FAULT;
    cache_write_ends(u, answer->tag & TAG_NUMBER);
}

/* The line that a piece goes to; NOBODY if it is not to be kept. */
static u32 fill_line(struct cache *u, const struct cache_mshr *mshr, const struct cache_home *home,
                     const struct message *answer, cycle now)
{
    if (mshr->generation != (u32)u->tags.generation || u->tags.policy == REPLACE_none)
        return NOBODY;
    if (mshr->line != NOBODY)
        return mshr->line;
    u32 line = cache_find(u, home);
    if (line != NOBODY)
        return line;
    line = tags_victim(&u->tags, home->set); /* there is one: nothing is pinned */
    cache_put_line(u, home, line, answer->source, now);
    return line;
}

/* Executes a request that waited and sends it up. */
static inline STRAIGHT void fill_execute(struct cache *u, u32 index, struct cache_piece piece,
                                         u32 bank, const struct message *answer, cycle now)
{
    struct message *message = &u->mshrs.nodes[index].message;
    u32 user = u->mshrs.nodes[index].user;
    bool waited_to_write = user != NOBODY && (message->kind & MEMORY_KIND) != MEMORY_READ;
    u->writes_waiting -= waited_to_write;
    if ((answer->kind & MEMORY_KIND) == MEMORY_FAULT) {
        message->kind = MEMORY_FAULT;
    } else if (is_write(message)) {
        bytes_write(piece.data, message);
        atomic_written(&u->reservations, message->address);
        if (user != NOBODY)
            tags_make_dirty(&u->tags, piece.line, piece.index, written_bytes(message));
    } else if (is_atomic(message)) {
        cache_apply_atomic(u, message, piece);
    } else {
        bytes_read(u, message, piece.data + message->address % MEMORY_SECTOR);
        message->missed = answer->missed + 1;
    }
    if (user != NOBODY) {
        cache_answer_node(u, bank, index, now);
        return;
    }
    node_give_back(&u->mshrs, index);
    u->inside_most++;
}

void sector_wake_others(struct cache *u, struct cache_mshr *mshr, u32 bank,
                        const struct message *answer, cycle now)
{
    struct cache_piece piece =
        tags_piece(&u->tags, mshr->line, answer->tag % (1 << TAG_PIECE_BITS));
    while (mshr->waiting.first != NOBODY) {
        u32 node = list_shift(&u->mshrs, &mshr->waiting);
        if (!node_is_followed(&u->mshrs.nodes[node])) {
            fill_execute(u, node, piece, bank, answer, now);
            continue;
        }
        struct cache_node followed = u->mshrs.nodes[node];
        node_give_back(&u->mshrs, node); /* their answers need no more nodes than they may have */
        for (u32 i = 0; i < followed.user - NODE_FOLLOWED; i++) {
            struct cache_reader reader = follower_reader(&mshr->first, &followed.followers[i]);
            sector_answer(u, &reader, bank, piece.data, answer->missed + 1, now);
        }
    }
}

/* A read of which not all was kept gets a message again, and its place in line. */
static void reader_unpack(struct cache *u, struct cache_mshr *mshr,
                          const struct cache_reader *reader)
{
    u32 node = node_take(&u->mshrs);
    reader_restore(&u->mshrs.nodes[node].message, reader, 0);
    u->mshrs.nodes[node].user = reader->user;
    list_append(&u->mshrs, &mshr->waiting, node);
}

/* The first read and all followers do. */
static void readers_unpack(struct cache *u, struct cache_mshr *mshr)
{
    struct cache_list waiting = mshr->waiting;
    mshr->waiting = (struct cache_list){ NOBODY, NOBODY };
    reader_unpack(u, mshr, &mshr->first);
    while (waiting.first != NOBODY) {
        u32 node = list_shift(&u->mshrs, &waiting);
        if (!node_is_followed(&u->mshrs.nodes[node])) {
            list_append(&u->mshrs, &mshr->waiting, node);
            continue;
        }
        struct cache_node followed = u->mshrs.nodes[node];
        node_give_back(&u->mshrs, node);
        for (u32 i = 0; i < followed.user - NODE_FOLLOWED; i++) {
            struct cache_reader reader = follower_reader(&mshr->first, &followed.followers[i]);
            reader_unpack(u, mshr, &reader);
        }
    }
    mshr->first.user = NOBODY;
}

/* Those who wait for the piece go on; the others stay in line. */
static bool fill_wake(struct cache *u, struct cache_mshr *mshr, const struct cache_home *home,
                      struct cache_piece piece, const struct message *answer, cycle now)
{
    if (mshr->first.user != NOBODY)
        readers_unpack(u, mshr);
    struct cache_list waiting = mshr->waiting;
    bool anybody = false;
    mshr->waiting = (struct cache_list){ NOBODY, NOBODY };
    while (waiting.first != NOBODY) {
        u32 node = list_shift(&u->mshrs, &waiting);
        u64 local = cache_local(u, u->mshrs.nodes[node].message.address);
        if (local / MEMORY_SECTOR != home->local / MEMORY_SECTOR) {
            list_append(&u->mshrs, &mshr->waiting, node);
            continue;
        }
        anybody = true;
        mshr->count--;
        fill_execute(u, node, piece, home->bank, answer, now);
    }
    return anybody;
}

static void piece_fill(struct cache *u, struct cache_piece piece, const struct message *answer)
{
    bool kept = piece.line != NOBODY;
    u32 valid = kept ? tags_valid(&u->tags, piece.line, piece.index) : 0;
    bytes_fill(piece.data, valid, answer->data.byte);
    if (kept)
        tags_set_valid(&u->tags, piece.line, piece.index, ALL_BYTES);
    u->s.bytes_fetched += MEMORY_SECTOR;
}

static bool fill_receive(struct cache *u, const struct message *answer, cycle now)
{
    u32 index = answer->tag >> TAG_PIECE_BITS, piece_index = answer->tag % (1 << TAG_PIECE_BITS);
    struct cache_mshr *mshr = &u->mshrs.at[index];
    u64 first = mshr->block << u->block_shift & ~((UINT64_C(1) << u->line_shift) - 1);
    struct cache_home home;
    home_find(u, first + piece_index * MEMORY_SECTOR, &home);
    bool fault = (answer->kind & MEMORY_KIND) == MEMORY_FAULT;
    if (!bank_take_fill(u, home.bank, now))
        return false;
    u32 line = fault ? NOBODY : fill_line(u, mshr, &home, answer, now);
    u8 aside[MEMORY_SECTOR];
    struct cache_piece piece = { aside, NOBODY, piece_index };
    if (line != NOBODY)
        piece = tags_piece(&u->tags, line, piece_index);
    if (!fault)
        piece_fill(u, piece, answer);
    bool wanted = fill_wake(u, mshr, &home, piece, answer, now);
    if (line != NOBODY && !wanted && mshr->prefetch)
        tags_mark_fresh(&u->tags, line, UINT32_C(1) << piece_index);
    mshr->pending &= ~(UINT32_C(1) << piece_index);
    if (mshr->pending)
        return true;
    /* What was on its way into a line before all was forgotten is in no line's chain any more. */
    if (!u->by_line || mshr->generation == (u32)u->tags.generation)
        mshrs_unchain(&u->mshrs, cache_chain(u, mshr->line, mshr->block), index);
    mshr->prefetch = false;
    cache_mshr_end(u, index, now);
    return true;
}

bool cache_receive(struct cache *u, const struct message *answer, cycle now)
{
    if (answer->tag & TAG_PASSED)
        return passed_receive(u, answer, now);
    if (!(answer->tag & TAG_WRITE_BACK))
        return fill_receive(u, answer, now);
    write_back_receive(u, answer);
    return true;
}
