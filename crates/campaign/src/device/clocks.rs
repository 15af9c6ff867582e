//! Simultaneous readings of the host's and the board's clock, which align a log with host times to
//! the board's samples.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wattline_units::dialect::decimal_nanos;

use super::board::Board;
use super::error::DeviceError;

/// Command that prints the clock of a virtual board's bench, which stands still with the board's,
/// and an empty line on other boards.
pub(super) const BENCH_CLOCK: &str = "getprop wattline.host_clock";

/// Number of readings of the clocks, of which the quickest answer is taken.
const READINGS: usize = 3;

/// Resolution of `/proc/uptime`, which is truncated to hundredths of a second.
const UPTIME_STEP_NS: i128 = 10_000_000;

/// Both clocks at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockReading {
    /// The host's, in nanoseconds of Unix time.
    pub host_ns: i128,
    /// The board's, in nanoseconds since its start.
    pub uptime_ns: i128,
    /// Largest time between the two readings.
    pub residual_ns: i128,
}

impl ClockReading {
    /// Nanoseconds to add to the host's clock to get the board's.
    pub(super) fn offset_ns(&self) -> i128 {
        self.uptime_ns - self.host_ns
    }
}

/// Reads both clocks. The board's clock is read somewhere between question and answer; the residual
/// is half of that time.
pub(super) fn read_clocks(board: &dyn Board) -> Result<ClockReading, DeviceError> {
    let question = &format!("{BENCH_CLOCK}; cat /proc/uptime");
    let mut best: Option<ClockReading> = None;
    for _ in 0..READINGS {
        let asked_ns = host_ns();
        let answer = board.shell(question, Duration::from_secs(10))?.success(board, question)?;
        let clocks = clocks_of(&answer, (asked_ns, host_ns())).ok_or_else(|| {
            let serial = board.serial().into();
            DeviceError::Garbled { serial, what: format!("no time from `{question}`"), answer }
        })?;
        best = Some(best.map_or(clocks, |best| best.min_by_residual(clocks)));
    }
    Ok(best.expect("there is a reading at least"))
}

impl ClockReading {
    fn min_by_residual(self, other: Self) -> Self {
        if other.residual_ns < self.residual_ns { other } else { self }
    }
}

/// The host's clock in nanoseconds of Unix time.
pub(super) fn host_ns() -> i128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or_else(|error| -to_i128(error.duration()), to_i128)
}

fn to_i128(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX)
}

fn clocks_of(answer: &str, (asked_ns, answered_ns): (i128, i128)) -> Option<ClockReading> {
    let mut lines = answer.lines().map(str::trim);
    let seconds = |text: &str| decimal_nanos(text, 1e9);
    if let Some((host, uptime)) = lines.next()?.split_once(' ') {
        let (host_ns, uptime_ns) = (seconds(host)?, seconds(uptime)?);
        return Some(ClockReading { host_ns, uptime_ns, residual_ns: 0 });
    }
    let uptime = lines.next()?.split(' ').next()?;
    let half = (answered_ns - asked_ns) / 2;
    Some(ClockReading {
        host_ns: asked_ns + half,
        uptime_ns: seconds(uptime)? + UPTIME_STEP_NS / 2,
        residual_ns: half.abs() + UPTIME_STEP_NS / 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boards_clock_is_read_in_the_middle_of_the_call() {
        let clocks = clocks_of("\n104.25 400.00\n", (1_000_000_000, 1_060_000_000)).unwrap();
        assert_eq!(clocks.host_ns, 1_030_000_000);
        assert_eq!(clocks.offset_ns(), 104_255_000_000 - 1_030_000_000);
        assert_eq!(clocks.residual_ns, 35_000_000);
        assert_eq!(clocks_of("\nno such file\n", (0, 0)), None);
    }

    #[test]
    fn a_virtual_board_tells_both() {
        let clocks = clocks_of("1767258000.000000001 104.5\n9.99 1.00\n", (5, 7)).unwrap();
        assert_eq!(clocks.offset_ns(), 104_500_000_000 - 1_767_258_000_000_000_001);
        assert_eq!(clocks.residual_ns, 0);
    }
}
