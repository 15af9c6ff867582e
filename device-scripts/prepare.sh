#!/system/bin/sh
# prepare.sh: brings a board into the state a campaign measures in.
# Input:  key=value arguments: meter (ina231, odpm, power-stats or fuel-gauge; external, of which
#         the board knows nothing), frequency_khz (a number; 'auto' for one that the board offers,
#         where it can be fixed; or 'leave'), offline (core numbers separated by commas, or empty),
#         guard_s (seconds without a session after which the board puts itself back, or 'off').
# Output: key=value lines (rails, update_period_us, frequency_khz, temperature_c, ...), or
#         error=MESSAGE and exit code 3. Writes meter (its name), rails (name and path of a
#         sensor per line) and state (file and former value, or a command, per line), which
#         restore.sh undoes.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"

meter=ina231
frequency=leave
offline=
guard_s=off
for argument; do
    case $argument in
    meter=*) meter=${argument#*=} ;;
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

# Keeps what undoes $2 and what follows, a command without quotes, in the state file, once: $1 is
# how such lines begin.
undo_by() {
    known=
    if [ -r "$dir/state" ]; then
        while read -r line; do
            case $line in
            "@ $1 "*) known=yes ;;
            esac
        done <"$dir/state"
    fi
    shift
    [ -n "$known" ] || echo "@ $*" >>"$dir/state" || fail "cannot write $dir/state; is the disk full?"
}

# A setting of Android's: namespace, name, value.
change_setting() {
    former=$(settings get "$1" "$2" 2>/dev/null)
    case $former in
    '' | *[!0-9a-z]*) return ;; # not to be had, or nothing to put back safely
    "$3") return ;;
    null) undo_by "settings delete $1 $2" settings delete "$1" "$2" ;;
    *) undo_by "settings put $1 $2" settings put "$1" "$2" "$former" ;;
    esac
    settings put "$1" "$2" "$3" >/dev/null 2>&1
}

# A screen that goes dark lets the processor sleep in the middle of a session.
keep_awake() {
    has settings || return
    change_setting global stay_on_while_plugged_in 7
    change_setting system screen_off_timeout 2147483647
    wake
    has wm && wm dismiss-keyguard >/dev/null 2>&1
}

# Marks must still be in the log when they are looked for. Android before 5.0 has no -G: there the
# file small_log has session.sh ask for them elsewhere, too.
enlarge_log() {
    : >"$dir/small_log"
    size=$(logcat -g 2>/dev/null)
    case $size in
    *'ring buffer is '[0-9]*) ;;
    *) return ;;
    esac
    size=${size#*'ring buffer is '}
    unit=${size#"${size%%[!0-9]*}"}
    unit=${unit# }
    unit=${unit%"${unit#?}"}
    size=${size%%[!0-9]*}
    case $unit in
    K | M) ;;
    *) return ;;
    esac
    if [ "$unit$((size >= 16))" != M1 ]; then
        logcat -G 16M >/dev/null 2>&1 || return
        undo_by "logcat -G" logcat -G "$size$unit"
    fi
    rm "$dir/small_log"
}

note_sensor() {
    echo "$1 $2" >>"$dir/rails" || fail "cannot write $dir/rails; is the disk full?"
}

# The bus number differs between boards (4 on XU+E, 3 or 0 on XU3), the addresses do not.
find_sensors() {
    sensors=
    for pair in arm:0040 mem:0041 g3d:0044 kfc:0045; do
        for sensor in "$root"/sys/bus/i2c/drivers/INA231/*-"${pair#*:}"; do
            [ -e "$sensor/sensor_W" ] || continue
            rails=$rails${rails:+,}${pair%:*}
            sensors=$sensors${sensors:+$nl}$sensor
            note_sensor "${pair%:*}" "$sensor"
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

# The chips of the power rail monitor: a line 'CH3(T=349894)[S2M_VDD_CPUCL2], 30203502' per rail.
find_chips() {
    for chip in "$root"/sys/bus/iio/devices/iio:device*/energy_value; do
        [ -e "$chip" ] || continue
        [ -r "$chip" ] || fail "$chip cannot be read; is the shell root? (adb root)"
        note_sensor chip "$chip"
        while read -r line; do
            case $line in
            CH*'['*']',*)
                line=${line#*'['}
                rails=$rails${rails:+,}${line%%']'*}
                ;;
            esac
        done <"$chip"
    done
    [ -n "$rails" ] || fail "no rail in $root/sys/bus/iio/devices/iio:device*/energy_value; \
Pixel phones from the sixth on have them, for root (adb root)"
}

