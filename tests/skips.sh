#!/bin/bash
# skips.sh PROGRAM - what cannot be tested here is neither passed nor failed, and the closing line
# of ./run test counts it. PROGRAM is a test whose third part needs a folder.
. "$(dirname "$0")/cli/tap.sh"
program=$1

# documents ARGUMENTS... - tests/docs.sh, its words in $out
documents() {
    "$data/docs.sh" "$@" >"$out"
}

OGIVE_DRAM_REFERENCE=/nowhere "$program" >"$out" || complain "failed"
has "$out" "ok 2 - part_is_equal_without_skipping"
has "$out" "ok 3 # SKIP whole_set_is_equal"
lacks "$out" "not ok"
ok a_test_without_its_data_is_skipped

"$data/absent.sh" no such compiler >"$out"
has "$out" "1..0 # SKIP no such compiler"
ok a_test_that_is_not_built_is_skipped

. <(sed -n '/^count_tests()/,/^}/p' "$OGIVE_HOME/run")
cat >testlog.json <<'END'
{"name": "some", "result": "OK", "stdout": "1..3\nok 1 - one\nok 2 # SKIP two\nok 3 - three # SKIP why\n"}
{"name": "none", "result": "SKIP", "stdout": "1..0 # SKIP no such compiler\n"}
{"name": "plain", "result": "SKIP", "stdout": "exit code 77\n"}
{"name": "broken", "result": "FAIL", "stdout": "1..1\nnot ok 1 - one\n"}
END
[ "$(count_tests testlog.json)" = "1 1 4" ] || complain "counted: $(count_tests testlog.json)"
ok skips_are_counted

mkdir docs
touch README.md
printf '# A page\n\n    ogive archs\n' >docs/page.md
documents "$ogive" "$work" docs/page.md && complain "a page without commands passes"
has "$out" "docs/page.md: no commands"
documents --complete "$work" README.md docs/page.md -- && complain "not missed"
has "$out" "docs/page.md: has 0 blocks of commands"
documents --complete "$work" README.md -- && complain "not missed"
has "$out" "docs/page.md: is in no list"
documents --complete "$work" -- README.md docs/page.md || complain "$(cat "$out")"
ok a_page_has_commands_or_is_said_to_have_none

mkdir bin
printf '```sh\n! env | grep -E "^(OGIVE|XDG)_"\n```\n' >README.md
OGIVE_INCLUDE=x OGIVE_PROGRAMS=x documents "$work/bin/ogive" "$work" README.md ||
    complain "$(cat "$out")"
ok commands_of_a_page_see_nothing_of_the_tests

finish
