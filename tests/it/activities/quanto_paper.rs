//! What the command makes of logs like those of the Quanto paper (Fonseca et al., OSDI 2008),
//! beside the figures that it gives.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{path, wattline};

/// A table of results: fields by the names of their columns.
fn table(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    rows.deserialize().map(Result::unwrap).collect()
}

/// The figure of a column in the row whose other columns have these texts.
fn figure(rows: &[BTreeMap<String, String>], keys: &[(&str, &str)], column: &str) -> f64 {
    let is_it = |row: &&BTreeMap<String, String>| keys.iter().all(|(key, is)| row[*key] == *is);
    let mut found = rows.iter().filter(is_it);
    let row = found.next().unwrap_or_else(|| panic!("no row {keys:?}: {rows:#?}"));
    assert!(found.next().is_none(), "several rows {keys:?}");
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The command of `datasets/quanto-blink/README.md` gives every figure of table 3.
#[test]
fn the_blink_data_set_gives_table_3() {
    let folder = tempfile::tempdir().unwrap();
    let (log, out) = ("datasets/quanto-blink/blink.quanto", path(folder.path(), "out"));
    let page = fs::read_to_string("datasets/quanto-blink/README.md").unwrap();
    assert!(page.contains(&format!("wattline activities {log} --out ")), "{page}");
    let said = wattline(&["activities", log, "--out", &out]);
    let of = |name: &str| table(Path::new(&out), name);
    let (times, energies) = (of("time-matrix.csv"), of("energy-matrix.csv"));
    let (powers, states) = (of("power-matrix.csv"), of("powers.csv"));
    let activities = of("activities.csv");
    let named = |name: &str| match name {
        "Const" => "(constant)".to_owned(),
        "Total" => "(total)".to_owned(),
        "CPU" => "CPU:active".to_owned(),
        led if led.starts_with("LED") => format!("{led}:on"),
        activity => format!("1:{activity}"),
    };
    let paper = fs::read_to_string("datasets/quanto-blink/table-3.csv").unwrap();
    let mut compared = 0;
    for line in paper.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (row, column, wanted): (_, _, f64) = (fields[1], fields[2], fields[3].parse().unwrap());
        let component = row.replace("Const", "(constant)").replace("Total", "(total)");
        let (found, allowed) = match fields[0] {
            "time" => {
                let found = figure(&times, &[("activity", &named(column))], row);
                (found, (0.0025 * wanted).max(0.005))
            }
            "current" => {
                let found = figure(&powers, &[("quantity", "current_a")], &named(row)) * 1e3;
                (found, if row == "CPU" { 0.05 } else { 0.005 })
            }
            "power" => {
                let found = figure(&powers, &[("quantity", "power_w")], &named(row)) * 1e3;
                (found, if row == "CPU" { 0.15 } else { 0.005 })
            }
            "energy_component" => {
                let found = figure(&energies, &[("activity", "(total)")], &component) * 1e3;
                (found, (0.0025 * wanted).max(0.005))
            }
            // Nobody is charged for an idle component.
            _ if column == "Idle" => {
                assert!(activities.iter().all(|row| row["activity"] != "1:Idle"));
                (0.0, 0.005)
            }
            _ => {
                let found = figure(&activities, &[("activity", &named(column))], "energy_j") * 1e3;
                let row = [("activity", &*named(column))];
                let of_matrix = figure(&energies, &row, "(total)") * 1e3;
                assert!((found - of_matrix).abs() < 1e-9, "{line}: {of_matrix}");
                // Sums are as good as their largest part; activities are closer.
                let is_sum = ["Const", "Total"].contains(&column);
                (found, if is_sum { 0.0025 * wanted } else { 0.01 })
            }
        };
        println!("{line}: {found:.4}");
        assert!((found - wanted).abs() <= allowed + 1e-9, "{line}: {found}, {allowed} allowed");
        compared += 1;
    }
    assert_eq!(compared, 36);
    // The processor is active for 0.178 % of the time, and every LED toggles at its own pace.
    let duty = figure(&states, &[("component", "CPU"), ("state", "active")], "duty_cycle");
    assert!((duty - 0.001_78).abs() < 0.000_005, "{duty}");
    for (led, times) in [("LED0", 24.0), ("LED1", 12.0), ("LED2", 6.0)] {
        let on = figure(&states, &[("component", led), ("state", "on")], "occurrences");
        assert!((on - times).abs() < 1e-9, "{led}: {on}");
    }
    for words in ["time by component and activity", "result of the regression", "2.51 mA", "24.0 s"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let page = fs::read_to_string(Path::new(&out).join("activities.html")).unwrap();
    for words in [
        "Simulated (1): the energies are computed",
        "Time by component and activity",
        "Result of the regression",
        "2.51 mA",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// Seconds that the radio sleeps between two wake-ups.
const SLEEP_S: f64 = 0.5;
/// Wake-ups, of which so many are false where there is interference.
const WAKE_UPS: usize = 135;
const FALSE_WAKE_UPS: usize = 24;
/// Watts of the listening radio, and volts of the supply.
const LISTEN_W: f64 = 61.8e-3;
const SUPPLY_V: f64 = 3.35;
/// Watts of the radio that is on but does not listen: 426 uA of its control path.
const CONTROL_W: f64 = 0.426e-3 * SUPPLY_V;
/// Watts of the processor while it is active, and seconds of that at the start of a wake-up.
const PROCESSOR_W: f64 = 1.5e-3;
const START_S: f64 = 0.001;
/// The paper's duty cycles and mean powers without interference and with it.
const QUIET: (f64, f64) = (0.0222, 0.919e-3);
const BUSY: (f64, f64) = (0.0558, 1.43e-3);

/// A node that listens at low power: a log of the meter's exact readings and what is known of it.
struct Listening {
    lines: Vec<String>,
    at_s: f64,
    energy_j: f64,
    constant_w: f64,
    radio_s: f64,
}

impl Listening {
    fn log(&mut self, component: &str, event: &str, value: &str) {
        self.lines.push(format!("{:.9},{component},{event},{value}", self.at_s));
    }

    /// Lets time pass at a power above the constant, and reads the meter.
    fn pass(&mut self, seconds: f64, power_w: f64) {
        self.at_s += seconds;
        self.energy_j += seconds * (self.constant_w + power_w);
        let energy = format!("{:.15}", self.energy_j);
        self.log("", "energy", &energy);
    }

    /// The radio is on for so long, and listens in a part of that. What it took for a packet is
    /// a reception that nothing is bound to.
    fn wake_up(&mut self, on_s: f64, listening: f64, is_false: bool) {
        self.log("CPU", "state", "active");
        self.log("CPU", "set", "VTimer");
        self.log("Radio", "state", "control");
        self.log("Radio", "set", "VTimer");
        self.pass(START_S, CONTROL_W + PROCESSOR_W);
        self.log("CPU", "state", "idle");
        self.log("CPU", "set", "Idle");
        self.log("Radio", "state", "listen");
        if is_false {
            self.log("Radio", "set", "receive");
        }
        self.pass(listening * on_s, LISTEN_W);
        self.log("Radio", "state", "control");
        self.pass(on_s - listening * on_s - START_S, CONTROL_W);
        self.log("Radio", "state", "off");
        self.log("Radio", "set", "Idle");
        self.radio_s += on_s;
        self.pass(SLEEP_S, 0.0);
    }
}

/// How a log without interference and one with it must be made for the paper's duty cycles and
/// mean powers: seconds of a plain and of a false wake-up, the part of them in which the radio
/// listens, the constant. The paper's mean powers are less than its duty cycles at the power of
/// listening, so the radio listens in a part of the time in which it is on.
struct Made {
    plain_s: f64,
    false_s: f64,
    listening: f64,
    constant_w: f64,
}

fn made() -> Made {
    let on = |duty: f64| duty * SLEEP_S / (1.0 - duty);
    let (plain_s, mean_s) = (on(QUIET.0), on(BUSY.0));
    let false_part = FALSE_WAKE_UPS as f64 / WAKE_UPS as f64;
    let false_s = (mean_s - plain_s * (1.0 - false_part)) / false_part;
    // Mean power is constant + duty x radio + processor, in both logs alike but for the duty.
    let processor = |duty: f64| PROCESSOR_W * START_S * duty / on(duty);
    let more = BUSY.1 - processor(BUSY.0) - (QUIET.1 - processor(QUIET.0));
    let radio_w = more / (BUSY.0 - QUIET.0);
    let listening = (radio_w - CONTROL_W) / (LISTEN_W - CONTROL_W);
    let constant_w = QUIET.1 - processor(QUIET.0) - QUIET.0 * radio_w;
    Made { plain_s, false_s, listening, constant_w }
}

fn listening(is_busy: bool) -> Listening {
    let made = made();
    let mut node = Listening {
        lines: vec!["time_s,component,event,value".into()],
        at_s: 0.0,
        energy_j: 0.0,
        constant_w: made.constant_w,
        radio_s: 0.0,
    };
    node.log("CPU", "state", "idle");
    node.log("Radio", "state", "off");
    node.log("", "energy", "0");
    for at in 0..WAKE_UPS {
        let is_false = is_busy && at * FALSE_WAKE_UPS % WAKE_UPS < FALSE_WAKE_UPS;
        node.wake_up(if is_false { made.false_s } else { made.plain_s }, made.listening, is_false);
    }
    node
}

/// The case study of low-power listening: duty cycles, mean powers and false wake-ups without
/// interference (channel 26) and with it (channel 17), and one against the other.
#[test]
fn low_power_listening_has_the_papers_duty_cycles_powers_and_false_wake_ups() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, (duty, mean_w), is_busy) in
        [("channel-26", QUIET, false), ("channel-17", BUSY, true)]
    {
        let node = listening(is_busy);
        // The log is what it is meant to be, by sums of its own.
        assert!((node.radio_s / node.at_s - duty).abs() < 1e-6, "{name}");
        assert!((node.energy_j / node.at_s - mean_w).abs() < 1e-8, "{name}");
        fs::write(folder.join(format!("{name}.csv")), node.lines.join("\n")).unwrap();
    }
    let quiet = path(folder, "channel-26.csv");
    let busy = path(folder, "channel-17.csv");
    let out = path(folder, "out");
    let said = wattline(&[
        "activities",
        &busy,
        "--supply-v",
        "3.35",
        "--occurrences",
        "Radio=receive",
        "--against",
        &quiet,
        "--out",
        &out,
    ]);
    println!("{said}");
    let of = |name: &str| table(Path::new(&out), name);
    let (duties, powers) = (of("duty-cycles.csv"), of("powers.csv"));
    let radio = [("of", "component"), ("name", "Radio")];
    let near = |found: f64, wanted: f64, off: f64| {
        assert!((found - wanted).abs() <= off, "{found}, {wanted} wanted");
    };
    near(figure(&duties, &radio, "duty_cycle"), 0.0558, 0.000_05);
    near(figure(&duties, &radio, "occurrences"), WAKE_UPS as f64, 0.0);
    near(figure(&duties, &[("of", "node")], "mean_power_w"), 1.43e-3, 0.005e-3);
    let listen = [("component", "Radio"), ("state", "listen")];
    near(figure(&powers, &listen, "power_w"), 61.8e-3, 0.05e-3);
    near(figure(&powers, &listen, "current_a"), 18.46e-3, 0.02e-3);
    // States, components and activities tell the same story.
    let state = |state: &str, column: &str| {
        figure(&powers, &[("component", "Radio"), ("state", state)], column)
    };
    let whole = state("listen", "duty_cycle") + state("control", "duty_cycle");
    near(whole, figure(&duties, &radio, "duty_cycle"), 1e-9);
    let whole = state("listen", "mean_power_w") + state("control", "mean_power_w");
    near(whole, figure(&duties, &radio, "mean_power_w"), 1e-9);
    let received = [("of", "activity"), ("name", "device:receive")];
    near(figure(&duties, &received, "occurrences"), FALSE_WAKE_UPS as f64, 0.0);
    let occurrences = of("occurrences.csv");
    near(figure(&occurrences, &[("outer", "Radio")], "share_with"), 0.178, 0.000_5);
    near(figure(&occurrences, &[("outer", "Radio")], "without"), 111.0, 0.0);
    let comparison = of("comparison.csv");
    let compared = |of: &str, name: &str, quantity: &str, column: &str| {
        figure(&comparison, &[("of", of), ("name", name), ("quantity", quantity)], column)
    };
    near(compared("component", "Radio", "duty_cycle", "base"), 0.0222, 0.000_05);
    near(compared("component", "Radio", "duty_cycle", "difference"), 0.0336, 0.000_05);
    near(compared("node", "(total)", "mean_power_w", "base"), 0.919e-3, 0.000_5e-3);
    near(compared("node", "(total)", "mean_power_w", "new"), 1.43e-3, 0.005e-3);
    near(compared("node", "(total)", "mean_power_w", "ratio"), 1.43 / 0.919, 0.005);
    near(compared("activity", "device:receive", "occurrences", "base"), 0.0, 0.0);
    for words in [
        "5.58 %",
        "17.78 %",
        "18.4 mA",
        "135 occurrences of Radio",
        "node device against device: duty cycle",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let page = fs::read_to_string(Path::new(&out).join("activities.html")).unwrap();
    for words in ["<h2>Occurrences</h2>", "<h2>Comparison</h2>", "17.78 %", "device:receive"] {
        assert!(page.contains(words), "{words}");
    }
    // Without interference no detection is false, which is said and not refused.
    let said = wattline(&[
        "activities",
        &quiet,
        "--occurrences",
        "Radio=receive",
        "--out",
        &path(folder, "alone"),
    ]);
    assert!(said.contains("with receive") && said.contains("2.22 %"), "{said}");
    let alone = table(&folder.join("alone"), "occurrences.csv");
    near(figure(&alone, &[("outer", "Radio")], "with"), 0.0, 0.0);
}

/// What can't be counted or compared is refused in words.
#[test]
fn questions_at_fault_are_said_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = "time_s,component,event,value\n0,A,state,off\n0,,energy,0\n1,,energy,1\n";
    fs::write(folder.join("log.csv"), lines).unwrap();
    let log = path(folder, "log.csv");
    let refused = |arguments: &[&str]| {
        let mut all = vec!["activities", &log, "--out"];
        let out = path(folder, "out");
        all.push(&out);
        all.extend(arguments);
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        let output = command.args(&all).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!folder.join("out/powers.csv").exists(), "nothing is written");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(&["--occurrences", "B=A"]);
    assert!(said.contains("no component, state or activity B; there are A, A:off"), "{said}");
    let said = refused(&["--occurrences", "A"]);
    assert!(said.contains("give OUTER=INNER"), "{said}");
    let said = refused(&["--supply-v", "0"]);
    assert!(said.contains("--supply-v"), "{said}");
    let nodes = ["datasets/quanto-blink/blink.quanto", log.as_str()];
    let said = refused(&["--against", nodes[0], nodes[0], "--force"]);
    assert!(said.contains("--against: no node is in both"), "{said}");
}
