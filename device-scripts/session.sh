#!/system/bin/sh
# session.sh: runs one session in the foreground: sampler, application, input, end.
# Input:  key=value arguments, or plan=FILE with one of them per line:
#         period_us=N   the sampler's nap            limit_ms=N   longest session, device clock
#         package=P main=CLASS                       the application (none: an idle session)
#         package=P runner=CLASS                     the same, by its instrumentation, or by that
#         of another package (runner=P/CLASS), whose status goes to session/am.out; it gets its
#         input by an extra, not by steps
#         extra=KEY=VALUE (repeated)                 goes to the application by am -e
#         Where the log may lose marks (the file small_log), a runner says them in its status, too.
#         step='AT_MS KIND ARGS' (repeated, sorted)  input, counted from the begin marker
#         input=host    a command of the host gives input: says begun=yes at the begin marker
#         begin_marker=TEXT end_marker=TEXT              what the application prints
#         idle_ms=N     length of an idle session    settle_ms=N  longest wait for the
#         application to end by itself after its end marker
#         expect_ms=N   length that is expected: until shortly before, few looks at the log
#         counts=yes    remove old wattline-counts-* first
#         profile_hz=N  simpleperf samples the application, N times in a second that it computes
#         app_mask=HEX scripts_mask=HEX              cores for taskset (absent: not pinned)
# Output: of Android, where it says so: thermal_status=N (0 to 6), screen=on|off, compiled=FILTER.
#         With profile_hz, session/profile.report is simpleperf's, and profile=yes is said.
#         key=value lines, the last of them exit=ok|died|timeout, or error=MESSAGE and exit
#         code 3; the samples in session/samples.txt, the marks in the log. While kernels
#         run: closed=N when a look at the log finds that N of them have ended.
# A session that loses its host (hangup) stops the application and restores the board.

# shellcheck source=device-scripts/common.sh
. "${0%/*}/common.sh"
set -f

poll_ms=1000
# The log of a meter that the host reads is to have rows before and after the marks.
log_margin_us=2000000
period_us=33000
limit_ms=600000
idle_ms=0
settle_ms=500
expect_ms=0
begin_marker='wattline: begin'
end_marker='wattline: end'
package=
main=
runner=
counts=
profile_hz=
steps=
host_input=
app_mask=
scripts_mask=
plan=
case ${1:-} in
plan=*)
    plan=${1#plan=}
    shift
    while IFS= read -r line; do
        set -- "$@" "$line"
    done <"$plan" || fail "cannot read the plan $plan"
    ;;
esac
# Each argument is taken off the front once; what an extra leaves at the end is for am.
left=$#
while [ $left -gt 0 ]; do
    argument=$1
    shift
    left=$((left - 1))
    value=${argument#*=}
    case $argument in
    period_us=*) period_us=$value ;;
    limit_ms=*) limit_ms=$value ;;
    idle_ms=*) idle_ms=$value ;;
    settle_ms=*) settle_ms=$value ;;
    expect_ms=*) expect_ms=$value ;;
    begin_marker=*) begin_marker=$value ;;
    end_marker=*) end_marker=$value ;;
    package=*) package=$value ;;
    main=*) main=$value ;;
    runner=*) runner=$value ;;
    counts=*) counts=$value ;;
    profile_hz=*) profile_hz=$value ;;
    extra=*) set -- "$@" -e "${value%%=*}" "${value#*=}" ;;
    input=host) host_input=yes ;;
    step=*) steps=$steps${steps:+$nl}$value ;;
    app_mask=*) app_mask=$value ;;
    scripts_mask=*) scripts_mask=$value ;;
    *) fail "session.sh does not know the argument $argument" ;;
    esac
done

