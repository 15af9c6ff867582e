#!/bin/sh
# The tests whose outcome depends on the JDK, with each of 17, 21 and 25 that is installed:
# probes, what is traced, the samples and probes of the monitor, profiles, packages, R8,
# applications on the virtual board, and its Android. The JDK that is on the path is left out, as the whole suite runs with it.
# With `all`, one of the three that is missing is a failure, and none is left out.
set -eu
cd "$(dirname "$0")/.."

jdks=$(sh scripts/jdks.sh)
echo "JDKs:"
echo "$jdks"
for release in 17 21 25; do
    if ! echo "$jdks" | grep -q "^$release "; then
        echo "no JDK $release: name its home in WATTLINE_JDKS" >&2
        [ "${1:-}" != all ] || exit 1
    fi
done

on_path=$(readlink -f "$(command -v javac)")
failed=
echo "$jdks" | while read -r release home; do
    [ -n "$release" ] || continue
    if [ "${1:-}" != all ] && [ "$(readlink -f "$home/bin/javac")" = "$on_path" ]; then
        continue
    fi
    echo "== JDK $release: $home"
    JAVA_HOME=$home PATH=$home/bin:$PATH cargo test --locked --test it -- \
        conformance:: monitor:: probes::targets probes::switches probes::watched shrunk:: silicon:: trace:: \
        virtual_board::application virtual_board::packages package:: packaged:: profile:: </dev/null || exit 1
done || failed=yes
[ -z "$failed" ]
