#!/bin/bash
# store.sh - whatever happens to a sweep, to its runs or to its store, no result is lost or made
# twice, and the table is the same in the end. With OGIVE_LONG, fifty kills.
. "$OGIVE_TEST_DATA/../cli/tap.sh"

cat >study.yaml <<'YAML'
run: { machine: exchange, set: { node.source.messages: 30000 } }
axes:
  latency: { set: bank.memory.latency, values: [20 cycles, 30 cycles, 40 cycles] }
  nodes: { set: node.count, values: [6, 8] }
YAML
stats=(--stat cycles --stat node.source.sent --stat bank.memory.reads)

# figures STORE - everything about the results: the table, and the digest of every run.
figures() {
    "$ogive" sweep table study --store "$1" "${stats[@]}" --format csv
    for stats_file in "$1"/runs/*/*/run/stats.json; do
        sed -n 's/.*"digest"/digest/p' "$stats_file"
    done | sort
}

# whole STORE - all results are there, once, equal to those of a sweep that nobody disturbed.
whole() {
    figures "$1" >"$work/.figures" 2>&1
    cmp -s "$work/.figures" expected || complain "$1: $(diff "$work/.figures" expected | head -5)"
    [ "$(find "$1/runs" -name run.json | wc -l)" = 6 ] || complain "$1: not six results"
    [ -z "$(find "$1/runs" -name 'try-*')" ] || complain "$1: tries are left"
}

run 0 sweep study.yaml --store plain --quiet
figures plain >expected
[ "$(grep -c digest expected)" = 6 ] || complain "$(cat expected)"
ok a_sweep_that_nobody_disturbs

# ---- Kills ----

