//! `dumpsys batterystats` and `dumpsys cpuinfo`, where no trace is to be had: what Android
//! itself estimates per user, and CPU use per process. Estimates by the device's power
//! profile, not measurements.

use crate::{Capacity, Split};
use wattline_units::csv_text::CsvText;

/// Error of reading a dump.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DumpsysError {
    /// Neither section is there.
    #[error(
        "neither \"Estimated power use (mAh):\" of `dumpsys batterystats` nor \"CPU usage \
         from\" of `dumpsys cpuinfo` is in it"
    )]
    Nothing,
    /// The section does not say what was drawn in all.
    #[error("the section \"Estimated power use (mAh):\" has no \"Computed drain\"")]
    NoTotal,
    /// Rows and the total that the printout has of them contradict each other.
    #[error(
        "{rows} sum to {sum:.4} {unit}, and {total_name} says {total:.4} {unit}: parts are counted \
         twice, or rows are missing; give the printout whole and as it was printed"
    )]
    Contradiction {
        /// Which rows.
        rows: String,
        /// Their sum.
        sum: f64,
        /// The row with the total.
        total_name: String,
        /// The total.
        total: f64,
        /// The unit of both.
        unit: &'static str,
    },
}

/// Android's estimate of the charge that each user drew since the last charge.
#[derive(Debug, Clone, PartialEq)]
pub struct BatteryUse {
    /// All of it, in mAh.
    pub computed_mah: f64,
    /// What the fuel gauge says, as the dump prints it (one number or a range).
    pub actual_mah: Option<String>,
    /// By user (`u0a123`, `1000`), in mAh.
    pub users: Vec<(String, f64)>,
    /// By component, without what users caused of it, in mAh.
    pub components: Vec<(String, f64)>,
}

/// CPU use of processes in an interval, in percent of one CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuUse {
    /// Length of the interval in seconds.
    pub seconds: f64,
    /// Process and percent of one CPU.
    pub processes: Vec<(String, f64)>,
    /// Sections of other intervals in the same text, which are not read.
    pub other_sections: usize,
}

/// Parses the power estimates of `dumpsys batterystats`, of Android 5 to 11 (`Uid u0a1: 3.2 (`) and
/// from 12 on (`UID u0a1: 3.2 fg: ...`, `Global`). Tables per state of power and screen, which
/// Android 15 and later print below the whole, are parts of it.
///
/// # Errors
/// No such section, no total in it, or rows that sum to more than it.
pub fn battery_use(text: &str) -> Result<BatteryUse, DumpsysError> {
    let start = text.find("Estimated power use (mAh):").ok_or(DumpsysError::Nothing)?;
    let section = text[start..].lines().skip(1);
    let section: Vec<&str> = section.take_while(|line| line.starts_with(' ')).collect();
    let total = section.iter().find_map(|line| line.split_once("Computed drain:"));
    let (_, total) = total.ok_or(DumpsysError::NoTotal)?;
    let computed_mah = first_number(total).ok_or(DumpsysError::NoTotal)?;
    let actual = section.iter().find_map(|line| line.split_once("actual drain:"));
    let actual_mah = actual.map(|(_, actual)| actual.trim().to_owned());
    let mut found = BatteryRows::default();
    section.iter().for_each(|line| found.line(line));
    found.check(total, computed_mah)?;
    let BatteryRows { users, components, .. } = found;
    Ok(BatteryUse { computed_mah, actual_mah, users, components })
}

/// Rows of a section of power estimates, collected line by line.
#[derive(Debug, Default)]
struct BatteryRows {
    users: Vec<(String, f64)>,
    components: Vec<(String, f64)>,
    /// Where the rows of a user or of a state begin: what is deeper is a part of it.
    whole_depth: Option<usize>,
    is_state: bool,
    /// What rounding may do to the sum.
    rounding: f64,
}

