//! The real adb server between this program and the virtual board, in both generations of
//! the device side.

use std::fs;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wattline::device::{
    AdbBoard, Board, CancelFlag, DeviceError, FrequencySetting, GuardSetting, PackageEntryPoint,
    Pinning, PrepareOptions, RECONNECT_LIMIT, Server, SessionEnd, SessionKind, SessionLogs,
    SessionPlan, ShellMode, choose_meter, connect, disconnect, list_boards, prepare, reconnect,
    restore, run_session,
};
use wattline::power::{MarkerTexts, integrate, parse_samples, parse_session_log, parse_trace};
use wattline::scenario::MeterChoice;
use wattline::toolchain::jar;
use wattline::virtual_board::{
    AdbdGeneration, BoardFile, BoardOptions, Fault, RunningBoard, Tools, start,
};

use crate::host::{BOARD_TOOLS, board_options, free_port, has, javac, kill_server};

/// An adb server of the test's own, ended with it.
struct OwnServer(Server);

impl OwnServer {
    fn new() -> Self {
        Self(Server { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, free_port()) })
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        kill_server(self.0.address.port());
    }
}

/// Whether this machine has what a virtual board needs; says so when not.
fn has_tools() -> bool {
    has(&BOARD_TOOLS)
}

fn virtual_board(mode: AdbdGeneration) -> RunningBoard {
    board_with(mode, Tools::Toybox, "odroid-xu-e")
}

fn board_with(mode: AdbdGeneration, tools: Tools, name: &str) -> RunningBoard {
    start(&BoardOptions {
        mode,
        tools,
        board: BoardFile::built_in(name).unwrap(),
        ..board_options()
    })
    .unwrap()
}

const LIMIT: Duration = Duration::from_secs(10);

fn check_board(mode: AdbdGeneration, expected: ShellMode) {
    let board = virtual_board(mode);
    check_driver(&board.serial(), expected);
}

/// What the driver does with a board, virtual or not.
fn check_driver(serial: &str, expected: ShellMode) {
    let (server, serial) = (OwnServer::new(), serial.to_string());
    connect(server.0, &serial).unwrap();
    let device = AdbBoard::open(server.0, &serial, CancelFlag::default()).unwrap();
    assert_eq!(device.shell_mode().unwrap(), expected);
    check_shell(&device);
    check_files(&device);
    assert!(list_boards(server.0).unwrap().iter().any(|listed| listed.serial == serial));
    disconnect(server.0, &serial).unwrap();
    let end = AdbBoard::open(server.0, &serial, CancelFlag::default());
    assert!(matches!(end, Err(DeviceError::NotReady { .. })), "{end:?}");
    // A board that was gone comes back by another connection.
    reconnect(server.0, &serial, RECONNECT_LIMIT).unwrap();
    assert_eq!(device.shell("echo back", LIMIT).unwrap().stdout, "back\n");
}

fn check_shell(device: &AdbBoard) {
    let output = device.shell("echo out; echo err >&2; exit 3", LIMIT).unwrap();
    assert_eq!(output.exit_code, 3);
    assert_eq!(output.all_output().replace('\n', " "), "out err");
    let many = device.shell("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done", LIMIT);
    assert_eq!(many.unwrap().stdout.lines().count(), 20_000);
    let began = Instant::now();
    let end = device.shell("while :; do :; done", Duration::from_millis(300));
    assert!(matches!(end, Err(DeviceError::TimedOut { .. })), "{end:?}");
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(device.shell("cat", LIMIT).unwrap().stdout, "", "no input to wait for");
}

fn check_files(device: &AdbBoard) {
    let content: Vec<u8> = (0..300_000u32).flat_map(|n| (n % 251).to_le_bytes()).collect();
    let remote = "/data/local/tmp/it's a file";
    device.push(&content, remote, 0o640).unwrap();
    assert!(device.pull(remote).unwrap() == content);
    let mode = device.shell("ls -l /data/local/tmp", LIMIT).unwrap().stdout;
    assert!(mode.contains("-rw-r-----"), "{mode}");
    device.push(b"", "/data/local/tmp/empty", 0o644).unwrap();
    let missing = device.pull("/data/local/tmp/missing").unwrap_err();
    assert!(matches!(missing, DeviceError::Transfer { .. }), "{missing}");
}

#[test]
fn the_modern_board_answers_through_the_adb_server() {
    if has_tools() {
        check_board(AdbdGeneration::Modern, ShellMode::V2);
    }
}

