#!/bin/sh
# All checks: format, lints, documentation, shell scripts, licences and sources of dependencies
# (where cargo-deny is installed), and every test, the
# end-to-end one on the virtual board included. What takes longer than one waits is in
# scripts/nightly.sh. At the end it lists the tests that were skipped, with the reasons.
#   WATTLINE_REQUIRE=all     a test that is skipped for want of something that
#                            scripts/packages.sh test installs, that Maven fetches or that Linux
#                            offers fails. Others' data, devices, other JDKs, rights that the
#                            system denies are outside of this: they are listed.
#   WATTLINE_TIMES=FILE     how long each part took is appended to this file
#   WATTLINE_FUZZ_SECONDS=2  how long each fuzz target runs
#   BOLERO_RANDOM_SEED=1     from which seed
set -eu
cd "$(dirname "$0")"

timed() {
    sh scripts/timed.sh "$@"
}

timed "packages that tests need" sh scripts/packages.sh test
timed "format" cargo fmt --all --check
timed "shell scripts" shellcheck demo.sh test.sh scripts/*.sh scripts/pictures/*.sh device-scripts/*.sh
timed "licences of dependencies" sh scripts/deny.sh
timed "lints, tests and documentation" sh scripts/tests.sh
