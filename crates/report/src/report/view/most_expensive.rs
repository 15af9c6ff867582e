//! The methods that spend most with all that they call: where to look first.

use std::collections::BTreeMap;

use crate::account::calls::{CallAccounts, MethodCalls, SpentEnergy};
use crate::account::{AccountEntry, MethodKey};
use crate::format;
use crate::report::data::ReportData;
use crate::report::view::calls::{CallMethodView, figure, method, name};
use crate::report::view::links::Links;

/// Methods in the table.
const TOP: usize = 5;
/// A method hands on if it spends less than this part of its energy itself ...
const OWN_LEAST: f64 = 0.02;
/// ... and one of those it calls has more than this part of it.
const HANDED_ON: f64 = 0.9;

/// The methods.
pub(crate) struct MostExpensiveMethods {
    /// With what they call, where calls were recorded; else by what they spend themselves.
    pub rows: Vec<CallMethodView>,
    /// Whether calls were recorded.
    pub with_callees: bool,
    /// Why they can't be, where they can't.
    pub no_calls: Option<String>,
    /// Methods left out, for they hand nearly all on to one other.
    pub handing_on: Vec<String>,
}

/// The five most expensive methods.
pub(crate) fn most_expensive_methods(
    data: &ReportData<'_>,
    links: &Links<'_>,
) -> MostExpensiveMethods {
    match data.calls {
        Some(calls) => with_callees(calls, links),
        None => by_themselves(data, links),
    }
}

fn with_callees(calls: &CallAccounts, links: &Links<'_>) -> MostExpensiveMethods {
    let (mut rows, mut handing_on) = (Vec::new(), Vec::new());
    for one in &calls.methods {
        if rows.len() == TOP {
            break;
        }
        if hands_on(calls, one) {
            handing_on.push(name(&one.method));
        } else {
            rows.push(method(one, links));
        }
    }
    MostExpensiveMethods { rows, with_callees: true, no_calls: None, handing_on }
}

/// Whether a method spends next to nothing itself and one that it calls has nearly all.
fn hands_on(calls: &CallAccounts, one: &MethodCalls) -> bool {
    let all = one.cumulative.energy.joules().0;
    let most = one_callee_most(calls, &one.method);
    one.own.energy.joules().0 < OWN_LEAST * all && most > HANDED_ON * all
}

/// What the costliest single callee of a method spends below it, in joules.
fn one_callee_most(calls: &CallAccounts, caller: &MethodKey) -> f64 {
    let mut callees: BTreeMap<&MethodKey, f64> = BTreeMap::new();
    for node in &calls.nodes {
        let parent = node.parent.map(|parent| &calls.nodes[parent].method);
        if parent == Some(caller) {
            *callees.entry(&node.method).or_default() += node.cumulative.energy.joules().0;
        }
    }
    callees.into_values().fold(0.0, f64::max)
}

fn by_themselves(data: &ReportData<'_>, links: &Links<'_>) -> MostExpensiveMethods {
    let row = |entry: &AccountEntry<MethodKey>| {
        let (energy, interval, share) = (entry.energy, entry.interval, entry.share);
        let own = SpentEnergy { energy, interval, share };
        CallMethodView {
            name: name(&entry.key),
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
    use crate::report::{html, sample};

    #[test]
    fn methods_are_with_what_they_call_where_that_is_known() {
        let mut sample = sample::report();
        let view = most_expensive_methods(&sample.data(), &Links::default());
        assert!(view.with_callees && view.rows.len() == TOP);
        let energies: Vec<f64> = view.rows.iter().map(|row| row.cumulative.raw).collect();
        assert!(energies.windows(2).all(|pair| pair[0] >= pair[1]), "{energies:?}");
        assert!(view.rows[0].cumulative.raw > view.rows[0].own.raw);
        sample.calls = None;
        let view = most_expensive_methods(&sample.data(), &Links::default());
        assert!(!view.with_callees && view.rows.len() == TOP);
        assert_eq!(view.rows[0].name, name(&sample.accounts.methods[0].key));
    }

    /// A command that would be refused is no advice.
    #[test]
    fn where_calls_can_not_be_recorded_the_page_says_why() {
        let mut sample = sample::report();
        sample.calls = None;
        let advice = "<code>wattline calls</code> does)";
        assert!(html(&sample.data()).contains(advice));
        let data = ReportData { no_calls: Some("they are of Android"), ..sample.data() };
        let page = html(&data);
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
        let view = most_expensive_methods(&sample.data(), &Links::default());
        assert_eq!(view.handing_on, [name(&first)]);
        assert!(view.rows.iter().all(|row| row.name != name(&first)));
    }
}
