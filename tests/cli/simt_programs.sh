#!/bin/bash
# simt_programs.sh - every shipped program on cores and in warps of 4, 32 and 64 threads, as many
# threads in all: what they print, draw and hit is the same bit for bit, with all ways to let
# threads meet again. Nothing is excepted but the times that some print: no shipped program adds
# floats atomically, whose sum would depend on the order.
. "$OGIVE_TEST_DATA/tap.sh"

# What a program is given to do; one that is not named here, nothing.
arguments() {
    case $1 in
    blocksum) echo -- 256 16 ;;
    chase) echo -- 256 64 ;;
    mandelbrot) echo -- 24 16 ;;
    matmul) echo -- 16 ;;
    reduce) echo -- 1024 ;;
    triad) echo -- 1024 ;;
    vector_add) echo -- 1024 ;;
    occlusion | shadow) echo --scene cornell --triangles 1000 --size 8x8 --samples 1 ;;
    pathtrace) echo --scene cornell --triangles 1000 --size 8x4 --samples 1 ;;
    trace) echo --scene cornell --triangles 1000 --size 8x8 --rays secondary ;;
    esac
}

# What a run printed, but for times.
printed() {
    [ ! -e "$1/console.txt" ] ||
        sed -E 's/[0-9.]+ (cycles per step|bytes per cycle)//' "$1/console.txt"
}

# same NAME CORES WARPS: two runs ended in the same way.
same() {
    [ "$(printed "$2")" = "$(printed "$3")" ] || complain "$1 prints something else: $(printed "$3")"
    if [ -e "$2/image.png" ] || grep -q '"scene": "' "$2/run.json"; then
        cmp -s "$2/image.png" "$3/image.png" || complain "$1 draws something else in $3"
    fi
}

# simt OUT PROGRAM WIDTH [OPTIONS]: a run on `tiny-simt`.
simt() {
    local folder=$1 program=$2 width=$3
    shift 3
    run 0 run tiny-simt --set sm.subcore.width="$width" --program "$program" --no-report \
        --out "$folder" "$@"
}

run 0 programs
# The blocks of `kernels` are larger than this machine; programs/kernels.sh has them on one.
# `stream_trace` and `stream_pathtrace` take one that holds rays; stream_pictures.sh has them in warps.
programs=$(cut -d ' ' -f 1 "$out" | grep -vxE 'kernels|stream_trace|stream_pathtrace')
for program in $programs; do
    read -ra given <<<"$(arguments "$program")"
    for width in 4 32 64; do
        run 0 run tiny --set sm.core.count=$((2 * width)) --program "$program" --no-report \
            --out "$program-$width" "${given[@]}"
        simt "$program-$width-simt" "$program" $width "${given[@]}"
        same "$program" "$program-$width" "$program-$width-simt"
    done
    for policy in stack order; do
        simt "$program-$policy" "$program" 32 --set sm.subcore.reconvergence=$policy "${given[@]}"
        same "$program" "$program-32" "$program-$policy"
    done
    ok "same_with_$program"
done

# With RT cores, whose rays come by warps.
small=(--set sm.count=1 --set chip.barrier.arrivals=1 --set partition.dram.size=32MiB --no-report
    --scene cornell --triangles 1000 --size 8x8)
for kind in "--rays secondary" "--program pathtrace --samples 1"; do
    read -ra given <<<"$kind"
    run 0 run rtx2080 "${small[@]}" "${given[@]}" --out "rt-${given[1]}"
    for width in 4 32 64; do
        run 0 run rtx2080-simt "${small[@]}" "${given[@]}" --set sm.subcore.width=$width \
            --set sm.rt.warp=$width --set sm.rt.joins=warp --set sm.rt.policy=warp \
            --set sm.rt.coalesce=warp --out "rt-${given[1]}-$width"
        same "${given[1]}" "rt-${given[1]}" "rt-${given[1]}-$width"
    done
    for policy in stack order; do
        run 0 run rtx2080-simt "${small[@]}" "${given[@]}" --set sm.subcore.reconvergence=$policy \
            --out "rt-${given[1]}-$policy"
        same "${given[1]}" "rt-${given[1]}" "rt-${given[1]}-$policy"
    done
    # With a front end, collectors and a memory pipe as well.
    run 0 run rtx2070s "${small[@]}" "${given[@]}" --out "rt-${given[1]}-2070"
    same "${given[1]}" "rt-${given[1]}" "rt-${given[1]}-2070"
    ok "same_hits_of_RT_cores_with_${given[1]}"
done
finish