/// The same with a real adbd, where there is one: `scripts/adbd-cross-check.sh` starts it.
#[test]
fn real_adbd_answers_as_the_virtual_board_does() {
    let Ok(serial) = std::env::var("WATTLINE_TEST_ADBD") else {
        return crate::skip::outside(
            "WATTLINE_TEST_ADBD names no adbd (scripts/adbd-cross-check.sh)",
        );
    };
    check_driver(&serial, ShellMode::V2);
    let server = OwnServer::new();
    connect(server.0, &serial).unwrap();
    let device = AdbBoard::open(server.0, &serial, CancelFlag::default()).unwrap();
    let meter = choose_meter(&device, MeterChoice::Auto).unwrap();
    assert_eq!(meter.meter.name(), "fuel-gauge", "{:?}", meter.passed_over);
    let options = PrepareOptions {
        meter: "fuel-gauge",
        frequency: FrequencySetting::Leave,
        guard: GuardSetting::Off,
        ..PrepareOptions::default()
    };
    assert_eq!(prepare(&device, &options).unwrap().rails, ["battery"]);
    let kind = SessionKind::Idle { duration: Duration::from_secs(3) };
    let logs = run_session(&device, &session("real", kind)).unwrap();
    assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}", logs.script_output);
    let trace = parse_samples(&logs.samples).unwrap();
    let series = trace.series(&["battery".into()]).unwrap();
    let log = parse_session_log(&logs.logcat, &MarkerTexts::default());
    let energy = integrate(&series, log.session_window().unwrap()).unwrap();
    assert!((energy.mean_power().0 - 1.0).abs() < 1e-3, "{energy:?}");
    println!("real adbd: {:.3} J in {:.3} s", energy.right_endpoint.0, energy.duration.0);
    assert_eq!(restore(&device).unwrap(), 0, "nothing was changed");
}

#[test]
fn the_legacy_board_answers_through_the_adb_server() {
    if has_tools() {
        check_board(AdbdGeneration::Legacy, ShellMode::Legacy);
    }
}

const SOURCE: &str = include_str!("app/Session.java");

