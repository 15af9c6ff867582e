//! The board's energy as RAPL counters in a folder of the host, laid out as
//! `/sys/class/powercap`: so other tools can be run on a load whose true energy is known.
//! The counters go on over sessions and restarts, and start anew as real ones do.

use std::io;
use std::path::Path;

use super::files::{LiveFile, write_file};
use super::rail_readings::RailPower;

/// The largest value, as many processors have it.
const RANGE_UJ: u64 = 262_143_328_850;

/// Counters begin here: 50 J before they start anew, so that tools meet that soon.
const FIRST_UJ: u64 = RANGE_UJ - 50_000_000;

/// Zones: folder, name, and the board's rails in it.
const ZONES: [(&str, &str, &[usize]); 4] = [
    ("intel-rapl:0", "package-0", &[0, 1, 2, 3]),
    ("intel-rapl:0:0", "core", &[0, 3]),
    ("intel-rapl:0:1", "uncore", &[2]),
    ("intel-rapl:0:2", "dram", &[1]),
];

/// The counters.
pub(super) struct SimulatedRapl {
    files: Vec<LiveFile>,
    spent_j: [f64; ZONES.len()],
}

impl SimulatedRapl {
    /// Makes the files in a folder that is made if needed.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        for (zone, name, _) in ZONES {
            let zone = folder.join(zone);
            write_file(&zone.join("name"), &format!("{name}\n"))?;
            write_file(&zone.join("max_energy_range_uj"), &format!("{RANGE_UJ}\n"))?;
            files.push(LiveFile::create(&zone.join("energy_uj"))?);
        }
        let mut rapl = Self { files, spent_j: [0.0; ZONES.len()] };
        rapl.show();
        Ok(rapl)
    }

    /// So much power was drawn for so long.
    pub(super) fn settle(&mut self, power: RailPower, seconds: f64) {
        for (spent, (_, _, rails)) in self.spent_j.iter_mut().zip(ZONES) {
            *spent += rails.iter().map(|rail| power[*rail]).sum::<f64>() * seconds;
        }
        self.show();
    }

    fn show(&mut self) {
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
        rapl.settle([2.0, 1.0, 0.5, 0.25], 4.0);
        assert_eq!(read("intel-rapl:0") - FIRST_UJ, 15_000_000);
        assert_eq!(read("intel-rapl:0:0") - FIRST_UJ, 9_000_000);
        rapl.settle([10.0, 0.0, 0.0, 0.0], 4.0);
        assert_eq!(read("intel-rapl:0"), 5_000_000 - 1, "the range is the largest value");
    }
}
