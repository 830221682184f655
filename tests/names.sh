#!/bin/bash
# names.sh SOURCE - nothing above src/unit knows a unit type by its name, so that one from a shared
# object is as good as ours: no header of a unit, no struct or descriptor of one, no text that is
# exactly a type's name. What a type can do is in the roles of its descriptor.
set -u
cd "$1" || exit 1
types=$(sed -n 's/^UNIT(\(.*\))$/\1/p' src/unit/units.def | paste -sd '|')
[ -n "$types" ] || { echo "src/unit/units.def names no types"; exit 1; }
folders=()
for folder in arch result profile run predict explore report live debug cli; do
    [ -d "src/$folder" ] && folders+=("src/$folder")
done
status=0

# Texts that are a type's name and mean something else: file, text, what it means there.
exceptions() {
    cat <<'END'
report/ray_traces.js       cache    the end of a sentence
src/arch/export.c          blocks   how a link joins several units
src/cli/command_bvh.c      blocks   blocks of primitives
src/cli/options.h          threads  the option --threads: those of the host
src/debug/monitor.c        threads  a command: those of programs
src/cli/command_dram.c     dram     the command
src/cli/command_profile.c  source   the option --source: lines of the program
src/explore/attempt.c      memory   what a run that had none left says
src/cli/sweep_dry.c        memory   a column: of this machine
src/explore/study.c        memory   key of `limits:`: of this machine
src/cli/command_search.c   threads  the option --threads: those of the host
src/cli/command_sweep.c    threads  the option --threads: those of the host
src/cli/sweep_job.c        threads  the option --threads: those of the host
src/cli/machine_options.h  memory   the option --memory: of this machine
src/report/bottleneck_json.c delay  a kind of resource
src/report/sentences.c     memory   what was waited for, in words
src/result/machine.c       blocks   how a link joins several units
src/cli/silicon_launches.c grid     key of its file: that of a launch
src/run/launches.c         grid     a column of a table of launches
src/run/silicon_table.c    barrier  a group of measurements
src/predict/tiles.c        blocks   how a picture is divided
src/run/record.c           threads  key of run.json and stats.json: those of the host
END
}

# excepted FILE TEXT - whether an exception has it; leaves its first two words in `entry`.
excepted() {
    local file text meaning
    while read -r file text meaning; do
        entry="$file $text"
        # shellcheck disable=SC2053  # files may be patterns
        [[ $1 == $file && $2 == "$text" ]] && return 0
    done < <(exceptions)
    return 1
}

# found PATTERN FILE... - file:line:match of what the pattern matches.
found() {
    grep -rnoE --include='*.[ch]' --include='*.js' "$@"
}

while IFS=: read -r file line match; do
    echo "$file:$line: $match: belongs to a unit"
    status=1
done < <(found "#include \"unit/[a-z0-9_]+/[^\"]*\"|#include \"unit/($types)\.h\"|\
\<unit_type_($types)\>|\<struct ($types)\>" "${folders[@]}")

declare -A used
while IFS=: read -r file line match; do
    if excepted "$file" "${match:1:-1}"; then
        used[$entry]=1
        continue
    fi
    echo "$file:$line: $match: the name of a unit type"
    status=1
done < <(found "\"($types)\"" "${folders[@]}" report; found "'($types)'" report)

while read -r file text meaning; do
    [ -n "${used["$file $text"]:-}" ] && continue
    echo "tests/names.sh: no exception is needed for $text in $file ($meaning)"
    status=1
done < <(exceptions)
exit $status
