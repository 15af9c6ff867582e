//! The log of a bench meter at the board's supply, as a program on the host would write it: so
//! campaigns with such a meter can be tried without one. A row per settled period, with the
//! mean power of all rails since the row before, and no noise.
//!
//! Its clock is that of the board's world, which stands still with the board's and goes on over
//! sessions and restarts; a host asks for it by `getprop wattline.host_clock`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::RailPower;

/// The log and its clock.
pub(super) struct BenchLog {
    file: File,
    /// The log's clock when the board's stood at 0, in nanoseconds of Unix time.
    boot_ns: u64,
    /// The board's clock when it was last looked at.
    now_ns: u64,
}

impl BenchLog {
    /// Begins a new log; its clock says `epoch_ns` when the board's says `now_ns`.
    pub(super) fn create(path: &Path, epoch_ns: u64, now_ns: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path)?;
        file.write_all(b"time_s,power_w\n")?;
        Ok(Self { file, boot_ns: epoch_ns.saturating_sub(now_ns), now_ns })
    }

    /// So much power was drawn until then, on the board's clock. A full disk of the host loses
    /// rows, as it would a real logger's.
    pub(super) fn settle(&mut self, power: RailPower, until_ns: u64) {
        let watts: f64 = power.iter().sum();
        let _ = writeln!(self.file, "{},{watts:.6}", seconds(self.boot_ns + until_ns));
    }

    /// The board's clock stands there.
    pub(super) fn move_to(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    /// The board's clock was set back; this one goes on.
    pub(super) fn restart(&mut self, now_ns: u64) {
        self.boot_ns = self.boot_ns + self.now_ns - now_ns;
        self.now_ns = now_ns;
    }

    /// This clock and the board's, in seconds.
    pub(super) fn clocks(&self) -> String {
        format!("{} {}", seconds(self.boot_ns + self.now_ns), seconds(self.now_ns))
    }
}

fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_clock_goes_on_when_the_boards_is_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench/log.csv");
        let mut log = BenchLog::create(&path, 1_000_000_000_000, 100_000_000_000).unwrap();
        log.settle([1.0, 0.5, 0.25, 0.25], 100_500_000_000);
        log.move_to(130_000_000_001);
        assert_eq!(log.clocks(), "1030.000000001 130.000000001");
        log.restart(100_000_000_000);
        assert_eq!(log.clocks(), "1030.000000001 100.000000000");
        log.settle([1.0; 4], 100_250_000_000);
        let text = fs::read_to_string(&path).unwrap();
        let rows = "1000.500000000,2.000000\n1030.250000001,4.000000\n";
        assert_eq!(text, format!("time_s,power_w\n{rows}"));
    }
}
