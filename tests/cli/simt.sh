#!/bin/bash
# simt.sh - programs on a SIMT machine, with warps of 4, 32 and 64 threads: all cycles are accounted
# for, and checkpoints resume, also in the middle of ways that have come apart. That they do what
# they do on cores: simt_programs.sh.
. "$OGIVE_TEST_DATA/tap.sh"

for width in 4 32 64; do
    run 0 run tiny-simt --set sm.subcore.width=$width --program mandelbrot --no-report \
        --out "mandelbrot-$width" -- 24 16
done
python3 - <<'EOF2' || complain "cycles or threads are missing"
import json
for width in 4, 32, 64:
    stats = json.load(open(f"mandelbrot-{width}/stats.json"))
    cores = stats["groups"]["sm.subcore[*]"]
    spent = sum(cores[name] for name in ("active", "passed", "hazard", "busy", "pipe", "fence", "pending", "barrier", "vacant", "halted"))
    assert spent == cores["cycles"] == 4 * stats["summary"]["cycles"] > 0
    assert cores["executed"] + cores["masked"] == width * cores["issued"] > 0
    assert stats["summary"]["instructions"] == cores["executed"]
EOF2
run 0 run tiny-simt --program mandelbrot --profile --out profiled -- 24 16
python3 - <<'EOF2' || complain "the profile or the ranking lacks cycles"
import json
cores = json.load(open("profiled/stats.json"))["groups"]["sm.subcore[*]"]
profile = json.load(open("profiled/profile.json"))
assert profile["thread_cycles"] == cores["cycles"] - cores["halted"] and profile["warps"]
found = json.load(open("profiled/bottleneck.json"))
tree = {tree["label"]: tree for tree in found["trees"]}["warp-cycles of all sub-cores"]
assert tree["cycles"] == sum(part["cycles"] for part in tree["parts"]) == cores["cycles"]
EOF2
run 0 profile profiled
has "$out" "warp-cycles while warps ran"
has "$out" "ready, but another warp issued"
ok every_warp_cycle_is_accounted_for

for settings in "" "--set sm.subcore.reconvergence=stack" "--set sm.subcore.reconvergence=order" \
    "--set sm.subcore.policy=two_level --set sm.subcore.active_warps=1"; do
    rm -rf kept resumed
    run 0 run tiny-simt $settings --program mandelbrot --checkpoint-every 5000 --no-report \
        --out kept -- 24 16
    run 0 run --resume kept/checkpoint.ogv --no-report --out resumed
    [ "$(digest kept)" = "$(digest resumed)" ] || complain "a resumed run ends elsewhere: $settings"
    cmp -s kept/image.png resumed/image.png || complain "a resumed run draws something else"
done
ok checkpoint_resumes

# A checkpoint with accesses in all stages of the memory pipe: in queue, buffer, L1, on their way back.
cat > staged.yaml <<'EOF2'
name: staged
clock: 1 GHz
domains:
  sm:
    units:
      subcore:
        type: subcore
        count: 4
        warps: 4
        width: 32
        pipe: staged
        pipe_arbiter: lsu
        pipe_read: 9 cycles
        pipe_interval: 4 cycles
        pipe_lanes: 2 cycles
        pipe_return: 64 B
        atomics_together: true
        execute: { load: l1, custom.next: dispatch, custom.barrier: barrier }
      lsu: { type: lsu, interval: 2 cycles }
      l1: { type: cache, size: 32 KiB, latency: 14 cycles, ports: 16, bursts: true, queue: 1024 }
      dispatch: { type: threads }
      barrier:  { type: barrier }
      memory:   { type: memory, size: 64 MiB, latency: 50 cycles, width: 4 }
    links:
      - subcore -> lsu
      - subcore -> dispatch
      - subcore -> barrier
      - subcore -> l1: { capacity: 16 }
      - l1 -> memory
EOF2
run 0 run tiny --program matmul --no-report --out matmul-mimd
run 0 run staged.yaml --program matmul --checkpoint-every 1777 --no-report --out kept-staged
run 0 run --resume kept-staged/checkpoint.ogv --no-report --out resumed-staged
[ "$(digest kept-staged)" = "$(digest resumed-staged)" ] || complain "a resumed run ends elsewhere"
cmp -s matmul-mimd/console.txt kept-staged/console.txt || complain "matmul prints something else"
python3 - <<'EOF2' || complain "cycles are missing, or nothing waited for the memory pipe"
import json
stats = json.load(open("kept-staged/stats.json"))
cores, lsu = stats["groups"]["sm.subcore[*]"], stats["groups"]["sm.lsu"]
spent = sum(cores[name] for name in ("active", "passed", "hazard", "busy", "pipe", "fence", "pending", "barrier", "vacant", "halted"))
assert spent == cores["cycles"] == 16 * stats["summary"]["cycles"] > 0
assert cores["pipe"] > 0 and lsu["accesses_l1"] == cores["accesses"] > 0
EOF2
ok staged_checkpoint_resumes

# A call to the host sees what was loaded just before it.
cat > late.c <<'EOF2'
#include <ogive/device.h>
static volatile uint32_t letters[2];
int main(void)
{
    if (ogv_hart())
        return 0;
    letters[0] = 'a', letters[1] = 'b';
    ogv_fence();
    __asm__ volatile("li a7, 1000\n\tli a0, 63\n\tlw a0, 0(%0)\n\tecall\n\t"
                     "li a0, 63\n\tlw a0, 4(%0)\n\tecall\n\tli a0, 10\n\tecall"
                     :
                     : "r"(letters)
                     : "a0", "a7", "memory");
    return 0;
}
EOF2
for machine in tiny tiny-simt; do
    run 0 run $machine --program late.c --no-report --out late-$machine
    [ "$(cat late-$machine/console.txt)" = ab ] || complain "a call did not wait on $machine"
