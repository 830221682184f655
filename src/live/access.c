/* access.c - the token that whoever asks must show, and the names of hosts that a request may be
 * for.
 *
 * Tokens are compared in a time that does not depend on where they differ. Addresses, localhost
 * and the machine's own name are allowed: a page elsewhere cannot make a browser ask under its
 * own name. */
#include "live/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/error.h"

#define HOST_MAX 256

bool access_token(char token[ACCESS_TOKEN_BYTES], struct ogv_error *error)
{
    u8 bytes[(ACCESS_TOKEN_BYTES - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_system(error, "--live: no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool access_token_equal(const char *given, const char *token)
{
    size_t length = strlen(token);
    volatile u8 differ = 0;
    if (!given || strlen(given) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        differ |= (u8)(given[i] ^ token[i]);
    return !differ;
}

/* "name:port", "1.2.3.4:port" or "[::1]:port" without the port. */
static bool host_name(const char *host, char name[HOST_MAX])
{
    bool brackets = *host == '[';
    host += brackets;
    size_t length = strcspn(host, brackets ? "]" : ":");
    if (!length || length >= HOST_MAX || (brackets && host[length] != ']'))
        return false;
    memcpy(name, host, length);
    name[length] = 0;
    const char *rest = host + length + brackets;
    return !*rest || (*rest == ':' && strspn(rest + 1, "0123456789") == strlen(rest + 1));
}

bool access_host_allowed(const char *host, const char *machine)
{
    char name[HOST_MAX];
    struct in6_addr six;
    struct in_addr four;
    if (!host || !host_name(host, name))
        return false;
    if (*host == '[')
        return inet_pton(AF_INET6, name, &six) == 1;
    return inet_pton(AF_INET, name, &four) == 1 || !strcasecmp(name, "localhost") ||
           (*machine && !strcasecmp(name, machine));
}