# Sets counts to the rails' counters, as text: they are wider than numbers here.
read_counts() {
    counts=
    read_meter
    IFS=$nl
    set -f
    for line in $reading; do
        case $line in
        CH*) counts="$counts ${line##*, }" ;;
        esac
    done
    set +f
    unset IFS
}

# Some rail always moves: where none does, nothing is measured.
wait_for_counts() {
    load_meter
    read_counts
    first=$counts
    tries=0
    while [ "$counts" = "$first" ] && [ $tries -lt 30 ]; do
        nap_us 100000
        tries=$((tries + 1))
        read_counts
    done
    [ "$counts" != "$first" ] || fail "no counter of the power rails moved in three seconds"
}

# The gauges of the batteries: 'battery' is all of an Android device; others may have several,
# and accessories have a scope of their own.
find_gauge() {
    supplies=
    if has_gauge "$root/sys/class/power_supply/battery"; then
        supplies=$root/sys/class/power_supply/battery
    else
        for folder in "$root"/sys/class/power_supply/*; do
            has_gauge "$folder" || continue
            kind=
            scope=
            read -r kind <"$folder/type" 2>/dev/null
            [ -r "$folder/scope" ] && read -r scope <"$folder/scope" 2>/dev/null
            case $kind,$scope in
            Battery,Device) ;;
            Battery,*) supplies=$supplies${supplies:+ }$folder ;;
            esac
        done
    fi
    [ -n "$supplies" ] || fail "no battery under $root/sys/class/power_supply tells its current and voltage"
    for supply in $supplies; do
        [ -r "$supply/current_now" ] || [ -r "$supply/power_now" ] || fail "$supply/current_now cannot be read; is the shell root? (adb root)"
        name=battery
        [ "$supply" = "$supplies" ] || name=${supply##*/}
        rails=$rails${rails:+,}$name
        note_sensor "$name" "$supply"
    done
}

has_gauge() {
    [ -e "$1/power_now" ] || { [ -e "$1/current_now" ] && [ -e "$1/voltage_now" ]; }
}

# Sets current to what any of the batteries gives.
read_current() {
    current=
    for supply in $supplies; do
        for name in power_now current_now; do
            line=
            [ -r "$supply/$name" ] && read -r line <"$supply/$name" 2>/dev/null
            case $line in
            *[1-9]*) current=$line ;;
            esac
        done
    done
}

wait_for_current() {
    tries=0
    read_current
    while [ -z "$current" ] && [ $tries -lt 30 ]; do
        nap_us 100000
        tries=$((tries + 1))
        read_current
    done
    for supply in $supplies; do
        status=
        read -r status <"$supply/status" 2>/dev/null
        case $status in
        Charging | Full) fail "the battery is being charged: its current is not the device's; pull the \
supply (adb over Wi-Fi: adb tcpip 5556, adb connect)" ;;
        'Not charging') [ "$supply" = "$supplies" ] && fail "the battery is on a cable that does not \
charge it: its current is not the device's; pull the supply (adb over Wi-Fi: adb tcpip 5556, adb connect)" ;;
        esac
    done
    [ -n "$current" ] || fail "$supplies/current_now stays 0: this gauge does not measure the current"
}

