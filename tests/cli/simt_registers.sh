#!/bin/bash
# simt_registers.sh - programs on sub-cores whose operands, results and dependences are modelled: what
# they print and draw stays the same, all cycles are accounted for, and checkpoints resume.
. "$OGIVE_TEST_DATA/tap.sh"

older=(--set sm.subcore.dependences=scoreboard_raw --set sm.subcore.operands=collectors
    --set sm.subcore.bank_of=by_register_and_warp --set sm.subcore.result_bus=slots
    --set sm.subcore.result_slots=1)
modern=(--set sm.subcore.dependences=control --set sm.subcore.operands=window
    --set sm.subcore.register_cache=1 --set sm.subcore.result_bus=banks)

# set_of NAME: the settings of that name, in `settings`.
set_of() {
    settings=("${older[@]}")
    [ "$1" = older ] || settings=("${modern[@]}")
}

# same PROGRAM [ARGUMENTS]: as ever, and with each of the settings.
same() {
    local program=$1 name
    shift
    run 0 run tiny-simt --program "$program" --no-report --out "$program-plain" -- "$@"
    for name in older modern; do
        set_of $name
        run 0 run tiny-simt "${settings[@]}" --program "$program" --profile --out "$program-$name" -- "$@"
        cmp -s "$program-plain/console.txt" "$program-$name/console.txt" ||
            complain "$program prints something else with '$name'"
        [ ! -e "$program-plain/image.png" ] ||
            cmp -s "$program-plain/image.png" "$program-$name/image.png" ||
            complain "$program draws something else with '$name'"
    done
    ok "same_with_$program"
}

same mandelbrot 24 16
same matmul
same reduce 64
same templates

python3 - <<'EOF2' || complain "cycles are missing"
import json
states = "active", "passed", "hazard", "busy", "operands", "result", "fence", "halted"
for name in "mandelbrot-older", "mandelbrot-modern":
    cores = json.load(open(f"{name}/stats.json"))["groups"]["sm.subcore[*]"]
    assert sum(cores[state] for state in states) == cores["cycles"] > 0
    assert min(cores[it] for it in ("operands", "result", "operand_reads", "register_conflicts")) > 0
    profile = json.load(open(f"{name}/profile.json"))
    assert profile["thread_cycles"] == cores["cycles"] - cores["halted"]
    trees = json.load(open(f"{name}/bottleneck.json"))["trees"]
    tree = {tree["label"]: tree for tree in trees}["warp-cycles of all sub-cores"]
    assert tree["cycles"] == sum(part["cycles"] for part in tree["parts"]) == cores["cycles"]
EOF2
ok every_warp_cycle_is_accounted_for

for name in older modern; do
    set_of $name
    run 0 run tiny-simt "${settings[@]}" --program mandelbrot --checkpoint-every 5000 --no-report \
        --out "kept-$name" -- 24 16
    run 0 run --resume "kept-$name/checkpoint.ogv" --no-report --out "resumed-$name"
    [ "$(digest "kept-$name")" = "$(digest "resumed-$name")" ] ||
        complain "a resumed run ends elsewhere with '$name'"
done
ok checkpoint_resumes
finish
