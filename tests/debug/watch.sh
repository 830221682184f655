#!/bin/bash
# watch.sh - watchpoints on private memory and on what threads do not store themselves: atomic
# operations, which memory executes, what other units write, and what a core from outside the tree
# does. Prints TAP.
. "${0%/*}/stand.sh"

cat >count.c <<'END'
#include <ogive/device.h>
static uint32_t arrived;
int main(void)
{
    ogv_atomic_add_u32(&arrived, 1);
    return 0;
}
END
for arch in tiny tiny-simt; do
    debug "count-$arch" "$arch" --program count.c <<'END'
watch arrived
continue
monitor cycle
continue
reverse-continue
monitor cycle
delete
detach
END
    at=$(grep -o -m 1 '^sm.memory wrote .* for sm.*core\[.\].* in cycle [0-9]*$' said | grep -o '[0-9]*$')
    [ -n "$at" ] && grep -q "^cycle $((at + 1)) " said
    ok $? "$arch: an atomic operation is met when memory executes it, with its thread"
    [ "$(grep -c '^New value = ' said)" -eq 3 ] && [ "$(grep '^New value' said | sed -n 1p)" = "$(grep '^New value' said | sed -n 3p)" ]
    ok $? "$arch: and backwards, with the value before"
    "$OGIVE_PROGRAM" run "$arch" --program count.c --quiet --no-report --out "plain-$arch"
    [ "$(digest "count-$arch")" = "$(digest "plain-$arch")" ]
    ok $? "$arch: the run is that of one that nobody looked at"
done

# A variable on the stack of one thread, at an address that every thread has.
cat >private.c <<'END'
#include <ogive/device.h>
int main(void)
{
    volatile uint32_t own = 0;
    for (uint32_t i = 0; i < 3; i++)
        own = 100 * ogv_hart() + i;
    return 0;
}
END
debug private tiny --program private.c <<'END'
thread 4
break main thread 4
continue
watch own
continue
continue
continue
reverse-continue
delete
detach
END
[ "$(grep '^New value' said | tr '\n' ' ')" = "New value = 300 New value = 301 New value = 302 New value = 301 " ] &&
    [ "$(grep -c 'hit Hardware watchpoint 2' said)" -eq "$(grep -c 'Thread 4 .* hit Hardware watchpoint 2' said)" ]
ok $? "private memory is watched for its own thread, forwards and backwards"

# Rays in buckets, and the hit records of Dual Streaming: units that write to memory by themselves.
# Where they do is asked of the link on which they do it first; partitions count their own memory.
dual=("$OGIVE_TEST_DATA/../run/small-dual.yaml" --scene cornell --triangles 1000 --size 8x8)
debug where "${dual[@]}" <<'END'
monitor break stat chip.scheduler.sectors_written >= 1
monitor break stat partition[1].hits.written_back >= 1
continue
monitor messages chip.scheduler -> partition[0].streams
continue
monitor messages partition[1].hits -> partition[1].dram
kill
END
bucket=$(grep -m 1 'kind 1 ' said | grep -o '0x[0-9a-f]*' | head -n 1)
local=$(grep 'kind 1 ' said | tail -n 1 | grep -o '0x[0-9a-f]*' | head -n 1)
record=$(printf '0x%x' $(((local / 4096 * 3 + 1) * 4096 + local % 4096)))
debug units "${dual[@]}" <<END
watch *(unsigned long *)$bucket
continue
reverse-continue
delete
watch *(unsigned long *)$record
continue
reverse-continue
delete
detach
END
[ "$(grep -c "^chip.scheduler wrote $bucket in cycle" said)" -eq 2 ]
ok $? "what a scheduler of rays writes is met, forwards and backwards"
[ "$(grep -c "^partition\[1\].hits wrote $record in cycle" said)" -eq 2 ]
ok $? "and what a unit for hit records does"
[ "$(grep -c '^New value = ' said)" -eq 4 ]
ok $? "and gdb sees the values change"
"$OGIVE_PROGRAM" run "${dual[@]}" --quiet --no-report --out plain-dual
[ "$(digest units)" = "$(digest plain-dual)" ]
ok $? "the run is that of one that nobody looked at"

export OGIVE_UNIT_PATH=$OGIVE_TEST_BUILD
debug own "$OGIVE_TEST_BUILD/own_core.yaml" --program "$OGIVE_PROGRAMS/mandelbrot.elf" -- 8 8 <<'END'
watch pixels[3]
continue
monitor break cycle 4000
continue
reverse-continue
delete
detach
END
[ "$(grep -c '^chip.core\[0\] wrote .* for chip.core\[0\].t0 in cycle' said)" -eq 2 ] &&
    [ "$(grep -c 'hit Hardware watchpoint 1' said)" -eq 2 ]
ok $? "a core that tells nothing of its threads is watched on its way to memory, backwards as well"
"$OGIVE_PROGRAM" run "$OGIVE_TEST_BUILD/own_core.yaml" --program "$OGIVE_PROGRAMS/mandelbrot.elf" \
    --quiet --no-report --out own-plain -- 8 8
[ "$(digest own)" = "$(digest own-plain)" ]
ok $? "and its run stays the same"

debug large tiny --program "$OGIVE_PROGRAMS/matmul.elf" -- 8 <<'END'
watch *(char (*)[65536])0x20000
continue
END
said 'Could not insert hardware watchpoint\|Expression cannot be implemented' "one that is too large is refused"
echo "1..$tests"
