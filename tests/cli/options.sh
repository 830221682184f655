#!/bin/bash
# options.sh - options that many commands have mean the same in all of them: where results go,
# threads, numbers, sizes, views, progress; and how the program ends.
. "$OGIVE_TEST_DATA/tap.sh"

commands=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$OGIVE_HOME/src/cli/commands.def")

# ---- How it ends ----

run 0 help
shown=$(sed -n '/^Exit codes:/,$s/^  \([0-9]*\) *\(.*\)/| \1 | \2 |/p' "$out")
[ "$(wc -l <<<"$shown")" = 7 ] || complain "exit codes: $shown"
while read -r line; do
    has "$OGIVE_HOME/docs/running.md" "$line"
done <<<"$shown"
ok exit_codes_are_the_same_in_the_help_and_in_the_manual

run 0 run exchange --stop-after 100 --quiet --out good
run 0 run exchange --stop-after 100 --quiet --set bank.memory.latency=90cycles --out other
run 1 export exchange -o none/x.yaml
run 1 compare good other --stats bank.memory.reads,cycles,node.source.sent --fail-above 0%
run 2 run exchange --no-such-option
run 3 run "$data/deadlock.yaml" --quiet --out hang
"$ogive" run exchange --set node.source.messages=4000000 --quiet --out interrupted &
pid=$!
until grep -qs running interrupted/run.json; do sleep 0.05; done
kill -INT "$pid"
wait "$pid"
code=$?
[ "$code" = 130 ] || complain "interrupted: exit code $code"
ok the_codes_are_what_commands_end_with

# ---- Where results go ----

for command in $commands "scene render"; do
    # shellcheck disable=SC2086
    run 0 $command --help
    cp "$out" help
    lacks help "--output"
    if grep -q -- '^  -o' help; then
        grep -Eq -- '^  -o, --out (FILE|DIR)' help || complain "$command: $(grep -- '^  -o' help)"
        grep -Eq -- '^  -o, --out DIR +folder' help ||
            grep -Eq -- '^  -o, --out FILE[.a-z]* +file' help ||
            complain "$command says neither file nor folder: $(grep -- '^  -o' help)"
    elif grep -q -- '--out ' help; then
        complain "$command: --out without -o"
    fi
done
ok out_is_where_the_result_goes

run 2 profile good -o callgrind.out
has "$err" "--callgrind FILE"
[ ! -e callgrind.out ] || complain "written in spite of it"
ok out_of_a_profile_is_for_its_run

for wrong in x.bmp x x.png.jpg .png; do
    run 2 scene render cornell --size 4x4 -o "$wrong"
    has "$err" "--out $wrong: only .png files can be written"
    run 2 bvh cornell --picture "$wrong"
    has "$err" "--picture $wrong: only .png files can be written"
    [ ! -e "$wrong" ] || complain "$wrong was written"
done
mkdir folder.png
run 2 scene render cornell --size 4x4 -o folder.png
has "$err" "--out folder.png: is a folder; the name of a .png file is needed"
run 2 plot good --series bank.memory.reads -o x.png
has "$err" "only .svg files can be written"
run 0 scene render cornell --size 4x4 --samples 1 -o X.PNG
ok pictures_are_png

# ---- Numbers ----

for command in "run exchange" "profile exchange --scene cornell" "validate" "bvh cornell" \
    "scene render cornell -o x.png" "rays cornell -o x" "world cornell -o x"; do
    for threads in -1 ' -1' +1 1e3 0x2 '' two; do
        # shellcheck disable=SC2086
        run 2 $command --threads "$threads"
        has "$err" "--threads $threads: a whole number is needed, in digits alone"
    done
    # shellcheck disable=SC2086
    run 2 $command --threads 1025
    has "$err" "--threads 1025: can be 1 to 1024, or 0 for all cores"
    # shellcheck disable=SC2086
    run 2 $command --threads 18446744073709551617
    has "$err" "--threads 18446744073709551617: is too large"
    # shellcheck disable=SC2086
    run 0 $command --help
    has "$out" "host threads (default, and 0: all cores)"
done
run 0 run exchange --stop-after 100 --quiet --threads 0 --out all
run 0 scene render cornell --size 4x4 --samples 1 --threads 0 -o all.png
ok threads_are_counted_alike_everywhere

for wrong in "--samples 0" "--samples 65537" "--bounces 65"; do
    # shellcheck disable=SC2086
    run 2 run rtx2080 $wrong
    has "$err" "$wrong: can be"
done
for wrong in 1e20 -1 1.5 ''; do
    run 2 run rtx2080 --samples "$wrong"
    has "$err" "--samples $wrong: a whole number is needed"
    run 2 scene render cornell -o x.png --samples "$wrong"
    has "$err" "--samples $wrong: a whole number is needed"
