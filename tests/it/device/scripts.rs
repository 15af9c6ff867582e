//! The device scripts under mksh, with a fake root and fake Android tools, and a board that
//! runs its shell commands there.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use wattline::device::{
    Board, DeviceError, FrequencySetting, GuardSetting, PackageEntryPoint, Pinning, PrepareOptions,
    SCRIPT_FOLDER, SCRIPTS, SessionEnd, SessionKind, SessionLogs, SessionPlan, ShellOutput,
    prepare, restore, run_session,
};
use wattline::power::{MarkerTexts, integrate, parse_samples, parse_session_log, parse_trace};
use wattline::scenario::{InputAction, InputStep};

use crate::host::with_default;

const FAKES: [(&str, &str); 7] = [
    ("am", include_str!("fakes/am")),
    ("getprop", include_str!("fakes/getprop")),
    ("input", include_str!("fakes/input")),
    ("log", include_str!("fakes/log")),
    ("logcat", include_str!("fakes/logcat")),
    ("setprop", include_str!("fakes/setprop")),
    ("usleep", include_str!("fakes/usleep")),
];

const RAILS: [(&str, &str); 4] =
    [("3-0040", "1.234567"), ("3-0041", "0.05"), ("3-0044", "0.02"), ("3-0045", "0.1")];

/// A folder that looks like an Odroid-XU3 to the scripts.
struct FakeBoard {
    root: TempDir,
    /// How the application of `fakes/am` ends.
    app: &'static str,
    /// Where tools are found after the fakes.
    more_tools: &'static str,
}

impl FakeBoard {
    fn new(app: &'static str) -> Self {
        let root = TempDir::new().unwrap();
        let board = Self { root, app, more_tools: ":/usr/bin:/bin" };
        for (sensor, watts) in RAILS {
            let folder = format!("sys/bus/i2c/drivers/INA231/{sensor}");
            board.write(&format!("{folder}/enable"), "0\n");
            board.write(&format!("{folder}/sensor_W"), &format!("{watts}\n"));
            board.write(&format!("{folder}/update_period"), "20000\n");
        }
        for (cpu, most) in [("cpu0", "1400000\n"), ("cpu4", "2000000\n")] {
            let folder = format!("sys/devices/system/cpu/{cpu}/cpufreq");
            board.write(&format!("{folder}/cpuinfo_max_freq"), most);
            board.write(&format!("{folder}/scaling_governor"), "ondemand\n");
            board.write(&format!("{folder}/scaling_setspeed"), "<unsupported>\n");
            board.write(&format!("{folder}/scaling_cur_freq"), "1100000\n");
        }
        board.write("sys/devices/10060000.tmu/temp", "sensor0 : 45500\n");
        board.write("data/data/org.example.app/files/wattline-counts-7.csv", "of an older run\n");
        board.write("log", "");
        fs::create_dir_all(board.path("proc")).unwrap();
        symlink("/proc/uptime", board.path("proc/uptime")).unwrap();
        for (name, text) in FAKES {
            board.write_executable(&format!("bin/{name}"), text);
        }
        symlink("/usr/bin/mksh", board.path("bin/sh")).unwrap();
        board
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name.trim_start_matches('/'))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn write_executable(&self, name: &str, text: &str) {
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A shell of the board. The host's absolute paths are mapped into the root, as the
    /// scripts do with theirs.
    fn command(&self, command: &str) -> Command {
        let path = format!("{}{}", self.path("bin").display(), self.more_tools);
        let folder = self.path(SCRIPT_FOLDER).display().to_string();
        let mut shell = Command::new("/usr/bin/mksh");
        shell.arg("-c").arg(command.replace(SCRIPT_FOLDER, &folder));
        shell.env("PATH", path).env("WATTLINE_ROOT", self.root.path()).env("FAKE_APP", self.app);
        shell.stdin(Stdio::null());
        shell
    }

    fn prepared(self) -> Self {
        prepare(&self, &options()).unwrap();
        self
    }
}

impl Board for FakeBoard {
    fn serial(&self) -> &str {
        "fake"
    }

    fn shell(&self, command: &str, _deadline: Duration) -> Result<ShellOutput, DeviceError> {
        let output = self.command(command).output().unwrap();
        Ok(ShellOutput {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            exit_code: output.status.code().unwrap_or(255),
        })
    }

