//! Sessions that counted and were measured at once -> their windows: what ran in each, and
//! its energy, less idle power and less what the probes cost. What probes cost is told by
//! the cases that also ran without.
//!
//! A probe in a condition (`W.t(7) && (c)`, `W.b(7, 8, c) ? ...`) is a call more than one that
//! is a statement of its own: the two sorts have costs of their own.

use std::collections::BTreeMap;

use crate::campaign::Snapshot;
use crate::power::{IntegrateError, MeterTiming, Series, Window, integrate_shown};

use super::energy::{CaseEnergy, mean, variance};

/// What one session's logs say.
#[derive(Debug, Clone)]
pub struct Session {
    /// Power over the session.
    pub series: Series,
    /// The meter's refresh and the sampler's period.
    pub timing: MeterTiming,
    /// Between the begin and the end mark, on the board's clock.
    pub window: Window,
    /// Snapshots of the counts; none of an idle session.
    pub snapshots: Vec<Snapshot>,
    /// Whether each block's probe, by id, is in a condition.
    pub in_condition: Vec<bool>,
    /// Collections of the application, on the board's clock.
    pub collections_s: Vec<f64>,
}

/// A part of a session and what ran in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// When, on the board's clock.
    pub window: Window,
    /// Executed probes: statements, in conditions.
    pub probes: [u64; 2],
    /// Executions by block.
    pub executions: BTreeMap<usize, u64>,
    /// Garbage collections.
    pub collections: u128,
}

/// What one executed probe adds to the energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeCost {
    /// Of statements and of those in conditions, in joules; the same where the cases can't
    /// tell them apart.
    pub energy_j: [f64; 2],
    /// How far single cases are from that, as a standard deviation in joules a probe; none
    /// with too few cases.
    pub spread_j: Option<f64>,
    /// What probes added to the cases, as a share of their energy above idle.
    pub share: f64,
}

/// A case, with probes and without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Energy above idle of the sessions with probes, in joules.
    pub probed_j: f64,
    /// The same of those without.
    pub plain_j: f64,
    /// Executed probes: statements, in conditions.
    pub probes: [f64; 2],
}

