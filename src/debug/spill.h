/* spill.h - pages of memory in a file, compressed: what does not fit into memory any more.
 *
 * The file has no name from the moment it is made, so nothing is left of it however the process
 * ends. Pages are written in volumes, one behind the other; a volume whose pages are all gone gives
 * its place on the disk back. */
#ifndef DEBUG_SPILL_H
#define DEBUG_SPILL_H

#include "ogive/types.h"

struct spill {
    int file;               /* -1: there is none yet */
    const char *folder;     /* where it is made; NULL: nowhere */
    u64 limit_bytes, bytes; /* on the disk */
    u64 end;                /* of the file */
    bool failed;            /* the disk takes no more */
};

struct volume {
    u64 begin, length;
    u32 pages; /* that are still wanted */
};

struct spilled {
    struct volume *volume;
    u64 at;
    u32 length;
};

void spill_init(struct spill *spill, const char *folder, u64 limit_bytes);
void spill_fini(struct spill *spill);

/* Whether there is room for more. */
bool spill_takes(const struct spill *spill);

/* Pages are added to it until the next one is begun. NULL: there can be no file. */
struct volume *spill_begin(struct spill *spill);
/* False: the disk takes no more; nothing was added. */
bool spill_write(struct spill *spill, struct volume *volume, const u8 *page, u64 bytes,
                 struct spilled *spilled);
bool spill_read(const struct spill *spill, const struct spilled *spilled, u8 *page, u64 bytes);

/* One page of it less; a volume without pages is gone. */
void spill_forget(struct spill *spill, struct volume *volume);

#endif
