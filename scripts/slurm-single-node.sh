#!/bin/sh
# A Slurm of one node on this machine, for tests: no systemd, no cgroups, nothing outside DIR.
#
#   scripts/slurm-single-node.sh start DIR   starts munged, slurmctld and slurmd with state in DIR,
#                                            and prints the SLURM_CONF that clients need
#   scripts/slurm-single-node.sh stop DIR    ends them, and only them
#
# Needs Debian's slurm-wlm and munge, and root (slurmd sets user ids). Jobs must not expect more
# than this machine has.
set -eu

usage() { sed -n 's/^# \{0,1\}//p' "$0" | sed -n 1,8p >&2; exit 2; }
fail() { echo "$1" >&2; exit 1; }
[ $# -eq 2 ] || usage
action=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)

# Ends the process of a pid file, if it is still the program that wrote it.
end() {
    [ -s "$dir/$1.pid" ] || return 0
    pid=$(cat "$dir/$1.pid")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ]; then
        kill "$pid" 2>/dev/null || true
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.5
        done
        kill -9 "$pid" 2>/dev/null || true
    fi
    rm -f "$dir/$1.pid"
}

stop() { for daemon in slurmd slurmctld munged; do end "$daemon"; done; }

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

start() {
    for program in munged slurmctld slurmd sinfo; do
        command -v "$program" >/dev/null || fail "$program is not installed: apt-get install slurm-wlm munge"
    done
    [ "$(id -u)" = 0 ] || fail "starting slurmd needs root"
    host=$(hostname -s)
    cpus=$(nproc)
    memory=$(awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
    chmod 755 "$dir"
    mkdir -p "$dir/state" "$dir/spool" "$dir/munge"
    chmod 711 "$dir/munge"
    [ -s "$dir/munge/key" ] || dd if=/dev/urandom of="$dir/munge/key" bs=1024 count=1 2>/dev/null
    chmod 600 "$dir/munge/key"
    munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed"
    cat > "$dir/slurm.conf" <<CONF
ClusterName=single
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
InactiveLimit=0
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF="$dir/slurm.conf"
    slurmctld -c -f "$SLURM_CONF" >"$dir/start.log" 2>&1 || { stop; fail "slurmctld did not start: see $dir"; }
    slurmd -f "$SLURM_CONF" >>"$dir/start.log" 2>&1 || { stop; fail "slurmd did not start: see $dir"; }
    tries=0
    until [ "$(sinfo --noheader --format=%t 2>/dev/null)" = idle ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 60 ] || { stop; fail "the node did not come up: see $dir/slurmd.log"; }
        sleep 0.5
    done
    echo "SLURM_CONF=$SLURM_CONF"
}

case $action in
    start) start ;;
    stop) stop ;;
    *) usage ;;
esac
