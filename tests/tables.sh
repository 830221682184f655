#!/bin/bash
# tables.sh PROGRAM PAGE - what a page has between a line `<!-- ogive COMMAND -->` and the next
# `<!-- end -->` is what that command prints.
set -u
program=$1 page=$2
checked=0 status=0

# part COMMAND - what the page has below that line.
part() {
    awk -v begin="<!-- ogive $1 -->" '$0 == "<!-- end -->" { inside = 0 }
        inside { print }
        $0 == begin { inside = 1 }' "$page"
}

while IFS= read -r command; do
    checked=$((checked + 1))
    # shellcheck disable=SC2086  # the words of a command
    diff <("$program" $command) <(part "$command") && continue
    echo "$page is out of date; it should have what \`ogive $command\` prints"
    status=1
done < <(sed -n 's/^<!-- ogive \(.*\) -->$/\1/p' "$page")
[ "$checked" -gt 0 ] || { echo "$page has no parts to check"; exit 1; }
exit $status
