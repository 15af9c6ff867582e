//! Log of a bench meter at the board's supply, as a program on the host would write it: so
//! campaigns with such a meter can be tried without one. A row per settled period, with the mean
//! power of all rails since the row before, and a little noise. Its meter has the trouble of the
//! board's sensors: it repeats its last value, or writes `OL` for overload.
//!
//! Its clock is that of the board's world, which stands still with the board's and goes on over
//! sessions and restarts; a host asks for it by `getprop wattline.host_clock`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::rail_readings::RailPower;
use super::sensor_trouble::SensorTrouble;

/// Standard deviation of the power in a row, in watts: good meters have less than a milliwatt.
const NOISE_W: f64 = 1e-4;

/// Open log file of a bench meter, with its clock.
pub(super) struct BenchLog {
    file: File,
    /// The log's clock when the board's stood at 0, in nanoseconds of Unix time.
    boot_ns: u64,
    /// The board's clock at the last update, in nanoseconds.
    now_ns: u64,
    /// Power in the last row, as text.
    shown: String,
}

impl BenchLog {
    /// Begins a new log, whose clock is at `epoch_ns` when the board's is at `now_ns`.
    pub(super) fn create(path: &Path, epoch_ns: u64, now_ns: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path)?;
        file.write_all(b"time_s,power_w\n")?;
        Ok(Self { file, boot_ns: epoch_ns.saturating_sub(now_ns), now_ns, shown: "0".into() })
    }

    /// Adds a row with the power of the period that ends at `until_ns` of the board's clock. A full
    /// disk of the host loses rows, as it would a real logger's.
    pub(super) fn add_period(
        &mut self,
        power: RailPower,
        until_ns: u64,
        trouble: Option<SensorTrouble>,
        noise: &mut ChaCha8Rng,
    ) {
        let normal: f64 = StandardNormal.sample(noise);
        let watts = power.iter().sum::<f64>() + NOISE_W * normal;
        match trouble {
            None => self.shown = format!("{watts:.6}"),
            Some(SensorTrouble::Frozen) => {}
            Some(SensorTrouble::Garbage) => self.shown = "OL".into(),
        }
        let _ = writeln!(self.file, "{},{}", seconds(self.boot_ns + until_ns), self.shown);
    }

    /// Updates the board's clock.
    pub(super) fn move_to(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    /// Sets the board's clock back; the log's clock goes on.
    pub(super) fn restart(&mut self, now_ns: u64) {
        self.boot_ns = self.boot_ns + self.now_ns - now_ns;
        self.now_ns = now_ns;
    }

    /// The log's clock and the board's in seconds, separated by a blank.
    pub(super) fn clocks(&self) -> String {
        format!("{} {}", seconds(self.boot_ns + self.now_ns), seconds(self.now_ns))
    }
}

/// Nanoseconds as seconds with nine decimals.
fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn its_clock_goes_on_when_the_boards_is_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench/log.csv");
        let mut log = BenchLog::create(&path, 1_000_000_000_000, 100_000_000_000).unwrap();
        let noise = &mut ChaCha8Rng::seed_from_u64(1);
        log.add_period([1.0, 0.5, 0.25, 0.25], 100_500_000_000, None, noise);
        log.move_to(130_000_000_001);
        assert_eq!(log.clocks(), "1030.000000001 130.000000001");
        log.restart(100_000_000_000);
        assert_eq!(log.clocks(), "1030.000000001 100.000000000");
        for trouble in [None, Some(SensorTrouble::Frozen), Some(SensorTrouble::Garbage)] {
            log.add_period([1.0; 4], 100_250_000_000, trouble, noise);
        }
        let text = fs::read_to_string(&path).unwrap();
        let rows: Vec<(&str, &str)> = text.lines().filter_map(|row| row.split_once(',')).collect();
        let (times, shown): (Vec<&str>, Vec<&str>) = rows.into_iter().unzip();
        let later = "1030.250000001";
        assert_eq!(times, ["time_s", "1000.500000000", later, later, later]);
        for (shown, watts) in [(shown[1], 2.0), (shown[2], 4.0)] {
            assert!((shown.parse::<f64>().unwrap() - watts).abs() < 5.0 * NOISE_W, "{text}");
        }
        assert_eq!((shown[0], shown[3], shown[4]), ("power_w", shown[2], "OL"));
    }
}
