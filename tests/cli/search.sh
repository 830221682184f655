#!/bin/bash
# search.sh - `ogive search`: what it finds, that it always goes the same way, goes on after an
# interrupt, and says where a study is wrong.
. "$OGIVE_TEST_DATA/tap.sh"

# study NAME LINES - a grid of 90 small machines: slow memories are cheap, wide ones dear.
study() {
    cat >"$1.yaml" <<END
name: $1
run:
  machine: exchange
  set: { node.source.messages: 50, node.tester.requests: 60 }
axes:
  latency: { set: bank.memory.latency, values: [2 cycles, 4 cycles, 8 cycles, 12 cycles, 20 cycles, 30 cycles, 40 cycles, 60 cycles, 80 cycles] }
  width: { set: bank.memory.width, values: [1, 2, 3, 4, 8] }
  gap: { set: node.source.gap, values: [4 cycles, 12 cycles] }
search:
$2
END
}

# search CODE NAME ARGS... - without progress
search() {
    run "$1" search "$2.yaml" --store "store-$2" --progress none "${@:3}"
}

runs_in() {
    find "$1/runs" -name result.json | wc -l
}

study one '  minimise: cycles
  evaluations: 18'
search 0 one -o one.html
has "$out" "one: 19 evaluations of a grid of 90 points, 19 of them in full"
has "$out" "One value less or more on one axis:"
has one.html "</html>"
has one.html "Stage 1 of 1"
cp "$out" first
made=$(runs_in store-one)
search 0 one
cmp -s "$out" first || complain "the second search found something else: $(cat "$out")"
[ "$(runs_in store-one)" = "$made" ] || complain "runs were made again"
ok the_best_is_found_and_nothing_is_run_twice

best=$(sed -n '5p' first | awk '{ print $NF }')
study whole '  minimise: cycles
  evaluations: 90'
search 0 whole
least=$(sed -n '5p' "$out" | awk '{ print $NF }')
awk -v best="$best" -v least="$least" 'BEGIN { exit !(best <= 1.02 * least && least > 0) }' ||
    complain "the best has $best cycles; the whole grid has $least"
ok a_few_runs_come_close_to_the_whole_grid

mv store-one store-kept
search 0 one --at-once 1 --threads 1
cmp -s "$out" first || complain "one run at a time finds something else"
ok how_many_run_at_once_changes_nothing

mv store-one store-alone
"$ogive" search one.yaml --store store-one --progress none >"$out" 2>"$err" </dev/null &
pid=$!
until [ -n "$(find store-one/runs -name result.json 2>/dev/null)" ]; do sleep 0.02; done
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] || [ $code = 0 ] || complain "exit code $code: $(cat "$err")"
search 0 one
cmp -s "$out" first || complain "after an interrupt it finds something else"
ok a_search_goes_on_after_an_interrupt

study two '  minimise: [cycles, node.tester.latency_mean]
  maximise: bank.memory.width_used
  evaluations: 12'
search 2 two
has "$err" "no run has the statistic 'bank.memory.width_used'"
study two '  minimise: cycles
  maximise: node.source.sent / cycles * node.tester.latency_mean
  at_least: { node.tester.latency_mean: 20 }
  evaluations: 14
  seed: 3'
search 0 two -o two.html
has two.html "<h2>Front</h2>"
run 0 sweep table two --store store-two --stat cycles
ok several_goals_give_a_front

study stages '  minimise: cycles
  evaluations: 10
  stages:
    - { set: { node.tester.requests: 10, node.source.messages: 10 }, keep: 3 }'
search 0 stages
has "$out" "24 evaluations of a grid of 90 points, 14 of them in full"
best=$(sed -n 5p "$out" | awk '{ print $NF }')
sed '1,/One value less/d' "$out" | awk -v best="$best" 'NR > 3 && $NF < best { exit 1 }' || complain "a neighbour is better: $(cat "$out")"
ok cheap_stages_come_first

study never '  minimise: cycles
  at_most: { cycles: 1 }
  evaluations: 6'
search 1 never
has "$out" "No point keeps all limits."
ok limits_that_nothing_keeps_are_told

# refused WORDS LINES
refused() {
    study wrong "$2"
    search 2 wrong
    has "$err" "$1"
}
refused "wrong.yaml:10:3: search: nothing is searched for" '  seed: 1'
refused "did you mean 'minimise'?" '  minimize: cycles'
refused "wrong.yaml:10:13: formula 'cycles +'" '  minimise: cycles +'
refused "evaluations: takes a number from 1 to 10000" '  { minimise: cycles, evaluations: 0 }'
refused "at_most" '  { minimise: cycles, at_mots: { cycles: 1 } }'
refused "area_mm2: takes a number" '  { minimise: cycles, at_most: { area_mm2: small } }'
refused "did you mean 'size'?" '  { minimise: cycles, stages: [{ sise: 8x8 }] }'
sed '/^search:/,$d' wrong.yaml >plain.yaml
run 2 search plain.yaml
has "$err" 'has no `search:`'
(cat plain.yaml && printf 'seeds: [1, 2]\nsearch: { minimise: cycles }\n') >seeds.yaml
run 2 search seeds.yaml
has "$err" 'leave out `seeds`'
ok mistakes_are_said_with_their_place

finish
