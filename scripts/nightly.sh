#!/bin/sh
# What is run every night. Arguments choose parts; without any, all of them in this order:
#   checks   licences, sources and advisories of dependencies by cargo-deny, which is built where
#            it is missing (minutes, once); test.sh, with ten minutes for each fuzz target instead of two seconds, and with
#            sources of a hundred thousand levels and of 50 MB
#   studies  tests too long for every day: how often intervals hold the ground truth, from hundreds
#            of simulated campaigns; the samplers against each other for more seeds; the tables
#            of docs/experiments; real projects fetched, counted against javac, compiled with
#            probes and without blocks, one with its own tests; method estimates of two
#            libraries held against async-profiler; projects of Gradle, which is installed for
#            them; energies of JUnit tests of a project of Maven (forty minutes)
#   faults   scripts/soak.sh: every kind of fault at ten moments of a campaign, then 500 runs
#            with random ones (twenty minutes)
#   golden   scripts/golden.sh: the outputs of small campaigns on every virtual board and of the
#            other commands are compared with committed SHA-256 sums (ten minutes)
#   second-user  what another user of this machine can read, write, end or run: as root, since the
#            tests become that user by setpriv
#   jdks     tests that depend on the JDK with each of 17, 21 and 25, all of which have to be
#            there
#   spark    the Python package for Apache Spark on a cluster of two executors, with the oldest
#            and the newest Spark that it takes; pip fetches them (ten minutes)
set -eu
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- checks studies faults golden second-user jdks spark
for part in "$@"; do
    echo "== $part"
    case $part in
    checks)
        sh scripts/upgrade-jdks.sh
        sh scripts/deny.sh install advisories
        WATTLINE_ROBUST=1 WATTLINE_FUZZ_SECONDS=${WATTLINE_FUZZ_SECONDS:-600} sh test.sh
        ;;
    studies)
        sh scripts/packages.sh night
        sh scripts/tests.sh -- --ignored \
            --skip every_fault_at_ten_moments --skip random_faults_for_many_runs
        ;;
    faults) sh scripts/soak.sh ;;
    golden) sh scripts/golden.sh ;;
    second-user)
        if [ "$(id -u)" != 0 ]; then
            echo "the part second-user has to become another user: run it as root" >&2
            exit 1
        fi
        cargo test --workspace --locked --test it second_user -- --include-ignored
        ;;
    jdks) sh scripts/test-jdks.sh all ;;
    spark)
        cargo build --release --locked
        sh scripts/spark-test.sh 3.5
        sh scripts/spark-test.sh
        ;;
    *)
        echo "no part $part: checks, studies, faults, golden, second-user, jdks, spark" >&2
        exit 2
        ;;
    esac
done
