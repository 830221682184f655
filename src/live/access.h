/* access.h - who may ask. */
#ifndef LIVE_ACCESS_H
#define LIVE_ACCESS_H

#include "ogive/ogive.h"
#include "ogive/types.h"

#define ACCESS_TOKEN_BYTES 33 /* 128 bits in hex, and a zero */

/* A new secret. */
bool access_token(char token[ACCESS_TOKEN_BYTES], struct ogv_error *error);

/* In a time that does not say where they differ. `given` may be NULL. */
bool access_token_equal(const char *given, const char *token);

/* Whether a request for this host (NULL: it does not say) can have been meant for us: it names an
 * address in numbers, localhost, or this machine. A page from elsewhere that has its own name
 * pointed at us (DNS rebinding) does not. */
bool access_host_allowed(const char *host, const char *machine);

#endif
