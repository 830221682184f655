/* memory.h - what messages to and from memories mean. An answer repeats the request's address and
 * tag. */
#ifndef OGIVE_MEMORY_H
#define OGIVE_MEMORY_H

/* message.kind */
enum memory_kind {
    MEMORY_READ,  /* size_bytes at address; answered with the data */
    MEMORY_WRITE, /* data to address; answered without data */
    MEMORY_FAULT, /* only as an answer: no such address */
};

#endif
