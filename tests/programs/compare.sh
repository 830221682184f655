#!/bin/bash
# compare.sh NATIVE DEVICE ELF ARGUMENTS... - a program's native build and its build for the chip
# print the same and leave the same image: one hart with default arguments, one and five with those
# given, in the 1 KiB of private memory that a core has by default. Only measured times may differ.
set -u
native=$1 device=$2 elf=$3
shift 3
work=$(mktemp -d "${TMPDIR:-/tmp}/ogive-programs-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
status=0

run() { # NAME COMMAND... - leaves NAME.text, NAME.ppm
    local name=$work/$1
    shift
    if ! OGIVE_IMAGE=$name.ppm "$@" >"$name.text" 2>"$name.error"; then
        echo "failed: $*"
        cat "$name.text" "$name.error"
        status=1
    fi
    sed -i -E 's/[0-9.]+ (cycles per|bytes per)/T \1/' "$name.text"
    touch "$name.ppm"
}

compare() { # HARTS ARGUMENTS...
    export OGIVE_HARTS=$1
    shift
    run native "$native" "$@"
    run device "$device" "$elf" "$@"
    [ -s "$work/device.text" ] || { echo "printed nothing"; status=1; }
    diff "$work/native.text" "$work/device.text" || status=1
    cmp "$work/native.ppm" "$work/device.ppm" || status=1
    cat "$work/device.text" "$work/device.error"
    rm -f "$work"/*
}

[ "${elf##*/}" = calls.elf ] || compare 1
compare 1 "$@"
compare 5 "$@"
exit $status
