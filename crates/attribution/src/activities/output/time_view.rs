//! The time that a picture shows, in columns, and where its lanes are.

/// Horizontal position at which the columns begin.
pub(super) const LEFT_MARGIN: f64 = 120.0;
/// Height of a lane.
pub(super) const LANE_HEIGHT: f64 = 26.0;
/// Number of columns of the picture, each a stretch of time.
pub(super) const COLUMN_COUNT: usize = 1048;

/// Time that a picture shows, in columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeView {
    pub start_ns: i64,
    pub end_ns: i64,
}

impl TimeView {
    /// Returns the position of a time in columns.
    fn column(self, at_ns: i64) -> f64 {
        let part = (at_ns - self.start_ns) as f64 / (self.end_ns - self.start_ns) as f64;
        (part * COLUMN_COUNT as f64).clamp(0.0, COLUMN_COUNT as f64)
    }

    /// Returns the columns that a stretch of time touches, each with the covered share of it.
    pub fn columns(self, start_ns: i64, end_ns: i64) -> impl Iterator<Item = (usize, f64)> {
        let (from, to) = (self.column(start_ns), self.column(end_ns));
        let last = (to.ceil() as usize).min(COLUMN_COUNT);
        (from.floor() as usize..last)
            .map(move |at| (at, (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0)))
    }
}
