//! Powers and periods -> the ledger of one node: stretches of time are entered one after
//! another, as energies by row and by who pays, and make up its account.

use std::collections::BTreeMap;

use wattline_units::assumptions::ASSUMED;

use super::account::{
    Account, AccountKey, AccountOptions, LoggingAttribution, Payer, TimeStepEnergy,
};
use super::equations::StateColumns;
use super::log::{NodeLog, nanoseconds_to_seconds};
use super::logging::LoggingWindows;
use super::periods::ComponentPeriods;
use super::powers::{FittedPower, Powers};
use super::sweep::{SteadySegment, SteppedMeter, sweep_segments};
use crate::{Capacity, Split};

/// Returns the account of a node's log: its energy by component, payer and time.
///
/// # Panics
/// If the parts don't add up to what was measured, which would be a mistake in here.
#[must_use]
pub fn account_for_log(
    log: &NodeLog,
    periods: &ComponentPeriods,
    columns: &StateColumns,
    powers: &Powers,
    options: &AccountOptions,
) -> Account {
    let meter = SteppedMeter::from_log(log);
    let windows = LoggingWindows::from_log(log, periods, columns);
    let rows = ColumnAccounts::new(log, columns, powers);
    let mut ledger = ActivityLedger::new(&meter, options, &rows, &windows);
    sweep_segments(log, periods, &meter, windows.window_edges(), options.step_ns, |segment| {
        ledger.add_segment(segment, powers, columns);
    });
    let mut account = ledger.finish(log);
    let processor_j =
        windows.logging_component().and_then(|at| account.energies_by_row().get(&at).copied());
    account.logging = windows.logging_cost(powers.constant.w, processor_j, &ASSUMED);
    assert!(account.is_conserved(), "the parts of {} don't add up", account.node);
    account
}

/// Rows of the account, and the row of each column of the regression.
struct ColumnAccounts {
    names: Vec<String>,
    /// The row of each column that has a power, if components share it.
    joint: Vec<Option<usize>>,
    /// The columns that share a joint column's power, itself first.
    twins: Vec<Vec<usize>>,
}

impl ColumnAccounts {
    /// Returns the rows of a log's account.
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
            names.push(powers.column_name(column, columns));
            all_twins[column] = twins;
        }
        names.push("constant".to_owned());
        Self { names, joint, twins: all_twins }
    }

    fn constant_row(&self) -> usize {
        self.names.len() - 1
    }
}

/// Energies in joules by row and by the payers that share them.
type JointEnergies = BTreeMap<(usize, Vec<Payer>), f64>;

/// Ledger of a node, which takes stretches of time one after another.
struct ActivityLedger<'a> {
    rows: &'a ColumnAccounts,
    windows: &'a LoggingWindows,
    options: &'a AccountOptions,
    start_ns: i64,
    end_ns: i64,
    whole: EnergySums,
    bins: Vec<EnergySums>,
    times_s: BTreeMap<AccountKey, f64>,
    undetermined_s: BTreeMap<AccountKey, f64>,
    intervals_j: BTreeMap<AccountKey, Option<(f64, f64)>>,
    left_out_s: f64,
}

/// Sums of the whole account or of one time step: energies by payers, measured energy, measured
/// time.
#[derive(Clone, Default)]
struct EnergySums {
    sums: JointEnergies,
    measured_j: f64,
    metered_s: f64,
}

