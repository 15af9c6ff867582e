//! Sensors and formulas of a running monitor, by orders of the same user.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::super::second_user::{SecondUser, shared_folder};
use super::{WATTLINE, adds_up, rows};

/// A user's folder for what runs, and a monitor in it that records.
struct Controlled {
    folder: tempfile::TempDir,
    monitor: Child,
    /// Something to measure.
    at_work: Child,
}

fn wattline(folder: &Path) -> Command {
    let mut command = Command::new(WATTLINE);
    command.current_dir(folder).env("XDG_RUNTIME_DIR", folder.join("run"));
    command
}

/// The socket of the only monitor of a user, once it is there.
fn socket_below(run: &Path) -> PathBuf {
    let folder = run.join("wattline");
    loop {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut sockets = files
            .map(|file| file.path())
            .filter(|path| fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()));
        match sockets.next() {
            Some(socket) => return socket,
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

impl Controlled {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        fs::create_dir(&run).unwrap();
        fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).unwrap();
        let at_work = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let monitor = wattline(folder.path())
            .args(["monitor", "--headless", "--control", "--out", "rec", "--interval", "0.2"])
            .args(["--meter", "model", "--tdp", "100"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { folder, monitor, at_work }
    }

    fn order(&self, arguments: &[&str]) -> Output {
        let mut command = wattline(self.folder.path());
        command.args(["monitor", "control"]).args(arguments).output().unwrap()
    }

    /// What an order that is obeyed says.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.order(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.order(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// The socket, once it is there.
    fn socket(&self) -> PathBuf {
        socket_below(&self.folder.path().join("run"))
    }

    fn cycles(&self) -> Vec<BTreeMap<String, String>> {
        let path = self.folder.path().join("rec/cycles.csv");
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        csv::Reader::from_reader(whole.as_bytes()).deserialize().map(Result::unwrap).collect()
    }

    /// Waits until so many cycles more are there.
    fn wait(&self, more: usize) {
        let before = self.cycles().len();
        while self.cycles().len() < before + more {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Controlled {
    fn drop(&mut self) {
        for child in [&mut self.monitor, &mut self.at_work] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn formulas_and_sensors_live_and_die_while_the_monitor_runs() {
    let mut controlled = Controlled::new();
    controlled.socket();
    controlled.wait(2);
    let listed = controlled.done(&["list"]);
    assert!(listed.contains("formula design-power (cpu, estimated): "), "{listed}");
    assert!(listed.contains("TDP 100 W") && listed.contains("sensor processes"), "{listed}");

    // Changed: a tenth of the power from the next cycle on, and no cycle is lost.
    let said = controlled.done(&["change", "design-power", "--tdp", "10"]);
    assert!(said.contains("changed formula design-power") && said.contains("TDP 10 W"), "{said}");
    controlled.wait(2);
    assert!(controlled.done(&["list"]).contains("TDP 10 W"));

    // Started: a second part of the machine.
    controlled.done(&["start", "network-modes", "--network", "lo:1000=5"]);
    assert!(controlled.done(&["list"]).contains("formula network-modes (network, estimated)"));
    controlled.wait(2);
    let refused = controlled.refused(&["start", "network-modes", "--network", "lo:1000=5"]);
    assert!(refused.contains("network-modes runs already"), "{refused}");

    // Stopped, with its sensor.
    controlled.done(&["stop", "network-modes"]);
    let listed = controlled.done(&["list"]);
    assert!(!listed.contains("network"), "{listed}");
    assert!(controlled.refused(&["stop", "network-modes"]).contains("does not run"));

    // Without its sensor the formula has no figure, and no row says 0 J.
    controlled.done(&["stop", "processes"]);
    let stopped = controlled.cycles().len();
    thread::sleep(Duration::from_millis(500));
    assert!(controlled.cycles().len() <= stopped + 1, "no cycle has a figure");
    controlled.done(&["start", "processes"]);
    controlled.wait(2);
    controlled.done(&["share", "active"]);

    kill_process(Pid::from_child(&controlled.monitor), Signal::INT).unwrap();
    assert!(controlled.monitor.wait().unwrap().success());
    adds_up(&controlled.folder.path().join("rec"));
    let socket = controlled.folder.path().join("run/wattline");
    assert_eq!(fs::read_dir(socket).unwrap().count(), 0, "the socket is gone with its monitor");
    assert!(controlled.refused(&["list"]).contains("no monitor of this user takes orders"));
    let about = fs::read_to_string(controlled.folder.path().join("rec/monitor.toml")).unwrap();
    for told in ["by order: changed formula design-power", "by order: stopped sensor processes"] {
        assert!(about.contains(told), "{told}: {about}");
    }
    powers_are_those_of_their_time(&controlled.folder.path().join("rec"), &about);
}

/// Times of processes are hundredths of a second, so these figures are rough, but a tenth is far
/// off. Joules of the model are 0.7 TDP x the part of all CPU time that was active, so a cycle before
/// the change has ten times the energy of active time of one after it.
fn powers_are_those_of_their_time(recording: &Path, about: &str) {
    let note = about.lines().find(|line| line.contains("changed formula design-power")).unwrap();
    let cycle = note.split("from cycle ").find(|part| part.contains("by order: changed formula"));
    let changed: u64 = cycle.unwrap().split(' ').next().unwrap().parse().unwrap();
    let processes = rows(recording.join("processes.csv"));
    let cycles = rows(recording.join("cycles.csv"));
    let (mut before, mut after) = (0, 0);
    for row in cycles.iter().filter(|row| row["part"] == "cpu") {
        let number: u64 = row["cycle"].parse().unwrap();
        // With the share of active time processes pay for idle time as well.
        let own = processes.iter().filter(|process| process["cycle"] == row["cycle"]);
        let (mut joules, mut cpu_s, mut share) = (0.0, 0.0, 0.0);
        for process in own {
            let of = |column: &str| process[column].parse::<f64>().unwrap();
            joules += of("cpu_j");
            cpu_s += of("cpu_s");
            share += of("share_capacity");
        }
        let length: f64 =
            row["end_s"].parse::<f64>().unwrap() - row["start_s"].parse::<f64>().unwrap();
        // Last cycles are those of the other share.
        let watts = joules / length / share;
        if cpu_s == 0.0 || length < 0.1 || number + 3 > cycles.len() as u64 {
            continue;
        }
        let expected = if number < changed { 70.0 } else { 7.0 };
        let is_near = |expected: f64| (watts / expected - 1.0).abs() < 0.4;
        assert!(is_near(expected), "cycle {number}, change at {changed}: {watts} W: {row:?}");
        match number < changed {
            true => before += 1,
            false => after += 1,
        }
    }
    assert!(before > 0 && after > 0, "{about}");
}

#[test]
fn nobody_else_can_reach_the_socket_and_mistakes_are_refused() {
    let controlled = Controlled::new();
    let socket = controlled.socket();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    for (arguments, expected) in [
        (&["start", "nothing"][..], "there is no module nothing"),
        (&["change", "network-modes"], "does not run"),
        (&["start", "soc-table", "--tdp", "5"], "--tdp is a setting of design-power"),
        (&["start", "soc-table", "--soc", "not-there.csv"], "not-there.csv"),
        (&["--pid", "1", "list"], "no monitor of this process takes orders"),
    ] {
        let said = controlled.refused(arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(controlled.done(&["list"]).contains("TDP 100 W"), "nothing has changed");
    // What has no room is told.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut list = wattline(controlled.folder.path());
    let output = list.args(["monitor", "control", "list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Root may connect to any socket of the system, and is another user all the same.
#[test]
fn another_user_gives_no_orders() {
    let Some(second_user) = SecondUser::new() else { return };
    let around = tempfile::tempdir().unwrap();
    let shared = shared_folder(&around);
    let program = around.path().join("wattline");
    fs::copy(WATTLINE, &program).unwrap();
    let run = PathBuf::from(
        second_user.shell("mkdir -m 700 \"$1/run\"; echo \"$1/run\"", &[&shared]).trim(),
    );
    let own = |arguments: &[&str]| {
        let mut command = second_user.command(&program);
        command.env("XDG_RUNTIME_DIR", &run).env("HOME", &run).env("TMPDIR", &run);
        command.arg("monitor").args(arguments);
        command
    };
    let monitor = ["--headless", "--control", "--meter", "model", "--tdp", "50"];
    let mut monitor = own(&monitor).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let socket = socket_below(&run);
    let mut stream = UnixStream::connect(&socket).unwrap();
    // It may be closed before all is sent.
    let _ = stream.write_all(b"{\"order\":\"stop\",\"name\":\"design-power\"}\n");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains("of another user"), "{answer}");
    let list = own(&["control", "list"]).output().unwrap();
    let listed = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(listed.contains("formula design-power"), "{listed}: {list:?}");
    kill_process(Pid::from_child(&monitor), Signal::INT).unwrap();
    monitor.wait().unwrap();
    // The other way round, nobody without rights reaches the socket at all.
    let controlled = Controlled::new();
    controlled.socket();
    let folder = controlled.folder.path();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(second_user.opened_below(&folder.join("run")), Vec::<PathBuf>::new());
}
