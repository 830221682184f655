#!/bin/bash
# units_page.sh - docs/units.md is what `ogive units --markdown` prints.
"$1" units --markdown | diff - "$2" && exit 0
echo "docs/units.md is out of date; run: ogive units --markdown > docs/units.md"
exit 1