# Milliseconds since midnight of HH:MM:SS.mmm; the 1 before keeps 08 from being octal.
day_ms_of() {
    clock=$1
    seconds=${clock##*:}
    minutes=${clock#*:}
    minutes=${minutes%%:*}
    day_ms=$(((1${clock%%:*} - 100) * 3600000 + (1$minutes - 100) * 60000))
    day_ms=$((day_ms + (1${seconds%.*} - 100) * 1000 + 1${seconds#*.} - 1000))
}

# Writes an 'uptime N' line to the log, which ties the log's clock to the samples' clock.
mark() {
    look_at_clock
    log -t wattline "uptime $up"
}

# Writes the lines of the log that matter here to the poll file.
dump_log() {
    if [ -n "$have_grep" ]; then
        logcat -d -v threadtime | grep -F -e 'wattline: uptime' -e "$begin_marker" \
            -e "$end_marker" -e 'has died' -e 'FATAL EXCEPTION' >"$work/poll"
    else
        logcat -d -v threadtime >"$work/poll"
    fi
}

# Reads the log: begun, ended, died, fatal, app_pid, begin_ms (on the session's clock).
look_at_log() {
    # First whether it has ended, then what it had said.
    ended=
    died=
    if [ -n "$runner" ] && ! kill -0 "$am_pid" 2>/dev/null; then
        died=yes
    fi
    open_said=0
    closed_said=0
    [ -z "$says_marks" ] || look_at_status
    dump_log
    fatal=
    open=0
    closed=0
    while read -r line; do
        case $line in
        *"$begin_marker" | *"$begin_marker "*)
            open=$((open + 1))
            [ -n "$begun" ] || note_begin "$line"
            ;;
        *"$end_marker") ended=yes ;;
        *"$end_marker "*) closed=$((closed + 1)) ;;
        *"Process $package (pid "*'has died'*)
            [ -n "$begun" ] || unborn_polls=$((unborn_polls + 1))
            case $line in
            *"(pid $app_pid)"*) died=yes ;;
            esac
            ;;
        *'FATAL EXCEPTION'*)
            case " $line" in
            *" $app_pid "*) fatal=yes ;;
            esac
            ;;
        *"wattline: uptime $t0") note_mark "$line" ;;
        esac
    done <"$work/poll"
    # The log may have lost the older ones.
    [ $open -ge $open_said ] || open=$open_said
    [ $closed -ge $closed_said ] || closed=$closed_said
}

# Reads what the runner has said of marks up to now; the order of a bundle's values is anyone's.
look_at_status() {
    while read -r line; do
        case $line in
        'INSTRUMENTATION_STATUS: wattline.said='*) said=${line#*said=} ;;
        'INSTRUMENTATION_STATUS: wattline.at='*) said_at=${line#*at=} ;;
        'INSTRUMENTATION_STATUS: wattline.pid='*)
            said_pid=${line#*pid=}
            said_pid=${said_pid#"${said_pid%%[!0]*}"} # zeros before it
            ;;
        'INSTRUMENTATION_STATUS_CODE: 3') note_said ;;
        esac
    done <"$work/am.out"
}

note_said() {
    case $said in
    "$begin_marker" | "$begin_marker "*)
        open_said=$((open_said + 1))
        [ -z "$begun" ] || return
        begun=yes
        app_pid=$said_pid
        # The 1 keeps 008 from being octal.
        begin_ms=$(((${said_at%%.*} - clock_base_s) * 1000 + 1${said_at#*.} - 1000))
        ;;
    "$end_marker") ended=yes ;;
    "$end_marker "*) closed_said=$((closed_said + 1)) ;;
    esac
}

# The line's own time stamp, not the moment of the poll, says when the application began.
note_begin() {
    begun=yes
    # shellcheck disable=SC2086 # the columns of threadtime: date, time, pid, ...
    set -- $1
    app_pid=$3
    day_ms_of "$2"
    begin_ms=$((mark_ms + day_ms - mark_day_ms))
    [ $begin_ms -ge -43200000 ] || begin_ms=$((begin_ms + 86400000)) # past midnight
}

note_mark() {
    [ -z "$mark_noted" ] || return
    mark_noted=yes
    # shellcheck disable=SC2086 # the columns of threadtime: date, time, pid, ...
    set -- $1
    day_ms_of "$2"
    mark_day_ms=$day_ms
}

