//! Energy by component and activity of a node: what `energy.csv` shows, and the same as whole
//! attounits, of which sums over recordings are made.

use wattline_units::atto::Atto;

use super::super::account::{Account, Key, Payer};
use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::{UNEXPLAINED, payer_name, row_name};
use crate::TooLarge;

/// What a component used for an activity.
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

/// All rows of a node but what is unexplained.
pub(super) fn energy_rows(analysis: &Analysis) -> Vec<EnergyRow> {
    let account = analysis.account.as_ref();
    let row = |key: Key| {
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
            interval_j: energy_j.and(account.and_then(|a| interval(a, key))),
        }
    };
    keys(analysis).into_iter().map(row).collect()
}

/// All keys with energy or time.
fn keys(analysis: &Analysis) -> Vec<Key> {
    let mut keys: Vec<Key> = analysis.times_s.keys().copied().collect();
    keys.extend(analysis.account.iter().flat_map(|account| account.split.shares().keys()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The interval of a key; that of a component in its baseline only is nothing, exactly.
fn interval(account: &Account, key: Key) -> Option<(f64, f64)> {
    account.intervals_j.get(&key).copied().unwrap_or(Some((0.0, 0.0)))
}

/// What a component used for an activity, in whole attounits.
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

/// The rows of all nodes. With what is unexplained, which stands last, those of a node add up
/// to what its meter measured, to the last digit.
///
/// # Errors
/// A quantity of 10^20 units or more.
pub fn exact_activities(
    analyses: &[Analysis],
    labels: &Labels,
) -> Result<Vec<ExactActivity>, TooLarge> {
    let mut all = Vec::new();
    for analysis in analyses {
        let rows = energy_rows(analysis).into_iter();
        let rows = rows.map(|row| exact(&analysis.log.node, row, labels));
        let rows: Vec<ExactActivity> = rows.collect::<Result<_, _>>()?;
        let rest = unexplained(analysis, &rows)?;
        all.extend(rows.into_iter().chain(rest));
    }
    Ok(all)
}

fn exact(node: &str, row: EnergyRow, labels: &Labels) -> Result<ExactActivity, TooLarge> {
    let whole = |what, value: Option<f64>| {
        value.map(|value| TooLarge::check(what, &row.component, value)).transpose()
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

/// What the rows of a node leave of what was measured; `None` where nothing was.
fn unexplained(
    analysis: &Analysis,
    rows: &[ExactActivity],
) -> Result<Option<ExactActivity>, TooLarge> {
    let Some(account) = &analysis.account else { return Ok(None) };
    let (node, energies) = (&analysis.log.node, rows.iter().filter_map(|row| row.energy_j));
    let rest = TooLarge::rest(&format!("node {node}"), account.split.total_j(), energies)?;
    Ok(Some(ExactActivity {
        node: node.clone(),
        component: UNEXPLAINED.to_owned(),
        activity: UNEXPLAINED.to_owned(),
        origin: None,
        time_s: None,
        undetermined_s: None,
        energy_j: Some(rest),
        interval_j: None,
    }))
}
