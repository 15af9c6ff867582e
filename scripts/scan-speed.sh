#!/bin/sh
# Megabytes of Java source a second, and peak memory, on all cores, in one run: a typed
# `scan`, the same with all files in its cache, ast-grep that matches one untyped pattern,
# and the parsers of javac and JavaParser alone (the best of warm rounds). The best of
# REPETITIONS.
#
#   scripts/scan-speed.sh FOLDER [REPETITIONS]
#
# WATTLINE: the program (default target/dist/wattline, built as CONTRIBUTING.md shows). JAVA_HOME: the JDK. Peers
# come from their registries the first time and are skipped if they can't be fetched.
set -eu
folder=$(cd "$1" && pwd)
repetitions=${2:-3}
cd "$(dirname "$0")/.."
wattline=${WATTLINE:-target/dist/wattline}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
peers=${XDG_CACHE_HOME:-$HOME/.cache}/wattline-peers
javaparser=$HOME/.m2/repository/com/github/javaparser/javaparser-core/3.27.0/javaparser-core-3.27.0.jar
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

megabytes=$(find "$folder" -name '*.java' -print0 | xargs -0 cat | wc -c | awk '{ print $1 / 1e6 }')
echo "$(find "$folder" -name '*.java' | wc -l) files, $megabytes MB, $(nproc) cores"

row() { # NAME SECONDS KILOBYTES
    echo "$1 $2 $3" | awk -v mb="$megabytes" '{ printf "%-28s %7.2f s %7.1f MB/s %6.0f MB\n", $1, $2, mb / $2, $3 / 1024 }'
}

# The best of repetitions of a command, by the wall clock.
timed() { # NAME COMMAND...
    name=$1
    shift
    : >"$work/times"
    for _ in $(seq "$repetitions"); do
        /usr/bin/time -o "$work/time" -f '%e %M' "$@" >/dev/null 2>"$work/log" ||
            { cat "$work/log" >&2; exit 1; }
        tail -1 "$work/time" >>"$work/times"
    done
    # shellcheck disable=SC2046 # two numbers
    row "$name" $(sort -n "$work/times" | head -1)
}

# The best round of a program that prints `name, units, seconds` for each.
rounds() { # NAME COMMAND...
    name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%M' "$@" >"$work/out" 2>"$work/log" ||
        { cat "$work/log" >&2; exit 1; }
    row "$name" "$(awk '{ print $3 }' "$work/out" | sort -n | head -1)" "$(tail -1 "$work/time")"
}

timed wattline-scan "$wattline" -q scan "$folder" --no-cache --out "$work/scan" --force
timed wattline-scan-expression "$wattline" -q scan "$folder" --no-cache --granularity expression --out "$work/scan" --force
"$wattline" -q scan "$folder" --cache "$work/cache" --out "$work/scan" --force
timed wattline-scan-again "$wattline" -q scan "$folder" --cache "$work/cache" --out "$work/scan" --force

if [ -x "$peers/bin/ast-grep" ] ||
    { python3 -m venv "$peers" && "$peers/bin/pip" -q install ast-grep-cli; } >"$work/log" 2>&1; then
    # shellcheck disable=SC2016 # a pattern's own variables
    timed ast-grep-one-pattern "$peers/bin/ast-grep" run -l java -p '$A.equals($B)' --json=stream "$folder"
else
    echo "ast-grep is skipped: it can't be fetched" >&2
fi

"${java}c" -d "$work" benches/parsers/JavacParse.java
rounds javac-parse-warm "$java" -cp "$work" JavacParse "$folder" "$((repetitions + 2))"

[ -f "$javaparser" ] || mvn -q -B dependency:get -Dtransitive=false \
    -Dartifact=com.github.javaparser:javaparser-core:3.27.0 >"$work/log" 2>&1 || true
if [ -f "$javaparser" ]; then
    "${java}c" -cp "$javaparser" -d "$work" benches/parsers/JavaParserParse.java
    rounds javaparser-parse-warm "$java" -cp "$work:$javaparser" JavaParserParse "$folder" "$((repetitions + 2))"
else
    echo "JavaParser is skipped: it can't be fetched" >&2
fi
