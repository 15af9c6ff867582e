#!/bin/sh
# Error against board time, on the virtual board with its ground truth: measures one scenario by
# several protocols and prints the table of docs/experiments/2026-11-board-time.md;
# OUT/board-time.svg is its picture, OUT/board-time.csv its numbers.
#
#   scripts/board-time.sh OUT [SCENARIO]
#
# SCENARIO: default scenarios/click-and-move.toml. WATTLINE: the program (default
# target/release/wattline). PAPER_REPEATS: power and idle runs per case that are really
# made for the paper's protocol (default 10; fewer are counted as ten). Campaigns that are
# in OUT already are not measured again; one that was stopped goes on. Needs zstd.
set -eu
out=$1
scenario=${2:-scenarios/click-and-move.toml}
paper_repeats=${PAPER_REPEATS:-10}
cd "$(dirname "$0")/.."
wattline=${WATTLINE:-target/release/wattline}
mkdir -p "$out"
out=$(cd "$out" && pwd)
places=$(cd "$(dirname "$scenario")" && pwd)

# ---- measuring

# The scenario with absolute paths, so that it can stand beside the results; without its
# replacement for machines that have no network: curves of another program would be wrong.
placed() {
    sed -e "s|^path = \"|path = \"$places/|" -e '/^\[offline\]/,/^$/d' "$scenario"
}

# Makes the runs of the folder $1, which has its plan, by $1.toml.
measure() {
    resume=
    if [ -e "$out/$1/journal.jsonl" ]; then resume=--resume; fi
    # shellcheck disable=SC2086 # no word where there is none
    [ -e "$out/$1/dataset.csv" ] || "$wattline" run "$out/$1.toml" --out "$out/$1" $resume
    [ -e "$out/$1/dataset.csv" ] || "$wattline" dataset "$out/$1"
}

# The paper's cases: as many of the planned ones as it takes until every block that can be
# removed is absent in one.
covering() {
    awk -F, 'NR == FNR { if (FNR > 1) { n = split($5, b, " "); for (i = 1; i <= n; i++) all[b[i]] = 1 } next }
        FNR == 1 { for (i in all) open++; print; next }
        open { print; n = split($5, b, " "); for (i = 1; i <= n; i++) if (all[b[i]]) { all[b[i]] = 0; open-- } }' "$1" "$1"
}

placed >"$out/planned.toml"
[ -e "$out/planned/report.html" ] || "$wattline" pipeline "$out/planned.toml" --out "$out/planned"

placed | sed -e '/^\[microbenchmarks\]/,/^$/s/^repeats = .*/repeats = 1/' >"$out/microbenchmarks-1.toml"
[ -e "$out/microbenchmarks-1/microbenchmarks.csv" ] ||
    "$wattline" microbenchmarks "$out/microbenchmarks-1.toml" --for "$out/planned" --out "$out/microbenchmarks-1"

# 2000 frames are 100 s.
placed | sed -e 's/^frames = .*/frames = 2000/' -e 's/^duration_s = .*/duration_s = 100/' \
    -e "s/^repeats = 2\$/repeats = $paper_repeats/" >"$out/paper.toml"
if [ ! -e "$out/paper/plan.csv" ]; then
    mkdir -p "$out/paper"
    for file in blocks operations lines residual-counts; do
        cp "$out/planned/$file.csv" "$out/paper/$file.csv"
    done
    cp "$out/paper.toml" "$out/paper/scenario.toml"
    covering "$out/planned/plan.csv" >"$out/paper/plan.csv"
fi
measure paper

# The planned cases once each, counts and power in one session: the sampler has to see every
# refresh of the meter.
placed | sed -e 's/^sample_rate_hz = [0-9.]*/sample_rate_hz = 4/' -e 's/^max_gap_s = [0-9.]*/max_gap_s = 1/' \
    -e 's/^repeats = 2$/repeats = 1\nprotocol = "windows"\nwindow_s = 4.0/' >"$out/windows.toml"
if [ ! -e "$out/windows/plan.csv" ]; then
    mkdir -p "$out/windows"
    for file in blocks operations lines residual-counts plan; do
        cp "$out/planned/$file.csv" "$out/windows/$file.csv"
    done
    cp "$out/windows.toml" "$out/windows/scenario.toml"
fi
measure windows

# ---- judging