done
ok calls_wait_for_their_arguments

# Constants through a cache of their own: the same answers, sooner, and memory does not see them.
cat > constants.yaml <<'EOF2'
extends: tiny-simt
domains:
  sm:
    units:
      subcore: { execute: { constant: constant } }
      constant: { type: cache, size: 2 KiB, line: 64 B, latency: 11 cycles }
    links:
      - subcore -> constant
      - constant -> memory
EOF2
cat > table.c <<'EOF2'
#include <ogive/device.h>
static const uint32_t table[64] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
static uint32_t sums[64];
int main(void)
{
    const volatile uint32_t *read = table;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 64; i++)
        sum = 3 * sum + read[i] + read[(i + ogv_hart()) % 64];
    sums[ogv_hart()] = sum;
    ogv_barrier();
    for (uint32_t i = 0; i < 4 && ogv_hart() == 0; i++)
        ogv_print("%u\n", sums[i]);
    return 0;
}
EOF2
for machine in tiny tiny-simt constants.yaml; do
    run 0 run $machine --program table.c --no-report --out "table-$machine"
    cmp -s table-tiny/console.txt "table-$machine/console.txt" || complain "other sums on $machine"
done
python3 - <<'EOF2' || complain "constants did not come from their cache"
import json
plain, cached = (json.load(open(f"table-{name}/stats.json")) for name in ("tiny-simt", "constants.yaml"))
assert cached["groups"]["sm.constant"]["hit_rate"] > 0.9
assert cached["groups"]["sm.constant"]["reads"] > cached["groups"]["sm.memory"]["reads"]
assert cached["summary"]["cycles"] < plain["summary"]["cycles"]
EOF2
run 2 run constants.yaml --set "sm.subcore.execute=load: memory, constant: memory" --program table.c --out wrong
has "$err" "constant needs a unit of its own, not that of load"
run 2 run tiny --set "sm.core.execute=load: memory, constant: memory" --program table.c --out wrong
has "$err" "constant needs a unit of its own"
ok constants_have_a_cache

# The lives of rays that warps trace: 32 take their places together, and waits add up. Energy of warps and
# the report know the machine as any other.
run 0 run rtx2080-simt --set sm.count=1 --set chip.barrier.arrivals=1 --set partition.dram.size=32MiB \
    --scene cornell --triangles 1000 --size 8x8 --rays secondary --trace-rays 1000 --out lives
python3 - <<'EOF2' || complain "lives of rays, energy or report lack something"
import collections, json
lives = json.load(open("lives/ray_traces.json"))
names = [reason["name"] for reason in lives["reasons"]]
assert len(lives["rays"]) == lives["rays_in_all"] == 64
for ray in lives["rays"]:
    at, sums = ray["begin"], collections.Counter()
    for begin, cycles, reason, *where in ray["events"]:
        assert begin == at and cycles > 0
        at, sums[names[reason]] = at + cycles, sums[names[reason]] + cycles
    assert at == ray["end"] and sums == ray["cycles"] and ray["ended"]
assert "warp-cycles of all sub-cores" in open("lives/report.html").read()
EOF2
run 0 energy lives
has "$out" "subcore"
ok lives_energy_and_report_of_warps

# Threads of a warp that take a lock, count with reservations, wait for a flag that another of them sets and
# come to a barrier one by one, while others look at the same sector all the time. There are more of them
# than requests may be under way.
cat > lock.c <<'EOF2'
#include <ogive/device.h>
static uint32_t lock, count, turn;
static volatile uint32_t inside;
static void counted(uint32_t *p)
{
    uint32_t old, fails;
    do
        __asm__ volatile("lr.w %0,(%2)\n\taddi %1,%0,1\n\tsc.w %1,%1,(%2)"
                         : "=&r"(old), "=&r"(fails) : "r"(p) : "memory");
    while (fails);
}
int main(void)
{
    while (ogv_atomic_compare_exchange_u32(&lock, 0, 1))
        ;
    ogv_fence();
    inside = inside + 1;
    ogv_fence();
    ogv_atomic_exchange_u32(&lock, 0);
    counted(&count);
    while (ogv_atomic_load_u32(&turn) != ogv_harts() - 1 - ogv_hart())
        ;
    ogv_atomic_add_u32(&turn, 1);
    ogv_barrier();
    if (ogv_hart() == 0)
        ogv_print("%u %u %u\n", inside, ogv_atomic_load_u32(&count), ogv_atomic_load_u32(&turn));
    return 0;
}
EOF2
for policy in least_pc stack order; do
    for settings in "" "--set sm.subcore.policy=greedy_youngest" "--set sm.subcore.requests=1" \
        "--set sm.subcore.pipe=staged --set sm.subcore.requests=7"; do
        run 0 run tiny-simt --set sm.subcore.width=32 --set sm.subcore.reconvergence=$policy \
            $settings --program lock.c --no-report --out "lock-$policy"
        [ "$(cat "lock-$policy/console.txt")" = "128 128 128" ] ||
            complain "threads keep each other from going on with '$policy' $settings"
    done
done
ok threads_of_a_warp_wait_for_each_other

# More warps than requests may be under way, all at one barrier.
run 0 run tiny-simt --set sm.subcore.warps=64 --set sm.subcore.width=4 \
    --set sm.blocks.registers=65536 --program blocksum --no-report --out many -- 1024 512
run 0 run tiny --program blocksum --no-report --out few -- 1024 512
cmp -s few/console.txt many/console.txt || complain "blocksum prints something else"
ok barriers_of_more_warps_than_requests

run 2 run tiny-simt --set sm.subcore.width=12 --program hello --out wrong
has "$err" "power of two"
ok wrong_width_is_refused
finish
