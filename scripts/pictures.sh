#!/bin/sh
# Draws the pictures of README and docs anew from what the program prints and writes, into
# docs/images. Everything that is in between goes to target/pictures.
#
#   scripts/pictures.sh [FOLDER] [PICTURE...]
#
# FOLDER is that of a finished campaign of scenarios/click-and-move-brief.toml (`demo.sh` leaves one
# in target/demo); without it, the script measures one on the virtual board. Without names, all
# pictures are drawn:
#   heat-map      lines of the source with their energies, of that campaign's report
#   flame-graph   its flame graph
#   report        its first screen
#   terminal      a recording of commands, typed by scripts/pictures/terminal.sh: the program of
#                 docs/tutorials/jvm-program.md is counted and measured on this machine's JVM
#   before-after  from the report of that campaign: a hint with its diff and measured saving
#   source-to-lines  from it, too: the path of a method from its source to energies of lines
#   activities    the page of datasets/quanto-blink
#
# The first campaign takes two minutes, the second five, on two cores that do nothing else.
#
#   WATTLINE=PROGRAM  the program; default: target/release/wattline, built first
#   WATTLINE_CHROMIUM=PROGRAM  the browser; default: Chromium on the path
#   PYTHON=PROGRAM    the Python that installs what records the terminal, into target/pictures
#
# Needs what `scripts/packages.sh test` installs: Chromium, node, and target/browser.
set -eu
cd "$(dirname "$0")/.."

all="heat-map flame-graph report terminal before-after source-to-lines activities"
work=$PWD/target/pictures
images=$PWD/docs/images
# Versions of the recorder and of the renderer, from PyPI.
recorder="asciinema==2.4.0 termtosvg-ng==1.4.1"
columns=100
rows=30

fail() {
    echo "scripts/pictures.sh: $1" >&2
    exit 2
}

need() { # program, where it comes from
    command -v "$1" >/dev/null 2>&1 || fail "no $1 on the path: $2"
}

# The browser, which tests also find so (crates/report/src/report/browser_tests.rs).
find_browser() {
    need node "sh scripts/packages.sh test"
    [ -d target/browser/node_modules ] || fail "no target/browser/node_modules: sh scripts/packages.sh test"
    browser=${WATTLINE_CHROMIUM:-}
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        [ -n "$browser" ] || browser=$(command -v "$name") || true
    done
    [ -n "$browser" ] || fail "no Chromium on the path: sh scripts/packages.sh test, or name one by WATTLINE_CHROMIUM"
    need "$browser" "WATTLINE_CHROMIUM names another browser"
}

crop() { # page, part, picture
    node scripts/pictures/crop.mjs "$PWD/target/browser" "$browser" "$1" "$2" "$images/$3.png"
    echo "written: docs/images/$3.png"
}

# The report of the brief demo's campaign, written again by this program.
demo_report() {
    [ -z "${report:-}" ] || return 0
    if [ -z "$campaign" ]; then
        campaign=$work/demo
        "$program" pipeline scenarios/click-and-move-brief.toml --board virtual --out "$campaign" \
            --force >"$work/demo.txt" 2>&1 || fail "the demo's campaign failed: $work/demo.txt"
    fi
    report=$work/report.html
    cp -R "$campaign" "$work/copy"
    "$program" report "$work/copy" --force --quiet >/dev/null
    mv "$work/copy/report.html" "$report"
    rm -rf "$work/copy"
}

