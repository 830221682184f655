#!/bin/bash
# cost.sh - `ogive cost`: the work of each pixel, the same for any number of threads, and together what
# a machine counts when it does the work.
. "$OGIVE_TEST_DATA/tap.sh"

scene=(--scene cornell --size 24x16 --samples 2 --progress none)

run 0 cost rtx2080 "${scene[@]}" --threads 1 -o one
has "$out" "384 pixels"
run 0 cost rtx2080 "${scene[@]}" --threads 3 -o three
cmp -s one/cost.csv three/cost.csv || complain "the table depends on threads"
cmp -s one/cost.png three/cost.png || complain "the picture depends on threads"
ok threads_do_not_matter

# What RT cores count, and a few instructions more than pieces take: beginnings and ends of threads.
run 0 run rtx2080 --set sm.count=1 --set chip.barrier.arrivals=1 "${scene[@]}" --no-report --out run
python3 - <<'EOF2' || complain "the machine counts something else"
import csv, json
rows = list(csv.DictReader(open("one/cost.csv")))
assert len({(row["x"], row["y"]) for row in rows}) == len(rows) == 24 * 16
counted = {name: sum(int(row[name]) for row in rows) for name in rows[0]}
groups = json.load(open("run/stats.json"))["groups"]
for name in "rays", "nodes":
    assert groups["sm.rt"][name] == counted[name] > 0, name
issued = groups["sm.core[*]"]["issued"]
assert 0.9 * issued < counted["instructions"] < issued
EOF2
ok as_much_as_the_machine_does

echo "64-95, 0-31" >some
run 0 cost rtx2080 "${scene[@]}" --threads 2 --pieces some -o some-cost
python3 - <<'EOF2' || complain "chosen pieces take something else"
import csv
every, some = (list(csv.DictReader(open(f"{f}/cost.csv"))) for f in ("one", "some-cost"))
assert [int(row["piece"]) for row in some] == [*range(64, 96), *range(32)]
for row in some:
    for name in "x", "y", "rays", "nodes", "triangles":
        assert row[name] == every[int(row["piece"])][name], (row, name)
EOF2
echo "380-390" >beyond
run 2 cost rtx2080 "${scene[@]}" --pieces beyond -o never
has "$err" "there are no pieces of work beyond"
ok chosen_pieces_alone

run 0 cost tiny --program mandelbrot -o picture --progress none -- 24 24
has "$out" "pieces of work"
[ ! -e picture/cost.png ] || complain "pieces that are not pixels have a picture"
run 0 cost trax-sw "${scene[@]}" -o walked
[ "$(awk -F, 'NR > 1 { sum += $5 } END { print sum }' walked/cost.csv)" = 0 ] ||
    complain "cores that walk trees themselves have rays"
run 0 cost strata --scene cornell --size 8x8 --rays secondary --progress none -o held
has "$out" "64 pixels"
ok any_program_with_pieces

run 2 cost tiny --program hello
has "$err" "'hello' has no pieces of work"
run 2 cost tiny
has "$err" "neither a program nor a scene"
run 2 cost
has "$err" "takes one architecture"
run 2 cost tiny more
has "$err" "takes one architecture"
cat >fails.c <<'EOF2'
#include <ogive/device.h>
int main(void)
{
    *(volatile int *)8 = ogv_next() == 0;
    return 0;
}
EOF2
run 2 cost tiny --program fails.c
has "$err" "the program fails: access outside memory"
cat >gives-up.c <<'EOF2'
#include <ogive/device.h>
int main(void)
{
    return ogv_next() ? 0 : 3;
}
EOF2
run 2 cost tiny --program gives-up.c
has "$err" "gives up, with exit code 3"
ok what_cannot_be_counted_is_refused

finish
