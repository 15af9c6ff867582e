//! RAPL counters of the board's energy in a folder of the host, laid out as `/sys/class/powercap`:
//! so other tools can be run on a load whose true energy is known. The counters go on over sessions
//! and restarts, and wrap around as real ones do.

use std::io;
use std::path::Path;

use super::files::{LiveFile, write_file};
use super::rail_readings::RailPower;

/// Largest value of a counter in microjoules, as on many processors.
const RANGE_UJ: u64 = 262_143_328_850;

/// First value of the counters: 50 J before they wrap around, so that tools meet that soon.
const FIRST_UJ: u64 = RANGE_UJ - 50_000_000;

/// Zones: folder, name, and indices of the board's rails in the zone.
const ZONES: [(&str, &str, &[usize]); 4] = [
    ("intel-rapl:0", "package-0", &[0, 1, 2, 3]),
    ("intel-rapl:0:0", "core", &[0, 3]),
    ("intel-rapl:0:1", "uncore", &[2]),
    ("intel-rapl:0:2", "dram", &[1]),
];

/// Simulated RAPL counters with their files.
pub(super) struct SimulatedRapl {
    files: Vec<LiveFile>,
    spent_j: [f64; ZONES.len()],
}

impl SimulatedRapl {
    /// Creates the files, and the folder if needed.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        for (zone, name, _) in ZONES {
            let zone = folder.join(zone);
            write_file(&zone.join("name"), &format!("{name}\n"))?;
            write_file(&zone.join("max_energy_range_uj"), &format!("{RANGE_UJ}\n"))?;
            files.push(LiveFile::create(&zone.join("energy_uj"))?);
        }
        let mut rapl = Self { files, spent_j: [0.0; ZONES.len()] };
        rapl.write_files();
        Ok(rapl)
    }

    /// Adds the energy of a power on the rails for some seconds.
    pub(super) fn add_period(&mut self, power: RailPower, seconds: f64) {
        for (spent, (_, _, rails)) in self.spent_j.iter_mut().zip(ZONES) {
            *spent += rails.iter().map(|rail| power[*rail]).sum::<f64>() * seconds;
        }
        self.write_files();
    }

    /// Writes the counters to the files.
    fn write_files(&mut self) {
        for (file, spent) in self.files.iter_mut().zip(self.spent_j) {
            let microjoules = (FIRST_UJ + (spent * 1e6) as u64) % (RANGE_UJ + 1);
            file.set(&format!("{microjoules}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_start_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut rapl = SimulatedRapl::new(folder.path()).unwrap();
        let read = |zone: &str| -> u64 {
            let path = folder.path().join(zone).join("energy_uj");
            std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
        };
        assert_eq!(read("intel-rapl:0"), FIRST_UJ);
        rapl.add_period([2.0, 1.0, 0.5, 0.25], 4.0);
        assert_eq!(read("intel-rapl:0") - FIRST_UJ, 15_000_000);
        assert_eq!(read("intel-rapl:0:0") - FIRST_UJ, 9_000_000);
        rapl.add_period([10.0, 0.0, 0.0, 0.0], 4.0);
        assert_eq!(read("intel-rapl:0"), 5_000_000 - 1, "the range is the largest value");
    }
}
