#!/system/bin/sh
# guard.sh QUIET_S: puts the board back when no session came for QUIET_S seconds: the host
# that prepared the board is gone.
# Input:  the state file of prepare.sh; the heartbeat file (uptime in seconds) that
#         prepare.sh and session.sh write.
# Output: none. Ends when there is nothing to restore any more, or another guard runs.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

quiet_s=${1:?'usage: guard.sh QUIET_S'}
trap '' HUP

if [ -r "$dir/guard" ]; then
    read -r other <"$dir/guard"
    [ "$other" = $$ ] || ! kill -0 "$other" 2>/dev/null || exit 0
fi
echo $$ >"$dir/guard"

# Sets running where the process of the pid file lives.
look_for_session() {
    running=
    session_pid=
    [ -r "$work/pid" ] && read -r session_pid <"$work/pid"
    [ -z "$session_pid" ] || ! kill -0 "$session_pid" 2>/dev/null || running=yes
}

choose_nap
while [ -e "$dir/state" ]; do
    nap_us 10000000
    look_for_session
    read -r up _ <"$root/proc/uptime"
    beat_s=${up%%.*}
    [ -r "$dir/heartbeat" ] && read -r beat_s <"$dir/heartbeat"
    if [ -z "$running" ] && [ $((${up%%.*} - beat_s)) -ge "$quiet_s" ]; then
        sh "${0%/*}/restore.sh"
        break
    fi
done
rm "$dir/guard"
