#!/bin/bash
# stream_pictures.sh - path tracing on machines that hold rays by treelet: the picture is the one that
# all other machines draw, to the last bit, with RT cores and without, by single threads and in warps.
. "$OGIVE_TEST_DATA/tap.sh"

machines=$OGIVE_TEST_DATA/../run
scene=(--scene cornell --size 8x8 --samples 2 --bounces 3 --no-report)
run 0 run "$machines/small-rt.yaml" "${scene[@]}" --out plain
for name in small-strata small-dual small-strata-sw small-dual-sw; do
    run 0 run "$machines/$name.yaml" "${scene[@]}" --out "$name"
    grep -q '"program": "stream_pathtrace"' "$name/run.json" || complain "another program ran"
    cmp -s plain/image.png "$name/image.png" || complain "$name draws something else"
    ok "same_on_$name"
done
for name in small-strata small-dual small-strata-sw small-dual-sw; do
    threads=$([[ $name != *-sw ]] || echo 'port: { threads: 64 }, pipes: { threads: 64 },')
    cat >warps.yaml <<END
extends: $machines/$name.yaml
domains: { sm: { units: { $threads core: { type: subcore, threads: null, warps: 2, width: 4 } } } }
END
    for width in 4 32 64; do
        run 0 run warps.yaml --set sm.core.width=$width --set sm.core.warps=$((width < 64 ? 2 : 1)) \
            "${scene[@]}" --out "$name-$width"
        grep -q '"program": "stream_pathtrace"' "$name-$width/run.json" || complain "another program ran"
        cmp -s plain/image.png "$name-$width/image.png" ||
            complain "$name draws something else in warps of $width"
    done
    ok "same_in_warps_on_$name"
done
finish
