//! Flags that all inputs share.

use std::path::PathBuf;

use clap::Args;

use crate::attribution::tenants::{EnergySource, RecordWindow, StreamOptions};
use crate::cli::answer::FormatArgument;
use crate::cli::energies::EnergiesArgument;
use crate::cli::quantity::{PRINTED_ROWS_MAX, number_between, whole_number_between};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub struct StreamArguments {
    /// Length of a window in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 100,
          value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    pub window_ms: u64,
    /// Windows that are held for late records and the view of 10 s: memory is that of the
    /// ring. Default: as many as 10 s have, at least 100.
    #[arg(long, value_name = "WINDOWS", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    ring: Option<u32>,
    /// Count a record whole in the window of its own time, as XeMPower does, instead of
    /// evenly over the time since the last one.
    #[arg(long)]
    whole: bool,
    /// Weight of a second of idle CPU against a busy one, where CPU time is shared by.
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0,
          value_parser = number_between(0.0, 1e6, ""))]
    idle_weight: f64,
    /// No meter, but a stated model: watts with all CPUs busy, and idle (0 if not said).
    #[arg(long, value_name = "BUSY[:IDLE]")]
    pub watts: Option<String>,
    /// Tenants told apart; later ones share a row.
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = whole_number_between(1, 65_536))]
    pub max_tenants: usize,
    /// Folder for tenants.csv, tenants.json, tenants.prom, windows.csv and the views.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub energies: EnergiesArgument,
    /// Replace existing results.
    #[arg(long)]
    pub force: bool,
    /// Give out the latest views, a line of JSON each, to all who connect to this socket.
    #[arg(long, value_name = "SOCKET")]
    pub serve: Option<PathBuf>,
    /// Keep the latest views in this file: written anew every second, never half.
    #[arg(long, value_name = "FILE")]
    pub share: Option<PathBuf>,
    /// Print the view of every second, and every 10 seconds that of the last 10.
    #[arg(long)]
    pub follow: bool,
    /// Read a log no faster than it was recorded.
    #[arg(long)]
    pub pace: bool,
    /// Tenants printed by name.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = whole_number_between(0, PRINTED_ROWS_MAX))]
    pub top: usize,
    #[command(flatten)]
    pub format: FormatArgument,
}

impl StreamArguments {
    /// Returns the checked options of the stream; `has_meter` if the input has a meter.
    pub fn options(&self, has_meter: bool) -> Result<StreamOptions, Failure> {
        let energy = match (&self.watts, has_meter) {
            (Some(watts), _) => parse_stated_power(watts)?,
            (None, true) => EnergySource::Meters,
            (None, false) => EnergySource::None,
        };
        Ok(StreamOptions {
            window_ns: self.window_ms.saturating_mul(1_000_000),
            ring: self.ring.unwrap_or_else(|| ring_windows(self.window_ms)) as usize,
            charging: if self.whole { RecordWindow::Whole } else { RecordWindow::Spread },
            energy,
            idle_weight: self.idle_weight,
            ..StreamOptions::default()
        })
    }
}

/// Returns the number of windows in the longest view, 10 s, but at least the paper's 100.
fn ring_windows(window_ms: u64) -> u32 {
    10_000_u64.div_ceil(window_ms.max(1)).clamp(100, 10_000) as u32
}

fn parse_stated_power(text: &str) -> Result<EnergySource, Failure> {
    let (busy, idle) = text.split_once(':').unwrap_or((text, "0"));
    let watts = |text: &str| number_between(0.0, 1e6, "W")(text).ok();
    match (watts(busy), watts(idle)) {
        (Some(busy_w), Some(idle_w)) => Ok(EnergySource::Stated { idle_w, busy_w }),
        _ => Err(Failure::Usage(format!(
            "--watts {text}: watts when all CPUs are busy, and when idle, like 15:5; each at most \
             1000000 W"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watts_busy_and_idle() {
        assert_eq!(
            parse_stated_power("15:5").unwrap(),
            EnergySource::Stated { idle_w: 5.0, busy_w: 15.0 }
        );
        assert_eq!(
            parse_stated_power("15").unwrap(),
            EnergySource::Stated { idle_w: 0.0, busy_w: 15.0 }
        );
        assert!(
            parse_stated_power("15:").is_err()
                && parse_stated_power("-1").is_err()
                && parse_stated_power("1e308").is_err()
        );
        assert_eq!([50, 100, 5_000].map(ring_windows), [200, 100, 100]);
    }
}
