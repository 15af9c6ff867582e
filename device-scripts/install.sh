#!/system/bin/sh
# install.sh: installs an application over an older one, with the permissions that it asks for,
# and has it compiled where Android does that ahead (7.0 and later): what a session compiles by
# itself, and when, is the session's own noise. One with another key is uninstalled first if it
# has the runner: then it was made to be measured, and nobody keeps anything in it.
# Input:  the package's file, which is removed, and its name.
# Output: what the package manager said, and installed=yes if it did; compiled=FILTER, where the
#         board says so. The file 'compiled' keeps package and filter for session.sh.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

sdk=$(getprop ro.build.version.sdk)
grant=
[ "${sdk:-0}" -lt 23 ] || grant=-g
[ ! -e "$dir/compiled" ] || rm "$dir/compiled"
# Sets said to what the package manager says.
try() {
    # shellcheck disable=SC2086 # no word where there is no such option
    said=$(pm install -r -t $grant "$1" 2>&1)
}

has_runner() {
    case $(pm list instrumentation 2>/dev/null) in
    *"instrumentation:$1/org.wattline.runner.Runner "*) ;;
    *) return 1 ;;
    esac
}

try "$1"
case $said in
*INSTALL_FAILED_UPDATE_INCOMPATIBLE*)
    if has_runner "$2"; then
        pm uninstall "$2" >/dev/null 2>&1
        try "$1"
    fi
    ;;
esac
rm "$1"
echo "$said"
# Old package managers end with 0 whatever happened; all of them print this word.
case $nl$said$nl in
*"${nl}Success"*) echo installed=yes ;;
*) exit 1 ;;
esac

# Sets filter to how the package is compiled: the first status after its name.
read_filter() {
    filter=
    own=
    IFS=$nl
    set -f
    for line in $(dumpsys package dexopt 2>/dev/null); do
        case $line in
        *'[status='*)
            if [ -n "$own" ]; then
                filter=${line#*'[status='}
                filter=${filter%%']'*}
                break
            fi
            ;;
        *"[$1]"*) own=yes ;;
        *'['*']'*) own= ;;
        esac
    done
    set +f
    unset IFS
}

[ "${sdk:-0}" -ge 24 ] || exit 0
cmd package compile -m speed -f "$2" >/dev/null 2>&1
read_filter "$2"
[ -n "$filter" ] || exit 0
echo "$2 $filter" >"$dir/compiled"
echo "compiled=$filter"
