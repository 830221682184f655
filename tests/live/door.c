/* door.c - strangers cannot keep those out who have the token. */
#include "live/door.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define VISITORS (3 * DOOR_PLACES)

/* Each visitor with both ends of its connection. */
struct crowd {
    struct door door;
    struct visitor *visitors[VISITORS];
    int ends[VISITORS][2];
    u32 count;
};

static void crowd_enter(struct crowd *crowd)
{
    u32 i = crowd->count++;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, crowd->ends[i]), 0);
    crowd->visitors[i] = door_enter(&crowd->door, crowd->ends[i][0]);
}

static void crowd_leave(struct crowd *crowd, u32 i)
{
    door_leave(&crowd->door, crowd->visitors[i]);
    crowd->visitors[i] = NULL;
    close(crowd->ends[i][0]);
    close(crowd->ends[i][1]);
}

static void crowd_fini(struct crowd *crowd)
{
    for (u32 i = 0; i < crowd->count; i++)
        if (crowd->visitors[i])
            crowd_leave(crowd, i);
    assert_null(crowd->door.oldest);
    assert_int_equal(crowd->door.inside, 0);
}

/* Whether the server would see the end of the connection now. */
static bool was_sent_off(const struct crowd *crowd, u32 i)
{
    char byte;
    return recv(crowd->ends[i][0], &byte, 1, MSG_DONTWAIT) == 0;
}

static void nobody_leaves_while_there_is_room(void **state)
{
    struct crowd crowd = { 0 };
    (void)state;
    for (u32 i = 0; i < DOOR_PLACES - DOOR_FREE; i++)
        crowd_enter(&crowd);
    for (u32 i = 0; i < crowd.count; i++)
        assert_false(was_sent_off(&crowd, i));
    crowd_fini(&crowd);
}

static void oldest_strangers_leave_first(void **state)
{
    struct crowd crowd = { 0 };
    (void)state;
    for (u32 i = 0; i < DOOR_PLACES - DOOR_FREE + 3; i++)
        crowd_enter(&crowd);
    for (u32 i = 0; i < crowd.count; i++)
        assert_int_equal(was_sent_off(&crowd, i), i < 3);
    assert_int_equal(crowd.door.inside, DOOR_PLACES - DOOR_FREE);
    crowd_fini(&crowd);
}

static void whoever_has_the_token_stays(void **state)
{
    struct crowd crowd = { 0 };
    (void)state;
    for (u32 i = 0; i < VISITORS; i++) {
        crowd_enter(&crowd);
        if (i == 0 || i == 7)
            crowd.visitors[i]->known = true;
    }
    assert_false(was_sent_off(&crowd, 0));
    assert_false(was_sent_off(&crowd, 7));
    assert_true(was_sent_off(&crowd, 1));
    assert_int_equal(crowd.door.inside, DOOR_PLACES - DOOR_FREE);
    crowd_fini(&crowd);
}

static void places_of_those_who_left_are_free(void **state)
{
    struct crowd crowd = { 0 };
    (void)state;
    for (u32 i = 0; i < DOOR_PLACES - DOOR_FREE; i++)
        crowd_enter(&crowd);
    crowd_leave(&crowd, 5);
    crowd_enter(&crowd);
    assert_false(was_sent_off(&crowd, 0));
    crowd_enter(&crowd);
    assert_true(was_sent_off(&crowd, 0));
    crowd_fini(&crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_leaves_while_there_is_room),
        cmocka_unit_test(oldest_strangers_leave_first),
        cmocka_unit_test(whoever_has_the_token_stays),
        cmocka_unit_test(places_of_those_who_left_are_free),
    };
    return cmocka_run_group_tests_name("door", tests, NULL, NULL);
}
