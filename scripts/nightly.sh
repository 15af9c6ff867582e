#!/bin/sh
# What is run every night: all checks, and the tests that depend on the JDK with each of 17,
# 21 and 25, all of which have to be there.
set -eu
cd "$(dirname "$0")/.."

sh scripts/upgrade-jdks.sh
sh test.sh
exec sh scripts/test-jdks.sh all
