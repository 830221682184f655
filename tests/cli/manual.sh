#!/bin/bash
# manual.sh - manual pages: every command has one, it says what --help says, and it is set without a
# complaint.
. "$OGIVE_TEST_DATA/tap.sh"
mapfile -t commands < <(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$OGIVE_HOME/src/cli/commands.def")

run 0 --man
cp "$out" ogive.1
for command in "${commands[@]}"; do
    run 0 --man "$command"
    cp "$out" "ogive-$command.1"
    has ogive.1 ".BR ogive\\-$command (1)"
    has "ogive-$command.1" "ogive\\-$command \\- "
done
ok every_command_has_a_page

# options_of COMMAND... - as --help shows them, then as the page does
options_of() {
    "$ogive" "$@" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'
}
for command in "${commands[@]}"; do
    wanted=$(options_of "$command")
    [ "$command" != scene ] || wanted+=$'\n'$(options_of scene info)$'\n'$(options_of scene render)
    for part in status cancel retry clean table plot report job; do
        [ "$command" != sweep ] || wanted+=$'\n'$(options_of sweep $part)
    done
    [ -n "$wanted" ] || complain "$command: --help shows no options"
    found=$(sed -nE 's/^(\\fB\\-.\\fR, )?\\fB(\\-\\-[^\]*(\\-[^\]*)*)\\fR.*/\2/p' \
        "ogive-$command.1" | tr -d '\\')
    [ "$found" = "$wanted" ] || complain "$command: the page has $found; --help has $wanted"
done
run 0 help
wanted=$(sed -nE '/^Options:/,/^$/s/^  (--[a-z-]+).*/\1/p' "$out")
found=$(sed -nE '/^.SH OPTIONS/,/^.SH ENV/s/^\\fB([^ ]*)\\fR.*/\1/p' ogive.1 | tr -d '\\')
[ "$found" = "$wanted" ] || complain "the page has $found; help has $wanted"
ok pages_have_the_options_of_help

if command -v groff >/dev/null; then
    for page in ogive*.1; do
        groff -man -ww -z -Tascii -rLL=100n "$page" >"$out" 2>&1 || complain "$page: groff failed"
        [ ! -s "$out" ] || complain "$page: $(cat "$out")"
    done
    groff -man -Tascii -P-c -P-b -P-u ogive-run.1 >page.txt
    has page.txt "-o, --out DIR"
    has page.txt "  ogive run rtx2080 --scene my.ply --rays secondary"
    has page.txt 'shipped one (see `ogive archs`)'
    ok pages_are_set_without_a_warning
else
    skip pages_are_set_without_a_warning "no groff: install groff-base"
fi
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
    for page in ogive*.1; do
        man --warnings=w -E UTF-8 -l -Tutf8 -Z "./$page" 2>"$err" >"$out" ||
            complain "$page: man failed"
        [ ! -s "$err" ] || complain "$page: $(cat "$err")"
        [ -s "$out" ] || complain "$page: man shows nothing"
    done
    ok man_shows_the_pages
else
    skip man_shows_the_pages "no man: install man-db"
fi

run 2 --man rnu
has "$err" "there is no command 'rnu'; did you mean 'run'?"
run 2 --man run check
has "$err" "--man: takes one value, not 'check'"
run 2 --include-dir run
has "$err" "--include-dir: takes no value, not 'run'"
ok wrong_pages_are_refused

finish
