#!/bin/bash
# drawing.sh - scenes as a user draws them: runs, worlds for native builds, wrong input.
. "$OGIVE_TEST_DATA/tap.sh"
export XDG_CACHE_HOME=$work/cache

small=(--set sm.count=1 --set chip.barrier.arrivals=1 --triangles 2000 --size 12x8)

run 0 run rtx2080 "${small[@]}" --scene cornell --heatmap --samples 2 --out a
has "$out" "rays"
lacks "$out" "Embree"
has "$out" "image   a/image.png"
has "$out" "heatmap a/heatmap.png"
has a/run.json '"program": "pathtrace"'
has a/run.json '"scene": "cornell"'
has a/run.json '"mesh_hash": "'
has a/run.json '"name": "front"'
has a/run.json '"width_pixels": 12'
has a/run.json '"samples": 2'
has a/run.json '"nodes": "bvh6c"'
python3 - "$ogive" <<'EOF2' || complain "a figure of the summary cannot be asked for"
import json, subprocess, sys
summary = json.load(open("a/stats.json"))["summary"]
shown = subprocess.run([sys.argv[1], "stats", "a", "--format", "json", *summary],
                       capture_output=True, check=True).stdout
assert [row["name"] for row in json.loads(shown)["statistics"]] == list(summary)
EOF2
run 0 run rtx2080 "${small[@]}" --scene cornell --samples 2 --out b
lacks "$out" "heatmap"
[ ! -e b/heatmap.png ] || complain "a heat map that nobody asked for"
cmp -s a/image.png b/image.png || complain "the heat map changes the picture"
ok a_scene_is_drawn_by_path_tracing

run 0 run rtx2080 "${small[@]}" --set sm.core.stack=2KiB --scene cornell --samples 2 --software --out c
cmp -s a/image.png c/image.png || complain "cores that walk the tree draw another picture"
run 0 run tiny --triangles 2000 --size 12x8 --scene cornell --samples 2 --nodes cwbvh8 --out d
has d/run.json '"nodes": "cwbvh8"'
has d/run.json '"software": true'
run 0 world cornell --triangles 2000 --size 12x8 --samples 2 --nodes cwbvh8 --primitives tri48 -o d.world
has "$out" "triangles, 12x8 pixels, cwbvh8 nodes"
run 0 programs build pathtrace --native --nodes cwbvh8 --primitives tri48 -o native
OGIVE_WORLD=d.world OGIVE_IMAGE=d.ppm ./native || complain "the native build fails"
[ "$(head -c 9 d.ppm | tr '\n' ' ')" = "P6 12 8 2" ] || complain "d.ppm is no picture"
ok software_and_native_builds

run 0 run rtx2080 "${small[@]}" --scene cornell --rays secondary --out e
has "$out" "hits equal to Embree's"
has e/run.json '"program": "trace"'
has e/run.json '"rays": "secondary"'
has e/run.json '"builder": "hlbvh"'
grep -Eq '"embree": "[34]\.[0-9]+\.[0-9]+"' e/run.json || complain "run.json lacks Embree's version"
run 0 run rtx2080 "${small[@]}" --scene cornell --rays secondary --builder sah --out e2
has e2/run.json '"builder": "sah"'
ok rays_made_beforehand

OGIVE_WORLD=missing.world ./native 2>"$err" && complain "a world that is missing"
has "$err" "OGIVE_WORLD=missing.world: cannot be read"
cp d.world bad.world
printf 'x' | dd of=bad.world bs=1 seek=5000 conv=notrunc status=none
OGIVE_WORLD=bad.world ./native 2>"$err" && complain "a world that is damaged"
has "$err" "is damaged; make it again"
head -c 6000 d.world >bad.world
OGIVE_WORLD=bad.world ./native 2>"$err" && complain "a world that is cut off"
has "$err" "is no world of"
run 0 world cornell --triangles 2000 --size 12x8 -o other.world
OGIVE_WORLD=other.world ./native 2>"$err" && complain "a world of other formats"
has "$err" "has other formats than this was built for"
./native >"$out" && complain "no world"
has "$out" "pathtrace: there is no scene"
ok worlds_are_checked

run 2 run rtx2080 --scene missing.ply
has "$err" "missing.ply"
run 2 run rtx2080 --scene cornel
has "$err" "cornell"
run 2 run rtx2080 --rays sideways
has "$err" "--rays sideways: there is primary, secondary"
run 2 run rtx2080 --eye 0,0,0
has "$err" "--eye needs --target"
run 2 run rtx2080 --target 0,0,0
has "$err" "go with --eye"
run 2 run rtx2080 --eye 0,0 --target 1,1,1
has "$err" "--eye needs three numbers"
run 2 run rtx2080 --size 256
has "$err" "--size 256: has to be WIDTHxHEIGHT in pixels, each 1 to 16384"
run 2 run rtx2080 --size 16384x16384 --scene cornell --out f
has "$err" "pixels"
run 2 run rtx2080 --scene cornell --camera fron --out f
has "$err" "front"
run 2 run rtx2080 --scene cornell --nodes bvh2 --out f
has "$err" "the RT cores of rtx2080 read bvh6c nodes"
run 2 run rtx2080 --builder hlbv --scene cornell --out f
has "$err" "there is no builder 'hlbv'; did you mean 'hlbvh'? (there are sah, spatial, morton, hlbvh)"
cat >two.yaml <<'END'
extends: rtx2080
name: two
domains:
  sm:
    units: { rt2: { type: rtcore, builder: sah } }
    links: [ 'rt2[*2] -> l1', core -> rt2 ]
END
run 2 run two.yaml --scene cornell --out f
has "$err" "two has RT cores for trees of different builders; choose one"
run 0 run two.yaml "${small[@]}" --scene cornell --builder sah --out f
run 2 run two.yaml --set sm.rt2.nodes=bvh2 --builder sah --scene cornell --out f
has "$err" "two has RT cores for different formats of nodes or primitives"
run 2 run tiny --scene spheres --triangles 1000000 --size 8x8 --builder morton --out f
has "$err" "has not that much memory"
run 4 run tiny --program pathtrace --out f
has "$out" "pathtrace: there is no scene; run it with --scene"
run 4 run tiny --program pathtrace --scene cornell --triangles 2000 --size 2048x1024 --out f -- 5
has "$out" "pathtrace: no memory to filter 2048 x 1024 pixels"
run 4 run tiny --program pathtrace --scene cornell --triangles 2000 --size 8x8 --out f -- 13
has "$out" "pathtrace: at most 12 passes of the filter"
run 4 run tiny --program trace --scene cornell --triangles 2000 --size 8x8 --out f
has "$out" "there are no rays; run it with --rays"
run 2 world cornell
has "$err" "needs one scene and -o FILE"
run 2 world -o x.world
run 1 world cornell --size 8x8 --triangles 2000 -o folder/none/x.world
has "$err" "folder/none/x.world: cannot write"
ok wrong_input_is_explained

finish
