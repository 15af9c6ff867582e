#!/bin/sh
# A golden run: runs the release program through small campaigns and other commands, computes the
# SHA-256 of every output file, and compares it with the sums in tests/golden. A refactoring
# (renaming, moving code between crates) must leave all of them unchanged.
#
#   scripts/golden.sh [--update] [STEP...]
#
# Without steps, all of them run. Differences are listed by file; the exit code is 1 if there are
# any. --update rewrites the committed sums of these steps. Outputs are in target/golden/STEP,
# those of the previous run in target/golden/before/STEP, for `diff -r`. Steps:
#   help        help texts, manual pages, completions
#   fit         every solver on a table in memory and in parts; bootstrap, factors, predictions
#   tenants     every log format of `tenants`
#   activities  every log format of `activities`
#   recording   accounts, report and exports of two recordings of `monitor`
#   scan        two scenarios' sources, in shards and with a cache
#   java.base   the sources of java.base: of the JDK in use, else of the first one in WATTLINE_JDKS
#               or /usr/lib/jvm that has lib/src.zip
#   instrument  two projects with probes, one also with removed blocks
#   trace       the same two projects, counted while they run
#   table       jars on the boards odroid-xu-e and odroid-xu3, additive and compiled energy model
#   package     packages that an instrumentation starts
#   windows     a jar with counts and power in one run, both energy models
#   rails       packages on the board pixel, both energy models, with sampled runs
#   gauge       packages on the board phone, both energy models, planned on the board
#   touch       an Android application with a window
#   savings     rewrites applied and measured
#   after       commands on the campaigns that `table`, `savings` and `rails` left: fit, account,
#               evaluate, predict, calls, dataset, report, export, hints, compare
#   patterns    one category of bytecode patterns
#
# From `scan` on the outputs depend on the JDK (what javac generates, the sources of java.base).
# Their sums are kept by its version, in tests/golden/sums-jdk-VERSION.txt; with a JDK that has no
# such file these steps run and are reported as not comparable. The last digits of fits depend on
# the processor's vector instructions: the committed sums are those with AVX2.
#
#   WATTLINE=PROGRAM      use this build; default: target/release/wattline, built first
#   WATTLINE_REQUIRE=all  fail if a step is skipped because a program is missing, or is not
#                         comparable
#
# What is removed before the sums are computed, because it depends on the moment, the machine or
# the user (`normal` below):
#   - terminal output: seconds that a step took or will take, and the progress lines that are
#     printed only after half a minute without output
#   - a board's log and session file: process ids, which are the host's
#   - a sampler's recording (profile.zst), in which each sample has the host's process id; the stacks
#     that were read from it are compared
#   - packages: signatures, whose key is the user's, and with it the hash of a measured package
#     and the checksums of the journal's lines
#   - packages: the ground truth of the runner that starts the application (org.wattline.runner),
#     whose threads run at the same time: which of them is first is up to the host
#   - an activity's end, which the runner's threads race for after the end marker: the time at
#     which the process and the session end, and the shares of the ground truth in evaluation.csv
#     and the checksums of the journal's lines
#   - the path of the repository, where a path is absolute
set -eu
cd "$(dirname "$0")/.."
root=$PWD

all="help fit tenants activities recording scan java.base instrument trace table package windows rails gauge touch \
savings after patterns"
update=
if [ "${1:-}" = --update ]; then
    update=yes
    shift
fi
[ $# -gt 0 ] || eval "set -- $all"
for step in "$@"; do
    case " $all " in
    *" $step "*) ;;
    *)
        echo "no step $step: $all" >&2
        exit 2
        ;;
    esac
done

if [ -z "${WATTLINE:-}" ]; then
    cargo build --release --locked
    WATTLINE=$root/target/release/wattline
fi
golden=target/golden
fixtures=$golden/fixtures
committed=tests/golden
mkdir -p "$golden/before"

# Sorting by bytes, dates in UTC. No git: wattline takes paths of source files from the work tree,
# where a new file would change them. No terminal's width wraps the help. The
# boards get an adb server of their own.
unset COLUMNS LINES
export LC_ALL=C TZ=UTC NO_COLOR=1 GIT_DIR=/nonexistent
ANDROID_ADB_SERVER_PORT=$((20000 + $$ % 20000))
export ANDROID_ADB_SERVER_PORT
trap 'adb kill-server >/dev/null 2>&1 || true' EXIT

