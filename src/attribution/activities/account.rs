//! Powers and periods -> energy by component, activity and time. What the constant term
//! draws is a row of its own, what the powers don't explain of the measured energy is
//! unattributed, and everything adds up to what was measured.

use super::log::{NodeLog, seconds};
use super::logging::{LoggingCost, Windows};
use super::powers::{Power, Powers};
use super::sweep::{Meter, Segment, sweep};
use super::{equations::Columns, label::Label, periods::Periods};
use crate::attribution::Split;

use std::collections::BTreeMap;

/// Who pays for a component's energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Payer {
    /// An activity.
    Activity(Label),
    /// The component drew power while it worked for nobody that is known.
    Nobody,
    /// Components that can't be told apart worked for different activities.
    NotToldApart,
    /// Writing the log.
    Logging,
    /// The constant term: all baselines together.
    Constant,
}

/// Whether writing the log is an activity of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoggingAs {
    /// It is part of the activities in whose time it was written, as in the paper's tables.
    #[default]
    Within,
    /// It is taken out of them.
    Apart,
}

/// How to account.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AccountOptions {
    /// Length of a step of the account over time, in nanoseconds; 0 for no steps.
    pub step_ns: i64,
    /// Where the cost of logging goes.
    pub logging: LoggingAs,
}

/// A row of the account: a component (an index into [`Account::rows`]) and who pays.
pub type Key = (usize, Payer);

/// Energy of one step of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Its start in nanoseconds.
    pub start_ns: i64,
    /// Its end.
    pub end_ns: i64,
    /// Seconds of it that the meter saw.
    pub metered_s: f64,
    /// Its energy.
    pub split: Split<Key>,
}

/// A node's account.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The node's name.
    pub node: String,
    /// Names of the rows: the components, those that can't be told apart, the constant.
    pub rows: Vec<String>,
    /// The energy; its unattributed part is what the powers don't explain.
    pub split: Split<Key>,
    /// 95 % intervals of the energies in joules, from those of the powers, as if all powers
    /// erred together; none where a power has none.
    pub intervals_j: BTreeMap<Key, Option<(f64, f64)>>,
    /// How long each component worked for whom, in seconds.
    pub times_s: BTreeMap<Key, f64>,
    /// The same energy over time.
    pub bins: Vec<Bin>,
    /// Seconds that the meter saw.
    pub metered_s: f64,
    /// Seconds between the first and the last reading that are left out.
    pub left_out_s: f64,
    /// What writing the log cost, where it did.
    pub logging: Option<LoggingCost>,
}

impl Account {
    /// Measured less reconstructed energy, as a part of the measured one; none if nothing
    /// was measured.
    #[must_use]
    pub fn reconstruction_error(&self) -> Option<f64> {
        let total = self.split.total_j();
        (total != 0.0).then(|| (self.split.unattributed_j() / total).abs())
    }

    /// Joules by component row.
    #[must_use]
    pub fn by_row(&self) -> BTreeMap<usize, f64> {
        let mut sums = BTreeMap::new();
        for ((row, _), energy) in self.split.shares() {
            *sums.entry(*row).or_insert(0.0) += energy;
        }
        sums
    }

    /// Joules by who pays.
    #[must_use]
    pub fn by_payer(&self) -> BTreeMap<Payer, f64> {
        let mut sums = BTreeMap::new();
        for ((_, payer), energy) in self.split.shares() {
            *sums.entry(*payer).or_insert(0.0) += energy;
        }
        sums
    }

    /// Whether everything adds up, in all and in each step.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        let steps: f64 = self.bins.iter().map(|bin| bin.split.total_j()).sum();
        let total = self.split.total_j();
        let steps_add_up =
            self.bins.is_empty() || (steps - total).abs() <= 1e-9 * total.abs().max(1e-12);
        self.split.is_conserved()
            && self.bins.iter().all(|bin| bin.split.is_conserved())
            && steps_add_up
    }
}

