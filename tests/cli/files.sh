#!/bin/bash
# files.sh - files that are none: what can be read for ever or never, and what cannot be written.
. "$OGIVE_TEST_DATA/tap.sh"

mkfifo pipe pipe.ply pipe.obj pipe.xz pipe.c pipe.so
printf 'extends: pipe\n' >extends.yaml
printf 'unit_path: [ ./pipe.so ]\nextends: exchange\n' >library.yaml
mkdir folder piped && mkfifo piped/run.json piped/stats.json piped/profile.json

# refused WORDS ARGS... - ogive ends by itself, with exit code 2 and these words.
refused() {
    local words=$1
    shift
    timeout 20 "$ogive" "$@" >"$out" 2>"$err" </dev/null
    local got=$?
    [ "$got" = 2 ] || complain "ogive $*: exit code $got, not 2: $(head -3 "$err")"
    has "$err" "$words"
}

refused "pipe: is a pipe, not a plain file" check ./pipe
refused "pipe: is a pipe, not a plain file" check extends.yaml
refused "pipe: is a pipe, not a plain file" run extends.yaml
refused "pipe.so: is not a plain file" check library.yaml --load pipe.so
refused "'./folder' is a folder; the file or name of an architecture is needed" check ./folder
refused "/dev/zero: is a device, not a plain file" check /dev/zero
ok an_architecture_is_a_plain_file

for mesh in pipe.ply pipe.obj pipe.xz; do
    refused "$mesh" scene info "$mesh"
    refused "$mesh" bvh "$mesh"
    refused "$mesh" run rtx2080 --scene "$mesh"
done
printf 'mtllib pipe\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >named.obj
refused "named.obj: cannot be imported: pipe: is a pipe, not a plain file" scene info named.obj
refused "pipe: is a pipe, not a plain file" rays info pipe
refused "pipe: is a pipe, not a plain file" dram replay pipe --config gddr6_14000
ok scenes_and_traces_are_plain_files

refused "pipe" run tiny --program ./pipe
refused "pipe.c" run tiny --program ./pipe.c
refused "pipe: is a pipe, not a plain file" disasm pipe
refused "pipe: is a pipe, not a plain file" run --resume pipe
refused "/dev/zero: is a device, not a plain file" run --resume /dev/zero
ok programs_and_checkpoints_are_plain_files

refused "piped/run.json: is a pipe, not a plain file" compare piped piped
refused "piped/run.json: is a pipe, not a plain file" report piped
refused "piped/stats.json: is a pipe, not a plain file" stats piped
refused "piped/profile.json: is a pipe, not a plain file" profile piped
refused "folder/stats.json: cannot open: No such file or directory; is this the folder" stats folder
ok results_are_plain_files

# ---- What cannot be written ----

if [ ! -c /dev/full ]; then
    echo "ok $((tests + 1)) - what_cannot_be_written # SKIP there is no /dev/full"
    tests=$((tests + 1))
    finish
    exit
fi
run 0 run exchange --quiet --no-report --stop-after 5000 --interval 1000 --out r
printf '0 R 0\n' >one.trace

# lost ARGS... - what it prints does not arrive.
lost() {
    "$ogive" "$@" >/dev/full 2>"$err" </dev/null
    local got=$?
    [ "$got" = 1 ] || complain "ogive $*: exit code $got, not 1: $(head -3 "$err")"
    has "$err" "ogive: standard output: cannot write: "
}
lost help
lost version
for command in run check export graph archs units dram compare stats report plot; do
    lost "$command" --help
done
lost check exchange
lost export exchange
lost archs
lost units
lost units cache
lost units --markdown
lost dram list
lost dram show gddr6 14000
lost dram replay one.trace --config gddr6_14000
lost scenes
lost scene info cornell
lost programs
lost energy r
lost stats r
lost stats r --format csv
lost stats --markdown
lost compare r r
lost plot r --series bank.memory.reads -o fig.svg
lost report r -o page.html
lost run exchange --stop-after 100 --no-report --out s
ok output_that_does_not_arrive_is_an_error

ln -s /dev/full full
ln -s /dev/full full.svg
ln -s /dev/full full.png
# unwritten FILE ARGS... - that file cannot be written.
unwritten() {
    local file=$1
    shift
    run 1 "$@"
    has "$err" "$file"
    [ -L "$file" ] || complain "$file was replaced"
}
unwritten full export exchange -o full
has "$err" "full: cannot write: No space left on device"
unwritten full.svg plot r --series bank.memory.reads -o full.svg
unwritten full report r -o full
unwritten full rays cornell --size 4x4 -o full
unwritten full.png scene render cornell --size 4x4 --samples 1 -o full.png
unwritten full.png bvh cornell --picture full.png --size 4x4
unwritten full bvh cornell --json full
unwritten full world cornell --size 4x4 -o full
unwritten full dram replay one.trace --config gddr6_14000 --commands full
unwritten full dram replay one.trace --config gddr6_14000 --requests full
if command -v dot >/dev/null; then
    unwritten full.svg graph exchange -o full.svg
fi
ok a_file_that_cannot_be_written_is_an_error

finish
