#!/bin/bash
# kernels.sh DEF COMMAND... - the command, with the name of each kernel of programs/kernels/kernels.def
# behind it, runs that kernel at its smallest size. It compares its result with a plain computation
# bit for bit, so all machines that pass agree. Prints TAP.
set -u
def=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/ogive-kernels-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
number=0 status=0

kernels=$(sed -n 's/^KERNEL(\([a-z0-9_]*\),.*/\1/p' "$def")
for kernel in $kernels; do
    number=$((number + 1))
    if "$@" "$kernel" >text 2>&1 && grep -q "^kernel $kernel size [0-9]*: 0 wrong" text; then
        echo "ok $number - $kernel"
    else
        status=1
        sed 's/^/# /' text
        echo "not ok $number - $kernel"
    fi
    rm -rf run
done
echo "1..$number"
exit $status
