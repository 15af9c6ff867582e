//! RAPL through the kernel's power capping, read live: packages' counters.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::device::powercap_reading;
use crate::power::MeterCounter;
use crate::power::meter::{default_rapl_zones, rapl_zones};

/// Power capping zone with an energy counter: a package or the platform.
pub struct PowercapZone {
    pub name: String,
    pub counter: MeterCounter,
    path: PathBuf,
}

impl PowercapZone {
    /// Reads the counter in microjoules; `None` if it cannot be read.
    pub fn read(&self) -> Option<u64> {
        fs::read_to_string(&self.path).ok()?.trim().parse().ok()
    }
}

/// Time after which a counter that has not moved counts nothing, since the kernel refreshes
/// counters every millisecond.
const STANDSTILL: Duration = Duration::from_secs(1);

/// Returns the zones whose counters move; the error says why there are none.
pub fn moving_zones(zones: Vec<PowercapZone>) -> Result<Vec<PowercapZone>, String> {
    let first: Vec<Option<u64>> = zones.iter().map(PowercapZone::read).collect();
    let began = Instant::now();
    let moves = |(zone, first): (&PowercapZone, &Option<u64>)| zone.read() != *first;
    while !zones.iter().zip(&first).all(moves) && began.elapsed() < STANDSTILL {
        thread::sleep(Duration::from_millis(20));
    }
    let names: Vec<&str> = zones.iter().map(|zone| zone.name.as_str()).collect();
    if !zones.iter().zip(&first).any(moves) {
        return Err(format!(
            "the counters of {} stand still, as in virtual machines and on processors that their \
             driver does not support: not supported here, not 0 J",
            names.join(", ")
        ));
    }
    Ok(zones
        .into_iter()
        .zip(first)
        .filter(|(zone, first)| moves((zone, first)))
        .map(|(zone, _)| zone)
        .collect())
}

/// Returns the zones of packages below a folder, `/sys/class/powercap`, or that of the platform
/// where no package has a counter; the error says why there are none.
pub fn package_zones(folder: &Path) -> Result<Vec<PowercapZone>, String> {
    if !folder.is_dir() {
        return Err(format!("no {}: no RAPL, as in most virtual machines", folder.display()));
    }
    let listed = powercap_reading(folder);
    let zones: Vec<PowercapZone> = default_rapl_zones(&rapl_zones(&listed))
        .into_iter()
        .map(|zone| PowercapZone {
            name: zone.name,
            counter: MeterCounter { joules_per_count: 1e-6, modulus: zone.range_uj.checked_add(1) },
            path: folder.join(zone.folder).join("energy_uj"),
        })
        .collect();
    match zones.is_empty() {
        false => Ok(zones),
        true if listed.contains("denied") => Err(format!(
            "the counters below {} can't be read: for root only, unless `chmod o+r` allows it",
            folder.display()
        )),
        true => Err(format!("{} has no package", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_that_stand_still_are_no_meter() {
        let folder = tempfile::tempdir().unwrap();
        let zone = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "7\n").unwrap();
            let counter = MeterCounter { joules_per_count: 1e-6, modulus: None };
            PowercapZone { name: name.into(), counter, path }
        };
        let still = moving_zones(vec![zone("package-0")]).err().unwrap();
        assert!(still.contains("package-0 stand still"), "{still}");
        let zones = vec![zone("package-0"), zone("package-1")];
        let path = folder.path().join("package-1");
        let mover = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            fs::write(path, "8\n").unwrap();
        });
        let moved: Vec<String> =
            moving_zones(zones).unwrap().into_iter().map(|zone| zone.name).collect();
        mover.join().unwrap();
        assert_eq!(moved, ["package-1"]);
    }

    #[test]
    fn packages_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for (zone, name) in [
            ("intel-rapl:0", "psys"),
            ("intel-rapl:1", "package-0"),
            ("intel-rapl:1:0", "core"),
            ("intel-rapl-mmio:0", "package-0"),
        ] {
            let zone = folder.path().join(zone);
            fs::create_dir(&zone).unwrap();
            fs::write(zone.join("name"), format!("{name}\n")).unwrap();
            fs::write(zone.join("max_energy_range_uj"), "262143328850\n").unwrap();
            fs::write(zone.join("energy_uj"), "17\n").unwrap();
        }
        let zones = package_zones(folder.path()).unwrap();
        assert_eq!(
            (zones.len(), zones[0].name.as_str(), zones[0].read()),
            (1, "package-0", Some(17))
        );
        assert!(package_zones(&folder.path().join("none")).err().unwrap().contains("no RAPL"));
        let empty = tempfile::tempdir().unwrap();
        assert!(package_zones(empty.path()).err().unwrap().contains("no package"));
        for zone in fs::read_dir(folder.path()).unwrap() {
            fs::remove_file(zone.unwrap().path().join("energy_uj")).unwrap();
        }
        assert!(package_zones(folder.path()).err().unwrap().contains("can't be read"));
    }
}
