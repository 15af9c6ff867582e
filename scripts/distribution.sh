#!/bin/sh
# Builds what a release consists of, in target/dist: wheels for pip, a Debian package, an archive of
# the programs, the crates, a bill of materials and checksums. Nothing is published.
#   scripts/distribution.sh [PART...]   wheel, deb, archive, crates, bill, sums; default: all, in an
#                                       empty folder
# Tools that are missing are built or fetched first: maturin by pip, cargo-deb and cargo-cyclonedx
# by cargo.
set -eu
cd "$(dirname "$0")/.."
dist=$PWD/target/dist
mkdir -p "$dist"

tool() { # NAME: builds a cargo subcommand where it is missing
    command -v "cargo-$1" >/dev/null 2>&1 || cargo install "cargo-$1" --locked
}

programs() {
    cargo build --release --locked --features jemalloc
}

wheel() {
    [ -x target/dist-venv/bin/python ] || python3 -m venv target/dist-venv
    target/dist-venv/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
    target/dist-venv/bin/maturin build --release --locked --out "$dist"
    target/dist-venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps \
        --wheel-dir "$dist" ./engines/spark
}

# Pages and completions that the Debian package and the archive hold.
documents() {
    rm -rf target/dist-documents
    mkdir -p target/dist-documents/completions
    target/release/wattline man --quiet --out target/dist-documents/man
    for shell in bash zsh fish; do
        target/release/wattline completions "$shell" >"target/dist-documents/completions/$shell"
    done
}

deb() {
    tool deb
    programs
    documents
    cargo deb --no-build --locked --output "$dist"
}

archive() {
    programs
    documents
    version=$(target/release/wattline --version | cut -d ' ' -f 2)
    name=wattline-$version-$(uname -m)-linux-gnu
    rm -rf "target/dist-archive"
    mkdir -p "target/dist-archive/$name"
    cp target/release/wattline target/release/wattline-board-command README.md LICENSE \
        "target/dist-archive/$name/"
    strip "target/dist-archive/$name/wattline" "target/dist-archive/$name/wattline-board-command"
    cp -R target/dist-documents/man target/dist-documents/completions "target/dist-archive/$name/"
    tar -C target/dist-archive --owner=0 --group=0 --sort=name -czf "$dist/$name.tar.gz" "$name"
}

# Cargo builds each crate from its package, by the packages of the others.
crates() {
    cargo package --workspace --locked --allow-dirty
    cp target/package/*.crate "$dist/"
}

bill() {
    tool cyclonedx
    cargo cyclonedx --format json --override-filename wattline-bill-of-materials
    mv wattline-bill-of-materials.json "$dist/"
    rm -f crates/*/wattline-bill-of-materials.json
}

sums() {
    rm -f "$dist/SHA256SUMS"
    (cd "$dist" && sha256sum -- *) >target/dist-sums
    mv target/dist-sums "$dist/SHA256SUMS"
}

if [ $# = 0 ]; then
    # Files of another version are no part of this one.
    rm -rf "$dist"
    mkdir "$dist"
    set -- wheel deb archive crates bill sums
fi
for part in "$@"; do
    case $part in
    wheel | deb | archive | crates | bill | sums) "$part" ;;
    *)
        echo "no part $part: wheel, deb, archive, crates, bill, sums" >&2
        exit 2
        ;;
    esac
done
ls -l "$dist"