    fn push(&self, content: &[u8], remote: &str, _mode: u32) -> Result<(), DeviceError> {
        // The plan's own paths are not mapped: it holds none.
        fs::create_dir_all(self.path(SCRIPT_FOLDER)).unwrap();
        fs::write(self.path(remote), content).unwrap();
        Ok(())
    }

    fn pull(&self, remote: &str) -> Result<Vec<u8>, DeviceError> {
        Ok(fs::read(self.path(remote)).unwrap())
    }

    fn install(&self, _file: &Path, _package: &str) -> Result<(), DeviceError> {
        unreachable!("no test installs")
    }
}

/// Whether this machine has the board's shell; says so when not.
fn has_mksh() -> bool {
    let there = Path::new("/usr/bin/mksh").exists();
    if !there {
        crate::skip::because("no /usr/bin/mksh");
    }
    there
}

/// The usual ones, without a guard that would outlive the test.
fn options() -> PrepareOptions {
    let frequency = FrequencySetting::FixedKhz(1_100_000);
    PrepareOptions { guard: GuardSetting::Off, frequency, ..PrepareOptions::default() }
}

fn plan(kind: SessionKind) -> SessionPlan {
    SessionPlan {
        label: "base-north-power-1".into(),
        package: "org.example.app".into(),
        main: "org.example.Main".into(),
        entry: PackageEntryPoint::Activity,
        extras: vec![("text".into(), "it's a * \"b\"".into()), ("empty".into(), String::new())],
        steps: Vec::new(),
        input_command: None,
        marks: MarkerTexts::default(),
        kind,
        limit: Duration::from_secs(20),
        expected: Duration::ZERO,
        period: Duration::from_millis(20),
        pinning: Pinning::default(),
        deadline_real: Duration::from_secs(30),
    }
}

const ARM: &str = "sys/bus/i2c/drivers/INA231/3-0040";
const BIG: &str = "sys/devices/system/cpu/cpu4/cpufreq";

#[test]
fn prepare_sets_the_board_and_restore_undoes_it() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok");
    board.write("sys/bus/i2c/drivers/INA231/3-0044/sensor_W", "0.000000\n");
    board.write_executable("bin/usleep", "#!/bin/sh\n");
    let state = prepare(&board, &options()).unwrap();
    assert_eq!(state.rails, ["arm", "mem", "g3d", "kfc"]);
    assert_eq!(state.silent_rails, ["g3d"]);
    assert_eq!(state.update_period, Some(Duration::from_micros(20_000)));
    assert_eq!((state.frequency_khz, state.temperature_c), (Some(1_100_000), Some(45.5)));
    assert_eq!(state.facts.model.as_deref(), Some("Fake"));
    assert_eq!(board.read(&format!("{ARM}/enable")), "1\n");
    assert_eq!(board.read(&format!("{BIG}/scaling_governor")), "userspace\n");
    let little = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    assert_eq!(board.read(little), "ondemand\n", "only the big cores are set");
    // A second prepare must not take the first one's settings for the board's own.
    prepare(&board, &options()).unwrap();
    assert_eq!(restore(&board).unwrap(), 5);
    assert_eq!(board.read(&format!("{ARM}/enable")), "0\n");
    assert_eq!(board.read(&format!("{BIG}/scaling_governor")), "ondemand\n");
    assert_eq!(restore(&board).unwrap(), 0, "nothing is left to undo");
}

/// Of what the big cores offer the nearest to 1.1 GHz; nothing where the kernel lets nobody set it.
#[test]
fn prepare_chooses_a_frequency_that_the_board_offers() {
    if !has_mksh() {
        return;
    }
    let auto = PrepareOptions { frequency: FrequencySetting::Auto, ..options() };
    let board = FakeBoard::new("ok");
    board.write(&format!("{BIG}/scaling_available_governors"), "ondemand userspace\n");
    let offered = "800000 1106000 1400000 2000000 \n";
    board.write(&format!("{BIG}/scaling_available_frequencies"), offered);
    board.write(&format!("{BIG}/scaling_cur_freq"), "1106000\n");
    let state = prepare(&board, &auto).unwrap();
    assert_eq!((state.fixed_khz, state.big_core), (Some(1_106_000), Some(4)));
    assert_eq!(board.read(&format!("{BIG}/scaling_setspeed")), "1106000\n");
    restore(&board).unwrap();
    board.write(&format!("{BIG}/scaling_available_governors"), "schedutil performance\n");
    let state = prepare(&board, &auto).unwrap();
    assert_eq!((state.fixed_khz, state.frequency_khz), (None, Some(1_106_000)));
    assert_eq!(board.read(&format!("{BIG}/scaling_governor")), "ondemand\n");
}

