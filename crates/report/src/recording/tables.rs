//! Accounts of a recording as CSV, in the columns of all accounts. Intervals are empty: a model
//! of unknown error has none, and one recording has no repeats.

use wattline_units::file_schema::{DeclaredColumn, TableSchema};

use super::rows::{CycleRow, JvmRow, MethodRow, NodeRow, ProcessRow, StackRow, ThreadRow};
use super::{MethodSum, RecordedMethodKey, RecordingSums};
use crate::account::Femtojoules;
use crate::account::table::UNATTRIBUTED_KEY;
use crate::csv_text::CsvText;

/// Columns that all tables have after the key.
const FIGURES: [DeclaredColumn; 5] = [
    DeclaredColumn::integer("executions", "Calls; empty where they are not counted"),
    DeclaredColumn::number("energy_j", "Energy"),
    DeclaredColumn::number("energy_lo_j", "Empty: one recording has no interval"),
    DeclaredColumn::number("energy_hi_j", "Empty: one recording has no interval"),
    DeclaredColumn::number("share", "Share of the energy"),
];

/// Columns of `ledger.csv`.
const LEDGER_COLUMNS: [DeclaredColumn; 5] = [
    DeclaredColumn::text("entry", "Entry; the first, total, is the sum of the others"),
    DeclaredColumn::number("energy_j", "Energy"),
    DeclaredColumn::number("energy_lo_j", "Empty: one recording has no interval"),
    DeclaredColumn::number("energy_hi_j", "Empty: one recording has no interval"),
    DeclaredColumn::number("share", "Share of the total"),
];

/// Key of `processes.csv`.
const PROCESS_KEY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("pid", "Process number, or (unattributed)"),
    DeclaredColumn::text("name", "Name of the process"),
];

/// Columns of `processes.csv` after the figures.
const PROCESS_OWN: [DeclaredColumn; 6] = [
    DeclaredColumn::number("power_w", "Mean power"),
    DeclaredColumn::number("cpu_s", "CPU time"),
    DeclaredColumn::number("share_active", "Share of active CPU time"),
    DeclaredColumn::number("share_capacity", "Share of the CPU capacity"),
    DeclaredColumn::number("cpu_j", "Energy of the CPU"),
    DeclaredColumn::number("network_j", "Energy of the network; empty where unknown"),
];

/// Key of `threads.csv`.
const THREAD_KEY: [DeclaredColumn; 3] = [
    DeclaredColumn::integer("pid", "Process number"),
    DeclaredColumn::integer("thread", "Thread number"),
    DeclaredColumn::text("name", "Name of the thread"),
];

/// Columns of `threads.csv` after the figures.
const THREAD_OWN: [DeclaredColumn; 1] = [DeclaredColumn::number("cpu_s", "CPU time")];

/// Key of `methods.csv`.
const METHOD_KEY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("class", "Class, or (unattributed)"),
    DeclaredColumn::text("method", "Method, or what the energy without a method is"),
];

/// Columns of `methods.csv` after the figures.
const METHOD_OWN: [DeclaredColumn; 14] = [
    DeclaredColumn::number("power_w", "Mean power"),
    DeclaredColumn::number(
        "energy_per_invocation_j",
        "Energy of a call; empty where calls are not counted",
    ),
    DeclaredColumn::number("power_per_invocation_w", "Power over the number of calls"),
    DeclaredColumn::number(
        "literal_power_w",
        "Power by the formula of the paper as printed, which does not add up",
    ),
    DeclaredColumn::number("cpu_s", "CPU time"),
    DeclaredColumn::number("waited_s", "Waiting time"),
    DeclaredColumn::integer("bytes", "Bytes that sockets received and sent"),
    DeclaredColumn::number("cpu_j", "Energy of the CPU"),
    DeclaredColumn::number("network_j", "Energy of the network; empty where unknown"),
    DeclaredColumn::integer("samples", "Samples; empty where none were taken"),
    DeclaredColumn::text("file", "Path of the source file"),
    DeclaredColumn::integer("first_line", "First line; 0 where unknown"),
    DeclaredColumn::integer("last_line", "Last line"),
    DeclaredColumn::text("counted", "Which calls are counted; empty for none"),
];

