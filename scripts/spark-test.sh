#!/bin/sh
# The tests of the package for Apache Spark (engines/spark) on a cluster of two executors
# on this machine. Installs the package and what its tests need into a virtual environment
# of its own.
#
#   scripts/spark-test.sh [VERSION]
#
# VERSION: of PySpark, 3.5 or 4 (default: the newest). WATTLINE: the program (default
# target/release/wattline). PYTHON: which Python (default python3). JAVA_HOME: Java 17, or 8 to
# 17 for PySpark 3.5. Skipped, with the reason, where Python or Java is missing.
set -eu
cd "$(dirname "$0")/.."
version=${1:-}
wattline=${WATTLINE:-target/release/wattline}
python=${PYTHON:-python3}
environment=target/spark-venv${version:+-$version}

skip() { # REASON
    echo "skipped: $1"
    exit 0
}

command -v "$python" >/dev/null || skip "no $python"
"$python" -c 'import ensurepip, venv' 2>/dev/null || skip "$python has no venv"
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -version >/dev/null 2>&1 || skip "no Java, which Spark runs on"
[ -x "$wattline" ] || {
    echo "no program $wattline: cargo build --release, or name it by WATTLINE" >&2
    exit 2
}
WATTLINE_PROGRAM=$(cd "$(dirname "$wattline")" && pwd)/$(basename "$wattline")
export WATTLINE_PROGRAM

[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check \
    --editable "engines/spark[test]" "pyspark${version:+==$version.*}"
"$environment/bin/python" -c 'import pyspark, sys; print(f"PySpark {pyspark.__version__}, Python {sys.version.split()[0]}")'
"$environment/bin/python" -m pytest -q -p no:cacheprovider engines/spark
