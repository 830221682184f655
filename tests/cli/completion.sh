#!/bin/bash
# completion.sh - what bash offers behind words of a command line; zsh reads its script, and each
# command finds its options there.
. "$OGIVE_TEST_DATA/tap.sh"
mapfile -t commands < <(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$OGIVE_HOME/src/cli/commands.def")
run 0 --completion bash
cp "$out" ogive.bash
run 0 --completion zsh
cp "$out" _ogive
mkdir folder
touch folder.yaml

. ./ogive.bash || complain "bash cannot read its script"

# offers WORDS... - what is offered for the last word, in COMPREPLY; readline splits at `=`
offers() {
    COMP_WORDS=(ogive "$@")
    COMP_CWORD=$#
    _ogive "$ogive" "${COMP_WORDS[$#]}" "${COMP_WORDS[$# - 1]}"
}

# is WORDS... -- OFFERED... - exactly these, in any order
is() {
    local line=()
    while [ "$1" != -- ]; do
        line+=("$1")
        shift
    done
    shift
    offers "${line[@]}"
    local found wanted
    found=$(printf '%s\n' "${COMPREPLY[@]}" | sort -u | xargs)
    wanted=$(printf '%s\n' "$@" | sort -u | xargs)
    [ "$found" = "$wanted" ] || complain "${line[*]}: offers '$found', not '$wanted'"
}

# includes WORD... - are among what was offered
includes() {
    local word
    for word; do
        printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$word" ||
            complain "${COMP_WORDS[*]}: offers no $word"
    done
}

offers ""
includes "${commands[@]}" help version --man --completion
is sc -- scale scene scenes
is --c -- --completion
is help pro -- programs profile
is --man ru -- run
is --completion "" -- bash zsh
ok commands_are_completed

is run tiny --sc -- --scene
is run --re -- --resume
is check --m -- --memory
is scene render arcade --sa -- --samples
is scene info --in -- --instances
for command in "${commands[@]}"; do
    offers "$command" --
    # shellcheck disable=SC2046
    includes $("$ogive" "$command" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p')
done
ok options_are_those_of_help

is run ti -- tiny tiny-simt
is run fo -- folder folder.yaml
is graph rtx2060 rtx4 -- rtx4090
is run rtx2080 --scene cor -- cornell
is run rtx2080 --scene = cor -- cornell
is run rtx2080 --rays = -- primary secondary tertiary shadow occlusion
is run tiny --program mandel -- mandelbrot
is run tiny --builder h -- hlbvh
is run tiny --series "" -- chip all
is run tiny -o fol -- folder
is run tiny --threads "" --
is run rtx2080 --live ti -- tiny tiny-simt
is scene "" -- info render
is scene info corn -- cornell
is scene render arcade -o fold -- folder folder.yaml
is rays inf -- info
is units cac -- cache
is stats fo -- folder
is programs b -- build
is programs build hel -- hello
ok values_are_completed

if command -v zsh >/dev/null; then
    zsh -n _ogive 2>"$err" || complain "zsh: $(cat "$err")"
    # What the script hands over to zsh, instead of to its widgets.
    cat >ask.zsh <<'END'
compdef() {}
_describe() { print -r -- "describe ${(P)2}" "${(P)4}" }
_arguments() { print -rl -- "$CURRENT $words" "$@" }
compadd() { print -r -- "compadd $*" }
. ./_ogive
words=(ogive "$@")
CURRENT=${#words}
_ogive
_ogive_values +one +two
END
    zsh -f ask.zsh "" >"$out" 2>"$err" || complain "zsh: $(cat "$err")"
    has "$out" "run:Simulate an architecture"
    has "$out" "--completion:Print what makes"
    for command in "${commands[@]}"; do
        zsh -f ask.zsh "$command" "" >"$out" 2>"$err" || complain "zsh $command: $(cat "$err")"
        for option in $("$ogive" "$command" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'); do
            grep -qE "^\*?$option(=?\[)" "$out" || complain "zsh $command: offers no $option"
        done
    done
    zsh -f ask.zsh run tiny --sc >"$out"
    has "$out" "3 run tiny --sc"
    has "$out" "--scene=[shipped scene (\`ogive scenes\`), scene file, or any mesh]:NAME|FILE:_ogive_values scenes files"
    has "$out" "1: :_ogive_values archs files"
    has "$out" "compadd -- two"
    zsh -f ask.zsh scene render arcade --s >"$out"
    has "$out" "3 render arcade --s"
    has "$out" "--samples=[light paths per pixel"
    ok zsh_finds_the_options
else
    skip zsh_finds_the_options "no zsh"
fi

run 2 --completion
run 2 --completion fish
has "$err" "--completion: takes bash|zsh, the shell that is to complete"
ok other_shells_are_refused

finish
