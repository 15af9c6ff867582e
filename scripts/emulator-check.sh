#!/bin/sh
# Does an Android device or emulator do with a package what wattline takes for granted? Builds a
# small program as a package, installs and starts it, and looks at its counts, its log, its
# compiled state and its samples. The counts must be those of the same program on this machine.
#
#   scripts/emulator-check.sh [SERIAL]
#
# SERIAL: as `adb devices` lists it; without one a virtual phone is started, and said.
# WATTLINE: the program (default target/release/wattline). Needs adb and a JDK. Exit code 1 if
# something is otherwise; what an older Android has not is told and passed over.
set -eu
cd "$(dirname "$0")/.."
wattline=$(command -v "${WATTLINE:-target/release/wattline}") || {
    echo "no program ${WATTLINE:-target/release/wattline}: cargo build --release, or name it by WATTLINE" >&2
    exit 2
}
work=$(mktemp -d)
board=
fifo=$work/board-input
clean() {
    [ -z "$board" ] || { exec 9>&-; wait "$board" 2>/dev/null || true; }
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "NOT SO: $*" >&2
    exit 1
}

# A server that is started by the way would keep this script's output open.
adb start-server >/dev/null 2>&1 </dev/null
serial=${1:-}
if [ -z "$serial" ]; then
    mkfifo "$fifo"
    "$wattline" board virtual --board pixel <"$fifo" >"$work/serial" 2>/dev/null &
    board=$!
    exec 9>"$fifo"
    tries=0
    until [ -s "$work/serial" ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "the virtual phone did not start"
        sleep 0.1
    done
    serial=$(head -n 1 "$work/serial")
    adb connect "$serial" >/dev/null
    echo "no serial given: on a VIRTUAL phone, $serial"
fi
on() {
    adb -s "$serial" "$@"
}
shell() {
    on shell "$@" 2>&1 | tr -d '\r'
}
sdk=$(shell getprop ro.build.version.sdk)
echo "Android $(shell getprop ro.build.version.release), API level $sdk, $(shell getprop ro.product.model)"

mkdir -p "$work/src/check"
cat >"$work/src/check/Main.java" <<'JAVA'
package check;

public final class Main {
    private Main() {
    }

    static double turn(double sum, int i) {
        return i % 3 == 0 ? sum * 0.5 + i : sum + Math.sqrt(i);
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0].substring("rounds=".length()));
        System.out.println("wattline: begin");
        double sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 100_000; i++) {
                sum = turn(sum, i);
            }
        }
        System.out.println("wattline: end" + (sum > 0 ? "" : " with nothing"));
    }
}
JAVA
cat >"$work/check.toml" <<'TOML'
name = "check"
[application]
package = "org.wattline.check"
main = "check.Main"
java_release = 11
granularity = "statement"
[[source]]
path = "src"
[session]
extras = { rounds = "30" }
[[input]]
name = "one"
TOML
package=org.wattline.check
runner=$package/org.wattline.runner.Runner

"$wattline" package -q "$work/check.toml" --probe count --out "$work/counted" >/dev/null
"$wattline" package -q "$work/check.toml" --out "$work/plain" >/dev/null
"$wattline" trace -q "$work/src" --main check.Main --release 11 --out "$work/here" -- rounds=30 >/dev/null

install() {
    said=$(on install -r -t "$1/application.apk" 2>&1) || fail "adb install: $said"
    case $said in
    *Success*) ;;
    *) fail "adb install: $said" ;;
    esac
}

install "$work/counted"
echo "ok: the package is installed"
shell logcat -c >/dev/null || true
shell "am instrument -w -r -e rounds 30 $runner" >"$work/status"
grep -q 'INSTRUMENTATION_RESULT: wattline.end=whole' "$work/status" || {
    cat "$work/status" >&2
    fail "the instrumentation did not come to its end"
}
echo "ok: its instrumentation starts, calls main and ends"
sed -n 's/^INSTRUMENTATION_STATUS: wattline.text=//; /^[0-9][0-9]*,[0-9][0-9]*$/p' "$work/status" |
    sort -n >"$work/there.csv"
# Of blocks that never ran the package has no row.
awk -F, 'NR > 1 && $NF > 0 { print $1 "," $NF }' "$work/here/counts.csv" | sort -n >"$work/here.csv"
grep -v ',0$' "$work/there.csv" >"$work/counts.csv" || fail "it counted nothing"
cmp -s "$work/counts.csv" "$work/here.csv" || {
    diff "$work/here.csv" "$work/counts.csv" >&2 || true
    fail "its counts are not those of this machine (<: here, >: there)"
}
echo "ok: $(wc -l <"$work/counts.csv" | tr -d ' ') blocks are counted as on this machine's JVM"
shell "logcat -d -v raw System.out:I '*:S'" >"$work/log"
for mark in 'wattline: begin' 'wattline: end'; do
    grep -qx "$mark" "$work/log" || fail "the log has no line '$mark'"
done
echo "ok: its markers are in the log"

install "$work/plain"
if [ "$sdk" -ge 24 ]; then
    said=$(shell "cmd package compile -m speed -f $package")
    state=$(shell dumpsys package dexopt | grep -F -A 4 "[$package]" | grep -o 'status=[a-z-]*' | head -n 1)
    [ "$state" = status=speed ] || fail "compiled ahead it is '$state' ($said)"
    echo "ok: it is compiled ahead ($state)"
else
    echo "passed over: Android compiles ahead from 7.0 on"
fi
if [ "$sdk" -ge 29 ]; then
    folder=/data/local/tmp
    shell "simpleperf record --app $package -e task-clock -f 1000 --call-graph fp \
        -o $folder/check.data >/dev/null 2>&1 & sleep 1; \
        am instrument -w -e rounds 300 $runner >/dev/null; kill -TERM \$!; wait; \
        simpleperf report-sample --protobuf --show-callchain -i $folder/check.data \
            -o $folder/check.report; rm $folder/check.data" >"$work/said" || true
    on pull "$folder/check.report" "$work/report" >/dev/null 2>&1 ||
        fail "simpleperf left no report: $(tail -n 1 "$work/said")"
    shell rm "$folder/check.report" >/dev/null
    grep -aq 'check.Main' "$work/report" || fail "no frame of its report is in check.Main"
    echo "ok: simpleperf has frames of check.Main"
else
    echo "passed over: simpleperf samples applications that are not debuggable from Android 10 on"
fi
on uninstall "$package" >/dev/null
echo "all as wattline takes it"
