#!/bin/bash
# gdb.sh - the debugger through gdb itself: breakpoints, steps, watchpoints, threads, backwards, and
# a run that ends as one that nobody looked at. Prints TAP.
. "${0%/*}/stand.sh"
program=$OGIVE_PROGRAMS/mandelbrot.elf

for arch in tiny tiny-simt; do
    "$OGIVE_PROGRAM" run "$arch" --program "$program" --quiet --no-report --out "plain-$arch" -- 8 8
done

debug threads tiny --program "$program" -- 8 8 <<'END'
info threads
break main
continue
continue
info threads
stepi
stepi
delete
detach
END
grep -q '8 *Thread 8 "sm.core\[3\].t1"' said
ok $? "threads have the names of the chip"
[ "$(grep -c "hit Breakpoint 1" said)" -eq 3 ]
ok $? "each thread that arrives at a breakpoint is told of"
[ "$(digest threads)" = "$(digest plain-tiny)" ]
ok $? "a run that was debugged and not touched ends with the same digest"

debug watch tiny --program "$program" -- 8 8 <<'END'
watch pixels[3]
continue
printf "at %x\n", $pc
print/x pixels[3]
reverse-continue
printf "back at %x\n", $pc
print/x pixels[3]
continue
detach
END
grep -q 'sm.core\[[0-9]\].t[01] wrote' said
ok $? "a watchpoint says which thread wrote, where and when"
[ "$(grep -c 'hit Hardware watchpoint 1' said)" -ge 2 ]
ok $? "who wrote this last is found backwards"
grep -A3 'Old value = [1-9]' said | grep -q 'New value = 0'
ok $? "and then the value is the one before"
[ "$(digest watch)" = "$(digest plain-tiny)" ]
ok $? "the digest is the same afterwards"

debug back tiny-simt --program "$program" -- 8 8 <<'END'
break main
continue
delete
stepi
stepi
printf "one %x\n", $pc
stepi
stepi
reverse-stepi
reverse-stepi
printf "two %x\n", $pc
print $active
print $lane
printf "lanes %d %d %x %x\n", $lanes_gp[3], $lanes_gp[7], $lanes_pc[3], $lanes_pc[7]
ptype $lanes_fa0
thread 4
printf "fourth %d %x\n", $gp, $pc
thread 8
printf "eighth %d %x\n", $gp, $pc
monitor break cycle 900
continue
reverse-continue
monitor cycle
continue
monitor cycle
detach
END
one=$(grep -o '^one .*' said) two=$(grep -o '^two .*' said)
[ -n "$one" ] && [ "${one#one}" = "${two#two}" ]
ok $? "steps backwards undo steps forwards"
grep -q '^\$1 = 255' said
ok $? "the lanes of a warp that stand here are a register"
lanes=$(grep -o '^lanes .*' said) fourth=$(grep -o '^fourth .*' said) eighth=$(grep -o '^eighth .*' said)
set -- $lanes $fourth $eighth
[ $# -eq 11 ] && [ "$2 $4" = "$7 $8" ] && [ "$3 $5" = "${10} ${11}" ] && grep -q '^type = union lane_f' said
ok $? "a register of all lanes of a warp is a vector"
grep -q '^cycle 0 ' said && grep -q '^cycle 900 ' said
ok $? "to the start and forwards again"
[ "$(digest back)" = "$(digest plain-tiny-simt)" ]
ok $? "with the same digest"

debug finish tiny --program "$program" -- 8 8 <<'END'
break colour
continue
delete
reverse-step
printf "left %x\n", $pc
monitor why
detach
END
grep -q '^left ' said && [ "$(digest finish)" = "$(digest plain-tiny)" ]
ok $? "reverse-step goes to the line before"

debug hung "$OGIVE_TEST_DATA/../cli/deadlock.yaml" <<'END'
continue
monitor waits
monitor break link pair.left -> pair.right full
reverse-continue
monitor cycle
END
grep -q 'SIGABRT' said && grep -q 'pair.left waits for itself' said
ok $? "a deadlock is a stop, not an end"
grep -q 'stop 1: link pair.left -> pair.right full, at cycle 17' said
ok $? "and when a link became full is found backwards"
echo "1..$tests"
