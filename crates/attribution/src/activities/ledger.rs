//! Powers and periods -> the ledger of one node: stretches of time are entered one after
//! another, as energies by row and by who pays, and make up its account.

use std::collections::BTreeMap;

use wattline_units::assumptions::ASSUMED;

use super::account::{Account, AccountOptions, Bin, Key, LoggingAs, Payer};
use super::equations::StateColumns;
use super::log::{NodeLog, seconds};
use super::logging::LoggingWindows;
use super::periods::ComponentPeriods;
use super::powers::{FittedPower, Powers};
use super::sweep::{SteadySegment, SteppedMeter, sweep};
use crate::{Capacity, Split};

/// Accounts for a node's energy.
///
/// # Panics
/// If the parts don't add up to what was measured, which would be a mistake in here.
#[must_use]
pub fn account(
    log: &NodeLog,
    periods: &ComponentPeriods,
    columns: &StateColumns,
    powers: &Powers,
    options: &AccountOptions,
) -> Account {
    let meter = SteppedMeter::of(log);
    let windows = LoggingWindows::of(log, periods, columns);
    let rows = ColumnAccounts::new(log, columns, powers);
    let mut ledger = ActivityLedger::new(&meter, options, &rows, &windows);
    sweep(log, periods, &meter, windows.edges(), options.step_ns, |segment| {
        ledger.segment(segment, powers, columns);
    });
    let mut account = ledger.finish(log);
    let processor_j = windows.component().and_then(|at| account.by_row().get(&at).copied());
    account.logging = windows.cost(powers.constant.w, processor_j, &ASSUMED);
    assert!(account.is_conserved(), "the parts of {} don't add up", account.node);
    account
}

/// What each component's column is accounted as.
struct ColumnAccounts {
    names: Vec<String>,
    /// The row of each column that has a power, if components share it.
    joint: Vec<Option<usize>>,
    /// The columns that share a joint column's power, itself first.
    twins: Vec<Vec<usize>>,
}

impl ColumnAccounts {
    /// The rows of a log.
    fn new(log: &NodeLog, columns: &StateColumns, powers: &Powers) -> Self {
        let mut names: Vec<String> = log.components.iter().map(|c| c.name.clone()).collect();
        let count = columns.names.len();
        let (mut joint, mut all_twins) = (vec![None; count], vec![Vec::new(); count]);
        for column in 0..count {
            let twins = powers.twins(column);
            if powers.of[column].is_none() || twins.len() < 2 {
                continue;
            }
            joint[column] = Some(names.len());
            names.push(powers.name(column, columns));
            all_twins[column] = twins;
        }
        names.push("constant".to_owned());
        Self { names, joint, twins: all_twins }
    }

    fn constant(&self) -> usize {
        self.names.len() - 1
    }
}

/// Energies by row and by the activities that share them.
type Sums = BTreeMap<(usize, Vec<Payer>), f64>;

/// Takes in stretches of time, one after the other.
struct ActivityLedger<'a> {
    rows: &'a ColumnAccounts,
    windows: &'a LoggingWindows,
    options: &'a AccountOptions,
    start_ns: i64,
    end_ns: i64,
    whole: Pile,
    bins: Vec<Pile>,
    times_s: BTreeMap<Key, f64>,
    undetermined_s: BTreeMap<Key, f64>,
    intervals_j: BTreeMap<Key, Option<(f64, f64)>>,
    left_out_s: f64,
}

/// Energy that belongs together.
#[derive(Clone, Default)]
struct Pile {
    sums: Sums,
    measured_j: f64,
    metered_s: f64,
}

impl Pile {
    fn split(&self) -> Split<Key> {
        let mut split = Split::default();
        let mut explained_j = 0.0;
        for ((row, payers), energy) in &self.sums {
            let shares = payers.iter().map(|payer| ((*row, *payer), 1.0));
            let part = Split::by_weight(*energy, shares, Capacity::Active)
                .expect("equal shares of a finite energy");
            explained_j += energy;
            split.add(&part);
        }
        split.add(&Split::unattributed(self.measured_j - explained_j));
        split
    }
}

impl<'a> ActivityLedger<'a> {
    /// An empty one for the meter's time.
    fn new(
        meter: &SteppedMeter,
        options: &'a AccountOptions,
        rows: &'a ColumnAccounts,
        windows: &'a LoggingWindows,
    ) -> Self {
        let (start_ns, end_ns) = meter.span();
        let steps = match options.step_ns {
            0 => 0,
            step => (end_ns - start_ns).div_euclid(step) as usize + 1,
        };
        Self {
            rows,
            windows,
            options,
            start_ns,
            end_ns,
            whole: Pile::default(),
            bins: vec![Pile::default(); steps],
            times_s: BTreeMap::new(),
            undetermined_s: BTreeMap::new(),
            intervals_j: BTreeMap::new(),
            left_out_s: 0.0,
        }
    }