impl BatteryRows {
    fn line(&mut self, line: &str) {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        // `(on battery, screen on)`: a table of a state follows, or a user's part in one.
        if line.starts_with('(') {
            self.is_state |= self.whole_depth.is_none();
            return;
        }
        let Some((name, rest)) = line.split_once(": ") else { return };
        let Some(mah) = first_number(rest) else { return };
        match name.split_once(' ') {
            Some((kind @ ("Uid" | "UID" | "User"), user)) => {
                (self.whole_depth, self.is_state) = (Some(depth), false);
                self.rounding += rounding_of(rest);
                let user = if kind == "User" { format!("user {user}") } else { user.to_owned() };
                self.users.push((user, mah));
            }
            _ if name == "Capacity" || is_balance(name) => {}
            // Details of a user stand below it, those of a state below the whole.
            _ if self.is_state || self.whole_depth.is_some_and(|whole| depth > whole) => {}
            _ if self.is_part(name) => {}
            _ => {
                self.whole_depth = None;
                self.rounding += rounding_of(rest);
                let of_users = rest.split_once("apps:").and_then(|(_, apps)| first_number(apps));
                let own = (mah - of_users.unwrap_or(0.0)).max(0.0);
                self.components.push((name.to_owned(), own));
            }
        }
    }

    /// `cpu(fg)` beside `cpu`.
    fn is_part(&self, name: &str) -> bool {
        let whole = name.strip_suffix(')').and_then(|name| name.split_once('('));
        whole.is_some_and(|(whole, _)| self.components.iter().any(|(known, _)| known == whole))
    }

    /// Checks that the parts are not more than the printed total.
    fn check(&self, printed_total: &str, total: f64) -> Result<(), DumpsysError> {
        let all = self.users.iter().chain(&self.components);
        let sum: f64 = all.map(|(_, mah)| mah).sum();
        if sum <= total + self.rounding + rounding_of(printed_total) {
            return Ok(());
        }
        Err(DumpsysError::Contradiction {
            rows: "users and components".into(),
            sum,
            total_name: "\"Computed drain\"".into(),
            total,
            unit: "mAh",
        })
    }
}

/// Whether a row is a difference to the fuel gauge, which is no part of the computed drain.
fn is_balance(name: &str) -> bool {
    ["Unaccounted", "Over-counted", "Overcounted"].contains(&name)
}

/// Returns the first word of a text without the punctuation at its end.
fn first_word(text: &str) -> Option<&str> {
    text.trim_start().split([' ', ',', '(']).next()
}

/// Returns the first number of a text.
fn first_number(text: &str) -> Option<f64> {
    let word = first_word(text)?;
    word.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
}

/// Returns the largest rounding of a printed number: a unit of its last digit.
fn rounding_of(text: &str) -> f64 {
    let word = first_word(text).unwrap_or("");
    let decimals = word.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    10f64.powi(-i32::try_from(decimals.min(300)).unwrap_or(0))
}

/// Parses `dumpsys cpuinfo`, also as a report of an application that does not respond has it: the
/// first section, with threads as parts of their processes.
///
/// # Errors
/// No such section; threads that sum to more than their process, or processes to less than
/// the total.
pub fn cpu_use(text: &str) -> Result<CpuUse, DumpsysError> {
    let (_, section) = text.split_once("CPU usage from ").ok_or(DumpsysError::Nothing)?;
    let other_sections = section.matches("CPU usage from ").count();
    let (first, rows) = section.split_once('\n').unwrap_or((section, ""));
    // `23770ms to 16630ms ago`, or `0ms to 5000ms later`.
    let mut times = first.split("ms").map(|part| part.rsplit(' ').next()?.parse::<f64>().ok());
    let times = times.next().flatten().zip(times.next().flatten());
    let (from, to) = times.ok_or(DumpsysError::Nothing)?;
    let mut found: Vec<CpuRow<'_>> = Vec::new();
    let mut total = None;
    for line in rows.lines().take_while(|line| !line.contains("CPU usage from ")) {
        match CpuRow::of(line) {
            Some(row) if row.name == "TOTAL" => {
                total = Some(row);
                break;
            }
            row => found.extend(row),
        }
    }
    let processes = process_rows(&found, total.as_ref())?;
    Ok(CpuUse { seconds: (from - to).abs() / 1e3, processes, other_sections })
}

/// `  58% 1844/logd: 58% user + 0% kernel`; `+3.2%` is a process that is new, `-0%` one that
/// has gone.
#[derive(Debug)]
struct CpuRow<'t> {
    /// Where its number stands: threads are two further in than their process.
    column: usize,
    percent: f64,
    name: &'t str,
    /// Percent that no process can have: waiting and interrupts.
    nobodys: f64,
    rounding: f64,
}

