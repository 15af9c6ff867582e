#!/bin/sh
# All checks: format, lints, documentation, shell scripts, and every test, the
# end-to-end one on the virtual board included.
set -eu
cd "$(dirname "$0")"

sh scripts/packages.sh test
cargo fmt --check
cargo clippy --locked --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --quiet
shellcheck demo.sh test.sh scripts/*.sh device-scripts/*.sh
# Two fuzz targets, half a minute each, from one seed, unless the environment says otherwise.
BOLERO_RANDOM_SEED=${BOLERO_RANDOM_SEED:-1} \
    WATTLINE_FUZZ_SECONDS=${WATTLINE_FUZZ_SECONDS:-30} cargo test --locked
