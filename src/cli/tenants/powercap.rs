//! RAPL through the kernel's power capping, read live: packages' counters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::power::MeterCounter;

/// A package's counter.
pub struct PowercapZone {
    pub name: String,
    pub counter: MeterCounter,
    path: PathBuf,
}

impl PowercapZone {
    /// Its microjoules; `None` if it can't be read.
    pub fn read(&self) -> Option<u64> {
        fs::read_to_string(&self.path).ok()?.trim().parse().ok()
    }
}

/// The packages below a folder, `/sys/class/powercap`; or why there are none.
pub fn packages(folder: &Path) -> Result<Vec<PowercapZone>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|_| format!("no {}: no RAPL, as in most virtual machines", folder.display()))?;
    let mut zones: Vec<PowercapZone> =
        entries.flatten().filter_map(|entry| zone(&entry.path())).collect();
    zones.sort_by(|a, b| a.name.cmp(&b.name));
    if zones.is_empty() {
        return Err(format!("{} has no package", folder.display()));
    }
    if zones.iter().any(|zone| zone.read().is_none()) {
        let path = zones[0].path.display();
        return Err(format!("{path} can't be read: for root only, unless `chmod o+r` allows it"));
    }
    Ok(zones)
}

fn zone(path: &Path) -> Option<PowercapZone> {
    let read = |file: &str| fs::read_to_string(path.join(file)).ok();
    let name = read("name")?.trim().to_owned();
    // `package-0`; its parts and `psys`, which holds it, would count twice.
    if !name.starts_with("package-") {
        return None;
    }
    let range: u64 = read("max_energy_range_uj")?.trim().parse().ok()?;
    let counter = MeterCounter { joules_per_count: 1e-6, modulus: range.checked_add(1) };
    Some(PowercapZone { name, counter, path: path.join("energy_uj") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for (zone, name) in [("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core")] {
            let zone = folder.path().join(zone);
            fs::create_dir(&zone).unwrap();
            fs::write(zone.join("name"), format!("{name}\n")).unwrap();
            fs::write(zone.join("max_energy_range_uj"), "262143328850\n").unwrap();
            fs::write(zone.join("energy_uj"), "17\n").unwrap();
        }
        let zones = packages(folder.path()).unwrap();
        assert_eq!(
            (zones.len(), zones[0].name.as_str(), zones[0].read()),
            (1, "package-0", Some(17))
        );
        assert!(packages(&folder.path().join("none")).err().unwrap().contains("no RAPL"));
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert!(packages(folder.path()).err().unwrap().contains("can't be read"));
    }
}
