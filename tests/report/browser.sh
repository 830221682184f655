#!/bin/bash
# browser.sh - the report in a browser: it shows without errors, zoom, slider and sorting work, and
# its numbers are those of stats.json. The page tries itself when it is opened with #selftest.
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "1..0 # SKIP no chromium: install it with ./run deps test"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
. "$(dirname "$0")/../cli/tap.sh"

# visit PAGE - the page after it has tried itself in $work/.dom, the browser's words in $work/.said
visit() {
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu \
        --user-data-dir="$work/.profile" --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$work/$1#selftest" \
        >"$work/.dom" 2>"$work/.said" </dev/null || complain "$1: the browser failed"
    if grep -q 'CONSOLE' "$work/.said"; then complain "$(grep CONSOLE "$work/.said" | head -3)"; fi
}

# tried EXPRESSION - a statement about the self-test's result `r` and the run's statistics `s`
tried() {
    python3 - "$work/.dom" "$1" "${2:-}" <<'PYTHON' || complain "not true: ${1//$'\n'/ }"
import html, json, re, sys
found = re.search(r'<pre id="selftest">(.*?)</pre>', open(sys.argv[1]).read(), re.S)
if not found:
    sys.exit('the page did not try itself')
r = json.loads(html.unescape(found.group(1)))
s = json.load(open(sys.argv[3] + '/stats.json')) if sys.argv[3] else None
def plain(path):
    return re.sub(r'\[[^]]*\]', '', path)
def shown(value):
    if value is None: return '–'
    return '{:,}'.format(value) if isinstance(value, int) else None
def same(text, value):
    if shown(value) is not None:
        return text == shown(value)
    return abs(float(text.replace(',', '')) - value) <= 1e-5 * abs(value)
sys.exit(not eval(sys.argv[2]))
PYTHON
}

run 0 run exchange --series all --interval 1000 --quiet --out a
visit a/report.html
tried 'r["errors"] == []'
tried 'r["charts"] >= 1 and r["units"] > 20 and r["traces"] is None'
ok "a page shows without errors"
tried 'r["zoomed"] and r["linked"] and r["unzoomed"] and r["grouped"]'
ok "zoom is for all charts, and can be undone; intervals can be put together"
tried 'r["slider"] >= 40 and r["slid"]'
tried 'r["mean"] != r["firstMean"]'
ok "the slider moves the chip through time"
# Trunks and branches of two lines between domains; and strokes of two lines in 8 copies.
tried 'r["wires"]["outer"] == 1 + 8 + 8 + 1 + 8 + 2 and r["wires"]["none"] == 0'
tried 'r["wires"]["all"] == r["wires"]["outer"] + 2 * 8'
tried 'abs(r["wires"]["carried"] - sum(l["sent"] + (l["answered"] or 0) for l in s["links"] \
    if l["from"] in ("node.source", "node.tester"))) < 1' a
tried 'abs(r["wires"]["carried"] - r["wires"]["over"]) < 1'
ok "links are drawn with what they carried"
tried 'r["sorted"] and r["rows"] > 10'
ok "tables can be sorted"
tried 'r["saved"] and r["png"] > 1000'
ok "a chart can be saved"
tried 'all(float(r["cards"][k]) == v for k, v in s["summary"].items() if k in r["cards"])' a
tried 'all(same(r["stats"][plain(g) + "." + k], v) for g, row in s["groups"].items() \
    for k, v in row.items() if k != "type")' a
tried 'len(r["stats"]) == sum(len(row) - 1 for row in s["groups"].values())' a
ok "the page's numbers are those of stats.json"

tried 'r["headline"].startswith("No limit was found: ") and r["command"] is None'
tried 'r["waitingSum"] is None and r["bounds"] is None'
tried 'r["waitingOver"].startswith("The shares of waiting add up to 130.0%, not to 100%: ")'
tried 'not {"energy_j", "dram_read_bytes", "dram_write_bytes"} & set(r["cards"])'
ok "what is not known is not shown as a number"
tried 'all(len(a) == 2 and a[0] == "cycle of the chip" and a[1] for a in r["axes"]) and r["axes"]'
tried 'r["alike"] == 0'
ok "axes have titles, and lines of a chart look different"
tried 'r["unnamed"] == [] and r["linkNames"] and r["contrast"] >= 4.5'
ok "all units of the chip are named, and names can be read"

