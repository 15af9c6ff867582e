#!/bin/sh
# Holds the dependencies against deny.toml by cargo-deny: licences, sources, wildcards.
# Without the tool it says that this is skipped: building it takes minutes.
# Arguments: `install` first builds the tool where it is missing; `advisories` also asks the
# database of advisories, which needs a network beyond crates.io, and says so without one.
set -eu
cd "$(dirname "$0")/.."

advisories=
for word in "$@"; do
    case $word in
    install) command -v cargo-deny >/dev/null 2>&1 || cargo install cargo-deny --locked ;;
    advisories) advisories=yes ;;
    *)
        echo "no argument $word: install, advisories" >&2
        exit 2
        ;;
    esac
done
if ! command -v cargo-deny >/dev/null 2>&1; then
    echo "no cargo-deny: licences and sources of dependencies are not checked (cargo install cargo-deny --locked)" >&2
    exit 0
fi
cargo deny --locked check --hide-inclusion-graph bans licenses sources
[ -n "$advisories" ] || exit 0
if cargo deny --locked fetch db; then
    cargo deny --locked check --hide-inclusion-graph --disable-fetch advisories
else
    echo "the database of advisories can't be fetched: advisories are not checked" >&2
fi
