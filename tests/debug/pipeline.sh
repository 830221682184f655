#!/bin/bash
# pipeline.sh - a traced pipeline: every instruction that the unit counted is in it, in Kanata's
# form, and the run is the one that it is without. Prints TAP.
gdb=no
. "${0%/*}/stand.sh"
program=$OGIVE_PROGRAMS/mandelbrot.elf

run() { "$OGIVE_PROGRAM" run "$1" --quiet --no-report "${@:2}"; }

for traced in 'tiny sm.core[1]' 'tiny-simt sm.subcore[1]'; do
    arch=${traced% *} unit=${traced#* }
    run "$arch" --program "$program" --out "plain-$arch" -- 8 8
    run "$arch" --program "$program" --trace-pipeline "$unit" --cycles 0:1000000 --out "$arch" -- 8 8
    [ "$(digest "$arch")" = "$(digest "plain-$arch")" ]
    ok $? "$arch: the same run"
    kanata=$arch/pipeline.kanata
    [ "$(head -n 1 "$kanata")" = $'Kanata\t0004' ] && [ "$(sed -n 2p "$kanata")" = $'C=\t0' ]
    ok $? "$arch: begins as the format wants"
    issued=$("$OGIVE_PROGRAM" stats "$arch" "$unit.issued" --format csv | tail -n 1 | cut -d , -f 2)
    [ "$(grep -c $'\texecutes$' "$kanata")" -eq "${issued:--1}" ]
    ok $? "$arch: all $issued instructions that issued"
    [ "$(grep -c '^I' "$kanata")" -eq "$(grep -c '^R' "$kanata")" ]
    ok $? "$arch: what begins also ends"
    grep -q 'hazard:load' "$kanata" && grep -q '"hazard:load"' "$arch/pipeline.html"
    ok $? "$arch: and what it waited for is named"
done

run tiny --program "$program" --trace-pipeline 'sm.cor[1]' --out wrong -- 8 8 >said 2>&1
[ $? -eq 2 ] && grep -q "did you mean 'sm.core\[1\]'" said && [ ! -e wrong ]
ok $? "a unit that is not there is told with the nearest, and leaves no folder"
run tiny --program "$program" --trace-pipeline 'sm.core[1]' --cycles 9:5 --out wrong >said 2>&1
[ $? -eq 2 ] && grep -q '10000:12000' said
ok $? "cycles have to make sense"
run tiny --program "$program" --cycles 5:9 --out wrong >said 2>&1
[ $? -eq 2 ] && grep -q 'goes with --trace-pipeline' said
ok $? "and go with a unit"
# The table of causes is drawn by the page's own script, after which nothing has complained.
words="the page shows in a browser"
if browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/.profile" \
        --enable-logging=stderr --virtual-time-budget=5000 --dump-dom "file://$work/tiny-simt/pipeline.html" \
        >dom 2>said </dev/null
    grep -q '<option value="1">warp 1</option>' dom && grep -q 'hazard:load</td><td class="n">[0-9]' dom &&
        ! grep -q CONSOLE said
    ok $? "$words"
else
    tests=$((tests + 1))
    echo "ok $tests - $words # SKIP no chromium"
fi
echo "1..$tests"