#[test]
fn prepare_says_what_is_wrong_with_a_board() {
    if !has_mksh() {
        return;
    }
    let message = |board: &FakeBoard| prepare(board, &options()).unwrap_err().to_string();
    let slow = FakeBoard::new("ok");
    slow.write(&format!("{BIG}/scaling_cur_freq"), "800000\n");
    let text = message(&slow);
    assert!(text.contains("800000 kHz after 1100000 kHz was set"), "{text}");
    let blind = FakeBoard::new("ok");
    fs::remove_dir_all(blind.path("sys/bus")).unwrap();
    let text = message(&blind);
    assert!(text.contains("no INA231 power sensor"), "{text}");
    let leave =
        PrepareOptions { frequency: FrequencySetting::Leave, offline_cores: vec![7], ..options() };
    let text = prepare(&FakeBoard::new("ok"), &leave).unwrap_err().to_string();
    assert!(text.contains("cpu7/online does not exist"), "{text}");
}

const CHIP: &str = "sys/bus/iio/devices/iio:device1/energy_value";

/// A phone's chip whose counter, wider than 32 bits, is moved by each nap of the scripts, a
/// microjoule for each microsecond: a thread that moved it might sleep when a session ends.
fn with_moving_counter(board: &FakeBoard, nap: &str) {
    board.write(CHIP, "t=1\nCH0(T=1)[S1M_VDD_MIF], 5000000000\nCH3(T=1)[*], 77\n");
    let (tool, true_tool) = (format!("bin/{nap}"), format!("bin/true-{nap}"));
    fs::rename(board.path(&tool), board.path(&true_tool)).unwrap();
    let script = include_str!("fakes/nap-and-move-counter");
    let script = script.replace("NAP", &board.path(&true_tool).display().to_string());
    board.write_executable(&tool, &script.replace("CHIP", &board.path(CHIP).display().to_string()));
}

/// Takes the tools away that Android 4.x does not have.
fn with_toolbox(board: &mut FakeBoard) {
    board.more_tools = "";
    fs::remove_file(board.path("bin/usleep")).unwrap();
    for tool in ["cat", "ls", "mkdir", "rm"] {
        symlink(format!("/usr/bin/{tool}"), board.path(&format!("bin/{tool}"))).unwrap();
    }
    // A toolbox sleep takes what stands before the point.
    board.write_executable("bin/sleep", "#!/bin/sh\nexec /usr/bin/sleep \"${1%.*}\"\n");
}

#[test]
fn counters_of_power_rails_come_as_the_chip_wrote_them() {
    if !has_mksh() {
        return;
    }
    for toolbox in [false, true] {
        let mut board = FakeBoard::new("ok");
        if toolbox {
            with_toolbox(&mut board);
        }
        with_moving_counter(&board, if toolbox { "sleep" } else { "usleep" });
        let frequency = FrequencySetting::Leave;
        let state = prepare(&board, &PrepareOptions { meter: "odpm", frequency, ..options() });
        assert_eq!(state.unwrap().rails, ["S1M_VDD_MIF", "*"]);
        let idle = SessionKind::Idle { duration: Duration::from_secs(2) };
        let logs = run_session(&board, &plan(idle)).unwrap();
        assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}", logs.script_output);
        let header = "# wattline-readings 1 meter=odpm period_us=20000\n@ ";
        assert!(logs.samples.starts_with(header), "{}", logs.samples);
        let trace = parse_samples(&logs.samples).unwrap();
        assert_eq!((trace.flaws.len(), &trace.rails[1]), (0, &"*".to_string()));
        let series = trace.series(&["S1M_VDD_MIF".into()]).unwrap();
        let log = parse_session_log(&logs.logcat, &MarkerTexts::default());
        let energy = integrate(&series, log.session_window().unwrap()).unwrap();
        // A microjoule for each microsecond, both by a clock of 10 ms.
        assert!((energy.mean_power().0 - 1.0).abs() < 0.1, "{toolbox}: {energy:?}");
        assert_eq!(restore(&board).unwrap(), 0, "nothing was changed");
    }
}

