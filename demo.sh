#!/bin/sh
# Builds wattline and runs the whole pipeline on the default scenario with the virtual
# board. Everything it finds is in target/demo/. Arguments go to `wattline pipeline`.
set -eu
cd "$(dirname "$0")"

sh scripts/packages.sh run
cargo build --release --locked
target/release/wattline package --fetch
scenario=scenarios/click-and-move.toml
if [ "${1:-}" ] && [ -f "$1" ]; then
    scenario=$1
    shift
fi
exec target/release/wattline pipeline "$scenario" --board virtual --out target/demo --force "$@"
