#!/bin/bash
# layers.sh SOURCE - a folder of src/ includes headers of its own and of folders to its right only:
# those of one level do not include each other.
set -u
cd "$1/src" || exit 1
levels=(cli "live debug" report "predict explore" run profile result arch unit "rt isa dram" sim base)
status=0

level_of() {
    local i
    for i in "${!levels[@]}"; do
        case " ${levels[$i]} " in *" $1 "*) echo "$i" && return ;; esac
    done
    echo "tests/layers.sh knows no folder src/$1" >&2
    return 1
}

for folder in */; do
    from=${folder%/}
    own=$(level_of "$from") || exit 1
    while IFS=: read -r file line include; do
        to=${include#*\"} && to=${to%%/*}
        case $to in "$from" | ogive) continue ;; esac
        level=$(level_of "$to") || exit 1
        if [ "$level" -le "$own" ]; then
            echo "src/$file:$line: $from must not include $to"
            status=1
        fi
    done < <(grep -rnoE '#include "[a-z]+/[^"]+"' "$from" --include='*.[ch]')
done
exit $status
