#!/bin/bash
# commands.sh - every command: what it prints, how it ends, what it says to wrong input.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 help
has "$out" "Usage: ogive COMMAND"
run 0 --version
has "$out" "ogive 0."
run 2
ok help_and_version

run 0 --include-dir
[ -f "$(cat "$out")/ogive/unit.h" ] || complain "no headers in $(cat "$out")"
run 0 --programs-dir
[ -f "$(cat "$out")/runtime/start.S" ] || complain "no programs in $(cat "$out")"
run 0 --python-dir
[ -f "$(cat "$out")/ogive/__init__.py" ] || complain "no package in $(cat "$out")"
run 2 --include-dri
has "$err" "did you mean '--include-dir'?"
ok folders_are_printed

commands=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$OGIVE_HOME/src/cli/commands.def")
run 0 help
shown=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$out")
[ "$shown" = "$commands"$'\nversion' ] || complain "help shows $shown"
ok help_shows_the_commands_in_the_order_of_the_list

for command in $commands; do
    run 0 "$command" --help
    has "$out" "Usage: ogive $command"
    run 0 help "$command"
    has "$out" "Usage: ogive $command"
done
ok every_command_has_help

run 2 rnu exchange
has "$err" "did you mean 'run'?"
run 2 help rnu
has "$err" "did you mean 'run'?"
ok unknown_command_is_refused_with_a_hint

run 2 run exchange --treads 2
has "$err" "did you mean 'threads'?"
run 2 run exchange --threads two
has "$err" "a whole number is needed"
run 2 run exchange --threads
has "$err" "needs a value"
run 2 run exchange --threads 100000
run 2 run
has "$err" "needs an architecture"
run 2 run exchange exchange
ok wrong_options_are_refused

run 0 archs
has "$out" "exchange"
ok archs_lists_the_shipped_ones

names=$(cd "$OGIVE_HOME/archs" && ls -- *.yaml | sed 's/.yaml$//')
run 0 archs
for name in $names; do
    has "$out" "$name"
done
# shellcheck disable=SC2086
run 0 check $names
for name in $names; do
    has "$out" "$name: good: $name, "
done
has "$out" "rtx2060: good: rtx2060, 2114 units in 37 domains"
has "$out" "rtx2080ti: good: rtx2080ti, 4784 units in 80 domains"
has "$out" "rtx4090: good: rtx4090, 17178 units in 141 domains"
ok every_shipped_architecture_is_good

run 0 check exchange
has "$out" "66 units in 10 domains"
run 2 check exchang
has "$err" "did you mean 'exchange'?"
run 2 check missing.yaml
run 2 check
printf 'name: x\ndomains:\n  a:\n    units:\n      s: { type: sourcce }\n' >wrong.yaml
run 2 check exchange wrong.yaml
has "$out" "exchange: good"
has "$err" "wrong.yaml:5:18: there is no unit type 'sourcce'; did you mean 'source'?"
ok check_tells_good_from_wrong

run 0 check rtx2080 --sizes --set sm.core.count=3
has "$out" 'one of 46 x sm:'
python3 - "$out" <<'EOF' || complain "the sizes of a unit do not add up"
import sys
rows = [line.split() for line in open(sys.argv[1]) if line.startswith("  ")]
sm = next(line.split() for line in open(sys.argv[1]) if line.startswith("one of 46 x sm:"))
core = next(row for row in rows if row[:2] == ["core", "core"])
dram = next(row for row in rows if row[0] == "dram")
copies, struct, allocated, aside, together = map(int, core[2:7])
assert copies == 3 and struct > 0 and allocated > 0 and aside > 0, core
assert struct + allocated + aside == together, core
assert abs(together * copies / 1024 - float(core[7])) < 0.06, core
assert dram[-1] == "simulated" and int(dram[4]) < 2**20, dram
assert sm[8] == "hot" and abs(float(sm[5]) - float(sm[7]) - float(sm[10])) < 0.16, sm
assert sm[11] == "cold" and abs(aside * copies / 1024 - float(sm[10])) < 0.06, sm
EOF
ok check_says_what_units_take

mkdir folder
touch near.yaml near.ply near.c
# mistake TEXT ARGS... - is told by these words.
mistake() {
    local told=$1
    shift
    run 2 "$@"
    has "$err" "$told"
}
mistake "there is no architecture 'exchang'; did you mean 'exchange'?" check exchang
mistake "there is no architecture 'qqqqqq'; \`ogive archs\` lists" check qqqqqq
mistake "there is no file 'neer.yaml' with an architecture; did you mean 'near.yaml'?" check neer.yaml
mistake "there is no file 'none/x.yaml', as there is no folder 'none/'" check none/x.yaml
mistake "'folder' is a folder; the file or name of an architecture is needed" check folder
mistake "there is no scene 'cornel'; did you mean 'cornell'?" scene info cornel
mistake "there is no file './neer.ply' with a scene; did you mean 'near.ply'?" scene info ./neer.ply
mistake "'folder' is a folder; the file or name of a scene is needed" scene info folder
mistake "there is no program 'helo'; did you mean 'hello'?" run tiny --program helo
mistake "there is no file 'neer.c' with a program; did you mean 'near.c'?" run tiny --program neer.c
mistake "'folder' is a folder; the file or name of a program is needed" run tiny --program folder
mistake "there is no folder 'none'; the folder of a run is needed" stats none
mistake "'near.c' is a file; the folder of a run is needed" compare near.c near.c
mistake "folder/stats.json: cannot open" stats folder
ok missing_files_folders_and_names_are_told_apart

