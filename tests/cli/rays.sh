#!/bin/bash
# rays.sh - `ogive rays`: files are made and read, the same for any number of threads, and wrong
# input is explained.
. "$OGIVE_TEST_DATA/tap.sh"

# Two triangles: a square of 2 x 2 around the origin, seen from above.
cat >square.ply <<'END'
ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
-1 -1 0
1 -1 0
1 1 0
-1 1 0
3 0 1 2
3 0 2 3
END
view="--eye 0,0,1 --target 0,0,0 --up 0,1,0 --fov 90"

run 0 rays square.ply $view --size 8x8 -o primary.rays
has "$out" "primary"
has "$out" "64, 64 of them real"
[ ! -s "$err" ] || complain "says something on standard error: $(head -1 "$err")"
[ "$(stat -c %s primary.rays)" = $((72 + 64 * 32)) ] || complain "the file has the wrong size"
run 0 rays info primary.rays
has "$out" "picture     8 x 8 pixels, in tile order"
has "$out" "origins     within 0,0,1 and 0,0,1"
has "$out" "directions  of length 1.000000 on average"
has "$out" "ray 4       pixel 0,1 origin 0,0,1"
ok make_and_inspect

run 0 rays square.ply $view --size 8x8 --kind secondary -o secondary.rays
has "$out" "64, 64 of them real"
run 0 rays square.ply $view --size 8x8 --kind tertiary -o tertiary.rays
has "$out" "64, 0 of them real"
run 0 rays info tertiary.rays
has "$out" "ray 0       pixel 0,0 empty"
for kind in shadow occlusion; do
    run 0 rays square.ply $view --size 8x8 --kind $kind --length 0.5 -o $kind.rays
    run 0 rays info $kind.rays
    has "$out" "kind        $kind"
done
has "$out" "t 0 to 0.5"
ok every_kind

for kind in primary tertiary; do
    run 0 rays cornell --size 100x70 --kind $kind --jitter --seed 5 --threads 1 -o one.rays
    run 0 rays cornell --size 100x70 --kind $kind --jitter --seed 5 --threads 3 -o three.rays
    run 0 rays cornell --size 100x70 --kind $kind --jitter --seed 6 -o other.rays
    cmp -s one.rays three.rays || complain "$kind: threads change the rays"
    if cmp -s one.rays other.rays; then complain "$kind: another seed gives the same rays"; fi
done
ok only_the_seed_matters

run 2 rays
has "$err" "usage: ogive rays SCENE"
run 2 rays square.ply
has "$err" "needs -o FILE"
run 2 rays square.ply --kind secundary -o x
has "$err" "did you mean 'secondary'?"
run 2 rays square.ply --order tiles -o x
has "$err" "did you mean 'tile'?"
for size in 8 8x 0x8 8x8x8 -1x8 70000x70000 99999999999999999999x1; do
    run 2 rays square.ply "--size=$size" -o x
done
has "$err" "such as 1024x1024"
run 2 rays square.ply --eye 1,2 -o x
has "$err" "--eye needs three numbers"
run 2 rays square.ply --eye 1,2,nan -o x
run 2 rays square.ply --fov wide -o x
has "$err" "--fov needs a number, not 'wide'"
run 2 rays square.ply --fov 180 --size 8x8 -o x
has "$err" "between 0 and 180"
run 2 rays square.ply --eye 0,0,0 --target 0,0,0 --size 8x8 -o x
has "$err" "the same point"
run 2 rays square.ply --camera top --size 8x8 -o x
has "$err" "no camera 'top'"
run 2 rays nowhere.ply -o x
[ ! -e x ] || complain "a file was written all the same"
ok mistakes_are_explained

run 2 rays info nowhere.rays
run 2 rays info square.ply
has "$err" "no ray file"
head -c 1000 primary.rays >short.rays
run 2 rays info short.rays
has "$err" "has 1000 bytes"
(head -c 500 primary.rays; printf x; tail -c +502 primary.rays) >damaged.rays
run 2 rays info damaged.rays
has "$err" "is damaged"
ok damaged_files_are_refused
finish