impl<'t> CpuRow<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let (before, rest) = line.split_once("% ")?;
        let figure = before.rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
        let (name, parts) = rest.split_once(": ")?;
        let percent = figure.parse::<f64>().ok().filter(|percent| percent.is_finite())?;
        let nobodys = parts.split(" + ").filter_map(|part| {
            let (figure, kind) = part.split_once("% ")?;
            let is_nobodys = ["iowait", "irq", "softirq"].iter().any(|k| kind.starts_with(k));
            figure.parse::<f64>().ok().filter(|_| is_nobodys)
        });
        let column = before.len() - figure.len();
        Some(Self { column, percent, name, nobodys: nobodys.sum(), rounding: rounding_of(figure) })
    }
}

/// Returns the CPU use of processes in percent, without rows of threads; rows that contradict their
/// total are an error.
fn process_rows(
    rows: &[CpuRow<'_>],
    total: Option<&CpuRow<'_>>,
) -> Result<Vec<(String, f64)>, DumpsysError> {
    // A sign may take a place of its own.
    let Some(outer) = rows.iter().map(|row| row.column + 1).min() else { return Ok(Vec::new()) };
    let contradiction = |rows: String, sum: f64, whole: &CpuRow<'_>| {
        let (total_name, total) = (whole.name.to_owned(), whole.percent);
        DumpsysError::Contradiction { rows, sum, total_name, total, unit: "%" }
    };
    let mut found: Vec<(String, f64)> = Vec::new();
    let (mut sum, mut rounding) = (0.0, 1.0);
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.column <= outer) {
        let threads = rows[at + 1..].iter().take_while(|row| row.column > outer);
        let (mut of_threads, mut rounded) = (0.0, row.rounding);
        for thread in threads {
            (of_threads, rounded) = (of_threads + thread.percent, rounded + thread.rounding);
        }
        if of_threads > row.percent + rounded {
            return Err(contradiction(format!("threads of {}", row.name), of_threads, row));
        }
        (sum, rounding) = (sum + row.percent, rounding + row.rounding);
        found.push((row.name.to_owned(), row.percent));
    }
    // The total is of all processors, the rows are of one: their sum can't be less.
    match total {
        Some(total) if sum + rounding < total.percent - total.nobodys - total.rounding => {
            Err(contradiction("processes".into(), sum, total))
        }
        _ => Ok(found),
    }
}

impl BatteryUse {
    /// Returns the computed drain in mAh, split among users.
    #[must_use]
    pub fn split(&self) -> Split<String> {
        let component = |(name, mah): &(String, f64)| (format!("component: {name}"), *mah);
        let rows: Vec<(String, f64)> =
            self.users.iter().cloned().chain(self.components.iter().map(component)).collect();
        // Printed with three digits, parts may exceed the whole by rounding.
        let sum: f64 = rows.iter().map(|(_, mah)| mah).sum();
        let capacity = Capacity::Total(sum.max(self.computed_mah));
        let split = Split::by_weight(self.computed_mah, rows, capacity);
        split.unwrap_or_else(|_| Split::unattributed(self.computed_mah))
    }
}

impl CpuUse {
    /// Returns the CPU time in seconds, split among processes.
    #[must_use]
    pub fn split(&self) -> Split<String> {
        let seconds =
            |(name, percent): &(String, f64)| (name.clone(), percent / 100.0 * self.seconds);
        let rows: Vec<(String, f64)> = self.processes.iter().map(seconds).collect();
        let sum: f64 = rows.iter().map(|(_, seconds)| seconds).sum();
        Split::by_weight(sum, rows, Capacity::Active).unwrap_or_default()
    }
}

