/* start.S - where every hart begins.
 *
 * In: a0 = number of the hart, a1 = how many there are, a2 = argument block, a3 = threads in a
 * warp, a4 = which of them it is, sp = end of the hart's private memory. Its thread-local variables go to the end of that memory, the stack
 * grows down from there. Constructors are run by hart 0 while the others wait; if there are none,
 * nobody waits. */
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop

    /* Thread-local variables: tp is where they start. */
    lui     t0, %hi(__tls_bytes)
    addi    t0, t0, %lo(__tls_bytes)
    sub     sp, sp, t0
    andi    sp, sp, -16
    mv      tp, sp
    la      t1, __tdata_start
    lui     t2, %hi(__tdata_bytes)
    addi    t2, t2, %lo(__tdata_bytes)
    add     t2, t2, tp
    add     t3, t0, tp
    mv      t0, tp
1:  beq     t0, t2, 2f
    ld      t4, 0(t1)
    sd      t4, 0(t0)
    addi    t0, t0, 8
    addi    t1, t1, 8
    j       1b
2:  beq     t0, t3, 3f
    sd      zero, 0(t0)
    addi    t0, t0, 8
    j       2b

3:  lui     t0, %tprel_hi(ogv_self)
    add     t0, t0, tp, %tprel_add(ogv_self)
    addi    t0, t0, %tprel_lo(ogv_self)
    sw      a0, 0(t0)
    sw      a1, 4(t0)
    sw      a3, 8(t0)
    sw      a4, 12(t0)

    mv      s0, a2
    la      s1, __init_array_start
    la      s2, __init_array_end
    beq     s1, s2, 7f
    la      s3, ogv_constructed
    bnez    a0, 5f
4:  ld      t0, 0(s1)
    jalr    t0
    addi    s1, s1, 8
    bne     s1, s2, 4b
    fence
    li      t0, 1
    amoswap.w zero, t0, (s3)
    j       7f
5:  li      t0, 32
6:  addi    t0, t0, -1
    bnez    t0, 6b
    amoor.w t0, zero, (s3)
    beqz    t0, 5b
    fence

7:  ld      a0, 0(s0)
    addi    a1, s0, 8
    call    main
    li      a7, 93
    ecall
    ebreak
    .size _start, . - _start

    .section .bss.ogv_constructed, "aw", @nobits
    .balign 64
ogv_constructed:
    .zero   64
