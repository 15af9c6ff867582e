//! Views of calls: flame graph, inclusive energies of methods, and threads.

use std::collections::BTreeMap;

use super::flame::{FlameTarget, FlameView, ROW, WIDTH, draw};
use super::links::SourceLinks;
use crate::account::MethodKey;
use crate::account::calls::{CallAccounts, CallNodeAccount, MethodCallAccount, SpentEnergy};
use crate::format;
use crate::report::data::ReportData;

/// Largest number of levels of the flame graph; deeper calls are part of their caller's box.
const LEVELS_MAX: usize = 60;
/// Anchor of the table of threads.
const THREADS: &str = "#threads";
/// Largest number of rows of a table.
const TOP: usize = 100;

/// Views of calls on the page.
pub(crate) struct CallsView {
    /// Flame graph of threads and methods, as wide as their inclusive energies.
    pub flame: FlameView,
    /// Methods by inclusive energy.
    pub methods: Vec<CallMethodView>,
    /// Threads by energy.
    pub threads: Vec<ThreadView>,
    /// Sentence on the agreement of the run that recorded calls with the measured ones.
    pub sentence: String,
}

/// Row of the table of methods by inclusive energy.
pub(crate) struct CallMethodView {
    /// Class without its package, and method.
    pub name: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Number of calls as text.
    pub calls: String,
    /// Number of calls, for sorting.
    pub calls_raw: u64,
    /// Self energy.
    pub own: FigureView,
    /// Inclusive energy.
    pub cumulative: FigureView,
}

/// An energy as text, with interval and share.
pub(crate) struct FigureView {
    /// Energy with its unit.
    pub energy: String,
    /// Energy in joules, for sorting.
    pub raw: f64,
    /// 95 % interval or none.
    pub interval: String,
    /// Part of the energy above idle.
    pub share: String,
}

/// Row of the table of threads.
pub(crate) struct ThreadView {
    /// Its name.
    pub name: String,
    /// Energy of the thread.
    pub figure: FigureView,
}

/// Views of calls; `None` where they were not recorded.
pub fn call_views(data: &ReportData<'_>, links: &SourceLinks<'_>) -> Option<CallsView> {
    let calls = data.calls?;
    let methods = calls.methods.iter().take(TOP).map(|one| method_row(one, links));
    let threads = calls.threads.iter().take(TOP).map(|one| {
        let (energy, interval, share) = (one.energy, one.interval, one.share);
        let figure = figure(&SpentEnergy { energy, interval, share });
        ThreadView { name: format::visible(&one.key), figure }
    });
    Some(CallsView {
        flame: picture(
            calls,
            &CallLinks {
                whole_j: data.accounts.ledger.above_idle().joules().0,
                everything: FlameTarget::everything(),
                threads: THREADS,
                method: &|method| links.method_of(method),
            },
        ),
        methods: methods.collect(),
        threads: threads.collect(),
        sentence: format!(
            "In the run that recorded the calls {}. A block's energy is divided by the counts of \
             that run.",
            calls.agreement
        ),
    })
}

/// Row of one method.
pub(super) fn method_row(one: &MethodCallAccount, links: &SourceLinks<'_>) -> CallMethodView {
    CallMethodView {
        name: short_method_name(&one.method),
        href: links.method_of(&one.method),
        calls: format::count(one.calls),
        calls_raw: one.calls,
        own: figure(&one.own),
        cumulative: figure(&one.cumulative),
    }
}

/// Name of a method: class without its package, and method.
pub(super) fn short_method_name(method: &MethodKey) -> String {
    let class = method.class.rsplit('.').next().unwrap_or(&method.class);
    format::visible(&format!("{class}.{}", method.method))
}

pub(super) fn figure(of: &SpentEnergy) -> FigureView {
    FigureView {
        energy: format::energy(of.energy.joules()),
        raw: of.energy.joules().0,
        interval: format::interval(of.interval),
        share: format::percent_or_none(of.share),
    }
}

/// Link targets of the boxes of a flame graph.
struct CallLinks<'a> {
    /// Energy that shares are relative to.
    whole_j: f64,
    /// Box above all others.
    everything: FlameTarget,
    /// Anchor of the table of threads; empty without one.
    threads: &'a str,
    /// Link of a method; empty where it is not on the page.
    method: &'a dyn Fn(&MethodKey) -> String,
}

/// Flame graph of a page without sources; shares are relative to `whole_j` joules.
pub(crate) fn plain_picture(calls: &CallAccounts, whole_j: f64) -> FlameView {
    let everything = FlameTarget { name: "all methods".into(), ..FlameTarget::default() };
    picture(calls, &CallLinks { whole_j, everything, threads: "", method: &|_| String::new() })
}

