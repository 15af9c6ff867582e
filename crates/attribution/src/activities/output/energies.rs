//! Energy by component and activity of a node: what `energy.csv` shows, and the same as whole
//! attounits, of which sums over recordings are made.

use wattline_units::atto::Atto;

use super::super::account::{Account, AccountKey, Payer};
use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::{UNEXPLAINED_NAME, payer_name, row_name};
use crate::QuantityTooLarge;

/// Energy of a component for a payer, with interval and time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EnergyRow {
    /// The row of the account.
    pub row: usize,
    /// The component, or several that can't be told apart.
    pub component: String,
    /// Who pays.
    pub payer: Payer,
    /// Seconds that it worked for it; `None` where that isn't known.
    pub time_s: Option<f64>,
    /// Seconds of them in states of unknown power.
    pub undetermined_s: Option<f64>,
    /// Joules; `None` where no power is determined.
    pub energy_j: Option<f64>,
    /// Its 95 % interval.
    pub interval_j: Option<(f64, f64)>,
}

/// Returns all rows of a node, without the unexplained energy.
pub(super) fn energy_rows(analysis: &Analysis) -> Vec<EnergyRow> {
    let account = analysis.account.as_ref();
    let row = |key: AccountKey| {
        let undetermined_s = account.and_then(|a| a.undetermined_s.get(&key).copied());
        let energy_j = account.and_then(|a| {
            let known = a.split.shares().get(&key).copied();
            // Where no power is determined, no energy is: not 0 J.
            known.or(undetermined_s.is_none().then_some(0.0))
        });
        EnergyRow {
            row: key.0,
            component: row_name(analysis, key.0),
            payer: key.1,
            time_s: analysis.times_s.get(&key).copied(),
            undetermined_s,
            energy_j,
            interval_j: energy_j.and(account.and_then(|a| key_interval(a, key))),
        }
    };
    account_keys(analysis).into_iter().map(row).collect()
}

/// Returns all keys of the account with energy or time.
fn account_keys(analysis: &Analysis) -> Vec<AccountKey> {
    let mut keys: Vec<AccountKey> = analysis.times_s.keys().copied().collect();
    keys.extend(analysis.account.iter().flat_map(|account| account.split.shares().keys()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the interval of a key; exactly zero for a component that stayed in its baseline.
fn key_interval(account: &Account, key: AccountKey) -> Option<(f64, f64)> {
    account.intervals_j.get(&key).copied().unwrap_or(Some((0.0, 0.0)))
}

/// Energy and time of a component for an activity, in whole attounits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactActivity {
    /// The node's name.
    pub node: String,
    /// The component, or several that can't be told apart; `(constant)`, `(unexplained)`.
    pub component: String,
    /// The activity, `origin:name`; `(none)`, `(constant)`, `(unexplained)` and their like.
    pub activity: String,
    /// The node at which it began; `None` for what is no activity.
    pub origin: Option<String>,
    /// Seconds that the component worked for it.
    pub time_s: Option<Atto>,
    /// Seconds of them in states of unknown power.
    pub undetermined_s: Option<Atto>,
    /// Joules; `None` where no power is determined, or nothing was measured.
    pub energy_j: Option<Atto>,
    /// The ends of its 95 % interval.
    pub interval_j: Option<(Atto, Atto)>,
}

/// Returns the rows of all nodes. With the unexplained energy, its last row, a node's rows add up
/// to the measured energy, to the last digit.
///
/// # Errors
/// A quantity of 10^20 units or more.
pub fn exact_activities(
    analyses: &[Analysis],
    labels: &Labels,
) -> Result<Vec<ExactActivity>, QuantityTooLarge> {
    let mut all = Vec::new();
    for analysis in analyses {
        let rows = energy_rows(analysis).into_iter();
        let rows = rows.map(|row| exact_activity(&analysis.log.node, row, labels));
        let rows: Vec<ExactActivity> = rows.collect::<Result<_, _>>()?;
        let rest = unexplained_energy(analysis, &rows)?;
        all.extend(rows.into_iter().chain(rest));
    }
    Ok(all)
}

fn exact_activity(
    node: &str,
    row: EnergyRow,
    labels: &Labels,
) -> Result<ExactActivity, QuantityTooLarge> {
    let whole = |what, value: Option<f64>| {
        value.map(|value| QuantityTooLarge::check(what, &row.component, value)).transpose()
    };
    let origin = match row.payer {
        Payer::Activity(label) => Some(labels.origin(label).to_owned()),
        _ => None,
    };
    let (lo, hi) = row.interval_j.unzip();
    Ok(ExactActivity {
        node: node.to_owned(),
        activity: payer_name(row.payer, labels),
        origin,
        time_s: whole("time_s", row.time_s)?,
        undetermined_s: whole("undetermined_s", row.undetermined_s)?,
        energy_j: whole("energy_j", row.energy_j)?,
        interval_j: whole("energy_lo_j", lo)?.zip(whole("energy_hi_j", hi)?),
        component: row.component,
    })
}

/// Returns the energy that the rows of a node leave of the measured one; `None` without measured
/// energy.
fn unexplained_energy(
    analysis: &Analysis,
    rows: &[ExactActivity],
) -> Result<Option<ExactActivity>, QuantityTooLarge> {
    let Some(account) = &analysis.account else { return Ok(None) };
    let (node, energies) = (&analysis.log.node, rows.iter().filter_map(|row| row.energy_j));
    let rest = QuantityTooLarge::rest(&format!("node {node}"), account.split.total_j(), energies)?;
    Ok(Some(ExactActivity {
        node: node.clone(),
        component: UNEXPLAINED_NAME.to_owned(),
        activity: UNEXPLAINED_NAME.to_owned(),
        origin: None,
        time_s: None,
        undetermined_s: None,
        energy_j: Some(rest),
        interval_j: None,
    }))
}
