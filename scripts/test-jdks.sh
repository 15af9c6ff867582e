#!/bin/sh
# The tests whose outcome depends on the JDK, with each of 17, 21 and 25 that is installed but
# for the one on the path, as the whole suite runs with it: what javac says and compiles, how
# agents get in and weave classes, what Flight Recorder has. A minute.
# With `all`, none is left out, one that is missing is a failure, and there are more tests: all of
# probes, tracing, monitor and profiles, packages, R8, applications on the virtual board, and its
# Android.
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

if [ "${1:-}" = all ]; then
    on_path=
    set -- conformance:: monitor:: probes::targets probes::switches probes::watched shrunk:: \
        simulated_model:: trace:: virtual_board::application virtual_board::packages package:: \
        packaged:: profile::
else
    on_path=$(readlink -f "$(command -v javac)")
    set -- mistakes::javac_is_quoted operations:: probes::targets_of_java_25 trace:: \
        monitor::samples_of_flight_recorder monitor::probes_count_and_time \
        monitor::calls::virtual_threads simulated_model::counts_and_energy simulated_model::hard_shapes
fi
failed=
. scripts/lints.sh # as the suite was built
echo "$jdks" | while read -r release home; do
    [ -n "$release" ] || continue
    [ "$(readlink -f "$home/bin/javac")" != "$on_path" ] || continue
    echo "== JDK $release: $home"
    JAVA_HOME=$home PATH=$home/bin:$PATH cargo test --workspace --locked --test it -- "$@" </dev/null || exit 1
done || failed=yes
[ -z "$failed" ]
