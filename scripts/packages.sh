#!/bin/sh
# Makes sure that the programs wattline needs are there: as root it installs what is
# missing (Debian, Ubuntu), else it prints the command that would.
# Argument: `run` for what the pipeline on the virtual board needs, `test` for the
# checks too.
set -eu

missing=
need() { # program, package
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

need cc gcc
need make make
need adb adb
need mksh mksh
need toybox toybox
need javac default-jdk-headless
need mvn maven
[ -e /usr/share/java/asm.jar ] || missing="$missing libasm-java"
if [ "${1:-run}" = test ]; then
    need shellcheck shellcheck
fi

if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        # shellcheck disable=SC2086 # a list of package names
        apt-get install -y -qq --no-install-recommends $missing
    else
        echo "missing packages; install them with:" >&2
        echo "    sudo apt-get install$missing" >&2
        exit 3
    fi
fi

if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is not on PATH: install Rust 1.90 or later (Debian's own is older), then run this again" >&2
    exit 3
fi
