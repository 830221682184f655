#!/bin/bash
# faults.sh - a fault inside a unit ends the program as it always does, but not without a line that
# names the unit, its type, where that came from, and the cycle.
. "$(dirname "$0")/../cli/tap.sh"
ulimit -c 0
# The program's own report is looked at, not that of a sanitizer.
quiet=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}$quiet
export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}$quiet
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}$quiet

library=$(realpath "$OGIVE_TEST_BUILD/faulty.so")
export OGIVE_UNIT_PATH=${library%/*}
cat >faulty.yaml <<END
unit_path: $library
domains:
  a:
    count: 4
    units:
      source: { type: source, messages: 1000 }
      good: { type: faulty, count: 3 }
    links: [ "source -> good[0]" ]
  b:
    count: 2
    units:
      good: { type: faulty }
  c:
    units:
      good: { type: faulty, count: 2 }
      mine: { type: faulty, count: 3 }
      sink: { type: sink }
    links: [ "mine[0].out -> sink" ]
END
mine="ogive: unit c.mine[0] (type faulty, from $library)"

# faulty CODE FAULT WORDS OPTIONS... - of the units that have the fault, the first meets it
faulty() {
    local code=$1 fault=$2 words=$3
    shift 3
    run "$code" run faulty.yaml --set c.mine.fault="$fault" --out "$fault" "$@"
    has "$err" "$words"
}

run 0 run faulty.yaml --out good
lacks "$err" "unit "
ok a_unit_without_fault_says_nothing

faulty 139 memory "$mine at cycle 5: segmentation fault at address 0x10"
faulty 139 null "$mine at cycle 7: segmentation fault at address 0x0" \
    --set c.mine.after=7cycles
lacks "$err" "stack"
faulty 135 bus "$mine at cycle 5: bus error"
faulty 132 instruction "$mine at cycle 5: illegal instruction"
faulty 134 abort "$mine at cycle 5: aborted"
faulty 139 memory "$mine at cycle 5: segmentation fault" --threads 3
ok each_fault_names_unit_and_cycle

if [ "$(uname -m)" = x86_64 ]; then
    faulty 136 division "$mine at cycle 5: arithmetic fault"
    ok a_division_by_zero_names_unit_and_cycle
else
    skip a_division_by_zero_names_unit_and_cycle "here it is no fault"
fi

faulty 139 stack "$mine at cycle 5: segmentation fault"
has "$err" " (the stack is used up)"
run 139 run faulty.yaml --set a.good.fault=other_stack --threads 4 --out other
has "$err" "].good[0] (type faulty, from $library) at cycle 5: segmentation fault"
has "$err" " (the stack is used up)"
ok a_stack_that_is_used_up_is_reported_on_every_thread

faulty 139 init "$mine in init at cycle 0: segmentation fault at address 0x0"
faulty 139 report "$mine in report at cycle "
ok faults_outside_of_ticks_say_in_which_function

faulty 134 push "internal error: link c.mine[0] -> c.sink pushed while full at cycle 5"
has "$err" "$mine at cycle 5: aborted"
ok a_broken_contract_names_the_link_and_the_unit

finish
