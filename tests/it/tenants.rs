//! `wattline tenants` as a user runs it.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

fn tenants(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.arg("tenants").args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sum of a column over rows whose column `tenant` fits.
fn sum(csv: &str, column: &str, fits: impl Fn(&str) -> bool) -> f64 {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|field| field == name).unwrap();
    let (tenant, value) = (at("tenant"), at(column));
    let rows = reader.records().map(|row| row.unwrap());
    let values = rows.filter(|row| fits(&row[tenant])).map(|row| row[value].to_owned());
    values.map(|value| value.parse::<f64>().unwrap()).sum()
}

#[test]
fn a_log_of_perf_becomes_tables_that_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = String::new();
    for n in 0..250_u32 {
        // 10 ms each in turns: twice the compiler, once idle.
        let who = |n: u32| [("rustc", 7), ("rustc", 7), ("swapper/0", 0)][n as usize % 3];
        let ((prev, prev_pid), (next, next_pid)) = (who(n), who(n + 1));
        let (s, us) = (100 + n / 100, n % 100 * 10_000);
        writeln!(
            log,
            "{prev:>16} {prev_pid:>5} [000] {s}.{us:06}: sched:sched_switch: prev_comm={prev} \
             prev_pid={prev_pid} prev_prio=120 prev_state=S ==> next_comm={next} \
             next_pid={next_pid} next_prio=120"
        )
        .unwrap();
    }
    fs::write(folder.path().join("log.txt"), log).unwrap();
    fs::write(folder.path().join("meter.csv"), "time_s,power_w\n100,6\n102.5,6\n").unwrap();
    let arguments = ["perf", "log.txt", "--energy", "meter.csv", "--out", "out"];
    let output = tenants(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("rustc"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("no cycles were counted: shared by CPU time"));
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    // 2.49 s at 6 W, and the last reading 10 ms after the last switch.
    for name in ["tenants.csv", "windows.csv", "views-1s.csv", "views-10s.csv"] {
        let all = sum(&read(name), "energy_j", |_| true);
        assert!((all - 15.0).abs() < 1e-6, "{name}: {all} J");
    }
    let whole = read("tenants.csv");
    assert!(whole.lines().last().unwrap().contains(",unattributed,"));
    assert!((sum(&whole, "energy_j", |tenant| tenant == "rustc") - 15.0).abs() < 0.2);
    assert_eq!(sum(&whole, "energy_j", |tenant| tenant == "idle"), 0.0);
    let json: serde_json::Value = serde_json::from_str(&read("tenants.json")).unwrap();
    assert_eq!(json["tenants"][0]["tenant"], "rustc");
    assert!(read("tenants.prom").ends_with("# EOF\n"));
    let again = tenants(folder.path(), &arguments);
    assert_eq!(again.status.code(), Some(2), "results are kept without --force");
}

#[test]
fn the_papers_overhead() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mean) in [("with.csv", 74.9), ("base.csv", 74.5)] {
        let set = format!("case,scenario,mean_w,sd_w,n\nunpinned,running-3,{mean},2,40\n");
        fs::write(folder.path().join(name), set).unwrap();
    }
    let output = tenants(folder.path(), &["overhead", "with.csv", "base.csv"]);
    let said = text(&output.stdout);
    assert!(said.contains("unpinned, running-3") && said.contains("below 1.1356 W"), "{said}");
}

#[test]
fn input_at_fault_ends_with_3_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.txt"), "nothing\n").unwrap();
    for (input, flags) in [("perf", &[][..]), ("perfetto", &[]), ("xen", &["--tsc-hz", "1e9"])] {
        let output = tenants(folder.path(), &[&[input, "x.txt"], flags].concat());
        assert_eq!(output.status.code(), Some(3), "{input}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("x.txt"), "{input}: {}", text(&output.stderr));
    }
}

#[test]
fn control_groups_are_measured_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let used = |group: &str, usec: u64| {
        let group = folder.path().join("groups").join(group);
        fs::create_dir_all(&group).unwrap();
        // Never half written.
        let part = group.join("part");
        fs::write(&part, format!("usage_usec {usec}\n")).unwrap();
        fs::rename(part, group.join("cpu.stat")).unwrap();
    };
    used("", 0);
    used("app", 0);
    let arguments = "tenants cgroups --root groups --powercap none --watts 15:5 --for 0 --out out";
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(arguments.split(' ')).current_dir(folder.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for n in 1..=40 {
        thread::sleep(Duration::from_millis(50));
        used("", n * 40_000);
        used("app", n * 30_000);
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tables = ["tenants.csv", "windows.csv", "views-1s.csv"];
    let [whole, windows, seconds] =
        tables.map(|name| fs::read_to_string(folder.path().join("out").join(name)).unwrap());
    let all = sum(&whole, "energy_j", |_| true);
    let app = sum(&whole, "energy_j", |tenant| tenant == "/app");
    let rest = sum(&whole, "energy_j", |tenant| tenant == "/ (in no group)");
    assert!(app > 0.0 && (app / rest - 3.0).abs() < 0.5, "{whole}");
    for table in [windows, seconds] {
        assert!((sum(&table, "energy_j", |_| true) - all).abs() < 1e-6, "{table}");
    }
}