# Files of the tutorial's page: blocks of `java` and `toml`, each below a line with
# "Save as `NAME`". Of two with one name, the first: the second is the program after its rewrite.
tutorial_files() { # folder
    rm -rf "$1"
    mkdir -p "$1/src" "$1/harness"
    awk -v folder="$1" '
        inside && /^```/ { inside = 0; close(file); next }
        inside { print >file; next }
        match($0, /Save as `[^`]*`/) { name = substr($0, RSTART + 9, RLENGTH - 10) }
        /^```(java|toml)$/ && !(name in seen) { seen[name]; file = folder "/" name; inside = 1 }
    ' docs/tutorials/jvm-program.md
    # With microbenchmarks, so that there are hints, and these measured.
    sed -e 's/^microbenchmarks = .*/microbenchmarks = { count = 8, repeats = 2 }/' \
        "$1/words.toml" >"$1/with-hints.toml"
    printf '\n[hints]\nverify = 1\n' >>"$1/with-hints.toml"
    mv "$1/with-hints.toml" "$1/words.toml"
}

find_python() {
    python=${PYTHON:-python3}
    need "$python" "install it, or name one by PYTHON"
}

source_to_lines() {
    find_python
    "$python" scripts/pictures/source-to-lines.py "$words" Words 'checksum()' \
        "$work/source-to-lines.html"
    crop "$work/source-to-lines.html" body source-to-lines
}

activities() {
    "$program" activities datasets/quanto-blink/blink.quanto --out "$work/blink" --force --quiet >/dev/null
    crop "$work/blink/activities.html" activities activities
}

install_recorder() {
    find_python
    tools=$work/tools
    [ "$(cat "$tools/installed" 2>/dev/null)" != "$recorder" ] || return 0
    rm -rf "$tools"
    "$python" -m venv "$tools"
    # shellcheck disable=SC2086 # two packages
    "$tools/bin/pip" install --quiet --disable-pip-version-check $recorder
    echo "$recorder" >"$tools/installed"
}

# Records the terminal, which also measures the words program.
record() {
    [ -z "${words:-}" ] || return 0
    install_recorder
    folder=$work/words
    tutorial_files "$folder"
    mkdir "$folder/bin"
    ln -s "$program" "$folder/bin/wattline"
    script=$PWD/scripts/pictures/terminal.sh
    (
        cd "$folder"
        PATH=$folder/bin:$PATH "$tools/bin/asciinema" rec --quiet --overwrite \
            --cols "$columns" --rows "$rows" --command "sh $script" "$work/terminal.cast"
    ) </dev/null
    words=$folder/before
    [ -f "$words/report.html" ] || fail "a command of $script failed: see $work/terminal.cast"
}

terminal() {
    awk -v columns="$columns" -v rows="$rows" -f scripts/pictures/pace.awk "$work/terminal.cast" \
        >"$work/paced.cast"
    "$tools/bin/termtosvg-ng" render "$work/paced.cast" "$images/terminal.svg" \
        --template window_frame --loop-delay 6000 >"$work/render.txt" 2>&1 ||
        fail "the recording could not be rendered: $work/render.txt"
    echo "written: docs/images/terminal.svg"
}

draw() { # picture
    case $1 in
    heat-map | flame-graph | report) demo_report ;;
    terminal | before-after | source-to-lines) record ;;
    esac
    case $1 in
    heat-map | flame-graph) crop "$report" "$1" "$1" ;;
    report) crop "$report" first-screen report ;;
    before-after) crop "$words/report.html" hint before-after ;;
    source-to-lines) source_to_lines ;;
    activities | terminal) "$1" ;;
    *) fail "no picture $1: $all" ;;
    esac
}

campaign=
if [ -d "${1:-}" ]; then
    campaign=$(cd "$1" && pwd)
    shift
fi
program=${WATTLINE:-}
if [ -z "$program" ]; then
    cargo build --release --locked
    program=target/release/wattline
fi
case $program in
/*) ;;
*/*) program=$PWD/$program ;;
*) program=$(command -v "$program") || fail "no $WATTLINE on the path" ;;
esac
[ -x "$program" ] || fail "no program $program: WATTLINE names another one"
find_browser
mkdir -p "$work" "$images"
# shellcheck disable=SC2086 # names of pictures
[ $# -gt 0 ] || set -- $all
for picture in "$@"; do
    draw "$picture"
done
