#!/bin/sh
# Builds the documentation's site in target/site/book with mdbook: README, the pages of docs, and a
# page of help for each command, written by the program. Without mdbook it says that this is
# skipped: building it takes minutes.
#   scripts/site.sh [install]   `install` first builds mdbook where it is missing
#   WATTLINE=PROGRAM            the program that writes the pages; default: target/debug/wattline
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
'') ;;
install)
    command -v mdbook >/dev/null 2>&1 ||
        cargo install mdbook --locked --no-default-features --features search
    command -v mdbook-mermaid >/dev/null 2>&1 || cargo install mdbook-mermaid --locked
    ;;
*)
    echo "no argument $1: install" >&2
    exit 2
    ;;
esac
if ! command -v mdbook >/dev/null 2>&1 || ! command -v mdbook-mermaid >/dev/null 2>&1; then
    echo "no mdbook: the site is not built (sh scripts/site.sh install)" >&2
    exit 0
fi
program=${WATTLINE:-target/debug/wattline}
[ -x "$program" ] || cargo build --locked

site=target/site
rm -rf "$site"
mkdir -p "$site/src"
cp README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE "$site/src/"
cp -R docs "$site/src/docs"
mv "$site/src/docs/book.toml" "$site/book.toml"
"$program" man --quiet --format markdown --out "$site/src/docs/reference/commands"

# The list of chapters: the headings and links of the index, in its order.
{
    echo "# Summary"
    echo
    echo "[wattline](README.md)"
    echo "[All pages](docs/README.md)"
    awk '
        /^## / { print "\n#" substr($0, 3) "\n" }
        /^- \[/ {
            sub(/\).*/, ")")
            sub(/\]\(/, "](docs/")
            print
        }
        /^- \[.*\(docs\/reference\/commands\.md\)/ { commands = 1 }
        commands { list(); commands = 0 }
        function list(    page, name) {
            while (("ls " pages | getline page) > 0) {
                name = page
                sub(/\.md$/, "", name)
                sub(/-/, " ", name)
                print "    - [" name "](docs/reference/commands/" page ")"
            }
        }
    ' pages="$site/src/docs/reference/commands" docs/README.md
    echo
    echo "# Experiments"
    echo
    for page in docs/experiments/2*.md; do
        printf -- '- [%s](%s)\n' "$(sed -n '1s/^# //p' "$page")" "$page"
    done
    echo
    echo "# The project"
    echo
    printf -- '- [Architecture](ARCHITECTURE.md)\n- [Contributing](CONTRIBUTING.md)\n'
    printf -- '- [Changes](CHANGELOG.md)\n- [Security](SECURITY.md)\n'
} >"$site/src/SUMMARY.md"
mdbook-mermaid install "$site"
mdbook build "$site"
echo "written: $site/book/index.html"
