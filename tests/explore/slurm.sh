#!/bin/bash
# slurm.sh - a study of 24 runs on a real Slurm of one node, of which a job and then all daemons are
# killed in the middle: its table is that of a sweep on this machine, bit for bit.
. "$OGIVE_TEST_DATA/../cli/tap.sh"
. "$OGIVE_TEST_DATA/one_node_slurm.sh"
slurm_or_skip
trap 'slurm_stop; rm -rf "$work"' EXIT

cat >study.yaml <<YAML
run: { machine: exchange, set: { node.source.messages: 16000 } }
axes:
  latency: { set: bank.memory.latency, from: 20 cycles, to: 75 cycles, step: 5 cycles }
  nodes: { set: node.count, values: [6, 8] }
YAML
stats=(--stat cycles --stat node.source.sent --stat bank.memory.reads)

results() {
    find "$1/runs" -path '*/run/stats.json' 2>/dev/null | wc -l
}

run 0 sweep study.yaml --store here --quiet
run 0 sweep table study --store here "${stats[@]}" --format csv
cp "$out" expected

slurm_attend
"$ogive" sweep study.yaml --store cluster --on slurm --checkpoint-every 20000 >sweep.out 2>&1 &
sweep=$!

# A job that is told that its time is nearly up puts itself back into the queue.
until job=$(squeue -h -r -t R -o %i | head -1) && [ -n "$job" ] || ! kill -0 $sweep; do sleep 0.05; done
scancel --signal=USR1 --batch "$job" 2>/dev/null

# A job is killed, then all daemons are.
until [ "$(results cluster)" -ge 8 ] || ! kill -0 $sweep; do sleep 0.05; done
for attempts in cluster/runs/*/*/attempts.txt; do
    [ -e "$(dirname "$attempts")/result.json" ] && continue
    kill -KILL "$(awk '/^begin/ { pid = $5 } END { print pid }' "$attempts")" 2>/dev/null && break
done
sleep 0.2
slurm_kill
sleep 1
slurm_daemons || complain "Slurm does not come back"
slurm_count_jobs
wait $sweep
code=$?
[ $code = 0 ] || complain "the sweep ends with $code: $(tail -3 sweep.out) $(tail -qn 2 cluster/studies/study.jobs/*.log | tail -3)"
[ "$(results cluster)" = 24 ] || complain "$(results cluster) results"
run 0 sweep table study --store cluster "${stats[@]}" --format csv
cmp -s "$out" expected || complain "$(diff "$out" expected | head -5)"
for folder in here/runs/*/*; do
    [ "$(digest "$folder/run")" = "$(digest "cluster${folder#here}/run")" ] ||
        complain "${folder##*/}: another digest"
done
ok a_study_on_slurm_is_one_on_this_machine

run 0 sweep study.yaml --store cluster --on slurm
has "$out" "24 runs, 24 done"
run 2 sweep study.yaml --store cluster --on slurm:Partition=x
has "$err" "'Partition=x' is not an option of sbatch"
run 1 sweep study.yaml --store nowhere --on slurm:partition=nowhere
has "$err" "sbatch failed: sbatch: error: invalid partition specified: nowhere"
ok what_slurm_says_is_passed_on

sed 's/messages: [0-9]*/messages: 4000000/' study.yaml >long.yaml
run 5 sweep long.yaml --store cluster --on slurm --detach
until squeue -h -r -t R | grep -q .; do sleep 0.1; done
run 0 sweep cancel long --store cluster
has "$out" "1 array of jobs cancelled"
for _ in $(seq 100); do
    run 5 sweep status long --store cluster
    grep -q running "$out" || break
    sleep 0.2
done
lacks "$out" "running"
lacks "$out" "failed"
ok a_study_can_be_cancelled

# A node that fails with jobs that must not be put back into the queue.
# Nothing of the study before may be there: its jobs are not those to wait for.
while squeue -h -r | grep -q .; do sleep 0.1; done
sed '/nodes:/d; s/from: .*/values: [20 cycles] }/; s/messages: [0-9]*/messages: 4000000/' study.yaml >node.yaml
"$ogive" sweep node.yaml --store cluster --on slurm:no-requeue --quiet >"$out" 2>"$err" &
sweep=$!
until squeue -h -r -t R | grep -q .; do sleep 0.1; done
scontrol update NodeName=localhost State=down Reason=test
wait $sweep
[ $? = 1 ] || complain "a node failed, and the sweep does not say so: $(cat "$err")"
scontrol update NodeName=localhost State=resume
run 1 sweep status node --store cluster
has "$out" "lost node"
ok a_node_that_fails_is_told

finish
