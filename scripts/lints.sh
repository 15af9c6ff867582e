# To be read by other scripts (`. scripts/lints.sh`): clippy's driver compiles our crates for the
# tests, so that lints need no build of their own. A lint is an error, as `-D warnings` makes it;
# `__CLIPPY_HACKERY__` ends an argument, as in cargo-clippy.
# shellcheck shell=sh
RUSTC_WORKSPACE_WRAPPER=clippy-driver
CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
