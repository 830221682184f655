#!/bin/bash
# manual_page.sh - a page of the manual is what `ogive COMMAND --markdown` prints.
program=$1 command=$2 page=$3
"$program" "$command" --markdown | diff - "$page" && exit 0
echo "$page is out of date; run: ogive $command --markdown > docs/$(basename "$page")"
exit 1
