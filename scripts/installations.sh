#!/bin/sh
# Installs what scripts/distribution.sh built, each in an empty place, and uses each: the version,
# a scan, a fit, and a report of a recording.
#   scripts/installations.sh [pip|deb|archive|cargo]...   default: pip deb archive cargo
# As root `deb` installs and removes the package by dpkg; else it unpacks the package.
set -eu
cd "$(dirname "$0")/.."
dist=$PWD/target/dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

only() { # PATTERN: the one file of target/dist that matches
    found=$(find "$dist" -maxdepth 1 -name "$1")
    if [ ! -f "$found" ]; then
        echo "not one file $1 in $dist: sh scripts/distribution.sh" >&2
        exit 2
    fi
    echo "$found"
}

try() { # NAME PROGRAM
    echo "== $1: $("$2" --version)"
    out=$work/$1
    mkdir -p "$out/src"
    cat >"$out/src/Sum.java" <<'JAVA'
class Sum {
    static int sum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }
}
JAVA
    awk 'BEGIN {
        print "case,group,energy_j,loads,stores"
        for (i = 1; i <= 24; i++) {
            loads = 1000 * i % 7000 + 500
            stores = 700 * i % 3000 + 200
            printf "c%d,g%d,%.9f,%d,%d\n", i, i % 6, 2e-9 * loads + 5e-9 * stores, loads, stores
        }
    }' >"$out/measurements.csv"
    (
        cd "$out"
        "$2" scan src --out scan
        "$2" fit measurements.csv --target energy_j --solver nnls --folds 4 --out fit
        "$2" monitor --quiet --out recording --duration 3 --meter model --tdp 15 -- sleep 2
        "$2" report recording
        test -s scan/blocks.csv && test -s fit/model.json && test -s recording/report.html
    )
}

pip() {
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index \
        "$(only 'wattline-[0-9]*.whl')"
    try pip "$work/venv/bin/wattline"
}

deb() {
    package=$(only 'wattline_*.deb')
    if [ "$(id -u)" = 0 ]; then
        dpkg -i "$package"
        try deb /usr/bin/wattline
        test -s /usr/share/man/man1/wattline.1.gz
        dpkg -r wattline
    else
        dpkg-deb -x "$package" "$work/root"
        try deb "$work/root/usr/bin/wattline"
    fi
}

archive() {
    mkdir "$work/archive"
    tar -C "$work/archive" -xzf "$(only 'wattline-*.tar.gz')"
    set -- "$work/archive"/*/wattline
    try archive "$1"
}

# From the packaged crates, as from a registry, which does not have ours.
cargo_install() {
    mkdir "$work/crates"
    for crate in "$dist"/wattline*.crate; do
        tar -C "$work/crates" -xzf "$crate"
    done
    set --
    for folder in "$work"/crates/wattline-*-[0-9]*; do
        name=$(basename "$folder" | sed 's/-[0-9][0-9.]*$//')
        set -- "$@" --config "patch.crates-io.$name.path=\"$folder\""
    done
    CARGO_HOME=$work/cargo-home cargo install --path "$work"/crates/wattline-[0-9]* \
        --root "$work/cargo" "$@"
    try cargo "$work/cargo/bin/wattline"
}

[ $# -gt 0 ] || set -- pip deb archive cargo
for way in "$@"; do
    case $way in
    pip | deb | archive) "$way" ;;
    cargo) cargo_install ;;
    *)
        echo "no way $way: pip, deb, archive, cargo" >&2
        exit 2
        ;;
    esac
done
