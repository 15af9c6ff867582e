#!/bin/sh
# Does an automatic fix save what it says? Measures a scenario, applies one hint of each
# kind with an automatic fix to a copy of the sources, measures again and prints both figures, with
# the intervals of both, in per cent of the energy above idle.
#
#   scripts/hint-savings.sh OUT [SCENARIO]
#
# SCENARIO: one whose first [[source]] is a folder (default tests/scenarios/savings.toml,
# some minutes on the virtual board). WATTLINE: the program (default
# target/debug/wattline). BOARD: where to measure (default virtual). Exit code 1 if a
# measured saving lies outside its predicted interval. Needs jq.
set -eu
out=$1
scenario=${2:-tests/scenarios/savings.toml}
cd "$(dirname "$0")/.."
wattline=${WATTLINE:-target/debug/wattline}
board=${BOARD:-virtual}
mkdir -p "$out"
out=$(cd "$out" && pwd)
places=$(cd "$(dirname "$scenario")" && pwd)
folder=$(sed -n 's/^path = "\(.*\)"/\1/p' "$scenario" | head -n 1)

# The scenario with absolute paths, so that it can stand beside the results; with a
# second argument, the first source is that folder.
placed() {
    sed -e "s|^path = \"$folder\"|path = \"$places/$folder\"|" \
        -e "s|^path = \"\.\./|path = \"$places/../|" "$scenario" >"$1"
    [ -z "${2:-}" ] || awk -v new="path = \"$2\"" \
        '!done && /^path = / { print new; done = 1; next } { print }' "$1" >"$1.new"
    [ ! -e "$1.new" ] || mv "$1.new" "$1"
}

placed "$out/base.toml"
[ -e "$out/base/report.html" ] || "$wattline" pipeline "$out/base.toml" --board "$board" --out "$out/base"
"$wattline" hints "$out/base" --force >"$out/hints.txt"

status=0
echo "| kind | place | predicted saving | its interval | measured saving | its interval | |"
echo "|---|---|--:|---|--:|---|---|"
for kind in loop-invariant field-in-loop bulk-copy; do
    rm -rf "${out:?}/$kind"
    "$wattline" hints "$out/base" --only "$kind" --apply 1 --out "$out/$kind/sources" >"$out/$kind.txt"
    placed "$out/$kind.toml" "$out/$kind/sources"
    # The cases without removed blocks are enough to compare.
    sed -i 's/^cases = .*/cases = 2/' "$out/$kind.toml"
    {
        "$wattline" plan "$out/$kind.toml" --out "$out/$kind/new"
        "$wattline" run "$out/$kind.toml" --board "$board" --out "$out/$kind/new"
        "$wattline" dataset "$out/$kind/new"
    } >>"$out/$kind.txt" 2>&1
    "$wattline" compare "$out/base" "$out/$kind/new" --format json >"$out/$kind.json" 2>>"$out/$kind.txt" || true
    row=$(jq -r --slurpfile new "$out/$kind.json" --arg kind "$kind" '
        [.runs[0].results[] | select(.ruleId == $kind and .properties.automatic_fix)][0] as $hint
        | $hint.properties as $p | $new[0].scenario as $s
        | ($p.saving_j / $s.base_j * 100) as $predicted
        | ($p.saving_lo_j / $s.base_j * 100) as $lo | ($p.saving_hi_j / $s.base_j * 100) as $hi
        | (-$s.change_j / $s.base_j * 100) as $measured
        | (-$s.change_hi_share * 100) as $mlo | (-$s.change_lo_share * 100) as $mhi
        | def pc: . * 100 | round | . / 100 | tostring + " %";
        "| \($kind) | \($hint.locations[0].physicalLocation.artifactLocation.uri | split("/") | last):\($hint.locations[0].physicalLocation.region.startLine) | \($predicted | pc) | \($lo | pc) to \($hi | pc) | \($measured | pc) | \($mlo | pc) to \($mhi | pc) | \(if $lo <= $measured and $measured <= $hi then "inside" else "OUTSIDE" end) |"
        ' "$out/base/hints.sarif")
    echo "$row"
    case $row in *OUTSIDE*) status=1 ;; esac
done
exit $status
