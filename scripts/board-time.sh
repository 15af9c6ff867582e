#!/bin/sh
# Error against board time, on the virtual board with its truth: measures one scenario by
# four protocols and prints the table of docs/board-time.md; OUT/board-time.svg is its
# picture, OUT/board-time.csv its numbers.
#
#   scripts/board-time.sh OUT [SCENARIO]
#
# SCENARIO: default scenarios/click-and-move.toml; it takes about an hour on two cores.
# WATTLINE: the program (default target/release/wattline). Campaigns that are in OUT are not
# measured again, one that was stopped goes on.
set -eu
out=$1
scenario=${2:-scenarios/click-and-move.toml}
cd "$(dirname "$0")/.."
wattline=${WATTLINE:-target/release/wattline}
mkdir -p "$out"
out=$(cd "$out" && pwd)
places=$(cd "$(dirname "$scenario")" && pwd)

# The scenario with absolute paths, so that it can stand beside the results; without its
# replacement for machines that have no network: curves of another program would be wrong.
placed() {
    sed -e "s|^path = \"|path = \"$places/|" -e '/^\[offline\]/,/^$/d' "$scenario"
}

# A campaign without kernels: measures the scenario $1.toml in the folder $1.
measure() {
    if [ -e "$out/$1/journal.jsonl" ]; then
        "$wattline" run "$out/$1.toml" --out "$out/$1" --resume
    else
        "$wattline" run "$out/$1.toml" --out "$out/$1"
    fi
}

# (c) and (d): planned cases and kernels, and the truth.
placed >"$out/planned.toml"
[ -e "$out/planned/report.html" ] || "$wattline" pipeline "$out/planned.toml" --out "$out/planned"

# (b): cases drawn by lot from the sets that run. (c'): chosen for the lines, without
# kernels. One run of each kind: the board's noise is small beside what the model misses.
single() {
    placed | sed -e "s/^\[campaign\]/&\nchoice = \"$1\"/" -e 's/^repeats = 2$/repeats = 1/' \
        -e 's/^\[kernels\]/&\nenabled = false/' >"$out/$1.toml"
}
single random
single lines
measure random
measure lines

# (a): the paper's protocol: 1 traced, 10 power and 10 idle runs per case, sessions of at
# least 100 s, and as many of the planned cases as it takes until every block that can be
# removed is absent in one.
placed | sed -e "s/^frames = .*/frames = 2000/" -e 's/^duration_s = .*/duration_s = 100/' \
    -e 's/^repeats = 2$/repeats = 10/' >"$out/paper.toml"
if [ ! -e "$out/paper/plan.csv" ]; then
    mkdir -p "$out/paper"
    for file in blocks.csv operations.csv lines.csv remains.csv; do
        cp "$out/planned/$file" "$out/paper/$file"
    done
    cp "$out/paper.toml" "$out/paper/scenario.toml"
    awk -F, 'NR == FNR { if (FNR > 1) { n = split($5, b, " "); for (i = 1; i <= n; i++) all[b[i]] = 1 } next }
        FNR == 1 { for (i in all) open++; print; next }
        open { print; n = split($5, b, " "); for (i = 1; i <= n; i++) if (all[b[i]]) { all[b[i]] = 0; open-- } }' \
        "$out/planned/plan.csv" "$out/planned/plan.csv" >"$out/paper/plan.csv"
fi
measure paper

cargo run --release --quiet --example board-time -- \
    "$out" "$out/paper" "$out/random" "$out/lines" "$out/planned"
