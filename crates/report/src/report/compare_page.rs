//! The page of a comparison: verdict, tables with intervals, and a flame graph of the new energies
//! coloured by their changes. One file, without network.

use askama::Template;

use super::html::{FLAME_SCRIPT, PAGE_STYLE, SCRIPT};
use super::view::change_flame::change_flame;
use super::view::flame::FlameView;
use crate::compare::text::{TextCells, heading, text_cells, verdict_sentence};
use crate::compare::{BudgetRow, ChangeRow, CompareMode, Comparison};
use crate::format;

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage<'a> {
    style: &'a str,
    script: &'a str,
    flame_script: &'a str,
    version: &'a str,
    name: String,
    verdict: String,
    is_pass: bool,
    notes: Vec<String>,
    heading: &'a str,
    prices: &'a str,
    scenario: Vec<ChangeView>,
    tables: Vec<ChangeTableView>,
    flame: FlameView,
    budgets: Vec<BudgetView>,
    unchanged: usize,
}

/// A table of changes.
struct ChangeTableView {
    title: &'static str,
    rows: Vec<ChangeView>,
}

/// A row of a table of changes, formatted.
struct ChangeView {
    name: String,
    base: String,
    new: String,
    new_raw: f64,
    change: String,
    change_raw: f64,
    interval: String,
    share: String,
    share_interval: String,
    remark: String,
}

impl ChangeView {
    fn of(row: &ChangeRow) -> Self {
        let TextCells { base, new, change, interval, share, share_interval } = text_cells(row);
        Self {
            name: format::visible(&row.subject.name()),
            base,
            new,
            new_raw: row.change.new.map_or(0.0, |energy| energy.0),
            change,
            change_raw: row.change.difference().map_or(0.0, |energy| energy.0),
            interval,
            share,
            share_interval,
            remark: format::visible(&row.remark),
        }
    }
}

/// A budget with its verdict, formatted.
struct BudgetView {
    name: String,
    energy: String,
    interval: String,
    budget: String,
    verdict: &'static str,
}

impl BudgetView {
    fn of(row: &BudgetRow) -> Self {
        Self {
            name: format::visible(&format!("{} {}", row.budget.level, row.budget.name)),
            energy: row.energy.map_or(format::NONE.into(), format::energy),
            interval: format::interval(row.interval),
            budget: format::energy(row.budget.joules),
            verdict: row.verdict.name(),
        }
    }
}

/// Writes the text of `compare.html`, with all classes and methods that changed.
pub fn compare_page(comparison: &Comparison) -> String {
    let rows = |rows: &[ChangeRow]| rows.iter().map(ChangeView::of).collect::<Vec<_>>();
    let first = std::slice::from_ref(&comparison.headline);
    let tables = [("Classes", &comparison.classes), ("Methods", &comparison.methods)];
    let tables = tables.map(|(title, of)| ChangeTableView { title, rows: rows(of) });
    let page = ComparePage {
        style: PAGE_STYLE,
        script: SCRIPT,
        flame_script: FLAME_SCRIPT,
        version: env!("CARGO_PKG_VERSION"),
        name: format::visible(&comparison.headline.subject.name()),
        verdict: format::visible(&verdict_sentence(comparison)),
        is_pass: comparison.verdict() == crate::compare::GateVerdict::Pass,
        notes: comparison.notes.iter().map(|note| format::visible(note)).collect(),
        heading: heading(comparison),
        prices: prices(comparison.mode),
        scenario: rows(first).into_iter().chain(rows(&comparison.inputs)).collect(),
        tables: tables.into_iter().filter(|table| !table.rows.is_empty()).collect(),
        flame: change_flame(comparison),
        budgets: comparison.budgets.iter().map(BudgetView::of).collect(),
        unchanged: comparison.unchanged,
    };
    page.render().expect("writing to a String can't fail")
}

/// Sentence about where the energies of classes and methods come from.
fn prices(mode: CompareMode) -> &'static str {
    match mode {
        CompareMode::Measured => {
            "The energy of the scenario is that of its power runs; those of classes and methods are \
             estimates by the model."
        }
        CompareMode::Predicted => {
            "The new energies are predictions from the base's counts and model, no measurements."
        }
        CompareMode::Recorded => "The energies are those of the recordings.",
    }
}

#[cfg(test)]
pub(crate) mod sample {
    use crate::account::{Interval, MethodKey};
    use crate::compare::{
        AllowedIncrease, ChangeRow, CompareMode, Comparison, EnergyChange, GateVerdict, Subject,
    };
    use crate::units::Joules;

    fn row(subject: Subject, [base, new, lo, hi]: [f64; 4]) -> ChangeRow {
        let change = EnergyChange {
            base: Some(Joules(base)),
            new: Some(Joules(new)),
            interval: Some(Interval { lo: Joules(lo), hi: Joules(hi) }),
            share_interval: Some((lo / base, hi / base)),
        };
        ChangeRow { subject, change, verdict: None, remark: String::new() }
    }

    /// 10 J, of which changed classes spend 6 J.
    pub(crate) fn comparison() -> Comparison {
        let method = |class: &str, method: &str, figures: [f64; 4]| {
            let key = MethodKey { class: class.into(), method: method.into() };
            row(Subject::Method(key), figures)
        };
        let class = |name: &str, figures| row(Subject::Class(name.into()), figures);
        Comparison {
            mode: CompareMode::Measured,
            limit: AllowedIncrease(0.0),
            headline: ChangeRow {
                verdict: Some(GateVerdict::Increase),
                ..row(Subject::Scenario("walk".into()), [9.0, 10.0, 0.5, 1.5])
            },
            inputs: vec![row(Subject::Input("north <b>".into()), [9.0, 10.0, 0.5, 1.5])],
            classes: vec![
                class("demo.Grid", [2.5, 4.0, 1.0, 2.0]),
                class("demo.Sum", [2.5, 2.0, -0.7, -0.3]),
            ],
            methods: vec![
                method("demo.Grid", "blit(int)", [1.6, 3.0, 1.0, 1.8]),
                method("demo.Grid", "copy()", [0.9, 1.0, -0.1, 0.3]),
                method("demo.Grid", "gone()", [0.5, 0.0, -0.6, -0.4]),
                method("demo.Sum", "<evil>\u{202e}()", [2.5, 2.0, -0.7, -0.3]),
            ],
            unchanged: 7,
            budgets: Vec::new(),
            duration_s: 12.5,
            notes: vec!["virtual board: its energy is simulated".into()],
            recorded: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_figures_of_the_text_and_escapes_names() {
        let comparison = sample::comparison();
        let page = compare_page(&comparison);
        for row in comparison.classes.iter().chain([&comparison.headline]) {
            let TextCells { change, interval, share_interval, .. } = text_cells(row);
            for part in [change, interval, share_interval] {
                assert!(page.contains(&part), "{part}");
            }
        }
        assert!(page.contains("increase: ") && page.contains("its energy is simulated"));
        assert!(!page.contains("<evil>") && !page.contains("north <b>"));
        assert!(!page.contains('\u{202e}'));
    }

    #[test]
    fn the_page_of_predictions_says_so() {
        let mut comparison = sample::comparison();
        comparison.mode = CompareMode::Predicted;
        assert!(compare_page(&comparison).contains("no measurements"));
    }
}
