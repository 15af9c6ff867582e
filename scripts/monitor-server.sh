#!/bin/sh
# The monitor on a real server under load: Jetty (from Maven, by name and hash) with a
# small shop (scripts/monitor/Shop.java), driven by ab.
#
#   scripts/monitor-server.sh start [ROUNDS]      start of the server, per way of measuring
#   scripts/monitor-server.sh requests [PAIRS]    time per request with the agent and without
#   scripts/monitor-server.sh stable [SECONDS]    two recordings per way, rank correlation
#
# WAYS: one of the ways alone.
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
[ -f "$classes/Shop.class" ] || "${java}c" -cp "$classpath" -d "$classes" scripts/monitor/Shop.java

# port of a started server whose output is in $work/log
port() {
    for _ in $(seq 400); do
        sed -n 's/^port \([0-9]*\) .*/\1/p' "$work/log" | grep . && return
        sleep 0.05
    done
    cat "$work/log" >&2
    return 1
}

ticks() { sed 's/.*) //' "/proc/$server/stat" | awk '{ print $12 + $13 }'; }

# mean milliseconds of a request and the server's
# processor time for it, which other programs of the machine hardly touch
request_ms() { # REQUESTS
    before=$(ticks)
    wall=$(ab -q -k -c "${CONNECTIONS:-4}" -n "$1" "http://127.0.0.1:$port/search?q=lamp" |
        awk '/^Time per request/ && !/across/ { print $4 } /^Non-2xx|^Failed requests: *[1-9]/ { exit 1 }')
    echo "$wall $(($(ticks) - before))" | awk -v n="$1" '{ print $1, 10 * $2 / n }'
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

plain_server() {
    : >"$work/log"
    "$java" -cp "$classpath" Shop >"$work/log" 2>&1 & server=$!
    port=$(port)
}

attach() { # WAY
    # shellcheck disable=SC2086
    "$wattline" -q monitor --headless $serve --mode "$1" --jvm "$server" --out "$work/attached" --force \
        >"$work/monitor.log" 2>&1 & monitor=$!
    sleep 1
    kill -0 "$monitor" 2>/dev/null || { cat "$work/monitor.log" >&2; exit 1; }
}

# pairs in one JVM: without, with, without, with, ...; a JVM's own speed differs from start
# to start by more than the agent costs
measure_requests() { # WAY PAIRS
    plain_server
    request_ms "${WARM:-60000}" >/dev/null
    off=$(request_ms 10000)
    for _ in $(seq "${2:-5}"); do
        attach "$1"
        request_ms 20000 >/dev/null # what was woven is compiled anew
        on=$(request_ms 10000)
        kill "$monitor"; wait "$monitor" 2>/dev/null || true; monitor=""
        request_ms 20000 >/dev/null
        off2=$(request_ms 10000)
        echo "$off $on $off2"
        off=$off2
    done >"$work/pairs-$1"
    stop
    [ -z "${PAIRS:-}" ] || cat "$work/pairs-$1"
    for figure in "1 wall" "2 processor"; do
        # shellcheck disable=SC2086
        set -- "$1" $figure
        awk -v at="$2" '{ print 100 * ($(at + 2) / (($at + $(at + 4)) / 2) - 1) }' "$work/pairs-$1" >"$work/ratios"
        off=$(awk -v at="$2" '{ print $at; print $(at + 4) }' "$work/pairs-$1" | median)
        on=$(awk -v at="$2" '{ print $(at + 2) }' "$work/pairs-$1" | median)
        low=$(sort -g "$work/ratios" | head -1) high=$(sort -g "$work/ratios" | tail -1)
        median <"$work/ratios" | awk -v way="$1" -v what="$3" -v off="$off" -v on="$on" -v low="$low" -v high="$high" \
            '{ printf "request %-16s %-10s %.3f ms without, %.3f ms with: %+.1f %% (median of pairs; %+.1f to %+.1f)\n", way, what, off, on, $1, low, high }'
    done
}

record() { # WAY NAME SECONDS
    plain_server
    request_ms 20000 >/dev/null
    # shellcheck disable=SC2086
    "$wattline" -q monitor --headless $serve --mode "$1" --jvm "$server" --duration "$3" \
        --out "$out/$2" --force >"$work/monitor.log" & monitor=$!
    while kill -0 "$monitor" 2>/dev/null; do request_ms 2000 >/dev/null; done
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

case $what in
start) measure_start "${2:-7}" ;;
requests) for way in ${WAYS:-sampling instrumentation}; do measure_requests "$way" "${2:-5}"; done ;;
stable) measure_stable "${2:-40}" ;;
all) measure_start; for way in sampling instrumentation; do measure_requests $way; done; measure_stable ;;
*) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
