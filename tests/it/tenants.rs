//! `wattline tenants` as a user runs it.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

mod experiment;

use std::collections::BTreeMap;
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

/// A log of perf: (seconds, who leaves, who comes) on one CPU.
fn switches(log: &[(f64, &str, &str)]) -> String {
    let line = |(at, prev, next): &(f64, &str, &str)| {
        let tid = |name: &str| if name == "swapper" { 0 } else { name.len() };
        let (prev_tid, next_tid) = (tid(prev), tid(next));
        format!(
            "{prev:>16} {prev_tid:>5} [000] {at:.6}: sched:sched_switch: prev_comm={prev} \
             prev_pid={prev_tid} prev_prio=120 prev_state=S ==> next_comm={next} \
             next_pid={next_tid} next_prio=120\n"
        )
    };
    log.iter().map(line).collect()
}

#[test]
fn a_meter_that_goes_on_after_the_log_is_unattributed_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let log = [(100.0, "swapper", "java"), (103.0, "java", "sh"), (105.0, "sh", "java")];
    fs::write(folder.path().join("log.txt"), switches(&log)).unwrap();
    fs::write(folder.path().join("meter.csv"), "time_s,power_w\n95,2\n110,2\n").unwrap();
    let arguments = ["perf", "log.txt", "--energy", "meter.csv", "--out", "out"];
    let output = tenants(folder.path(), &arguments);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("20.0 J was metered before the log's first switch or after"), "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    for name in ["tenants.csv", "windows.csv", "views-1s.csv", "views-10s.csv"] {
        let table = read(name);
        let of = |tenant: &str| sum(&table, "energy_j", |row| row == tenant);
        assert!((sum(&table, "energy_j", |_| true) - 30.0).abs() < 1e-6, "{name}: {table}");
        let parts = ["java", "sh", "before the log", "after the log", "unattributed"].map(of);
        // 2 W: the log has 5 s, of which java ran 3; 5 s are before it, and 5 s after it.
        for (part, joules) in parts.into_iter().zip([6.0, 4.0, 10.0, 10.0, 0.0]) {
            assert!((part - joules).abs() < 1e-6, "{name}: {table}");
        }
    }
    let whole = read("tenants.csv");
    assert!((sum(&whole, "cpu_s", |_| true) - 5.0).abs() < 1e-6, "{whole}");
    let is_in_log = |tenant: &str| !tenant.ends_with("the log");
    assert!((sum(&whole, "power_w", is_in_log) - 2.0).abs() < 1e-6, "{whole}");
    let json: serde_json::Value = serde_json::from_str(&read("tenants.json")).unwrap();
    assert!((json["outside_log_j"].as_f64().unwrap() - 20.0).abs() < 1e-6);
    assert!((json["outside_log_s"].as_f64().unwrap() - 10.0).abs() < 1e-6);
}

/// Energy by tenant of a result in JSON, and that of the whole.
fn energies(output: &Output) -> (BTreeMap<String, f64>, f64) {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = json["tenants"].as_array().unwrap().iter().filter(|row| !row["energy_j"].is_null());
    let energy = |row: &serde_json::Value| row["energy_j"].as_f64().unwrap();
    let rows = rows.map(|row| (row["tenant"].as_str().unwrap().to_owned(), energy(row)));
    (rows.collect(), energy(&json))
}

/// Parts that add up to the whole, which is what the meter's file has from its first row to its
/// last, whatever of it the log covers.
#[test]
fn all_energy_of_the_meters_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let log = [(100.0, "swapper", "java"), (103.0, "java", "sh"), (105.0, "sh", "java")];
    fs::write(folder.path().join("log.txt"), switches(&log)).unwrap();
    // A reading a second, which grows by another figure each time.
    let table = |from: u64, to: u64| {
        let rows = (from..=to).map(|s| (s, 7.0 + (s * s) as f64 / 1000.0));
        let (first, last) = (rows.clone().next().unwrap().1, rows.clone().next_back().unwrap().1);
        let rows: String = rows.map(|(s, joules)| format!("{s},{joules}\n")).collect();
        (format!("time_s,energy_j\n{rows}"), last - first)
    };
    for (from, to) in [(80, 135), (95, 104), (102, 140), (20, 60), (110, 150), (101, 104)] {
        let (rows, total_j) = table(from, to);
        fs::write(folder.path().join("meter.csv"), rows).unwrap();
        let output = tenants(
            folder.path(),
            &["perf", "log.txt", "--energy", "meter.csv", "--format", "json"],
        );
        let (rows, whole_j) = energies(&output);
        assert!((whole_j - total_j).abs() < 1e-6, "{from} s to {to} s: {whole_j} J, {rows:?}");
        assert!(
            (rows.values().sum::<f64>() - total_j).abs() < 1e-6,
            "{from} s to {to} s: {rows:?}"
        );
        let at = |s: u64| (s * s) as f64 / 1000.0;
        let before_j = if from < 100 { at(to.min(100)) - at(from) } else { 0.0 };
        let after_j = if to > 105 { at(to) - at(from.max(105)) } else { 0.0 };
        for (name, joules) in [("before the log", before_j), ("after the log", after_j)] {
            let told = rows.get(name).copied().unwrap_or(0.0);
            assert!((told - joules).abs() < 1e-6, "{from} s to {to} s, {name}: {told} J");
        }
    }
}