jdk() { echo "${JAVA_HOME:+$JAVA_HOME/bin/}$1"; }
property() { # of the JDK
    "$(jdk java)" -XshowSettings:properties -version 2>&1 | sed -n "s/^ *$1 = //p"
}
jdk_version=$(property java.version)

# Runs the program, which must succeed; its output goes to NAME.out and NAME.err.
w() { # NAME ARGUMENT...
    w_code 0 "$@"
}

# The same with another expected exit code.
w_code() { # CODE NAME ARGUMENT...
    expected=$1
    name=$2
    shift 2
    code=0
    "$WATTLINE" "$@" >"$out/$name.out" 2>"$out/$name.err" </dev/null || code=$?
    echo "exit code $code" >>"$out/$name.err"
    if [ "$code" != "$expected" ]; then
        broken="$broken $name"
        echo "$step: wattline $*: exit code $code, not $expected" >&2
        tail -n 3 "$out/$name.err" | head -n 2 >&2
    fi
}

# Checks that programs are installed; sets `why` if one is not.
needs() {
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 || why="no $program"
    done
    [ -z "$why" ]
}

campaign() { # SCENARIO, BOARD, CHIP
    needs adb mksh toybox zstd "$(jdk javac)" || return 0
    w "$1-$2-$3" pipeline "$committed/$1.toml" --board "virtual:$2" --simulated-model "$3" \
        --out "$out/$1-$2-$3"
}