run 0 export exchange
cp "$out" first.yaml
run 0 export first.yaml
cmp -s "$out" first.yaml || complain "export is not a fixed point"
run 0 export exchange --set node.count=3 -o three.yaml
has three.yaml "count: 3"
run 2 export exchange --set node.cuont=3
run 0 export tiny
"$ogive" export tiny >tiny.yaml 2>"$err" || complain "tiny > tiny.yaml: $(cat "$err")"
cmp -s "$out" tiny.yaml || complain "tiny > tiny.yaml is not what export prints"
rm tiny.yaml
ok export_can_be_loaded_again

run 0 graph exchange -o chip.dot
has chip.dot "digraph"
run 2 graph exchange -o chip.bmp
has "$err" "can draw to"
run 2 graph exchange
ok graph_draws
# pretend CODE - a `dot` that writes half a picture, wherever it is told to, then does CODE.
pretend() {
    mkdir -p bin
    cat >bin/dot <<END
#!/bin/sh
while [ \$# -gt 0 ]; do
    [ "\$1" = -o ] && exec >"\$2"
    shift
done
echo half a picture
$1
END
    chmod +x bin/dot
}
rm -f chip.*
pretend 'exit 3'
PATH=$work/bin:$PATH run 1 graph exchange -o chip.svg
has "$err" "could not make a picture"
echo 'the last one' >chip.png
PATH=$work/bin:$PATH run 1 graph exchange -o chip.png
has chip.png "the last one"
for signal in INT TERM KILL; do
    pretend "kill -$signal \$PPID; sleep 1"
    PATH=$work/bin:$PATH "$ogive" graph exchange -o chip.svg >"$out" 2>"$err" </dev/null
    [ $? -gt 128 ] || complain "not ended by SIG$signal"
done
[ "$(echo chip.*)" = chip.png ] || complain "left behind: $(echo chip.*)"
ok graph_leaves_nothing_half_done
if command -v dot >/dev/null; then
    run 0 graph exchange -o chip.svg
    has chip.svg "<svg"
    ok graph_draws_pictures
else
    skip graph_draws_pictures "no dot: install graphviz"
fi

# A file may only bring code of its own if the user says so; what is refused is not even opened.
echo 'no library' >foreign.so
cat >foreign.yaml <<'END'
extends: exchange
unit_path: ./foreign.so
END
here=$(pwd -P)
told="foreign.yaml:2:12: $here/foreign.so is native code"
for command in "check foreign.yaml" "export foreign.yaml" "graph foreign.yaml -o chip.dot" \
    "energy foreign.yaml" "run foreign.yaml" "run exchange --set unit_path=foreign.so"; do
    run 2 $command
    has "$err" "$here/foreign.so is native code"
    has "$err" "add --load $here/foreign.so"
    run 2 $command --load foreign.so
    has "$err" 'cannot load unit types'
done
run 2 check foreign.yaml
has "$err" "$told"
run 2 check foreign.yaml --load "$here"
has "$err" 'cannot load unit types'
OGIVE_UNIT_PATH=/nowhere:$here run 2 check foreign.yaml
has "$err" 'cannot load unit types'
OGIVE_UNIT_PATH=/nowhere run 2 check foreign.yaml
has "$err" "$told"
run 2 check exchange --load nowhere.so
has "$err" "cannot allow the library 'nowhere.so'"
ok foreign_code_needs_a_word

for command in check export run energy; do
    run 2 $command rtx2080 --set partition.count=65536 --memory 16GiB
    has "$err" "rtx2080.yaml:102:5: 'sm.l1 -> partition.l2': the chip is too large: with 134294 units"
    has "$err" "; 16 GiB is allowed by --memory"
done
run 2 check exchange --memory 0B
has "$err" "--memory 0B: some is needed"
run 2 check exchange --memory 16
has "$err" "--memory 16: '16' needs a unit"
run 0 check exchange --memory 16MiB
has "$out" "0.8 MiB and 0.1 MiB of simulated memory"
ok too_large_a_chip_is_refused_at_once

run 0 units
for unit in core sfu cache crossbar source sink delay memory dram tester; do
    has "$out" "$unit"
    run 0 units "$unit"
    has "$out" "Ports"
    run 0 units
done
run 0 units memory
has "$out" "latency              100 cycles"
run 2 units memroy
has "$err" "did you mean 'memory'?"
ok units_prints_the_manual

finish
