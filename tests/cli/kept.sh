#!/bin/bash
# kept.sh - rays and reference hits that are kept from run to run are those that would be made anew.
. "$OGIVE_TEST_DATA/tap.sh"

# kept: how many sets of rays are in the cache.
kept() {
    find .cache/ogive -name '*.rays' | wc -l
}

number=0
# alike OPTIONS... - a run is the same without the cache, the first time, and the second.
alike() {
    local before=$(kept) n=$number
    number=$((number + 1))
    OGIVE_CACHE=off run 0 run trax-rt --set sm.count=1 --scene cornell --no-report --out "off$n" "$@"
    run 0 run trax-rt --set sm.count=1 --scene cornell --no-report --out "first$n" "$@"
    [ "$(kept)" = $((before + 1)) ] || complain "$*: nothing new is kept"
    run 0 run trax-rt --set sm.count=1 --scene cornell --no-report --out "second$n" "$@"
    [ "$(kept)" = $((before + 1)) ] || complain "$*: made again"
    for which in first second; do
        [ "$(digest "$which$n")" = "$(digest "off$n")" ] || complain "$*: another digest"
        cmp -s "$which$n/image.png" "off$n/image.png" || complain "$*: another picture"
    done
}

mkdir -p .cache/ogive
for kind in primary tertiary shadow; do
    alike --rays "$kind" --size 8x8
    has "$out" "hits equal to Embree's"
done
ok rays_of_every_kind

alike --rays tertiary --size 8x4
alike --rays tertiary --size 8x8 --seed 2
alike --rays tertiary --size 8x8 --scene arcade --triangles 1000
ok what_rays_depend_on_is_told_apart

alike --size 4x4
ok the_brightness_of_pictures

run 0 run trax-rt --set sm.count=1 --scene cornell --no-report --rays primary --size 8x8 --out whole
for file in .cache/ogive/*.rays; do
    printf 'x' | dd of="$file" bs=1 seek=130 conv=notrunc status=none
done
run 0 run trax-rt --set sm.count=1 --scene cornell --no-report --rays primary --size 8x8 --out mended
[ "$(digest whole)" = "$(digest mended)" ] || complain "damage changes the digest"
ok damage_is_found

finish
