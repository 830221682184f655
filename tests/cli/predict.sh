#!/bin/bash
# predict.sh - `ogive predict`: all of the frame is the run itself; the same again is the same; what
# was interrupted goes on; wrong input is refused.
. "$OGIVE_TEST_DATA/tap.sh"

chip=(rtx2060 --set sm.count=4 --set partition.count=2 --set chip.barrier.arrivals=4
    --set partition.dram.size=64MiB --scene cornell --size 48x48 --progress none)

run 0 predict "${chip[@]}" --share 100% --parts 1 --evaluate -o all
run 0 run "${chip[@]}" --threads 1 --no-report -o whole
python3 - <<'EOF' || complain "all of the frame on all of the machine is not the run"
import json
predicted, run = (json.load(open(f"{f}/stats.json")) for f in ("all", "whole"))
for part in "groups", "units", "energy":
    assert predicted[part] == run[part], part
for name, value in run["summary"].items():
    if "wall" not in name and name not in ("work_seconds", "threads"):
        assert predicted["summary"][name] == value, name
for name, row in json.load(open("all/evaluation.json"))["figures"].items():
    assert row["low"] == row["predicted"] == row["high"], name
    assert row["relative_error"] < 1e-9, (name, row)
EOF
ok all_of_the_frame_is_the_run_itself

run 0 predict "${chip[@]}" --share 25% --against whole -o quarter
has "$out" "speed-up"
python3 - <<'EOF' || complain "evaluation.json is not as documented"
import json
e = json.load(open("quarter/evaluation.json"))
assert set(e) == {"figures", "speedup_processor_time", "speedup_wall_time", "share"}, set(e)
assert abs(e["share"] - 0.25) < 0.05
f = e["figures"]
for name in "cycles", "ipc", "l1_miss_rate", "l2_miss_rate", "dram_bandwidth_share", "energy_j", "sm.rt.occupancy":
    assert set(f[name]) == {"predicted", "low", "high", "true", "relative_error"}, name
    assert f[name]["low"] < f[name]["predicted"] < f[name]["high"], name
for name in "l1_hit_rate", "l2_hit_rate", "l2_miss_rate", "dram_efficiency":
    assert 0 <= f[name]["low"] and f[name]["high"] <= 1, (name, f[name])
assert f["cycles"]["relative_error"] < 0.3, f["cycles"]
assert f["rays"]["relative_error"] < 0.2, f["rays"]
s = json.load(open("quarter/stats.json"))
assert s["summary"]["status"] == "predicted"
assert s["intervals"]["cycles"]["low"] < s["summary"]["cycles"] < s["intervals"]["cycles"]["high"]
EOF
has quarter/report.html "l2_miss_rate"
[ -s quarter/chosen.png ] && [ -s quarter/cost.png ] || complain "there are no pictures"
run 0 stats quarter sm.l1.hits cycles
ok a_part_comes_near_the_whole

# Two SMs and a partition; of 72 blocks of 32 pixels one of each two.
run 0 predict "${chip[@]}" --parts 2 -o part
python3 - <<'EOF' || complain "not all blocks of the part, or not in their order"
lines = open("part/runs/group-1-repeat-1.txt").read().split()
firsts = [int(line.split("-")[0]) for line in lines]
assert lines == [f"{first}-{first + 31}" for first in firsts], lines
assert [first // 64 for first in firsts] == list(range(36)), lines
EOF
run 0 predict rtx2060 --scene cornell --size 16x16 --progress none -o thirtieth
has thirtieth/part.yaml "rtx2060-by-30"
run 0 predict rtx2060 --scene cornell --size 16x16 --alone --progress none -o alone
has alone/part.yaml "rtx2060-by-15"
ok all_of_the_smallest_part_unless_told_otherwise

# Half of the blocks, of which the part does a quarter; memory is asked by all of them.
run 0 predict "${chip[@]}" --counted 50% --against whole -o half
python3 - <<'EOF' || complain "half of the frame does not stand for all"
import json
made = json.load(open("half/prediction.json"))
assert made["counted"] == 0.5 and made["simulated"] * 8 == made["pieces"] and not made["alone"], made
part = json.load(open("half/runs/group-1-repeat-1/stats.json"))["groups"]
l1, l2 = part["sm.l1"], part["partition[*].l2"]
assert l2["reads"] > 2 * l1["misses"], (l1["misses"], l2["reads"])
figures = json.load(open("half/evaluation.json"))["figures"]
for name, limit in ("rays", 0.2), ("cycles", 0.4), ("partition.l2.reads", 0.3), ("partition.l2.writes", 0.1):
    assert figures[name]["relative_error"] < limit, (name, figures[name])
EOF
ok less_of_the_frame_beside_all_of_the_memory

run 0 predict "${chip[@]}" --share 25% --jobs 2 --threads 1 -o again
cmp -s quarter/stats.json again/stats.json || complain "the same is not the same again"
run 0 predict "${chip[@]}" --parts 2 --share 25% -o some
run 0 predict "${chip[@]}" --parts 2 --share 25% --choice-seed 2 -o other
cmp -s some/runs/group-1-repeat-1.txt other/runs/group-1-repeat-1.txt && complain "another seed has the same tiles"
ok seeds_give_equal_results

# A run that was lost on the way, as if killed: its mark comes last. The other is not repeated.
run 0 predict "${chip[@]}" --share 20% --repeats 2 -o twice
cp twice/stats.json before.json
rm -r twice/stats.json twice/runs/group-2-repeat-1.key twice/runs/group-2-repeat-1
echo kept >twice/runs/group-1-repeat-1/kept
run 0 predict "${chip[@]}" --share 20% --repeats 2 -o twice
cmp -s twice/stats.json before.json || complain "it does not go on to the same answer"
[ -e twice/runs/group-1-repeat-1/kept ] || complain "a run that was there was repeated"
ok what_was_interrupted_goes_on

for method in zatel zatel-code; do
    run 0 predict "${chip[@]}" --method $method -o $method
    [ "$(ls $method/runs/*.key | wc -l)" = 2 ] || complain "$method: not a run for each group"
done
run 0 predict "${chip[@]}" --method zatel --extrapolation exponential --share 40% -o curve
[ "$(ls curve/runs/*.key | wc -l)" = 6 ] || complain "not three shares of two groups"
run 0 predict "${chip[@]}" --method zatel --division coarse --choice fifth --share 30% -o coarse
run 0 predict "${chip[@]}" --share 15% --error 90% -o near
ok other_methods_predict_too

run 0 predict tiny --program mandelbrot --parts 2 --share 25% --evaluate -o work --progress none -- 64 64
has "$out" "pieces of work"
ok work_that_is_no_picture

for share in 0 0% -1 101% 2 x ''; do
    run 2 predict "${chip[@]}" --share "$share" -o never
    has "$err" "takes a share above 0 and up to 100%"
done
run 2 predict "${chip[@]}" --parts 5 -o never
has "$err" "there are 4 of 'sm'"
run 2 predict "${chip[@]}" --parts 0 -o never
run 2 predict "${chip[@]}" --method zattel -o never
has "$err" "did you mean 'zatel'"
run 2 predict "${chip[@]}" --budget soon -o never
has "$err" "takes a time, as 90s"
run 2 predict "${chip[@]}" --against nowhere --share 15% -o near
has "$err" "there is no folder 'nowhere'"
run 2 predict tiny --program hello --parts 1 -o never
has "$err" "has no pieces of work"
run 2 predict tiny --program mandelbrot --parts 2 --method zatel -o never -- 64 64
has "$err" "no pixels of a picture"
run 2 predict
ok wrong_input_is_refused

finish
