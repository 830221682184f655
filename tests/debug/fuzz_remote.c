/* fuzz_remote.c - whatever a client sends, the protocol answers or refuses, and what it sends back
 * is made of whole packets with right checksums. The first byte says whether writing is allowed;
 * after 0xff the target stands still. */
#include <stdlib.h>

#include "mock_target.h"

static void check(const struct text *out)
{
    static struct packet_reader reader;
    reader = (struct packet_reader){ 0 };
    for (size_t i = 0; i < out->length; i++)
        if (packet_take(&reader, (u8)out->chars[i]) == PACKET_BROKEN)
            abort();
    if (reader.state != READER_BETWEEN)
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);
int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    static struct remote remote;
    struct mock mock = { .writes = size && bytes[0] & 1, .simt = size && bytes[0] & 2 };
    struct target target = mock_target(&mock);
    const struct target_stop stop = { .reason = STOP_BREAK, .thread = 2 };
    remote_init(&remote, &target);
    for (size_t i = 1; i < size; i++) {
        if (bytes[i] == 0xff && remote.running)
            remote_stopped(&remote, &stop);
        remote_take(&remote, &bytes[i], 1);
        if (remote.running && !mock.orders)
            abort();
        check(&remote.out);
        remote.out.length = 0;
    }
    remote_fini(&remote);
    return 0;
}
