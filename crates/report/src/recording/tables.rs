//! Accounts of a recording as CSV, in the columns of all accounts. Intervals are empty: a model
//! of unknown error has none, and one recording has no repeats.

use super::{MethodSum, RecordedMethodKey, RecordingSums};
use crate::account::Femtojoules;
use crate::account::table::UNATTRIBUTED_KEY;
use crate::csv_text::CsvText;

const FIGURES: [&str; 5] = ["executions", "energy_j", "energy_lo_j", "energy_hi_j", "share"];

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
    let mut table = CsvText::new(["entry", "energy_j", "energy_lo_j", "energy_hi_j", "share"]);
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
    let own = ["power_w", "cpu_s", "share_active", "share_capacity", "cpu_j", "network_j"];
    let mut table = CsvText::new([&["pid", "name"][..], &FIGURES, &own].concat());
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
    rest(&mut table, &[UNATTRIBUTED_KEY, ""], sums.unattributed, sums.total, own.len());
    table.text()
}

fn threads(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&["pid", "thread", "name"][..], &FIGURES, &["cpu_s"]].concat());
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
    let own = [
        "power_w",
        "energy_per_invocation_j",
        "power_per_invocation_w",
        "literal_power_w",
        "cpu_s",
        "waited_s",
        "bytes",
        "cpu_j",
        "network_j",
        "samples",
        "file",
        "first_line",
        "last_line",
        "counted",
    ];
    let mut table = CsvText::new([&["class", "method"][..], &FIGURES, &own].concat());
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
            rest(&mut table, &[UNATTRIBUTED_KEY, &name], energy, whole, own.len());
        }
    }
    table.text()
}

fn classes(sums: &RecordingSums) -> String {
    let mut table = CsvText::new([&["class"][..], &FIGURES, &["power_w"]].concat());
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
    rest(&mut table, &[UNATTRIBUTED_KEY], energy, whole, 1);
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
