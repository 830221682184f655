#!/bin/bash
# stream_scenes.sh - every shipped scene, and every mesh of $OGIVE_MESHES but the largest, on machines that
# hold rays by treelet, with RT cores and without: the hits are the reference's, or the run fails.
. "$OGIVE_TEST_DATA/tap.sh"

machines=$OGIVE_TEST_DATA/../run
scenes=$("$ogive" scenes | cut -d' ' -f1)
for mesh in "$OGIVE_MESHES"/*.ply.xz; do
    [ -f "$mesh" ] && [ "$(stat -c %s "$mesh")" -lt 10000000 ] && scenes+=" $mesh"
done
for scene in $scenes; do
    for machine in small-strata small-dual small-strata-sw small-dual-sw; do
        run 0 run "$machines/$machine.yaml" --set partition.dram.size=512MiB --scene "$scene" --rays secondary \
            --size 12x12 --no-report --out "$machine"
        has "$out" "hits equal to Embree's"
    done
    ok "$(basename "$scene" .ply.xz)"
done
finish
