#!/bin/bash
# sweep.sh - studies as a user has them: what is run, what is found again, how it stands, tables,
# figures, failures by class, cleaning up.
. "$OGIVE_TEST_DATA/../cli/tap.sh"

cat >small.yaml <<'YAML'
about: latency of the banks, and messages
run: { machine: exchange, set: { node.count: 4 } }
modifiers:
  slow: { set: { bank.memory.latency: 90 cycles } }
  few: { set: { node.source.messages: 50 } }
axes:
  latency: { set: bank.memory.latency, from: 20 cycles, to: 80 cycles, times: 2 }
  messages: { set: node.source.messages, values: [200, 400] }
  variant: { modifiers: [none, slow, slow+few] }
runs:
  - { product: [latency, messages] }
  - { points: [{ variant: slow }, { variant: slow+few }] }
exclude:
  - { latency: 80 cycles, messages: 400 }
YAML

# ---- Before anything starts ----

run 0 sweep small.yaml --dry-run
[ "$(grep -c cycles "$out")" = 5 ] || complain "$(cat "$out")"
has "$out" "7 runs (1 more are excluded), 0 of them are there"
[ ! -e results ] || complain "a dry run made a store"
ok a_dry_run_starts_nothing

# mistake PLACE-AND-WORDS - what wrong.yaml, standard input, is refused with.
mistake() {
    cat >wrong.yaml
    run 2 sweep wrong.yaml
    has "$err" "wrong.yaml:$1"
    [ ! -e results ] || complain "$1: something was started"
}
mistake "1:17: machine: there is no architecture 'rtx2081'; did you mean 'rtx2080'?" <<<'run: { machine: rtx2081 }'
mistake "2:1: unknown key 'axis' in a study; did you mean 'axes'?" <<<'run: { machine: exchange }
axis: { seed: [1] }'
mistake "2:18: rays: there is no kind of rays 'primry'; did you mean 'primary'?" <<<'run: { machine: exchange }
axes: { rays: [  primry] }'
mistake "2:42: setting bank.memory.latency=30 KiB: latency: '30 KiB' has the wrong unit" <<<'run: { machine: exchange }
axes: { bank.memory.latency: [20 cycles, 30 KiB] }'
mistake "1:44: setting node.conut=4: unknown key 'conut' in a domain; did you mean 'count'?" \
    <<<'run: {machine: exchange, set: {node.conut: 4}}'
mistake "3:32: there is no modifier 'wied'; did you mean 'wide'?" <<<'run: { machine: exchange }
modifiers: { wide: { seed: 2 } }
axes: { v: { modifiers: [wide, wied] } }'
mistake "3:14: there is no axis 'sed'; did you mean 'seed'?" <<<'run: { machine: exchange }
axes: { seed: [1] }
exclude: [ { sed: 1 } ]'
mistake "2:17: time: write a time as in '90 s'" <<<'run: { machine: exchange }
limits: { time: 10 }'
mistake "1:1: no machine is named" <<<'axes: { seed: [1] }'
mistake "2:43: axis 'l' has the value '2' already" <<<'run: { machine: exchange }
axes: { l: { set: node.count, values: [2, 2] } }'
mistake "2:9: axis 'foo' is neither an option of a run nor a parameter like sm.l1.size; did you mean 'fov'?" \
    <<<'run: { machine: exchange }
axes: { foo: [1] }'
ok mistakes_have_their_place

run 2 sweep small.yaml --checkpoint-every soon
has "$err" "sweep: --checkpoint-every soon: write cycles as in '50000' or a time as in '30s'"
run 2 sweep statsu small
has "$err" "sweep: 'statsu' is neither a file nor a part of \`ogive sweep\`; did you mean 'status'?"
run 2 sweep small.yaml --on locl
has "$err" "--on locl: takes local, local:N"
[ ! -e results ] || complain "something was started"
ok mistakes_on_the_command_line_start_nothing

# Options of a study are those of a run.
run 0 run --help
sed -nE 's/^ *(\[OPTION_[A-Z]*\] = )?\{ "([a-z-]+)", VALUE_.*/\2/p' "$OGIVE_HOME/src/explore/option.c" >options
[ "$(wc -l <options)" = 29 ] || complain "$(cat options)"
while read -r option; do
    has "$OGIVE_HOME/docs/studies.md" "\`$option\`"
    case $option in command | machine | arguments | share) continue ;; esac
    has "$out" " --$option"
done <options
ok options_are_those_of_a_run

# ---- Results are made once ----

run 0 sweep small.yaml --on local:2
has "$out" "small: 7 runs, 7 done (0 were there), 0 failed"
[ "$(cat results/store/runs/*/*/attempts.txt | grep -c begin)" = 7 ] || complain "not 7 tries"
run 0 sweep small.yaml
has "$out" "7 done (7 were there)"
[ "$(cat results/store/runs/*/*/attempts.txt | grep -c begin)" = 7 ] || complain "runs were made again"
run 0 sweep status small
has "$out" "small: 7 runs, 7 done"
ok a_run_that_exists_is_taken

# The same by hand, and what is the same under another name.
run 0 run exchange --set node.count=4 --set bank.memory.latency=20cycles --set node.source.messages=200 \
    --no-report --quiet --out by-hand
