# tap.sh - the little that the command-line tests share. Source it; it moves to an empty folder.
#
#   run CODE ARGS...    run ogive, expect that exit code; output in $out, $err
#   has FILE TEXT       the file contains the text
#   ok NAME             the checks since the last ok decide
#   skip NAME REASON    what NAME would check cannot be checked here
#   finish              print the plan
ogive=$OGIVE_PROGRAM
data=$OGIVE_TEST_DATA
work=$(mktemp -d "${TMPDIR:-/tmp}/ogive-cli-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/.cache # nothing of the user's is used or changed
out=$work/.out err=$work/.err
tests=0 good=1

complain() {
    good=0
    sed 's/^/# /' <<<"$*"
}

run() {
    local want=$1
    shift
    "$ogive" "$@" >"$out" 2>"$err" </dev/null
    local got=$?
    [ "$got" = "$want" ] || complain "ogive $*: exit code $got, not $want: $(head -3 "$err")"
}

has() {
    grep -qF -- "$2" "$1" || complain "$1 lacks '$2': $(head -3 "$1")"
}

lacks() {
    if grep -qF -- "$2" "$1"; then complain "$1 has '$2'"; fi
}

digest() {
    sed -n 's/.*"digest": "\(.*\)".*/\1/p' "$1/stats.json"
}

ok() {
    tests=$((tests + 1))
    if [ "$good" = 1 ]; then echo "ok $tests - $1"; else echo "not ok $tests - $1"; fi
    good=1
}

skip() {
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

finish() {
    echo "1..$tests"
}
