/* remote.c - see remote.h: packets in, whoever answers them, answers out; memory. */
#include "debug/remote.h"

#include <stdlib.h>
#include <string.h>

#include "ogive/arbiter.h"

void remote_init(struct remote *remote, const struct target *target)
{
    *remote = (struct remote){ .target = target };
    remote->stop.reason = STOP_INTERRUPT;
}

void remote_fini(struct remote *remote)
{
    text_fini(&remote->out);
    text_fini(&remote->last);
    text_fini(&remote->document);
    text_fini(&remote->document_name);
}

/* ---- Answers ---- */

void remote_answer_bytes(struct remote *remote, const char *payload, size_t length)
{
    remote->last.length = 0;
    packet_add(&remote->last, payload, length);
    text_add_bytes(&remote->out, remote->last.chars, remote->last.length);
}

void remote_answer(struct remote *remote, const char *format, ...)
{
    struct text payload = { 0 };
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&payload, format, arguments);
    va_end(arguments);
    remote_answer_bytes(remote, text_get(&payload), payload.length);
    text_fini(&payload);
}

void remote_refuse(struct remote *remote, const char *format, ...)
{
    struct text payload = { 0 };
    va_list arguments;
    text_add(&payload, "E.");
    va_start(arguments, format);
    text_add_v(&payload, format, arguments);
    va_end(arguments);
    remote_answer_bytes(remote, text_get(&payload), payload.length);
    text_fini(&payload);
}

void remote_say(struct remote *remote, const char *words)
{
    struct text payload = { 0 };
    text_add(&payload, "O");
    hex_add(&payload, words, strlen(words));
    remote_answer_bytes(remote, payload.chars, payload.length);
    text_fini(&payload);
}

/* ---- Threads ---- */

u32 remote_alive(const struct remote *remote, u32 from)
{
    u32 count = remote->target->threads(remote->target->context);
    for (u32 thread = from; thread < count; thread++)
        if (remote->target->alive(remote->target->context, thread))
            return thread;
    return NOBODY;
}

/* The process may be named first; there is only one. Threads count from 1 on; 0 is any, -1 all. */
bool remote_read_thread(const char **at, u32 *thread)
{
    u64 number;
    if (**at == 'p') {
        ++*at;
        if (!strncmp(*at, "-1", 2))
            *at += 2;
        else if (!hex_number(at, &number))
            return false;
        if (**at != '.') {
            *thread = NOBODY;
            return true;
        }
        ++*at;
    }
    if (!strncmp(*at, "-1", 2)) {
        *at += 2;
        *thread = NOBODY;
        return true;
    }
    if (!hex_number(at, &number) || number >= NOBODY)
        return false;
    *thread = number ? (u32)number - 1 : NOBODY;
    return true;
}

/* Hg and Hc: whom the next packets are about. */
static void remote_choose(struct remote *remote, const char *packet)
{
    const char *at = packet + 2;
    u32 thread;
    if ((packet[1] != 'g' && packet[1] != 'c') || !remote_read_thread(&at, &thread) || *at) {
        remote_refuse(remote, "no thread");
        return;
    }
    if (thread != NOBODY && !remote->target->alive(remote->target->context, thread)) {
        remote_refuse(remote, "thread %u has ended, or never was", thread + 1);
        return;
    }
    if (packet[1] == 'c')
        remote->resumed = thread;
    else if (thread != NOBODY)
        remote->general = thread;
    remote_answer(remote, "OK");
}

static void remote_tell_alive(struct remote *remote, const char *packet)
{
    const char *at = packet + 1;
    u32 thread;
    bool good = remote_read_thread(&at, &thread) && thread != NOBODY &&
                remote->target->alive(remote->target->context, thread);
    remote_answer(remote, good ? "OK" : "E01");
}

/* ---- Memory ---- */

#define MEMORY_MAX (PACKET_MAX / 2)

/* "address,length" */
static bool read_range(const char **at, u64 *address, u64 *length)
{
    return hex_number(at, address) && *(*at)++ == ',' && hex_number(at, length);
}

static void memory_read(struct remote *remote, const char *packet)
{
    const char *at = packet + 1;
    u64 address, length;
    if (!read_range(&at, &address, &length) || *at) {
        remote_answer(remote, "E01");
        return;
    }
    length = min_u64(length, MEMORY_MAX);
    u8 *bytes = heap_array(length + 1, 1);
    if (remote->target->read(remote->target->context, remote->general, address, bytes, length)) {
        struct text payload = { 0 };
        hex_add(&payload, bytes, length);
        remote_answer_bytes(remote, text_get(&payload), payload.length);
        text_fini(&payload);
    } else {
        remote_answer(remote, "E14"); /* EFAULT */
    }
    free(bytes);
}