#[test]
fn all_energy_of_a_xen_trace_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // 1 ms of a clock of 1 GHz is a million. Domains 1 and 2 change places from 2 s to 4 s,
    // RAPL is read from 0 s to 9 s.
    let time = |ms: u64| 1_000_000_000 + ms * 1_000_000;
    let switch = |n: u64| format!("{},0,{},0,5,{},9\n", time(2_000 + n * 10), n % 2 + 1, 1000 + n);
    let counts: String = (0..=200).map(switch).collect();
    let head = "TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED\n";
    fs::write(folder.path().join("ctr.csv"), head.to_owned() + &counts).unwrap();
    let counter = |n: u64| 4_294_900_000 + n * 40_000 + n * n;
    let reading = |n: u64| format!("{},0,1,0,{},0,0,0\n", time(n * 100), counter(n) % (1 << 32));
    let readings: String = (0..=90).map(reading).collect();
    let head = "TSC,CPU,DOM,vCPU,PKG,PP0,PP1,DRAM\n";
    fs::write(folder.path().join("rapl.csv"), head.to_owned() + &readings).unwrap();
    let arguments = ["xen", "rapl.csv", "ctr.csv", "--tsc-hz", "1e9", "--format", "json"];
    let (rows, whole_j) = energies(&tenants(folder.path(), &arguments));
    let between = |from: u64, to: u64| (counter(to) - counter(from)) as f64 / 65_536.0;
    assert!((whole_j - between(0, 90)).abs() < 1e-6, "{whole_j} J: {rows:?}");
    assert!((rows.values().sum::<f64>() - between(0, 90)).abs() < 1e-6, "{rows:?}");
    assert!((rows["before the log"] - between(0, 20)).abs() < 1e-6, "{rows:?}");
    assert!((rows["after the log"] - between(40, 90)).abs() < 1e-6, "{rows:?}");
}

#[test]
fn a_meter_that_stops_early_does_not_thin_the_power() {
    let folder = tempfile::tempdir().unwrap();
    let log = [(0.0, "swapper", "java"), (12.0, "java", "swapper")];
    fs::write(folder.path().join("log.txt"), switches(&log)).unwrap();
    fs::write(folder.path().join("meter.csv"), "time_s,power_w\n0,64\n2,64\n4,64\n").unwrap();
    let output =
        tenants(folder.path(), &["perf", "log.txt", "--energy", "meter.csv", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for power in [&json["power_w"], &json["tenants"][0]["power_w"]] {
        assert!((power.as_f64().unwrap() - 64.0).abs() < 1e-6, "{json}");
    }
    assert!(text(&output.stderr).contains("covers 4.0 of 12.0 s"));
}

#[test]
fn counters_that_run_on_are_not_summed() {
    let folder = tempfile::tempdir().unwrap();
    let mut counts =
        String::from("TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED\n");
    for n in 0..200_u64 {
        // 10 ms each at 3 GHz, counted since the machine's start.
        let (tsc, cycles) = (1_000_000_000 + n * 10_000_000, 90_000_000_000_000 + n * 30_000_000);
        writeln!(counts, "{tsc},0,{},0,5,{cycles},{cycles}", n % 2 + 1).unwrap();
    }
    fs::write(folder.path().join("ctr.csv"), counts).unwrap();
    let output = tenants(folder.path(), &["xen", "ctr.csv", "--tsc-hz", "1e9"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("--running 48"), "{}", text(&output.stderr));
    let output = tenants(
        folder.path(),
        &["xen", "ctr.csv", "--tsc-hz", "1e9", "--running", "48", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!((json["tenants"][0]["cycles"].as_f64().unwrap() / 3e9 - 1.0).abs() < 0.05, "{json}");
}

#[test]
fn figures_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let set = |sd: &str| format!("case,mean_w,sd_w,n\nidle,74.9,{sd},40\n");
    for (name, sd) in [("good.csv", "2"), ("negative.csv", "-2"), ("huge.csv", "1e308")] {
        fs::write(folder.path().join(name), set(sd)).unwrap();
    }
    for wrong in ["negative.csv", "huge.csv"] {
        let output = tenants(folder.path(), &["overhead", wrong, "good.csv"]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains("line 2: sd_w"), "{}", text(&output.stderr));
    }
    let output = tenants(folder.path(), &["dumpsys", "good.csv", "--volts", "3850"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("from 0.8 to 60 V"), "{}", text(&output.stderr));
}

#[test]
fn lengths_of_time_are_checked_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let wattline = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(arguments.split(' ')).current_dir(folder.path()).output().unwrap()
    };
    for (arguments, flag) in [
        ("monitor --headless --interval 1e300 --duration 1", "--interval"),
        ("monitor --headless --interval 1 --duration inf", "--duration"),
        ("tenants cgroups --root . --for nan", "--for"),
        ("tenants cgroups --root . --for=-1", "--for"),
        ("tenants cgroups --root . --window-ms 1e300", "--window-ms"),
        ("tenants watch x --seconds 5", "--seconds"),
        ("activities x --out y --step-s 0", "--step-s"),
        ("activities x --out y --from-s nan", "--from-s"),
        ("run x --out y --wait 1e18", "--wait"),
    ] {
        let output = wattline(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(flag), "{arguments}: {said}");
    }
    // An interval that is longer than all is cut to it. Something has to work meanwhile: there is
    // nothing to show of an idle machine.
    let mut at_work = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let output = wattline("monitor --headless --meter model --interval 100000 --duration 0.2");
    at_work.kill().unwrap();
    at_work.wait().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).lines().count() > 1, "{}", text(&output.stdout));
    fs::write(folder.path().join("cpu.stat"), "usage_usec 5\n").unwrap();
    let output =
        wattline("tenants cgroups --root . --powercap none --window-ms 80000000 --for 0.2");
    assert!(output.status.success(), "{}", text(&output.stderr));
}
