#!/bin/bash
# same_scene.sh - a run with a scene that goes on from a checkpoint is judged, draws and counts like
# one that was never stopped, by itself and in a study; and another scene is refused.
. "$OGIVE_TEST_DATA/tap.sh"
machine=(trax-rt --set sm.count=1)

# summary DIR - of stats.json, without what is of this machine.
summary() {
    sed -n '/"summary"/,/}/p' "$1/stats.json" | grep -v 'wall\|work_seconds\|threads'
}

number=0
# alike OPTIONS... - a run in two parts is one in one.
alike() {
    local n=$number
    number=$((number + 1))
    run 0 run "${machine[@]}" "$@" --no-report --out "whole$n"
    run 0 run "${machine[@]}" "$@" --no-report --checkpoint-every 1000 --stop-after 2500 --out "half$n"
    run 0 run --resume "half$n/checkpoint.ogv" --same-scene "$@" --no-report --out "rest$n"
    cmp -s "whole$n/image.png" "rest$n/image.png" || complain "$*: another picture"
    [ "$(summary "whole$n")" = "$(summary "rest$n")" ] || complain "$*: another summary"
}

alike --scene cornell --rays primary --size 16x16
has "$out" "hits equal to Embree's"
alike --scene cornell --rays secondary --size 16x16 --software
has "$out" "hits equal to Embree's"
alike --scene cornell --size 8x8
has rest2/stats.json '"frames_per_s"'
ok a_resumed_run_is_judged

for other in "--scene cornell --rays secondary --size 16x16" "--scene cornell --rays primary --size 16x8" \
    "--scene cornell --rays primary --size 16x16 --seed 2 --camera front" "--scene arcade --triangles 100 --rays primary --size 16x16"; do
    # shellcheck disable=SC2086
    run 2 run --resume half0/checkpoint.ogv --same-scene $other --no-report --out none
    [ ! -e none ] || complain "$other: it left a folder"
done
run 0 run exchange --checkpoint-every 100 --stop-after 150 --no-report --out exchange
run 2 run --resume exchange/checkpoint.ogv --same-scene --scene cornell --out none
has "$err" "exchange/checkpoint.ogv: was taken of a run without a scene"
run 2 run exchange --same-scene --out none
has "$err" "--same-scene goes with --resume"
ok another_scene_is_refused

cat >study.yaml <<'YAML'
run: { machine: trax-rt, scene: cornell, size: 16x16, set: { sm.count: 1 } }
axes: { rays: [primary, shadow] }
YAML
run 0 sweep study.yaml --store whole --quiet
"$ogive" sweep study.yaml --store killed --quiet --on local:1 --checkpoint-every 500 &
sweep=$!
until [ -n "$(find killed -name checkpoint.ogv 2>/dev/null)" ]; do sleep 0.01; done
kill -KILL $sweep
wait $sweep 2>/dev/null
run 0 sweep study.yaml --store killed --quiet
for store in whole killed; do
    run 0 sweep table study --store $store --stat cycles --stat mrays_per_s --stat sm.rt.rays --format csv
    cp "$out" $store.csv
done
cmp -s whole.csv killed.csv || complain "$(diff whole.csv killed.csv)"
ok and_in_a_study

finish