# Of the processes of a sweep, one: itself, or one of its runs. They are ours, by their number.
victim() {
    local children
    children=$(pgrep -P "$1")
    # shellcheck disable=SC2086
    set -- "$1" $children
    shift $((RANDOM % $#))
    echo "$1"
}

# When all is done in spite of them, the next kills are for a new store.
kills=${OGIVE_LONG:+50} number=1
RANDOM=${OGIVE_SEED:-21}
for _ in $(seq "${kills:-4}"); do
    "$ogive" sweep study.yaml --store killed-$number --quiet --retry --checkpoint-every 20000 2>/dev/null &
    sweep=$!
    sleep "0.$((RANDOM % 8))$((RANDOM % 10))"
    kill -KILL "$(victim $sweep)" 2>/dev/null
    # If a run was killed, the sweep goes on, and is killed a little later.
    sleep "0.$((RANDOM % 3))"
    kill -KILL $sweep 2>/dev/null
    wait $sweep 2>/dev/null
    if "$ogive" sweep status study --store killed-$number >/dev/null 2>&1; then number=$((number + 1)); fi
done
for store in killed-*; do
    run 0 sweep study.yaml --store "$store" --quiet --retry --checkpoint-every 20000
    whole "$store"
    run 0 sweep study.yaml --store "$store"
    has "$out" "6 done (6 were there)"
done
ok kill_9_of_sweeps_and_runs

# Of one that is killed late enough, the rest is all that is made.
"$ogive" sweep study.yaml --store resumed --quiet --on local:1 --checkpoint-every 20000 &
sweep=$!
until [ -n "$(find resumed -name checkpoint.ogv 2>/dev/null)" ]; do sleep 0.02; done
kill -KILL $sweep
wait $sweep 2>/dev/null
run 0 sweep study.yaml --store resumed --quiet --checkpoint-every 20000
whole resumed
grep -q '"resumed_from": ".*checkpoint.ogv"' resumed/runs/*/*/run/run.json ||
    complain "nothing was resumed from a checkpoint"
ok an_interrupted_run_resumes

"$ogive" sweep study.yaml --store stopped --checkpoint-every 20000 >"$out" 2>"$err" &
sweep=$!
until [ -n "$(find stopped -name run.json 2>/dev/null)" ]; do sleep 0.02; done
kill -INT $sweep
wait $sweep
code=$?
[ $code = 130 ] || [ $code = 0 ] || complain "exit code $code"
"$ogive" sweep status study --store stopped >"$out"
lacks "$out" "running"
lacks "$out" "failed"
run 0 sweep study.yaml --store stopped --quiet
whole stopped
ok ctrl_c_keeps_what_was_done

# A run whose process vanished five times in a row, with nothing to show for it.
cp -r plain lost
folder=$(dirname "$(find lost/runs -name result.json | sort | head -1)")
rm -r "$folder/run" "$folder/result.json" lost/index.txt
for n in 1 2 3 4 5; do echo "begin $n 2026-01-01T00:00:00Z node17 123"; done >"$folder/attempts.txt"
run 1 sweep study.yaml --store lost --quiet
run 1 sweep status study --store lost
has "$out" "lost node, exit code 0, 5 tries"
run 0 sweep study.yaml --store lost --quiet --retry
whole lost
ok a_lost_node

# ---- Several at once ----

for n in 1 2 3; do
    "$ogive" sweep study.yaml --store shared >shared.$n 2>&1 &
done
wait
whole shared
[ "$(cat shared/runs/*/*/attempts.txt | grep -c begin)" = 6 ] || complain "runs were made twice"
[ "$(cat shared.? | grep -c '6 runs, 6 done')" = 3 ] || complain "$(cat shared.?)"
ok sweeps_that_share_a_store

# ---- Disks and clocks ----

(ulimit -f 8 && exec "$ogive" sweep study.yaml --store full --quiet) >"$out" 2>"$err"
[ $? = 1 ] || complain "a full disk: $(cat "$err")"
has "$err" "File too large"
run 0 sweep study.yaml --store full --quiet
whole full
ok files_that_cannot_grow

# A disk of its own, which is full at first, and grows.
disk() {
    mkdir -p disk
    unshare --map-root-user --mount bash -c "mount -t tmpfs -o size=$1 none disk && $2" "${@:3}" >"$out" 2>"$err"
}
if disk 1m true; then
    disk 300k '"$0" sweep study.yaml --store disk/store --quiet; echo "code $?" >&2; "$0" sweep status study --store disk/store
        mount -o remount,size=64m disk; "$0" sweep study.yaml --store disk/store --quiet; echo "again $?" >&2
        cp -r disk/store grown' "$ogive" || complain "$(tail -3 "$err")"
    has "$err" "No space left on device"
    has "$err" "code 1"
    has "$err" "again 0"
    lacks "$out" " failed"
    whole grown
    ok a_full_disk
else
    skip a_full_disk "no disk of its own can be mounted here: $(head -1 "$err")"
fi

# What a process left that died while it added a line; and an index that is lost.
printf 'R\t0123' >>full/index.txt
run 0 sweep study.yaml --store full
has "$out" "6 done (6 were there)"
whole full
: >full/index.txt
run 0 sweep status study --store full
run 0 sweep study.yaml --store full
has "$out" "6 done (6 were there)"
whole full
ok the_index_mends_itself

"$ogive" sweep study.yaml --store clocks --quiet --on local:1 --checkpoint-every 20000 &
sweep=$!
until [ -n "$(find clocks -name checkpoint.ogv 2>/dev/null)" ]; do sleep 0.02; done
kill -KILL $sweep
wait $sweep 2>/dev/null
find clocks -exec touch -d '2091-01-01' {} +
run 0 sweep study.yaml --store clocks --quiet
find clocks -exec touch -d '1975-01-01' {} +
run 0 sweep study.yaml --store clocks --quiet
whole clocks
ok clocks_that_jump

if [ "$(id -u)" != 0 ]; then
    chmod -R a-w plain
    run 1 sweep study.yaml --store plain
    has "$err" "cannot write"
    run 0 sweep status study --store plain
    figures plain | cmp -s - expected || complain "another table"
    chmod -R u+w plain
    ok a_store_that_cannot_be_written
elif as_nobody=$(command -v setpriv) && chmod 755 "$work" &&
    setpriv --reuid=65534 --clear-groups "$ogive" version >/dev/null 2>&1; then
    nobody() { "$as_nobody" --reuid=65534 --clear-groups "$ogive" "$@"; }
    nobody sweep study.yaml --store plain >"$out" 2>"$err"
    [ $? = 1 ] || complain "it is not refused: $(cat "$err")"
    has "$err" "cannot write"
    nobody sweep status study --store plain >"$out" 2>"$err" || complain "$(cat "$err")"
    has "$out" "6 runs, 6 done"
    ok a_store_that_cannot_be_written
else
    skip a_store_that_cannot_be_written "root may write anywhere, and cannot be nobody here"
fi

finish
