#!/system/bin/sh
# common.sh: what the device scripts share. Sourced, never run.
# Input:  WATTLINE_ROOT, a folder before every absolute path (empty on a board; tests set it).
# Output: the variables root, dir, work, nl and the functions below; prints nothing by itself.
# A meter is what the file 'meter' names; its sensors are the lines 'NAME PATH' of the file
# 'rails'. prepare.sh writes both.
# Plain sh for mksh with toolbox as well as toybox: 32-bit arithmetic, no here-documents
# (Android 4.x has no folder for their temporary files), no printf, no fork where a builtin does.
# shellcheck disable=SC2034 # the variables are read by the scripts that source this file

root=${WATTLINE_ROOT:-}
dir=$root/data/local/tmp/wattline
work=$dir/session
nl='
'

# Says what is wrong on standard output (a legacy shell has no other) and ends the script.
fail() {
    echo "error=$*"
    exit 3
}

has() {
    command -v "$1" >/dev/null 2>&1
}

need() {
    has "$1" || fail "the tool '$1' is missing on this device; $2"
}

# Reads the clock: up is the text of /proc/uptime, now_ms the time since start_clock.
look_at_clock() {
    read -r up _ <"$root/proc/uptime" || fail "cannot read $root/proc/uptime"
    case $up in
    *.*) ;;
    *) up=$up.00 ;;
    esac
    clock_cs=${up#*.}00
    clock_cs=1${clock_cs%"${clock_cs#??}"} # two digits, and the 1 keeps 08 from being octal
    now_ms=$(((${up%%.*} - clock_base_s) * 1000 + (clock_cs - 100) * 10))
}

# Counting from here keeps milliseconds within 32 bits for 24 days.
start_clock() {
    clock_base_s=0
    read -r up _ <"$root/proc/uptime" || fail "cannot read $root/proc/uptime"
    clock_base_s=${up%%.*}
    look_at_clock
}

# Tells guard.sh that a host is still there.
beat() {
    read -r up _ <"$root/proc/uptime" && echo "${up%%.*}" >"$dir/heartbeat"
}

# Chooses how to nap. A toolbox sleep takes 0.3 for 0 without a word, so it is measured,
# unless the script that started this one has done so (WATTLINE_NAP).
choose_nap() {
    case ${WATTLINE_NAP:-} in
    usleep | fraction | second)
        nap=$WATTLINE_NAP
        return
        ;;
    esac
    if has usleep; then
        nap=usleep
        return
    fi
    need sleep "install busybox or toybox"
    start_clock
    nap_began_ms=$now_ms
    sleep 0.3 2>/dev/null
    look_at_clock
    if [ $((now_ms - nap_began_ms)) -ge 200 ]; then
        nap=fraction
    else
        nap=second
    fi
}

# Naps $1 microseconds, or whole seconds rounded up where the device can do no better.
nap_us() {
    case $nap in
    usleep) usleep "$1" ;;
    fraction)
        nap_rest=$((1000000 + $1 % 1000000))
        sleep "$(($1 / 1000000)).${nap_rest#1}"
        ;;
    *) sleep $((($1 + 999999) / 1000000)) ;;
    esac
}

# Sets temperature_c, empty where no sensor is known. The drivers give (milli)degrees,
# bare or after a name ("sensor0 : 45000").
read_temperature() {
    temperature_c=
    for temperature_file in "$root/sys/devices/10060000.tmu/temp" \
        "$root/sys/devices/platform/exynos5-tmu/temp" \
        "$root/sys/class/thermal/thermal_zone0/temp"; do
        [ -r "$temperature_file" ] || continue
        temperature_line=
        read -r temperature_line <"$temperature_file"
        temperature_line=${temperature_line##* }
        case $temperature_line in
        '' | *[!0-9]*) continue ;;
        ?????*) temperature_dc=$((temperature_line / 100)) ;;
        *) temperature_dc=$((temperature_line * 10)) ;;
        esac
        temperature_c=$((temperature_dc / 10)).$((temperature_dc % 10))
        return
    done
}

