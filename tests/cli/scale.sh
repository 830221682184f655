#!/bin/bash
# scale.sh - `ogive scale`: a part of a machine has its share of everything, runs, and says what changed.
. "$OGIVE_TEST_DATA/tap.sh"

# line TEXT - a line of the table, however wide its columns are.
line() {
    tr -s ' ' <"$out" | sed 's/^ //; s/ $//' | grep -qxF -- "$1" ||
        complain "no line '$1': $(cat "$out")"
}

run 0 scale rtx2060 -o sixth.yaml
line "sm.count 30 5"
line "partition.count 6 1"
has "$out" "The part is 1/6 of the machine."
lacks "$out" rounded
run 1 diff rtx2060 sixth.yaml
[ "$(grep -c '^ .*[0-9]' "$out")" = 2 ] || complain "more than the two counts differ: $(cat "$out")"
ok the_greatest_common_divisor_divides_counts_alone

run 0 scale trax -o quarter.yaml
line "tm.count 4 1"
line "chip.l2.size 512 KiB 128 KiB"
line "chip.memory.width 4 1"
run 0 run quarter.yaml --program hello --no-report --out quarter
run 0 scale rtx2080 16 -o small.yaml
line "partition.l2.slices 4 2"
line "partition.dram.channels 2 1"
run 0 scale rtx2060 6 --keep-capacity -o kept.yaml
line "sm.count 30 5"
line "partition.l2.size 512 KiB 3 MiB"
run 0 scale rtx2060 30 --keep-memory -o one.yaml
line "sm.count 30 1"
lacks "$out" "partition"
run 0 check one.yaml
run 0 scale trax --keep-capacity -o kept.yaml
lacks "$out" "chip.l2.size"
line "chip.memory.width 4 1"
ok what_is_shared_by_the_chip_is_divided

run 0 scale rtx2080 4 -o fourth.yaml
line "sm.count 46 12"
line "partition.count 8 2 rounded: 0.958 x its share"
line "partition.dram.clock 1750 MHz 1826087 kHz" # 1750 x 12/46 / (2/8)
line "partition.dram.any_clock false true"
has "$out" "1/3.833 of the machine instead of 1/4"
run 0 check fourth.yaml
run 0 scale rtx2080 46 -o least.yaml
line "partition.dram.channels 2 1 rounded: 2.88 x its share"
line "partition.dram.clock 1750 MHz 608696 kHz" # 1750 x 16/46
run 0 check least.yaml
ok clocks_make_up_for_what_does_not_divide

run 0 scale tiny 1
cp "$out" whole.yaml
has "$err" "Nothing was changed."
run 0 diff tiny whole.yaml
ok one_part_is_the_whole

for factor in 0 -1 2x 4097 99999999999999999999; do
    run 2 scale tiny -- $factor
    has "$err" "has to be a whole number from 1 to 4096"
done
run 2 scale tiny 8
has "$err" "there are 4 of 'sm.core', which cannot be divided by 8"
run 2 scale rtx2080 47
has "$err" "there are 46 of 'sm'"
run 2 scale mobile 8
has "$err" "partition.dram.channels: is 0"
run 2 scale tiny --set sm.core.count=1
has "$err" "nothing in this machine several times"
run 2 scale
has "$err" "takes an architecture and perhaps a factor"
run 2 scale nothing-here
ok what_cannot_be_divided_is_refused

finish
