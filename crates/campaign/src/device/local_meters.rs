//! Readings of this machine's meters without a shell, which would cost energy thirty times a
//! second: the text is that of the answers to the meters' questions.

use std::fs;
use std::path::{Path, PathBuf};

use crate::power::meter::RAPL_TREES;

/// The path of a kernel folder below a root folder, if any.
fn below(root: &Path, folder: &str) -> PathBuf {
    match root.as_os_str().is_empty() {
        true => PathBuf::from(folder),
        false => root.join(folder.trim_start_matches('/')),
    }
}

/// The folders in a folder, sorted by name.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn name(folder: &Path) -> Option<&str> {
    folder.file_name()?.to_str()
}

/// The text of RAPL's question: its zones with their counters.
pub(super) fn rapl_reading(root: &Path) -> String {
    powercap_reading(&below(root, "/sys/class/powercap"))
}

/// The text of RAPL's question for the power capping zones in a folder.
pub fn powercap_reading(folder: &Path) -> String {
    let line = |zone: &PathBuf| {
        let is_rapl = |name: &&str| RAPL_TREES.iter().any(|tree| name.starts_with(tree));
        let name = name(zone).filter(is_rapl)?;
        let read = |file: &str| match fs::read_to_string(zone.join(file)) {
            Ok(text) => text.trim().to_string(),
            Err(error) => format!("{file}: Permission denied ({})", error.kind()),
        };
        let (label, range) = (read("name"), read("max_energy_range_uj"));
        Some(format!("{name} {label} {range} {}\n", read("energy_uj")))
    };
    folders(folder).iter().filter_map(line).collect()
}

/// The text of the fuel gauge's question: `key=value` lines of each battery.
pub(super) fn gauge_reading(root: &Path) -> String {
    let folder = below(root, "/sys/class/power_supply");
    let supplies = folders(&folder);
    let android = folder.join("battery");
    let batteries = match has_gauge(&android) {
        true => vec![android],
        false => supplies.iter().filter(|supply| is_battery(supply)).cloned().collect(),
    };
    let mut text: String = batteries.iter().map(|battery| battery_reading(battery)).collect();
    let is_online = |supply: &&PathBuf| {
        read(supply, "online").as_deref() == Some("1")
            && read(supply, "type").as_deref() != Some("Battery")
    };
    let online: Vec<&str> =
        supplies.iter().filter(is_online).filter_map(|supply| name(supply)).collect();
    if folder.is_dir() {
        text += &format!("online={}\n", online.join(" "));
    }
    text
}

fn read(supply: &Path, file: &str) -> Option<String> {
    Some(fs::read_to_string(supply.join(file)).ok()?.trim().to_string())
}

fn has_gauge(supply: &Path) -> bool {
    ["current_now", "power_now"].iter().any(|file| supply.join(file).exists())
}

/// Whether a power supply is a battery of the machine itself; those of a mouse or a headset have a
/// scope of their own.
fn is_battery(supply: &Path) -> bool {
    has_gauge(supply)
        && read(supply, "type").as_deref() == Some("Battery")
        && read(supply, "scope").as_deref() != Some("Device")
}

fn battery_reading(supply: &Path) -> String {
    let files = ["status", "present", "current_now", "voltage_now", "power_now", "charge_counter"];
    let line = |file: &str| Some(format!("{file}={}\n", read(supply, file)?));
    let lines: String = files.into_iter().filter_map(line).collect();
    format!("supply={}\n{lines}", name(supply).unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use crate::power::Meter;
    use crate::power::meter::{FuelGauge, Rapl};

    use super::super::local::local_shell;
    use super::*;

    /// A folder with these files, and what the question says of it.
    fn said(files: &[(&str, &str)], meter: &dyn Meter) -> (tempfile::TempDir, String) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join("sys/class").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
        let question = format!("WATTLINE_ROOT={}; {}", root.path().display(), meter.question());
        let answer = local_shell(&question).unwrap();
        (root, answer)
    }

    #[test]
    fn zones_are_read_as_their_question_prints_them() {
        let mut files = Vec::new();
        for (zone, label) in [("intel-rapl:0", "package-0"), ("intel-rapl-mmio:0", "package-0")] {
            for (file, text) in
                [("name", label), ("max_energy_range_uj", "262143328850"), ("energy_uj", "12")]
            {
                files.push((format!("powercap/{zone}/{file}"), text));
            }
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), *t)).collect();
        let (root, answer) = said(&files, &Rapl);
        let mut lines: Vec<&str> = answer.lines().collect();
        lines.sort_unstable();
        let read = rapl_reading(root.path());
        assert_eq!(read.lines().collect::<Vec<_>>(), lines);
        assert!(read.contains("intel-rapl:0 package-0 262143328850 12\n"), "{read}");
    }

    #[test]
    fn batteries_are_read_as_their_question_prints_them() {
        let laptop = [
            ("power_supply/BAT0/type", "Battery"),
            ("power_supply/BAT0/power_now", "5000000"),
            ("power_supply/BAT0/voltage_now", "11500000"),
            ("power_supply/BAT1/type", "Battery"),
            ("power_supply/BAT1/current_now", "5"),
            ("power_supply/BAT1/voltage_now", "4000"),
            ("power_supply/mouse/type", "Battery"),
            ("power_supply/mouse/scope", "Device"),
            ("power_supply/mouse/current_now", "9"),
            ("power_supply/AC/type", "Mains"),
            ("power_supply/AC/online", "1"),
        ];
        let (root, answer) = said(&laptop, &FuelGauge);
        assert!(answer.contains("supply=BAT1\ncurrent_now=5\n") && !answer.contains("mouse"));
        assert!(answer.ends_with("online= AC\n"), "{answer}");
        assert_eq!(gauge_reading(root.path()).replace("online=", "online= "), answer);
        let phone = [
            ("power_supply/battery/current_now", "-5"),
            ("power_supply/battery/voltage_now", "4000"),
            ("power_supply/bms/type", "Battery"),
            ("power_supply/bms/current_now", "-5"),
        ];
        let (root, answer) = said(&phone, &FuelGauge);
        assert_eq!(answer, "supply=battery\ncurrent_now=-5\nvoltage_now=4000\nonline=\n");
        assert_eq!(gauge_reading(root.path()), answer);
    }
}
