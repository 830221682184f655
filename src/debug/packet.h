/* packet.h - the framing of gdb's remote protocol: $payload#checksum, acknowledgements, and the
 * byte that interrupts. Bytes in, events out; no file, no socket. */
#ifndef DEBUG_PACKET_H
#define DEBUG_PACKET_H

#include "base/text.h"
#include "ogive/types.h"

/* The longest payload that is taken, as qSupported tells gdb. */
#define PACKET_MAX 65536

enum packet_event {
    PACKET_NONE,      /* nothing whole yet */
    PACKET_WHOLE,     /* a packet with the right checksum: `payload`, `length` */
    PACKET_BROKEN,    /* one with a wrong checksum, or too long */
    PACKET_ACCEPTED,  /* '+' */
    PACKET_REFUSED,   /* '-': the last one is to be sent again */
    PACKET_INTERRUPT, /* ctrl-C */
};

/* Always true: length <= PACKET_MAX, and payload[length] is zero in PACKET_WHOLE. */
struct packet_reader {
    enum { READER_BETWEEN, READER_INSIDE, READER_ESCAPED, READER_CHECK_1, READER_CHECK_2 } state;
    char payload[PACKET_MAX + 1];
    size_t length;
    u8 sum, claimed;
    bool wrong; /* too long, or a checksum that is no number */
};

/* Takes one byte. */
enum packet_event packet_take(struct packet_reader *reader, u8 byte);

/* Adds a packet with this payload, with what must be escaped escaped. */
void packet_add(struct text *out, const char *payload, size_t length);

/* The value of a hexadecimal digit, or -1. */
int hex_value(char digit);

/* Hexadecimal digits of any number up to 64 bits; false if there are none or too many. `*at` moves
 * behind them. */
bool hex_number(const char **at, u64 *value);

/* Two digits a byte. hex_bytes gives up at what is not hexadecimal, with how many it has read. */
void hex_add(struct text *out, const void *bytes, size_t length);
size_t hex_bytes(const char *digits, u8 *bytes, size_t most);

#endif
