//! A node's account: energy by component, activity and time. What the constant term draws
//! is a row of its own, what the powers don't explain of the measured energy is
//! unattributed, and everything adds up to what was measured.

use std::collections::BTreeMap;

use super::label::Label;
use super::logging::LoggingCost;
use crate::Split;

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
    /// How much of that time it was in a state that is not known, or whose power is not
    /// determined by itself: its energy then stands elsewhere (with those from which it
    /// can't be told apart) or nowhere (unexplained).
    pub undetermined_s: BTreeMap<Key, f64>,
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
    pub(crate) fn reconstruction_error(&self) -> Option<f64> {
        let total = self.split.total_j();
        (total != 0.0).then(|| (self.split.unattributed_j() / total).abs())
    }

    /// Joules by component row.
    #[must_use]
    pub(crate) fn by_row(&self) -> BTreeMap<usize, f64> {
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

    /// The 95 % interval of all that a payer pays.
    #[must_use]
    pub(crate) fn payer_interval(&self, payer: Payer) -> Option<(f64, f64)> {
        self.interval(|(_, of)| *of == payer)
    }

    /// The 95 % interval of all that a row used.
    #[must_use]
    pub(crate) fn row_interval(&self, row: usize) -> Option<(f64, f64)> {
        self.interval(|(of, _)| *of == row)
    }

    /// The sum of the intervals of some keys; none where one of them has none.
    fn interval(&self, is_part: impl Fn(&Key) -> bool) -> Option<(f64, f64)> {
        let parts = self.intervals_j.iter().filter(|(key, _)| is_part(key));
        parts
            .map(|(_, interval)| *interval)
            .try_fold((0.0, 0.0), |sum, interval| interval.map(|i| (sum.0 + i.0, sum.1 + i.1)))
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
