//! Windows of sessions that were counted and measured at the same time: the executions in each, and
//! its energy without idle power and the cost of probes. The cost of probes comes from the cases
//! that also ran without.

use std::collections::BTreeMap;

use crate::campaign::CountSnapshot;
use crate::power::{IntegrateError, MeterTiming, Series, Window, integrate_delayed};

use super::assemble::{Dataset, MeasuredCase, SessionWindows, features_of};
use super::energy::{CaseEnergy, mean, variance};
use super::probe_cost::{ProbeCost, dot};

/// A session with samples and snapshots of counts on one clock.
#[derive(Debug, Clone)]
pub struct CountedSession {
    /// Power over the session.
    pub series: Series,
    /// Refresh period of the meter and period of the sampler.
    pub timing: MeterTiming,
    /// Window between the begin and the end marker, on the board's clock.
    pub window: Window,
    /// Snapshots of the counts; none of an idle session.
    pub snapshots: Vec<CountSnapshot>,
    /// Whether each block's probe, by id, is in a condition.
    pub in_condition: Vec<bool>,
    /// Times of the application's GC runs, in seconds on the board's clock.
    pub collections_s: Vec<f64>,
}

/// A part of a session with the executions in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPiece {
    /// Window of the piece on the board's clock.
    pub window: Window,
    /// Number of executed probes: statements, in conditions.
    pub probes: [u64; 2],
    /// Executions by block.
    pub executions: BTreeMap<usize, u64>,
    /// Number of GC runs.
    pub collections: u128,
}

impl Dataset {
    /// The campaign's data set with windows in place of whole runs; `windows` has a row for each
    /// board.
    pub(crate) fn with_windows(
        mut self,
        cases: Vec<MeasuredCase>,
        lumped: Vec<(String, u128)>,
        windows: Vec<SessionWindows>,
    ) -> Self {
        let runs = self.cases.iter().map(|case| case.energy.duration_s);
        let window_s = windows.first().map_or(f64::INFINITY, |windows| windows.window_s);
        self.refresh_share *= runs.fold(f64::INFINITY, f64::min) / window_s;
        self.features = features_of(&cases);
        (self.cases, self.lumped, self.windows) = (cases, lumped, windows);
        self
    }
}

impl CountedSession {
    /// Divides the session into windows of at least `window_s` that begin and end with a snapshot.
    /// The time before the first snapshot and after the last whole window is left out.
    pub fn pieces(&self, window_s: f64) -> Vec<SessionPiece> {
        let inside = |at: f64| self.window.start_s <= at && at <= self.window.end_s;
        let mut shots = self.snapshots.iter().filter(|shot| inside(shot.uptime_s));
        let Some(first) = shots.next() else { return Vec::new() };
        let empty = |start_s: f64| SessionPiece {
            window: Window { start_s, end_s: start_s },
            probes: [0; 2],
            executions: BTreeMap::new(),
            collections: 0,
        };
        let mut piece = empty(first.uptime_s);
        let mut pieces = Vec::new();
        for shot in shots {
            let probes = self.probes_of(shot);
            (0..2).for_each(|sort| piece.probes[sort] += probes[sort]);
            for (block, executions) in &shot.executions {
                *piece.executions.entry(*block).or_default() += executions;
            }
            piece.window.end_s = shot.uptime_s;
            // Snapshots are a little late, each by another bit.
            if piece.window.end_s - piece.window.start_s > window_s - 1e-3 {
                let Window { start_s, end_s } = piece.window;
                let within = |at: &&f64| start_s <= **at && **at < end_s;
                piece.collections = self.collections_s.iter().filter(within).count() as u128;
                pieces.push(std::mem::replace(&mut piece, empty(end_s)));
            }
        }
        pieces
    }

    /// Number of probes executed between the markers: statements, in conditions. Between two
    /// snapshots they are taken as proportional to time.
    pub fn probes(&self) -> [f64; 2] {
        let Window { start_s, end_s } = self.window;
        let mut sum = [0.0; 2];
        for pair in self.snapshots.windows(2) {
            let (from, to) = (pair[0].uptime_s, pair[1].uptime_s);
            let inside = (to.min(end_s) - from.max(start_s)).max(0.0) / (to - from);
            let probes = self.probes_of(&pair[1]);
            (0..2).for_each(|sort| sum[sort] += inside * probes[sort] as f64);
        }
        sum
    }

    /// Probes of a snapshot: statements, in conditions.
    fn probes_of(&self, shot: &CountSnapshot) -> [u64; 2] {
        let is_in = |block: usize| self.in_condition.get(block).copied().unwrap_or(false);
        let inside = shot.executions.iter().filter(|(block, _)| is_in(*block));
        let inside = inside.map(|(_, executions)| executions).sum::<u64>().min(shot.probes);
        [shot.probes - inside, inside]
    }

    /// Energy of a window in joules, idle included.
    pub fn energy_j(&self, window: Window) -> Result<f64, IntegrateError> {
        let (energy, _) = integrate_delayed(&self.series, window, self.timing)?;
        Ok(energy.right_endpoint.0)
    }

    /// Energies in joules of an idle session's windows of length `window_s`.
    fn idle_windows(&self, window_s: f64) -> Vec<f64> {
        let Window { start_s, end_s } = self.window;
        let count = ((end_s - start_s) / window_s) as usize;
        let at = |index: usize| start_s + index as f64 * window_s;
        let window = |index: usize| Window { start_s: at(index), end_s: at(index + 1) };
        (0..count).filter_map(|index| self.energy_j(window(index)).ok()).collect()
    }
}