/// Key of `classes.csv`.
const CLASS_KEY: [DeclaredColumn; 1] = [DeclaredColumn::text("class", "Class, or (unattributed)")];

/// Columns of `classes.csv` after the figures.
const CLASS_OWN: [DeclaredColumn; 1] = [DeclaredColumn::number("power_w", "Mean power")];

/// Returns the columns of the tables of a recording, and of its accounts.
pub fn recording_table_schemas() -> Vec<TableSchema> {
    let mut tables = recorded_table_schemas();
    let account = |file, contents, key: &[DeclaredColumn], own: &[DeclaredColumn]| {
        let columns = [key, &FIGURES, own].concat();
        TableSchema::declared(file, ACCOUNTS, contents, &columns)
    };
    tables.extend([
        TableSchema::declared(
            "ledger.csv",
            ACCOUNTS,
            "Parts of the recorded energy",
            &LEDGER_COLUMNS,
        ),
        account("accounts/processes.csv", "Energy by process", &PROCESS_KEY, &PROCESS_OWN),
        account("accounts/threads.csv", "Energy by thread", &THREAD_KEY, &THREAD_OWN),
        account("accounts/methods.csv", "Energy by method of a JVM", &METHOD_KEY, &METHOD_OWN),
        account("accounts/classes.csv", "Energy by class of a JVM", &CLASS_KEY, &CLASS_OWN),
    ]);
    tables
}

/// Writers of the accounts of a recording.
const ACCOUNTS: &str = "`monitor --out`, `account` of a recording";

fn recorded_table_schemas() -> Vec<TableSchema> {
    const MONITOR: &str = "`monitor --out`";
    vec![
        TableSchema::of_rows::<CycleRow>(
            "cycles.csv",
            MONITOR,
            "Energy of each part of the machine by cycle",
        ),
        TableSchema::of_rows::<ProcessRow>("processes.csv", MONITOR, "Processes by cycle"),
        TableSchema::of_rows::<ThreadRow>("threads.csv", MONITOR, "Threads by cycle"),
        TableSchema::of_rows::<MethodRow>(
            "methods.csv",
            MONITOR,
            "Methods of a JVM by thread and cycle",
        ),
        TableSchema::of_rows::<JvmRow>("jvm.csv", MONITOR, "The JVM by cycle"),
        TableSchema::of_rows::<StackRow>(
            "stacks.csv",
            MONITOR,
            "Sampled energy by call path, thread and cycle",
        ),
        TableSchema::of_rows::<NodeRow>("nodes.csv", MONITOR, "Nodes of the call tree"),
    ]
}

/// Files of the `accounts` folder: name and text.
pub fn tables(sums: &RecordingSums) -> Vec<(&'static str, String)> {
    let mut all = vec![("processes.csv", processes(sums)), ("threads.csv", threads(sums))];
    if sums.jvm.is_some() {
        all.extend([("methods.csv", methods(sums)), ("classes.csv", classes(sums))]);
    }
    all
}

/// The text of `ledger.csv`: the whole first, then its parts.
pub fn ledger_csv(sums: &RecordingSums) -> String {
    let mut table = CsvText::new(LEDGER_COLUMNS);
    for (name, energy) in ledger_rows(sums) {
        table.row([name.to_string(), energy.to_string(), none(), none(), part(energy, sums.total)]);
    }
    table.text()
}

