#!/bin/bash
# slurm_limit.sh - a run that takes longer than the time limit of its job, one minute, which is the
# least that Slurm has: the job is told in time, leaves a checkpoint, and puts itself back into the
# queue as often as it takes.
. "$OGIVE_TEST_DATA/../cli/tap.sh"
. "$OGIVE_TEST_DATA/one_node_slurm.sh"
slurm_or_skip
trap 'slurm_stop; rm -rf "$work"' EXIT

# study NAME MESSAGES
study() {
    printf '%s\n' "name: $1" "run: { machine: exchange, set: { node.source.messages: $2 } }" >"$1.yaml"
}

# journal - of the only run of the store
journal() {
    cat cluster/runs/*/*/attempts.txt 2>/dev/null
}

# A hundred times what a run of a second is: it cannot be done within a minute.
study endless 40000000
slurm_attend
run 5 sweep endless.yaml --store cluster --on slurm:time=1,signal=B:USR1@30 --detach --checkpoint-every 3600s
until [ "$(journal | grep -c '^begin')" -ge 3 ]; do sleep 0.5; done
[ "$(journal | grep -c 'interrupted$')" -ge 2 ] || complain "it did not end by itself: $(journal)"
[ "$(journal | awk '/^begin/ { print $7 }' | sort -u | wc -l)" = 1 ] || complain "not the same job: $(journal)"
until grep -qs resumed_from cluster/runs/*/*/try-3/run.json; do sleep 0.2; done
first=$(sed -n 's/.*resumed at cycle \([0-9]*\).*/\1/p' cluster/runs/*/*/try-2/log.txt)
second=$(sed -n 's/.*resumed at cycle \([0-9]*\).*/\1/p' cluster/runs/*/*/try-3/log.txt)
echo "# resumed at cycle $first, then at $second: $(journal | grep '^end' | paste -sd ';')"
[ "$second" -gt "$first" ] || complain "it does not get on: $first, then $second"
run 5 sweep status endless --store cluster
has "$out" "1 run"
run 0 sweep cancel endless --store cluster
ok a_job_goes_back_into_the_queue_before_its_limit

# One that is not told in time is ended by Slurm, a minute later. What it leaves is gone on with.
rm -rf cluster
run 5 sweep endless.yaml --store cluster --on slurm:time=1,signal=B:CONT@1 --detach --checkpoint-every 2s
until journal | grep -q '^end'; do
    squeue -h | grep -q . || break
    sleep 0.5
done
journal | grep -q '^end' && lacks cluster/runs/*/*/attempts.txt " done"
until ! squeue -h | grep -q .; do sleep 0.2; done
run 5 sweep endless.yaml --store cluster --on slurm --detach
until grep -qs resumed_from cluster/runs/*/*/try-2/run.json; do sleep 0.2; done
run 0 sweep cancel endless --store cluster
ok a_job_that_meets_its_limit_is_gone_on_with

finish
