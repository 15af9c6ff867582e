//! View of the methods with the largest inclusive energies: where to look first.

use std::collections::BTreeMap;

use crate::account::calls::{CallAccounts, MethodCallAccount, SpentEnergy};
use crate::account::{AccountEntry, MethodKey};
use crate::format;
use crate::report::data::ReportData;
use crate::report::view::calls::{CallMethodView, figure, method_row, short_method_name};
use crate::report::view::links::SourceLinks;

/// Number of methods in the table.
const TOP: usize = 5;
/// Self energy relative to the inclusive energy below which a method may hand on ...
const OWN_LEAST: f64 = 0.02;
/// ... to one callee with more than this share of its inclusive energy.
const HANDED_ON: f64 = 0.9;

/// Table of the most expensive methods.
pub(crate) struct MostExpensiveMethods {
    /// Methods by inclusive energy, where calls were recorded; else by self energy.
    pub rows: Vec<CallMethodView>,
    /// Whether calls were recorded.
    pub with_callees: bool,
    /// Why calls cannot be recorded; `None` where they can.
    pub no_calls: Option<String>,
    /// Methods left out because nearly all their energy is one callee's.
    pub handing_on: Vec<String>,
}

/// Table of the five most expensive methods.
pub(crate) fn most_expensive_methods(
    data: &ReportData<'_>,
    links: &SourceLinks<'_>,
) -> MostExpensiveMethods {
    match data.calls {
        Some(calls) => with_callees(calls, links),
        None => by_self_energy(data, links),
    }
}

fn with_callees(calls: &CallAccounts, links: &SourceLinks<'_>) -> MostExpensiveMethods {
    let (mut rows, mut handing_on) = (Vec::new(), Vec::new());
    for one in &calls.methods {
        if rows.len() == TOP {
            break;
        }
        if is_handing_on(calls, one) {
            handing_on.push(short_method_name(&one.method));
        } else {
            rows.push(method_row(one, links));
        }
    }
    MostExpensiveMethods { rows, with_callees: true, no_calls: None, handing_on }
}

/// Whether a method has almost no self energy and one callee has almost all of its energy.
fn is_handing_on(calls: &CallAccounts, one: &MethodCallAccount) -> bool {
    let all = one.cumulative.energy.joules().0;
    let most = costliest_callee_j(calls, &one.method);
    one.own.energy.joules().0 < OWN_LEAST * all && most > HANDED_ON * all
}

/// Energy in joules of the costliest callee of a method, below that method.
fn costliest_callee_j(calls: &CallAccounts, caller: &MethodKey) -> f64 {
    let mut callees: BTreeMap<&MethodKey, f64> = BTreeMap::new();
    for node in &calls.nodes {
        let parent = node.parent.map(|parent| &calls.nodes[parent].method);
        if parent == Some(caller) {
            *callees.entry(&node.method).or_default() += node.cumulative.energy.joules().0;
        }
    }
    callees.into_values().fold(0.0, f64::max)
}

fn by_self_energy(data: &ReportData<'_>, links: &SourceLinks<'_>) -> MostExpensiveMethods {
    let row = |entry: &AccountEntry<MethodKey>| {
        let (energy, interval, share) = (entry.energy, entry.interval, entry.share);
        let own = SpentEnergy { energy, interval, share };
        CallMethodView {
            name: short_method_name(&entry.key),
            href: links.method_of(&entry.key),
            calls: format::count(entry.executions),
            calls_raw: entry.executions,
            own: figure(&own),
            cumulative: figure(&own),
        }
    };
    let rows = data.accounts.methods.iter().take(TOP).map(row).collect();
    let no_calls = data.no_calls.map(str::to_owned);
    MostExpensiveMethods { rows, with_callees: false, no_calls, handing_on: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{report_page, sample};

    #[test]
    fn methods_are_with_what_they_call_where_that_is_known() {
        let mut sample = sample::report();
        let view = most_expensive_methods(&sample.data(), &SourceLinks::default());
        assert!(view.with_callees && view.rows.len() == TOP);
        let energies: Vec<f64> = view.rows.iter().map(|row| row.cumulative.raw).collect();
        assert!(energies.windows(2).all(|pair| pair[0] >= pair[1]), "{energies:?}");
        assert!(view.rows[0].cumulative.raw > view.rows[0].own.raw);
        sample.calls = None;
        let view = most_expensive_methods(&sample.data(), &SourceLinks::default());
        assert!(!view.with_callees && view.rows.len() == TOP);
        assert_eq!(view.rows[0].name, short_method_name(&sample.accounts.methods[0].key));
    }

    /// A command that would be refused is no advice.
    #[test]
    fn where_calls_can_not_be_recorded_the_page_says_why() {
        let mut sample = sample::report();
        sample.calls = None;
        let advice = "<code>wattline calls</code> does)";
        assert!(report_page(&sample.data()).contains(advice));
        let data = ReportData { no_calls: Some("they are of Android"), ..sample.data() };
        let page = report_page(&data);
        assert!(page.contains("By what they spend themselves: they are of Android."));
        assert!(!page.contains(advice));
    }

    #[test]
    fn a_method_that_only_hands_on_is_named_and_left_out() {
        let mut sample = sample::report();
        let calls = sample.calls.as_mut().unwrap();
        let first = calls.methods[0].method.clone();
        let first_node = calls.nodes.iter().position(|node| node.method == first).unwrap();
        calls.methods[0].own = SpentEnergy::default();
        calls.nodes[first_node + 1].cumulative = calls.methods[0].cumulative;
        let view = most_expensive_methods(&sample.data(), &SourceLinks::default());
        assert_eq!(view.handing_on, [short_method_name(&first)]);
        assert!(view.rows.iter().all(|row| row.name != short_method_name(&first)));
    }
}