/// Accounts for a node's energy.
///
/// # Panics
/// If the parts don't add up to what was measured, which would be a mistake in here.
#[must_use]
pub fn account(
    log: &NodeLog,
    periods: &Periods,
    columns: &Columns,
    powers: &Powers,
    options: &AccountOptions,
) -> Account {
    let meter = Meter::of(log);
    let windows = Windows::of(log, periods, columns);
    let rows = Rows::new(log, columns, powers);
    let mut ledger = Ledger::new(&meter, options, &rows, &windows);
    sweep(log, periods, &meter, windows.edges(), options.step_ns, |segment| {
        ledger.segment(segment, powers, columns);
    });
    let mut account = ledger.finish(log);
    let processor_j = windows.component().and_then(|at| account.by_row().get(&at).copied());
    account.logging = windows.cost(powers.constant.w, processor_j);
    assert!(account.is_conserved(), "the parts of {} don't add up", account.node);
    account
}

/// What each component's column is accounted as.
struct Rows {
    names: Vec<String>,
    /// The row of each column that has a power, if components share it.
    joint: Vec<Option<usize>>,
    /// The columns that share a joint column's power, itself first.
    twins: Vec<Vec<usize>>,
}

impl Rows {
    fn new(log: &NodeLog, columns: &Columns, powers: &Powers) -> Self {
        let mut names: Vec<String> = log.components.iter().map(|c| c.name.clone()).collect();
        let count = columns.names.len();
        let (mut joint, mut all_twins) = (vec![None; count], vec![Vec::new(); count]);
        for column in 0..count {
            let twins = powers.twins(column);
            if powers.of[column].is_none() || twins.len() < 2 {
                continue;
            }
            let together: Vec<&str> = twins.iter().map(|k| columns.names[*k].as_str()).collect();
            joint[column] = Some(names.len());
            names.push(together.join(" + "));
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

struct Ledger<'a> {
    rows: &'a Rows,
    windows: &'a Windows,
    options: &'a AccountOptions,
    start_ns: i64,
    end_ns: i64,
    whole: Pile,
    bins: Vec<Pile>,
    times_s: BTreeMap<Key, f64>,
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
            let part = Split::by_weight(*energy, shares, crate::attribution::Capacity::Active)
                .expect("equal shares of a finite energy");
            explained_j += energy;
            split.add(&part);
        }
        split.add(&Split::unattributed(self.measured_j - explained_j));
        split
    }
}

impl<'a> Ledger<'a> {
    fn new(
        meter: &Meter,
        options: &'a AccountOptions,
        rows: &'a Rows,
        windows: &'a Windows,
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
            intervals_j: BTreeMap::new(),
            left_out_s: 0.0,
        }
    }

    fn segment(&mut self, segment: &Segment<'_>, powers: &Powers, columns: &Columns) {
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
            let column = segment.states[component].and_then(|state| columns.of[component][state]);
            let Some((fitted, power)) = column.and_then(|column| powers.fitted(column)) else {
                continue;
            };
            if Some(fitted) != column {
                continue; // its twin pays for both
            }
            let key = match self.rows.joint[fitted] {
                None => (component, payers),
                Some(row) => (row, self.joint_payers(segment, fitted, columns)),
            };
            self.charge(segment, key, power);
        }
    }

    /// Who pays for a component at the moment.
    fn payers(&self, segment: &Segment<'_>, component: usize) -> Vec<Payer> {
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
    fn joint_payers(&self, segment: &Segment<'_>, column: usize, columns: &Columns) -> Vec<Payer> {
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

    fn charge(&mut self, segment: &Segment<'_>, key: (usize, Vec<Payer>), power: Power) {
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
            bins: bins.filter(is_something).collect(),
            metered_s: self.whole.metered_s,
            left_out_s: self.left_out_s,
            logging: None,
        }
    }
}
