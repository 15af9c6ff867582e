#!/bin/sh
# How right accounts are on compiled chips: runs a scenario on a virtual board of each chip and
# prints the errors against its ground truth, and in validation, as medians over the chips.
#
#   scripts/compiled-models.sh [SEEDS [SCENARIO [OUT]]]
#
# SEEDS: as "1 2 3" or 101..110 (default 1..3). SCENARIO: default scenarios/click-and-move.toml.
# OUT: default target/compiled-models; a chip that has been evaluated there is not run again.
# BOARD: the kind of virtual board (default odroid-xu-e); pixel has a sampler, and wants a
# scenario for its rails, as scenarios/pinball-phone.toml.
# WATTLINE: the program (default target/release/wattline).
# Chips 1 to 9 are for development; a figure that is quoted is of 101 to 110, which are looked at
# once per release.
set -eu
cd "$(dirname "$0")/.."

scenario=${2:-scenarios/click-and-move.toml}
out=${3:-target/compiled-models}
wattline=${WATTLINE:-target/release/wattline}
board=virtual:${BOARD:-odroid-xu-e}
seeds=${1:-1..3}
case $seeds in *..*) seeds=$(seq -s ' ' "${seeds%%..*}" "${seeds##*..}") ;; esac

name=$(basename "$scenario" .toml)
mkdir -p "$out"
folders=
for seed in $seeds; do
    folder=$out/$name-$seed
    folders="$folders $folder"
    if [ ! -f "$folder/evaluation.csv" ]; then
        "$wattline" pipeline "$scenario" --board "$board" --simulated-model "compiled:$seed" \
            --out "$folder" --force >"$folder.txt" 2>&1 || { tail -n 5 "$folder.txt" >&2; exit 1; }
    fi
done

# Rows of FILE of all chips as KEY VALUE..., by the columns' names, for awk.
rows() {
    for folder in $folders; do
        awk -F, -v wanted="$2" '
            NR == 1 { n = split(wanted, names, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
            { for (i = 1; i <= n; i++) printf "%s%s", $(at[names[i]]), i < n ? "\t" : "\n" }
        ' "$folder/$1"
    done
}

# Median and range of each value column over rows of the same key.
medians() {
    sort -t"$(printf '\t')" -k1,1 -k2,2g | awk -F'\t' -v percent="$1" '
        function tell(  i, j, t, m, all) {
            all = ""
            for (c = 2; c <= columns; c++) {
                for (i = 1; i <= n; i++) sorted[i] = values[i, c]
                for (i = 2; i <= n; i++)
                    for (j = i; j > 1 && sorted[j - 1] > sorted[j]; j--) {
                        t = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = t
                    }
                m = n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
                all = all sprintf(" %.1f (%.1f to %.1f) |", m * percent, sorted[1] * percent, sorted[n] * percent)
            }
            printf "| %s |%s\n", key, all
        }
        $1 != key { if (n) tell(); key = $1; n = 0 }
        { n++; columns = NF; for (c = 2; c <= NF; c++) values[n, c] = $c + 0 }
        END { if (n) tell() }
    '
}

echo "$name on chips $seeds: median over chips, and their range, in %"
echo
echo "| level | median error | 90th percentile | coverage | error of the sum |"
echo "|---|---|---|---|---|"
rows evaluation.csv "level median_error p90_error coverage bias" | medians 100
echo
# The mean over a chip's rounds first.
echo "| model | NMAE in validation |"
echo "|---|---|"
for folder in $folders; do
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["set"] == "validation" { sum[$at["model"]] += $at["nmae"]; n[$at["model"]]++ }
        END { for (model in sum) printf "%s\t%s\n", model, sum[model] / n[model] }
    ' "$folder/cv.csv"
done | medians 100
