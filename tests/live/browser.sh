#!/bin/bash
# browser.sh - the live page in a browser: it shows a run without errors, and its buttons work. The
# page tries itself when it is opened with #selftest.
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "1..0 # SKIP no chromium: install it with ./run deps test"
    exit 0
fi
. "$(dirname "$0")/../cli/tap.sh"

# visit HASH NAME ARGUMENTS... - runs that until the page has pressed `stop`; what the page found is in
# $work/.found, the browser's words in $work/.said
visit() {
    local hash=$1 name=$2 address pid
    shift 2
    "$ogive" run "$@" --live --out "$name" >"$out" 2>"$err" </dev/null &
    pid=$!
    while [ ! -e "$name/series.csv" ] || ! grep -q '^live' "$err"; do
        kill -0 "$pid" || return
        sleep 0.05
    done
    address=$(sed -n 's/^live *//p' "$err")
    timeout 240 "$browser" --headless=new --no-sandbox --disable-gpu \
        --user-data-dir="$work/.profile" --enable-logging=stderr \
        --virtual-time-budget=1000000 --dump-dom "$address#$hash" \
        >"$work/.dom" 2>"$work/.said" </dev/null || complain "$name: the browser failed"
    if grep -q 'CONSOLE' "$work/.said"; then complain "$(grep CONSOLE "$work/.said" | head -3)"; fi
    kill -INT "$pid" 2>/dev/null # unless the page has stopped it, as it should
    wait "$pid" || complain "$name: exit code $?"
    sed -n 's/.*<pre id="selftest">\(.*\)<\/pre>.*/\1/p' "$work/.dom" >"$work/.found"
    [ -s "$work/.found" ] || complain "the page did not try itself"
}

visit selftest a exchange --set node.source.messages=0 --threads 1 --interval 1000
has "$work/.found" '"errors":[]'
has "$work/.found" '"shown":true'
has "$work/.found" '"ended":"stopped"'
has "$work/.found" 'a/report.html'
has "$work/.found" '"kept":true'
lacks "$work/.found" '"charts":0'
lacks "$work/.found" '"links":0'
ok "the page shows a run without errors, and its end"
has "$work/.found" '"paused":true'
has "$work/.found" '"stepped":123'
has "$work/.found" '"checkpoint":123'
has "$work/.found" '"continued":true'
[ -s a/checkpoint.ogv ] || complain "no checkpoint"
has a/run.json '"status": "stopped"'
ok "its buttons pause, step, keep a checkpoint, continue and stop"

if command -v riscv64-unknown-elf-gcc >/dev/null; then
    visit selftest-small rt rtx2080 --set sm.count=1 --set chip.barrier.arrivals=1 \
        --scene cornell --size 16x16 --samples 65536 --interval 200 --threads 1
    has "$work/.found" '"errors":[]'
    has "$work/.found" '"picture":16'
    has "$work/.found" '"ended":"stopped"'
    ok "the page shows a picture as it fills"
else
    skip "the page shows a picture as it fills" "no compiler for the chip"
fi
finish