folder=$(grep -l "latency=20 cycles.*messages=200" results/store/runs/*/*/point.json)
[ "$(digest by-hand)" = "$(digest "$(dirname "$folder")/run")" ] || complain "another digest"
cat >other.yaml <<'YAML'
run: { machine: exchange, interval: 10000, seed: 1, command: run, set: { node.count: 4 } }
axes: { l: { set: bank.memory.latency, values: [20 cycles] }, m: { set: node.source.messages, values: [200] } }
YAML
run 0 sweep other.yaml
has "$out" "1 done (1 were there)"
ok what_is_the_same_has_one_key

# ---- Tables ----

run 0 sweep table small --stat cycles --rows latency --columns messages --format csv
has "$out" "latency,200,400,-"
run 0 sweep table small --stat cycles --columns messages --rows latency --relative "latency=20 cycles" --mean --geomean
has "$out" "geometric mean"
grep -q '^20 cycles .* 1  *1  *-$' "$out" || complain "$(cat "$out")"
run 0 sweep table small --stat 'per_cycle = node.source.sent / cycles' --rows variant --format markdown
has "$out" "| variant | per_cycle |"
run 0 sweep table small --stat cycles --rows latency --columns messages --format latex -o t.tex
has t.tex '\begin{tabular}{lrrr}'
run 2 sweep table small --stat cycls
has "$err" "no run has the statistic 'cycls'; did you mean 'cycles'?"
run 2 sweep table small --rows latncy
has "$err" "study 'small' has no axis 'latncy'; did you mean 'latency'?"
run 2 sweep table smal
has "$err" "no study 'smal' was started in this store; did you mean 'small'?"
run 0 sweep table small --stat cycles --rows latency,messages,variant --format csv
while IFS=, read -r latency messages variant cycles; do
    [ "$latency" = latency ] && continue
    key=$(grep -lE "\"ogive run" results/store/runs/*/*/point.json | while read -r point; do
        grep -q "\"cycles\": $cycles," "$(dirname "$point")/run/stats.json" && echo found && break
    done)
    [ "$key" = found ] || complain "$latency $messages $variant: $cycles cycles is nobody's"
done <"$out"
ok tables_have_the_numbers_of_the_runs

# ---- Figures ----

for kind in lines bars heat; do
    run 0 sweep plot small --x latency --series messages --kind $kind -o $kind.svg
    grep -q '</svg>' $kind.svg || complain "$kind: no picture"
done
run 2 sweep plot small --x latency -o lines.jpg
has "$err" "a name that ends in .svg or .png is needed"
[ "$(grep -c 'class="line"' lines.svg)" = 3 ] || complain "not a line for each of three"
run 0 sweep table small --stat cycles --rows latency,messages --format csv
{
    echo latency,messages,reference
    sed 1d "$out" | grep -v '^-'
} >same.csv
run 0 sweep plot small --stat cycles --reference same.csv -o scatter.svg
has "$out" "5 points, mean error 0.00%, correlation 1.0000"
echo '10 cycles,200,5' >>same.csv
run 2 sweep plot small --stat cycles --reference same.csv -o scatter.svg
has "$err" "same.csv:7: no run of the study has these values"
if command -v rsvg-convert >/dev/null; then
    run 0 sweep plot small --x latency -o lines.png
    [ "$(head -c 4 lines.png | tail -c 3)" = PNG ] || complain "no PNG"
    ok figures
else
    skip figures "no rsvg-convert: install it with ./run deps test"
fi

# ---- Failures ----

cat >failing.yaml <<YAML
run: { machine: exchange }
axes:
  what: { cases: { good: {}, deadlock: { machine: $data/../cli/deadlock.yaml } } }
YAML
run 1 sweep failing.yaml
run 1 sweep status failing
has "$out" "2 runs, 1 done, 1 failed"
has "$out" "what=deadlock: deadlock, exit code 3, 1 try"
has "$out" '$ ogive run'
run 1 sweep failing.yaml
[ "$(cat results/store/runs/*/*/attempts.txt | grep -c deadlock)" = 1 ] || complain "a failure was tried again"
run 0 sweep retry failing --class deadlock
has "$out" "1 failed run will be made again"
run 5 sweep status failing
run 1 sweep failing.yaml
[ "$(cat results/store/runs/*/*/attempts.txt | grep -c deadlock)" = 2 ] || complain "it was not tried again"

# Minutes of work, and more memory than a process can do without.
for limit in 'time: 1 s' 'memory: 1 MiB'; do
    printf '%s\n' 'name: limited' 'run: { machine: exchange, set: { node.source.messages: 40000000 } }' \
        "limits: { $limit }" >limited.yaml
    run 1 sweep limited.yaml --retry
    run 1 sweep status limited
    case $limit in
    time*) has "$out" "time, exit code 130, 1 try" ;;
    *) has "$out" "out of memory, exit code 137, 2 tries" ;;
    esac
done
ok failures_are_kept_with_their_class

# ---- Cleaning ----

run 0 sweep clean failing --failed
has "$out" "1 run removed"
run 5 sweep status failing
has "$out" "1 done, 1 waiting"
run 0 sweep status small
rm results/store/studies/{other,failing,limited}.json
run 0 sweep clean --unused
run 0 sweep status small
run 0 sweep clean small --all
has "$out" "7 runs removed"
[ -z "$(find results/store/runs -name run.json)" ] || complain "runs are left"
ok cleaning_removes_what_it_says

finish