# The first $2 cases of the campaign $1, in the order of its plan or of the file $order,
# with the first $3 power and $4 idle runs of each, as a campaign's folder of its own, $5.
part() {
    mkdir -p "$5"
    for file in blocks.csv operations.csv lines.csv residual-counts.csv scenario.toml; do
        cp "$out/$1/$file" "$5/$file"
    done
    sed "s/^window_s = 4.0/window_s = $window_s/" "$out/$1/scenario.toml" >"$5/scenario.toml"
    rm -f "$5/runs"
    ln -s "$out/$1/runs" "$5/runs"
    head -n $(($2 + 1)) "${order:-$out/$1/plan.csv}" >"$5/plan.csv"
    awk -v power="$3" -v idle="$4" '
        NR == FNR { split($0, cell, ","); wanted[cell[1]] = 1; next }
        !/"event":{"run":/ { print; next }
        {
            match($0, /"case":"[^"]*"/); name = substr($0, RSTART + 8, RLENGTH - 9)
            match($0, /"phase":"[a-z]*"/); phase = substr($0, RSTART + 9, RLENGTH - 10)
            match($0, /"repeat":[0-9]*/); count = substr($0, RSTART + 9, RLENGTH - 9) + 0
            most = phase == "power" ? power : phase == "idle" ? idle : 1
            if (name in wanted && count <= most) print
        }' "$5/plan.csv" "$out/$1/journal.jsonl" >"$5/journal.jsonl"
}

# Seconds of the sessions in a folder, from the records; power and idle runs times $2.
board_s() {
    awk -v times="$2" '/"event":{"run":/ {
        match($0, /"uptime_s":\[[0-9.]*,[0-9.]*/)
        split(substr($0, RSTART + 12, RLENGTH - 12), span, ",")
        sum += (span[2] - span[1]) * (/"phase":"traced"/ ? 1 : times)
    } END { printf "%.0f", sum }' "$1/journal.jsonl"
}

# Seconds of microbenchmark sessions: from the first sample of each to its last.
microbenchmarks_s() {
    for samples in "$1"/microbenchmark-runs/*/samples.txt.zst; do
        zstd -dcq "$samples" | awk '!/^#/ { if (!first) first = $1; last = $1 } END { print last - first }'
    done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# Mean |error| of the planned campaign's removed cases that the fit $1 has not seen; empty
# if it has seen all.
unseen() {
    "$wattline" -q predict "$1/model.json" "$out/planned/dataset.csv" --out "$1" --force >"$1/predicted.txt"
    awk -F, 'FILENAME == ARGV[1] { seen[$2, $5] = 1; next }
        FILENAME == ARGV[2] { key[$1] = $2 SUBSEP $5; bare[$1] = $5 == ""; next }
        FNR > 1 && !(key[$1] in seen) && !bare[$1] { sum += $7 < 0 ? -$7 : $7; n++ }
        END { if (n) printf "%.2f", sum / n }' \
        "$1/plan.csv" "$out/planned/plan.csv" "$1/predictions.csv"
}

level() {
    awk -F, -v level="$2" '$1 == level { printf "%.2f,%.2f", 100 * $4, 100 * $5 }' "$1/evaluation.csv"
}

# point NAME CAMPAIGN CASES POWER IDLE TIMES MICROBENCHMARKS FIT...: a row of board-time.csv.
# MICROBENCHMARKS: a folder with microbenchmark-windows.csv and microbenchmarks.csv, or `-`.
point() {
    name=$1 campaign=$2 cases=$3 power=$4 idle=$5 times=$6 microbenchmarks=$7
    shift 7
    [ "$(wc -l <"$out/$campaign/plan.csv")" -gt "$cases" ] || return 0
    folder="$out/points/$(echo "$name" | tr -dc "a-z'")-$campaign-$cases-$power-$window_s-$(basename "$microbenchmarks")"
    part "$campaign" "$cases" "$power" "$idle" "$folder"
    "$wattline" -q dataset "$folder" --force >"$folder/dataset.txt"
    seconds=$(board_s "$folder" "$times")
    sessions=0
    if [ "$microbenchmarks" != - ]; then
        set -- "$@" --prior "$microbenchmarks/microbenchmarks.csv"
        seconds=$((seconds + $(microbenchmarks_s "$microbenchmarks")))
        sessions=$(awk -F, 'NR > 1 && $2 > most { most = $2 } END { print most }' "$microbenchmarks/microbenchmark-windows.csv")
    fi
    if ! "$wattline" -q fit "$folder/dataset.csv" --out "$folder" --force "$@" >"$folder/fit.txt" 2>"$folder/problem.txt"; then
        echo "$name, $cases cases: $(head -n 2 "$folder/problem.txt" | tr '\n' ' ')" >&2
        return 0
    fi
    "$wattline" -q evaluate "$out/planned" "$out/planned/ground-truth" --model "$folder/model.json" --out "$folder" --force >"$folder/evaluation.txt"
    power=$(awk -v n="$power" -v times="$times" 'BEGIN { print n * times }')
    echo "$name,$cases,$power,$sessions,$seconds,$(level "$folder" line),$(level "$folder" method),$(unseen "$folder")"
}

# The plan with its removed cases in the random order number $1.
lot() {
    awk -F, -v seed="$1" 'BEGIN { x = 7919 * seed }
        { x = (16807 * x) % 2147483647; print (NR == 1 || $5 == "" ? NR : 1000 + x) "\t" $0 }' \
        "$out/planned/plan.csv" | sort -n | cut -f2-
}

# point for nine random orders; each figure is its median over them.
lots() {
    for seed in 1 2 3 4 5 6 7 8 9; do
        order="$out/lot.csv"
        lot "$seed" >"$order"
        point "$@"
    done | awk -F, '
        { for (i = 5; i <= NF; i++) cell[i, NR] = $i; head = $1 "," $2 "," $3 "," $4 }
        END {
            if (!NR) exit
            for (i = 5; i <= NF; i++) {
                for (a = 1; a <= NR; a++) for (b = a + 1; b <= NR; b++)
                    if (cell[i, b] + 0 < cell[i, a] + 0) { t = cell[i, a]; cell[i, a] = cell[i, b]; cell[i, b] = t }
                head = head "," cell[i, int((NR + 1) / 2)]
            }
            print head
        }'
    order=
}

curves() {
    echo "protocol,cases,power_and_idle_runs,microbenchmark_sessions,board_s,line_median_percent,line_p90_percent,method_median_percent,method_p90_percent,unseen_case_nmae_percent"
    times=$(awk -v made="$paper_repeats" 'BEGIN { print 10 / made }')
    for fit in "(a) paper:gd" "(a') paper with our fit:shrink"; do
        for cases in 8 12 16 21; do
            point "${fit%:*}" paper "$cases" "$paper_repeats" "$paper_repeats" "$times" - --solver "${fit#*:}"
        done
    done
    for cases in 6 8 12 16 20 24 32; do
        lots "(b) random cases" planned "$cases" 1 1 1 - --solver shrink
    done
    for cases in 6 8 12 16 20 24 32 40; do
        point "(c) planner" planned "$cases" 1 1 1 - --solver shrink
    done
    for cases in 4 8 16; do
        point "(d) planner with 1 microbenchmark session" planned "$cases" 1 1 1 "$out/microbenchmarks-1" --solver shrink
    done
    for cases in 4 8 16 24 32 40; do
        point "(d) planner with 3 microbenchmark sessions" planned "$cases" 1 1 1 "$out/planned" --solver shrink
    done
    for cases in 5 8 16 24 40; do
        point "(e) windows" windows "$cases" 1 1 1 - --solver shrink
        point "(e) windows with 1 microbenchmark session" windows "$cases" 1 1 1 "$out/microbenchmarks-1" --solver shrink
    done
}

# Windows of other lengths, without microbenchmarks and with, of all cases.
lengths() {
    for window_s in 1.0 2.0 4.0 8.0 16.0 33.0; do
        point "windows of ${window_s%.0} s" windows 40 1 1 1 - --solver shrink
        point "windows of ${window_s%.0} s with 1 microbenchmark session" windows 40 1 1 1 "$out/microbenchmarks-1" --solver shrink
    done
}

order=
window_s=4.0
lengths >"$out/windows.csv"
window_s=4.0
curves >"$out/board-time.csv"
awk -f scripts/board-time.awk "$out/board-time.csv" >"$out/board-time.svg"
awk -F, 'NR == 1 {
        print "| protocol | cases | power and idle runs each | microbenchmark sessions | board time, h | lines, median / p90, % | methods, % | unseen cases, NMAE, % |"
        print "|---|--:|--:|--:|--:|--:|--:|--:|"
        next
    }
    {
        unseen = $10 == "" ? "none" : sprintf("%.1f", $10)
        printf "| %s | %d | %d | %d | %.2f | %.1f / %.0f | %.1f / %.0f | %s |\n", $1, $2, $3, $4, $5 / 3600, $6, $7, $8, $9, unseen
    }' \
    "$out/board-time.csv"
