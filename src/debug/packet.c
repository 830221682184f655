/* packet.c - see packet.h. The protocol is that of the GDB manual, appendix "Remote Protocol",
 * "Overview": the checksum is the sum of the bytes between '$' and '#', '}' escapes what follows
 * it, xor 0x20. */
#include "debug/packet.h"

#define ESCAPE      '}'
#define ESCAPE_BIT  0x20
#define INTERRUPT   3
#define NOT_A_DIGIT (-1)

int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return NOT_A_DIGIT;
}

bool hex_number(const char **at, u64 *value)
{
    const char *digits = *at;
    int digit;
    *value = 0;
    for (; (digit = hex_value(**at)) != NOT_A_DIGIT; ++*at) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (u64)digit;
    }
    return *at != digits;
}

void hex_add(struct text *out, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const u8 *from = bytes;
    for (size_t i = 0; i < length; i++)
        text_add_bytes(out, (const char[]){ digits[from[i] >> 4], digits[from[i] & 15] }, 2);
}

size_t hex_bytes(const char *digits, u8 *bytes, size_t most)
{
    size_t count = 0;
    for (; count < most; count++) {
        int high = hex_value(digits[2 * count]);
        int low = high == NOT_A_DIGIT ? NOT_A_DIGIT : hex_value(digits[2 * count + 1]);
        if (low == NOT_A_DIGIT)
            break;
        bytes[count] = (u8)(high << 4 | low);
    }
    return count;
}

static void reader_keep(struct packet_reader *reader, u8 byte)
{
    if (reader->length < PACKET_MAX)
        reader->payload[reader->length++] = (char)byte;
    else
        reader->wrong = true;
}

static enum packet_event reader_begin(struct packet_reader *reader, u8 byte)
{
    switch (byte) {
    case '$':
        reader->state = READER_INSIDE;
        reader->length = 0;
        reader->sum = 0;
        reader->wrong = false;
        return PACKET_NONE;
    case '+':
        return PACKET_ACCEPTED;
    case '-':
        return PACKET_REFUSED;
    case INTERRUPT:
        return PACKET_INTERRUPT;
    default:
        return PACKET_NONE; /* noise between packets is none of ours */
    }
}

/* A '$' within a packet begins another one: the end of the one before was lost. */
static void reader_go_on(struct packet_reader *reader, u8 byte)
{
    if (byte == '$') {
        reader_begin(reader, byte);
        return;
    }
    if (byte == '#') {
        reader->state = READER_CHECK_1;
        return;
    }
    reader->sum = (u8)(reader->sum + byte);
    if (byte == ESCAPE)
        reader->state = READER_ESCAPED;
    else
        reader_keep(reader, byte);
}

static void reader_unescape(struct packet_reader *reader, u8 byte)
{
    reader->sum = (u8)(reader->sum + byte);
    reader->state = READER_INSIDE;
    reader_keep(reader, byte ^ ESCAPE_BIT);
}

static void reader_check(struct packet_reader *reader, u8 byte)
{
    int digit = hex_value((char)byte);
    reader->wrong = reader->wrong || digit == NOT_A_DIGIT;
    reader->claimed = (u8)(reader->claimed << 4 | (digit & 15));
}

enum packet_event packet_take(struct packet_reader *reader, u8 byte)
{
    switch (reader->state) {
    case READER_BETWEEN:
        return reader_begin(reader, byte);
    case READER_INSIDE:
        reader_go_on(reader, byte);
        return PACKET_NONE;
    case READER_ESCAPED:
        reader_unescape(reader, byte);
        return PACKET_NONE;
    case READER_CHECK_1:
        reader_check(reader, byte);
        reader->state = READER_CHECK_2;
        return PACKET_NONE;
    default:
        reader_check(reader, byte);
        reader->state = READER_BETWEEN;
        reader->payload[reader->length] = 0;
        return reader->wrong || reader->claimed != reader->sum ? PACKET_BROKEN : PACKET_WHOLE;
    }
}

void packet_add(struct text *out, const char *payload, size_t length)
{
    u8 sum = 0;
    text_add_bytes(out, "$", 1);
    for (size_t i = 0; i < length; i++) {
        char byte = payload[i];
        if (byte == '$' || byte == '#' || byte == ESCAPE || byte == '*') {
            sum = (u8)(sum + ESCAPE);
            byte ^= ESCAPE_BIT;
            text_add_bytes(out, (const char[]){ ESCAPE }, 1);
        }
        sum = (u8)(sum + (u8)byte);
        text_add_bytes(out, &byte, 1);
    }
    text_add(out, "#%02x", sum);
}