/// Rows of the ledger: the whole, then the parts that add up to it.
pub(crate) fn ledger_rows(sums: &RecordingSums) -> Vec<(&'static str, Femtojoules)> {
    let processes: Femtojoules = sums.processes.values().map(|process| process.energy()).sum();
    let mut rows = vec![("total", sums.total)];
    // One that ended before its first reading has no figures, and no rows of 0 J.
    match sums.jvm.filter(|energy| *energy != Femtojoules::ZERO) {
        None => rows.push(("processes", processes)),
        Some(jvm) => {
            if !sums.methods.is_empty() {
                let rests: Femtojoules = sums.rests().into_iter().map(|(_, energy)| energy).sum();
                rows.push(("methods", jvm - rests));
            }
            rows.extend(
                sums.rests().into_iter().filter(|(_, energy)| *energy != Femtojoules::ZERO),
            );
            rows.push(("other processes", processes - jvm));
        }
    }
    rows.push(("unattributed", sums.unattributed));
    rows
}

fn none() -> String {
    String::new()
}

fn part(energy: Femtojoules, whole: Femtojoules) -> String {
    if whole.0 > 0 { format!("{:.9}", energy.0 as f64 / whole.0 as f64) } else { none() }
}

fn figures(executions: Option<u64>, energy: Femtojoules, whole: Femtojoules) -> [String; 5] {
    let executions = executions.map_or(none(), |count| count.to_string());
    [executions, energy.to_string(), none(), none(), part(energy, whole)]
}

fn watts(energy: Femtojoules, seconds: f64) -> String {
    if seconds > 0.0 { (energy.joules().0 / seconds).to_string() } else { none() }
}

fn per_call(value: f64, calls: Option<u64>) -> String {
    calls.filter(|calls| *calls > 0).map_or(none(), |calls| (value / calls as f64).to_string())
}

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map_or(none(), |value| value.to_string())
}

fn processes(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&PROCESS_KEY[..], &FIGURES, &PROCESS_OWN].concat());
    let mut rows: Vec<_> = sums.processes.iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.energy()));
    for ((pid, _), sum) in rows {
        let energy = sum.energy();
        let own = [
            watts(energy, sums.duration_s),
            sum.cpu_s.to_string(),
            sum.share_active.to_string(),
            sum.share_capacity.to_string(),
            sum.cpu.to_string(),
            optional(sum.network),
        ];
        let figures = figures(None, energy, sums.total);
        table.row([pid.to_string(), sum.name.clone()].into_iter().chain(figures).chain(own));
    }
    rest(&mut table, &[UNATTRIBUTED_KEY, ""], sums.unattributed, sums.total, PROCESS_OWN.len());
    table.text()
}

fn threads(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&THREAD_KEY[..], &FIGURES, &THREAD_OWN].concat());
    let mut rows: Vec<_> = sums.threads.iter().collect();
    rows.sort_by_key(|(_, (.., energy))| std::cmp::Reverse(*energy));
    for ((pid, thread), (name, cpu_s, energy)) in rows {
        let figures = figures(None, *energy, sums.total);
        let key = [pid.to_string(), thread.to_string(), name.clone()];
        table.row(key.into_iter().chain(figures).chain([cpu_s.to_string()]));
    }
    table.text()
}

fn methods(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&METHOD_KEY[..], &FIGURES, &METHOD_OWN].concat());
    let whole = sums.jvm.unwrap_or(Femtojoules::ZERO);
    for (key, sum) in by_energy(sums) {
        let energy = sum.energy();
        let power = energy.joules().0 / sums.duration_s.max(f64::MIN_POSITIVE);
        let own = [
            watts(energy, sums.duration_s),
            per_call(energy.joules().0, sum.all_calls()),
            per_call(power, sum.all_calls()),
            sum.literal_w.to_string(),
            sum.cpu_s.to_string(),
            sum.waited_s.to_string(),
            sum.bytes.to_string(),
            sum.cpu.to_string(),
            optional(sum.network),
            optional(sum.samples),
            sum.file.clone(),
            sum.first_line.to_string(),
            sum.last_line.to_string(),
            optional(sum.calls.map(|_| sum.counted)),
        ];
        let figures = figures(sum.calls, energy, whole);
        let names = [key.class.clone(), key.method.clone()];
        table.row(names.into_iter().chain(figures).chain(own));
    }
    for (name, energy) in sums.rests_by_thread() {
        if energy != Femtojoules::ZERO {
            rest(&mut table, &[UNATTRIBUTED_KEY, &name], energy, whole, METHOD_OWN.len());
        }
    }
    table.text()
}