# Sends the first of the steps. The kind 'wait' only passes time.
send_step() {
    step=${steps%%"$nl"*}
    case $steps in
    *"$nl"*) steps=${steps#*"$nl"} ;;
    *) steps= ;;
    esac
    step=${step#* }
    case $step in
    wait | 'wait '*) return ;;
    key\ *) step="keyevent ${step#key }" ;;
    esac
    # shellcheck disable=SC2086 # the words of a step are the words of the command
    input $step >/dev/null 2>&1 || echo "warning=input $step failed"
}

# Lets the host's command give input. Meanwhile a virtual board's clock stands, but for what the
# command waits for on the board.
call_host() {
    setprop wattline.input begun >/dev/null 2>&1
    echo 'begun=yes'
}

pin() {
    [ -n "$2" ] || return
    # All threads; those to come are their maker's. Older ones know one thread only.
    if [ -n "$have_taskset" ] && {
        taskset -ap "$2" "$3" || taskset -p "$2" "$3"
    } >/dev/null 2>&1; then
        echo "$1_pinned=yes"
    else
        echo "$1_pinned=no"
    fi
}

start_sampler() {
    [ -e "$work/stop" ] && rm "$work/stop"
    [ -e "$work/sampled" ] && rm "$work/sampled"
    if [ "$meter" = external ]; then
        echo '# wattline-readings 1 meter=external' >"$work/samples.txt"
        echo $$ >"$work/sampled"
        nap_us $log_margin_us
        return
    fi
    : >"$work/samples.txt"
    sampler=${0%/*}/sample.sh
    # It must not measure naps of its own: a virtual board's clock would have to move.
    export WATTLINE_NAP="$nap"
    if has setsid; then
        setsid sh "$sampler" "$work/samples.txt" "$period_us" >"$work/sampler.out" 2>&1 </dev/null &
    else
        sh "$sampler" "$work/samples.txt" "$period_us" >"$work/sampler.out" 2>&1 </dev/null &
    fi
    sampler_pid=$!
    # Only builtins here: a virtual board's clock must not move before the first sample.
    while [ ! -s "$work/samples.txt" ]; do
        kill -0 "$sampler_pid" 2>/dev/null || break
    done
    if [ ! -s "$work/samples.txt" ]; then
        read -r line <"$work/sampler.out"
        fail "the sampler ended at once: ${line#error=}"
    fi
}

# Waits until a sensor shows something new, for twenty refreshes at most: what it shows then was
# measured after the window, so that the window is covered, and the sensor lives.
await_fresh_reading() {
    if [ "$meter" = external ]; then
        nap_us $log_margin_us
        return
    fi
    read_meter
    stale=$reading
    look_at_clock
    fresh_until_ms=$((now_ms + still_refreshes * refresh_us / 1000))
    while [ "$reading" = "$stale" ] && [ $now_ms -lt $fresh_until_ms ]; do
        nap_us 50000
        read_meter
        look_at_clock
    done
}

# Sets slow_cs to the time in hundredths of a second that the big cores have spent below
# their present frequency since they were started; empty where the kernel does not say.
read_slow_time() {
    slow_cs=
    [ -n "$frequency_file" ] && [ -r "${frequency_file%/*}/stats/time_in_state" ] || return
    slow_cs=0
    while read -r state_khz state_cs; do
        [ "$state_khz" -ge "$frequency_start_khz" ] || slow_cs=$((slow_cs + state_cs))
    done <"${frequency_file%/*}/stats/time_in_state"
}

# Whether this session's sampler has ended; an earlier session's may have outlived it.
has_sampled() {
    sampled_pid=
    [ -r "$work/sampled" ] && read -r sampled_pid <"$work/sampled"
    [ "$sampled_pid" = $$ ]
}

# The sampler waits for one more new reading after it saw the stop file.
stop_sampler() {
    : >"$work/stop"
    waited_us=0
    limit_us=$((still_refreshes * refresh_us + 5000000))
    while ! has_sampled && [ $waited_us -lt $limit_us ]; do
        nap_us "$period_us"
        waited_us=$((waited_us + period_us))
    done
    has_sampled || kill "$sampler_pid" 2>/dev/null
}

# simpleperf waits for the application, and says what is wrong when it ends. Frame pointers
# are cheap to walk; only 64-bit code has them.
start_profiler() {
    for old in "$work/perf.data" "$work/profile.report"; do
        [ ! -e "$old" ] || rm "$old"
    done
    call_graph=dwarf
    case $(getprop ro.product.cpu.abi) in
    *64*) call_graph=fp ;;
    esac
    simpleperf record --app "$package" -e task-clock -f "$profile_hz" --call-graph "$call_graph" \
        --clockid boottime -o "$work/perf.data" >"$work/profiler.out" 2>&1 </dev/null &
    profiler_pid=$!
}

report_samples() {
    simpleperf report-sample --protobuf --show-callchain "$@" -i "$work/perf.data" \
        -o "$work/profile.report" >>"$work/profiler.out" 2>&1
}

stop_profiler() {
    kill -TERM "$profiler_pid" 2>/dev/null
    wait "$profiler_pid"
    # Newer versions leave out samples whose stack is not whole unless they are told not to;
    # older ones don't know the option.
    if [ -s "$work/perf.data" ] && { report_samples --remove-gaps 0 || report_samples; }; then
        echo 'profile=yes'
        return
    fi
    problem=
    while read -r line; do
        problem=$line
    done <"$work/profiler.out"
    echo "warning=simpleperf left no profile: $problem"
}

# What is done when the host is gone: nobody else will put the board back.
abandon() {
    trap - EXIT HUP INT TERM PIPE
    : >"$work/stop"
    # In its nap it would not see that before the next session takes the files over.
    [ -z "$sampler_pid" ] || kill "$sampler_pid" 2>/dev/null
    [ -z "$profiler_pid" ] || kill -TERM "$profiler_pid" 2>/dev/null
    [ -z "$package" ] || am force-stop "$package" >/dev/null 2>&1
    sh "${0%/*}/restore.sh" >"$work/restored" 2>&1
    # Last of all: a host that came back waits for it before it prepares the board again.
    [ -e "$work/pid" ] && rm "$work/pid"
    exit 1
}

leave() {
    beat
    : >"$work/stop"
    [ -e "$work/pid" ] && rm "$work/pid"
}

start_application() {
    if [ -n "$runner" ]; then
        if [ -e "$dir/small_log" ]; then
            says_marks=yes
            : >"$work/am.out" # read before am has begun to write it
            set -- "$@" -e wattline.say.begin "$begin_marker" -e wattline.say.end "$end_marker"
        fi
        case $runner in
        */*) ;;
        *) runner=$package/$runner ;;
        esac
        # It waits for the instrumentation's end, and writes what that says.
        am instrument -w -r "$@" "$runner" >"$work/am.out" 2>&1 </dev/null &
        am_pid=$!
        return
    fi
    started=yes
    am start -S -W -n "$package/$main" "$@" >"$work/am.out" 2>&1 </dev/null || started=
    # Old versions of am say so and still end with 0.
    while read -r line; do
        case $line in
        Error*) fail "am start $package/$main: $line" ;;
        esac
    done <"$work/am.out"
    [ -n "$started" ] || fail "am start $package/$main failed; see $work/am.out"
}

