//! A node's log -> its powers and its account, in one call; and what all nodes together
//! spent for each activity.

use std::collections::BTreeMap;

use wattline_units::format::counted_as;

use super::account::{Account, AccountKey, AccountOptions, Payer};
use super::equations::{Equations, StateColumns, build_equations};
use super::label::Labels;
use super::ledger::account_for_log;
use super::log::{NodeLog, nanoseconds_to_seconds};
use super::periods::{ComponentPeriods, follow_changes, unknown_state_remarks};
use super::powers::{EquationWeights, Powers, fit_powers};
use super::remark::{Remark, RemarkKind};
use wattline_model::ModelError;

/// Options of an analysis: weights of the regression, options of the account.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AnalysisOptions {
    /// How much each equation counts.
    pub weights: EquationWeights,
    /// How to account.
    pub account: AccountOptions,
}

/// Node's log with its periods, fitted powers and account.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The log.
    pub log: NodeLog,
    /// Its periods.
    pub periods: ComponentPeriods,
    /// Its power states.
    pub columns: StateColumns,
    /// Its equations.
    pub equations: Equations,
    /// Its powers; none without a meter.
    pub powers: Option<Powers>,
    /// Its account; none without a meter.
    pub account: Option<Account>,
    /// How long each component worked for whom, in seconds, over the account or, without
    /// one, over the whole log.
    pub times_s: BTreeMap<AccountKey, f64>,
    /// All that was noticed.
    pub remarks: Vec<Remark>,
}

/// Analyses one log.
///
/// # Errors
/// Equations that can't be solved.
pub fn analyse(
    log: NodeLog,
    labels: &Labels,
    options: &AnalysisOptions,
) -> Result<Analysis, ModelError> {
    let span = log.span().unwrap_or_default();
    let mut periods = follow_changes(&log, labels, span);
    let columns = StateColumns::from_log(&log);
    let equations = build_equations(&log, &periods, &columns);
    let mut remarks = log.remarks.clone();
    remarks.append(&mut periods.remarks);
    remarks.extend(unknown_state_remarks(&log, &periods));
    let (found, account) = if equations.rows.iter().any(|row| row.energy_j > 0.0) {
        let found = fit_powers(&equations, &columns, options.weights)?;
        remarks.extend(found.remarks.iter().cloned());
        let account = account_for_log(&log, &periods, &columns, &found, &options.account);
        (Some(found), Some(account))
    } else {
        let message = "no interval has a measured energy: times are given, energies are not";
        remarks.push(Remark::new(RemarkKind::NoMeter, message));
        (None, None)
    };
    remarks.extend(remark_on_unmetered_changes(&log));
    remarks.extend(account.as_ref().and_then(remark_on_left_out_time));
    let times_s =
        account.as_ref().map_or_else(|| times_without_meter(&periods), |a| a.times_s.clone());
    let powers = found;
    Ok(Analysis { log, periods, columns, equations, powers, account, times_s, remarks })
}

/// Returns a remark on changes before the first or after the last reading of the meter, if there
/// are any.
fn remark_on_unmetered_changes(log: &NodeLog) -> Option<Remark> {
    let (start, end) = log.metered_span()?;
    let is_outside = |at: i64| at < start || at > end;
    let count = log.changes.iter().filter(|change| is_outside(change.at_ns)).count();
    let (first, last) = log.span()?;
    (count > 0).then(|| {
        let message = format!(
            "{} outside of the time that the meter saw ({:.6} s before, {:.6} s after): \
             {} not accounted",
            counted_as(count, "change lies", "changes lie"),
            nanoseconds_to_seconds(start - first),
            nanoseconds_to_seconds(last - end),
            if count == 1 { "it is" } else { "they are" }
        );
        Remark::new(RemarkKind::OutsideMeter, message)
    })
}

fn remark_on_left_out_time(account: &Account) -> Option<Remark> {
    (account.left_out_s > 0.0).then(|| {
        let message = format!(
            "{:.6} s within the log are left out: nothing is known of them",
            account.left_out_s
        );
        Remark::new(RemarkKind::Note, message)
    })
}

