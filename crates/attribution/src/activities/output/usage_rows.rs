//! The figures of every state, component and activity of a node: how long, how often, at what
//! power, and what that adds to the node's mean power. Tables, pages and comparisons show these.

use std::collections::BTreeSet;

use super::super::account::{Account, Payer};
use super::super::analysis::Analysis;
use super::super::column_roles::ColumnRole;
use super::super::label::Labels;
use super::super::log::NodeLog;
use super::super::powers::FittedPower;
use super::super::usage::{NodeUsage, Occupancy};
use super::{TOTAL_NAME, optional_field, payer_name, row_name};

/// Subject of a row: a state, a component, an activity or a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageSubject {
    /// A power state of a component.
    State,
    /// A component away from its baseline.
    Component,
    /// An activity.
    Activity,
    /// The node as a whole.
    Node,
}

impl UsageSubject {
    /// Returns the word for the subject in tables.
    #[must_use]
    pub fn subject_word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Component => "component",
            Self::Activity => "activity",
            Self::Node => "node",
        }
    }
}

/// Figures of a state, a component, an activity or a node; unknown ones are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRow {
    /// What the row is about.
    pub of: UsageSubject,
    /// Its name.
    pub name: String,
    /// How long and how often.
    pub occupancy: Option<Occupancy>,
    /// The seconds that duty cycle and mean power are over.
    pub watched_s: f64,
    /// Power while it is so.
    pub power: Option<FittedPower>,
    /// Joules.
    pub energy_j: Option<f64>,
    /// Their 95 % interval.
    pub interval_j: Option<(f64, f64)>,
}

impl UsageRow {
    /// Returns the share of the node's time.
    #[must_use]
    pub fn duty_cycle(&self) -> Option<f64> {
        self.occupancy.and_then(|occupancy| self.per_second(occupancy.time_s))
    }

    /// Returns the contribution to the node's mean power in watts.
    #[must_use]
    pub fn mean_power_w(&self) -> Option<f64> {
        self.energy_j.and_then(|energy| self.per_second(energy))
    }

    /// Returns the 95 % interval of the contribution to the mean power in watts.
    #[must_use]
    pub fn mean_power_interval_w(&self) -> Option<(f64, f64)> {
        let (lo, hi) = self.interval_j?;
        self.per_second(lo).zip(self.per_second(hi))
    }

    /// Returns time, duty cycle and occurrences as fields of a table.
    pub(super) fn occupancy_fields(&self) -> [String; 3] {
        [
            optional_field(self.occupancy.map(|of| of.time_s)),
            optional_field(self.duty_cycle()),
            self.occupancy.map_or(String::new(), |of| of.occurrences.to_string()),
        ]
    }

    /// Returns the power in the state, with the ends of its interval, as fields of a table.
    pub(super) fn power_fields(&self) -> [String; 3] {
        self.power_w().map(optional_field)
    }

    /// Returns the current in the state, with the ends of its interval, as fields of a table; empty
    /// without a known supply voltage.
    pub(super) fn current_fields(&self, log: &NodeLog) -> [String; 3] {
        self.power_w().map(|power| optional_field(log.current_a(power)))
    }

    fn power_w(&self) -> [Option<f64>; 3] {
        let interval = self.power.and_then(|power| power.interval_w);
        [self.power.map(|power| power.w), interval.map(|i| i.0), interval.map(|i| i.1)]
    }

    /// Returns the contribution to the mean power, with the ends of its interval, as fields of a
    /// table.
    pub(super) fn mean_power_fields(&self) -> [String; 3] {
        let interval = self.mean_power_interval_w();
        [self.mean_power_w(), interval.map(|i| i.0), interval.map(|i| i.1)].map(optional_field)
    }

    fn per_second(&self, value: f64) -> Option<f64> {
        (self.watched_s > 0.0).then(|| value / self.watched_s)
    }
}

/// Returns the row of a state. The baseline's energy is part of the constant; a power that several
/// states share is in none of their rows.
pub(super) fn state_row(
    analysis: &Analysis,
    usage: &NodeUsage,
    component: usize,
    state: usize,
) -> UsageRow {
    let column = analysis.columns.of[component][state];
    let own = analysis.powers.as_ref().zip(column);
    let own = own.filter(|(powers, column)| powers.twins(*column).len() == 1);
    let of = &analysis.log.components[component];
    let name = format!("{}:{}", of.name, of.states[state]);
    let power = own.and_then(|(powers, column)| powers.of[column]);
    powered_row(name, usage, Some(usage.states[component][state]), power)
}