fn classes(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&CLASS_KEY[..], &FIGURES, &CLASS_OWN].concat());
    let whole = sums.jvm.unwrap_or(Femtojoules::ZERO);
    let mut rows: Vec<_> = sums.classes.iter().collect();
    rows.sort_by_key(|(_, (energy, _))| std::cmp::Reverse(*energy));
    for (class, (energy, calls)) in rows {
        let figures = figures(*calls, *energy, whole);
        table.row(
            [class.clone()].into_iter().chain(figures).chain([watts(*energy, sums.duration_s)]),
        );
    }
    let energy = sums.rests().into_iter().map(|(_, energy)| energy).sum();
    rest(&mut table, &[UNATTRIBUTED_KEY], energy, whole, CLASS_OWN.len());
    table.text()
}

/// Methods by descending energy.
pub(super) fn by_energy(sums: &RecordingSums) -> Vec<(&RecordedMethodKey, &MethodSum)> {
    let mut rows: Vec<_> = sums.methods.iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.energy()));
    rows
}

/// Adds the row of energy that no other row has.
fn rest(table: &mut CsvText, keys: &[&str], energy: Femtojoules, whole: Femtojoules, own: usize) {
    let mut fields: Vec<String> = keys.iter().map(ToString::to_string).collect();
    fields.extend(figures(None, energy, whole));
    fields.resize(keys.len() + FIGURES.len() + own, none());
    table.row(fields);
}

#[cfg(test)]
mod tests {
    use super::super::accounts::tests::{fj, recording};
    use super::super::sum_recording;
    use super::*;

    fn column(text: &str, name: &str) -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let at = reader.headers().unwrap().iter().position(|head| head == name).unwrap();
        reader.records().map(|row| row.unwrap()[at].to_string()).collect()
    }

    fn sum(text: &str) -> Femtojoules {
        column(text, "energy_j").iter().map(|field| Femtojoules::parse(field).unwrap()).sum()
    }

    #[test]
    fn printed_decimals_add_up() {
        let sums = sum_recording(&recording());
        let tables: std::collections::BTreeMap<_, _> = tables(&sums).into_iter().collect();
        assert_eq!(sum(&tables["processes.csv"]), fj(20.0));
        assert_eq!(sum(&tables["methods.csv"]), fj(12.0));
        assert_eq!(sum(&tables["classes.csv"]), fj(12.0));
        assert_eq!(sum(&ledger_csv(&sums)), fj(40.0), "the whole and its parts");
        let mut without = sums.clone();
        without.methods.clear();
        without.no_method = sums.jvm.unwrap() - fj(0.5) - sums.jvm_itself;
        let ledger = ledger_csv(&without);
        assert_eq!(sum(&ledger), fj(40.0));
        assert!(!ledger.contains("methods"), "no method was seen: no 0 J of them: {ledger}");
        (without.jvm, without.no_method) = (Some(Femtojoules::ZERO), Femtojoules::ZERO);
        without.not_sampled.clear();
        without.jvm_itself = Femtojoules::ZERO;
        let ledger = ledger_csv(&without);
        assert_eq!(sum(&ledger), fj(40.0));
        assert!(!ledger.contains("the JVM itself"), "it was never read: no 0 J of it: {ledger}");
        let per_call = column(&tables["methods.csv"], "energy_per_invocation_j");
        assert_eq!(per_call, ["0.4", "0.1", "", "", ""]);
        assert_eq!(column(&tables["methods.csv"], "counted"), ["all", "all", "", "", ""]);
        assert_eq!(column(&tables["methods.csv"], "method")[3], "not sampled: pool-#");
        assert_eq!(column(&tables["methods.csv"], "power_per_invocation_w")[0], "0.2");
    }
}
