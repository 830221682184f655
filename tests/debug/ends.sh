#!/bin/bash
# ends.sh - how programs end, seen through gdb: a fault in its thread, exit codes, a recorded run,
# what is in a scratchpad, and all of it on a core from outside the tree. Prints TAP.
. "${0%/*}/stand.sh"

cat >fall.c <<'END'
#include <ogive/device.h>
static __attribute__((noinline)) int fall(volatile int *nowhere)
{
    return *nowhere;
}
static __attribute__((noinline)) int walk(uint64_t where)
{
    ogv_fence();
    return fall((volatile int *)where) + 1;
}
int main(void)
{
    return ogv_hart() == 3 ? walk(UINT64_C(0x40000000000)) : 0;
}
END

cat >share.c <<'END'
#include <ogive/device.h>
int main(void)
{
    volatile uint32_t *words = ogv_scratch();
    words[ogv_hart()] = 1000 + ogv_hart();
    ogv_barrier();
    return words[ogv_hart() ^ 1] == 1000 + (ogv_hart() ^ 1) ? 3 : 1;
}
END

own=$OGIVE_TEST_BUILD/own_core.yaml
export OGIVE_UNIT_PATH=$OGIVE_TEST_BUILD
for machine in 'tiny sm.core[1].t1' 'tiny-simt sm.subcore[0].w0.l3' "$own chip.core[1].t1"; do
    arch=${machine% *} thread=${machine#* } name=$(basename "${machine% *}")
    debug "fall-$name" "$arch" --program fall.c <<'END'
continue
info symbol $pc
printf "from %lx\n", $a0
reverse-finish
info symbol $pc
continue
continue
END
    said "^Thread 4 \"${thread//[/\\[}\" received signal SIGSEGV" "$name: a fault is a stop of its thread"
    said '^fall.* in section' "$name: at its instruction"
    said '^from 40000000000$' "$name: with its registers"
    said '^walk.* in section' "$name: reverse-finish goes to where it was called"
    said '^Program terminated with signal SIGSEGV' "$name: to go on from it is its end"
    said '^fault: ' "$name: with the results of the run"
done

debug again fall-tiny <<'END'
info symbol $pc
monitor why
reverse-stepi
monitor cycle
detach
END
grep -q '^fall.* in section' said && grep -q '^the program failed at cycle' said
ok $? "a recorded run that failed opens where it did"
said '^cycle .*, in the past: .*; it ended there: fault' "and the way back is open"
[ "$(digest again)" = "$(digest fall-tiny)" ]
ok $? "it is the same run"
debug forgetful fall-tiny --history 0 <<'END'
info symbol $pc
reverse-stepi
END
grep -q '^fall.* in section' said && grep -q 'No more reverse-execution history' said
ok $? "without a history, it is where it failed all the same"

"$OGIVE_PROGRAM" run "$OGIVE_TEST_DATA/../cli/deadlock.yaml" --quiet --no-report --out stuck >said 2>&1
debug stuck-again stuck <<'END'
monitor waits
monitor break link pair.left -> pair.right full
reverse-continue
END
grep -q 'pair.left waits for itself' said && grep -q '^stop 1: link .* full, at cycle 17' said
ok $? "a recorded run that waited for itself opens there, too"

debug share tiny-simt --program share.c <<'END'
watch *(unsigned *)0x7e0000000014
continue
delete
continue
x/2dw 0x7e0000000010
monitor cycle
reverse-continue
x/2dw 0x7e0000000010
continue
continue
END
said 'sm.subcore\[0\].w0.l5 wrote 0x7e0000000014' "a watchpoint in a scratchpad says who wrote"
said '^New value = 1005' "and gdb sees the store, which has not arrived"
said '^0x7e0000000010:.1004.1005$' "a scratchpad can be read"
said '^0x7e0000000010:.0.0$' "as it was at the start, too"
said '^the run has ended at cycle .*, with exit code 3;' "the end of a run says the exit code"
said '^\[Inferior 1 .* exited with code 03\]' "and is one to gdb, told to go on"

debug simt tiny-simt --program "$OGIVE_PROGRAMS/mandelbrot.elf" -- 8 8 <<'END'
watch pixels[3]
continue
reverse-continue
detach
END
[ "$(grep -c 'hit Hardware watchpoint 1' said)" -eq 2 ]
ok $? "a watchpoint is met by a warp, forwards and backwards"

debug own "$own" --program "$OGIVE_PROGRAMS/mandelbrot.elf" -- 8 8 <<'END'
break colour
continue
stepi
delete
monitor threads
detach
END
"$OGIVE_PROGRAM" run "$own" --program "$OGIVE_PROGRAMS/mandelbrot.elf" --quiet --no-report \
    --out own-plain -- 8 8
said '"chip.core\[0\].t0" hit Breakpoint 1' "a core from outside the tree stops at breakpoints"
[ "$(digest own)" = "$(digest own-plain)" ]
ok $? "and goes on as if nobody had looked"
"$OGIVE_PROGRAM" run "$own" --program "$OGIVE_PROGRAMS/mandelbrot.elf" --out own-pipeline \
    --trace-pipeline 'chip.core[1]' >said 2>&1
[ $? -eq 2 ] && grep -q 'does not say what its threads do' said && [ ! -e own-pipeline ]
ok $? "its pipeline cannot be traced, which is said before there is a folder"

debug window exchange <<'END'
monitor stepping window
stepi
monitor cycle
stepi
reverse-stepi
monitor cycle
kill
END
window=$(grep -o 'one of the machine is [0-9]*' said | tail -n 1 | grep -o '[0-9]*$')
[ "${window:-0}" -gt 1 ] && [ "$(grep -c "^cycle $window " said)" -eq 2 ]
ok $? "a step of the machine can be a window"

"$OGIVE_PROGRAM" debug tiny --program fall.c --trace-rays 0 >said 2>&1
grep -q 'debug: --trace-rays 0' said
ok $? "errors name the command that was given"
"$OGIVE_PROGRAM" debug tiny --program fall.c --script nowhere.gdb --out nowhere >said 2>&1
[ $? -eq 2 ] && grep -q 'debug: --script nowhere.gdb: cannot read it' said && [ ! -e nowhere ]
ok $? "a script that is not there is told before there is a folder"
"$OGIVE_PROGRAM" debug tiny --program fall.c --history 1GiB+some --out nowhere >said 2>&1
[ $? -eq 2 ] && grep -q "'some' is not a number" said && [ ! -e nowhere ]
ok $? "and so is a history that is none"
echo "1..$tests"
