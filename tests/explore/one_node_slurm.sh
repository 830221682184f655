# one_node_slurm.sh - a Slurm of one node, all of it in $work and on loopback. Source it after
# tap.sh.
#
#   slurm_or_skip     starts munge, the controller and the node, or ends the test as one that is
#                     skipped
#   slurm_kill        ends the controller and the node at once, as a power cut would
#   slurm_count_jobs  has the node say which jobs it still has, when it can be believed; _later in
#                     the background
#   slurm_attend      from now on, jobs that were put back into the queue start at once, and a node
#                     that was taken out of use is taken into use again
#   slurm_stop        ends all of it, jobs too
slurm=$work/.slurm
export SLURM_CONF=$slurm/slurm.conf
slurm_pids=() slurm_attending= slurm_counting=

slurm_missing() {
    local tool
    PATH=$PATH:/usr/sbin
    for tool in munged slurmctld slurmd sbatch squeue scancel scontrol python3; do
        command -v "$tool" >/dev/null || echo "$tool"
    done
}

# Two ports of loopback that nobody listens at.
slurm_ports() {
    python3 -c 'import socket
held = [socket.socket() for _ in range(2)]
for one in held: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])'
}

slurm_configure() {
    local ports
    mkdir -p "$slurm/state" "$slurm/spool"
    chmod 755 "$work" "$slurm"
    head -c 1024 /dev/urandom >"$slurm/munge.key"
    chmod 600 "$slurm/munge.key"
    read -ra ports < <(slurm_ports)
    cat >"$SLURM_CONF" <<CONF
ClusterName=ogive
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
KillWait=5
MessageTimeout=5
BatchStartTimeout=1
MinJobAge=60
MailProg=/bin/true
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP
CONF
}

slurm_daemons() {
    slurmctld -D >"$slurm/slurmctld.out" 2>&1 &
    slurm_pids+=($!)
    slurmd -D -N localhost >"$slurm/slurmd.out" 2>&1 &
    slurm_pids+=($!)
    local i
    for i in $(seq 150); do
        [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return
        case $(sinfo -h -o %T 2>/dev/null) in mixed | allocated) return ;; esac
        sleep 0.2
    done
    return 1
}

slurm_start() {
    slurm_configure
    munged --foreground --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" \
        --pid-file="$slurm/munge.pid" --log-file="$slurm/munge.log" --seed-file="$slurm/munge.seed" \
        >"$slurm/munge.out" 2>&1 &
    munge_pid=$!
    local i
    for i in $(seq 50); do
        [ -S "$slurm/munge.socket" ] && break
        sleep 0.1
    done
    slurm_daemons
}

slurm_or_skip() {
    local missing
    missing=$(slurm_missing | paste -sd ' ')
    if [ -n "$missing" ]; then
        echo "1..0 # SKIP no $missing: install slurm-wlm and munge with ./run deps test"
        exit 0
    fi
    slurm_start && return
    echo "1..0 # SKIP Slurm does not start here: $(tail -qn 1 "$slurm"/slurm*.log | paste -sd ' ')"
    slurm_stop
    exit 0
}

slurm_kill() {
    kill -KILL "${slurm_pids[@]}" 2>/dev/null
    wait "${slurm_pids[@]}" 2>/dev/null
    slurm_pids=()
}

# A job that ended while there was nobody to tell counts as running until the node says which jobs
# it has, which it does every few minutes; and of jobs that began within the last seconds, of
# MessageTimeout and BatchStartTimeout, nobody believes it.
slurm_count_jobs() {
    sleep 8
    scontrol reconfigure
}

slurm_count_jobs_later() {
    [ -z "$slurm_counting" ] || kill "$slurm_counting" 2>/dev/null
    slurm_count_jobs >/dev/null 2>&1 &
    slurm_counting=$!
}

# They would wait for two minutes, and the node for an administrator: a controller that was killed may
# start a job again that is still there, and takes the node out of use.
slurm_attend() {
    while sleep 0.5; do
        case $(sinfo -h -o %T 2>/dev/null) in drain*)
            scontrol update NodeName=localhost State=resume >/dev/null 2>&1
            ;;
        esac
        for job in $(squeue -h -r -t PD -o %i 2>/dev/null); do
            scontrol update "JobId=$job" StartTime=now >/dev/null 2>&1
        done
    done &
    slurm_attending=$!
}

slurm_stop() {
    [ -z "$slurm_attending$slurm_counting" ] || kill $slurm_attending $slurm_counting 2>/dev/null
    slurm_attending= slurm_counting=
    scancel --user="$(id -un)" 2>/dev/null
    sleep 0.5
    slurm_kill
    kill "$munge_pid" 2>/dev/null
    wait "$munge_pid" 2>/dev/null
}