run_help() {
    w help --help
    for command in $("$WATTLINE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        w "help-$command" help "$command"
    done
    w man man --out "$out/man"
    for shell in bash zsh fish; do
        w "completions-$shell" completions "$shell"
    done
}

fixtures() {
    needs python3 || return 1
    python3 "$committed/fixtures.py" "$fixtures"
}

run_fit() {
    fixtures || return 0
    columns="--target energy_j --features op0..op6"
    for solver in stack shrink ls gd ridge elastic-net nnls bayes; do
        # shellcheck disable=SC2086 # two flags with their values
        w "$solver" fit "$fixtures/cases.csv" $columns --group program --solver "$solver" --out "$out/$solver"
    done
    # shellcheck disable=SC2086
    w chosen fit "$fixtures/cases.csv" $columns --bootstrap 20 --learning-curve --out "$out/chosen"
    # shellcheck disable=SC2086
    w restarts fit "$fixtures/cases.csv" $columns --solver gd --restarts 3 --weight relative --out "$out/restarts"
    # shellcheck disable=SC2086
    w blocks fit "$fixtures/part1.csv" "$fixtures/part2.csv" $columns --solver nnls --out "$out/blocks"
    for solver in shrink ls gd ridge elastic-net nnls bayes; do
        parts=$out/parts-$solver
        mkdir -p "$parts"
        for part in 1 2; do
            # shellcheck disable=SC2086
            w "$solver-part$part" fit "$fixtures/part$part.csv" $columns --solver "$solver" \
                --relative-floor 0.02 --part "$part/2" --partial "$parts/$part.partial"
        done
        w "$solver-merged" fit --merge "$parts/1.partial" "$parts/2.partial" --out "$parts/merged"
        for part in 1 2; do
            w "$solver-judged$part" fit --judge "$parts/merged/model.json" "$fixtures/part$part.csv" \
                --part "$part/2" --partial "$parts/judged$part.partial"
        done
        w "$solver-validated" fit --merge "$parts/judged1.partial" "$parts/judged2.partial" --out "$parts/validated"
    done
    w factors fit "$fixtures/patterns.csv" --solver bayes --factors operation,size,type,device \
        --out "$out/factors"
    w predict predict "$out/shrink/model.json" "$fixtures/counted.csv" --out "$out/predict"
}

run_tenants() {
    fixtures || return 0
    w perf tenants perf "$fixtures/switches.txt" --energy "$fixtures/meter.csv" --out "$out/perf"
    w perf-counted tenants perf "$fixtures/counted.txt" --by process --watts 15:5 --whole --out "$out/perf-counted" \
        --partial "$out/perf-counted.parquet"
    w xen tenants xen "$fixtures/rapl.csv" "$fixtures/ctr.csv" --tsc-hz 2.8e9 --plane pkg,dram --out "$out/xen"
    for by in user process thread; do
        w "perfetto-$by" tenants perfetto "$fixtures/trace.pftrace" --by "$by" --out "$out/perfetto-$by"
    done
    w battery tenants dumpsys "$fixtures/batteryuse.txt" --volts 3.85 --out "$out/battery"
    w cpu tenants dumpsys "$fixtures/cpuinfo.txt" --out "$out/cpu"
    w overhead tenants overhead "$fixtures/with.csv" "$fixtures/base.csv" --out "$out/overhead"
    w json tenants perf "$fixtures/switches.txt" --format json
}

run_activities() {
    fixtures || return 0
    for log in node.quanto states.csv intervals.csv trace.pftrace battery.txt; do
        w "$log" activities "$fixtures/$log" --out "$out/${log%.*}"
    done
    w lines activities "$fixtures/lines.txt" "$fixtures/samples.txt" --rails arm,mem --out "$out/lines"
    w class activities "$fixtures/trace.pftrace" --class both=cpu0,cpu1 --weight equal --logging apart \
        --out "$out/class" --partial "$out/class.parquet"
    w api activities api --out "$out/api"
}

run_recording() {
    cp -r "$committed/recording" "$out/kept"
    for recording in counted sampled; do
        kept=$out/kept/$recording
        w "$recording-account" account "$kept/monitor.toml" "$kept" --out "$out/$recording" \
            --partial "$out/$recording.parquet"
        w "$recording-report" report "$kept" --force
        exports "$kept" "$recording"
    done
}

exports() { # a campaign or recording, the name of what is written
    for format in collapsed speedscope pprof firefox otlp perfetto lcov jacoco benchmark-json openmetrics; do
        w "$2-$format" export "$1" --format "$format" --source-prefix src/main/java --out "$out/$2-exports"
    done
    w "$2-by-class" export "$1" --format collapsed --depth class --out "$out/$2-by-class"
}

run_scan() {
    needs "$(jdk java)" || return 0
    w scenario scan scenarios/pinball scenarios/touch --no-cache --granularity expression --out "$out/scenario"
    for kept in first again; do
        w "$kept" scan scenarios/pinball --cache "$out/cache" --out "$out/$kept"
    done
    rm -rf "$out/cache"
    for shard in 1 2; do
        w "shard$shard" scan scenarios/pinball scenarios/session scenarios/touch --no-cache --shard "$shard/2" --out "$out/shard$shard"
    done
}

# The JDK whose sources are scanned: the one in use, else another that has its sources.
with_sources() {
    for home in "$(property java.home)" ${WATTLINE_JDKS:+$(echo "$WATTLINE_JDKS" | tr : ' ')} /usr/lib/jvm/*; do
        { [ -x "$home/bin/javac" ] && [ -e "$home/lib/src.zip" ]; } || continue
        JAVA_HOME=$home
        export JAVA_HOME
        return 0
    done
    why="no JDK with lib/src.zip"
    return 1
}

run_java_base() {
    needs "$(jdk java)" || return 0
    used=${JAVA_HOME:-}
    if with_sources; then
        scanned_version=$(property java.version)
        sources=$golden/java.base-$scanned_version
        if [ ! -d "$sources" ]; then
            mkdir -p "$sources.part"
            (cd "$sources.part" && "$(jdk jar)" xf "$JAVA_HOME/lib/src.zip" java.base)
            mv "$sources.part" "$sources"
        fi
        w java.base scan "$sources/java.base" --no-cache --out "$out/java.base"
    fi
    JAVA_HOME=$used
    [ -n "$used" ] || unset JAVA_HOME
}

# The sources of JBox2D that `scenarios/click-and-move.toml` uses, fetched by Maven once.
jbox2d() {
    needs "$(jdk javac)" mvn || return 1
    sources=$golden/jbox2d
    [ ! -d "$sources" ] || return 0
    w jbox2d-fetched package scenarios/click-and-move.toml --out "$out/fetched"
    rm -rf "$out/fetched" "$out"/jbox2d-fetched.*
    jar=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/wattline/artifacts" -name '*-jbox2d-library-2.2.1.1-sources.jar' | head -n 1)
    if [ -z "$jar" ]; then
        why="JBox2D could not be fetched"
        return 1
    fi
    mkdir -p "$sources.part"
    (cd "$sources.part" && "$(jdk jar)" xf "$jar" org && rm -r org/jbox2d/gwtemul org/jbox2d/profile \
        org/jbox2d/common/Timer.java)
    mv "$sources.part" "$sources"
}

pinball="scenarios/pinball scenarios/session"

run_instrument() {
    needs "$(jdk java)" || return 0
    for probe in plain count log; do
        # shellcheck disable=SC2086 # a list of folders
        w "pinball-$probe" instrument $pinball --probe "$probe" --closed-world --watch-loops --out "$out/pinball-$probe"
    done
    # shellcheck disable=SC2086
    w pinball-without instrument $pinball --remove 12,25,40 --out "$out/pinball-without"
    jbox2d || return 0
    w jbox2d instrument "$golden/jbox2d" scenarios/click-and-move --out "$out/jbox2d"
}

run_trace() {
    needs "$(jdk javac)" || return 0
    # shellcheck disable=SC2086
    w pinball trace $pinball --main wattline.demo.Main --granularity expression --out "$out/pinball" \
        -- frames=160 pace=none
    # shellcheck disable=SC2086
    w pinball-log trace $pinball --main wattline.demo.Main --probe log --release 11 --watch-loops \
        --out "$out/pinball-log" -- frames=40 pace=none
    jbox2d || return 0
    w jbox2d trace "$golden/jbox2d" scenarios/click-and-move scenarios/session --main wattline.demo.Main \
        --out "$out/jbox2d" -- frames=100 pace=none
}

run_table() {
    campaign table odroid-xu-e additive
    campaign table odroid-xu-e compiled:1
    campaign short odroid-xu3 additive
    campaign short odroid-xu3 compiled:2
}

run_package() {
    campaign package odroid-xu-e additive
    [ -n "$why" ] || w package package "$committed/package.toml" --probe count --remove 12 --out "$out/package"
}

run_windows() {
    campaign windows odroid-xu3 additive
    campaign windows odroid-xu-e compiled:1
}

run_rails() {
    campaign rails pixel additive
    campaign rails pixel compiled:1
}

run_gauge() {
    campaign gauge phone additive
    campaign gauge phone compiled:2
}

run_touch() {
    campaign touch odroid-xu-e additive
}

run_savings() {
    campaign savings odroid-xu-e additive
}

# Commands on finished campaigns; those that write into the folder get a copy.
run_after() {
    table=$golden/table/table-odroid-xu-e-additive
    chip=$golden/table/table-odroid-xu-e-compiled:1
    savings=$golden/savings/savings-odroid-xu-e-additive
    rails=$golden/rails/rails-pixel-additive
    for folder in "$table" "$chip" "$savings" "$rails"; do
        if [ ! -e "$folder/report.html" ]; then
            why="no ${folder#"$golden/"}: run the step ${folder#"$golden/"} first"
            return 0
        fi
    done
    mkdir -p "$out/kept"
    cp -r "$table" "$out/kept/table"
    w fit fit "$table/dataset.csv" --prior "$table/microbenchmarks.csv" --out "$out/fit"
    w fit-microbenchmarks fit "$table/dataset.csv" --prior "$table/microbenchmarks.csv" --penalty 1e9 --out "$out/fit-microbenchmarks"
    w account account "$out/fit/model.json" "$table" --out "$out/account" --partial "$out/account.parquet"
    w evaluate evaluate "$table" "$table/ground-truth" --out "$out/evaluate"
    w unseen evaluate "$table" --unseen --out "$out/unseen"
    w predict predict "$out/fit-microbenchmarks/model.json" "$table/dataset.csv" --out "$out/predict"
    # shellcheck disable=SC2086
    w traced trace $pinball --main wattline.demo.Main --granularity expression --out "$out/traced" \
        -- frames=200 pace=none
    w predict-input predict "$table" "$out/traced" --out "$out/predict-input"
    w calls calls "$committed/table.toml" "$out/kept/table" --force
    w dataset dataset "$out/kept/table" --force
    w report report "$out/kept/table" --force
    w parquet export "$out/kept/table" --parquet --out "$out/parquet"
    exports "$out/kept/table" table
    w export-sampled export "$rails" --format collapsed --out "$out/exports-sampled"
    w evaluate-profile evaluate "$table" --profile "$out/exports-sampled/energy.collapsed" --out "$out/profile"
    w hints hints "$out/kept/table" --limit 30 --source-prefix src --force
    w hints-applied hints "$savings" --apply 3 --out "$out/rewritten"
    w hints-invariant hints "$savings" --only loop-invariant --apply 1 --out "$out/invariant"
    w compare-invariant compare "$savings" --source "$out/invariant" --out "$out/compare-invariant"
    w compare compare "$table" "$table" --out "$out/compare"
    w compare-boards compare "$table" "$chip" --across-boards --model own --max-increase 1 --out "$out/compare-boards"
    # Nothing is known of the copying that a hint puts in the place of a loop: no data.
    w_code 5 compare-source compare "$savings" --source "$out/rewritten" --out "$out/compare-source"
    printf '[scenarios]\ntable = 0.001\n' >"$out/budgets.toml"
    for format in text json markdown; do
        # Over the budget.
        w_code 1 "compare-$format" compare "$table" "$table" --budgets "$out/budgets.toml" --format "$format"
    done
    rm -rf "$out/kept/table/runs"
}

run_patterns() {
    needs adb mksh toybox "$(jdk javac)" || return 0
    w patterns patterns "$committed/table.toml" --only Negation --out "$out/patterns"
    w fit fit "$out/patterns/measured-patterns.csv" --solver bayes --factors operation,size,type,device \
        --out "$out/fit"
}

# A board's log without process ids.
board_log() {
    sed -E -e 's/^(.{18}) +[0-9]+ +[0-9]+ /\1 /' -e 's/\(pid [0-9]+\)/(pid)/'
}

# A session's result without the application's process id.
without_app_pid() {
    sed 's/^app_pid=.*/app_pid=/'
}

# A record or journal without the hash of a signed package, and the checksums that contain it.
without_package_hashes() { # FILE
    sed -E 's/("(build_sha256|crc32)": ?")[0-9a-f]*/\1/g' "$1"
}

# Prints a file without what depends on the moment, the machine or the user.
normal() {
    case $1 in
    *.apk) unzip -Z1 "$1" | grep -v '^META-INF/' | sort | while read -r entry; do
        echo "$entry $(unzip -p "$1" "$entry" | sha256sum)"
    done ;;
    */touch/*/logcat.txt.zst) zstd -dcq "$1" | board_log |
        sed -E -e '/ has died$|wattline: uptime/s/^.{18}//' -e 's/(wattline: uptime) .*/\1/' ;;
    */logcat.txt.zst) zstd -dcq "$1" | board_log ;;
    */touch/*/session.txt.zst) zstd -dcq "$1" | without_app_pid | sed 's/^t1=.*/t1=/' ;;
    */session.txt.zst) zstd -dcq "$1" | without_app_pid ;;
    *.zst) zstd -dcq "$1" ;;
    */touch/*/journal.jsonl | */touch/*/record.json)
        without_package_hashes "$1" | sed -E -z 's/("uptime_s": ?\[[^],]*,)[^]]*/\1/g'
        ;;
    */package/*/journal.jsonl | */rails/*/journal.jsonl | */gauge/*/journal.jsonl | \
        */package/*/record.json | */rails/*/record.json | */gauge/*/record.json)
        without_package_hashes "$1"
        ;;
    */package/*/ground-truth/*.csv | */rails/*/ground-truth/*.csv | */gauge/*/ground-truth/*.csv | \
        */touch/*/ground-truth/*.csv)
        grep -v '^org[./]wattline[./]runner[./]' "$1"
        ;;
    */touch/*/evaluation.csv) cut -d , -f 1,2 "$1" ;;
    */package/*/session.txt) sed 's/^program_sha256=.*/program_sha256=/' "$1" ;;
    *.err) sed -E \
        -e '/^  [a-z ]+: ([0-9]+ of [0-9]+ done, |since )/d' \
        -e 's/^\[ *[0-9.]+ s\] /[TIME] /' \
        -e 's/(runs in) [0-9.]+ s: .*/\1 TIME/' \
        -e 's/(will take about) [^;]*/\1 TIME/' \
        -e "s|$root|ROOT|g" "$1" ;;
    *) sed "s|$root|ROOT|g" "$1" ;;
    esac
}