run 0 run exchange --set node.count=4 --quiet --no-report --out b
[ ! -e b/report.html ] || complain "--no-report made a report"
run 0 report a b -o both.html
visit both.html
tried 'r["errors"] == [] and r["runs"] == 2 and r["zoomed"] and r["slid"]'
ok "several runs share a page"

run 0 run exchange --interval 0 --quiet --out c
rm c/series.csv
run 0 report c
visit c/report.html
tried 'r["errors"] == [] and r["charts"] == 0 and r["sorted"]'
ok "a run without intervals has a page"

if command -v riscv64-unknown-elf-gcc >/dev/null; then
    run 0 run rtx2080 --set sm.count=1 --set chip.barrier.arrivals=1 --scene cornell \
        --rays primary --size 16x16 --interval 200 --threads 1 --profile --trace-rays 64 --quiet --out rt
    visit rt/report.html
    tried 'r["errors"] == [] and r["charts"] >= 6 and r["zoomed"] and r["slid"]'
    tried 'len(r["trees"]) == 3 and all(whole == parts > 0 for whole, parts in r["trees"].values())'
    tried 'r["trees"]["cycles"][0] == s["groups"]["sm.core[*]"]["cycles"]' rt
    tried 'float(r["cards"]["mrays_per_s"]) == s["summary"]["mrays_per_s"]' rt
    ok "cycles of threads and rays add up on the page"
    tried 'r["headline"].startswith("The limit was ") and r["command"].startswith("ogive run rtx2080 --set ")'
    tried 'r["command"].endswith(" --out " + r["folder"] + "-what-if")'
    tried 'float(r["cards"]["nodes_per_ray"]) == s["summary"]["nodes_per_ray"] and "ipc" in r["cards"]' rt
    tried 'not {"energy_j", "power_w", "area_mm2", "mrays_per_j"} & set(r["cards"])'
    tried '"energy ≥ " in r["bounds"] and "area ≥ " in r["bounds"] and "leakage of 64 core" in r["bounds"]'
    ok "the limit comes first with its check; bounds are no figures, and name what they lack"
    tried 'r["unnamed"] == [] and r["linkNames"] and r["contrast"] >= 4.5 and r["alike"] == 0'
    tried 'all(len(a) == 2 and all(a) for a in r["axes"])'
    ok "names and lines of a larger chip can be told apart as well"
    tried 'r["energy"] == len(s["energy"]["groups"]) and "leakage of 64 core" in r["missing"]' rt
    tried 'abs(r["watts"] - s["summary"]["energy_j"]) < 1e-6 * s["summary"]["energy_j"]' rt
    ok "power over time adds up to the energy, and what is missing is named"
    tried 'r["flames"] > 3 and "main" in r["functions"]'
    tried 'sum(r["functions"].values()) > 0.99 * sum(s["groups"]["sm.core[*]"][k] for k in \
        ("issued", "passed", "hazard", "busy", "fetch", "fence"))' rt
    ok "a profiled run shows its functions"
    tried 'r["traces"]["kept"] == 64 and len(r["traces"]["longest"]) == 40'
    tried 'r["traces"]["longest"] == sorted(r["traces"]["longest"], reverse=True)'
    tried 'r["traces"]["shortest"] == sorted(r["traces"]["shortest"])'
    tried '0 < r["traces"]["barsInSlot"] < r["traces"]["bars"]'
    tried 'r["traces"]["reasons"] == [k for k, v in r["traces"]["totals"].items() if v]'
    tried '"{:,}".format(r["traces"]["longest"][0]) + " cycles" in r["traces"]["words"]'
    ok "a run that followed rays shows their traces"
else
    skip "cycles of threads and rays add up on the page" "no compiler for the chip"
    skip "the limit comes first with its check; bounds are no figures, and name what they lack" "no compiler for the chip"
    skip "names and lines of a larger chip can be told apart as well" "no compiler for the chip"
    skip "power over time adds up to the energy, and what is missing is named" "no compiler for the chip"
    skip "a profiled run shows its functions" "no compiler for the chip"
    skip "a run that followed rays shows their traces" "no compiler for the chip"
fi

OGIVE_D3=/nowhere run 0 report a
has "$err" "libjs-d3"
visit a/report.html
tried 'r["errors"] == [] and r["charts"] == 0 and r["sorted"] and r["slid"]'
has "$work/.dom" "Install the package libjs-d3"
ok "without the charting library the rest works, and the page says what to install"
finish
