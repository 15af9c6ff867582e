#!/system/bin/sh
# collect.sh [COUNTS_PACKAGE]: prints what the last session left, for the host to take apart.
# Input:  the files of session.sh, the log; the package whose wattline-counts.csv is wanted,
#         and wattline-counts.windows where it has one.
# Output: sections '@@wattline NAME begin', the bytes, a newline, '@@wattline NAME end' for
#         samples, logcat, counts and windows; '@@wattline NAME missing' for what is not there.

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
if [ -n "$1" ]; then
    for name in counts:csv windows:windows; do
        file=wattline-counts.${name#*:}
        counts=$root/data/data/$1/files/$file
        # Without root only the application itself may read its files.
        if [ ! -r "$counts" ] && has run-as; then
            run-as "$1" cat "files/$file" >"$work/$file" 2>/dev/null && counts=$work/$file
        fi
        section "${name%:*}" "$counts"
    done
fi
