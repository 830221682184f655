#!/bin/bash
# scene.sh - `ogive scenes` and `ogive scene`: what is shipped, what a scene holds, pictures, and
# what is said of wrong input.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 scenes
for name in arcade city cornell forest hairball spheres; do
    has "$out" "$name "
done
lacks "$out" "cannot be read"
run 2 scenes more
has "$err" "takes no arguments"
ok shipped_scenes_are_listed

run 0 scene info arcade --triangles 20000
has "$out" "triangles    20000"
has "$out" "cameras      nave: from ("
has "$out" "materials    stone: diffuse, colour ("
has "$out" "memory       0."
run 0 scene info forest --triangles 20000 --instances
has "$out" "instances    49, of 4 parts"
printf 'v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n' >one.obj
run 0 scene info one.obj
has "$out" "triangles    1"
has "$out" "bounds       (0, 0, 0) to (1, 2, 0)"
cat >one.yaml <<'END'
mesh: one.obj
cameras: { side: { eye: [0, 1, 5], target: [0, 1, 0], fov_degrees: 50 } }
END
run 0 scene info one.yaml
has "$out" "side: from (0, 1, 5) to (0, 1, 0), 50 degrees high"
ok info_says_what_is_in_a_scene

run 0 scene render cornell -o one.png --size 32x32 --samples 2 --triangles 1000 --threads 1
has "$out" "one.png: cornell, 32x32 pixels, 2 samples each, 1000 triangles"
[ "$(head -c 4 one.png | tail -c 3)" = PNG ] || complain "one.png is no PNG file"
run 0 scene render cornell -o three.png --size 32x32 --samples 2 --triangles 1000 --threads 3
cmp -s one.png three.png || complain "the picture depends on the number of threads"
run 0 scene render cornell -o other.png --size 32x32 --samples 2 --triangles 1000 --seed 5
cmp -s one.png other.png && complain "the seed has no effect"
run 0 scene render one.yaml -o small.png --size 8x4 --samples 1 --camera side
ok pictures_are_the_same_on_any_number_of_threads

run 2 scene
has "$err" "usage: ogive scene info SCENE | render SCENE -o picture.png"
run 2 scene rendr cornell
has "$err" "did you mean 'render'?"
run 2 scene info
has "$err" "scene info: needs scene"
run 2 scene render cornell
has "$err" "needs --out FILE.png"
run 2 scene render cornel -o x.png
has "$err" "there is no scene 'cornel'; did you mean 'cornell'?"
run 2 scene render cornell -o x.png --size 0x5
has "$err" "--size 0x5: has to be WIDTHxHEIGHT in pixels, each 1 to 16384"
run 2 scene render cornell -o x.png --size 5
run 2 scene render cornell -o x.png --size 5x5x
run 2 scene render cornell -o x.png --samples 0
has "$err" "--samples 0: can be 1 to 65536"
run 2 scene render cornell -o x.png --triangles 7
has "$err" "7 triangles; a generated scene has 1000 to 20000000"
run 2 scene render cornell -o x.png --camera frnt
has "$err" "the scene has no camera 'frnt'; did you mean 'front'?"
run 1 scene render cornell -o none/x.png --size 4x4 --samples 1
has "$err" "none/x.png"
printf 'generator: cornell\nlihgts: []\n' >wrong.yaml
run 2 scene info wrong.yaml
has "$err" "wrong.yaml:2:1: a scene has no 'lihgts'; did you mean 'lights'?"
[ ! -e x.png ] || complain "a picture of nothing"
ok wrong_arguments_are_refused

# Assimp takes many seconds for that.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\n' >slow.obj
yes 'f 1 2 3' | head -n 8000000 >>slow.obj

# import_begin ARGS... - runs ogive until it has a process that imports: $pid and $child.
import_begin() {
    "$ogive" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
    until child=$(cat "/proc/$pid/task/$pid/children" 2>"$work/.gone") && [ "$child" ] &&
        child=${child%% *} && grep -q import-mesh "/proc/$child/cmdline" 2>"$work/.gone"; do
        [ -e "/proc/$pid" ] || break # it has ended, which the test will complain about
        sleep 0.05
    done
}

# import_ended - waits until the process that imports is gone.
import_ended() {
    while [ -e "/proc/$child" ] && ! grep -q '^State:.*Z' "/proc/$child/status"; do
        sleep 0.05
    done
}

import_begin run rtx2080 --scene slow.obj --rays primary --quiet
kill -INT "$pid"
wait "$pid"
code=$?
[ "$code" = 130 ] || complain "interrupted while importing: exit code $code, not 130"
has "$err" "slow.obj: importing it was interrupted"
import_ended
import_begin scene info slow.obj
kill -KILL "$pid"
wait "$pid" 2>/dev/null
import_ended
ok importing_ends_when_it_is_interrupted

run 0 scene --help
has "$out" "ogive scene render arcade -o arcade.png"
run 0 scene render --help
has "$out" "--samples N"
ok help_teaches

finish
