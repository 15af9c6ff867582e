//! A node's log -> its powers and its account, in one call; and what all nodes together
//! spent for each activity.

use std::collections::BTreeMap;

use super::account::{Account, AccountOptions, Key, Payer, account};
use super::equations::{Columns, Equations, equations};
use super::label::Labels;
use super::log::{NodeLog, seconds};
use super::periods::{Periods, follow, unknown_states};
use super::powers::{Powers, Weights, powers};
use super::remark::{Remark, RemarkKind};
use crate::model::ModelError;

/// How to analyse.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// How much each equation counts.
    pub weights: Weights,
    /// How to account.
    pub account: AccountOptions,
}

/// A node's log and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The log.
    pub log: NodeLog,
    /// Its periods.
    pub periods: Periods,
    /// Its power states.
    pub columns: Columns,
    /// Its equations.
    pub equations: Equations,
    /// Its powers; none without a meter.
    pub powers: Option<Powers>,
    /// Its account; none without a meter.
    pub account: Option<Account>,
    /// How long each component worked for whom, in seconds, over the account or, without
    /// one, over the whole log.
    pub times_s: BTreeMap<Key, f64>,
    /// All that was noticed.
    pub remarks: Vec<Remark>,
}

/// Analyses one log.
///
/// # Errors
/// Equations that can't be solved.
pub fn analyse(log: NodeLog, labels: &Labels, options: &Options) -> Result<Analysis, ModelError> {
    let span = log.span().unwrap_or_default();
    let mut periods = follow(&log, labels, span);
    let columns = Columns::of(&log);
    let equations = equations(&log, &periods, &columns);
    let mut remarks = log.remarks.clone();
    remarks.append(&mut periods.remarks);
    remarks.extend(unknown_states(&log, &periods));
    let (found, account) = if equations.rows.iter().any(|row| row.energy_j > 0.0) {
        let found = powers(&equations, &columns, options.weights)?;
        remarks.extend(found.remarks.iter().cloned());
        let account = account(&log, &periods, &columns, &found, &options.account);
        (Some(found), Some(account))
    } else {
        let message = "no interval has a measured energy: times are given, energies are not";
        remarks.push(Remark::new(RemarkKind::NoMeter, message));
        (None, None)
    };
    remarks.extend(outside(&log));
    remarks.extend(account.as_ref().and_then(left_out));
    let times_s = account.as_ref().map_or_else(|| times(&periods), |a| a.times_s.clone());
    let powers = found;
    Ok(Analysis { log, periods, columns, equations, powers, account, times_s, remarks })
}

/// Changes before the first or after the last reading.
fn outside(log: &NodeLog) -> Option<Remark> {
    let (start, end) = log.metered()?;
    let is_outside = |at: i64| at < start || at > end;
    let count = log.changes.iter().filter(|change| is_outside(change.at_ns)).count();
    let (first, last) = log.span()?;
    (count > 0).then(|| {
        let message = format!(
            "{count} changes lie outside of the time that the meter saw ({:.6} s before, {:.6} s \
             after): they are not accounted",
            seconds(start - first),
            seconds(last - end)
        );
        Remark::new(RemarkKind::OutsideMeter, message)
    })
}

fn left_out(account: &Account) -> Option<Remark> {
    (account.left_out_s > 0.0).then(|| {
        let message = format!(
            "{:.6} s within the log are left out: nothing is known of them",
            account.left_out_s
        );
        Remark::new(RemarkKind::Note, message)
    })
}

/// Times of a log without a meter.
fn times(periods: &Periods) -> BTreeMap<Key, f64> {
    let mut times = BTreeMap::new();
    for (component, all) in periods.activities.iter().enumerate() {
        for period in all {
            let time_s = seconds(period.end_ns - period.start_ns);
            let payers: Vec<Payer> = match period.charged.as_slice() {
                [] => vec![Payer::Nobody],
                labels => labels.iter().map(|label| Payer::Activity(*label)).collect(),
            };
            for payer in &payers {
                *times.entry((component, *payer)).or_insert(0.0) += time_s / payers.len() as f64;
            }
        }
    }
    times
}

/// Joules by who pays, over all nodes that have an account; the last element is what is
/// unexplained.
#[must_use]
pub fn network(analyses: &[Analysis]) -> (BTreeMap<Payer, f64>, f64) {
    let mut sums = BTreeMap::new();
    let mut unexplained_j = 0.0;
    for account in analyses.iter().filter_map(|analysis| analysis.account.as_ref()) {
        for (payer, energy) in account.by_payer() {
            *sums.entry(payer).or_insert(0.0) += energy;
        }
        unexplained_j += account.split.unattributed_j();
    }
    (sums, unexplained_j)
}
