#!/bin/bash
# programs.sh - programs as a user runs them: named, from source, native; good ones and failing ones.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 programs
for program in hello mandelbrot triad templates; do
    has "$out" "$program"
done
run 2 programs paint
run 2 run tiny --program helo
has "$err" "there is no program 'helo'"
ok programs_are_listed

run 0 run tiny --program hello --out a
has "$out" "hello from 8 harts"
has a/console.txt "hello from 8 harts"
has a/stats.json '"instructions":'
has a/stats.json '"exit_code": 0'
has a/run.json '"program": "hello"'
run 0 disasm a/program.elf
has "$out" "<main>:"
has "$out" "ecall"
run 2 disasm a/stats.json
run 2 disasm missing.elf
ok a_program_runs_by_name

# Every cycle of every thread has one reason, up to the last event and not beyond, however often
# one looks on the way.
run 0 run tiny --program hello --interval 7 --quiet --no-report --out a7
[ "$(digest a7)" = "$(digest a)" ] || complain "the interval changes the digest"
python3 - <<'EOF' || complain "thread-cycles are not threads times cycles"
import csv, json
for name in ("a", "a7"):
    stats, rows = json.load(open(name + "/stats.json")), list(csv.DictReader(open(name + "/series.csv")))
    cycles, core = stats["summary"]["cycles"], stats["groups"]["sm.core[*]"]
    reasons = ("issued", "passed", "hazard", "busy", "fetch", "fence", "halted")
    assert sum(core[reason] for reason in reasons) == core["cycles"] == 8 * cycles, core
    ends = [int(row["cycle"]) for row in rows]
    assert ends == sorted(set(ends)) and ends[-1] == cycles, ends[-3:]
    for reason in reasons + ("cycles",):
        assert sum(int(row["sm.core[*]." + reason]) for row in rows) == core[reason], reason
EOF
ok thread_cycles_are_threads_times_cycles

run 0 run tiny --program mandelbrot --out b -- 16 10
[ "$(head -c 4 b/image.png | tail -c 3)" = PNG ] || complain "b/image.png is no picture"
has b/run.json '"16"'
run 0 run tiny --program a/program.elf --out c
has c/console.txt "hello"
ok pictures_and_elf_files

cat >fails.c <<'END'
#include <ogive/device.h>
int main(int argc, char **argv)
{
    uint64_t what = ogv_argument(argc, argv, 1, 0);
    if (what == 1)
        *(volatile uint64_t *)0x7000000000 = 1;
    if (what == 2)
        __asm__ volatile(".word 0");
    if (what == 3)
        return 7;
    if (what == 4) {
        volatile char much[5000];
        for (int i = 0; i < 5000; i++)
            much[i] = 1;
    }
    return 0;
}
END
run 0 run tiny --program fails.c --out d
run 4 run tiny --program fails.c --out d -- 1
has "$err" "the program failed at cycle"
has "$err" "access to address 0x7000000000, where there is no memory"
has "$err" "main+"
has "$err" "fails.c:6"
has d/run.json '"status": "fault"'
has d/stats.json '"exit_code": null'
has "$out" "the program has not ended"
lacks "$out" "exit code"
run 4 run tiny --program fails.c --out d -- 2
has "$err" "illegal instruction"
run 4 run tiny --program fails.c --out d -- 3
has "$out" "exit code 7"
has d/stats.json '"exit_code": 7'
run 4 run tiny --program fails.c --out d -- 4
has "$err" "outside the 4096 bytes of private memory; more with --set sm.core.stack=8192B"
run 0 run tiny --program fails.c --set sm.core.stack=8192B --out d -- 4
ok failing_programs_are_explained

# How many a barrier waits for follows from the machine.
small=(--set sm.count=2 --set sm.core.threads=2 --no-report)
run 0 run rtx2080-compute "${small[@]}" --program triad --out follows
has "$out" ", 0 wrong"
run 3 run rtx2080-compute "${small[@]}" --set chip.barrier.arrivals=3 --program triad --out stands
has "$err" "  chip.barrier: 2 of 3 have come; that is everybody who is linked here: \`arrivals\` is too large"
cat >leaves.c <<'END'
#include <ogive/device.h>
int main(int argc, char **argv)
{
    if (ogv_hart() >= ogv_argument(argc, argv, 1, 0))
        ogv_barrier();
    return 0;
}
END
run 3 run tiny --program leaves.c --out left -- 1
has "$err" "  sm.barrier: 7 of 8 have come; waits for sm.core[0] (1 of 2)"
run 3 run tiny --program leaves.c --out left -- 4
has "$err" "  sm.barrier: 4 of 8 have come; waits for sm.core[0], sm.core[1]"
run 3 run rtx2080-compute "${small[@]}" --program leaves.c --out left -- 128
has "$err" "  chip.barrier: 1 of 2 have come; waits for sm[0].barrier"
ok barriers_wait_for_all_and_say_for_whom

# Threads that only poll are busy, yet nothing comes of it.
cat >waits.c <<'END'
#include <ogive/device.h>
static uint32_t flag;
static __attribute__((noinline)) void wait_for_nobody(void)
{
    while (!ogv_atomic_load_u32(&flag))
        ogv_pause();
}
int main(void)
{
    if (ogv_hart() < 6)
        wait_for_nobody();
    return 0;
}
END
run 0 run tiny --program waits.c --stop-after 2100000 --out waits
said="cycles no thread has written to shared memory, ended or used another unit: they wait for each other, or compute; of 6 threads 6 are in wait_for_nobody"
has "$err" "$said"
has waits/log.txt "$said"
run 0 run tiny --program waits.c --stop-after 1900000 --out waits
lacks "$err" "no thread has written"
ok a_run_that_only_polls_says_so