done
for size in 0x0 0x1 1e9x1 1x1e9 -4x4 4 4x 4x4x4 16385x1 99999999999x1 ''; do
    run 2 run rtx2080 --size "$size"
    has "$err" "--size $size: has to be WIDTHxHEIGHT"
    run 2 scene render cornell -o x.png --size "$size"
    has "$err" "--size $size: has to be WIDTHxHEIGHT"
    run 2 bvh cornell --picture x.png --size "$size"
    has "$err" "--size $size: has to be WIDTHxHEIGHT"
done
[ ! -e x.png ] || complain "a picture of nothing"
ok odd_numbers_are_refused

# ---- From where ----

view="--eye 2.75,2.75,-4 --target 2.75,2,0 --up 0.5,1,0 --fov 50"
cat >view.yaml <<'EOF'
generator: cornell
cameras: { here: { eye: [2.75, 2.75, -4], target: [2.75, 2, 0], up: [0.5, 1, 0], fov_degrees: 50 } }
lights: []
EOF
# shellcheck disable=SC2086
run 0 scene render cornell $view --size 16x16 --samples 1 -o typed.png
run 0 scene render view.yaml --camera here --size 16x16 --samples 1 -o named.png
cmp -s typed.png named.png || complain "a view on the command line is not that of a camera"
run 0 scene render cornell --size 16x16 --samples 1 -o first.png
cmp -s typed.png first.png && complain "the view makes no difference"
# shellcheck disable=SC2086
run 0 bvh cornell $view --size 16x16 --picture typed.png
run 0 bvh view.yaml --camera here --size 16x16 --picture named.png
cmp -s typed.png named.png || complain "the tree is seen from elsewhere"
for command in "scene render cornell -o x.png" "bvh cornell" "run rtx2080" "world cornell -o x"; do
    # shellcheck disable=SC2086
    run 2 $command --eye 0,0,0
    has "$err" "--eye needs --target as well"
    # shellcheck disable=SC2086
    run 2 $command --fov 50
    has "$err" "--target, --up and --fov go with --eye"
    # shellcheck disable=SC2086
    run 2 $command --eye 0,0,0 --target 1,1,1 --camera front
    has "$err" "--camera and --eye exclude each other"
    # shellcheck disable=SC2086
    run 2 $command --eye 0,0,0 --target 0,1,0
    has "$err" "the view has no direction, or runs along"
    # shellcheck disable=SC2086
    run 2 $command --eye 0,0,0 --target 1,1,1 --fov 180
    has "$err" "--fov 180: degrees between 0 and 180"
done
ok a_scene_is_drawn_from_where_it_will_be_simulated

# ---- Progress ----

work() {
    "$ogive" run exchange --set node.source.messages=20000 --stop-after 300000 --no-report "$@" \
        >"$out" 2>"$err" </dev/null || complain "a run failed: $(head -3 "$err")"
}

# lines - what was drawn, one line each, without the codes of the terminal.
lines() {
    tr '\r' '\n' <"$err" | sed 's/\x1b\[K//; /^$/d'
}

for width in 80 50 30 12; do
    COLUMNS=$width work --progress line --out "wide$width"
    lines >drawn
    [ -s drawn ] || complain "nothing drawn"
    [ "$(awk '{ if (length > most) most = length } END { print most }' drawn)" -lt "$width" ] ||
        complain "$width columns: $(cat drawn)"
    grep -Eqv '^[0-9]+%(,|$)' drawn && complain "the share is not the first: $(cat drawn)"
    grep -Eq '[ ,;]$' drawn && complain "cut within a part: $(cat drawn)"
done
env -u COLUMNS "$ogive" run exchange --set node.source.messages=20000 --stop-after 300000 \
    --no-report --progress line --out wide >"$out" 2>"$err" </dev/null
lines >drawn
grep -Eq '^[0-9]+%, ([0-9]+ s left, )?cycle ' drawn || complain "$(cat drawn)"
[ "$(awk '{ if (length > most) most = length } END { print most }' drawn)" -lt 80 ] ||
    complain "too wide: $(cat drawn)"
ok progress_fits_the_terminal_with_what_matters_first

work --progress none --out none
[ ! -s "$err" ] || complain "progress none: $(cat "$err")"
for command in "run exchange" "bvh cornell" "scene render cornell -o x.png"; do
    # shellcheck disable=SC2086
    run 2 $command --progress nnoe
    has "$err" "--progress nnoe: there is line, plain, none; did you mean 'none'?"
done
ok progress_can_be_left_out

finish