# Rows '[S2M_VDD_CPUCL2]:CPU(BIG)   23901.41 mWs' of the service's table of rails.
find_service() {
    need dumpsys "is this Android?"
    note_sensor service android.hardware.power.stats.IPowerStats/default
    load_meter
    read_meter
    IFS=$nl
    set -f
    for line in $reading; do
        case $line in
        *'['*']:'*' mWs'*)
            line=${line#*'['}
            row=${line%%']:'*}:${line#*']:'}
            rails=$rails${rails:+,}${row%% *}
            ;;
        esac
    done
    set +f
    unset IFS
    [ -n "$rails" ] || fail "dumpsys android.hardware.power.stats.IPowerStats/default shows no rail"
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

# The big cores are those with the highest frequency. Sets highest to it, and big_core to the last.
find_big_cores() {
    highest=0
    big_core=
    for cpufreq in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq; do
        [ -r "$cpufreq/cpuinfo_max_freq" ] || continue
        read -r most <"$cpufreq/cpuinfo_max_freq"
        [ "$most" -ge "$highest" ] || continue
        core=${cpufreq%/cpufreq}
        core=${core##*/cpu}
        if [ "$most" -gt "$highest" ] || [ "$core" -gt "$big_core" ]; then
            big_core=$core
        fi
        highest=$most
    done
}

# Sets frequency to the one that the board offers nearest to 1.1 GHz, which Li and Gallagher fixed;
# to 'leave' where nobody may set any.
choose_frequency() {
    frequency=leave
    cpufreq=$root/sys/devices/system/cpu/cpu$big_core/cpufreq
    [ -n "$big_core" ] && [ -w "$cpufreq/scaling_governor" ] && [ -w "$cpufreq/scaling_setspeed" ] ||
        return
    [ -r "$cpufreq/scaling_available_governors" ] || return
    [ -r "$cpufreq/scaling_available_frequencies" ] || return
    governors=
    offered=
    read -r governors <"$cpufreq/scaling_available_governors"
    read -r offered <"$cpufreq/scaling_available_frequencies"
    case " $governors " in
    *' userspace '*) ;;
    *) return ;;
    esac
    nearest=
    for khz in $offered; do
        distance=$((khz - 1100000))
        distance=${distance#-}
        if [ -z "$nearest" ] || [ "$distance" -lt "$nearest" ]; then
            nearest=$distance
            frequency=$khz
        fi
    done
}

set_frequency() {
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
        [ "$present" = "$frequency" ] && continue
        known=
        [ -r "$cpufreq/scaling_available_frequencies" ] \
            && read -r known <"$cpufreq/scaling_available_frequencies"
        fail "$cpufreq runs at $present kHz after $frequency kHz was set; board.frequency_khz of the \
scenario is to be one of ${known:-those that the device offers}, or \"leave\"; a hot device allows \
less"
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
echo "$meter" >"$dir/meter" || fail "cannot write $dir/meter; is the disk full?"
: >"$dir/rails"
rails=
silent=
screen=
case $meter in
ina231)
    find_sensors
    enable_sensors
    ;;
odpm) find_chips ;;
fuel-gauge) find_gauge ;;
power-stats) find_service ;;
external) rails=external ;;
*) fail "prepare.sh does not know the meter $meter" ;;
esac
[ -n "$offline" ] && take_offline
find_big_cores
[ "$frequency" = auto ] && choose_frequency
[ "$frequency" = leave ] || set_frequency
case $meter in
ina231) wait_for_values ;;
odpm) wait_for_counts ;;
fuel-gauge) wait_for_current ;;
esac
keep_awake
enlarge_log
# Where nothing was changed, this still says that the board is prepared.
[ -e "$dir/state" ] || : >"$dir/state" || fail "cannot write $dir/state; is the disk full?"
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
echo "meter=$meter"
echo "rails=$rails"
[ -z "$update_period_us" ] || echo "update_period_us=$update_period_us"
[ -z "$silent" ] || echo "silent_rails=$silent"
[ -z "$frequency_khz" ] || echo "frequency_khz=$frequency_khz"
[ "$frequency" = leave ] || echo "fixed_khz=$frequency"
[ -z "$big_core" ] || echo "big_core=$big_core"
[ -z "$temperature_c" ] || echo "temperature_c=$temperature_c"
[ -z "$screen" ] || echo "screen=$screen"
echo "nap=$nap"
for tool in setsid taskset grep logcat log am input; do
    has $tool || echo "missing_tool=$tool"
done
echo "prepared=yes"
