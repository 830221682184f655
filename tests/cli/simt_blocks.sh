#!/bin/bash
# simt_blocks.sh - thread blocks and warp operations: the same on cores, as fibers, and in warps of any
# width; all cycles are accounted for, checkpoints resume, and bad use is told.
. "$OGIVE_TEST_DATA/tap.sh"

# same NAME PROGRAM [ARGUMENTS]: on `tiny`, then on `tiny-simt`.
same() {
    local name=$1 program=$2 width
    shift 2
    run 0 run tiny --program "$program" --no-report --out "$name-mimd" -- "$@"
    for width in 4 32 64; do
        run 0 run tiny-simt --set sm.subcore.width=$width --program "$program" --no-report \
            --out "$name-$width" -- "$@"
        cmp -s "$name-mimd/console.txt" "$name-$width/console.txt" ||
            complain "$program prints something else with warps of $width"
        [ ! -e "$name-mimd/image.png" ] || cmp -s "$name-mimd/image.png" "$name-$width/image.png" ||
            complain "$program draws something else with warps of $width"
    done
    ok "same_with_$name"
}

same blocksum blocksum 256 16
same grids "$OGIVE_HOME/tests/programs/grids.c" 16
has grids-64/console.txt "grids: 0 wrong"

run 0 run tiny-simt --program blocksum --checkpoint-every 3000 --no-report --out blocks -- 256 32
run 0 run --resume blocks/checkpoint.ogv --no-report --out blocks-resumed
[ "$(digest blocks)" = "$(digest blocks-resumed)" ] || complain "a resumed run ends elsewhere"
python3 - <<'EOF2' || complain "cycles are missing"
import json
stats = json.load(open("blocks/stats.json"))
cores, blocks = stats["groups"]["sm.subcore[*]"], stats["groups"]["sm.blocks"]
spent = sum(cores[name] for name in ("active", "passed", "hazard", "busy", "pipe", "fence", "pending", "barrier", "vacant", "halted"))
assert spent == cores["cycles"] == 4 * stats["summary"]["cycles"]
assert cores["barrier"] > 0 and cores["vacant"] > 0
assert blocks["started"] == 9 and blocks["barriers"] == 8 * 4 + 0
EOF2
ok blocks_are_accounted_for_and_resume

run 4 run tiny-simt --program blocksum --no-report --out large -- 1024 64
has large/console.txt "a block of 64 threads with 32 registers each and 256 bytes does not fit"
run 4 run tiny --program "$OGIVE_HOME/tests/programs/grids.c" --no-report --out left -- 16 1
has left/console.txt "block 0: 15 of its 16 threads wait at a barrier"
run 3 run tiny-simt --program "$OGIVE_HOME/tests/programs/grids.c" --no-report --out stuck -- 16 1
has "$err" "15 of the 16 threads of block 0 have come to its barrier"
ok bad_use_is_told

finish
