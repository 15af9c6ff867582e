#!/bin/sh
# Runs a command, and appends its name and how many seconds it took to the file that
# WATTLINE_TIMES names, if any.
# Arguments: the name, the command and its arguments.
set -eu

name=$1
shift
began=$(date +%s)
failed=0
"$@" || failed=$?
if [ -n "${WATTLINE_TIMES:-}" ]; then
    ended=failed
    [ "$failed" != 0 ] || ended=passed
    echo "$name: $(($(date +%s) - began)) s, $ended" >>"$WATTLINE_TIMES"
fi
exit "$failed"
