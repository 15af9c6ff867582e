#!/system/bin/sh
# sample.sh OUT PERIOD_US: samples the power meter until told to stop.
# Input:  the files rails and meter of prepare.sh; the session's pid file and stop file.
# Output: OUT. For the INA231 a header '# wattline-samples 1 rails=... unit=W period_us=N
#         update_period_us=N' (the last only where the driver says it), then 'UPTIME_S W W W W'
#         per sample, '-' where a sensor could not be read. For other meters
#         '# wattline-readings 1 meter=NAME period_us=N', then per reading '@ UPTIME_S' and the
#         meter's own lines.
#         Ends after one more new reading when the stop file appears, or when OUT can't be written
#         (a full disk), and says so by the session's process number in the file sampled; without a
#         word when the session is gone.
#         Forks nothing but the nap (and dumpsys, where that is the meter).

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

out=${1:?'usage: sample.sh OUT PERIOD_US'}
period_us=${2:?'usage: sample.sh OUT PERIOD_US'}
[ -r "$dir/rails" ] || fail "no rails file in $dir; run prepare.sh first"

load_meter
read_refresh
rails=
while read -r rail _; do
    rails=$rails${rails:+,}$rail
done <"$dir/rails"
session_pid=
[ -r "$work/pid" ] && read -r session_pid <"$work/pid"
# The service costs more than it tells when it is asked often.
[ "$meter" = power-stats ] && [ "$period_us" -lt 1000000 ] && period_us=1000000

if [ "$meter" = ina231 ]; then
    begin=
    header="# wattline-samples 1 rails=$rails unit=W period_us=$period_us${told_refresh_us:+ update_period_us=$told_refresh_us}"
else
    begin='@ '
    header="# wattline-readings 1 meter=$meter period_us=$period_us"
fi
choose_nap
stopped_s=
last=
exec 3>"$out"
# The session begins when there is something in the file: the header comes with a reading.
unsaid=$header$nl
while :; do
    read -r up _ <"$root/proc/uptime"
    read_meter
    if ! echo "$unsaid$begin$up$reading" >&3; then
        [ -z "$unsaid" ] || fail "cannot write $out; is the disk full?"
        break
    fi
    unsaid=
    if [ -e "$work/stop" ]; then
        # A board at rest may show the values of the sample before once more, by chance.
        [ "$reading" = "$last" ] || break
        stopped_s=${stopped_s:-${up%%.*}}
        [ $((${up%%.*} - stopped_s)) -le $((still_refreshes * refresh_us / 1000000)) ] || break
    fi
    last=$reading
    nap_us "$period_us"
    # First after the nap: what is in the folder by now may be another session's.
    [ -e "$work/pid" ] || exit 0
    kill -0 "$session_pid" 2>/dev/null || exit 0
done
echo "$session_pid" >"$work/sampled"
