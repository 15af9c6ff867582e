#!/bin/sh
# How wrong lines and methods are by solver, on campaigns of the virtual board: fits each
# campaign's data set by every solver, makes accounts and holds them against the ground truth.
# Needs no board: campaigns are folders that `wattline pipeline` wrote. Prints a table.
# Usage: benches/solvers.sh WATTLINE OUT CAMPAIGN...
set -eu
wattline=$1
out=$2
shift 2

# What `wattline fit` said in cv.csv: NMAE of the held-out cases of all rounds, in percent.
nmae() {
    awk -F, -v model="$2" '$1 == model && $3 == "validation" { sum += $6 * $4; n += $4 }
        END { if (n) printf "%.2f", 100 * sum / n; else printf "-" }' "$1/cv.csv"
}

# Median, 90th percentile and coverage of a level of evaluation.csv, in percent.
level() {
    awk -F, -v level="$2" '$1 == level {
        printf "%.1f / %.0f %% | ", 100 * $4, 100 * $5
        if ($6 == "") printf "-"; else printf "%.1f", 100 * $6
    }' "$1/evaluation.csv"
}

row() {
    campaign=$1
    name=$2
    solver=$3
    shift 3
    folder="$out/$(basename "$campaign")/$name"
    mkdir -p "$folder"
    if ! "$wattline" fit "$campaign/dataset.csv" --solver "$solver" --out "$folder" --force "$@" \
        >"$folder/fit.txt" 2>"$folder/problem.txt"; then
        echo "| $(basename "$campaign") | $name | $(head -n 1 "$folder/problem.txt") | | | | |"
        return
    fi
    "$wattline" evaluate "$campaign" "$campaign/truth" --model "$folder/model.json" \
        --out "$folder" --force >/dev/null 2>&1
    echo "| $(basename "$campaign") | $name | $(nmae "$folder" "$solver") |" \
        "$(level "$folder" line) | $(level "$folder" method) |"
}

echo "| campaign | costs from | case NMAE, % | lines, median / p90 error | in 95 % interval | methods | in 95 % interval |"
echo "|---|---|---|---|---|---|---|"
for campaign in "$@"; do
    for solver in ls gd ridge elastic-net nnls shrink bayes; do
        row "$campaign" "$solver" "$solver"
    done
    row "$campaign" "shrink, microbenchmarks" shrink --prior "$campaign/microbenchmarks.csv"
    row "$campaign" "bayes, microbenchmarks" bayes --prior "$campaign/microbenchmarks.csv"
done
