//! A node's account: energy by component, activity and time. What the constant term draws
//! is a row of its own, what the powers don't explain of the measured energy is
//! unattributed, and everything adds up to what was measured.

use std::collections::BTreeMap;

use super::label::Label;
use super::logging::LoggingCost;
use crate::Split;

/// Payer of a component's energy: an activity, the log's writing, nobody, or activities that cannot
/// be separated.
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

/// Activity that the energy of writing the log counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoggingAttribution {
    /// The activities in whose time it was written, as in the paper's tables.
    #[default]
    Within,
    /// An activity of its own.
    Apart,
}

/// Options of the account: length of its time steps, treatment of the cost of logging.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AccountOptions {
    /// Length of a step of the account over time, in nanoseconds; 0 for no steps.
    pub step_ns: i64,
    /// Activity that the cost of logging counts for.
    pub logging: LoggingAttribution,
}

/// Key of an energy in the account: a component (an index into [`Account::rows`]) and its payer.
pub type AccountKey = (usize, Payer);

/// Energy of one time step by component and payer.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeStepEnergy {
    /// Start in nanoseconds.
    pub start_ns: i64,
    /// End in nanoseconds.
    pub end_ns: i64,
    /// Seconds of the step that the meter covers.
    pub metered_s: f64,
    /// Energy of the step in joules.
    pub split: Split<AccountKey>,
}

/// Energy of a node by component, payer and time, with intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The node's name.
    pub node: String,
    /// Names of the rows: the components, those that can't be told apart, the constant.
    pub rows: Vec<String>,
    /// The energy; its unattributed part is what the powers don't explain.
    pub split: Split<AccountKey>,
    /// 95 % intervals of the energies in joules, from those of the powers, as if all powers
    /// erred together; none where a power has none.
    pub intervals_j: BTreeMap<AccountKey, Option<(f64, f64)>>,
    /// How long each component worked for whom, in seconds.
    pub times_s: BTreeMap<AccountKey, f64>,
    /// How much of that time it was in a state that is not known, or whose power is not
    /// determined by itself: its energy then stands elsewhere (with those from which it
    /// can't be told apart) or nowhere (unexplained).
    pub undetermined_s: BTreeMap<AccountKey, f64>,
    /// The same energy over time.
    pub bins: Vec<TimeStepEnergy>,
    /// Seconds that the meter saw.
    pub metered_s: f64,
    /// Seconds between the first and the last reading that are left out.
    pub left_out_s: f64,
    /// What writing the log cost, where it did.
    pub logging: Option<LoggingCost>,
}

impl Account {
    /// Returns the absolute difference of measured and reconstructed energy as a share of the
    /// measured energy; `None` if nothing was measured.
    #[must_use]
    pub(crate) fn reconstruction_error(&self) -> Option<f64> {
        let total = self.split.total_j();
        (total != 0.0).then(|| (self.split.unattributed_j() / total).abs())
    }

    /// Returns the energy in joules of each row (component), over all payers.
    #[must_use]
    pub(crate) fn energies_by_row(&self) -> BTreeMap<usize, f64> {
        let mut sums = BTreeMap::new();
        for ((row, _), energy) in self.split.shares() {
            *sums.entry(*row).or_insert(0.0) += energy;
        }
        sums
    }

    /// Returns the energy in joules of each payer, over all components.
    #[must_use]
    pub fn energies_by_payer(&self) -> BTreeMap<Payer, f64> {
        let mut sums = BTreeMap::new();
        for ((_, payer), energy) in self.split.shares() {
            *sums.entry(*payer).or_insert(0.0) += energy;
        }
        sums
    }

    /// Returns the 95 % interval, in joules, of a payer's energy over all components.
    #[must_use]
    pub(crate) fn payer_interval(&self, payer: Payer) -> Option<(f64, f64)> {
        self.summed_interval(|(_, of)| *of == payer)
    }

    /// Returns the 95 % interval, in joules, of a row's energy over all payers.
    #[must_use]
    pub(crate) fn row_interval(&self, row: usize) -> Option<(f64, f64)> {
        self.summed_interval(|(of, _)| *of == row)
    }

    /// Returns the sum of the intervals of the keys that `is_part` selects; `None` if one of them
    /// has no interval.
    fn summed_interval(&self, is_part: impl Fn(&AccountKey) -> bool) -> Option<(f64, f64)> {
        let parts = self.intervals_j.iter().filter(|(key, _)| is_part(key));
        parts
            .map(|(_, interval)| *interval)
            .try_fold((0.0, 0.0), |sum, interval| interval.map(|i| (sum.0 + i.0, sum.1 + i.1)))
    }

    /// Whether shares and unattributed energy add up to the total, in the whole and in each time
    /// step.
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