/// Returns a split as CSV: `tenant`, its amount in `unit`, joules (empty where `joules_per_unit` is
/// not known), and the share; `unattributed` last.
#[must_use]
pub fn dumpsys_csv(split: &Split<String>, unit: &str, joules_per_unit: Option<f64>) -> String {
    assert!(split.is_conserved(), "shares don't add up");
    let mut rows: Vec<(&str, f64)> =
        split.shares().iter().map(|(name, amount)| (name.as_str(), *amount)).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    rows.push(("unattributed", split.unattributed_j()));
    let mut table = CsvText::new(["tenant", unit, "energy_j", "share"]);
    for (name, amount) in rows {
        let joules = joules_per_unit.map_or_else(String::new, |per| format!("{:.6}", amount * per));
        let share = if split.total_j() == 0.0 { 0.0 } else { amount / split.total_j() };
        table.row([name, &format!("{amount:.6}"), &joules, &format!("{share:.6}")]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = "Statistics:\n\
        Estimated power use (mAh):\n\
        \x20   Capacity: 2100, Computed drain: 625, actual drain: 1197-1218\n\
        \x20   Unaccounted: 572 ( )\n\
        \x20   Uid u0a78: 329 ( cpu=329 ) Including smearing: 400 ( screen=3 )\n\
        \x20   Screen: 190 Excluded from smearing\n\
        \x20   Uid 1000: 1.82 ( cpu=0.537 sensor=1.28 )\n\n  Uid 7: 9 (after)\n";
    const NEW: &str = "  Estimated power use (mAh):\n\
        \x20 Capacity: 5000, Computed drain: 123.4, actual drain: 120.0\n\
        \x20 Global\n\
        \x20   screen: 10.0 apps: 10.0 duration: 30m 0s\n\
        \x20   cpu: 30.0 apps: 29.0 duration: 1h 0m 0s\n\
        \x20 UID u0a123: 50.5 fg: 20 (10m) bg: 30 (20m)\n\
        \x20     screen=10.4 cpu=7.05 cpu:fg=3.91\n\
        \x20 UID 1000: 25 bg: 25\n";

    #[test]
    fn estimates_of_old_and_new_androids() {
        let old = battery_use(OLD).unwrap();
        assert_eq!(old.users, [("u0a78".into(), 329.0), ("1000".into(), 1.82)]);
        assert_eq!(old.components, [("Screen".into(), 190.0)]);
        assert_eq!(old.actual_mah.as_deref(), Some("1197-1218"));
        let split = old.split();
        assert!((split.unattributed_j() - (625.0 - 329.0 - 1.82 - 190.0)).abs() < 1e-9);
        let new = battery_use(NEW).unwrap();
        assert_eq!(new.users, [("u0a123".into(), 50.5), ("1000".into(), 25.0)]);
        assert_eq!(new.components, [("screen".into(), 0.0), ("cpu".into(), 1.0)]);
        let csv = dumpsys_csv(&new.split(), "charge_mah", Some(3.6 * 3.85));
        assert!(csv.contains("u0a123,50.500000,699.930000,0.409238\n"), "{csv}");
        assert!(csv.ends_with("unattributed,46.900000,650.034000,0.380065\n"), "{csv}");
    }

    #[test]
    fn cpu_use_of_processes() {
        let text = "Load: 4.03 / 3.43 / 2.44\n\
            CPU usage from 23770ms to 16630ms ago:\n\
            \x20 58% 1844/logd: 58% user + 0% kernel / faults: 3 minor\n\
            \x20 +9.7% 7834/kworker/0:2: 0% user + 9.7% kernel\n\
            25% TOTAL: 12% user + 13% kernel\n";
        let cpu = cpu_use(text).unwrap();
        assert!((cpu.seconds - 7.14).abs() < 1e-9);
        assert_eq!(cpu.processes, [("1844/logd".into(), 58.0), ("7834/kworker/0:2".into(), 9.7)]);
        assert_eq!(cpu.other_sections, 0);
        let csv = dumpsys_csv(&cpu.split(), "cpu_s", None);
        assert!(csv.contains("1844/logd,4.141200,,0.856721\n"), "{csv}");
    }

    const STATES: &str = "  Estimated power use (mAh):\n\
        \x20   Capacity: 3595, Rated: 3595, Computed drain: 90.5, actual drain: 90\n\
        \x20   Global\n\
        \x20   screen: 30.0 apps: 30.0\n\
        \x20   cpu: 50.0 apps: 48.0 duration: 20m 53s 909ms\n\
        \x20   cpu(fg): 20.0 apps: 20.0\n\
        \x20   idle: 10.5\n\
        \x20     (on battery, screen on)\n\
        \x20     screen: 30.0 apps: 30.0\n\
        \x20     cpu: 35.0 apps: 34.0 duration: 10m 3s\n\
        \x20     (on battery, screen off/doze)\n\
        \x20     cpu: 15.0 apps: 14.0 duration: 10m 50s\n\
        \x20     idle: 10.5\n\
        \x20 UID u0a345: 60.0 fg: 40.0 (5m 22s 117ms) bg: 20.0\n\
        \x20     screen=30.0 cpu=30.0 cpu:fg=20.0\n\
        \x20     (on battery, screen on) screen=30.0 cpu=20.0\n\
        \x20     (on battery, screen off/doze) cpu=10.0\n\
        \x20 UID 1000: 18.0 bg: 18.0\n\
        \x20     cpu=18.0 cpu:bg=18.0\n\
        \x20 User 10: 0.0\n";

    #[test]
    fn tables_of_states_are_parts_of_the_whole() {
        let found = battery_use(STATES).unwrap();
        let expected = [("screen", 0.0), ("cpu", 2.0), ("idle", 10.5)];
        assert_eq!(found.components, expected.map(|(name, mah)| (name.to_owned(), mah)));
        let expected = [("u0a345", 60.0), ("1000", 18.0), ("user 10", 0.0)];
        assert_eq!(found.users, expected.map(|(name, mah)| (name.to_owned(), mah)));
        assert!(found.split().unattributed_j() < 1e-9);
    }

    #[test]
    fn rows_that_sum_to_more_than_the_total_are_an_error_with_both() {
        let twice = STATES.replace("UID 1000: 18.0", "UID 1000: 28.0");
        let error = battery_use(&twice).unwrap_err().to_string();
        assert!(error.contains("sum to 100.5") && error.contains("says 90.5"), "{error}");
    }

    /// As in the report of an application that does not respond, with the log's prefix.
    #[test]
    fn threads_are_parts_of_their_processes() {
        let text = "E/ActivityManager(  941): CPU usage from 0ms to 10000ms later:\n\
            E/ActivityManager(  941):   80% 1234/system_server: 50% user + 30% kernel\n\
            E/ActivityManager(  941):     50% 1300/Binder:1234_1: 30% user + 20% kernel\n\
            E/ActivityManager(  941):    +30% 1234/system_server: 20% user + 10% kernel\n\
            E/ActivityManager(  941):  +20% 4321/org.example:ui: 15% user + 5% kernel\n\
            E/ActivityManager(  941): 26% TOTAL: 16% user + 8.7% kernel + 1.2% iowait\n\
            E/ActivityManager(  941): CPU usage from 500ms to 900ms later:\n\
            E/ActivityManager(  941):   77% 1234/system_server: 77% user + 0% kernel\n";
        let cpu = cpu_use(text).unwrap();
        let expected = [("1234/system_server", 80.0), ("4321/org.example:ui", 20.0)];
        assert_eq!(cpu.processes, expected.map(|(name, percent)| (name.to_owned(), percent)));
        assert_eq!(cpu.other_sections, 1);
        let more = text.replace("50% 1300", "70% 1300");
        let error = cpu_use(&more).unwrap_err().to_string();
        assert!(error.contains("threads of 1234/system_server sum to 100"), "{error}");
        let cut = text.replace("26% TOTAL: 16% user", "126% TOTAL: 116% user");
        let error = cpu_use(&cut).unwrap_err().to_string();
        assert!(
            error.contains("processes sum to 100") && error.contains("TOTAL says 126"),
            "{error}"
        );
    }

    #[test]
    fn dumps_without_the_section_say_so() {
        assert_eq!(battery_use("x"), Err(DumpsysError::Nothing));
        assert_eq!(battery_use("Estimated power use (mAh):\n  x\n"), Err(DumpsysError::NoTotal));
        assert_eq!(cpu_use("CPU usage from x"), Err(DumpsysError::Nothing));
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_adds_up(
            text in "(Estimated power use \\(mAh\\):\n  Computed drain: [0-9.]{1,6}\n)?( *(UID|Uid|cpu|CPU usage from) [a-z0-9%:./ ()+-]{0,30}\n){0,8}",
        ) {
            if let Ok(found) = battery_use(&text) {
                let _ = dumpsys_csv(&found.split(), "charge_mah", None);
            }
            if let Ok(found) = cpu_use(&text) {
                let _ = dumpsys_csv(&found.split(), "cpu_s", None);
            }
        }
    }
}