#[test]
fn a_chip_that_stands_still_and_a_battery_that_is_charged_are_refused() {
    if !has_mksh() {
        return;
    }
    let refused = |board: &FakeBoard, meter: &'static str| {
        board.write_executable("bin/usleep", "#!/bin/sh\n");
        prepare(board, &PrepareOptions { meter, ..options() }).unwrap_err().to_string()
    };
    let board = FakeBoard::new("ok");
    assert!(refused(&board, "odpm").contains("no rail in "));
    board.write(CHIP, "t=5\nCH0(T=5)[A], 7\n");
    assert!(refused(&board, "odpm").contains("no counter of the power rails moved"));
    assert!(refused(&board, "fuel-gauge").contains("no battery"));
    let supply = "sys/class/power_supply/max77759";
    for (name, text) in [("type", "Battery"), ("status", "Charging"), ("current_now", "250000")] {
        board.write(&format!("{supply}/{name}"), &format!("{text}\n"));
    }
    board.write(&format!("{supply}/voltage_now"), "4000000\n");
    assert!(refused(&board, "fuel-gauge").contains("is being charged"));
    board.write(&format!("{supply}/status"), "Not charging\n");
    assert!(refused(&board, "fuel-gauge").contains("on a cable"));
    board.write(&format!("{supply}/status"), "Discharging\n");
    board.write(&format!("{supply}/current_now"), "0\n");
    assert!(refused(&board, "fuel-gauge").contains("does not measure the current"));
}

#[test]
fn all_batteries_of_a_board_are_read_and_no_accessory() {
    if !has_mksh() {
        return;
    }
    let mut board = FakeBoard::new("ok");
    with_toolbox(&mut board);
    for (name, text) in [
        ("left/type", "Battery"),
        ("left/power_now", "1500000"),
        ("left/status", "Discharging"),
        ("mouse/type", "Battery"),
        ("mouse/scope", "Device"),
        ("mouse/current_now", "9"),
        ("mouse/voltage_now", "3000000"),
        ("right/type", "Battery"),
        ("right/current_now", "-250000"),
        ("right/voltage_now", "4000000"),
        ("right/status", "Not charging"),
        ("usb/online", "0"),
    ] {
        board.write(&format!("sys/class/power_supply/{name}"), &format!("{text}\n"));
    }
    let options = PrepareOptions { meter: "fuel-gauge", ..options() };
    assert_eq!(prepare(&board, &options).unwrap().rails, ["left", "right"]);
    let logs = idle_on_battery(&board, "right", Duration::from_millis(100));
    let trace = parse_samples(&logs.samples).unwrap();
    assert_eq!(trace.rails, ["left", "right"], "{}", logs.samples);
    assert!((trace.power_w[1].unwrap() - 1.0).abs() < 1e-3, "{}", logs.samples);
    assert_eq!(trace.power_w[0], Some(1.5));
}

/// An idle session while a battery's voltage moves: at its end it waits for a new value.
fn idle_on_battery(board: &FakeBoard, name: &str, duration: Duration) -> SessionLogs {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for microvolts in (4_000_000..).take_while(|_| !over.load(Ordering::SeqCst)) {
                board.write("next", &format!("{microvolts}\n"));
                let voltage = format!("sys/class/power_supply/{name}/voltage_now");
                fs::rename(board.path("next"), board.path(&voltage)).unwrap();
                thread::sleep(Duration::from_millis(100));
            }
        });
        let logs = run_session(board, &plan(SessionKind::Idle { duration }));
        over.store(true, Ordering::SeqCst);
        logs.unwrap()
    })
}

