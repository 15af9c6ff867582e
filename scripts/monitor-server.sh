#!/bin/sh
# The monitor on a real server under load: Jetty (from Maven, by name and hash) with a
# small shop (scripts/monitor/Shop.java), driven by Load.java at a fixed rate, or by ab.
#
#   scripts/monitor-server.sh start [ROUNDS]      start of the server, per way of measuring
#   scripts/monitor-server.sh requests [ROUNDS]   CPU time and latency of requests with
#                                                 the agent and without
#   scripts/monitor-server.sh stable [SECONDS]    two recordings per way, rank correlation
#   scripts/monitor-server.sh soak [SECONDS]      memory of `monitor --prometheus` beside load
#                                                 and processes that come and go
#
# WAYS: one of the ways alone. MONITOR: more options of the monitor for `requests`.
# WATTLINE: the program (default target/debug/wattline). OUT: where recordings go (default
# target/monitor-server). SERVE: options of the monitor (default --tdp 65). Debian: apt-get
# install apache2-utils.
set -eu
cd "$(dirname "$0")/.."
what=${1:-all}
wattline=${WATTLINE:-target/debug/wattline}
out=${OUT:-target/monitor-server}
serve=${SERVE:---tdp 65}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v ab >/dev/null || { echo "ab is missing: apt-get install apache2-utils" >&2; exit 2; }
work=$(mktemp -d)
server="" monitor=""
stop() {
    [ -z "$monitor" ] || { kill "$monitor" 2>/dev/null || true; wait "$monitor" 2>/dev/null || true; monitor=""; }
    [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=""; }
}
trap 'stop; rm -rf "$work"' EXIT INT TERM

jetty() {
    cargo build -q --example fetch
    while read -r name hash; do
        target/debug/examples/fetch "$name" "$hash"
    done <<JARS
org.eclipse.jetty:jetty-server:12.0.8 b0e3ed8806b9d3c39f023e5c91371b3c6f5144f17f2aa5ee538bdfcbf0b12509
org.eclipse.jetty:jetty-http:12.0.8 f0361383bdba1cf8f56656d3507d59a0c4957dbf8990a04bfe891a7aaec2bf9d
org.eclipse.jetty:jetty-io:12.0.8 67a7b52ccccaf67c34b9f0c0ae4df72e70fed58d4bbb4f90b2b57861c295daae
org.eclipse.jetty:jetty-util:12.0.8 39ac62918fd47ee232f00ff36c23c1234a0213b0c920519f92a0e8806cee5def
org.slf4j:slf4j-api:2.0.12 a79502b8abdfbd722846a27691226a4088682d6d35654f9b80e2a9ccacf7ed47
JARS
}
classes=${CLASSES:-$out/classes}
mkdir -p "$classes"
[ -f "$classes/path" ] || jetty | tr '\n' ':' >"$classes/path"
classpath=$classes:$(cat "$classes/path")
[ -f "$classes/Load.class" ] || "${java}c" -cp "$classpath" -d "$classes" scripts/monitor/*.java

# port of a started server whose output is in $work/log
port() {
    for _ in $(seq 400); do
        sed -n 's/^port \([0-9]*\) .*/\1/p' "$work/log" | grep . && return
        sleep 0.05
    done
    cat "$work/log" >&2
    return 1
}

# requests as fast as they are answered
load() { # REQUESTS
    ab -q -k -c "${CONNECTIONS:-4}" -n "$1" "http://127.0.0.1:$port/search?q=lamp" >"$work/ab"
}

median() { sort -g | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

# one start: milliseconds from the call of java to the open port
start_ms() { # WAY
    : >"$work/log"
    begin=$(date +%s%N)
    case $1 in
    none) "$java" -cp "$classpath" Shop >"$work/log" 2>&1 & server=$! ;;
    *) # shellcheck disable=SC2086
        "$wattline" -q monitor --headless $serve --mode "$1" --out "$work/start" --force -- \
            "$java" -cp "$classpath" Shop >"$work/log" 2>&1 & monitor=$! ;;
    esac
    until grep -q ^port "$work/log"; do sleep 0.005; done
    end=$(date +%s%N)
    stop
    echo $(((end - begin) / 1000000))
}

measure_start() {
    # the agent is built and everything is read once before
    for way in none sampling instrumentation; do start_ms $way >/dev/null; done
    for _ in $(seq "${1:-7}"); do
        for way in none sampling instrumentation; do echo "$way $(start_ms $way)"; done
    done >"$work/start-times"
    none=$(awk '$1 == "none" { print $2 }' "$work/start-times" | median)
    for way in none sampling instrumentation; do
        awk -v way=$way '$1 == way { print $2 }' "$work/start-times" | median |
            awk -v way=$way -v none="$none" \
                '{ printf "start %-16s %7.0f ms %+7.1f %%\n", way, $1, 100 * ($1 / none - 1) }'
    done
}

