#!/bin/bash
# energy.sh - `ogive energy`: of architectures and of runs, with numbers that are missing.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 energy trax
has "$out" "65 nm, 1.1 V: published energies of 65 nm x 1, areas x 1"
has "$out" "area      at least"
has "$out" "leakage of 128 core, 24 sfu"
lacks "$out" "Energy per event"
run 0 energy trax --events
has "$out" "tm[*].l1.energy_access"
has "$out" "165.2 pJ"
has "$out" "SimTRaX, 65 nm"
ok "an architecture shows area, leakage and energy per event, with sources"

run 0 energy trax --set technology.node=7nm --set tm.l1.area=2mm2 --set tm.tp.leakage=1mW
has "$out" "7 nm, 0.7 V: published energies of 65 nm x 0.02845, areas x 0.039"
grep -q 'tm\[\*\].l1 .* 8 mm2' "$out" || complain "$(grep l1 "$out")"
grep -q 'tm\[\*\].tp\[\*\] .* 128 mW' "$out" || complain "$(grep tp "$out")"
lacks "$out" "leakage of 128 core"
ok "numbers can be set, and the technology"

run 2 energy trax --set tm.l1.energy_acess=2pJ
has "$err" "did you mean 'energy_access'?"
run 2 energy trax --set technology.node=2nm
has "$err" "it must be 5 to 130 nm"
run 2 energy trax --set tm.l1.leakage=3
has "$err" "needs a number and a unit (mW, uW, W)"
run 2 energy nowhere
run 2 energy
ok "what is wrong is refused, with what would be right"

run 0 run exchange --out a
has "$out" "energy  not known"
run 0 energy a
has "$out" "energy    not known"
has "$out" "energy of 8 source"
has "$out" "energy_message of 8 crossbar (32000 times)"
run 2 energy a --set technology.node=7nm
has "$err" "is the folder of a run"
python3 - <<'EOF' || complain "stats.json has numbers that nobody knows"
import csv, json
s = json.load(open("a/stats.json"))
assert s["summary"]["energy_j"] is None and s["summary"]["area_mm2"] is None
assert not s["summary"]["energy_complete"] and len(s["energy"]["missing"]) > 10
lines = list(csv.DictReader(open("a/series.csv")))
assert lines and all(line["power_w"] == "" for line in lines)
EOF
ok "a machine without numbers says so"

run 0 run exchange --quiet --out b --set node.router.energy_message=10pJ --set bank.memory.leakage=5mW
run 0 energy b --events
has "$out" "energy    at least"
has "$out" "10 pJ x          32000 =       320 nJ"
python3 - <<'EOF' || complain "sums are not those made by hand"
import csv, json
s = json.load(open("b/stats.json"))
time = s["summary"]["cycles"] / 1e9
want = 32000 * 10e-12 + 2 * 5e-3 * time
assert abs(s["summary"]["energy_j"] - want) < 1e-9 * want
assert abs(s["summary"]["power_w"] - want / time) < 1e-9 * want / time
rows, before, sum = list(csv.DictReader(open("b/series.csv"))), 0, 0
for row in rows:
    sum += float(row["power_w"]) * (int(row["cycle"]) - before) / 1e9
    before = int(row["cycle"])
assert abs(sum - want) < 1e-9 * want
EOF
run 0 compare a b
has "$out" "node.router.energy_message"
has "$out" "10 pJ"
[ "$(digest a)" = "$(digest b)" ] || complain "energy changes the digest"
ok "energy is counters times costs, over the run and over its intervals"

sed -i 's/"energy": {/"enrgy": {/' b/stats.json
run 2 energy b
has "$err" "has no energy"
ok "a run of an older version is told from one without numbers"
finish
