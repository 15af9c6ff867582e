#!/system/bin/sh
# collect.sh [COUNTS_PACKAGE|@status]: prints what the last session left, for the host to take apart.
# Input:  the files of session.sh, the log; the package whose wattline-counts-*.csv are wanted,
#         and wattline-counts-*.windows where it has some. Each process and each class loader
#         that counts has its own; they come one after the other. Or, with @status, what the
#         instrumentation said.
# Output: sections '@@wattline NAME begin', the bytes, a newline, '@@wattline NAME end' for
#         samples, logcat, counts, windows and status; '@@wattline NAME missing' for what is not there.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

section() {
    if [ -r "$2" ]; then
        echo "@@wattline $1 begin"
        cat "$2"
        echo
        echo "@@wattline $1 end"
    else
        echo "@@wattline $1 missing"
    fi
}

section samples "$work/samples.txt"
echo "@@wattline logcat begin"
logcat -d -v threadtime
echo
echo "@@wattline logcat end"
if [ "$1" = @status ]; then
    section status "$work/am.out"
elif [ -n "$1" ]; then
    for name in counts:csv windows:windows; do
        all=$work/counts.${name#*:}
        # Without root only the application itself may read its files.
        if ! cat "$root/data/data/$1/files/wattline-counts-"*".${name#*:}" >"$all" 2>/dev/null; then
            rm -f "$all"
            if has run-as; then
                run-as "$1" sh -c "cat files/wattline-counts-*.${name#*:}" >"$all" 2>/dev/null ||
                    rm -f "$all"
            fi
        fi
        section "${name%:*}" "$all"
    done
fi