# Much more than a core can hold at a time, on chips of one domain and of several.
cat >talks.c <<'END'
#include <ogive/device.h>
int main(int argc, char **argv)
{
    uint64_t every = ogv_argument(argc, argv, 1, 1);
    for (unsigned i = 0; i < 400 && ogv_hart() % every == 0; i++)
        ogv_print("hart %u says %u\n", ogv_hart(), i);
    return 0;
}
END
# talked FOLDER HARTS EVERY - it holds all that was said, each hart's lines in their order.
talked() {
    python3 - "$@" <<'EOF' || complain "$1/console.txt is not complete"
import sys
folder, harts, every = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
said = {}
for line in open(folder + "/console.txt"):
    said.setdefault(int(line.split()[1]), []).append(line)
assert sorted(said) == list(range(0, harts, every)), sorted(said)
for hart, lines in said.items():
    assert lines == ["hart %d says %d\n" % (hart, i) for i in range(400)], hart
EOF
}
run 0 run tiny --program talks.c --no-report --out t1
talked t1 8 1
sed 's/ .*//' "$out" | sort | uniq -c | grep -q " 3200 hart" || complain "not all was shown"
run 0 run trax --program talks.c --threads 1 --no-report --out t2 -- 32
talked t2 128 32
run 0 run trax --program talks.c --threads 2 --no-report --out t3 -- 32
cmp -s t2/console.txt t3/console.txt || complain "threads change what is said"
[ "$(digest t2)" = "$(digest t3)" ] || complain "threads change the digest"
run 0 run trax --program talks.c --stop-after 300000 --checkpoint-every 100000 --no-report --out t4 -- 32
run 0 run --resume t4/checkpoint.ogv --no-report --out t5
cmp -s t2/console.txt t5/console.txt || complain "a resume changes what is said"
[ "$(digest t2)" = "$(digest t5)" ] || complain "a resume changes the digest"
ok all_that_programs_say_is_kept

echo 'int main(void) { return undeclared; }' >wrong.c
run 2 run tiny --program wrong.c --out e
has "$err" "undeclared"
run 2 run exchange --program hello --out e
has "$err" "no cores"
ok wrong_programs_are_refused

run 0 programs build hello --native -o native
./native >"$out" || complain "the native program failed"
has "$out" "hello from 4 harts"
run 0 programs build hello -o device.elf
run 0 disasm device.elf
ok programs_are_built

run 0 run tiny --program mandelbrot --stop-after 5000 --checkpoint-every 2000 --out f -- 24 30
has "$out" "the program has not ended"
has f/stats.json '"exit_code": null'
run 0 run --resume f/checkpoint.ogv --out g
has "$out" "exit code 0"
has g/stats.json '"exit_code": 0'
run 0 run tiny --program mandelbrot --out h -- 24 30
[ "$(digest g)" = "$(digest h)" ] || complain "the resumed program ends differently"
cmp -s g/image.png h/image.png || complain "the resumed program draws differently"
ok a_program_resumes_from_a_checkpoint

# What a checkpoint has in it is not taken a second time.
for option in --program=hello --scene=cornell --size=8x8 --samples=1 --bounces=4 --seed=1 \
    --triangles=0 --rays=primary --camera=a --builder=sah --nodes=bvh4 --primitives=tri48 \
    --software --heatmap; do
    run 2 run --resume f/checkpoint.ogv "$option" --out i
    has "$err" "${option%%=*} cannot change a checkpoint"
done
run 2 run --resume f/checkpoint.ogv --stop-after 3999 --out i
has "$err" "--stop-after 3999: f/checkpoint.ogv was taken at cycle 4000"
[ ! -e i ] || complain "a run that was refused has left a folder"
run 0 run --resume f/checkpoint.ogv --stop-after 4000 --out i
has i/stats.json '"cycles": 4000'
ok a_resumed_run_refuses_what_it_would_ignore

python3 - <<'EOF' || complain "the speed counts what was done before"
import json
g = json.load(open("g/stats.json"))["summary"]
since = g["cycles_per_wall_second"] * g["wall_seconds"]
assert abs(since - (g["cycles"] - 4000)) < 1, (since, g["cycles"])
EOF
run 0 run --resume f/checkpoint.ogv --stop-after 4500 --no-report --out j
has "$out" "stopped: 4500 cycles, 500 of them after the checkpoint, in"
ok the_speed_of_a_resumed_run_is_its_own

cat >stuck.yaml <<'EOF'
name: stuck
clock: 1 GHz
domains:
  sm:
    count: 2
    units:
      core: { type: core, execute: { load: odd, store: odd } }
      odd: { type: sfu }
    links:
      - core -> odd
EOF
run 2 run stuck.yaml --program hello --out stuck
has "$err" "stuck: requests for memory end in sm[0].odd, which stores nothing"
has "$err" "its type 'sfu' has no function \`toward\`"
has "$err" "docs/writing-a-unit.md"
ok a_unit_that_does_not_lead_to_memory_is_named

finish
