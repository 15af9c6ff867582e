#!/bin/sh
# Makes sure that the programs wattline needs are there: as root it installs what is
# missing (Debian, Ubuntu), else it prints the command that would.
# Argument: `run` for what the pipeline on the virtual board needs, `test` for the
# checks too, `night` for those of the night as well. Chromium, and by npm what drives it
# (tests/browser), are for the report's tests in a browser, Android's tools for those of
# packages, Gradle and its plugin for Android for those of its projects: what is missing of
# them stops nothing, these tests say that they are skipped.
set -eu
cd "$(dirname "$0")/.."

missing=
need() { # program, package
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

want() { # program, package, what is skipped without it: only where this system has it
    command -v "$1" >/dev/null 2>&1 || want_package "$@"
}

want_file() { # file or folder of a package, package, what is skipped without it
    [ -e "$1" ] || want_package "$@"
}

want_package() { # what is not there, package, what is skipped without it
    if [ "$(id -u)" = 0 ] && apt-cache show "$2" >/dev/null 2>&1; then
        missing="$missing $2"
    else
        echo "no $1: $3 is skipped" >&2
    fi
}

# Packages of npm, once for every version of their list.
browser_modules() {
    to=target/browser
    cmp -s tests/browser/package-lock.json "$to/installed.json" && return
    command -v npm >/dev/null 2>&1 || return 0
    mkdir -p "$to"
    cp tests/browser/package.json tests/browser/package-lock.json "$to/"
    if (cd "$to" && npm ci --ignore-scripts --no-audit --no-fund --silent); then
        cp tests/browser/package-lock.json "$to/installed.json"
    else
        echo "npm could not install tests/browser: the report's tests in a browser are skipped" >&2
    fi
}

need cc gcc
need make make
need adb adb
need mksh mksh
need toybox toybox
need javac default-jdk-headless
need mvn maven
[ -e /usr/share/java/asm.jar ] || missing="$missing libasm-java"
purpose=${1:-run}
if [ "$purpose" != run ]; then
    need shellcheck shellcheck
    browser="the report's test in a browser"
    want chromium chromium "$browser"
    want npm npm "$browser"
    for tool in apksigner aapt dexdump zipalign; do
        want "$tool" "$tool" "the test of packages with Android's own tools"
    done
    want aapt2 aapt "the test of packages of somebody's own build"
    python3 -c 'import jsonschema' 2>/dev/null ||
        want jsonschema python3-jsonschema "the test of SARIF by its schema"
fi
if [ "$purpose" = night ]; then
    want gradle gradle "the tests of projects of Gradle"
    of_android="the test of an Android module of Gradle"
    want_file /usr/share/java/com.android.tools.build.gradle-2.2.2.jar libgradle-android-plugin-java "$of_android"
    want_file /usr/lib/android-sdk/build-tools/29.0.3/zipalign android-sdk-build-tools "$of_android"
    want_file /usr/share/maven-repo/org/glassfish/jaxb/jaxb-runtime libjaxb-java "$of_android"
    want_file /usr/share/java/gradle-helper-hook.jar gradle-debian-helper "$of_android"
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

[ "$purpose" = run ] || browser_modules

if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is not on PATH: install Rust 1.90 or later (Debian's own is older), then run this again" >&2
    exit 3
fi
