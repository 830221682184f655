#!/bin/bash
# diff.sh - `ogive diff`: two machines after defaults; and tables, host facts of `ogive compare`.
. "$OGIVE_TEST_DATA/tap.sh"

cat >a.yaml <<'EOF'
name: a
clock: 1 GHz
domains:
  sm:
    count: 2
    units:
      core: { type: core, execute: { int_mul: muldiv, load: memory, store: memory } }
      muldiv: { type: sfu }
      memory: { type: memory }
    links:
      - core -> muldiv
      - core -> memory
EOF
sed 's/name: a/name: b/; s/count: 2/count: 3/; s/int_mul: muldiv, /int_mul: muldiv, int_div: muldiv, /
    s/type: memory }/type: memory, latency: 77 cycles }/; s/muldiv: { type: sfu }/muldiv: { type: sfu, width: 1 }/
    s/      - core -> memory/      - core -> memory: { latency: 3 cycles }/' a.yaml >b.yaml

# line TEXT - a line of the table, however wide its columns are.
line() {
    tr -s ' ' <"$out" | sed 's/ $//' | grep -qxF -- "$1" || complain "no line '$1': $(cat "$out")"
}

run 0 diff a.yaml a.yaml
has "$out" "The machines are the same"
sed 's/name: a/name: other/; s/{ type: sfu }/{ width: 1, type: sfu }/' a.yaml >same.yaml
run 0 diff a.yaml same.yaml
run 0 export a.yaml -o full.yaml
run 0 diff a.yaml full.yaml
run 0 diff rtx2080 rtx2080
ok machines_that_mean_the_same_are_the_same

run 1 diff a.yaml b.yaml
line " sm.count 2 3"
line "+ sm.core.execute.int_div - muldiv"
line " sm.memory.latency 100 cycles 77 cycles"
line " sm: core -> memory.latency 1 cycles 3 cycles"
[ "$(grep -c . "$out")" = 7 ] || complain "more than that: $(cat "$out")"
ok counts_parameters_tables_and_links_are_compared

sed '/muldiv: { type/d; /core -> muldiv/d; s/int_mul: muldiv, //' b.yaml >few.yaml
run 1 diff b.yaml few.yaml
line "- sm.muldiv sfu x 1 -"
line "- sm: core -> muldiv 1 cycles -"
line "- sm.core.execute.int_mul muldiv -"
run 1 diff few.yaml b.yaml
line "+ sm.muldiv - sfu x 1"
run 1 diff rtx2060 rtx2080
line " clock 1680 MHz 1515 MHz"
lacks "$out" "sm.l1.clock"
ok what_is_on_one_side_alone_is_one_line

run 1 diff a.yaml --set sm.count=5
line " sm.count 2 5"
run 1 diff a.yaml --set-a sm.count=5
line " sm.count 5 2"
run 0 diff a.yaml --set sm.count=5 --set-a sm.count=5
run 1 diff a.yaml b.yaml --json
python3 - "$out" <<'EOF' || complain "not the JSON that was meant: $(cat "$out")"
import json, sys
answer = json.load(open(sys.argv[1]))
assert (answer["a"], answer["b"]) == ("a.yaml", "b.yaml")
rows = {row["path"]: (row["change"], row["a"], row["b"]) for row in answer["differences"]}
assert rows == {
    "sm.count": ("changed", 2, 3),
    "sm.core.execute.int_div": ("added", None, "muldiv"),
    "sm.memory.latency": ("changed", "100 cycles", "77 cycles"),
    "sm: core -> memory.latency": ("changed", "1 cycles", "3 cycles"),
}, rows
EOF
run 0 diff a.yaml same.yaml --json
has "$out" '"differences": []'
ok either_side_can_be_changed_and_json_printed

run 2 diff
run 2 diff a.yaml
has "$err" "takes two architectures, or one with --set"
run 2 diff a.yaml b.yaml a.yaml
run 2 diff exchang tiny
has "$err" "did you mean 'exchange'?"
run 2 diff a.yaml nowhere.yaml
run 2 diff a.yaml --set sm.cuont=3
ok trouble_is_not_a_difference

run 0 run exchange --stop-after 200 --quiet --out r1
run 0 run exchange --stop-after 300 --quiet --out r2
# A run of a machine with a table takes a program; the file is what such a run leaves.
python3 - <<'EOF'
import json
for run, table in (("r1", "int_mul: muldiv, load: { unit: l1, of: 2 }"), ("r2", "int_mul: fast, fp_div: muldiv")):
    file = json.load(open(run + "/run.json"))
    file["parameters"]["node.source"]["execute"] = table
    json.dump(file, open(run + "/run.json", "w"))
EOF
run 0 compare r1 r2
line " node.source.execute.int_mul muldiv fast"
line " node.source.execute.load { unit: l1, of: 2 } -"
line " node.source.execute.fp_div - muldiv"
ok compare_shows_tables_entry_by_entry

sed -n '/^Summary values that differ:/,/^$/p' "$out" >summary
has summary " cycles "
lacks summary wall_seconds
lacks summary cycles_per_wall_second
last=$(grep -n ' that differ:' "$out" | tail -1)
case $last in
*"Facts of the host that differ:") ;;
*) complain "the last part is $last" ;;
esac
sed -n '/^Facts of the host/,$p' "$out" >host
has host wall_seconds
has host cycles_per_wall_second
run 0 compare r1 r1
has "$out" "All parameters and statistics are the same."
ok compare_leaves_the_host_to_the_end

finish
