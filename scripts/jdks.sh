#!/bin/sh
# Prints the home of one JDK for each release of Java that the tests are run with (17, 21,
# 25), where it is installed: `RELEASE HOME` a line. Looks in the homes of WATTLINE_JDKS
# (separated by `:`), then below /usr/lib/jvm.
set -eu

release_of() { # home
    [ -x "$1/bin/javac" ] || return 0
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true
}

found=
note() { # home
    release=$(release_of "$1")
    case $release in
    17 | 21 | 25) ;;
    *) return 0 ;;
    esac
    case " $found " in
    *" $release "*) return 0 ;;
    esac
    found="$found $release"
    echo "$release $1"
}

old_ifs=$IFS
IFS=:
for home in ${WATTLINE_JDKS:-}; do
    IFS=$old_ifs
    note "$home"
done
IFS=$old_ifs
for home in /usr/lib/jvm/*; do
    note "$home"
done
