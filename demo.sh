#!/bin/sh
# Builds wattline and measures a game that nobody here wrote, JBox2D's engine under a short
# scenario, on the virtual board: results in target/demo/, the report opened in the browser where
# there is one and somebody sees the terminal.
#   --full      the whole of what docs/accuracy.md reports: the same game for longer, with more
#               cases (target/demo/), then a small game on a phone whose chip spends as compiled
#               code does, by place and state (target/demo-compiled/)
#   --no-open   opens no browser
# Other arguments are a scenario of your own or options of `wattline pipeline`: it is only that
# one, in target/demo/.
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

# The report, in a browser of the one who sits before this terminal. Without a screen xdg-open
# would take one that runs in the terminal.
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
    echo "The same on a chip that spends as compiled code does, with samples of where time goes:"
    measure scenarios/pinball-phone.toml target/demo-compiled --board virtual:pixel \
        --silicon compiled:101
    exit
fi
scenario=scenarios/click-and-move-brief.toml
if [ -f "${1:-}" ]; then
    scenario=$1
    shift
fi
measure "$scenario" target/demo --board virtual "$@"