/// The application as a jar that a board takes; none where there is no JDK.
fn application(folder: &Path) -> Option<PathBuf> {
    let source = folder.join("Session.java");
    fs::write(&source, SOURCE).unwrap();
    let mut javac = javac();
    javac.args(["-g", "--release", "11", "-d"]).arg(folder.join("classes")).arg(&source);
    let Ok(output) = javac.output() else {
        crate::skip::because("no javac on the path");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = jar::read_folder(&folder.join("classes")).unwrap();
    let attributes = [("Main-Class", "Session"), ("Wattline-Package", "org.example.session")];
    let file = folder.join("session.jar");
    fs::write(&file, jar::pack(&attributes, &entries)).unwrap();
    Some(file)
}

fn session(label: &str, kind: SessionKind) -> SessionPlan {
    SessionPlan {
        label: label.into(),
        package: "org.example.session".into(),
        main: "Session".into(),
        entry: PackageEntryPoint::Activity,
        extras: vec![("rounds".into(), "3000000".into()), ("text".into(), "it's".into())],
        steps: Vec::new(),
        input_command: None,
        marks: MarkerTexts::default(),
        kind,
        limit: Duration::from_secs(60),
        expected: Duration::ZERO,
        period: Duration::from_millis(50),
        pinning: Pinning::to_cores(0, 1),
        deadline_real: Duration::from_secs(120),
    }
}

fn check_sessions(mode: AdbdGeneration) {
    check_sessions_on(mode, virtual_board(mode), 50);
}

fn check_sessions_on(mode: AdbdGeneration, board: RunningBoard, period_ms: u64) {
    let session = |label: &str, kind| SessionPlan {
        period: Duration::from_millis(period_ms),
        ..session(label, kind)
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = application(folder.path()) else { return };
    let server = OwnServer::new();
    connect(server.0, &board.serial()).unwrap();
    let device = AdbBoard::open(server.0, &board.serial(), CancelFlag::default()).unwrap();
    let state = prepare(&device, &PrepareOptions::default()).unwrap();
    assert!(state.facts.is_virtual());
    assert_eq!(state.rails, ["arm", "mem", "g3d", "kfc"]);
    assert_eq!(state.frequency_khz, Some(1_100_000));
    device.install(&file, "org.example.session").unwrap();
    let began = Instant::now();
    let traced = run_session(&device, &session("traced-1", SessionKind::Traced)).unwrap();
    let traced_took = began.elapsed();
    check_application_session(&traced);
    assert_eq!(traced.counts.as_deref(), Some("block,executions\n0,3000000\n"));
    let (began, duration) = (Instant::now(), Duration::from_secs(2));
    let idle = run_session(&device, &session("idle-1", SessionKind::Idle { duration })).unwrap();
    let (t0, t1) = idle.outcome.uptime_s;
    let nap_s = period_ms as f64 * 1e-3;
    assert!((2.0..2.2 + nap_s).contains(&(t1 - t0)), "{} s on the board's clock", t1 - t0);
    eprintln!("{mode:?}: traced session {traced_took:?}, idle session {:?}", began.elapsed());
    assert!(restore(&device).unwrap() > 4);
}

/// Screen, settings and log of Android are as a session needs them, and then as they were.
#[test]
fn android_is_kept_still_and_put_back() {
    if !has_tools() {
        return;
    }
    let idle = |label| session(label, SessionKind::Idle { duration: Duration::from_secs(1) });
    for (mode, kind, meter) in [
        (AdbdGeneration::Modern, "pixel", "power-stats"),
        (AdbdGeneration::Legacy, "odroid-xu-e", "ina231"),
    ] {
        let board = board_with(mode, Tools::Toybox, kind);
        let server = OwnServer::new();
        connect(server.0, &board.serial()).unwrap();
        let device = AdbBoard::open(server.0, &board.serial(), CancelFlag::default()).unwrap();
        let is_old = mode == AdbdGeneration::Legacy;
        let said = |command: &str| device.shell(command, LIMIT).unwrap().stdout.trim().to_owned();
        let look = "settings get global stay_on_while_plugged_in; \
                    settings get system screen_off_timeout; settings get global none; logcat -g";
        let before = said(look);
        assert!(before.starts_with("0\n60000\nnull\n"), "{before}");
        board.cause_fault(Fault::DarkScreen);
        let options =
            PrepareOptions { meter, frequency: FrequencySetting::Leave, ..Default::default() };
        prepare(&device, &options).unwrap();
        prepare(&device, &options).unwrap();
        let held = said(look);
        assert!(held.starts_with("7\n2147483647\nnull\n"), "{held}");
        assert_eq!(held.contains("ring buffer is 16384 KiB"), !is_old, "{held}");
        let outcome = run_session(&device, &idle("idle-dark")).unwrap().outcome;
        // Before Android 4.4W no key wakes for sure: it is said.
        assert_eq!(outcome.screen_on, Some(!is_old));
        let warned = outcome.warnings.iter().any(|warning| warning.contains("the screen is off"));
        assert_eq!(warned, is_old, "{:?}", outcome.warnings);
        assert_eq!(outcome.thermal_status, (!is_old).then_some(0));
        board.cause_fault(Fault::Throttle);
        let outcome = run_session(&device, &idle("idle-hot")).unwrap().outcome;
        assert_eq!(outcome.thermal_status, (!is_old).then_some(3));
        board.lift_faults();
        restore(&device).unwrap();
        assert_eq!(said(look), before);
    }
}

fn check_application_session(logs: &SessionLogs) {
    assert_eq!(logs.outcome.end, SessionEnd::Ok, "{}\n{}", logs.script_output, logs.logcat);
    // Android 4.x has no taskset.
    let others = logs.outcome.warnings.iter().filter(|text| !text.contains("not pinned"));
    assert_eq!(others.count(), 0, "{:?}", logs.outcome.warnings);
    assert!(logs.logcat.contains("System.out: extra text=it's"), "{}", logs.logcat);
    let log = parse_session_log(&logs.logcat, &MarkerTexts::default());
    let window = log.session_window().unwrap();
    let trace = parse_trace(&logs.samples).unwrap();
    assert_eq!(trace.flaws, []);
    let last = trace.uptime_s[trace.uptime_s.len() - 1];
    assert!(trace.uptime_s[0] <= window.start_s && window.end_s <= last, "{window:?}");
    assert!(
        trace.power_w.iter().all(|watts| watts.is_some_and(|watts| (0.0..20.0).contains(&watts)))
    );
}

#[test]
fn sessions_on_the_modern_board() {
    if has_tools() {
        check_sessions(AdbdGeneration::Modern);
    }
}

#[test]
fn sessions_on_the_legacy_board() {
    if has_tools() {
        check_sessions(AdbdGeneration::Legacy);
    }
}

/// The sensors on another bus, little cores first, and Android 4.x with nothing but toolbox.
#[test]
fn sessions_on_an_odroid_xu3_with_toolbox_and_with_toybox() {
    if has_tools() {
        for (mode, tools, period_ms) in [
            (AdbdGeneration::Legacy, Tools::Toolbox, 1000),
            (AdbdGeneration::Modern, Tools::Toybox, 50),
        ] {
            check_sessions_on(mode, board_with(mode, tools, "odroid-xu3"), period_ms);
        }
    }
}

#[test]
fn the_same_label_gives_the_same_samples() {
    if !has_tools() {
        return;
    }
    let (server, board) = (OwnServer::new(), virtual_board(AdbdGeneration::Modern));
    connect(server.0, &board.serial()).unwrap();
    let device = AdbBoard::open(server.0, &board.serial(), CancelFlag::default()).unwrap();
    prepare(&device, &PrepareOptions::default()).unwrap();
    let kind = SessionKind::Idle { duration: Duration::from_secs(1) };
    let samples = |label| run_session(&device, &session(label, kind)).unwrap().samples;
    let first = samples("same");
    assert_eq!(samples("same"), first);
    assert_ne!(samples("other"), first);
}