#[test]
fn a_batterys_gauge_is_found_and_read_under_any_name() {
    if !has_mksh() {
        return;
    }
    let mut board = FakeBoard::new("ok");
    with_toolbox(&mut board);
    for (name, text) in [
        ("usb/current_now", "500000"),
        ("usb/voltage_now", "5000000"),
        ("usb/type", "USB"),
        ("zinc/current_now", "-250000"),
        ("zinc/voltage_now", "4000000"),
        ("zinc/type", "Battery"),
        ("zinc/status", "Discharging"),
    ] {
        board.write(&format!("sys/class/power_supply/{name}"), &format!("{text}\n"));
    }
    let options = PrepareOptions { meter: "fuel-gauge", ..options() };
    assert_eq!(prepare(&board, &options).unwrap().rails, ["battery"]);
    let logs = idle_on_battery(&board, "zinc", Duration::from_secs(1));
    let trace = parse_samples(&logs.samples).unwrap();
    let about_1_w = |watts: &Option<f64>| watts.is_some_and(|watts| (watts - 1.0).abs() < 1e-3);
    assert!(trace.power_w.iter().all(about_1_w), "{}", logs.samples);
    assert!(trace.flaws.is_empty() && trace.update_period_us.is_some());
}

#[test]
fn a_traced_session_brings_samples_log_counts_and_input() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok").prepared();
    let mut plan = plan(SessionKind::Traced);
    plan.steps = vec![
        InputStep { at_s: 0.25, action: InputAction::Key(4) },
        InputStep { at_s: 0.1, action: InputAction::Tap { x: 10, y: 20 } },
    ];
    let logs = run_session(&board, &plan).unwrap();
    assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}", logs.script_output);
    let header = "# wattline-samples 1 rails=arm,mem,g3d,kfc unit=W period_us=20000 \
                  update_period_us=20000\n";
    assert!(logs.samples.starts_with(header), "{}", logs.samples);
    let trace = parse_trace(&logs.samples).unwrap();
    assert_eq!(trace.flaws, []);
    assert!(trace.power_w.chunks(4).all(|row| row == [1.234567, 0.05, 0.02, 0.1].map(Some)));
    let (t0, t1) = logs.outcome.uptime_s;
    let last = trace.uptime_s[trace.uptime_s.len() - 1];
    assert!(trace.uptime_s[0] <= t0 && t1 <= last, "the samples hold the session");
    assert_eq!(logs.counts.as_deref(), Some("block,executions\n"), "not the older run's");
    let log = parse_session_log(&logs.logcat, &plan.marks);
    assert!(log.alignment().unwrap().residual_s < 1.0, "{:?}", log.uptimes);
    let window = log.session_window().unwrap();
    assert!((0.35..3.0).contains(&(window.end_s - window.start_s)), "{window:?}");
    let started =
        "start -S -W -n org.example.app/org.example.Main -e text it's a * \"b\" -e empty \n";
    assert_eq!(board.read("am"), started, "the application had ended: no force-stop");
    check_inputs(&board, t0);
}

/// The fake application begins 0.1 s after its start, and writes the log at once.
fn check_inputs(board: &FakeBoard, t0: f64) {
    let inputs = board.read("inputs");
    let lines: Vec<&str> = inputs.lines().collect();
    for (line, (after, what)) in lines.iter().zip([(0.2, "tap 10 20"), (0.35, "keyevent 4")]) {
        let (uptime, sent) = line.split_once(' ').unwrap();
        let late = uptime.parse::<f64>().unwrap() - t0 - after;
        assert!(sent == what && (-0.02..3.0).contains(&late), "{inputs} t0={t0}");
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn the_end_of_an_application_is_told_apart() {
    if !has_mksh() {
        return;
    }
    let cases = [
        ("dies", SessionEnd::Died),
        ("crashes", SessionEnd::Died),
        ("microbenchmarks", SessionEnd::Ok),
        ("hangs", SessionEnd::TimedOut),
    ];
    let run = |(app, expected): (&'static str, SessionEnd)| {
        let board = FakeBoard::new(app).prepared();
        let mut plan = plan(SessionKind::App);
        plan.limit = Duration::from_secs(2);
        let logs = run_session(&board, &plan).unwrap();
        assert_eq!(logs.outcome.end, expected, "{app}: {}", logs.script_output);
        assert_eq!(logs.counts, None);
        let stopped = board.read("am").contains("force-stop org.example.app");
        assert_eq!(stopped, matches!(app, "crashes" | "hangs"), "{app}");
    };
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || run(case));
        }
    });
}

