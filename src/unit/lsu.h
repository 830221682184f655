/* lsu.h - what sub-cores ask the load/store unit of their SM for: MESSAGE_ACCESS.
 *
 * `address` is the structure that a warp's access goes to, data.word what it touches there. The
 * answer comes when the access has the structure, and says in the word LSU_PASSES for how many
 * cycles its requests are spread over. */
#ifndef UNIT_LSU_H
#define UNIT_LSU_H

enum lsu_structure { LSU_L1, LSU_SCRATCH, LSU_CONSTANT, LSU_STRUCTURES };

/* Indices into data.word. */
enum lsu_word {
    LSU_CONFLICTS, /* the most words that one bank has to give or take, 1 or more; constants: words
                    */
    LSU_LINES,     /* lines touched */
    LSU_SECTORS,   /* requests that follow */
    LSU_PASSES,
    LSU_WRITES, /* of a store or atomic: sectors that go below, else 0; and */
    LSU_HEADS,  /* packets of them that begin with what to do with their sectors */
};

#endif
