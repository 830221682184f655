#!/bin/bash
# validate_kernels.sh - launches of kernels on a card beside the same on its model: two small ones, some
# that cannot be run, and references that are wrong.
. "$OGIVE_TEST_DATA/tap.sh"

# Launches, on two SMs of the chip. Columns may be in any order and be more than are needed.
loads=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_ld
columns=sm__cycles_elapsed.max,smsp__inst_executed.sum,$loads,$sectors.sum,${sectors}_lookup_hit.sum
columns=$columns,lts__t_sectors.sum,dram__bytes_read.sum,dram__bytes_write.sum
{
    echo "kernel,grid,block,launch,$columns"
    echo 'strided_read,"(8, 1, 1)","(96, 1, 1)",1,4000,1000,24,288,0,700,9216,0'
    echo 'mandelbrot,"(3, 3, 1)","(8, 8, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'mandelbrat,"(3, 3, 1)","(8, 8, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'stencil,"(3, 3, 1)","(32, 8, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'nbody,"(3, 1, 1)","(64, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'vector_add,"(999999999, 1, 1)","(1024, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'vector_add,"(1, 1, 1)","(2048, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'gather,"(0, 1, 1)","(32, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'spmv,"(4, 2, 1)","(32, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'reduce,"(264, 1, 1)","(256, 1, 1)",1,4000,1000,0,0,0,700,512,0'
    echo 'strided_read,"(8, 1, 1)","(96, 1, 1)",1,4000,1000,24,24,0,700,9216,0'
    echo 'strided_read,"(8, 1, 1)","(96, 1, 1)",1,4000,1000,24,768,0,700,9216,0'
} >launches.csv
run 0 validate h200 --reference launches.csv --json launches.json --set sm.count=2 -o l
has "$out" '| `strided_read` | (8, 1, 1) | (96, 1, 1) | 4000 |'
has "$out" '| `mandelbrot` | (3, 3, 1) | (8, 8, 1) | 4000 |'
has "$out" "| \`mandelbrat\` | (3, 3, 1) | (8, 8, 1) | 4 | no kernel 'mandelbrat' is known; did you mean 'mandelbrot'?"
has "$out" '| 5 | its grid covers no square |'
has "$out" '| 6 | it is written for blocks of 128 x 1 threads |'
has "$out" '| 7 | size 1023999998976: has to be 1 to 67108864 |'
has "$out" '| 8 | its blocks have 1 to 1024 threads in one dimension |'
has "$out" '| 9 | its grid has one dimension |'
has "$out" '| 10 | its grid has one dimension |'
has "$out" '| 11 | size 0: has to be 1 to 67108864 |'
has "$out" '| 12 | its stride does not follow from 1.0 sectors for a load |'
has "$out" '| 13 | its stride does not follow from 32.0 sectors for a load |'
has "$out" '| cycles | 2 |'
has "$out" '| hits in the L1 | 1 |'
ok launches_stand_beside_the_cards

# 8 x 96 elements, three apart: 288 sectors of them are loaded, a few twice, and 96 stored.
python3 - launches.json <<'END' || complain "$(head -40 launches.json)"
import json, sys
rows = json.load(open(sys.argv[1]))
of = lambda kernel: {row['figure']: row for row in rows if row['kernel'] == kernel and row['ogive']
                     is not None}
read, drawn = of('strided_read'), of('mandelbrot')
assert list(read) == ['cycles', 'l1_hit_rate', 'l2_sectors', 'dram_bytes', 'instructions'], read
assert list(drawn) == ['cycles', 'l2_sectors', 'dram_bytes', 'instructions'], drawn
assert 0 <= read['l1_hit_rate']['ogive'] < 0.1 and read['l1_hit_rate']['ratio'] is None
assert 1.5 * (288 + 96) <= read['l2_sectors']['ogive'] < 1.2 * 1.5 * (288 + 96)
assert 288 * 32 <= read['dram_bytes']['ogive'] < 1.4 * 288 * 32, read
for row in list(read.values()) + list(drawn.values()):
    assert row['reference'] == 0 or abs(row['ratio'] - row['ogive'] / row['reference']) < 1e-6
assert sum('reason' in row for row in rows) == 10
END
ok launches_as_json

# wrong COLUMNS ROW COMPLAINT: a reference of one launch.
wrong() {
    printf '%s\n%s\n' "$1" "$2" >bad.csv
    run 2 validate h200 --reference bad.csv
    has "$err" "$3"
}
row='vector_add,"(1, 1, 1)","(32, 1, 1)",1,1,1,1,1,1,1,1'
wrong kernel,grid "$row" "bad.csv:1: there is no column 'block'"
wrong "kernel,grid,block,${columns%,*}" "$row" "bad.csv:1: there is no column 'dram__bytes_write.sum'"
wrong "kernel,grid,block,grid,$columns" "$row" "bad.csv:1: there is more than one column 'grid'"
wrong "kernel,grid,block,$columns" "$row,1" "bad.csv:2: 12 columns instead of 11"
wrong "kernel,grid,block,$columns" "${row/1,1,1,1,1,1,1,1/-1,1,1,1,1,1,1,1}" "bad.csv:2: '-1' as sm__cycles_elapsed.max: has to be 0 or more"
wrong "kernel,grid,block,$columns" "${row/1,1,1,1,1,1,1,1/1,1,1,1,1,1,inf,1}" "bad.csv:2: 'inf' as dram__bytes_read.sum: has to be a number"
for grid in '(1, 1)' '(1, 1, 1' '(-1, 1, 1)' '(1, 1, 99999999999)' '(1, 1, 1) x' ''; do
    wrong "kernel,grid,block,$columns" "${row/(1, 1, 1)/$grid}" "bad.csv:2: '$grid' as grid: has to be as in"
done
wrong "kernel,grid,block,$columns" '' "there is no row in it"
ok launches_that_are_wrong

finish
