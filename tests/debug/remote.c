/* remote.c - gdb's protocol, byte for byte, on a target that is no chip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_target.h"

struct stand {
    struct mock mock;
    struct target target;
    struct remote remote;
};

static int stand_open(void **state)
{
    static struct stand stand;
    stand = (struct stand){ .mock.writes = true };
    stand.target = mock_target(&stand.mock);
    remote_init(&stand.remote, &stand.target);
    *state = &stand;
    return 0;
}

static int stand_close(void **state)
{
    remote_fini(&((struct stand *)*state)->remote);
    return 0;
}

static void send_raw(struct stand *stand, const char *bytes)
{
    stand->remote.out.length = 0;
    text_add_bytes(&stand->remote.out, "", 0);
    remote_take(&stand->remote, (const u8 *)bytes, strlen(bytes));
}

static void send_packet(struct stand *stand, const char *payload)
{
    struct text packet = { 0 };
    packet_add(&packet, payload, strlen(payload));
    send_raw(stand, packet.chars);
    text_fini(&packet);
}

/* The answer must be this packet, after the acknowledgement. */
static void expect(struct stand *stand, const char *payload, const char *answer)
{
    struct text packet = { 0 };
    text_add(&packet, "+");
    packet_add(&packet, answer, strlen(answer));
    send_packet(stand, payload);
    assert_string_equal(text_get(&stand->remote.out), packet.chars);
    text_fini(&packet);
}

static void acknowledges_and_wants_no_more(void **state)
{
    struct stand *stand = *state;
    expect(stand, "QStartNoAckMode", "OK");
    send_packet(stand, "qC");
    assert_string_equal(text_get(&stand->remote.out), "$QC1#c5");
}

static void refuses_a_wrong_checksum_and_repeats_when_asked(void **state)
{
    struct stand *stand = *state;
    send_raw(stand, "$qC#00");
    assert_string_equal(text_get(&stand->remote.out), "-");
    expect(stand, "qC", "QC1");
    send_raw(stand, "-");
    assert_string_equal(text_get(&stand->remote.out), "$QC1#c5");
}

static void says_nothing_to_what_it_does_not_know(void **state)
{
    expect(*state, "vMustReplyEmpty", "");
    expect(*state, "jThreadsInfo", "");
    expect(*state, "", "");
}

static void lists_threads_that_have_not_ended(void **state)
{
    expect(*state, "qfThreadInfo", "m1,3");
    expect(*state, "qsThreadInfo", "l");
    expect(*state, "T1", "OK");
    expect(*state, "T2", "E01");
    expect(*state, "qXfer:threads:read::0,30",
           "m<?xml version=\"1.0\"?>\n<threads>\n<thread id=\"1\" n");
    expect(*state, "qXfer:threads:read::30,1000",
           "lame=\"core.t0\"/>\n<thread id=\"3\" name=\"core.t2\"/>\n</threads>\n");
    expect(*state, "qXfer:threads:read::1000,10", "l");
}

static void shows_registers_and_those_on_their_way(void **state)
{
    struct stand *stand = *state;
    stand->mock.registers[2] = 0x0123456789abcdef;
    expect(stand, "p2", "efcdab8967452301");
    expect(stand, "p5", "xxxxxxxxxxxxxxxx");
    expect(stand, "p44", "E01");
    expect(stand, "P2=1100000000000000", "OK");
    assert_int_equal(stand->mock.registers[2], 0x11);
    stand->mock.writes = false;
    expect(stand, "P2=2200000000000000", "E.only looked at");
    expect(stand, "P2=22", "E.a register takes 16 digits");
}

static void shows_lanes_one_register_at_a_time(void **state)
{
    struct stand *stand = *state;
    expect(stand, "p47", "E01");
    stand->mock.simt = true;
    expect(stand, "p48", "01000000000000000000000000000000");
    expect(stand, "p87", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    expect(stand, "p88", "E01");
    expect(stand, "P48=0100000000000000", "E.lanes are set one by one, each in its own thread");
}

static void reads_and_writes_memory(void **state)
{
    struct stand *stand = *state;
    expect(stand, "M1010,3:0a0b0c", "OK");
    expect(stand, "m1010,4", "0a0b0c00");
    expect(stand, "mfff,1", "E14");
    expect(stand, "m10ff,2", "E14");
    expect(stand, "mffffffffffffffff,2", "E14");
    expect(stand, "m1000", "E01");
    expect(stand, "M1010,3:0a0b", "E01");
    expect(stand, "M2000,1:00", "E.not there");
}

static void goes_on_in_the_ways_that_gdb_asks_for(void **state)
{
    static const struct {
        const char *packet;
        struct target_order order;
    } rows[] = {
        { "vCont;c", { GOING_ON, 0, 0, 0, false } },
        { "vCont;c:3", { GOING_ON, 2, 0, 0, true } },
        { "vCont;s:3;c", { GOING_STEP, 2, 0, 0, false } },
        { "vCont;s:p1.3", { GOING_STEP, 2, 0, 0, true } },
        { "vCont;r1000,1010:1;c", { GOING_STEP, 0, 0x1000, 0x1010, false } },
        { "vCont;C05;S05:1", { GOING_STEP, 0, 0, 0, false } },
        { "bc", { GOING_BACK, 0, 0, 0, false } },
        { "bs", { GOING_STEP_BACK, 0, 0, 0, false } },
    };
    struct stand *stand = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct target_order *order = &rows[i].order;
        send_packet(stand, rows[i].packet);
        assert_string_equal(text_get(&stand->remote.out), "+");
        assert_true(stand->remote.running);
        assert_int_equal(stand->mock.order.going, order->going);
        assert_int_equal(stand->mock.order.thread, order->thread);
        assert_int_equal(stand->mock.order.from, order->from);
        assert_int_equal(stand->mock.order.to, order->to);
        assert_int_equal(stand->mock.order.alone, order->alone);
        remote_stopped(&stand->remote, &(struct target_stop){ .reason = STOP_STEPPED });
    }
    expect(stand, "vCont;x", "E01");
    expect(stand, "vCont;s:", "E01");
    expect(stand, "vCont", "E01");
}

