#!/bin/sh
# Campaigns on the virtual board to which something happens; every data set must be that of
# the undisturbed campaign. Usage: scripts/soak.sh [RUNS [SEED]]
#   scripts/soak.sh            every kind of fault at ten moments, then 500 runs with random ones
#   scripts/soak.sh 2000 7     only random faults, 2000 runs, from seed 7
# WATTLINE_FAULT=reboot and the like makes it one kind; WATTLINE_PROGRAM names another build.
set -eu
cd "$(dirname "$0")/.."

run() {
    cargo test --workspace --locked --test it "faults::$1" -- --ignored --nocapture --test-threads 1
}

if [ $# -eq 0 ]; then
    run every_fault_at_ten_moments
    [ -n "${WATTLINE_FAULT:-}" ] || run random_faults_for_many_runs
else
    WATTLINE_SOAK_RUNS=$1 WATTLINE_SOAK_SEED=${2:-1} run random_faults_for_many_runs
fi
