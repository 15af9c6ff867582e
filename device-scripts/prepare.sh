#!/system/bin/sh
# prepare.sh: brings a board into the state a campaign measures in.
# Input:  key=value arguments: frequency_khz (a number, or 'leave'), offline (core numbers
#         separated by commas, or empty), guard_s (seconds without a session after which the
#         board puts itself back, or 'off').
# Output: key=value lines (rails, update_period_us, frequency_khz, temperature_c, ...), or
#         error=MESSAGE and exit code 3. Writes rails (rail and sensor folder per line) and
#         state (file and former value per line), which restore.sh undoes.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

frequency=leave
offline=
guard_s=off
for argument; do
    case $argument in
    frequency_khz=*) frequency=${argument#*=} ;;
    offline=*) offline=${argument#*=} ;;
    guard_s=*) guard_s=${argument#*=} ;;
    *) fail "prepare.sh does not know the argument $argument" ;;
    esac
done

# Writes $2 to the file $1. What stood there before goes to the state file, once: a second
# prepare must not take the first one's settings for the board's own.
change() {
    former=
    read -r former <"$1" 2>/dev/null
    known=
    if [ -r "$dir/state" ]; then
        while read -r state_file _; do
            [ "$state_file" = "$1" ] && known=yes
        done <"$dir/state"
    fi
    [ -n "$known" ] || echo "$1 $former" >>"$dir/state" ||
        fail "cannot write $dir/state; is the disk full?"
    echo "$2" 2>/dev/null >"$1" || fail "cannot write $2 to $1; is the shell root? (adb root)"
}

# The bus number differs between boards (4 on XU+E, 3 or 0 on XU3), the addresses do not.
find_sensors() {
    rails=
    sensors=
    : >"$dir/rails"
    for pair in arm:0040 mem:0041 g3d:0044 kfc:0045; do
        for sensor in "$root"/sys/bus/i2c/drivers/INA231/*-"${pair#*:}"; do
            [ -e "$sensor/sensor_W" ] || continue
            rails=$rails${rails:+,}${pair%:*}
            sensors=$sensors${sensors:+$nl}$sensor
            echo "${pair%:*} $sensor" >>"$dir/rails" ||
                fail "cannot write $dir/rails; is the disk full?"
            break
        done
    done
    [ -n "$rails" ] || fail "no INA231 power sensor under $root/sys/bus/i2c/drivers/INA231; \
an Odroid-XU+E or XU3 has four, an XU4 none"
}

enable_sensors() {
    for sensor in $sensors; do
        change "$sensor/enable" 1
    done
}

# Sets silent to the rails that still read zero volts and watts.
look_for_silent() {
    silent=
    while read -r rail sensor; do
        volts=
        watts=
        read -r volts <"$sensor/sensor_V" 2>/dev/null
        read -r watts <"$sensor/sensor_W" 2>/dev/null
        case $volts$watts in
        *[1-9]*) ;;
        *) silent=$silent${silent:+,}$rail ;;
        esac
    done <"$dir/rails"
}

# A freshly enabled sensor gives values after one to two seconds.
wait_for_values() {
    tries=0
    look_for_silent
    while [ -n "$silent" ] && [ $tries -lt 30 ]; do
        nap_us 100000
        tries=$((tries + 1))
        look_for_silent
    done
    case ,$silent, in
    *,arm,*) fail "the arm sensor reads zero three seconds after it was enabled" ;;
    esac
}

take_offline() {
    offline_rest=$offline,
    while [ -n "${offline_rest%,}" ]; do
        core=$root/sys/devices/system/cpu/cpu${offline_rest%%,*}
        offline_rest=${offline_rest#*,}
        [ -e "$core/online" ] || fail "$core/online does not exist: this core cannot be taken offline"
        change "$core/online" 0
    done
}

# The big cores are those with the highest frequency.
set_frequency() {
    highest=0
    for cpufreq in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq; do
        [ -r "$cpufreq/cpuinfo_max_freq" ] || continue
        read -r most <"$cpufreq/cpuinfo_max_freq"
        [ "$most" -gt "$highest" ] && highest=$most
    done
    [ "$highest" -gt 0 ] || fail "no cpufreq under $root/sys/devices/system/cpu; \
the frequency cannot be fixed (frequency 'leave' does without)"
    big=
    for cpufreq in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq; do
        [ -r "$cpufreq/cpuinfo_max_freq" ] || continue
        read -r most <"$cpufreq/cpuinfo_max_freq"
        [ "$most" -eq "$highest" ] || continue
        big=$big${big:+$nl}$cpufreq
        change "$cpufreq/scaling_governor" userspace
        change "$cpufreq/scaling_setspeed" "$frequency"
    done
    nap_us 100000
    for cpufreq in $big; do
        read -r present <"$cpufreq/scaling_cur_freq"
        [ "$present" = "$frequency" ] || fail "$cpufreq runs at $present kHz after \
$frequency kHz was set; see scaling_available_frequencies, and the thermal limit"
    done
}

# The guard lives on when this shell ends.
start_guard() {
    if has setsid; then
        setsid sh "${0%/*}/guard.sh" "$guard_s" >/dev/null 2>&1 </dev/null &
    else
        sh "${0%/*}/guard.sh" "$guard_s" >/dev/null 2>&1 </dev/null &
    fi
}

[ -d "$dir" ] || fail "the folder $dir does not exist; push the scripts first"
choose_nap
find_sensors
enable_sensors
[ -n "$offline" ] && take_offline
[ "$frequency" = leave ] || set_frequency
wait_for_values
beat
[ "$guard_s" = off ] || start_guard

read -r _ sensor <"$dir/rails"
update_period_us=
if [ -r "$sensor/update_period" ]; then
    read -r update_period_us <"$sensor/update_period"
    echo "$update_period_us" >"$dir/update_period_us"
elif [ -e "$dir/update_period_us" ]; then
    rm "$dir/update_period_us"
fi
read_frequency
read_temperature
echo "rails=$rails"
[ -z "$update_period_us" ] || echo "update_period_us=$update_period_us"
[ -z "$silent" ] || echo "silent_rails=$silent"
[ -z "$frequency_khz" ] || echo "frequency_khz=$frequency_khz"
[ -z "$temperature_c" ] || echo "temperature_c=$temperature_c"
echo "nap=$nap"
for tool in setsid taskset grep logcat log am input; do
    has $tool || echo "missing_tool=$tool"
done
echo "prepared=yes"