/// Noise of a window's energy: the standard deviation in joules of the energies of idle windows of
/// that length; none with fewer than two.
pub fn noise_j(idle: &[CountedSession], window_s: f64) -> Option<f64> {
    let of_session = |session: &CountedSession| {
        let energies = session.idle_windows(window_s);
        variance(&energies).map(|variance| (variance, energies.len() as f64 - 1.0))
    };
    let parts: Vec<(f64, f64)> = idle.iter().filter_map(of_session).collect();
    let freedom: f64 = parts.iter().map(|(_, n)| n).sum();
    let squares: f64 = parts.iter().map(|(variance, n)| variance * n).sum();
    (freedom > 0.0).then(|| (squares / freedom).sqrt())
}

/// The energy of a window above idle and without its probes.
pub(crate) fn window_energy(
    total_j: f64,
    piece: &SessionPiece,
    idle_power_w: f64,
    cost: ProbeCost,
    noise_j: Option<f64>,
) -> CaseEnergy {
    let duration_s = piece.window.duration().0;
    let probes = piece.probes.map(|probes| probes as f64);
    let spread_j = cost.spread_j.unwrap_or(0.0) * (probes[0] + probes[1]);
    CaseEnergy {
        energy_j: total_j - idle_power_w * duration_s - dot(cost.energy_j, probes),
        runtime_j: None,
        energy_se_j: noise_j.map(|noise| noise.hypot(spread_j)),
        total_j,
        idle_power_w,
        duration_s,
        power_runs: 1,
        idle_runs: 0,
    }
}

/// The mean idle power in watts of idle sessions; none without any.
pub fn idle_power_w(idle: &[CountedSession]) -> Option<f64> {
    let power = |session: &CountedSession| {
        let energy = session.energy_j(session.window).ok()?;
        Some(energy / session.window.duration().0)
    };
    mean(&idle.iter().filter_map(power).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 W of idle power to 10 s, 3 W later; a meter that shows the present power.
    fn session() -> CountedSession {
        let time_s: Vec<f64> = (0..=200).map(|tenth| f64::from(tenth) / 10.0).collect();
        let power_w = time_s.iter().map(|time| if *time <= 10.0 { 1.0 } else { 3.0 }).collect();
        let shot = |uptime_s: f64| CountSnapshot { uptime_s, probes: 10, executions: vec![(2, 5)] };
        CountedSession {
            series: Series { time_s, power_w },
            timing: MeterTiming::default(),
            window: Window { start_s: 2.25, end_s: 18.0 },
            snapshots: (1..=19).map(|second| shot(f64::from(second))).collect(),
            in_condition: vec![false, false, true],
            collections_s: vec![2.5, 7.0, 7.5],
        }
    }

    #[test]
    fn windows_begin_and_end_with_snapshots() {
        let pieces = session().pieces(4.0);
        let times: Vec<(f64, f64)> =
            pieces.iter().map(|piece| (piece.window.start_s, piece.window.end_s)).collect();
        assert_eq!(times, [(3.0, 7.0), (7.0, 11.0), (11.0, 15.0)]);
        assert_eq!(pieces[0].executions, [(2, 20)].into());
        assert_eq!(pieces.iter().map(|piece| piece.probes).collect::<Vec<_>>(), [[20, 20]; 3]);
        assert_eq!(pieces.iter().map(|p| p.collections).collect::<Vec<_>>(), [0, 2, 0]);
        assert_eq!(session().pieces(100.0), []);
        let none = CountedSession { snapshots: Vec::new(), ..session() };
        assert_eq!(none.pieces(4.0), []);
    }

    /// From 2.25 to 18 s, 10 probes a second.
    #[test]
    fn probes_between_the_marks_are_counted_by_time() {
        let [statements, conditions] = session().probes();
        assert!((statements - 78.75).abs() < 1e-9 && (conditions - 78.75).abs() < 1e-9);
    }

    /// From 7 to 11 s: 3 s of 1 W, 1 s of 3 W; 4 J of idle, 40 probes of 10 mJ.
    #[test]
    fn idle_and_probes_are_subtracted() {
        let session = session();
        let piece = &session.pieces(4.0)[1];
        let total_j = session.energy_j(piece.window).unwrap();
        assert!((total_j - 6.0).abs() < 1e-9, "{total_j}");
        let cost = ProbeCost { energy_j: [0.005, 0.015], spread_j: Some(0.001), share: 0.2 };
        let energy = window_energy(total_j, piece, 1.0, cost, Some(0.03));
        assert!((energy.energy_j - 1.6).abs() < 1e-9);
        assert!((energy.energy_se_j.unwrap() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn noise_is_that_of_idle_windows() {
        let mut idle = session();
        idle.window = Window { start_s: 1.0, end_s: 9.0 };
        assert!(noise_j(std::slice::from_ref(&idle), 2.0).unwrap() < 1e-9);
        assert!((idle_power_w(std::slice::from_ref(&idle)).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(noise_j(&[idle], 5.0), None);
        assert_eq!(noise_j(&[], 5.0), None);
        assert_eq!(idle_power_w(&[]), None);
    }
}