static void tells_why_it_stands_still(void **state)
{
    static const struct {
        struct target_stop stop;
        const char *answer;
    } rows[] = {
        { { .reason = STOP_STEPPED }, "T05thread:1;" },
        { { .reason = STOP_BREAK, .thread = 2 }, "T05thread:3;swbreak:;" },
        { { .reason = STOP_WATCH, .thread = 2, .address = 0x1234, .point = POINT_WRITE },
          "T05thread:3;watch:1234;" },
        { { .reason = STOP_WATCH, .address = 0x10, .point = POINT_ACCESS },
          "T05thread:1;awatch:10;" },
        { { .reason = STOP_INTERRUPT, .thread = 1 }, "T02thread:1;" }, /* the second has ended */
        { { .reason = STOP_FAULT }, "T0bthread:1;" },
        { { .reason = STOP_HANG }, "T06thread:1;" },
        { { .reason = STOP_BEGIN }, "T05thread:1;replaylog:begin;" },
        { { .reason = STOP_END, .code = 7 }, "T00thread:1;" },
        { { .reason = STOP_END, .code = 7, .last = true }, "W07" },
        { { .reason = STOP_FAULT, .last = true }, "X0b" },
    };
    struct stand *stand = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text packet = { 0 };
        packet_add(&packet, rows[i].answer, strlen(rows[i].answer));
        send_packet(stand, "c");
        stand->remote.out.length = 0;
        remote_stopped(&stand->remote, &rows[i].stop);
        assert_string_equal(text_get(&stand->remote.out), packet.chars);
        assert_false(stand->remote.running);
        text_fini(&packet);
    }
}

static void hears_only_interrupts_while_it_runs(void **state)
{
    struct stand *stand = *state;
    send_raw(stand, "\003");
    assert_int_equal(stand->mock.interrupts, 0);
    send_packet(stand, "c");
    send_packet(stand, "g");
    assert_string_equal(text_get(&stand->remote.out), "+");
    send_raw(stand, "\003");
    assert_int_equal(stand->mock.interrupts, 1);
}

static void passes_commands_on(void **state)
{
    struct stand *stand = *state;
    send_packet(stand, "qRcmd,6379636c65");
    assert_string_equal(stand->mock.said, "cycle");
    assert_non_null(strstr(text_get(&stand->remote.out), "$O796f752073616964206379636c650a#"));
    assert_non_null(strstr(text_get(&stand->remote.out), "$OK#9a"));
    expect(stand, "qRcmd,6", "E01");
    expect(stand, "qRcmd,00", "E01");
}

static void leaves(void **state)
{
    struct stand *stand = *state;
    expect(stand, "D", "OK");
    assert_true(stand->mock.detached && stand->remote.closed && !stand->mock.killed);
    send_packet(stand, "g");
    assert_string_equal(text_get(&stand->remote.out), "");
}

static void survives_packets_that_are_too_long(void **state)
{
    struct stand *stand = *state;
    static char huge[2 * PACKET_MAX];
    memset(huge, 'a', sizeof huge - 1);
    send_packet(stand, huge);
    assert_string_equal(text_get(&stand->remote.out), "-");
    expect(stand, "qC", "QC1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stand_open, stand_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(acknowledges_and_wants_no_more),
        TEST(refuses_a_wrong_checksum_and_repeats_when_asked),
        TEST(says_nothing_to_what_it_does_not_know),
        TEST(lists_threads_that_have_not_ended),
        TEST(shows_registers_and_those_on_their_way),
        TEST(shows_lanes_one_register_at_a_time),
        TEST(reads_and_writes_memory),
        TEST(goes_on_in_the_ways_that_gdb_asks_for),
        TEST(tells_why_it_stands_still),
        TEST(hears_only_interrupts_while_it_runs),
        TEST(passes_commands_on),
        TEST(leaves),
        TEST(survives_packets_that_are_too_long),
    };
    return cmocka_run_group_tests_name("remote", tests, NULL, NULL);
}
