#!/bin/bash
# validate.sh - comparing a machine with published figures, with a room in place of the real mesh.
. "$OGIVE_TEST_DATA/tap.sh"
export XDG_CACHE_HOME=$work/cache

mkdir meshes
cat >meshes/sponza.ply <<'END'
ply
format ascii 1.0
element vertex 8
property float x
property float y
property float z
element face 6
property list uchar int vertex_indices
end_header
-2000 -2000 -2000
2000 -2000 -2000
2000 2000 -2000
-2000 2000 -2000
-2000 -2000 2000
2000 -2000 2000
2000 2000 2000
-2000 2000 2000
4 0 1 2 3
4 4 5 6 7
4 0 1 5 4
4 3 2 6 7
4 0 3 7 4
4 1 2 6 5
END

run 0 validate rtx2080 --scene sponza --size 8x8 --set sm.count=2 --set chip.barrier.arrivals=2 -o v
has "$out" "### Crytek Sponza"
has "$out" "| primary | Mrays/s | 2080 | 2188 | 1.05 |"
has "$out" "| tertiary | DRAM bandwidth, % | 20.4 | 37.1 | 1.82 |"
has "$out" "of 12 figures"
has v/validation.md "Haydel et al."
for kind in primary secondary tertiary; do
    has "v/sponza-$kind/run.json" "\"rays\": \"$kind\""
    rate=$(sed -n 's/.*"mrays_per_s": \([0-9.]*\).*/\1/p' "v/sponza-$kind/stats.json")
    has v/validation.md "| $(printf '%.0f' "$rate") |"
done
ok figures_of_the_runs_stand_beside_the_published_ones

run 0 validate rtx2080 --scene sponza --size 4x4 --set sm.count=2 --set chip.barrier.arrivals=2 \
    --set sm.rt.builder=morton -o w
has w/sponza-primary/run.json '"builder": "morton"'
has v/sponza-primary/run.json '"builder": "hlbvh"'
ok other_trees

run 2 validate rtx2080 --scene sponza --set sm.rt.builder=hlbv
has "$err" "hlbv"
has "$err" "did you mean 'hlbvh'"
run 2 validate rtx9999
has "$err" "nothing is published here that 'rtx9999' could be compared with; there is rtx2080, rtx2080-simt, h200"
run 2 validate rtx2080 --scene bunny
has "$err" "nothing is published of a scene 'bunny'; there is sponza, san-miguel"
run 2 validate rtx2080 --scene san-miguel
has "$err" "meshes/san-miguel.ply: the mesh of San Miguel is not there"
run 2 validate rtx2080 --scene sponza --size 8
has "$err" "--size 8: has to be WIDTHxHEIGHT in pixels, each 1 to 16384"
for size in 0x0 8x8x8 -1x8 99999999999x1; do
    run 2 validate rtx2080 --scene sponza "--size=$size"
    has "$err" "--size $size: has to be"
done
ok wrong_input

finish
