#!/bin/bash
# what_if.sh - the command that a report offers against what limited the run can be run as it
# stands, and the run takes fewer cycles with it; and every setting that is offered for a shipped
# machine is one that it takes.
. "$(dirname "$0")/../cli/tap.sh"
ogive() { "$OGIVE_PROGRAM" "$@"; }
cycles() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$1/stats.json" | head -1; }

# The texts of a key in a file of one key per line; one with quotation marks in it is none of ours.
texts() { sed -n 's/^ *"'"$2"'": "\([^"]*\)",\{0,1\}$/\1/p' "$1"; }

# offered FOLDER SETTING LIMIT - FOLDER's report names LIMIT first and offers SETTING, which helps.
offered() {
    local command
    has "$1/bottleneck.json" "\"setting\": \"$2\""
    sed -n '/"words": \[/{n;p;q}' "$1/bottleneck.json" >"$work/.first"
    has "$work/.first" "$3"
    command=$(texts "$1/bottleneck.json" command)
    eval "$command" >"$out" 2>"$err" || complain "$command: $(head -3 "$err")"
    [ "$(cycles "$1")" -gt "$(cycles "$1-what-if")" ] ||
        complain "$command: $(cycles "$1-what-if") cycles, not below $(cycles "$1")"
}

run 0 run tiny --program mandelbrot --quiet --out 'issue slots' -- 24 24
offered 'issue slots' sm.core.count=8 'The limit was the issue slots of sm.core: '
ok "more cores are offered where they are always busy, with the program's arguments"

run 0 run rtx2080 --set sm.count=1 --set chip.barrier.arrivals=1 --size 24x24 --quiet --out slots
offered slots sm.rt.rays=84 'The limit was latency, with too few ray slots to hide it: those of sm.rt'
ok "more ray slots are offered where rays wait for them"

run 0 run trax --program mandelbrot --quiet --out pipes
offered pipes tm.fpmul.width=2 'The limit was the pipelines of tm.fpmul: '
ok "more pipelines are offered where most waiting is for them"

run 0 run exchange --quiet --out unknown
has unknown/bottleneck.json '"what_if": null'
ok "nothing is offered where nothing is known"

for machine in tiny trax rtx2080 rtx4090 mobile trax-rt; do
    program=()
    case $machine in tiny | trax) program=(--program hello) ;; esac
    run 0 run $machine "${program[@]}" --stop-after 64 --size 8x8 --interval 0 --quiet --no-report --out all
    texts all/run.json more >settings
    texts all/run.json less >>settings
    [ -s settings ] || complain "$machine: no setting is offered"
    while read -r setting; do run 0 check $machine --set "$setting"; done <settings
done
ok "a machine takes every setting that is offered for it"
finish
