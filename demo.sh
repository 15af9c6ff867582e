#!/bin/sh
# Builds wattline and runs the whole pipeline on two virtual boards: the default scenario on one
# whose energy adds up by operations (target/demo/), and a small game on a phone whose chip
# spends as compiled code does, by place and state (target/demo-compiled/).
# With arguments, a scenario of your own or options of `wattline pipeline`, it is only that one,
# in target/demo/.
set -eu
cd "$(dirname "$0")"

sh scripts/packages.sh run
cargo build --release --locked
target/release/wattline package --fetch
if [ $# -gt 0 ]; then
    scenario=scenarios/click-and-move.toml
    if [ -f "$1" ]; then
        scenario=$1
        shift
    fi
    exec target/release/wattline pipeline "$scenario" --board virtual --out target/demo --force "$@"
fi
target/release/wattline pipeline scenarios/click-and-move.toml --board virtual \
    --out target/demo --force
echo
echo "The same on a chip that spends as compiled code does, with samples of where time goes:"
exec target/release/wattline pipeline scenarios/pinball-phone.toml --board virtual:pixel \
    --silicon compiled:101 --out target/demo-compiled --force