#[test]
fn a_board_with_nothing_but_toolbox_will_do() {
    if !has_mksh() {
        return;
    }
    let mut board = FakeBoard::new("ok");
    with_toolbox(&mut board);
    let state = prepare(&board, &options()).unwrap();
    assert_eq!(state.missing_tools, ["setsid", "taskset", "grep"]);
    let mut plan = plan(SessionKind::Traced);
    plan.pinning = Pinning::to_cores(4, 0);
    let logs = run_session(&board, &plan).unwrap();
    assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}", logs.script_output);
    assert!(logs.script_output.contains("nap=second\n"));
    assert_eq!(logs.outcome.warnings.len(), 2, "neither is pinned: {:?}", logs.outcome.warnings);
    assert!(logs.counts.is_some());
}

#[test]
fn an_instrumentation_gives_back_its_counts() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok").prepared();
    let (main, entry) = ("org.example.Runner".into(), PackageEntryPoint::Instrumentation);
    let instrumented = SessionPlan { main, entry, ..plan(SessionKind::Traced) };
    let logs = run_session(&board, &instrumented).unwrap();
    assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}", logs.script_output);
    assert_eq!(logs.counts.as_deref(), Some("block,executions\n3,4\n"));
    // Its log can't be made larger.
    let started = "instrument -w -r -e text it's a * \"b\" -e empty  \
                   -e wattline.say.begin wattline: begin -e wattline.say.end wattline: end \
                   org.example.app/org.example.Runner\n";
    assert_eq!(board.read("am"), started, "it had ended: no force-stop");
    let dies = SessionPlan { kind: SessionKind::App, ..instrumented.clone() };
    let logs = run_session(&FakeBoard::new("crashes").prepared(), &dies).unwrap();
    assert_eq!(logs.outcome.end, SessionEnd::Died, "{}", logs.script_output);
    let unknown = run_session(&FakeBoard::new("unknown").prepared(), &instrumented).unwrap_err();
    let text = unknown.to_string();
    assert!(text.contains("INSTRUMENTATION_FAILED: org.example.app"), "{text}");
}

#[test]
fn an_application_that_does_not_start_is_an_error() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("unknown").prepared();
    let text = run_session(&board, &plan(SessionKind::App)).unwrap_err().to_string();
    assert!(text.contains("Error type 3"), "{text}");
    let unprepared = FakeBoard::new("ok");
    for (name, script) in SCRIPTS {
        unprepared.write(&format!("{SCRIPT_FOLDER}/{name}"), script);
    }
    let text = run_session(&unprepared, &plan(SessionKind::App)).unwrap_err().to_string();
    assert!(text.contains("run prepare.sh first"), "{text}");
}

#[test]
fn an_idle_session_takes_its_time_and_has_marks_like_the_others() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok").prepared();
    let duration = Duration::from_millis(600);
    let throttle = || {
        wait_until(|| board.read("log").contains("wattline: begin"));
        board.write(&format!("{BIG}/scaling_cur_freq"), "900000\n");
    };
    let logs = thread::scope(|scope| {
        scope.spawn(throttle);
        run_session(&board, &plan(SessionKind::Idle { duration })).unwrap()
    });
    assert_eq!(logs.outcome.frequency_min_khz, Some(900_000), "throttling is seen");
    let warning = "the frequency fell from 1100000 to 900000 kHz";
    assert_eq!(logs.outcome.warnings, [warning]);
    let (t0, t1) = logs.outcome.uptime_s;
    assert!((0.59..6.0).contains(&(t1 - t0)), "{} s", t1 - t0);
    assert!(logs.logcat.contains("System.out: wattline: begin\n"));
    assert!(logs.logcat.contains("System.out: wattline: end\n"));
    assert!(!board.path("am").exists(), "no application was touched");
}

#[test]
fn a_long_plan_goes_by_a_file_and_a_line_break_is_refused() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok").prepared();
    let mut long = plan(SessionKind::App);
    let step =
        |n: u32| InputStep { at_s: f64::from(60 + n), action: InputAction::Tap { x: 1, y: 2 } };
    long.steps = (0..300).map(step).collect();
    assert_eq!(run_session(&board, &long).unwrap().outcome.end, SessionEnd::Ok);
    assert!(board.read(&format!("{SCRIPT_FOLDER}/plan")).contains("step=359000 tap 1 2\n"));
    let started = board.read("am");
    assert!(started.starts_with("start -S -W -n org.example.app/org.example.Main -e text it's"));
    long.extras.push(("x".into(), "a\nb".into()));
    let refused = run_session(&board, &long).unwrap_err();
    assert!(matches!(refused, DeviceError::Plan { .. }), "{refused}");
}