# An instrumentation that was never begun says why.
check_instrumentation() {
    while read -r line; do
        case $line in
        *INSTRUMENTATION_FAILED*) fail "am instrument: $line" ;;
        esac
    done <"$work/am.out"
}

# Keeps the lowest frequency seen: a throttled session shows here.
watch_frequency() {
    [ -n "$frequency_file" ] || return
    present_khz=
    read -r present_khz <"$frequency_file"
    case $present_khz in
    '' | *[!0-9]*) return ;;
    esac
    [ "$present_khz" -ge "$frequency_min_khz" ] || frequency_min_khz=$present_khz
}

# A governor that chooses by itself may do so; a fixed frequency must not fall.
warn_of_throttling() {
    [ -n "$frequency_file" ] || return
    governor=
    read -r governor <"${frequency_file%/*}/scaling_governor"
    [ "$governor" = userspace ] || return
    if [ -n "$slow_cs" ] && [ "$slow_cs" -gt "$slow_before_cs" ]; then
        slow_cs=$((slow_cs - slow_before_cs))
        slow_hundredths=$((100 + slow_cs % 100)) # the 1 keeps the zero
        slow_cs=$((slow_cs / 100)).${slow_hundredths#1}
        echo "throttled_s=$slow_cs"
    fi
    [ "$frequency_min_khz" -lt "$frequency_start_khz" ] || return
    echo "warning=the frequency fell from $frequency_start_khz to $frequency_min_khz kHz"
}

# What Android says of itself: the hotter of the thermal states before and after.
tell_android() {
    if [ -n "$thermal_before" ] && [ "$thermal_before" -gt "${thermal_status:-0}" ]; then
        thermal_status=$thermal_before
    fi
    [ -z "$thermal_status" ] || echo "thermal_status=$thermal_status"
    [ -z "$screen" ] || echo "screen=$screen"
    [ "$screen" != off ] || echo "warning=the screen is off: the processor may have slept"
    if [ -n "$package" ] && [ -r "$dir/compiled" ]; then
        read -r compiled_package filter <"$dir/compiled"
        [ "$compiled_package" = "$package" ] || return
        echo "compiled=$filter"
        [ "$filter" = speed ] || echo "warning=$package was not compiled ahead, but by '$filter'"
    fi
}

# Sets result to ok or died when the session is over.
judge() {
    if [ -n "$ended" ]; then
        result=ok
    elif [ -n "$fatal" ]; then
        result=died
    elif [ -n "$died" ] && [ $closed -gt 0 ] && [ $closed -ge $open ]; then
        result=ok # kernels closed all their marks before the process ended
    elif [ -n "$died" ] || [ $unborn_polls -ge 3 ]; then
        [ -z "$runner" ] || [ -n "$begun" ] || check_instrumentation
        result=died
    fi
}

# Looks cost energy: long before the expected end, one in ten seconds is enough.
set_next_poll() {
    pause_ms=$poll_ms
    if [ -n "$begun" ]; then
        early_ms=$((begin_ms + expect_ms - 4000 - now_ms))
        [ $early_ms -le 10000 ] || early_ms=10000
        [ $early_ms -le $pause_ms ] || pause_ms=$early_ms
    fi
    next_poll_ms=$((now_ms + pause_ms))
}

poll_application() {
    look_at_log
    if [ "$closed" != "$closed_told" ]; then
        closed_told=$closed
        echo "closed=$closed"
    fi
    if [ -n "$begun" ] && [ -z "$pinned" ]; then
        pinned=yes
        pin app "$app_mask" "$app_pid"
        [ -z "$host_input" ] || call_host
    fi
    judge
    set_next_poll
    [ -n "$begun" ] || next_poll_ms=$((now_ms + 200))
}

# An idle session reads the log as often as the others, so that this cost cancels out.
poll_idle() {
    dump_log
    [ $now_ms -lt $((begin_ms + idle_ms)) ] || result=ok
    set_next_poll
    [ $next_poll_ms -le $((begin_ms + idle_ms)) ] || next_poll_ms=$((begin_ms + idle_ms))
}

# Naps until the next poll or step, and does what is due.
advance() {
    look_at_clock
    wake_ms=$next_poll_ms
    if [ -n "$begun" ] && [ -n "$steps" ]; then
        step_ms=$((begin_ms + ${steps%% *}))
        if [ $step_ms -le $now_ms ]; then
            send_step
            return
        fi
        [ $step_ms -ge $wake_ms ] || wake_ms=$step_ms
    fi
    if [ $wake_ms -gt $now_ms ]; then
        nap_us $(((wake_ms - now_ms) * 1000))
        return
    fi
    watch_frequency
    if [ -n "$package" ]; then poll_application; else poll_idle; fi
    [ -n "$result" ] || [ $now_ms -lt "$limit_ms" ] || result=timeout
}

# Waits for an application that ends by itself: it writes its counts at its exit.
settle() {
    settled_ms=0
    while [ -z "$died" ] && [ $settled_ms -lt "$settle_ms" ]; do
        nap_us 100000
        settled_ms=$((settled_ms + 100))
        look_at_log
    done
}

need logcat "is this Android?"
need log "is this Android?"
have_grep=
have_taskset=
has grep && have_grep=yes
has taskset && have_taskset=yes
choose_nap
# A session that lost its host put the board back; nothing must be measured after that.
[ -e "$dir/state" ] || fail "the board is not prepared; run prepare.sh first"
load_meter
read_refresh
pin scripts "$scripts_mask" $$ # the sampler and the tools inherit it
[ -d "$work" ] || mkdir "$work" || fail "cannot make the folder $work"
beat
echo $$ >"$work/pid"
trap leave EXIT
trap abandon HUP INT TERM PIPE
if [ -n "$package" ]; then
    need am "is this Android?"
    [ -z "$steps" ] || need input "the scenario has input steps"
    old_counts=$root/data/data/$package/files/wattline-counts
    if [ "$counts" = yes ]; then
        set +f
        for old in "$old_counts"-*; do
            [ ! -e "$old" ] || rm "$old"
        done
        set -f
    fi
fi
read_temperature
temperature_before_c=$temperature_c
wake
read_thermal_status
thermal_before=$thermal_status
set +f
read_frequency
set -f
frequency_start_khz=$frequency_khz
frequency_min_khz=$frequency_khz
read_slow_time
slow_before_cs=$slow_cs
begun=
sampler_pid=
says_marks=
mark_noted=
pinned=
result=
app_pid=none
am_pid=
profiler_pid=
closed_told=0
unborn_polls=0
begin_ms=0
next_poll_ms=0
mark_day_ms=0

logcat -c
start_sampler
start_clock
mark
t0=$up
mark_ms=$now_ms
[ -z "$profile_hz" ] || start_profiler
if [ -n "$package" ]; then
    start_application "$@"
else
    log -p i -t System.out "$begin_marker"
    begun=yes
    begin_ms=$now_ms
fi
while [ -z "$result" ]; do
    advance
done
if [ -z "$package" ]; then
    log -p i -t System.out "$end_marker"
elif [ $result = ok ]; then
    settle
fi
mark
t1=$up
await_fresh_reading
stop_sampler
[ -z "$profiler_pid" ] || stop_profiler
[ -z "$package" ] || [ -n "$died" ] || am force-stop "$package" >/dev/null 2>&1
set +f
read_temperature
read_frequency
read_slow_time
warn_of_throttling
read_thermal_status
tell_android
# One that ended before it wrote its last counts was killed between its end marker and that.
# Each process and each class loader that counts has files of its own.
if [ "$counts" = yes ] && [ -n "$died" ] && [ -z "$runner" ]; then
    whole=no
    for file in "$old_counts"-*.csv; do
        whole=no
        [ -e "${file%.csv}.final" ] || break
        whole=yes
    done
    [ $whole = yes ] || echo "counts=partial"
fi
echo "t0=$t0"
echo "t1=$t1"
[ -z "$temperature_before_c" ] || echo "temperature_before_c=$temperature_before_c"
[ -z "$temperature_c" ] || echo "temperature_after_c=$temperature_c"
[ -z "$frequency_start_khz" ] || echo "frequency_start_khz=$frequency_start_khz"
[ -z "$frequency_khz" ] || echo "frequency_khz=$frequency_khz"
[ -z "$frequency_min_khz" ] || echo "frequency_min_khz=$frequency_min_khz"
[ "$app_pid" = none ] || echo "app_pid=$app_pid"
echo "nap=$nap"
echo "exit=$result"
