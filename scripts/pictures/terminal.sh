#!/bin/sh
# Types commands of README and of docs/tutorials/jvm-program.md, and prints what they print.
# asciinema records it (scripts/pictures.sh), in a folder with the files of the tutorial and with
# `wattline` on the path.
set -eu

prompt() {
    printf '\033[32m$\033[0m '
}

# Types a command letter by letter, runs it, and prints all of its output at once, so that each
# recording is divided alike.
run() {
    rest=$1
    while [ -n "$rest" ]; do
        after=${rest#?}
        printf '%s' "${rest%"$after"}"
        rest=$after
        sleep 0.03
    done
    printf '\n'
    output=$(eval "$1" 2>&1) || {
        printf '%s\n' "$output"
        exit 1
    }
    sleep 0.3
    printf '%s\n' "$output"
    prompt
    sleep 0.3
}

prompt
run 'wattline trace src harness --main Main --out counts -- frames=1000'
run 'grep -E "block|checksum" counts/counts.csv'
run 'wattline scan src --out scan'
run 'wattline pipeline words.toml --board jvm --out before 2>stages.txt | head -26'
run 'wattline hints before'
