#!/bin/sh
# Builds wattline and measures a game on the virtual board: JBox2D, an engine that nobody here
# wrote, in a short scenario. Results are in target/demo/. The report is opened in the browser if
# the terminal is interactive and there is a display.
#   --full      measures what docs/explanation/accuracy.md reports: more cases of the same game (target/demo/),
#               then a small game on a simulated phone whose energy model imitates compiled code
#               (target/demo-compiled/)
#   --no-open   opens no browser
# Other arguments are a scenario of your own or options of `wattline pipeline`: only that scenario
# is measured, in target/demo/.
set -eu
cd "$(dirname "$0")"

full=
open=yes
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=yes ;;
    --no-open) open= ;;
    *) break ;;
    esac
    shift
done

# Opens the report. Without a display xdg-open would start a browser in the terminal.
show() {
    [ -n "$open" ] && [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || return 0
    command -v xdg-open >/dev/null 2>&1 || return 0
    xdg-open "$1" >/dev/null 2>&1 || echo "no browser could be opened; open $1" >&2
}

measure() { # scenario, folder, options of wattline pipeline
    scenario=$1
    folder=$2
    shift 2
    target/release/wattline pipeline "$scenario" --out "$folder" --force "$@"
    show "$folder/report.html"
}

if [ -n "$full" ] && [ $# -gt 0 ]; then
    echo "--full has scenarios of its own: leave $1 away, or --full" >&2
    exit 2
fi
sh scripts/packages.sh run
cargo build --release --locked
target/release/wattline package --fetch
if [ -n "$full" ]; then
    measure scenarios/click-and-move.toml target/demo --board virtual
    echo
    echo "A second game, on an energy model that imitates compiled code, with a method sampler:"
    measure scenarios/pinball-phone.toml target/demo-compiled --board virtual:pixel \
        --simulated-model compiled:101
    exit
fi
scenario=scenarios/click-and-move-brief.toml
if [ -f "${1:-}" ]; then
    scenario=$1
    shift
fi
measure "$scenario" target/demo --board virtual "$@"
