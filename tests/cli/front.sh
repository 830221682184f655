#!/bin/bash
# front.sh - a SIMT machine whose instructions take time to come, from L0s behind which all sub-cores
# share a cache: programs do the same, all cycles are accounted for, checkpoints resume.
. "$OGIVE_TEST_DATA/tap.sh"

# Small caches, so that lines leave and streams begin anew all the time.
cat >front.yaml <<'END'
extends: tiny-simt
name: front
domains:
  sm:
    units:
      subcore:
        ibuffer: 3
        fetch_policy: follow
        l0_size: 512 B
        l0_ways: 2
        l0_line: 64 B
        l0_mshrs: 2
        stream: 3
        execute: { fetch: l1i }
      l1i: { type: cache, size: 4 KiB, ways: 4, latency: 10 cycles }
    links:
      - subcore -> l1i
      - l1i -> memory
END

# same NAME PROGRAM [ARGUMENTS]: on `tiny`, then with a front end, of other lengths and policies too.
same() {
    local name=$1 program=$2 settings count=0
    shift 2
    run 0 run tiny --program "$program" --no-report --out "$name-mimd" -- "$@"
    for settings in "stream=3" "stream=0 fetch_policy=round_robin" "insn_bytes=16B fetch_bytes=32B" \
        "l0_size=0B ibuffer=2 fetch_empty=true decode=0cycles fetch_turn=2cycles fetch_bytes=16B"; do
        count=$((count + 1))
        # shellcheck disable=SC2046
        run 0 run front.yaml $(printf -- '--set sm.subcore.%s ' $settings) --program "$program" \
            --no-report --out "$name-$count" -- "$@"
        cmp -s "$name-mimd/console.txt" "$name-$count/console.txt" ||
            complain "$program prints something else with $settings"
        [ ! -e "$name-mimd/image.png" ] || cmp -s "$name-mimd/image.png" "$name-$count/image.png" ||
            complain "$program draws something else with $settings"
    done
    ok "same_with_$name"
}

same mandelbrot mandelbrot 24 16
same matmul matmul
same reduce reduce 64

python3 - <<'END' || complain "cycles, fetches or lines are missing"
import json
for run in 1, 2, 3, 4:
    stats = json.load(open(f"mandelbrot-{run}/stats.json"))
    cores = stats["groups"]["sm.subcore[*]"]
    states = "active", "passed", "hazard", "busy", "fence", "fetch", "miss", "halted"
    assert sum(cores[name] for name in states) == cores["cycles"] == 4 * stats["summary"]["cycles"]
    assert cores["fetched"] > 0 and cores["fetch"] > 0 and (cores["miss"] > 0) == (run < 4)
    assert cores["l0_hits"] + cores["l0_misses"] <= cores["fetches"]
    assert (cores["stream_lines"] > 0) == (run in (1, 3)), run
    # All that the shared cache was asked for is sectors of lines.
    lines = cores["l0_lines"] + cores["stream_lines"]
    assert stats["groups"]["sm.l1i"]["reads"] <= 2 * lines
END
run 0 run front.yaml --program mandelbrot --profile --out profiled -- 24 16
python3 - <<'END' || complain "the profile or the ranking lacks cycles"
import json
cores = json.load(open("profiled/stats.json"))["groups"]["sm.subcore[*]"]
assert json.load(open("profiled/profile.json"))["thread_cycles"] == cores["cycles"] - cores["halted"]
found = json.load(open("profiled/bottleneck.json"))
tree = {tree["label"]: tree for tree in found["trees"]}["warp-cycles of all sub-cores"]
assert tree["cycles"] == sum(part["cycles"] for part in tree["parts"]) == cores["cycles"]
END
ok every_warp_cycle_is_accounted_for

# The first line of the program comes from memory in cycle 60 or so.
run 0 run front.yaml --program mandelbrot --no-report --out whole -- 24 16
run 0 run front.yaml --program mandelbrot --checkpoint-every 20 --stop-after 30 --no-report \
    --out stopped -- 24 16
python3 - <<'END' || complain "nothing is missing in cycle 30"
import json
cores = json.load(open("stopped/stats.json"))["groups"]["sm.subcore[*]"]
assert cores["miss"] > 0 and cores["issued"] == 0
END
run 0 run --resume stopped/checkpoint.ogv --no-report --out resumed
[ "$(digest whole)" = "$(digest resumed)" ] || complain "a resumed run ends elsewhere"
run 0 run front.yaml --program mandelbrot --checkpoint-every 777 --no-report --out kept -- 24 16
run 0 run --resume kept/checkpoint.ogv --no-report --out later
[ "$(digest whole)" = "$(digest later)" ] || complain "a run that is resumed later ends elsewhere"
ok checkpoint_in_a_miss_resumes

run 2 run tiny-simt --set sm.subcore.ibuffer=2 --set sm.subcore.l0_size=1KiB --program hello --out no
has "$err" "fetch: NAME"
ok cache_without_memory_is_refused
finish
