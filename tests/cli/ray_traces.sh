#!/bin/bash
# ray_traces.sh - `ogive run --trace-rays`: what the files say, that the run stays as it is, checkpoints,
# and wrong input.
. "$OGIVE_TEST_DATA/tap.sh"
small=("$data/../run/small-rt.yaml" --scene cornell --triangles 2000 --size 12x8 --no-report)

run 0 run "${small[@]}" --rays secondary --out plain
[ ! -e plain/ray_traces.json ] && [ ! -e plain/trace.json ] || complain "traces that nobody asked for"
run 0 run "${small[@]}" --rays secondary --threads 1 --trace-rays 1000 --out all
[ "$(digest all)" = "$(digest plain)" ] || complain "following rays changes the digest"
cmp -s all/image.png plain/image.png || complain "following rays changes the picture"
run 0 run "${small[@]}" --rays secondary --threads 2 --trace-rays 1000 --out two
cmp -s all/ray_traces.json two/ray_traces.json || complain "threads change the traces"
cmp -s all/trace.json two/trace.json || complain "threads change the trace"
has all/run.json '"trace_rays": 1000'
has all/log.txt 'followed 96 of 96 rays: ray_traces.json, trace.json'
ok nothing_else_changes

# check CODE FOLDER - python with the three files of a folder as l, t and s
check() {
    python3 - "$2" "$1" <<'EOF2' || complain "$2: not true: $1"
import collections, json, sys
folder = sys.argv[1] + "/"
l, t, s = (json.load(open(folder + n)) for n in ("ray_traces.json", "trace.json", "stats.json"))
names = [reason["name"] for reason in l["reasons"]]
core = s["groups"]["sm[*].rt"]
exec(sys.argv[2])
EOF2
}

check 'assert len(l["rays"]) == l["rays_in_all"] == core["rays"] + core["empty"] > 90
for ray in l["rays"]:
    at, sums = ray["begin"], collections.Counter()
    for begin, cycles, reason, *where in ray["events"]:
        assert begin == at and cycles > 0 and len(where) in (0, 3)
        at, sums[names[reason]] = at + cycles, sums[names[reason]] + cycles
    assert at == ray["end"] and sums == ray["cycles"] and ray["ended"] and not ray["lost"]
    assert ray["unit"] in ("sm[0].rt", "sm[1].rt") and ray["kind"] == "trace"' all
ok waits_of_a_ray_add_up_to_its_trace

check 'total = collections.Counter()
for ray in l["rays"]: total.update(ray["cycles"])
for name in ("node", "block", "stack"):
    assert total[name + "_port"] + total[name + "_fetch"] == core["wait_%s_fetch" % name], name
for name in ("schedule", "box_queue", "box", "triangle_queue", "triangle", "warp", "answer", "held"):
    assert total[name] == core["wait_" + name], name
outside = total["sent"] + total["queued"] + total["returned"]
assert sum(total.values()) - outside == core["ray_cycles"]
assert sum(ray["nodes"] for ray in l["rays"]) == core["nodes"]
assert sum(ray["triangle"] is not None for ray in l["rays"]) == core["hits"]' all
ok traces_of_all_rays_add_up_to_the_statistics

check 'fetches = [e for ray in l["rays"] for e in ray["events"] if names[e[2]].endswith("_fetch")]
assert {e[5] for e in fetches} == {0, 1, 2}
assert min(e[1] for e in fetches if e[5] == 0) == 23 # 22 from and to the L1, which takes two sectors in turn
tree = l["tree"]
for e in fetches:
    first, size = (tree["nodes"], tree["node_bytes"]) if names[e[2]] == "node_fetch" \
        else (tree["blocks"], tree["block_bytes"])
    assert (e[3] - first) % size == 0 and e[3] >= first and e[4] == size' all
ok fetches_have_their_addresses_and_how_far_they_came

# Trace Event Format: complete events with numbers; what is on a track does not overlap.
check 'tracks, names = collections.defaultdict(list), {}
for e in t["traceEvents"]:
    assert e["ph"] in "MX" and isinstance(e["pid"], int) and isinstance(e["tid"], int)
    if e["ph"] == "M":
        names[e["name"], e["pid"], e["tid"]] = e["args"]["name"]
        continue
    assert e["name"] and isinstance(e["ts"], int) and isinstance(e["dur"], int) and e["dur"] > 0
    tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
