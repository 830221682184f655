#!/bin/bash
# runs.sh - `ogive run`: the folder, settings, stopping, interrupts, checkpoints, hangs, compare.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 run exchange --threads 1 --out a
for file in run.json stats.json series.csv log.txt; do
    [ -s "a/$file" ] || complain "a/$file is missing"
done
has "$out" "digest"
for key in cycles wall_seconds cycles_per_wall_second threads digest; do
    has a/stats.json "\"$key\":"
done
has a/run.json '"status": "finished"'
has a/run.json '"latency": "30 cycles"'
ok a_run_leaves_a_complete_folder

run 0 run exchange --threads 2 --out b
[ "$(digest a)" = "$(digest b)" ] || complain "digests differ"
run 0 compare a b
has "$out" "All parameters and statistics are the same."
ok threads_do_not_change_the_digest

run 0 run exchange --set bank.memory.latency=31cycles --out c
[ "$(digest a)" != "$(digest c)" ] || complain "digests agree"
has c/run.json '"bank.memory.latency=31cycles"'
run 0 compare a c
has "$out" "bank.memory.latency"
has "$out" "30 cycles"
run 2 compare a nowhere
run 2 compare a
mkdir empty && run 2 compare a empty
has "$err" "is this the folder of a run?"
echo '{ broken' >empty/run.json
run 2 compare a empty
has "$err" "empty/run.json:"
ok compare_shows_what_differs

run 0 run exchange --quiet --out d
[ ! -s "$out" ] && [ ! -s "$err" ] || complain "quiet is not quiet"
ok quiet_prints_nothing

run 0 run exchange --quiet --out a
[ -d a.old-1 ] && [ "$(digest a.old-1)" = "$(digest a)" ] || complain "the earlier run is gone"
ok an_earlier_run_is_moved_aside

run 0 run exchange --quiet
run 0 run exchange --quiet
[ -f results/exchange/run.json ] && [ -f results/exchange-2/run.json ] || complain "no folders"
ok folders_get_names_of_their_own

run 0 run exchange --stop-after 12345 --interval 1000 --out e
has e/stats.json '"cycles": 12345'
has e/stats.json '"status": "stopped"'
[ "$(wc -l <e/series.csv)" = 14 ] || complain "series.csv has $(wc -l <e/series.csv) lines"
[ "$(tail -1 e/series.csv | cut -d, -f1)" = 12345 ] || complain "the last line is wrong"
# What the series adds up to is what the statistics say.
sum=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "node[*].source.sent") c = i }
               NR > 1 { s += $c } END { print s }' e/series.csv)
has e/stats.json "\"sent\": $sum,"
ok stop_after_is_exact_and_the_series_adds_up

run 0 run exchange --checkpoint-every 10000 --stop-after 35000 --out f
[ -s f/checkpoint.ogv ] || complain "no checkpoint"
run 0 run --resume f/checkpoint.ogv --out g
[ "$(digest g)" = "$(digest a)" ] || complain "the resumed run ends differently"
run 0 run exchange --resume f/checkpoint.ogv --out g2
[ "$(digest g2)" = "$(digest a)" ] || complain "the resumed run ends differently"
run 2 run exchange --set node.count=4 --resume f/checkpoint.ogv --out h
has "$err" "another architecture"
run 2 run --resume f/run.json --out h
has "$err" "is not a checkpoint"
head -c 3000 f/checkpoint.ogv >cut.ogv
run 2 run --resume cut.ogv --out h
has "$err" "damaged"
run 2 run --set node.count=4 --resume f/checkpoint.ogv --out h
run 2 run exchange --checkpoint-every soon
has "$err" "write cycles"
ok a_resumed_run_ends_the_same

# Endless traffic, stopped by a signal.
for signal in INT TERM; do
    "$ogive" run exchange --set node.source.messages=0 --checkpoint-every 0.2s --out "i$signal" \
        >"$out" 2>"$err" &
    pid=$!
    for _ in $(seq 100); do
        [ -s "i$signal/checkpoint.ogv" ] && break
        sleep 0.1
    done
    kill -"$signal" "$pid"
    wait "$pid"
    code=$?
    [ "$code" = 130 ] || complain "exit code $code after SIG$signal"
    has "i$signal/run.json" '"status": "interrupted"'
    has "i$signal/stats.json" '"digest"'
    [ -s "i$signal/checkpoint.ogv" ] || complain "no checkpoint is left"
done
ok an_interrupt_keeps_what_was_done

run 3 run "$data/deadlock.yaml" --out j
has "$err" "deadlock at cycle"
has "$err" "pair.left waits for room in its link to pair.right since cycle"
has "$err" "pair.right waits for room in its link to pair.left since cycle"
has j/run.json '"status": "deadlock"'
has j/log.txt "pair.left waits for room"
run 3 run "$data/deadlock.yaml" --quiet --out k
has "$err" "pair.left waits"
ok a_deadlock_names_who_waits_for_whom

run 3 run "$data/livelock.yaml" --watchdog 5000 --out l
has "$err" "no progress for 5000 cycles"
has l/run.json '"status": "livelock"'
ok a_livelock_is_caught

touch file && run 2 run exchange --out file
run 2 run exchange --out file/below
run 2 run exchange --set
run 2 run exchange --set node
has "$err" "PATH=VALUE"
run 2 run exchange --set nodd.count=4
has "$err" "did you mean 'node'?"
run 2 run exchange --set node.sink.pause=6
has "$err" "needs a unit"
ok wrong_settings_are_refused

run 0 run exchange --interval 1000 --threads 1 --quiet --no-report --out l1
run 0 run exchange --interval 1000 --threads 2 --quiet --no-report --out l2
cmp -s l1/series.csv l2/series.csv || complain "threads change series.csv"
run 0 run exchange --interval 1000 --stop-after 20000 --checkpoint-every 10000 --quiet --no-report --out l3
run 0 run --resume l3/checkpoint.ogv --interval 1000 --quiet --no-report --out l4
python3 - <<'EOF' || complain "the links do not add up"
import csv, json
def folder(name):
    return json.load(open(name + "/stats.json")), list(csv.DictReader(open(name + "/series.csv")))
stats, rows = folder("l1")
rest, last = folder("l4")
links, run = stats["links"], json.load(open("l1/run.json"))
assert len(links) == len(run["links"]) == 4 and links[2]["from"] == "node.source"
assert links[2]["sent"] == stats["groups"]["node[*].source"]["sent"] and links[2]["answered"] is None
assert links[3]["answered"] == stats["groups"]["node[*].tester[*]"]["answered"] > 0
assert links[3]["joints"] == 8 * 4 * 2
for i, link in enumerate(links):
    for key in ("from_copies", "to_copies"):
        assert sum(sent for sent, _ in link[key]) == link["sent"]
    assert sum(int(row["links[%d].sent" % i]) for row in rows) == link["sent"]
assert sum(int(row["links[3].answered"]) for row in rows) == links[3]["answered"]
assert rest["links"] == links and last == rows[-len(last):]
EOF
ok links_carry_what_units_send

finish
