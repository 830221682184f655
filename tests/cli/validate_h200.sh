#!/bin/bash
# validate_h200.sh - microbenchmarks of a card beside the same on its model: a few cheap rows, other
# parameters than were measured, and references that are wrong.
. "$OGIVE_TEST_DATA/tap.sh"

header=group,name,parameter,value,unit
cat >rows.csv <<'END'
group,name,parameter,value,unit
latency,fp32 fma,1,4.314,cycles/op
"load latency","shared, 4 B, stride in words",3,29.1,"cycles, with the add of the address"
barrier,all threads of a block,7,26.7,cycles (parameter: warps)

fetch,"straight line, 2 warps",3,1.0,cycles/instruction of a warp (parameter: KiB of code)
END
run 0 validate h200 --reference rows.csv --json rows.json -o v
has "$out" "### latency, cycles/op"
has "$out" "| fp32 fma | 1 | 4.314 | 4."
has "$out" "| shared, 4 B, stride in words | 3 | 29.1 | 2"
has "$out" "| all | 4 | 4 | 4 | 100% |"
has v/validation.md "| all | 4 |"
ok rows_stand_beside_the_cards

python3 - rows.json <<'END' || complain "$(head -20 rows.json)"
import json, sys
rows = json.load(open(sys.argv[1]))
assert [row["group"] for row in rows] == ["latency", "load latency", "barrier", "fetch"]
assert rows[1]["name"] == "shared, 4 B, stride in words" and rows[1]["parameter"] == 3
for row in rows:
    assert abs(row["ratio"] - row["ogive"] / row["reference"]) < 1e-6
END
ok rows_as_json

run 0 validate h200 --reference rows.csv --json again.json --threads 1 --jobs 1 -o w
cmp -s rows.json again.json || complain "$(diff rows.json again.json)"
cmp -s v/validation.md w/validation.md || complain "$(diff v/validation.md w/validation.md)"
ok the_same_again

run 0 validate h200 --reference rows.csv --set sm.scratch.latency=18cycles -o w
has "$out" "| shared, 4 B, stride in words | 3 | 29.1 | 38."
ok other_settings

# As other programs write it: commas that are not quoted, the mark of UTF-8, lines of DOS.
printf '\xef\xbb\xbf%s\r\n%s\r\n' "$header" \
    'load latency,shared, 4 B, stride in words,3,29.1,cycles, with the add of the address' >plain.csv
run 0 validate h200 --reference plain.csv --json plain.json -o w
has "$out" "### load latency, cycles, with the add of the address"
has "$out" "| shared, 4 B, stride in words | 3 | 29.1 | 2"
ok commas_without_quotes

# A row that cannot be run does not keep the others from it, and says why.
cat >some.csv <<'END'
group,name,parameter,value,unit
issue,fp32 fma,33,3.6,x
latency,fp32 fma,1,0,cycles/op
latency,fp32 fma,1,4.314,cycles/op
chase,"random lines of 128 B, one thread",4194305,700,cycles/load
END
run 2 validate h200 --reference some.csv --json some.json -o w
has "$out" "| 4194305 | 700 | did not run: some.csv:5: 'random lines of 128 B, one thread' with parameter 4194305: this"
has "$err" "some.csv:2: 'fp32 fma' with parameter 33: this has to be a whole number from 1 to 32"
has "$out" "| fp32 fma | 33 | 3.6 | did not run: some.csv:2: 'fp32 fma' with parameter 33"
has "$out" "| all | 1 | 1 | 1 | 100% |"
python3 - some.json <<'END' || complain "$(cat some.json)"
import json, sys
wrong, zero, right, large = json.load(open(sys.argv[1]))
assert wrong["ogive"] is None and wrong["ratio"] is None and "from 1 to 32" in wrong["reason"]
assert large["parameter"] == 4194305 and large["ogive"] is None
assert zero["ogive"] == right["ogive"] and zero["ratio"] is None and "reason" not in zero
END
ok rows_that_cannot_be_run

# bad TEXT COMPLAINT: a reference of one row.
bad() {
    printf '%s\n%s\n' "$header" "$1" >bad.csv
    run 2 validate h200 --reference bad.csv
    has "$err" "$2"
}
bad 'latency,fp32 fmo,1,1,x' "bad.csv:2: no benchmark 'fp32 fmo' is known; there is 'fp32 fma', 'fp32 add'"
bad 'weather,rain,1,1,x' "bad.csv:2: no group 'weather' is known; there is 'latency', 'issue'"
bad 'issue,fp32 fma,33,1,x' "bad.csv:2: 'fp32 fma' with parameter 33: this has to be a whole number from 1 to 32"
bad '"load latency","shared, 12 B, stride in words",5,1,x' \
    "bad.csv:2: 'shared, 12 B, stride in words' with the number 12: this has to be a power of two from 4 to 16"
bad 'issue,fp32 fma,1.5,1,x' "with parameter 1.5"
bad 'l1 load,4 B stride 65,1,1,x' "with the number 65"
bad 'l1 load,4 B stride 99999999999999999999,1,1,x' "is known; there is"
bad 'issue,fp32 fma,one,1,x' "bad.csv:2: 'one' as parameter: has to be a number"
bad 'issue,fp32 fma,1,nan,x' "bad.csv:2: 'nan' as value: has to be a number"
bad 'issue,fp32 fma,1,1' "bad.csv:2: 4 columns instead of 5"
bad 'issue,fp32 fma, and more,1,x,y' "bad.csv:2: 6 columns instead of 5; values with commas are quoted"
bad ',,1,1,' "bad.csv:2: no group '' is known"
bad 'issue,"fp32 fma,1,1,x' "bad.csv:2: a quote is opened and not closed"
bad 'issue,fp32 "fma",1,1,x' "bad.csv:2: a quote in the middle of a value"
bad 'issue,"fp32 fma"!,1,1,x' "bad.csv:2: a quote in the middle of a value"
bad '' "there is no row in it"
ok rows_that_are_wrong

echo "grid,kernel" >bad.csv
run 2 validate h200 --reference bad.csv
has "$err" "bad.csv:1: the columns have to be group, name, parameter, value, unit"
: >bad.csv
run 2 validate h200 --reference bad.csv
has "$err" "bad.csv: is empty"
printf '%s\nlatency,fp32 \0fma,1,1,x\n' "$header" >bad.csv
run 2 validate h200 --reference bad.csv
has "$err" "it is no text"
run 2 validate h200 --reference nowhere.csv
ok files_that_are_wrong

# Nothing runs before it is clear that the rows can be kept.
run 1 validate h200 --reference some.csv --json nowhere/rows.json
has "$err" "nowhere/rows.json"
[ ! -s "$out" ] || complain "rows ran"
ok rows_that_cannot_be_kept

run 2 validate h200 --reference some.csv --scene sponza
has "$err" "validate: --scene is for machines with published rays, not for h200"
run 2 validate h200 --reference some.csv --size 8x8
has "$err" "--size is for"
run 2 validate rtx2080 --reference some.csv
has "$err" "validate: --reference is for h200, not for rtx2080"
run 2 validate --json rows.json
has "$err" "--json is for h200"
run 2 validate rtx2080-simt --jobs 2
has "$err" "--jobs is for h200"
ok options_for_other_machines

finish
