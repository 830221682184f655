#!/bin/bash
# study_browser.sh - the page of a study in a browser: it shows without errors, filters, charts and sorting
# work, and its numbers are those of the table. The page tries itself when it is opened with
# #selftest.
. "$OGIVE_TEST_DATA/browser.sh"

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
browse "$page#selftest"
run 0 sweep table study --rows latency --stat cycles --format csv
cp "$out" table.csv

tried 'r["errors"] == [] and r["counts"] == "6 runs: 6 done"'
ok the_page_shows_without_errors
tried 'r["lines"] == 2 and r["alone"] == 1 and r["bars"] == 6 and r["cells"] == 6'
tried 'r["values"] == [table("table.csv")]'
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