# The sums of a step's outputs, a line for each file.
sums() { # STEP
    (cd "$golden" && find "$1" -type f ! -name profile.zst) | sort | while read -r file; do
        printf '%s  %s\n' "$(normal "$golden/$file" | sha256sum | cut -d ' ' -f 1)" "$file"
    done
}

# Replaces the sums of many files of one kind (raw logs of runs, sources of JBox2D) by one.
folded() { # SUMS OF FILES
    rm -rf "$golden/folded"
    mkdir "$golden/folded"
    awk -v folder="$golden/folded" '
        {
            file = substr($0, 67)
            if (match(file, /\/(runs|microbenchmark-runs|before-after-runs|hint-runs)\/[^\/]*\//)) {
                kind = substr(file, RSTART, RLENGTH)
                sub(/[^\/]*\/$/, "*/", kind)
                file = substr(file, 1, RSTART - 1) kind substr(file, RSTART + RLENGTH)
            } else if (match(file, /\/org\/jbox2d\//)) {
                file = substr(file, 1, RSTART + RLENGTH - 1) "*"
            } else {
                print
                next
            }
            if (!(file in at)) { at[file] = ++n; print file >(folder "/" n ".name") }
            print >(folder "/" at[file])
        }
    ' "$1"
    for name in "$golden"/folded/*.name; do
        [ -e "$name" ] || continue
        printf '%s  %s\n' "$(sha256sum <"${name%.name}" | cut -d ' ' -f 1)" "$(cat "$name")"
    done
}

# Where the committed sums of a step are.
sums_of() { # STEP
    case $1 in
    help | fit | tenants | activities | recording) echo "$committed/sums.txt" ;;
    java.base) echo "$committed/sums-jdk-${scanned_version:-none}.txt" ;;
    *) echo "$committed/sums-jdk-$jdk_version.txt" ;;
    esac
}

# Prints a line for each file whose sum differs from the committed one.
differences() { # STEP, COMMITTED, FOUND
    awk -v step="$1/" -v skipped="$why" '
        { file = substr($0, 67) }
        FNR == NR { if (index(file, step) == 1) was[file] = $1; next }
        !(file in was) { print "  new      " file; next }
        was[file] != $1 { print "  changed  " file }
        { delete was[file] }
        END { if (skipped == "") for (file in was) print "  gone     " file }
    ' "$2" "$3" | sort
}

status=0
summary=
note() { # STEP, SECONDS, WHAT
    summary="$summary$(printf '%-11s %5s s  %s' "$1" "$2" "$3")
"
}

for step in "$@"; do
    echo "== $step"
    out=$golden/$step
    rm -rf "$golden/before/$step"
    [ ! -d "$out" ] || mv "$out" "$golden/before/$step"
    mkdir -p "$out"
    why=
    broken=
    began=$(date +%s)
    case $step in
    help) run_help ;;
    fit) run_fit ;;
    tenants) run_tenants ;;
    activities) run_activities ;;
    recording) run_recording ;;
    scan) run_scan ;;
    java.base) run_java_base ;;
    instrument) run_instrument ;;
    trace) run_trace ;;
    table) run_table ;;
    package) run_package ;;
    windows) run_windows ;;
    rails) run_rails ;;
    gauge) run_gauge ;;
    touch) run_touch ;;
    savings) run_savings ;;
    after) run_after ;;
    patterns) run_patterns ;;
    esac
    found=$golden/$step.sums
    sums "$step" >"$golden/$step.files"
    folded "$golden/$step.files" | sort -k 2 >"$found"
    took=$(($(date +%s) - began))
    file=$(sums_of "$step")
    if [ -n "$why" ]; then
        [ "${WATTLINE_REQUIRE:-}" != all ] || status=1
        result="skipped, or a part of it: $why; the rest is "
    else
        result=
    fi
    if [ -n "$update" ]; then
        if [ -n "$why$broken" ]; then
            echo "$step is not whole ($why$broken): its sums stay as they are" >&2
            status=1
        else
            { [ ! -e "$file" ] || grep -v "^[0-9a-f]*  $step/" "$file" || true; cat "$found"; } >"$file.new"
            sort -k 2 "$file.new" >"$file"
            rm "$file.new"
        fi
        note "$step" "$took" "${result}written to $file"
    elif [ -n "$broken" ]; then
        status=1
        note "$step" "$took" "${result}failed:$broken"
    elif [ ! -e "$file" ]; then
        [ "${WATTLINE_REQUIRE:-}" != all ] || status=1
        note "$step" "$took" "${result}not comparable: there is no $file"
    else
        differ=$(differences "$step" "$file" "$found")
        if [ -z "$differ" ]; then
            note "$step" "$took" "${result}the same: $(wc -l <"$found") sums"
        else
            status=1
            echo "$differ" | head -n 40
            note "$step" "$took" "${result}$(echo "$differ" | wc -l) of $(wc -l <"$found") sums differ"
        fi
    fi
done

echo
printf '%s' "$summary"
exit $status
