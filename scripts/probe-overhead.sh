#!/bin/sh
# What probes cost, against JaCoCo, in one run: thread CPU time of a warm round over
# plain, the median of alternating repetitions, in per cent; for log also in nanoseconds a
# block. `watched` is count with --watch-loops, as campaigns have it; `closed` is that with
# --closed-world.
#
#   scripts/probe-overhead.sh [REPETITIONS]
#
# WATTLINE: the program (default target/debug/wattline, which costs nothing here: only
# Java is measured). JAVA_HOME: the JDK. The first time it needs the network for JaCoCo.
set -eu
cd "$(dirname "$0")/.."
repetitions=${1:-7}
warm=6
rounds=5
wattline=${WATTLINE:-target/debug/wattline}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
jacoco=$HOME/.m2/repository/org/jacoco/org.jacoco.agent/0.8.14/org.jacoco.agent-0.8.14-runtime.jar
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

variants="plain count watched closed log"
[ -f "$jacoco" ] || mvn -q -B dependency:get -Dtransitive=false \
    -Dartifact=org.jacoco:org.jacoco.agent:0.8.14:jar:runtime || true
if [ -f "$jacoco" ]; then
    variants="plain jacoco count watched closed log"
else
    echo "JaCoCo is skipped: its agent can't be fetched" >&2
fi

"${java}c" -d "$work/driver" benches/probes/Driver.java
for probe in plain count watched closed log; do
    case $probe in
        watched) options="--probe count --watch-loops" ;;
        closed) options="--probe count --watch-loops --closed-world" ;;
        *) options="--probe $probe" ;;
    esac
    # shellcheck disable=SC2086 # several words
    "$wattline" -q instrument benches/probes/programs $options --out "$work/$probe" >"$work/messages" 2>&1 ||
        { cat "$work/messages" >&2; exit 1; }
    find "$work/$probe" -name '*.java' >"$work/files"
    "${java}c" -nowarn -d "$work/$probe.classes" "@$work/files"
done

run() { # VARIANT PROGRAM
    classes=$1 agent=""
    if [ "$1" = jacoco ]; then
        classes=plain
        agent="-javaagent:$jacoco=destfile=$work/jacoco.exec,dumponexit=false"
    fi
    # shellcheck disable=SC2086 # no agent is no argument
    WATTLINE_OUT=$work "$java" -XX:+UseSerialGC $agent \
        -cp "$work/driver:$work/$classes.classes" Driver "$2" "$warm" "$rounds"
    rm -f "$work"/wattline-log-*.bin
}

for repetition in $(seq "$repetitions"); do
    for program in NBody Shapes Tables; do
        for variant in $variants; do
            run "$variant" "$program" >"$work/out"
            echo "$program $variant $repetition $(cat "$work/out")" >>"$work/times"
            [ "$variant" != log ] || awk -F, -v program="$program" \
                '{ blocks += $2 } END { print program, blocks }' \
                "$work/wattline-counts-1.csv" >>"$work/blocks"
        done
    done
done

"$java" -version 2>&1 | head -1
awk -v variants="$variants" -v all_rounds=$((warm + rounds)) '
    FILENAME ~ /blocks$/ { blocks[$1] = $2 / all_rounds; next }
    { key = $1 " " $2; n[key]++; times[key, n[key]] = $4
      if (!($1 in result)) { result[$1] = $5; order[++programs] = $1 }
      if (result[$1] != $5) { print "different result: " $0; bad = 1 } }
    function median(key,   i, j, m, t, a) {
        m = n[key]
        for (i = 1; i <= m; i++) a[i] = times[key, i]
        for (i = 2; i <= m; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
        return m % 2 ? a[(m + 1) / 2] : (a[m / 2] + a[m / 2 + 1]) / 2
    }
    END {
        count = split(variants, v, " ")
        printf "%-8s %12s", "program", "plain_ms"
        for (i = 2; i <= count; i++) printf " %10s", v[i] "_%"
        print "     log_ns/block"
        for (p = 1; p <= programs; p++) {
            plain = median(order[p] " plain")
            printf "%-8s %12.1f", order[p], plain
            for (i = 2; i <= count; i++) printf " %+10.1f", 100 * (median(order[p] " " v[i]) / plain - 1)
            printf " %16.2f\n", 1e6 * (median(order[p] " log") - plain) / blocks[order[p]]
        }
        exit bad
    }' "$work/blocks" "$work/times"