impl EnergySums {
    fn split(&self) -> Split<AccountKey> {
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
    /// Creates an empty ledger for the time of the meter.
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
            whole: EnergySums::default(),
            bins: vec![EnergySums::default(); steps],
            times_s: BTreeMap::new(),
            undetermined_s: BTreeMap::new(),
            intervals_j: BTreeMap::new(),
            left_out_s: 0.0,
        }
    }

    /// Adds a stretch of time: its measured energy, and the energy of its states by payer.
    fn add_segment(
        &mut self,
        segment: &SteadySegment<'_>,
        powers: &Powers,
        columns: &StateColumns,
    ) {
        let time_s = nanoseconds_to_seconds(segment.end_ns - segment.start_ns);
        let Some(measured_j) = segment.measured_j else {
            self.left_out_s += time_s;
            return;
        };
        self.update_sums(segment.start_ns, |pile| {
            pile.measured_j += measured_j;
            pile.metered_s += time_s;
        });
        if time_s <= 0.0 {
            return;
        }
        let constant = (self.rows.constant_row(), vec![Payer::Constant]);
        self.charge(segment, constant, powers.constant);
        for component in 0..segment.states.len() {
            let payers = self.payers(segment, component);
            for payer in &payers {
                let share = time_s / payers.len() as f64;
                *self.times_s.entry((component, *payer)).or_insert(0.0) += share;
            }
            let Some(state) = segment.states[component] else {
                self.add_undetermined_time(component, &payers, time_s);
                continue;
            };
            let Some(column) = columns.of[component][state] else {
                continue; // its baseline is part of the constant
            };
            let fitted = powers.fitted_column(column);
            let joint = fitted.and_then(|(lead, _)| self.rows.joint[lead]);
            if fitted.is_none() || joint.is_some() {
                self.add_undetermined_time(component, &payers, time_s);
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

    fn add_undetermined_time(&mut self, component: usize, payers: &[Payer], time_s: f64) {
        for payer in payers {
            let share = time_s / payers.len() as f64;
            *self.undetermined_s.entry((component, *payer)).or_insert(0.0) += share;
        }
    }

    /// Returns the payers of a component during a stretch of time.
    fn payers(&self, segment: &SteadySegment<'_>, component: usize) -> Vec<Payer> {
        let is_logging = self.options.logging == LoggingAttribution::Apart
            && self.windows.is_logging(component, segment.start_ns);
        let labels = segment.charged[component];
        if is_logging {
            vec![Payer::Logging]
        } else if labels.is_empty() {
            vec![Payer::Nobody]
        } else {
            labels.iter().map(|label| Payer::Activity(*label)).collect()
        }
    }

    /// Returns the payers of components that share one power: their activities, if these agree,
    /// else [`Payer::NotToldApart`].
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
        let time_s = nanoseconds_to_seconds(segment.end_ns - segment.start_ns);
        let share = time_s / key.1.len().max(1) as f64;
        for payer in &key.1 {
            let interval = self.intervals_j.entry((key.0, *payer)).or_insert(Some((0.0, 0.0)));
            *interval = interval
                .zip(power.interval_w)
                .map(|(sum, of)| (sum.0 + of.0 * share, sum.1 + of.1 * share));
        }
        self.update_sums(segment.start_ns, |pile| {
            *pile.sums.entry(key.clone()).or_insert(0.0) += power.w * time_s;
        });
    }

    /// Applies `act` to the sums of the whole and to those of the time step at `at_ns`.
    fn update_sums(&mut self, at_ns: i64, mut act: impl FnMut(&mut EnergySums)) {
        act(&mut self.whole);
        if self.options.step_ns > 0 {
            let at = (at_ns - self.start_ns).div_euclid(self.options.step_ns);
            if let Some(bin) = usize::try_from(at).ok().and_then(|at| self.bins.get_mut(at)) {
                act(bin);
            }
        }
    }

    /// Returns the account, without the cost of logging.
    fn finish(self, log: &NodeLog) -> Account {
        let (start_ns, end_ns, step_ns) = (self.start_ns, self.end_ns, self.options.step_ns);
        let bin = |(at, pile): (usize, &EnergySums)| {
            let start = start_ns + at as i64 * step_ns;
            let end_ns = (start + step_ns).min(end_ns);
            TimeStepEnergy {
                start_ns: start,
                end_ns,
                metered_s: pile.metered_s,
                split: pile.split(),
            }
        };
        let bins = self.bins.iter().enumerate().map(bin);
        let is_something =
            |bin: &TimeStepEnergy| bin.start_ns < bin.end_ns || bin.split.total_j() != 0.0;
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
