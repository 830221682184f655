#!/bin/bash
# dram.sh - `ogive dram`: recorded runs come out of the command as they were recorded, and wrong
# input is explained.
. "$OGIVE_TEST_DATA/tap.sh"
reference=$data/../dram/reference

# values FILE - the lines "name value" of a JSON object as `ogive dram` prints it.
values() {
    sed -n 's/^  "\([^"]*\)": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1 \2/p' "$1"
}

# recorded CONFIG PATTERN - the same of a line of the recorded results, without what the recording
# program said of itself.
recorded() {
    awk -F, -v config="$1" -v pattern="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
        $1 == config && $2 == pattern {
            for (i = 1; i <= NF; i++) if (name[i] !~ /^ramulator/) print name[i], $i
        }' "$reference/results/results.csv"
}

runs=$(awk -F, 'NR > 1 { print $1 "/" $2 }' "$reference/results/results.csv")
[ "$(echo "$runs" | wc -l)" = 14 ] || complain "there are not 14 recorded runs"
for run in $runs; do
    run 0 dram replay "$reference/traces/$run.trace.gz" --config "${run%/*}" --json \
        --commands commands --requests requests
    values "$out" >got
    recorded "${run%/*}" "${run#*/}" >wanted
    [ "$(wc -l <wanted)" = 40 ] || complain "$run: $(wc -l <wanted) recorded values"
    diff got wanted >difference || complain "$run: $(head -3 difference)"
    gzip -dc "$reference/results/per_request/$run.req.gz" | grep -v '^#' | cmp -s - requests ||
        complain "$run: requests differ"
    gzip -dc "$reference/cmdtrace/$run.cmd.gz" | grep -v '^#' >wanted
    head -n "$(wc -l <wanted)" commands | cmp -s - wanted || complain "$run: commands differ"
done
ok recorded_runs_come_out_equal

gzip -dc "$reference/traces/ddr4_3200aa/pingpong_w1.trace.gz" >pingpong_w1.trace
run 0 dram replay pingpong_w1.trace --config ddr4_3200aa --json
cp "$out" plain
run 0 dram replay "$reference/traces/ddr4_3200aa/pingpong_w1.trace.gz" --config ddr4_3200aa --json
cmp -s "$out" plain || complain "plain and compressed traces differ"
tr -d '\r' <pingpong_w1.trace | sed 's/$/\r/' >windows.trace
run 0 dram replay windows.trace --config ddr4_3200aa --json
diff <(grep -v pattern plain) <(grep -v pattern "$out") >/dev/null || complain "line ends matter"
ok plain_and_compressed_traces_are_the_same

run 0 dram replay pingpong_w1.trace --config ddr4_3200aa
hash=$(sed -n 's/.*"cmd_fnv1a64": "\(.*\)".*/\1/p' plain)
has "$out" "hash        $hash"
has "$out" "512 RD"
[ ! -s "$err" ] || complain "a short replay says something on standard error"
ok text_for_people

# One read by hand: ACT in cycle 1, RD after nRCDRD = 27, data after nCL + nBL = 26.
printf '0 R 0\n' >one.trace
run 0 dram replay one.trace --config gddr6_14000 --json --commands one.commands
has "$out" '"max_lat": 54'
has "$out" '"pattern": "one"'
printf '1 0 ACT 0 0 0 0 0 0\n28 0 RD 0 0 0 0 0 0\n' | cmp -s - one.commands ||
    complain "commands: $(cat one.commands)"
: >empty.trace
run 0 dram replay empty.trace --config gddr6_14000 --json
has "$out" '"requests": 0'
ok small_traces

run 0 dram list
for word in arches_gddr6_14000 gddr6_14000 hbm3_2000 GDDR6_16Gb_x16 DDR4_3200AA; do
    has "$out" "$word"
done
run 2 dram list more
run 0 dram show gddr6 14000
has "$out" "nRCDRD=27"
cp "$out" shown
run 0 dram show gddr6_14000
cmp -s "$out" shown || complain "a configuration has two faces"
run 0 dram show gddr6a GDDR6_12000_1250mV_quad
has "$out" ", reference"
has "$out" ", correct"
run 2 dram show gdr6 14000
has "$err" "did you mean 'gddr6'?"
run 2 dram show gddr6a GDDR6_12000_1250mV_qad
has "$err" "did you mean 'GDDR6_12000_1250mV_quad'?"
run 2 dram show gddr6_1400
has "$err" "did you mean 'gddr6_14000'?"
run 2 dram show
ok list_and_show

run 2 dram replay one.trace --config gddr6_1400
has "$err" "did you mean 'gddr6_14000'?"
run 2 dram replay one.trace
has "$err" "needs --config"
run 2 dram replay --config gddr6_14000
has "$err" "usage: ogive dram replay TRACE"
run 2 dram replay missing.trace --config gddr6_14000
has "$err" "missing.trace: cannot open: No such file"
mkdir folder
run 2 dram replay folder --config gddr6_14000
has "$err" "folder"
run 2 dram replay one.trace --config gddr6_14000 --commands folder/none/file
has "$err" "folder/none/file"
run 2 dram
run 2 dram rplay one.trace
has "$err" "did you mean 'replay'?"
run 2 dram replay one.trace --config gddr6_14000 --jsn
has "$err" "did you mean 'json'?"
ok wrong_arguments_are_refused

# refuse TEXT LINE WORDS - a trace with that text is refused in that line.
refuse() {
    printf '%b' "$1" >bad.trace
    run 2 dram replay bad.trace --config gddr6_14000
    has "$err" "bad.trace:$2: "
    has "$err" "$3"
}
refuse '0 R 0\n\n# fine\n5 R zz\n' 4 "'5 R zz' is no request"
refuse '0 X 0\n' 1 "is no request"
refuse '-5 R 0\n' 1 "is no request"
refuse '0 R 0 7\n' 1 "is no request"
refuse '0 R\n' 1 "is no request"
refuse '0 R 10000000000000000\n' 1 "is no request"
refuse '99999999999999999999 R 0\n' 1 "is no request"
refuse '# K=0\n0 R 0\n' 1 "K= needs a whole number above zero, not '0'"
refuse '# W=many\n' 1 "W= needs a whole number, not 'many'"
refuse "0 R 0\n$(printf '%2000s' '' | tr ' ' x)\n" 2 "no line of text"
head -c 300 "$reference/traces/ddr4_3200aa/pingpong_w1.trace.gz" >cut.trace.gz
run 2 dram replay cut.trace.gz --config ddr4_3200aa
has "$err" "cut.trace.gz: cannot read: unexpected end of file"
ok wrong_traces_are_refused_with_their_line

finish