/// Returns the seconds by component and payer of a log without a meter.
fn times_without_meter(periods: &ComponentPeriods) -> BTreeMap<AccountKey, f64> {
    let mut times = BTreeMap::new();
    for (component, all) in periods.activities.iter().enumerate() {
        for period in all {
            let time_s = nanoseconds_to_seconds(period.end_ns - period.start_ns);
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

/// Returns the energy in joules by payer, over all nodes that have an account, and the unexplained
/// energy.
#[must_use]
pub fn payer_energies_of_nodes(analyses: &[Analysis]) -> (BTreeMap<Payer, f64>, f64) {
    let mut sums = BTreeMap::new();
    let mut unexplained_j = 0.0;
    for account in analyses.iter().filter_map(|analysis| analysis.account.as_ref()) {
        for (payer, energy) in account.energies_by_payer() {
            *sums.entry(payer).or_insert(0.0) += energy;
        }
        unexplained_j += account.split.unattributed_j();
    }
    (sums, unexplained_j)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{LoggingAttribution, read_csv};
    use super::*;

    fn analysed(lines: &str) -> (Analysis, Labels) {
        let mut labels = Labels::default();
        let log = read_csv(&format!("time_s,component,event,value\n{lines}"), "1", &mut labels);
        (analyse(log, &labels, &AnalysisOptions::default()).unwrap(), labels)
    }

    /// `row payer` to joules.
    fn energies(analysis: &Analysis, labels: &Labels) -> BTreeMap<String, f64> {
        let account = analysis.account.as_ref().unwrap();
        let name = |payer: &Payer| match payer {
            Payer::Activity(label) => labels.name(*label).to_owned(),
            other => format!("{other:?}"),
        };
        let shares = account.split.shares().iter();
        shares
            .map(|((row, payer), j)| (format!("{} {}", account.rows[*row], name(payer)), *j))
            .collect()
    }

    #[test]
    fn several_activities_share_equally_and_idle_pays_nothing() {
        let (analysis, labels) = analysed(
            "0,R,state,off\n0,,energy,0\n1,R,state,on\n1,R,add,a\n1,,energy,1\n2,R,add,b\n\
             3,R,state,off\n3,R,remove,a\n3,R,remove,b\n3,R,set,Idle\n3,,energy,7\n4,,energy,8\n",
        );
        let found = energies(&analysis, &labels);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!((found["R a"] - 3.0).abs() < 1e-9 && (found["R b"] - 1.0).abs() < 1e-9);
        assert!((found["constant Constant"] - 4.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_can_not_be_told_apart_is_charged_only_where_both_agree() {
        let (analysis, labels) = analysed(
            "0,A,state,off\n0,B,state,off\n0,,energy,0\n1,A,state,on\n1,B,state,on\n1,A,set,x\n\
             1,B,set,y\n1,,energy,1\n2,B,set,x\n2,,energy,4\n3,A,state,off\n3,B,state,off\n\
             3,,energy,7\n4,,energy,8\n",
        );
        let found = energies(&analysis, &labels);
        assert!((found["A:on + B:on NotToldApart"] - 2.0).abs() < 1e-9, "{found:?}");
        assert!((found["A:on + B:on x"] - 2.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_step_of_the_clock_is_left_out_of_everything() {
        let (analysis, _) = analysed(
            "0,A,state,off\n0,,energy,0\n1,A,state,on\n1,,energy,1\n2,,energy,4\n3,A,state,off\n\
             3,,energy,1\n4,,energy,2\n",
        );
        let account = analysis.account.unwrap();
        assert!((account.split.total_j() - 5.0).abs() < 1e-9, "1 + 3 + 1 J, not the step back");
        assert!((account.metered_s - 3.0).abs() < 1e-9 && (account.left_out_s - 1.0).abs() < 1e-9);
        assert!(analysis.remarks.iter().any(|r| r.kind == RemarkKind::MeterStep));
    }

    #[test]
    fn components_of_one_class_have_one_power() {
        let mut labels = Labels::default();
        let lines = "0,c0,state,idle\n0,c1,state,idle\n0,,energy,0\n1,c0,state,on\n1,,energy,1\n\
                     2,c1,state,on\n2,,energy,4\n3,,energy,9\n";
        let mut log = read_csv(&format!("time_s,component,event,value\n{lines}"), "1", &mut labels);
        log.components.iter_mut().for_each(|component| component.class = "c".into());
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        assert!((found.powers.unwrap().of[0].unwrap().w - 2.0).abs() < 1e-9);
        let account = found.account.unwrap();
        assert!(
            (account.energies_by_row()[&0] - 4.0).abs() < 1e-9
                && (account.energies_by_row()[&1] - 2.0).abs() < 1e-9
        );
    }

    fn event() -> impl Strategy<Value = String> {
        let component = "[AB]";
        prop_oneof![
            (component, "state,(on|off|x)"),
            (component, "(set|bind|add|remove),(a|b|Idle)"),
            (component, "(clear|lost),"),
            ("", "energy,[0-9]{1,2}"),
        ]
        .prop_map(|(component, event)| format!("{component},{event}"))
    }

    proptest! {
        #[test]
        fn everything_adds_up_whatever_happens(
            events in proptest::collection::vec((0..40u32, event()), 0..60),
            apart in any::<bool>(),
            step_ns in prop_oneof![Just(0i64), 1_000_000i64..10_000_000_000],
        ) {
            let mut events = events;
            events.sort_by_key(|(at, _)| *at);
            let lines: Vec<String> =
                events.iter().map(|(at, event)| format!("{},{event}", f64::from(*at) / 4.0)).collect();
            let text = format!("time_s,component,event,value\n{}", lines.join("\n"));
            let mut labels = Labels::default();
            let log = read_csv(&text, "1", &mut labels);
            let logging = if apart { LoggingAttribution::Apart } else { LoggingAttribution::Within };
            let account = AccountOptions { step_ns, logging };
            let options = AnalysisOptions { account, ..AnalysisOptions::default() };
            if let Ok(found) = analyse(log, &labels, &options)
                && let Some(account) = found.account
            {
                prop_assert!(account.is_conserved());
                let whole: f64 = account.energies_by_payer().values().sum::<f64>() + account.split.unattributed_j();
                let total = account.split.total_j();
                prop_assert!((whole - total).abs() <= 1e-9 * (1.0 + total.abs()));
            }
        }
    }
}