assert len(tracks) == len(l["rays"])
for track, spans in tracks.items():
    assert ("thread_name",) + track in names and ("process_name", track[0], 0) in names
    assert all(a[1] == b[0] for a, b in zip(spans, spans[1:])), track
assert sorted((s[0][0], s[-1][1]) for s in tracks.values()) == \
    sorted((ray["begin"], ray["end"]) for ray in l["rays"])
assert {v for k, v in names.items() if k[0] == "process_name"} == {"sm[0]", "sm[1]"}' all
ok trace_is_in_the_trace_event_format

run 0 run "${small[@]}" --rays secondary --trace-rays 9 --out nine
check 'whole = {(r["unit"], r["number"]): r for r in json.load(open("all/ray_traces.json"))["rays"]}
assert len(l["rays"]) == l["asked"] == 9 and l["rays_in_all"] == len(whole)
assert all(whole[r["unit"], r["number"]] == r for r in l["rays"])
assert {r["unit"] for r in l["rays"]} == {"sm[0].rt", "sm[1].rt"}' nine
ok some_rays_are_those_of_all

run 0 run "${small[@]}" --samples 2 --trace-rays 40 --stop-after 9000 --checkpoint-every 3000 --out half
check 'assert any(not ray["ended"] for ray in l["rays"])
assert all(ray["end"] == 9000 for ray in l["rays"] if not ray["ended"])
assert all(sum(ray["cycles"].values()) == ray["end"] - ray["begin"] for ray in l["rays"])' half
run 0 run "${small[@]}" --samples 2 --trace-rays 40 --out whole
run 0 run --resume half/checkpoint.ogv --no-report --out rest
cmp -s whole/ray_traces.json rest/ray_traces.json || complain "the resumed traces differ"
cmp -s whole/trace.json rest/trace.json || complain "the resumed trace differs"
run 0 run --resume half/checkpoint.ogv --trace-rays 40 --no-report --out again
run 2 run --resume half/checkpoint.ogv --trace-rays 41 --out f
has "$err" "was taken of a run with --trace-rays 40; leave it out"
run 0 run "${small[@]}" --stop-after 9000 --checkpoint-every 3000 --out without
run 2 run --resume without/checkpoint.ogv --trace-rays 40 --out f
has "$err" "was taken of a run without --trace-rays; rays are chosen from cycle 0 on"
ok traces_survive_a_checkpoint

# No file may be larger than the statistics are, but these are: the statistics are there all the same.
limit=$(($(stat -c %s all/stats.json) / 1024 + 1))
[ "$(stat -c %s all/trace.json)" -gt $((limit * 1024)) ] || complain "trace.json is too short for this"
(ulimit -f "$limit" && exec "$ogive" run "${small[@]}" --rays secondary --trace-rays 1000 \
    --program all/program.elf --out full >"$out" 2>"$err") && complain "a file is missing and the exit code is 0"
has "$err" "full/trace.json: cannot write: File too large"
has full/log.txt "full/trace.json: cannot write: File too large"
has full/run.json '"status": "finished"'
[ "$(digest full)" = "$(digest all)" ] || complain "the statistics differ"
cmp -s full/image.png all/image.png || complain "the picture differs"
ok a_trace_that_does_not_fit_leaves_the_rest

run 2 run "${small[@]}" --trace-rays 0
has "$err" "--trace-rays 0: takes a number of rays, 1 to 16384"
run 2 run "${small[@]}" --trace-rays 16385
has "$err" "--trace-rays 16385: takes a number of rays, 1 to 16384"
run 2 run "${small[@]}" --trace-rays -4
has "$err" "--trace-rays -4: a whole number is needed"
run 2 run "${small[@]}" --trace-rays many
has "$err" "--trace-rays many: a whole number is needed"
run 2 run exchange --trace-rays 4 --out f
has "$err" "--trace-rays: exchange has no RT cores"
run 2 run "${small[@]}" --software --trace-rays 4 --out f
has "$err" "with --software no ray goes to an RT core"
[ ! -e f ] || complain "a folder of a run that was refused"
run 0 run --help
has "$out" "--trace-rays N"
ok wrong_input_is_refused

finish
