#!/bin/bash
# slurm_kills.sh - fifty times, at a random moment, kill -9 of the sweep, of a job, of a run, of
# Slurm's daemons, or of all of it, as a power cut would: no result is lost, none is made twice, and
# tables are those of a sweep on this machine. OGIVE_SEED says which moments, OGIVE_KILLS how many.
. "$OGIVE_TEST_DATA/../cli/tap.sh"
. "$OGIVE_TEST_DATA/one_node_slurm.sh"
slurm_or_skip
trap 'slurm_stop; rm -rf "$work"' EXIT

cat >study.yaml <<'YAML'
run: { machine: exchange, set: { node.source.messages: 60000 } }
axes:
  latency: { set: bank.memory.latency, from: 20 cycles, to: 75 cycles, step: 5 cycles }
  nodes: { set: node.count, values: [6, 8] }
YAML
stats=(--stat cycles --stat node.source.sent --stat bank.memory.reads)
kills=${OGIVE_KILLS:-50} number=1 sweep=0
RANDOM=${OGIVE_SEED:-21}

run 0 sweep study.yaml --store here --quiet
run 0 sweep table study --store here "${stats[@]}" --format csv
cp "$out" expected

# ---- Victims ----

# Processes that are jobs of ours: those that began a try and are not over.
jobs_alive() {
    local attempts pid
    for attempts in store-"$number"/runs/*/*/attempts.txt; do
        [ -e "$attempts" ] || continue
        pid=$(awk '/^begin/ { pid = $5 } /^end/ { pid = "" } END { print pid }' "$attempts")
        [ -n "$pid" ] && grep -qsz job "/proc/$pid/cmdline" && echo "$pid"
    done
}

# One of the lines of standard input.
any_of() {
    local lines
    mapfile -t lines
    [ ${#lines[@]} = 0 ] || echo "${lines[RANDOM % ${#lines[@]}]}"
}

parent_of() {
    awk '/^PPid:/ { print $2 }' "/proc/$1/status" 2>/dev/null
}

# Of a job: itself, its run, or both and the part of Slurm that looks after it.
job_kill() {
    local job=$2 run
    run=$(pgrep -P "$job" | head -1)
    case $1 in
    job) kill -KILL "$job" ;;
    run) kill -KILL "$run" ;;
    node) kill -KILL "$(parent_of "$job")" "$job" "$run" ;;
    esac 2>/dev/null
}

slurm_cut() {
    slurm_kill
    sleep "0.$((RANDOM % 10))"
    slurm_daemons || complain "Slurm does not come back: $(tail -qn 2 "$slurm"/slurm*.log)"
    slurm_count_jobs_later
}

declare -A killed=([sweep]=0 [job]=0 [run]=0 [daemons]=0 [node]=0)
kill_one() {
    local what=$1 job hit=0
    case $what in
    sweep) kill -KILL $sweep 2>/dev/null && hit=1 ;;
    job | run)
        job=$(jobs_alive | any_of)
        [ -n "$job" ] && job_kill "$what" "$job" && hit=1
        ;;
    daemons) slurm_cut && hit=1 ;;
    node)
        for job in $(jobs_alive); do job_kill node "$job" && hit=1; done
        [ $hit = 0 ] || slurm_cut
        ;;
    esac
    killed[$what]=$((killed[$what] + hit))
    [ $hit = 1 ]
}

# ---- Sweeps ----

sweep_alive() {
    [ $sweep != 0 ] && kill -0 $sweep 2>/dev/null
}

# What a sweep left is gone on with; of a store that is whole, the next kills are for a new one.
sweep_start() {
    if "$ogive" sweep status study --store store-$number >/dev/null 2>&1; then number=$((number + 1)); fi
    "$ogive" sweep study.yaml --store store-$number --on slurm --retry --checkpoint-every 20000 >>sweep.out 2>&1 &
    sweep=$!
}

slurm_attend
victims=(sweep job run daemons node)
for ((n = 0; n < kills; n++)); do
    victim=${victims[RANDOM % 5]}
    sleep "$((RANDOM % 2)).$((RANDOM % 10))"
    for _ in $(seq 100); do # where there is nobody to kill, a little later
        if ! sweep_alive; then sweep_start; fi
        kill_one $victim && break
        sleep 0.1
    done
done
sweep_alive && wait $sweep
echo "# $kills kills in $number stores: $(for what in "${victims[@]}"; do echo -n "${killed[$what]} of $what, "; done)"

# ---- What is left of it ----

for store in store-*; do
    for _ in 1 2 3; do
        "$ogive" sweep study.yaml --store "$store" --on slurm --retry --checkpoint-every 20000 >>sweep.out 2>&1 && break
    done
    run 0 sweep table study --store "$store" "${stats[@]}" --format csv
    cmp -s "$out" expected || complain "$store: $(diff "$out" expected | head -5)"
    [ "$(find "$store/runs" -name run.json | wc -l)" = 24 ] || complain "$store: not 24 results"
    [ -z "$(find "$store/runs" -name 'try-*')" ] || complain "$store: tries are left"
    for folder in here/runs/*/*; do
        [ "$(digest "$folder/run")" = "$(digest "$store${folder#here}/run")" ] ||
            complain "$store: ${folder##*/}: another digest"
        [ "$(grep -c ' done$' "$store${folder#here}/attempts.txt")" -le 1 ] ||
            complain "$store: ${folder##*/} was made twice"
    done
done
ok kill_9_of_sweeps_jobs_runs_and_slurm

finish