# Sets frequency_khz, the present frequency of the fastest core, and frequency_file, where
# it stands; both are empty where unknown.
read_frequency() {
    frequency_khz=
    frequency_file=
    frequency_best=0
    for frequency_dir in "$root"/sys/devices/system/cpu/cpu[0-9]*/cpufreq; do
        [ -r "$frequency_dir/scaling_cur_freq" ] || continue
        frequency_max=0
        read -r frequency_max <"$frequency_dir/cpuinfo_max_freq"
        if [ "$frequency_max" -gt "$frequency_best" ]; then
            frequency_best=$frequency_max
            frequency_file=$frequency_dir/scaling_cur_freq
            read -r frequency_khz <"$frequency_file"
        fi
    done
}

# Sets screen to on or off, empty where Android does not say.
read_screen() {
    screen=
    case $(dumpsys power 2>/dev/null) in
    *mWakefulness=Awake*) screen=on ;;
    *mWakefulness=*) screen=off ;;
    esac
}

# The same, after a screen that is dark was switched on.
wake() {
    read_screen
    [ "$screen" = off ] && has input || return
    input keyevent 224 >/dev/null 2>&1 # wakes, and never puts to sleep; since Android 4.4W
    read_screen
}

# Sets thermal_status to Android's: 0 (none) to 6 (shutdown); empty before Android 10.
read_thermal_status() {
    thermal_status=$(dumpsys thermalservice 2>/dev/null)
    case $thermal_status in
    *'Thermal Status: '[0-6]*)
        thermal_status=${thermal_status#*'Thermal Status: '}
        thermal_status=${thermal_status%"${thermal_status#?}"}
        ;;
    *) thermal_status= ;;
    esac
}

# For so many refreshes the values of a board at rest may be the same; longer, and the sensor
# stands still.
still_refreshes=20

# Sets told_refresh_us to the meter's refresh period where its driver says it, else empty, and
# refresh_us to that or to what is usual.
read_refresh() {
    told_refresh_us=
    [ -r "$dir/update_period_us" ] && read -r told_refresh_us <"$dir/update_period_us"
    case $meter in
    ina231) refresh_us=${told_refresh_us:-250000} ;;
    *) refresh_us=${told_refresh_us:-1000000} ;; # a fuel gauge's; nobody says
    esac
}

# Sets meter, and sources: what it reads from, separated by blanks.
load_meter() {
    meter=ina231
    [ -r "$dir/meter" ] && read -r meter <"$dir/meter"
    sources=
    while read -r _ source; do
        sources=$sources${sources:+ }$source
    done <"$dir/rails"
}

# Adds what else than batteries is connected: of several batteries one may rest.
read_online() {
    online=
    for supply in "$root"/sys/class/power_supply/*; do
        [ -r "$supply/online" ] || continue
        line=
        read -r line <"$supply/online" 2>/dev/null
        [ "$line" != 1 ] || online="$online ${supply##*/}"
    done
    reading=$reading${nl}online=$online
}

# Sets reading to what the meter says now: for the INA231 ' W W W W', with '-' where a sensor
# could not be read; for the others their own lines, each after a line break. Counters stay
# text: they are wider than this shell's numbers.
read_meter() {
    reading=
    case $meter in
    ina231)
        for source in $sources; do
            watts=
            read -r watts <"$source/sensor_W" 2>/dev/null
            reading="$reading ${watts:--}"
        done
        ;;
    odpm)
        for source in $sources; do
            while read -r line; do
                reading=$reading$nl$line
            done <"$source"
        done
        ;;
    fuel-gauge)
        for source in $sources; do
            [ "$source" = "$sources" ] || reading=$reading${nl}supply=${source##*/}
            for name in status current_now voltage_now power_now charge_counter; do
                [ -r "$source/$name" ] || continue
                line=
                read -r line <"$source/$name" 2>/dev/null
                reading=$reading$nl$name=$line
            done
        done
        [ "$source" = "$sources" ] || read_online
        ;;
    power-stats) reading=$nl$(dumpsys "$sources" 2>&1) ;;
    esac
}
