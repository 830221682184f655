#!/bin/bash
# predictions.sh - predictions as runs of a study, and as the cheap stages of a search.
. "$OGIVE_TEST_DATA/../cli/tap.sh"

# study NAME - what all have in common
study() {
    cat >"$1.yaml" <<'YAML'
run:
  machine: rtx2080
  scene: cornell
  rays: secondary
  size: 24x24
  set: { sm.count: 2, partition.count: 1, partition.dram.size: 32 MiB }
YAML
    cat >>"$1.yaml"
}

study small <<'YAML'
axes:
  how: { cases: { whole: {}, half: { command: predict, share: 50% } } }
  l1: { set: sm.l1.size, values: [16 KiB, 64 KiB] }
YAML
run 0 sweep small.yaml
has "$out" "4 runs, 4 done"
run 0 sweep small.yaml
has "$out" "4 done (4 were there)"
run 0 sweep table small --stat cycles --rows l1 --columns how --format csv
has "$out" "l1,whole,half"
predicted=$(sed -n 's/^64 KiB,[0-9]*,//p' "$out")
run 0 predict rtx2080 --scene cornell --rays secondary --size 24x24 --set sm.count=2 --set partition.count=1 \
    --set partition.dram.size=32MiB --set sm.l1.size=64KiB --share 50% --out by-hand --quiet
[ "$(sed -n 's/^ *"cycles": \([0-9]*\).*/\1/p' by-hand/stats.json | head -1)" = "$predicted" ] ||
    complain "by hand, it is not $predicted: $(grep -m1 '"cycles"' by-hand/stats.json)"
ok predictions_are_runs_of_a_study

# One that is killed goes on with what it has simulated.
study killed <<'YAML'
axes: { command: [predict] }
YAML
sed -i 's/24x24/96x96/' killed.yaml
"$ogive" sweep killed.yaml --store killed --quiet 2>/dev/null &
sweep=$!
until [ -n "$(find killed/runs -path '*/try-1/runs/*' 2>/dev/null)" ]; do sleep 0.01; done
kill -KILL $sweep
wait $sweep 2>/dev/null
run 0 sweep killed.yaml --store killed --quiet
run 0 sweep killed.yaml --store whole --quiet
for store in killed whole; do
    run 0 sweep table killed --store $store --stat cycles --stat mrays_per_s --format csv
    cp "$out" $store.csv
done
cmp -s killed.csv whole.csv || complain "$(diff killed.csv whole.csv)"
[ "$(cat killed/runs/*/*/attempts.txt | grep -c begin)" = 2 ] || complain "it was not killed in time"
ok a_prediction_that_was_killed

study search <<'YAML'
axes:
  slots: { set: sm.rt.rays, values: [4, 8, 16, 32] }
  l1: { set: sm.l1.size, values: [16 KiB, 32 KiB, 64 KiB] }
search:
  maximise: mrays_per_s
  evaluations: 6
  stages:
    - { command: predict, share: 25%, keep: 3 }
    - { command: predict, share: 50%, keep: 2 }
YAML
run 0 search search.yaml --store stages --progress none
evaluations=$(sed -n 's/^search: \([0-9]*\) evaluations of a grid of 12 points, .*/\1/p' "$out")
full=$(sed -n 's/.* \([0-9]*\) of them in full$/\1/p' "$out")
count() { cat stages/runs/*/*/point.json | grep -c -- "$1"; }
[ "$(count 'ogive predict.*--share 25%')" = 6 ] || complain "$(count 'ogive predict.*--share 25%') with a small share"
[ "$(count 'ogive predict.*--share 50%')" = 3 ] || complain "$(count 'ogive predict.*--share 50%') with a larger one"
[ "$evaluations" = $((6 + 3 + full)) ] && [ "$(count '"ogive run')" -ge "$full" ] || complain "$(cat "$out")"
ok cheap_predictions_come_before_runs

# mistake WORDS CASE
mistake() {
    study wrong <<<"axes: { how: { cases: { it: $2 } } }"
    run 2 sweep wrong.yaml
    has "$err" "wrong.yaml:$1"
}
mistake '7:38: share: is for `command: predict`; this run is a `run`' '{ share: 10% }'
mistake "7:56: share: '150%' is not a share above 0" '{ command: predict, share: 150% }'
mistake '7:58: profile: is for `command: run`; this run is a `predict`' '{ command: predict, profile: true }'
ok each_command_has_options_of_its_own

finish
