#!/bin/bash
# full_disk.sh - `ogive run` where files do not fit: what is kept, what is said, how it ends.
. "$OGIVE_TEST_DATA/tap.sh"

# limited KIB CODE ARGS... - ogive where no file may be larger than that; output in $out, $err.
limited() {
    local size=$1 want=$2
    shift 2
    (ulimit -f "$size" && exec "$ogive" "$@" >"$out" 2>"$err" </dev/null)
    local got=$?
    [ "$got" = "$want" ] || complain "ogive $*: exit code $got, not $want: $(head -3 "$err")"
}

run 0 run exchange --quiet --no-report --out whole

limited 100 1 run exchange --checkpoint-every 10000 --no-report --out a
has "$err" "ogive: a/checkpoint.ogv: cannot write: File too large"
[ "$(grep -c checkpoint "$err")" = 1 ] || complain "it is said more than once"
has "$out" "results a, but not all could be written"
has a/log.txt "a/checkpoint.ogv: cannot write: File too large"
has a/run.json '"status": "finished"'
[ "$(digest a)" = "$(digest whole)" ] || complain "the results differ"
[ -z "$(find a -name '*.new')" ] || complain "half a checkpoint is left"
limited 100 1 run exchange --checkpoint-every 10000 --no-report --quiet --out b
has "$err" "ogive: b/checkpoint.ogv: cannot write: File too large"
[ ! -s "$out" ] || complain "quiet is not quiet"
ok a_failed_checkpoint_does_not_end_the_run

limited 100 1 run exchange --out c
has "$err" "c/report.html: cannot write: File too large"
has c/log.txt "c/report.html: cannot write: File too large"
has c/log.txt "finished at cycle"
[ "$(digest c)" = "$(digest whole)" ] || complain "the results differ"
[ -s c/bottleneck.json ] || complain "what fits of the report is not there"
run 0 report c
[ -s c/report.html ] || complain "the report cannot be made later"
ok a_report_that_does_not_fit_is_in_the_log

limited 10 1 run exchange --interval 1000 --no-report --out d
has "$err" "ogive: d/stats.json: cannot write: File too large"
[ "$(wc -l <d/series.csv)" = 50 ] || complain "the series is not complete"
has d/run.json '"status": "finished"'
ok what_fits_is_written_after_what_does_not

limited 1 1 run exchange --out e
has "$err" "cannot write: File too large"
[ ! -e e/run.json ] || complain "there is a run.json of a run that never was"
limited 1 1 export exchange -o e.yaml
has "$err" "e.yaml: cannot write: File too large"
[ ! -e e.yaml ] || complain "there is half a file"
ok a_disk_that_is_full_at_once_is_an_error

# A disk that is full in earnest, where a file system may be mounted.
mkdir disk
if ! unshare -rm mount -t tmpfs none disk 2>"$err"; then
    tests=$((tests + 1))
    echo "ok $tests - a_disk_that_fills_up # SKIP a file system cannot be mounted: $(head -1 "$err")"
    finish
    exit
fi
# filled SIZE ARGS... - ogive on a disk of that size; what is left on it comes to kept/.
filled() {
    local size=$1
    shift
    rm -rf kept && mkdir kept
    unshare -rm sh -c 'mount -t tmpfs -o size="$1" none disk && shift &&
        { "$@"; code=$?; cp -r disk/. kept/; exit "$code"; }' sh "$size" "$ogive" "$@" \
        >"$out" 2>"$err" </dev/null
    local got=$?
    [ "$got" = 1 ] || complain "ogive $*: exit code $got, not 1: $(head -3 "$err")"
}
filled 600k run exchange --interval 10 --series all --no-report --out disk/r
has "$err" "ogive: disk/r/series.csv: cannot write: No space left on device"
has "$err" "ogive: disk/r/stats.json: cannot write: No space left on device"
has kept/r/log.txt "disk/r/series.csv: cannot write: No space left on device"
has kept/r/log.txt "finished at cycle"
has kept/r/run.json '"status": "finished"'
python3 - <<'END' || complain "the files are not whole"
import json
lines = open("kept/r/series.csv").read()
assert lines.endswith("\n")
lines = lines.split("\n")[:-1]
assert len(lines) > 1000 and len({line.count(",") for line in lines}) == 1
assert json.load(open("kept/r/run.json"))["status"] == "finished"
END
ok a_disk_that_fills_up_leaves_the_truth

filled 400k run exchange --checkpoint-every 10000 --no-report --out disk/r
has "$err" "ogive: disk/r/checkpoint.ogv: cannot write: No space left on device"
[ "$(digest kept/r)" = "$(digest whole)" ] || complain "the results differ"
[ -z "$(find kept -name '*.new')" ] || complain "half a file is left"
ok a_checkpoint_that_does_not_fit_leaves_room_for_the_rest

finish