# without an agent, but with the options that `monitor -- java` gives: a running JVM doesn't
# take them any more
plain_server() {
    : >"$work/log"
    "$java" -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -cp "$classpath" Shop >"$work/log" 2>&1 & server=$!
    port=$(port)
}

# two servers at a fixed rate of requests, on pinned cores; stacks are looked at within a
# second, but what is woven must be compiled first
measure_requests() { # WAY ROUNDS
    if [ "$1" = sampling ]; then settle=3; else settle=60; fi
    python3 scripts/monitor/overhead.py "$wattline" "$classpath" --way "$1" --rounds "${2:-5}" \
        --settle $settle --out "$work/attached" --monitor="${MONITOR:-}"
}

record() { # WAY NAME SECONDS
    plain_server
    load 20000
    # shellcheck disable=SC2086
    "$wattline" -q monitor --headless $serve --mode "$1" --jvm "$server" --duration "$3" \
        --out "$out/$2" --force >"$work/monitor.log" & monitor=$!
    while kill -0 "$monitor" 2>/dev/null; do load 2000; done
    wait "$monitor" || true
    monitor=""
    stop
    "$wattline" -q export "$out/$2" --format collapsed --force
}

# Spearman's rank correlation of the 20 methods that spend most in both recordings
correlation() { # RECORDING RECORDING
    awk '{ weight = $NF; $NF = ""; if (FILENAME ~ first) a[$0] += weight; else b[$0] += weight; all[$0] += weight }
        END { for (m in all) print all[m] + 0, a[m] + 0, b[m] + 0 }' first="$(basename "$1")/" \
        "$1/energy.collapsed" "$2/energy.collapsed" | sort -rg | head -20 |
        awk '{ a[NR] = $2; b[NR] = $3 }
            function rank(x, i,   j, r) { r = 1; for (j = 1; j <= NR; j++) { if (x[j] > x[i]) r++; else if (x[j] == x[i] && j != i) r += 0.5 } return r }
            END { for (i = 1; i <= NR; i++) { p = rank(a, i); q = rank(b, i); sp += p; sq += q; pp += p * p; qq += q * q; pq += p * q }
                  n = NR; printf "%.3f over %d methods\n", (pq - sp * sq / n) / sqrt((pp - sp * sp / n) * (qq - sq * sq / n)), n }'
}

measure_stable() {
    for way in ${WAYS:-sampling instrumentation}; do
        record "$way" "$way-1" "${1:-40}"
        record "$way" "$way-2" "${1:-40}"
        echo "stable $way: rank correlation $(correlation "$out/$way-1" "$out/$way-2")"
    done
}

# a field of the monitor's memory in kilobytes
memory() { sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$monitor/status"; }

# readings of the metrics, and processes of a moment, between two looks at the memory
measure_soak() { # SECONDS
    for way in ${WAYS:-sampling instrumentation}; do
        plain_server
        # shellcheck disable=SC2086
        "$wattline" monitor --headless $serve --mode "$way" --jvm "$server" --duration "$1" \
            --prometheus 127.0.0.1:0 >"$work/monitor.log" 2>&1 & monitor=$!
        until grep -q "^metrics: " "$work/monitor.log"; do sleep 0.2; done
        metrics=$(sed -n 's/^metrics: //p' "$work/monitor.log")
        begin=$(date +%s) said=$(date +%s)
        while kill -0 "$monitor" 2>/dev/null; do
            load 500 || true
            seq 100 | while read -r number; do sh -c "exit 0$number" || true; done 2>/dev/null
            ab -q -n 5 "$metrics" >/dev/null 2>&1 || true
            rss=$(memory VmRSS 2>/dev/null) peak=$(memory VmHWM 2>/dev/null)
            now=$(date +%s)
            if [ -n "$rss" ] && [ $((now - said)) -ge 15 ]; then
                said=$now
                echo "soak $way: $((now - begin)) s, $rss kB, at most $peak kB"
            fi
        done
        wait "$monitor" || true
        monitor=""
        stop
    done
}

case $what in
start) measure_start "${2:-7}" ;;
requests) for way in ${WAYS:-sampling instrumentation}; do measure_requests "$way" "${2:-5}"; done ;;
stable) measure_stable "${2:-40}" ;;
soak) measure_soak "${2:-3600}" ;;
all) measure_start; for way in sampling instrumentation; do measure_requests $way; done; measure_stable ;;
*) sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
