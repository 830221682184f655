#!/bin/bash
# rays.sh - rays and pixels as the debugger knows them, on a small machine with RT cores: stops at
# them, forwards and backwards, the life of a ray, and what instructions have cost. Prints TAP.
. "${0%/*}/stand.sh"

scene=(--scene cornell --triangles 1000 --size 8x8 --trace-rays 512 --profile)
machine=$OGIVE_TEST_DATA/../run/small-rt.yaml
"$OGIVE_PROGRAM" run "$machine" "${scene[@]}" --quiet --no-report --out plain

debug rays "$machine" "${scene[@]}" <<'END'
monitor break pixel 9,9
monitor break ray 10
monitor break pixel 3,5
monitor break piece 7
continue
continue
eval "tbreak *pixel_draw thread %d", $_thread
continue
printf "draws %d\n", $a1
continue
echo --- at the ray\n
monitor cycle
monitor ray
monitor code
echo ---\n
monitor break cycle 4000
continue
monitor ray
reverse-continue
echo --- at the ray\n
monitor cycle
monitor ray
monitor code
echo ---\n
reverse-continue
monitor cycle
detach
END
said '^a pixel is X,Y, up to 7,7' "a pixel that is not there is told so"
said '^stop 3: piece 7, at cycle' "a piece of work is a stop"
said '^stop 2: pixel 3,5, at cycle' "a pixel is one, and stays a pixel"
said '^draws 43$' "of the thread that is given it"
sed -n '/^stop 1: ray 10, at cycle/,/^---/p' said | grep -q '^Thread .*"sm\[.\].core\[.\].t."'
ok $? "a ray is one, of its thread"
at=$(grep -o '^stop 1: ray 10, at cycle [0-9]*' said | head -n 1 | grep -o '[0-9]*$')
said "^  its hit was back at cycle ${at:-none}" "whose ray it is"
said '^=> 0x[0-9a-f]* *[0-9][0-9]* ' "instructions have their counts"
csplit -sz -f part said '/^---/' '{*}'
sed 's/, in the past.*//' part01 >there
sed 's/, in the past.*//' part03 >again
[ -s there ] && cmp -s there again
ok $? "ray and counts are the same when it comes back"
sed 1d part04 | grep -q '^stop 2: pixel 3,5, at cycle'
ok $? "and from there back to the pixel"
[ "$(digest rays)" = "$(digest plain)" ]
ok $? "the run is that of one that nobody looked at"
echo "1..$tests"