    /// Takes a stretch of time.
    fn segment(&mut self, segment: &SteadySegment<'_>, powers: &Powers, columns: &StateColumns) {
        let time_s = seconds(segment.end_ns - segment.start_ns);
        let Some(measured_j) = segment.measured_j else {
            self.left_out_s += time_s;
            return;
        };
        self.pile(segment.start_ns, |pile| {
            pile.measured_j += measured_j;
            pile.metered_s += time_s;
        });
        if time_s <= 0.0 {
            return;
        }
        let constant = (self.rows.constant(), vec![Payer::Constant]);
        self.charge(segment, constant, powers.constant);
        for component in 0..segment.states.len() {
            let payers = self.payers(segment, component);
            for payer in &payers {
                let share = time_s / payers.len() as f64;
                *self.times_s.entry((component, *payer)).or_insert(0.0) += share;
            }
            let Some(state) = segment.states[component] else {
                self.undetermined(component, &payers, time_s);
                continue;
            };
            let Some(column) = columns.of[component][state] else {
                continue; // its baseline is part of the constant
            };
            let fitted = powers.fitted(column);
            let joint = fitted.and_then(|(lead, _)| self.rows.joint[lead]);
            if fitted.is_none() || joint.is_some() {
                self.undetermined(component, &payers, time_s);
            }
            // Of columns that can't be told apart, the first one stands for all.
            let Some((_, power)) = fitted.filter(|(lead, _)| *lead == column) else { continue };
            let key = match joint {
                None => (component, payers),
                Some(row) => (row, self.joint_payers(segment, column, columns)),
            };
            self.charge(segment, key, power);
        }
    }

    fn undetermined(&mut self, component: usize, payers: &[Payer], time_s: f64) {
        for payer in payers {
            let share = time_s / payers.len() as f64;
            *self.undetermined_s.entry((component, *payer)).or_insert(0.0) += share;
        }
    }

    /// Who pays for a component at the moment.
    fn payers(&self, segment: &SteadySegment<'_>, component: usize) -> Vec<Payer> {
        let is_logging = self.options.logging == LoggingAs::Apart
            && self.windows.holds(component, segment.start_ns);
        let labels = segment.charged[component];
        if is_logging {
            vec![Payer::Logging]
        } else if labels.is_empty() {
            vec![Payer::Nobody]
        } else {
            labels.iter().map(|label| Payer::Activity(*label)).collect()
        }
    }

    /// Who pays for components that can't be told apart: their activities, if they agree.
    fn joint_payers(
        &self,
        segment: &SteadySegment<'_>,
        column: usize,
        columns: &StateColumns,
    ) -> Vec<Payer> {
        let twins = &self.rows.twins[column];
        let is_member = |component: &usize| {
            let state = segment.states[*component];
            let active = state.and_then(|state| columns.of[*component][state]);
            active.is_some_and(|active| twins.contains(&active))
        };
        let members = (0..segment.states.len()).filter(is_member);
        let mut all = members.map(|component| self.payers(segment, component));
        let first = all.next().unwrap_or_default();
        if all.all(|payers| payers == first) { first } else { vec![Payer::NotToldApart] }
    }

    fn charge(
        &mut self,
        segment: &SteadySegment<'_>,
        key: (usize, Vec<Payer>),
        power: FittedPower,
    ) {
        let time_s = seconds(segment.end_ns - segment.start_ns);
        let share = time_s / key.1.len().max(1) as f64;
        for payer in &key.1 {
            let interval = self.intervals_j.entry((key.0, *payer)).or_insert(Some((0.0, 0.0)));
            *interval = interval
                .zip(power.interval_w)
                .map(|(sum, of)| (sum.0 + of.0 * share, sum.1 + of.1 * share));
        }
        self.pile(segment.start_ns, |pile| {
            *pile.sums.entry(key.clone()).or_insert(0.0) += power.w * time_s;
        });
    }

    /// Does the same to the whole and to the step of a moment.
    fn pile(&mut self, at_ns: i64, mut act: impl FnMut(&mut Pile)) {
        act(&mut self.whole);
        if self.options.step_ns > 0 {
            let at = (at_ns - self.start_ns).div_euclid(self.options.step_ns);
            if let Some(bin) = usize::try_from(at).ok().and_then(|at| self.bins.get_mut(at)) {
                act(bin);
            }
        }
    }

    /// The account, without the cost of logging.
    fn finish(self, log: &NodeLog) -> Account {
        let (start_ns, end_ns, step_ns) = (self.start_ns, self.end_ns, self.options.step_ns);
        let bin = |(at, pile): (usize, &Pile)| {
            let start = start_ns + at as i64 * step_ns;
            let end_ns = (start + step_ns).min(end_ns);
            Bin { start_ns: start, end_ns, metered_s: pile.metered_s, split: pile.split() }
        };
        let bins = self.bins.iter().enumerate().map(bin);
        let is_something = |bin: &Bin| bin.start_ns < bin.end_ns || bin.split.total_j() != 0.0;
        Account {
            node: log.node.clone(),
            rows: self.rows.names.clone(),
            split: self.whole.split(),
            intervals_j: self.intervals_j,
            times_s: self.times_s,
            undetermined_s: self.undetermined_s,
            bins: bins.filter(is_something).collect(),
            metered_s: self.whole.metered_s,
            left_out_s: self.left_out_s,
            logging: None,
        }
    }
}