/// Flame graph of all threads, with calls below them.
fn picture(calls: &CallAccounts, places: &CallLinks<'_>) -> FlameView {
    let mut view = FlameView::new(places.whole_j);
    let energy = |node: &CallNodeAccount| node.cumulative.energy.joules().0;
    let whole: f64 = calls.threads.iter().map(|thread| thread.joules().0.max(0.0)).sum();
    if whole <= 0.0 {
        view.height = format!("{ROW:.0}");
        return view;
    }
    let scale = WIDTH / whole;
    draw(&mut view, &places.everything, whole, (0.0, 0), scale);
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); calls.nodes.len()];
    let mut roots: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, node) in calls.nodes.iter().enumerate() {
        match node.parent {
            Some(parent) => below[parent].push(number),
            None => roots.entry(&node.thread).or_default().push(number),
        }
    }
    let (mut left, mut deepest) = (0.0, 1);
    for thread in &calls.threads {
        let named = FlameTarget {
            name: thread.key.clone(),
            href: places.threads.into(),
            ..FlameTarget::default()
        };
        if !draw(&mut view, &named, thread.joules().0, (left, 1), scale) {
            continue;
        }
        let mut todo = vec![(left, 2, roots.remove(thread.key.as_str()).unwrap_or_default())];
        while let Some((mut x, level, mut nodes)) = todo.pop() {
            nodes.sort_by(|a, b| energy(&calls.nodes[*b]).total_cmp(&energy(&calls.nodes[*a])));
            for number in nodes {
                let node = &calls.nodes[number];
                let href = (places.method)(&node.method);
                let name = short_method_name(&node.method);
                let named = FlameTarget { name, href, change: None };
                if !draw(&mut view, &named, energy(node), (x, level), scale) {
                    continue;
                }
                deepest = deepest.max(level);
                if level < LEVELS_MAX {
                    todo.push((x, level + 1, std::mem::take(&mut below[number])));
                }
                x += energy(node) * scale;
            }
        }
        left += thread.joules().0 * scale;
    }
    view.height = format!("{:.0}", ROW * (deepest + 1) as f64);
    view
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::calls::CountAgreement;
    use crate::account::{AccountEntry, Femtojoules};
    use crate::report::{report_page, sample};
    use crate::units::Joules;

    fn of(joules: f64) -> SpentEnergy {
        let energy = Femtojoules::from_joules(Joules(joules));
        SpentEnergy { energy, interval: None, share: Some(joules / 4.0) }
    }

    fn node(
        thread: &str,
        parent: Option<usize>,
        name: &str,
        own: f64,
        all: f64,
    ) -> CallNodeAccount {
        CallNodeAccount {
            thread: thread.into(),
            parent,
            depth: usize::from(parent.is_some()),
            method: MethodKey { class: "a.A".into(), method: name.into() },
            calls: 2,
            blocks: Vec::new(),
            own: of(own),
            cumulative: of(all),
        }
    }

    fn thread(name: &str, joules: f64) -> AccountEntry<String> {
        AccountEntry {
            key: name.into(),
            executions: 1,
            energy: of(joules).energy,
            interval: None,
            share: Some(joules / 4.0),
            unknown: 0,
            determined: true,
        }
    }

    #[test]
    fn boxes_are_as_wide_as_what_is_called_and_names_are_inert() {
        let hostile = "<script>alert(1)</script>\u{202e}";
        let calls = CallAccounts {
            nodes: vec![
                node("main", None, "main()", 1.0, 3.0),
                node("main", Some(0), "step()", 2.0, 2.0),
                node(hostile, None, "work()", 1.0, 1.0),
            ],
            methods: Vec::new(),
            threads: vec![thread("main", 3.0), thread(hostile, 1.0)],
            agreement: CountAgreement {
                same: 3,
                blocks: 3,
                differing: 0.0,
                length: 1.0,
                elsewhere: 0.0,
            },
        };
        let view = plain_picture(&calls, 3.0);
        let width = |title: &str| {
            let found = view.boxes.iter().find(|one| one.title.starts_with(title));
            found.unwrap().width.parse::<f64>().unwrap().round()
        };
        assert_eq!(
            (width("A.main()"), width("A.step()"), width("A.work()")),
            (900.0, 600.0, 300.0)
        );
        assert_eq!(view.height, "80");
        let mut sample = sample::report();
        sample.calls = Some(calls);
        let page = report_page(&sample.data());
        assert!(page.contains("3 of 3 blocks ran as often"));
        assert!(!page.contains("<script>alert(1)") && !page.contains('\u{202e}'));
    }
}
