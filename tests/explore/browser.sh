#!/bin/bash
# browser.sh - the page of a study in a browser: it shows without errors, filters, charts and sorting
# work, and its numbers are those of the table. The page tries itself when it is opened with
# #selftest.
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "1..0 # SKIP no chromium: install it with ./run deps test"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
. "$OGIVE_TEST_DATA/../cli/tap.sh"

cat >study.yaml <<'YAML'
about: "about <b>this</b>"
run: { machine: exchange, set: { node.count: 4 } }
axes:
  latency: { set: bank.memory.latency, values: [20 cycles, 40 cycles, 80 cycles] }
  messages: { set: node.source.messages, values: [200, 400] }
YAML
run 0 sweep study.yaml --quiet
run 0 sweep report study
page=$work/$(cat "$out")
timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/.profile" \
    --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$page#selftest" \
    >"$work/.dom" 2>"$work/.said" </dev/null || complain "the browser failed"
if grep -q CONSOLE "$work/.said"; then complain "$(grep CONSOLE "$work/.said" | head -3)"; fi
run 0 sweep table study --rows latency --stat cycles --format csv
cp "$out" table.csv

# tried EXPRESSION - a statement about the self-test's result `r` and the table `t`
tried() {
    python3 - "$work/.dom" "$1" <<'PYTHON' || complain "not true: $1"
import csv, html, json, os, re, sys
found = re.search(r'<pre id="selftest">(.*?)</pre>', open(sys.argv[1]).read(), re.S)
if not found:
    sys.exit('the page did not try itself')
r = json.loads(html.unescape(found.group(1)))
t = [float(row[1]) for row in list(csv.reader(open('table.csv')))[1:]]
sys.exit(not eval(sys.argv[2]))
PYTHON
}

tried 'r["errors"] == [] and r["counts"] == "6 runs: 6 done"'
ok the_page_shows_without_errors
tried 'r["lines"] == 2 and r["alone"] == 1 and r["bars"] == 6 and r["cells"] == 6'
tried 'r["values"] == [t]'
ok charts_have_the_numbers_of_the_table
tried 'r["rows"] == 6 and r["filtered"] == 4'
tried 'r["sorted"] == sorted(r["sorted"], key=lambda v: -int(v.replace(",", "")))'
ok filters_and_sorting
tried 'len(r["links"]) == 6 and all(os.path.isfile("results/store/studies/" + l) for l in r["links"])'
ok each_run_has_a_link_to_its_report
[ "$(stat -c %s "$page")" -lt 200000 ] || complain "the page is large"
lacks "$page" "<b>this</b>"
ok nothing_in_the_data_is_markup

finish
