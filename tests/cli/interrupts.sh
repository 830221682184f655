#!/bin/bash
# interrupts.sh - Ctrl-C while a scene is made ready: the command gives up there and then, and leaves
# neither results nor half a tree behind.
. "$OGIVE_TEST_DATA/tap.sh"

# interrupt_at NOTE SIGNAL ARGS... - runs ogive until it says so, then sends the signal.
interrupt_at() {
    local note=$1 signal=$2
    shift 2
    : >"$err"
    "$ogive" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
    until grep -qF "$note" "$err" || [ ! -e "/proc/$pid" ]; do sleep 0.02; done
    kill "-$signal" "$pid"
    wait "$pid"
    code=$?
    [ "$code" = 130 ] || complain "ogive $*: exit code $code, not 130: $(tail -1 "$err")"
}

# nothing_left - neither a folder of results, nor a tree, nor a part of anything in the cache.
nothing_left() {
    [ ! -e r ] || complain "there is a folder of results"
    [ ! -e w ] || complain "there is a file of a scene"
    local kept
    kept=$(find "$XDG_CACHE_HOME" -name '*.bvh' -o -name '*.new*' 2>/dev/null)
    [ -z "$kept" ] || complain "in the cache: $kept"
}

for signal in INT TERM; do
    interrupt_at "loading the scene" "$signal" world forest --triangles 20000000 --size 8x8 -o w
    has "$err" "forest: making or reading it was interrupted"
    nothing_left
done
ok making_a_scene_can_be_interrupted

interrupt_at "building the tree" INT world hairball --triangles 1500000 --size 8x8 -o w
has "$err" "building the tree was interrupted"
nothing_left
interrupt_at "building the tree" TERM run rtx2080 --scene hairball --triangles 1500000 --size 8x8 \
    --rays primary --out r
has "$err" "building the tree was interrupted"
lacks "$out" "cycles"
nothing_left
ok building_a_tree_can_be_interrupted

interrupt_at "tracing reference rays" INT run rtx2080 --scene cornell --size 4096x4096 \
    --rays tertiary --threads 1 --out r
has "$err" "tracing reference rays was interrupted"
lacks "$out" "cycles"
nothing_left
ok tracing_reference_rays_can_be_interrupted

run 0 bvh cornell
ls "$XDG_CACHE_HOME"/ogive/*.bvh >"$out" 2>&1 || complain "no tree in the cache"
ok what_is_not_interrupted_is_kept

finish
