/* remote.h - gdb's remote protocol over bytes: what comes in, what goes out, and a target behind.
 *
 * remote_take gets what the client sent and leaves answers in `out`, which the owner sends. After
 * an order to go on (`running`) there is no answer until the owner says with remote_stopped what
 * happened. Everything the client sends is checked; what makes no sense is an error answer, what is
 * unknown an empty one, as the protocol wants. */
#ifndef DEBUG_REMOTE_H
#define DEBUG_REMOTE_H

#include "debug/packet.h"
#include "debug/target.h"

struct remote {
    const struct target *target;
    struct packet_reader reader;
    struct text out;                     /* to be sent */
    struct text last;                    /* the last packet, should the client want it again */
    struct text document, document_name; /* that is read in pieces (qXfer), and which it is */
    u32 general, resumed;                /* threads that registers and memory, and steps, are of */
    u32 listed;                          /* next thread of qsThreadInfo */
    bool no_ack, running, closed;
    struct target_stop stop; /* the last one, for `?` */
};

void remote_init(struct remote *remote, const struct target *target);
void remote_fini(struct remote *remote);

void remote_take(struct remote *remote, const u8 *bytes, size_t length);

/* The target stands still, and why. */
void remote_stopped(struct remote *remote, const struct target_stop *stop);

/* Words for the person at the client, while the target runs. */
void remote_say(struct remote *remote, const char *words);

/* ---- Among the files of remote ---- */

void remote_answer(struct remote *remote, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void remote_answer_bytes(struct remote *remote, const char *payload, size_t length);
/* "E.words", which gdb shows. */
void remote_refuse(struct remote *remote, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The number in "p1.2f" or "2f"; NOBODY for all or any. False: it is none. */
bool remote_read_thread(const char **at, u32 *thread);
/* The first that has not ended, from `from` on; NOBODY. */
u32 remote_alive(const struct remote *remote, u32 from);
/* In remote_query.c, remote_registers.c and remote_run.c: false if the packet is none of theirs. */
bool remote_query(struct remote *remote, const char *packet);
bool remote_registers(struct remote *remote, const char *packet);
bool remote_run(struct remote *remote, const char *packet);

#endif
