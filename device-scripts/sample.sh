#!/system/bin/sh
# sample.sh OUT PERIOD_US: samples the power sensors until told to stop.
# Input:  the rails file of prepare.sh; the session's pid file and stop file.
# Output: OUT: a header '# wattline-samples 1 rails=... unit=W period_us=N update_period_us=N'
#         (the last only where the driver says it), then 'UPTIME_S W W W W' per sample, '-' where a sensor could not be read.
#         Ends after one more sample when the stop file appears, when the session is gone, or
#         when OUT can't be written (a full disk): it never goes on without a trace.
#         Forks nothing but the nap.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

out=${1:?'usage: sample.sh OUT PERIOD_US'}
period_us=${2:?'usage: sample.sh OUT PERIOD_US'}
[ -r "$dir/rails" ] || fail "no rails file in $dir; run prepare.sh first"

rails=
files=
while read -r rail sensor; do
    rails=$rails${rails:+,}$rail
    files="$files $sensor/sensor_W"
done <"$dir/rails"
refresh=
[ -r "$dir/update_period_us" ] && read -r update_period_us <"$dir/update_period_us" &&
    refresh=" update_period_us=$update_period_us"
session_pid=
[ -r "$work/pid" ] && read -r session_pid <"$work/pid"

choose_nap
exec 3>"$out"
echo "# wattline-samples 1 rails=$rails unit=W period_us=$period_us$refresh" >&3 ||
    fail "cannot write $out; is the disk full?"
while :; do
    read -r up _ <"$root/proc/uptime"
    line=$up
    for file in $files; do
        watts=
        read -r watts <"$file" 2>/dev/null
        line="$line ${watts:--}"
    done
    echo "$line" >&3 || break
    [ -e "$work/stop" ] && break
    [ -e "$work/pid" ] || break
    kill -0 "$session_pid" 2>/dev/null || break
    nap_us "$period_us"
done
: >"$work/sampled"
