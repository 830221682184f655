#!/bin/bash
# docs.sh - what the documentation says works. For each page, in an empty folder: blocks that name a
# file (```yaml file=x) become that file, lines of ```sh blocks are run, except those of ./run.
set -u
program=$1 source=$2 page=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/ogive-docs-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
export OGIVE_INCLUDE=$source/include OGIVE_PROGRAMS=$source/programs
export XDG_CACHE_HOME=$work/.cache
cd "$work" || exit 1

awk -v commands="$work/.commands" '
    /^```/ {
        if (inside) { inside = 0; next }
        inside = 1; target = ""
        if ($1 == "```sh") target = commands
        if (match($0, /file=[^ ]+/)) target = substr($0, RSTART + 5, RLENGTH - 5)
        next
    }
    inside && target != "" { print > target }
' "$source/$page"

[ -f .commands ] || { echo "$page: no commands"; exit 0; }
status=0
while IFS= read -r line; do
    case $line in
    '' | '#'* | ./run*) continue ;;
    esac
    if ! eval "$line" >.output 2>&1 </dev/null; then
        echo "$page: failed: $line"
        sed 's/^/    /' .output
        status=1
    fi
done <.commands
exit $status
