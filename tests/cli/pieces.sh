#!/bin/bash
# pieces.sh - `ogive run --pieces`: only these are done, right, and nobody pays for the others.
. "$OGIVE_TEST_DATA/tap.sh"

chip=(rtx2080 --set sm.count=2 --set chip.barrier.arrivals=2 --scene cornell --size 16x16 --no-report)

seq 0 255 >all
run 0 run "${chip[@]}" --out whole
run 0 run "${chip[@]}" --pieces all --out listed
cmp -s whole/image.png listed/image.png || complain "all pieces are another picture"
[ "$(sed -n 's/.*"cycles": \([0-9]*\),/\1/p' whole/stats.json | head -1)" = \
    "$(sed -n 's/.*"cycles": \([0-9]*\),/\1/p' listed/stats.json | head -1)" ] ||
    complain "all pieces take another time"
ok all_pieces_are_the_whole

cat >some <<'EOF2'
# a tile, a pixel, the end
32-63
70, 71 255
EOF2
run 0 run "${chip[@]}" --pieces some --out some-run
run 0 cost "${chip[@]:0:9}" --progress none -o cost
python3 - <<'EOF2' || complain "other work was done than that of these pieces"
import csv, json
chosen = [*range(32, 64), 70, 71, 255]
rows = list(csv.DictReader(open("cost/cost.csv")))
rt = json.load(open("some-run/stats.json"))["groups"]["sm[*].rt"]
for name in "rays", "nodes":
    assert rt[name] == sum(int(rows[i][name]) for i in chosen) > 0, name
assert json.load(open("some-run/run.json"))["options"]["pieces"] == len(chosen)
EOF2
run 0 run "${chip[@]}" --rays secondary --pieces some --out traced
run 0 run "${chip[@]}" --pieces some --threads 2 --checkpoint-every 3000 --out kept
[ "$(digest kept)" = "$(digest some-run)" ] || complain "threads or checkpoints change the run"
run 0 run --resume kept/checkpoint.ogv --no-report --out resumed
[ "$(digest resumed)" = "$(digest some-run)" ] || complain "it does not resume"
ok only_these_are_done

# refused TEXT MESSAGE
refused() {
    printf '%b' "$1" >wrong
    run 2 run "${chip[@]}" --pieces wrong --out never
    has "$err" "$2"
}
refused '' 'wrong: names no piece of work'
refused '# nothing\n' 'wrong: names no piece of work'
refused '1\n2\nthree' "wrong:3: 'three': pieces of work are whole numbers"
refused '1 -2' "wrong:1: '-2': pieces"
refused '5\n\n4-6' 'wrong: piece 5 is there twice'
refused '7-3' 'wrong:1: 7-3: ends before it begins'
refused '1-5x' "wrong:1: '5x'"
refused '99999999999999999999999' 'whole numbers below 268435456'
refused '1\00002' 'wrong: is no text'
run 2 run exchange --pieces all --out never
has "$err" "there is no program"
run 2 run --resume kept/checkpoint.ogv --pieces all --out never
has "$err" "--pieces cannot change a checkpoint"
run 2 run "${chip[@]}" --pieces not-there --out never
has "$err" "not-there"
[ ! -e never ] || complain "a refused run left a folder"
ok wrong_lists_are_refused

finish
