#!/bin/sh
# Lints our crates, runs their tests, makes the pages of their documentation, all by one build, and
# lists the tests that were skipped after the runners' own closing lines. Arguments go to `cargo test`: `-- --ignored` runs those of the night.
set -eu
cd "$(dirname "$0")/.."

WATTLINE_SKIPS=$PWD/target/skips.txt
BOLERO_RANDOM_SEED=${BOLERO_RANDOM_SEED:-1}
WATTLINE_FUZZ_SECONDS=${WATTLINE_FUZZ_SECONDS:-2}
export WATTLINE_SKIPS BOLERO_RANDOM_SEED WATTLINE_FUZZ_SECONDS
# Campaigns wait for their boards: two tests more than there are cores keep these busy.
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(nproc) + 2))}
export RUST_TEST_THREADS
mkdir -p target
: >"$WATTLINE_SKIPS"

# With benchmarks, which are only to compile.
. scripts/lints.sh
sh scripts/timed.sh "  of these, the build with its lints" \
    cargo test --workspace --locked --no-run --all-targets
failed=0
WATTLINE_PAGES=$PWD/target/doc
RUSTDOC=$PWD/scripts/rustdoc.sh
export WATTLINE_PAGES RUSTDOC
cargo test --workspace --locked --no-fail-fast "$@" || failed=$?
skips=$(sort -u "$WATTLINE_SKIPS")
if [ -n "$skips" ]; then
    tests=$(echo "$skips" | sed 's/: .*//' | sort -u | wc -l)
    printf '%s tests skipped, or a part of them:\n%s\n' "$tests" "$skips"
else
    echo "no test skipped"
fi
exit "$failed"
