#!/bin/sh
# rustdoc, for `RUSTDOC=scripts/rustdoc.sh cargo test --doc`: where cargo asks for the tests of a
# crate's documentation, its pages are made as well, with warnings as errors. `cargo doc` would
# check every dependency anew; this takes them from the tests' build.
set -eu
rustdoc "$@"
tests=
skip=
for argument; do
    shift
    if [ -n "$skip" ]; then
        skip=
        continue
    fi
    case $argument in
    --test) tests=yes ;;
    --test-run-directory | --test-args) skip=yes ;;
    --test-run-directory=* | --test-args=*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
[ -z "$tests" ] || rustdoc "$@" -D warnings -o "$WATTLINE_PAGES"
