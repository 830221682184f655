#!/bin/bash
# stats.sh - `ogive stats` and `ogive compare`: patterns, intervals, formats, watching for moves.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 run exchange --series all --interval 1000 --quiet --out a
run 0 run exchange --interval 1000 --quiet --out plain
[ "$(digest a)" = "$(digest plain)" ] || complain "the series changes the digest"
[ -s a/series.units ] || complain "no series of units"
[ ! -e plain/series.units ] || complain "a series that nobody asked for"
run 2 run exchange --series some --out b
has "$err" "there is chip, all"
ok a_series_of_units_is_kept_on_demand

run 0 stats a
has "$out" "node[*].source.sent"
has "$out" "messages sent"
run 0 stats a 'node[0..1].source.*' --each
has "$out" "node[1].source.sent"
lacks "$out" "node[2]"
run 0 stats a node.source.sent --group node --format csv
[ "$(wc -l <"$out")" = 9 ] || complain "$(wc -l <"$out") lines"
run 0 stats a --group type
has "$out" "source.sent"
run 0 stats a node.source.sent --mean --format csv
has "$out" "node[*].source.sent,4000,messages,8"
run 0 stats a node.source.sent --sum --format csv
has "$out" "node[*].source.sent,32000,messages,8"
ok units_are_chosen_and_combined

run 0 stats a cycles
has "$out" "simulated, of the chip's clock"
cycles=$(sed -n 's/.*"cycles": \(.*\),/\1/p' a/stats.json)
run 0 stats a cycles status --format csv
has "$out" "cycles,$cycles,cycles,0,"
has "$out" "status,finished,,0,"
[ "$(wc -l <"$out")" = 3 ] || complain "$(cat "$out")"
run 0 stats a 'energy_*' node.source.sent --format json
python3 - "$out" <<'EOF' || complain "figures differ from those of the summary"
import json, sys
summary = json.load(open("a/stats.json"))["summary"]
rows = {row["name"]: row["value"] for row in json.load(open(sys.argv[1]))["statistics"]}
assert set(rows) == {"energy_j", "energy_complete", "node[*].source.sent"}, rows
assert rows["energy_j"] == summary["energy_j"] or abs(rows["energy_j"] / summary["energy_j"] - 1) < 1e-9
assert rows["energy_complete"] == str(summary["energy_complete"]).lower()
EOF
run 0 stats a
[ "$(sed -n 3p "$out" | cut -d' ' -f1)" = status ] || complain "the summary is not the first"
for figure in cycles wall_seconds; do
    grep -q "^$figure " "$out" || complain "no $figure"
done
run 2 stats a cycels
has "$err" "did you mean 'cycles'?"
run 2 stats a cycles --per-interval
has "$err" "are of the whole run"
run 2 stats a cycles --cycles 0:100
ok figures_of_the_summary_have_names

# A table without --all has what is not 0, and says how much it leaves out.
python3 - <<'EOF' >zeros
import json
types = json.load(open("a/stats.json"))["types"]
for path, group in json.load(open("a/stats.json"))["groups"].items():
    for name, value in group.items():
        if name in types[group["type"]] and not value:
            print(f"{path}.{name}")
EOF
[ -s zeros ] || complain "there is nothing that is 0"
run 0 stats a 'node.*' 'bank.*'
while read -r name; do
    lacks "$out" "$name "
done <zeros
has "$out" "$(wc -l <zeros) more that are 0 or undefined; --all shows them"
zero=$(head -1 zeros)
run 0 stats a 'node.*' 'bank.*' "$zero"
has "$out" "$zero "
run 0 stats a 'node.*' 'bank.*' --all
while read -r name; do
    has "$out" "$name "
done <zeros
lacks "$out" "more that are 0"
run 0 stats a 'node.*' 'bank.*' --format csv
while read -r name; do
    has "$out" "$name,"
done <zeros
run 0 stats a 'node.*' 'bank.*' --per-interval
lacks "$out" "$zero"
run 0 stats a 'node.*' 'bank.*' --per-interval --all
has "$out" "$zero"
ok tables_leave_out_zeros

# Values are those of stats.json and series.csv.
run 0 stats a 'bank.memory.*' 'node.sink.latency*' --format json
python3 - "$out" <<'EOF' || complain "values differ from stats.json"
import json, sys
groups = json.load(open("a/stats.json"))["groups"]
rows = json.load(open(sys.argv[1]))["statistics"]
assert len(rows) > 5
for row in rows:
    path, name = row["name"].rsplit(".", 1)
    assert row["value"] == groups[path][name] or abs(row["value"] - groups[path][name]) < 1e-9, row
EOF
for folder in a plain; do
    run 0 stats "$folder" 'node.source.sent' --per-interval --cycles 5000:9000 --format csv
    [ "$(head -1 "$out")" = "cycle,node[*].source.sent" ] || complain "$(head -1 "$out")"
    [ "$(sed 1d "$out" | wc -l)" = 4 ] || complain "$(cat "$out")"
    want=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "node[*].source.sent") c = i }
        $1 > 5000 && $1 <= 9000 { print $1 "," $c }' a/series.csv)
    [ "$(sed 1d "$out")" = "$want" ] || complain "$folder: $(cat "$out")"
done
run 0 stats a 'node[3].tester[1].asked' --per-interval --format csv
sum=$(awk -F, 'NR > 1 { s += $2 } END { print s }' "$out")
run 0 stats a 'node[3].tester[1].asked' --format csv
has "$out" "node[*].tester[*].asked,$sum,"
run 0 stats a 'node.sink.latency_mean' --cycles :20000 --format json
has "$out" '"last_cycle": 20000'
ok values_are_those_of_the_files

run 2 stats
run 2 stats nowhere
run 2 stats a node.sorce.sent
has "$err" "did you mean 'node.source.sent'?"
run 2 stats a --each --sum
run 2 stats a --cycles 9:3
run 2 stats a --cycles 900000: --per-interval
has "$err" "ends at cycle"
run 2 stats a --format xml
run 2 stats a --group nodee
has "$err" "did you mean 'node'?"
run 2 stats plain 'node[0].source.sent' --per-interval
has "$err" "--series all"
ok wrong_questions_are_refused

run 0 run exchange --set bank.memory.latency=31cycles --quiet --out c
run 0 run exchange --set node.count=4 --quiet --out d
run 0 compare a plain c d
has "$out" "D vs A"
has "$out" "bank.memory.latency"
run 0 compare a plain --stats cycles,node.source.sent,bank.memory.reads --fail-above 0%
has "$out" "0 of the values moved"
run 0 compare a c --stats cycles --fail-above '50 %'
run 1 compare a plain d --stats cycles,node.source.sent --fail-above 10
has "$out" "<- moved"
has "$out" "1 of the values moved by more than 10%"
run 0 compare a d --stats node.source.sent
has "$out" "-50.00%"
run 2 compare a c --fail-above 2%
has "$err" "--stats"
run 2 compare a c --stats cycels --fail-above 2%
has "$err" "did you mean 'cycles'?"
run 2 compare a c --stats cycles --fail-above much
run 2 compare a
ok compare_watches_named_statistics

finish
