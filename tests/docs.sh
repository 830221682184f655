#!/bin/bash
# docs.sh - what the documentation says works. For each page, in an empty folder: blocks that name a
# file (```yaml file=x) become that file, lines of ```sh blocks are run, except those of ./run.
#
#   docs.sh PROGRAM SOURCE PAGE                     the commands of a page
#   docs.sh --complete SOURCE PAGE... -- PAGE...    every page is in a list: has commands, has none
#
# Commands run as a reader would run them: with the program in PATH, and nothing else set.
set -u

# complete SOURCE PAGE... -- PAGE...
complete() {
    local source=$1 page want=1 found status=0
    declare -A wanted
    shift
    for page; do
        if [ "$page" = -- ]; then want=0; else wanted[$page]=$want; fi
    done
    cd "$source" || exit 1
    for page in README.md docs/*.md; do
        if [ -z "${wanted[$page]:-}" ]; then
            echo "$page: is in no list of tests/meson.build"
            status=1
            continue
        fi
        found=$(grep -c '^```sh' "$page")
        [ $((found > 0)) = "${wanted[$page]}" ] && continue
        echo "$page: has $found blocks of commands, and stands in the other list of tests/meson.build"
        status=1
    done
    exit $status
}

if [ "$1" = --complete ]; then
    complete "${@:2}"
fi

program=$1 source=$2 page=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/ogive-docs-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
# Nothing of the tests' or the user's own: not where Ogive lies, not what is kept from earlier runs.
unset "${!OGIVE_@}" "${!XDG_@}"
export HOME=$work
# A reader builds in the source tree. Elsewhere the program does not find what comes with it.
case $(realpath "$program") in
"$(realpath "$source")"/*) ;;
*) export OGIVE_HOME=$source ;;
esac
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

[ -f .commands ] || { echo "$page: no commands"; exit 1; }
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