impl Session {
    /// Parts the session into windows of at least `window_s` that begin and end with a
    /// snapshot. What lies before the first snapshot and after the last whole window is
    /// left out.
    pub fn pieces(&self, window_s: f64) -> Vec<Piece> {
        let inside = |at: f64| self.window.start_s <= at && at <= self.window.end_s;
        let mut shots = self.snapshots.iter().filter(|shot| inside(shot.uptime_s));
        let Some(first) = shots.next() else { return Vec::new() };
        let empty = |start_s: f64| Piece {
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

    /// Probes executed between the marks: in between two snapshots as many as time passed.
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
    fn probes_of(&self, shot: &Snapshot) -> [u64; 2] {
        let is_in = |block: usize| self.in_condition.get(block).copied().unwrap_or(false);
        let inside = shot.executions.iter().filter(|(block, _)| is_in(*block));
        let inside = inside.map(|(_, executions)| executions).sum::<u64>().min(shot.probes);
        [shot.probes - inside, inside]
    }

    /// Energy of a window in joules, idle included.
    pub fn energy_j(&self, window: Window) -> Result<f64, IntegrateError> {
        let (energy, _) = integrate_shown(&self.series, window, self.timing)?;
        Ok(energy.right_endpoint.0)
    }

    /// Energies in joules of an idle session's windows, of this length each.
    fn idle_windows(&self, window_s: f64) -> Vec<f64> {
        let Window { start_s, end_s } = self.window;
        let count = ((end_s - start_s) / window_s) as usize;
        let at = |index: usize| start_s + index as f64 * window_s;
        let window = |index: usize| Window { start_s: at(index), end_s: at(index + 1) };
        (0..count).filter_map(|index| self.energy_j(window(index)).ok()).collect()
    }
}

/// What the meter's noise makes of a window: the standard deviation in joules of the
/// energies of idle windows of that length; none with fewer than two.
pub fn noise_j(idle: &[Session], window_s: f64) -> Option<f64> {
    let of_session = |session: &Session| {
        let energies = session.idle_windows(window_s);
        variance(&energies).map(|variance| (variance, energies.len() as f64 - 1.0))
    };
    let parts: Vec<(f64, f64)> = idle.iter().filter_map(of_session).collect();
    let freedom: f64 = parts.iter().map(|(_, n)| n).sum();
    let squares: f64 = parts.iter().map(|(variance, n)| variance * n).sum();
    (freedom > 0.0).then(|| (squares / freedom).sqrt())
}

/// A pair's shares of the two sorts of probes, and joules a probe.
type ProbeShares = ([f64; 2], f64);

/// What probes cost: least squares over the pairs, each weighed by its number of probes, so
/// that cases count alike. None without executed probes.
pub fn probe_cost(pairs: &[Pair]) -> Option<ProbeCost> {
    let rows: Vec<ProbeShares> = pairs
        .iter()
        .filter(|pair| pair.probes.iter().sum::<f64>() > 0.0)
        .map(|pair| {
            let all: f64 = pair.probes.iter().sum();
            (pair.probes.map(|probes| probes / all), (pair.probed_j - pair.plain_j) / all)
        })
        .collect();
    let each: Vec<f64> = rows.iter().map(|(_, energy_j)| *energy_j).collect();
    let mean_j = mean(&each)?;
    let (energy_j, free) = match two_costs(&rows) {
        Some(costs) => (costs, 2),
        None => ([mean_j; 2], 1),
    };
    let left = |(shares, found): &ProbeShares| found - dot(*shares, energy_j);
    let squares: f64 = rows.iter().map(left).map(|left| left * left).sum();
    let spread_j = (rows.len() > free).then(|| (squares / (rows.len() - free) as f64).sqrt());
    let sum = |of: fn(&Pair) -> f64| pairs.iter().map(of).sum::<f64>();
    let share = sum(|pair| pair.probed_j) / sum(|pair| pair.plain_j) - 1.0;
    Some(ProbeCost { energy_j, spread_j, share })
}

/// The costs of the two sorts; none where the rows are too few or too much alike, or where
/// one would be negative.
fn two_costs(rows: &[ProbeShares]) -> Option<[f64; 2]> {
    let sum = |of: &dyn Fn(&ProbeShares) -> f64| rows.iter().map(of).sum::<f64>();
    let (aa, ab) = (sum(&|(s, _)| s[0] * s[0]), sum(&|(s, _)| s[0] * s[1]));
    let bb = sum(&|(s, _)| s[1] * s[1]);
    let (ay, by) = (sum(&|(s, y)| s[0] * y), sum(&|(s, y)| s[1] * y));
    let determinant = aa * bb - ab * ab;
    let costs = [(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant];
    let is_known = rows.len() > 2 && determinant > 1e-6 * aa * bb;
    (is_known && costs.iter().all(|cost| *cost >= 0.0)).then_some(costs)
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The energy of a window above idle and without its probes.
pub fn window_energy(
    total_j: f64,
    piece: &Piece,
    idle_power_w: f64,
    cost: ProbeCost,
    noise_j: Option<f64>,
) -> CaseEnergy {
    let duration_s = piece.window.duration().0;
    let probes = piece.probes.map(|probes| probes as f64);
    let spread_j = cost.spread_j.unwrap_or(0.0) * (probes[0] + probes[1]);
    CaseEnergy {
        energy_j: total_j - idle_power_w * duration_s - dot(cost.energy_j, probes),
        energy_se_j: noise_j.map(|noise| noise.hypot(spread_j)),
        total_j,
        idle_power_w,
        duration_s,
        power_runs: 1,
        idle_runs: 0,
    }
}

/// The mean idle power in watts of idle sessions; none without any.
pub fn idle_power_w(idle: &[Session]) -> Option<f64> {
    let power = |session: &Session| {
        let energy = session.energy_j(session.window).ok()?;
        Some(energy / session.window.duration().0)
    };
    mean(&idle.iter().filter_map(power).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 W of idle power to 10 s, 3 W later; a meter that shows the present power.
    fn session() -> Session {
        let time_s: Vec<f64> = (0..=200).map(|tenth| f64::from(tenth) / 10.0).collect();
        let power_w = time_s.iter().map(|time| if *time <= 10.0 { 1.0 } else { 3.0 }).collect();
        let shot = |uptime_s: f64| Snapshot { uptime_s, probes: 10, executions: vec![(2, 5)] };
        Session {
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
        let none = Session { snapshots: Vec::new(), ..session() };
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
    fn cases_with_probes_and_without_tell_what_a_probe_costs() {
        let pair = |added_j: f64, probes| Pair { probed_j: 10.0 + added_j, plain_j: 10.0, probes };
        // 20 mJ a statement, 30 mJ in a condition.
        let three = [pair(2.0, [100.0, 0.0]), pair(5.0, [100.0, 100.0]), pair(3.0, [0.0, 100.0])];
        let cost = probe_cost(&three).unwrap();
        assert!((cost.energy_j[0] - 0.02).abs() < 1e-12 && (cost.energy_j[1] - 0.03).abs() < 1e-12);
        assert!((cost.share - 1.0 / 3.0).abs() < 1e-12);
        assert!(cost.spread_j.unwrap() < 1e-12);
        // Two, or any number that are alike, can't tell the sorts apart.
        let two = probe_cost(&[pair(2.0, [100.0, 0.0]), pair(8.0, [200.0, 0.0])]).unwrap();
        assert!((two.energy_j[0] - 0.03).abs() < 1e-12 && two.energy_j[0] == two.energy_j[1]);
        assert!((two.spread_j.unwrap() - 0.01 * 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(probe_cost(&two_alike(&pair)).unwrap().energy_j, [0.02; 2]);
        assert_eq!(probe_cost(&[pair(2.0, [100.0, 0.0])]).unwrap().spread_j, None);
        assert_eq!(probe_cost(&[]), None);
    }

    fn two_alike(pair: &dyn Fn(f64, [f64; 2]) -> Pair) -> Vec<Pair> {
        vec![pair(2.0, [50.0, 50.0]); 4]
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