/// Returns the row of a subject that draws a power for a time; without energy where either is
/// unknown.
fn powered_row(
    name: String,
    usage: &NodeUsage,
    occupancy: Option<Occupancy>,
    power: Option<FittedPower>,
) -> UsageRow {
    let joules = |watts: f64| occupancy.map(|of| watts * of.time_s);
    let interval = power.and_then(|power| power.interval_w);
    UsageRow {
        of: UsageSubject::State,
        name,
        occupancy,
        watched_s: usage.watched_s,
        power,
        energy_j: power.and_then(|power| joules(power.w)),
        interval_j: interval.and_then(|(lo, hi)| joules(lo).zip(joules(hi))),
    }
}

/// Returns the row of the constant, which is drawn all the time; `None` without powers.
pub(super) fn constant_row(analysis: &Analysis, usage: &NodeUsage) -> Option<UsageRow> {
    let constant = analysis.powers.as_ref()?.constant;
    let always = Occupancy { time_s: usage.watched_s, occurrences: 1 };
    Some(powered_row("(constant)".to_owned(), usage, Some(always), Some(constant)))
}

/// Returns the rows of powers that several states share, with the names of the states.
pub(super) fn joint_rows(analysis: &Analysis, usage: &NodeUsage) -> Vec<(String, UsageRow)> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let is_joint = |column: &usize| {
        powers.twins(*column).len() > 1 && !matches!(powers.roles[*column], ColumnRole::SameAs(_))
    };
    let row = |column: usize| {
        let name = powers.column_name(column, &analysis.columns);
        let row = powered_row(name.clone(), usage, None, powers.of[column]);
        (name, row)
    };
    (0..powers.roles.len()).filter(is_joint).map(row).collect()
}

/// Returns the rows of all states of a component.
pub(super) fn state_rows(
    analysis: &Analysis,
    usage: &NodeUsage,
    component: usize,
) -> Vec<UsageRow> {
    let states = 0..analysis.log.components[component].states.len();
    states.map(|state| state_row(analysis, usage, component, state)).collect()
}

/// Returns the row of a component, over all states except its baseline.
pub(super) fn component_row(analysis: &Analysis, usage: &NodeUsage, component: usize) -> UsageRow {
    let account = analysis.account.as_ref();
    let energy_j = account.and_then(|account| account.energies_by_row().get(&component).copied());
    UsageRow {
        of: UsageSubject::Component,
        name: row_name(analysis, component),
        occupancy: Some(usage.components[component]),
        watched_s: usage.watched_s,
        power: None,
        energy_j,
        interval_j: account.zip(energy_j).and_then(|(a, _)| a.row_interval(component)),
    }
}

/// Returns the rows of all payers, also of those without energy where there is no meter; idle times
/// have no payer.
pub(super) fn activity_rows(
    analysis: &Analysis,
    usage: &NodeUsage,
    labels: &Labels,
) -> Vec<UsageRow> {
    let account = analysis.account.as_ref();
    let energies = account.map(Account::energies_by_payer).unwrap_or_default();
    let busy = usage.activities.keys().filter(|label| !labels.is_idle(**label));
    let payers: BTreeSet<Payer> =
        busy.map(|label| Payer::Activity(*label)).chain(energies.keys().copied()).collect();
    let row = |payer: Payer| UsageRow {
        of: UsageSubject::Activity,
        name: payer_name(payer, labels),
        occupancy: match payer {
            Payer::Activity(label) => usage.activities.get(&label).copied(),
            _ => None,
        },
        watched_s: usage.watched_s,
        power: None,
        energy_j: energies.get(&payer).copied(),
        interval_j: account
            .and_then(|a| energies.contains_key(&payer).then(|| a.payer_interval(payer)).flatten()),
    };
    payers.into_iter().map(row).collect()
}

/// Returns the row of the whole node, by its meter.
pub(super) fn node_row(analysis: &Analysis, usage: &NodeUsage) -> UsageRow {
    let account = analysis.account.as_ref();
    UsageRow {
        of: UsageSubject::Node,
        name: TOTAL_NAME.to_owned(),
        occupancy: Some(Occupancy { time_s: usage.watched_s, occurrences: 1 }),
        watched_s: usage.watched_s,
        power: None,
        energy_j: account.map(|account| account.split.total_j()),
        interval_j: None,
    }
}

/// Returns all rows of a node: states, components, activities, the node itself.
#[must_use]
pub fn usage_rows(analysis: &Analysis, labels: &Labels) -> Vec<UsageRow> {
    let usage = NodeUsage::of(analysis);
    let components = 0..analysis.log.components.len();
    let states = components.clone().flat_map(|at| state_rows(analysis, &usage, at));
    let whole = components.map(|at| component_row(analysis, &usage, at));
    let activities = activity_rows(analysis, &usage, labels);
    states.chain(whole).chain(activities).chain([node_row(analysis, &usage)]).collect()
}
