/* remote_query.c - q and Q packets: what can be done, which threads there are, documents in pieces,
 * and the simulator's own commands. */
#include <stdlib.h>
#include <string.h>

#include "debug/remote.h"
#include "ogive/arbiter.h"

static void query_supported(struct remote *remote)
{
    remote_answer(remote,
                  "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
                  "vContSupported+;swbreak+;hwbreak+;ReverseContinue+;ReverseStep+",
                  PACKET_MAX);
}

/* ---- Threads ---- */

#define LISTED_MAX 512 /* in one answer of qsThreadInfo */

static void query_threads(struct remote *remote)
{
    struct text out = { 0 };
    u32 thread = remote_alive(remote, remote->listed);
    for (u32 i = 0; i < LISTED_MAX && thread != NOBODY; i++) {
        text_add(&out, "%c%x", i ? ',' : 'm', thread + 1);
        remote->listed = thread + 1;
        thread = remote_alive(remote, remote->listed);
    }
    remote_answer(remote, "%s", out.length ? out.chars : "l");
    text_fini(&out);
}

static void query_extra(struct remote *remote, const char *at)
{
    const struct target *target = remote->target;
    struct text words = { 0 }, payload = { 0 };
    u32 thread;
    if (remote_read_thread(&at, &thread) && !*at && thread != NOBODY &&
        target->alive(target->context, thread))
        target->state(target->context, thread, &words);
    hex_add(&payload, text_get(&words), words.length);
    remote_answer(remote, "%s", text_get(&payload));
    text_fini(&words);
    text_fini(&payload);
}

/* ---- Documents ---- */

static void threads_document(const struct remote *remote, struct text *out)
{
    const struct target *target = remote->target;
    text_add(out, "<?xml version=\"1.0\"?>\n<threads>\n");
    for (u32 i = remote_alive(remote, 0); i != NOBODY; i = remote_alive(remote, i + 1)) {
        text_add(out, "<thread id=\"%x\" name=\"", i + 1);
        target->name(target->context, i, out);
        text_add(out, "\"/>\n");
    }
    text_add(out, "</threads>\n");
}

static bool name_is(const char *name, size_t length, const char *known)
{
    return length == strlen(known) && !memcmp(name, known, length);
}

/* Made when its first piece is asked for; false: there is none of that name. */
static bool document_open(struct remote *remote, const char *name, size_t length, u64 offset)
{
    bool same = remote->document_name.length == length &&
                !memcmp(text_get(&remote->document_name), name, length);
    if (same && offset)
        return true;
    remote->document.length = remote->document_name.length = 0;
    if (name_is(name, length, "features:read:target.xml"))
        text_add(&remote->document, "%s", remote->target->description(remote->target->context));
    else if (name_is(name, length, "threads:read:"))
        threads_document(remote, &remote->document);
    else
        return false;
    text_add_bytes(&remote->document_name, name, length);
    return true;
}

/* "object:read:annex:offset,length": 'm' and a piece, or 'l' and the last one. */
static void query_document(struct remote *remote, const char *name)
{
    const char *colon = strrchr(name, ':'), *at = colon ? colon + 1 : "";
    u64 offset, length;
    if (!colon || !hex_number(&at, &offset) || *at++ != ',' || !hex_number(&at, &length) || *at) {
        remote_answer(remote, "E01");
        return;
    }
    size_t name_length = (size_t)(colon - name);
    if (!document_open(remote, name, name_length, offset)) {
        remote_answer(remote, "E00");
        return;
    }
    const struct text *document = &remote->document;
    struct text piece = { 0 };
    u64 from = min_u64(offset, document->length);
    u64 bytes = min_u64(min_u64(length, PACKET_MAX / 2), document->length - from);
    text_add_bytes(&piece, from + bytes == document->length ? "l" : "m", 1);
    text_add_bytes(&piece, document->chars + from, bytes);
    remote_answer_bytes(remote, piece.chars, piece.length);
    text_fini(&piece);
}

/* ---- Commands of the simulator ---- */

#define SAID_BYTES 4096 /* in one packet */

static void say_in_pieces(struct remote *remote, const struct text *said)
{
    for (size_t at = 0; at < said->length; at += SAID_BYTES) {
        char piece[SAID_BYTES + 1];
        size_t bytes = min_u64(said->length - at, SAID_BYTES);
        memcpy(piece, said->chars + at, bytes);
        piece[bytes] = 0;
        remote_say(remote, piece);
    }
}

static void query_command(struct remote *remote, const char *digits)
{
    size_t length = strlen(digits) / 2;
    char *command = heap_array(length + 1, 1);
    struct text said = { 0 };
    if (hex_bytes(digits, (u8 *)command, length) != length || strlen(digits) % 2 ||
        strlen(command) != length) {
        remote_answer(remote, "E01");
    } else {
        text_make_printable(command);
        remote->target->monitor(remote->target->context, remote->general, command, &said);
        say_in_pieces(remote, &said);
        remote_answer(remote, "OK");
    }
    text_fini(&said);
    free(command);
}

/* ---- All ---- */

static bool query_plain(struct remote *remote, const char *packet)
{
    if (!strcmp(packet, "qC"))
        remote_answer(remote, "QC%x", remote->general + 1);
    else if (!strncmp(packet, "qAttached", 9))
        remote_answer(remote, "0"); /* ending gdb ends the run, unless it detaches */
    else if (!strcmp(packet, "QStartNoAckMode"))
        remote_answer(remote, "OK");
    else if (!strcmp(packet, "qfThreadInfo") || !strcmp(packet, "qsThreadInfo"))
        query_threads(remote);
    else if (!strcmp(packet, "qOffsets"))
        remote_answer(remote, "Text=0;Data=0;Bss=0");
    else if (!strncmp(packet, "qSymbol", 7))
        remote_answer(remote, "OK");
    else
        return false;
    return true;
}

bool remote_query(struct remote *remote, const char *packet)
{
    if (!strcmp(packet, "qfThreadInfo"))
        remote->listed = 0;
    if (!strncmp(packet, "qSupported", 10))
        query_supported(remote);
    else if (!strncmp(packet, "qXfer:", 6))
        query_document(remote, packet + 6);
    else if (!strncmp(packet, "qThreadExtraInfo,", 17))
        query_extra(remote, packet + 17);
    else if (!strncmp(packet, "qRcmd,", 6))
        query_command(remote, packet + 6);
    else if (!query_plain(remote, packet))
        return false;
    if (!strcmp(packet, "QStartNoAckMode"))
        remote->no_ack = true;
    return true;
}