#[test]
fn a_session_that_loses_its_host_puts_the_board_back() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("hangs").prepared();
    let command = format!("exec sh {SCRIPT_FOLDER}/session.sh package=org.example.app main=M");
    // A shell can't trap what it ignored from its start.
    let mut shell = with_default(Signal::HUP, &board.command(&command));
    let mut session = shell.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let begun = || board.read("log").contains("wattline: begin");
    wait_until(begun);
    kill_process(Pid::from_child(&session), Signal::HUP).unwrap();
    wait_until(|| session.try_wait().unwrap().is_some());
    assert_eq!(board.read(&format!("{BIG}/scaling_governor")), "ondemand\n");
    assert!(board.read("am").contains("force-stop"));
    wait_until(|| !has_sampler(&board));
}

/// Whether a sampler of the board lives.
fn has_sampler(board: &FakeBoard) -> bool {
    let word = board.path(SCRIPT_FOLDER).join("sample.sh");
    let word = word.to_string_lossy();
    let lines = fs::read_dir("/proc").unwrap().flatten().map(|it| it.path().join("cmdline"));
    lines.filter_map(|it| fs::read(it).ok()).any(|it| String::from_utf8_lossy(&it).contains(&*word))
}

/// A session that is killed can't end its sampler, which naps on into the next session.
#[test]
fn a_sampler_that_outlives_its_session_leaves_the_next_one_alone() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok").prepared();
    let command = format!("exec sh {SCRIPT_FOLDER}/session.sh idle_ms=60000 period_us=1000000");
    let mut session = board.command(&command).stdout(Stdio::null()).spawn().unwrap();
    wait_until(|| board.read("log").contains("wattline: begin"));
    session.kill().unwrap();
    session.wait().unwrap();
    assert!(has_sampler(&board));
    board.write("log", "");
    // The sensors' last word comes late: who does not wait for it ends without.
    let arm = format!("{ARM}/sensor_W");
    board.write(&arm, "1.5\n");
    let duration = Duration::from_millis(1500);
    let next =
        SessionPlan { period: Duration::from_millis(400), ..plan(SessionKind::Idle { duration }) };
    let logs = thread::scope(|scope| {
        scope.spawn(|| {
            wait_until(|| board.read("log").contains("wattline: end"));
            thread::sleep(Duration::from_millis(100));
            board.write(&arm, "1.25\n");
        });
        run_session(&board, &next).unwrap()
    });
    let trace = parse_samples(&logs.samples).unwrap();
    assert_eq!(trace.flaws, []);
    let times = trace.uptime_s;
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert!(times.last() > Some(&logs.outcome.uptime_s.1), "{times:?}, {:?}", logs.outcome);
}

#[test]
fn a_board_whose_host_fell_silent_puts_itself_back() {
    if !has_mksh() {
        return;
    }
    let board = FakeBoard::new("ok");
    // Naps of 10 s pass at once, as do the naps before values come.
    board.write_executable("bin/usleep", "#!/bin/sh\nexec sleep 0.05\n");
    let guard = GuardSetting::After(Duration::from_secs(2));
    let frequency = FrequencySetting::FixedKhz(1_100_000);
    prepare(&board, &PrepareOptions { frequency, guard, ..PrepareOptions::default() }).unwrap();
    let governor = || board.read(&format!("{BIG}/scaling_governor"));
    assert_eq!(governor(), "userspace\n");
    wait_until(|| governor() == "ondemand\n");
    wait_until(|| !board.path(&format!("{SCRIPT_FOLDER}/guard")).exists());
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(10), "did not come about");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_scripts_please_shellcheck() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut check = Command::new("shellcheck");
    check.arg("-x").current_dir(root);
    check.args(SCRIPTS.iter().map(|(name, _)| format!("device-scripts/{name}")));
    check.args(FAKES.iter().map(|(name, _)| format!("tests/it/device/fakes/{name}")));
    match check.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}");
        }
        Err(_) => crate::skip::because("no shellcheck on the path"),
    }
}
