//! `dumpsys batterystats` and `dumpsys cpuinfo`, where no trace is to be had: what Android
//! itself estimates per user, and CPU use per process. Estimates by the device's power
//! profile, not measurements.

use crate::{Capacity, Split};
use wattline_units::csv_text::CsvText;

/// Why a dump gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
}

/// What Android estimates that was drawn since the last charge.
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

/// CPU use of processes in an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuUse {
    /// Length of the interval in seconds.
    pub seconds: f64,
    /// Process and percent of one CPU.
    pub processes: Vec<(String, f64)>,
}

/// The power estimates of `dumpsys batterystats`, of Android 5 to 11 (`Uid u0a1: 3.2 (`)
/// and from 12 on (`UID u0a1: 3.2 fg: ...`, `Global`).
///
/// # Errors
/// No such section, or no total in it.
pub fn battery_use(text: &str) -> Result<BatteryUse, DumpsysError> {
    let start = text.find("Estimated power use (mAh):").ok_or(DumpsysError::Nothing)?;
    let section = text[start..].lines().skip(1);
    let section: Vec<&str> = section.take_while(|line| line.starts_with(' ')).collect();
    let total = section.iter().find_map(|line| line.split_once("Computed drain:"));
    let (_, total) = total.ok_or(DumpsysError::NoTotal)?;
    let computed_mah = number(total).ok_or(DumpsysError::NoTotal)?;
    let actual = section.iter().find_map(|line| line.split_once("actual drain:"));
    let actual_mah = actual.map(|(_, actual)| actual.trim().to_owned());
    let (mut users, mut components) = (Vec::new(), Vec::new());
    let mut of_user = usize::MAX;
    for line in &section {
        let depth = line.len() - line.trim_start().len();
        let Some((name, rest)) = line.trim().split_once(": ") else { continue };
        let Some(mah) = number(rest) else { continue };
        match name.split_once(' ') {
            Some(("Uid" | "UID", user)) => {
                of_user = depth;
                users.push((user.to_owned(), mah));
            }
            _ if name == "Capacity" || is_balance(name) => {}
            // Details of a user stand below it.
            _ if depth > of_user => {}
            _ => {
                let of_users = rest.split_once("apps:").and_then(|(_, apps)| number(apps));
                components.push((name.to_owned(), (mah - of_users.unwrap_or(0.0)).max(0.0)));
            }
        }
    }
    Ok(BatteryUse { computed_mah, actual_mah, users, components })
}

/// Differences to the fuel gauge, which are no part of the computed drain.
fn is_balance(name: &str) -> bool {
    ["Unaccounted", "Over-counted", "Overcounted"].contains(&name)
}

/// The first number of a text.
fn number(text: &str) -> Option<f64> {
    let word = text.trim_start().split([' ', ',', '(']).next()?;
    word.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
}

/// `dumpsys cpuinfo`.
///
/// # Errors
/// No such section.
pub fn cpu_use(text: &str) -> Result<CpuUse, DumpsysError> {
    let (_, section) = text.split_once("CPU usage from ").ok_or(DumpsysError::Nothing)?;
    let (first, rows) = section.split_once('\n').unwrap_or((section, ""));
    // `23770ms to 16630ms ago`, or `0ms to 5000ms later`.
    let mut times = first.split("ms").map(|part| part.rsplit(' ').next()?.parse::<f64>().ok());
    let times = times.next().flatten().zip(times.next().flatten());
    let (from, to) = times.ok_or(DumpsysError::Nothing)?;
    let mut processes = Vec::new();
    for line in rows.lines() {
        // `+3.2%` is a process that is new, `-0%` one that has gone.
        let line = line.trim_start().trim_start_matches(['+', '-']);
        let Some((percent, rest)) = line.split_once("% ") else { continue };
        let (Some(percent), Some((name, _))) = (number(percent), rest.split_once(": ")) else {
            continue;
        };
        if name != "TOTAL" {
            processes.push((name.to_owned(), percent));
        }
    }
    Ok(CpuUse { seconds: (from - to).abs() / 1e3, processes })
}

impl BatteryUse {
    /// Shares the computed drain, in mAh.
    #[must_use]
    pub fn split(&self) -> Split<String> {
        let component = |(name, mah): &(String, f64)| (format!("component: {name}"), *mah);
        let rows: Vec<(String, f64)> =
            self.users.iter().cloned().chain(self.components.iter().map(component)).collect();
        // Printed with three digits, parts may exceed the whole a little.
        let sum: f64 = rows.iter().map(|(_, mah)| mah).sum();
        let capacity = Capacity::Total(sum.max(self.computed_mah));
        let split = Split::by_weight(self.computed_mah, rows, capacity);
        split.unwrap_or_else(|_| Split::unattributed(self.computed_mah))
    }
}

impl CpuUse {
    /// Shares CPU time, in seconds.
    #[must_use]
    pub fn split(&self) -> Split<String> {
        let seconds =
            |(name, percent): &(String, f64)| (name.clone(), percent / 100.0 * self.seconds);
        let rows: Vec<(String, f64)> = self.processes.iter().map(seconds).collect();
        let sum: f64 = rows.iter().map(|(_, seconds)| seconds).sum();
        Split::by_weight(sum, rows, Capacity::Active).unwrap_or_default()
    }
}

/// A split as CSV: `tenant`, its amount in `unit`, joules (empty where `joules_per_unit` is
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
        let csv = dumpsys_csv(&cpu.split(), "cpu_s", None);
        assert!(csv.contains("1844/logd,4.141200,,0.856721\n"), "{csv}");
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