static void memory_write_bytes(struct remote *remote, u64 address, const u8 *bytes, u64 length)
{
    struct text why = { 0 };
    if (!length || remote->target->write(remote->target->context, remote->general, address, bytes,
                                         length, &why))
        remote_answer(remote, "OK");
    else
        remote_refuse(remote, "%s", text_get(&why));
    text_fini(&why);
}

/* "M" with digits, "X" with the bytes as they are. */
static void memory_write(struct remote *remote, const char *packet)
{
    const char *at = packet + 1;
    u64 address, length;
    if (!read_range(&at, &address, &length) || *at++ != ':' || length > MEMORY_MAX) {
        remote_answer(remote, "E01");
        return;
    }
    if (*packet == 'X') {
        bool whole = (size_t)(at - packet) + length == remote->reader.length;
        if (whole)
            memory_write_bytes(remote, address, (const u8 *)at, length);
        else
            remote_answer(remote, "E01");
        return;
    }
    u8 *bytes = heap_array(length + 1, 1);
    if (hex_bytes(at, bytes, length) == length && strlen(at) == 2 * length)
        memory_write_bytes(remote, address, bytes, length);
    else
        remote_answer(remote, "E01");
    free(bytes);
}

/* ---- Breakpoints and watchpoints: Z type,address,kind ---- */

static void remote_point(struct remote *remote, const char *packet)
{
    const struct target *target = remote->target;
    const char *at = packet + 3;
    u64 address, length;
    if (packet[1] < '0' || packet[1] > '4') {
        remote_answer_bytes(remote, "", 0);
        return;
    }
    if (packet[2] != ',' || !read_range(&at, &address, &length) || (*at && *at != ';')) {
        remote_answer(remote, "E01");
        return;
    }
    enum target_point point = packet[1] <= '1' ? POINT_BREAK : (enum target_point)(packet[1] - '0');
    bool good = *packet == 'Z' ? target->insert(target->context, point, address, length)
                               : target->remove(target->context, point, address, length);
    remote_answer(remote, good ? "OK" : "E02");
}

/* ---- Packets ---- */

static void remote_leave(struct remote *remote, char how)
{
    const struct target *target = remote->target;
    if (how == 'D') {
        remote_answer(remote, "OK");
        target->detach(target->context);
    } else {
        target->kill(target->context);
    }
    remote->closed = true;
}

static bool remote_plain(struct remote *remote, const char *packet)
{
    switch (*packet) {
    case 'H':
        remote_choose(remote, packet);
        return true;
    case 'T':
        remote_tell_alive(remote, packet);
        return true;
    case 'm':
        memory_read(remote, packet);
        return true;
    case 'M':
    case 'X':
        memory_write(remote, packet);
        return true;
    case 'Z':
    case 'z':
        remote_point(remote, packet);
        return true;
    case '?':
        remote_stopped(remote, &remote->stop);
        return true;
    case 'D':
    case 'k':
        remote_leave(remote, *packet);
        return true;
    case '!':
        remote_answer(remote, "OK");
        return true;
    default:
        return false;
    }
}

static void remote_packet(struct remote *remote)
{
    const char *packet = remote->reader.payload;
    if (!strncmp(packet, "vKill", 5)) {
        remote_answer(remote, "OK");
        remote_leave(remote, 'k');
    } else if (!remote_plain(remote, packet) && !remote_query(remote, packet) &&
               !remote_registers(remote, packet) && !remote_run(remote, packet)) {
        remote_answer_bytes(remote, "", 0);
    }
}

static void remote_event(struct remote *remote, enum packet_event event)
{
    switch (event) {
    case PACKET_WHOLE:
        if (!remote->no_ack)
            text_add_bytes(&remote->out, "+", 1);
        if (!remote->running) /* a client that does not wait for its answer is not answered */
            remote_packet(remote);
        break;
    case PACKET_BROKEN:
        text_add_bytes(&remote->out, "-", 1);
        break;
    case PACKET_REFUSED:
        if (!remote->no_ack && remote->last.length)
            text_add_bytes(&remote->out, remote->last.chars, remote->last.length);
        break;
    case PACKET_INTERRUPT:
        if (remote->running)
            remote->target->interrupt(remote->target->context);
        break;
    default:
        break;
    }
}

void remote_take(struct remote *remote, const u8 *bytes, size_t length)
{
    for (size_t i = 0; i < length && !remote->closed; i++)
        remote_event(remote, packet_take(&remote->reader, bytes[i]));
}
