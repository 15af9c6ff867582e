//! The time that a picture shows, in columns, and where its lanes are.

/// Where the columns begin.
pub(super) const LEFT: f64 = 120.0;
/// Height of a lane.
pub(super) const LANE: f64 = 26.0;
/// Columns of the picture: each is a stretch of time.
pub(super) const COLUMNS: usize = 1048;

/// The time shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeView {
    pub start_ns: i64,
    pub end_ns: i64,
}

impl TimeView {
    /// Position of a moment in columns.
    fn column(self, at_ns: i64) -> f64 {
        let part = (at_ns - self.start_ns) as f64 / (self.end_ns - self.start_ns) as f64;
        (part * COLUMNS as f64).clamp(0.0, COLUMNS as f64)
    }

    /// The columns of a stretch, each with the part of it that is covered.
    pub fn columns(self, start_ns: i64, end_ns: i64) -> impl Iterator<Item = (usize, f64)> {
        let (from, to) = (self.column(start_ns), self.column(end_ns));
        let last = (to.ceil() as usize).min(COLUMNS);
        (from.floor() as usize..last)
            .map(move |at| (at, (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0)))
    }
}
