/* access.c - tokens and hosts: who may ask the live page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/access.h"

static void tokens_are_secrets(void **state)
{
    char one[ACCESS_TOKEN_BYTES], two[ACCESS_TOKEN_BYTES];
    struct ogv_error error;
    (void)state;
    assert_true(access_token(one, &error));
    assert_true(access_token(two, &error));
    assert_int_equal(strlen(one), 32);
    assert_int_equal(strspn(one, "0123456789abcdef"), 32);
    assert_string_not_equal(one, two);
}

static void only_the_whole_token_is_equal(void **state)
{
    const char *token = "0123456789abcdef0123456789abcdef";
    (void)state;
    assert_true(access_token_equal("0123456789abcdef0123456789abcdef", token));
    assert_false(access_token_equal("0123456789abcdef0123456789abcdee", token));
    assert_false(access_token_equal("1123456789abcdef0123456789abcdef", token));
    assert_false(access_token_equal("0123456789abcdef0123456789abcde", token));
    assert_false(access_token_equal("0123456789abcdef0123456789abcdef0", token));
    assert_false(access_token_equal("", token));
    assert_false(access_token_equal(NULL, token));
}

static void hosts_are_addresses_or_this_machine(void **state)
{
    static const char *const good[] = { "127.0.0.1",      "127.0.0.1:8080",  "localhost",
                                        "LocalHost:1",    "[::1]",           "[::1]:8080",
                                        "192.168.0.7:80", "workstation:8080" };
    static const char *const bad[] = { "",
                                       "evil.example",
                                       "evil.example:8080",
                                       "localhost.evil",
                                       "127.0.0.1.evil.example",
                                       "[::1",
                                       "[evil.example]:80",
                                       "::1",
                                       "127.0.0.1:80x",
                                       "workstation.evil",
                                       ":80" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!access_host_allowed(good[i], "workstation"))
            fail_msg("%s was refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (access_host_allowed(bad[i], "workstation"))
            fail_msg("%s was allowed", bad[i]);
    assert_false(access_host_allowed(NULL, "workstation"));
    assert_false(access_host_allowed("", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_secrets),
        cmocka_unit_test(only_the_whole_token_is_equal),
        cmocka_unit_test(hosts_are_addresses_or_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
