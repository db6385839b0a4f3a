#!/usr/bin/env bash
# A Slurm cluster of one node in a temporary folder, and a study on it. Debian: apt-get install slurm-wlm munge.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in munged slurmctld slurmd sbatch; do
  command -v "$program" > /dev/null || { echo "error: $program is missing: apt-get install slurm-wlm munge" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "error: the daemons of Slurm have to be started as root" >&2; exit 2; }

# Where jobs look for it: they do not get SLURM_CONF.
conf=/etc/slurm/slurm.conf
[ ! -e "$conf" ] || { echo "error: there is a Slurm here already ($conf)" >&2; exit 2; }

cluster=$(mktemp -d /tmp/attention_explain_slurm.XXXXXX)
daemons=()
stop() {
  for daemon in "${daemons[@]}"; do kill "$daemon" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$cluster" "$conf"
}
trap stop EXIT

# munged refuses folders that others may write into.
chmod 755 "$cluster"
head -c 1024 /dev/urandom > "$cluster/munge.key"
chmod 600 "$cluster/munge.key"
munged --foreground --force --key-file "$cluster/munge.key" --socket "$cluster/munge.socket" \
  --pid-file "$cluster/munged.pid" --log-file "$cluster/munged.log" --seed-file "$cluster/munged.seed" \
  > "$cluster/munged.out" 2>&1 &
daemons+=($!)

node=$(hostname -s)
megabytes=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
# Not where an earlier one may still be ending.
port=$((20000 + RANDOM % 5000 * 2))
mkdir "$cluster/state" "$cluster/spool"
cat > "$cluster/slurm.conf" << END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$cluster/munge.socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MinJobAge=3600
# A busy machine answers late.
MessageTimeout=100
SlurmdTimeout=600
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$megabytes State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
mkdir -p "$(dirname "$conf")"
ln -s "$cluster/slurm.conf" "$conf"
slurmctld -D > "$cluster/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D > "$cluster/slurmd.log" 2>&1 &
daemons+=($!)

for attempt in $(seq 30); do
  timeout 5 sinfo --noheader --format %T 2> /dev/null | grep -q idle && break
  [ "$attempt" = 30 ] && { echo "error: Slurm does not start" >&2; cat "$cluster"/*.log "$cluster"/*.out >&2; exit 1; }
  sleep 1
done

# The profile of the project, and what a cluster without accounting needs besides.
mkdir "$cluster/profile"
cat attention_explain/workflow/profiles/slurm/config.yaml - > "$cluster/profile/config.yaml" << END
slurm-no-account: true
slurm-status-command: squeue
slurm-init-seconds-before-status-checks: 5
END
export ATTENTION_EXPLAIN_SLURM_PROFILE=$cluster/profile
OMP_NUM_THREADS=1 .venv/bin/python -m pytest tests/slurm -m slurm "$@"
