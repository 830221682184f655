#!/bin/bash
# own_chip.sh - a chip whose cores and RT cores both come from outside the tree: a program and a
# scene run on it, and it is in the summary, the profile, the ranking, the report and the live page
# like any other. OGIVE_TEST_BUILD is the folder of the machine and its libraries.
. "$OGIVE_TEST_DATA/tap.sh"
chip=("$OGIVE_TEST_BUILD/own_chip.yaml" --load "$OGIVE_TEST_BUILD" --scene cornell --triangles 2000
    --rays secondary)

run 0 run "${chip[@]}" --size 16x16 --profile --trace-rays 5 --out a
has "$out" "256 rays"
python3 - <<'EOF2' || complain "the summary, the profile or the traces lack it"
import json
stats = json.load(open("a/stats.json"))
groups = stats["groups"]
core, rt = groups["chip.core[*]"], groups["chip.rt"]
assert core["type"] == "own_core" and rt["type"] == "own_rt"
assert stats["summary"]["instructions"] == core["retired"] > 0
assert stats["summary"]["rays"] == rt["finished"] > 0
profile = json.load(open("a/profile.json"))
assert profile["thread_cycles"] == core["lived"] - core["over"] > 0
assert len(json.load(open("a/ray_traces.json"))["rays"]) == 5
EOF2
run 0 profile a
has "$out" "main"
ok program_and_scene_run_and_are_accounted_for

python3 - <<'EOF2' || complain "the ranking or the report lacks it"
import json
found = json.load(open("a/bottleneck.json"))
ranked = {(row["group"], row["name"]): row for row in found["resources"]}
assert ranked["chip.rt", "lanes"]["utilisation"] > 0
assert ranked["chip.rt", "tests"]["waiting"] > 0
assert ranked["chip.core", "execution"]["utilisation"] > 0
assert not any(row["name"] == "not explained" for row in found["resources"]), found["resources"]
trees = {tree["label"]: tree for tree in found["trees"]}
for label in "thread-cycles of all own cores", "lane-cycles of all own RT cores":
    tree = trees[label]
    assert tree["cycles"] == sum(part["cycles"] for part in tree["parts"]) > 0
page = open("a/report.html").read()
assert "own_core" in page and "lane-cycles of all own RT cores" in page
EOF2
ok ranking_and_report_have_it

"$ogive" run "${chip[@]}" --size 256x256 --live --no-report --out b >"$out" 2>"$err" </dev/null &
process=$!
python3 - "$err" $process <<'EOF2' || complain "the live page lacks it"
import json, os, re, sys, time, urllib.request
while not (found := re.search(r"^live +(http://.*)$", open(sys.argv[1]).read(), re.M)):
    os.kill(int(sys.argv[2]), 0)
    time.sleep(0.01)
address, token = found[1].split("?")
def state():
    return json.load(urllib.request.urlopen(address.rstrip("/") + "/state?" + token, timeout=60))
while not (snapshot := state()["snapshot"]) or snapshot["cycle"] < 20000:
    os.kill(int(sys.argv[2]), 0)
    time.sleep(0.01)
text = json.dumps(snapshot)
assert "chip.core" in text and "chip.rt" in text, text
assert "lane-cycles of all own RT cores" in text or '"lanes"' in text, text[:2000]
EOF2
kill -INT $process
wait $process
ok live_page_shows_it
finish
