#!/bin/bash
# axes.sh - what a study can vary, and which runs come of it: tuples, points, exclusions, derived
# parameters, seeds, programs with arguments, scenes, cameras, rays and sizes.
. "$OGIVE_TEST_DATA/../cli/tap.sh"

# commands STORE - the command lines of all runs
commands() {
    sed -n 's/.*"command": "ogive \(.*\)"$/\1/p' "$1"/runs/*/*/point.json | sort
}

cat >tuples.yaml <<'YAML'
run: { machine: exchange, set: { node.source.messages: 60 } }
axes:
  latency: { set: bank.memory.latency, values: [20 cycles, 40 cycles] }
  gap: { set: node.source.gap, values: [4 cycles, 14 cycles] }
  nodes: { set: node.count, values: [2, 4] }
runs:
  - { together: [latency, gap], product: [nodes] }
  - { points: [{ latency: 40 cycles, nodes: 2 }] }
exclude:
  - { more: latency * nodes, than: 100 }
derive:
  bank.memory.width: nodes / 2
seeds: [3, 4]
YAML
run 0 sweep tuples.yaml --store tuples
has "$out" "tuples: 8 runs, 8 done"
shared="run exchange --set node.source.messages=60"
for seed in 3 4; do
    for point in "20 4 2 1" "20 4 4 2" "40 14 2 1" "40 - 2 1"; do
        read -r latency gap nodes width <<<"$point"
        line="$shared --set 'bank.memory.latency=$latency cycles'"
        [ "$gap" = - ] || line+=" --set 'node.source.gap=$gap cycles'"
        echo "$line --set node.count=$nodes --set bank.memory.width=$width --seed $seed"
    done
done | sort >expected
commands tuples >found
cmp -s found expected || complain "$(diff found expected)"
run 0 sweep table tuples --store tuples --stat cycles --rows latency,gap,nodes --format csv
[ "$(wc -l <"$out")" = 5 ] || complain "repeats are not one line: $(cat "$out")"
ok tuples_points_exclusions_derived_parameters_and_seeds

cat >programs.yaml <<'YAML'
run: { machine: tiny }
axes:
  what:
    cases:
      hello: { program: hello }
      small: { program: mandelbrot, arguments: [8, 4] }
      large: { program: mandelbrot, arguments: [16, 4] }
YAML
run 0 sweep programs.yaml --store programs
commands programs >found
printf '%s\n' "run tiny --program hello" "run tiny --program mandelbrot -- 16 4" "run tiny --program mandelbrot -- 8 4" >expected
cmp -s found expected || complain "$(diff found expected)"
run 0 sweep table programs --store programs --stat cycles --format csv
awk -F, '{ cycles[$1] = $2 } END { exit !(cycles["large"] > cycles["small"] && cycles["small"] > 0) }' "$out" ||
    complain "$(cat "$out")"
ok programs_and_their_arguments

cat >views.yaml <<'YAML'
run: { machine: rtx2080, triangles: 1000, set: { sm.count: 1, partition.count: 1, partition.dram.size: 32 MiB } }
axes:
  scene: [cornell, spheres]
  rays: [primary, shadow]
  size: [8x8, 16x8]
YAML
run 0 sweep views.yaml --store views
has "$out" "8 runs, 8 done"
run 0 sweep table views --store views --stat rays --rows scene,size --columns rays --format csv
for row in cornell,8x8 cornell,16x8 spheres,8x8 spheres,16x8; do has "$out" "$row,"; done
[ "$(cut -d, -f3 "$out" | tail -n +2 | sort -n | tail -1)" = 128 ] || complain "$(cat "$out")"
printf '%s\n' 'run: { machine: rtx2080, scene: forest, triangles: 1000 }' 'axes: { camera: [within, outside] }' >camera.yaml
run 2 sweep camera.yaml --dry-run
has "$err" "camera.yaml:2:26: the scene has no camera 'outside'"
ok scenes_rays_sizes_and_cameras

finish
