#!/bin/bash
# studies.sh - the studies of studies/, made small: all of their runs are made, their commands work,
# their pages take the tables, and what they show is there.
. "$OGIVE_TEST_DATA/tap.sh"
mkdir -p studies docs
cp -r "$OGIVE_HOME"/studies/. studies
cp "$OGIVE_HOME"/docs/studies/*.md docs

# Where triangles are no axis, a scene of few.
cornell=(-e 's/scene: arcade/scene: cornell/' -e '/^  triangles: [0-9]*$/d')

# small NAME EDIT... - the study with less to do
small() {
    local name=$1
    shift
    sed -i "$@" "studies/$name.yaml"
    OGIVE_LIBRARY=$OGIVE_TEST_LIBRARY python3 -B -c 'import sys
sys.path[:0] = ["studies", sys.argv[1] + "/python"]
import make
make.main(*sys.argv[2:])' "$OGIVE_HOME" "$name" "$ogive" store docs >"$out" 2>"$err" </dev/null ||
        complain "$name: $(tail -3 "$err")"
    has "docs/$name.md" '---|'
    has "docs/$name.svg" '</svg>'
}

# cell NAME ROW COLUMN - of the last table of a page
cell() {
    awk -F ' *[|] *' -v row="$2" -v column="$3" '$2 == row { found = $column } END { print found }' \
        "docs/$1.md"
}

# more A B - that A is more than B
more() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b && b > 0) }' || complain "'$1' is not more than '$2'"
}

# small_chip SIZE [SMS] - the edits that make the size of the picture, and SMs before one partition
small_chip() {
    printf '%s\n' -e "s/^  size: .*/  size: $1\\n  set: { partition.count: 1${2:+, sm.count: $2} }/"
}

mapfile -t chip < <(small_chip 12x12 2)
small rt-cores "${cornell[@]}" "${chip[@]}"
more "$(cell rt-cores trax-rt 3)" "$(cell rt-cores trax-sw 3)"
ok rt_cores_trace_faster_than_software

mapfile -t chip < <(small_chip 16x16)
small scaling "${cornell[@]}" "${chip[@]}" -e '/^      \(512\|1024\|2048\): /d'
more "$(cell scaling 256 5)" "$(cell scaling 128 5)"
ok more_thread_processors_trace_faster

mapfile -t chip < <(small_chip 8x8 1)
small l1 "${cornell[@]}" "${chip[@]}" -e 's/\[16 KiB, .*\]/[16 KiB, 64 KiB]/' -e '/^      64\/32: /d'
has docs/l1.md "128/32"
ok the_l1_is_varied

mapfile -t chip < <(small_chip 8x8)
small speed "${chip[@]}" -e 's/values: \[1, 4, .*\]/values: [1, 2]/' -e 's/\[10000, .*\]/[1000, 2000]/'
more "$(cell speed 1 3)" "$(cell speed 2 3)"
ok cycles_are_counted_over_sms_and_triangles

small rt-search -e 's/scene: .*/scene: cornell\n  set: { sm.count: 2 }/' -e '/^  \(eye\|target\|fov\): /d' \
    -e 's/size: .*x.*/size: 8x8/' -e 's/: 105/: 20/' -e 's/evaluations: .*/evaluations: 6/' \
    -e 's/\[8, 16, .*\]/[8, 32]/' -e 's/\[16 KiB, .*\]/[16 KiB, 64 KiB]/'
has docs/rt-search.md " evaluations of a grid of 12 points"
ok the_search_is_a_study

finish
