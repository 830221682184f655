# stand.sh - what the tests share: a folder of their own, TAP, and gdb with commands. `gdb=no` before
# it: it need not be installed.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache HOME=$work
[ "${gdb:-}" = no ] || command -v gdb-multiarch >/dev/null || { echo "1..0 # SKIP gdb-multiarch is not installed"; exit 77; }
touch said
tests=0

ok() { # CONDITION WORDS
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then echo "ok $tests - $2"; else
        echo "not ok $tests - $2"
        sed 's/^/# /' said | tail -n 60
    fi
}

# debug NAME ARCH [options] - with the commands on standard input; what is said is in `said`.
debug() {
    local name=$1 arch=$2
    shift 2
    { printf 'set pagination off\nset confirm off\n' && cat; } >"$name.gdb"
    "$OGIVE_PROGRAM" debug "$arch" --out "$name" --script "$name.gdb" "$@" >said 2>&1
}

# said PATTERN WORDS - one line of what was said is like that.
said() {
    grep -q -- "$1" said
    ok $? "$2"
}

digest() { grep '"digest"' "$1/stats.json"; }
