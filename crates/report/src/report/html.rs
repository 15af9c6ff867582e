//! The report as one HTML page: no network, light and dark, usable by keyboard and screen reader,
//! printable. It consists of askama templates, which escape all text.

use askama::Template;

use crate::format;
use crate::format::visible;
use crate::power::FigureBasis;
use crate::report::data::{ReportData, ReportSection};
use crate::report::view::accounts::{OperationView, PlaceView};
use crate::report::view::blocks::{BlockView, ClassView};
use crate::report::view::calls::CallsView;
use crate::report::view::fit::{
    BaselineVerdict, CvView, EstimabilityView, EvaluationView, UnseenView,
};
use crate::report::view::flame::FlameView;
use crate::report::view::hints::HintView;
use crate::report::view::links::SourceLinks;
use crate::report::view::most_expensive::MostExpensiveMethods;
use crate::report::view::source::SourceView;
use crate::report::view::summary::{LedgerRowView, SummaryCard};
use crate::report::view::tree::TreeView;
use crate::report::view::whiskers::WhiskersView;
use crate::report::view::{
    accounts, blocks, calls, fit, flame, hints, most_expensive, source, summary, tree, whiskers,
};
use crate::report::{residuals, scatter};

/// Style sheet of the page: the only unescaped text besides plots and scripts.
pub(super) const PAGE_STYLE: &str = include_str!("templates/style.css");
/// Script that sorts and searches tables, and opens targets of links.
pub(super) const SCRIPT: &str = include_str!("templates/sort.js");
/// Script that zooms and searches flame graphs.
pub(super) const FLAME_SCRIPT: &str = include_str!("templates/flame.js");

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    style: &'a str,
    script: &'a str,
    flame_script: &'a str,
    version: &'a str,
    scenario: String,
    is_virtual: bool,
    /// Origin of the figures, as words before the headline, and whether a meter measured them.
    origin: &'static str,
    is_measured: bool,
    headline: String,
    notes: Vec<String>,
    facts: Vec<(&'static str, String)>,
    cards: Vec<SummaryCard>,
    most_expensive: MostExpensiveMethods,
    explained: String,
    ledger: Vec<LedgerRowView>,
    rounds: Vec<usize>,
    cross_validation: Vec<CvView>,
    verdict: BaselineVerdict,
    scatter: String,
    residuals: String,
    groups: Vec<String>,
    operations: Vec<OperationView>,
    operations_sentence: String,
    flame: FlameView,
    calls: Option<CallsView>,
    tree: TreeView,
    source: &'a SourceView,
    legend: Vec<ClassView>,
    blocks_of_half: Option<String>,
    in_application: Vec<BlockView>,
    three_thousand_times: Vec<BlockView>,
    whiskers: WhiskersView,
    lines: Vec<PlaceView>,
    methods: Vec<PlaceView>,
    hints: Vec<HintView>,
    hint_count: usize,
    no_hints: String,
    withheld: Vec<String>,
    joint: Option<String>,
    estimability: Vec<EstimabilityView>,
    estimability_sentence: String,
    evaluation: Vec<EvaluationView>,
    unseen: Vec<UnseenView>,
    unseen_sentence: Option<String>,
    simulated_model: Option<String>,
    unmatched: Vec<(String, String)>,
    findings: Vec<(String, String)>,
    provenance: Vec<(&'static str, String)>,
    parts: &'a [ReportSection],
}

/// Writes the text of `report.html`.
pub fn report_page(data: &ReportData<'_>) -> String {
    let points = scatter::points(data.table, data.model);
    let source = source::source_views(data);
    let links = SourceLinks::new(data, &source);
    let page = ReportPage {
        style: PAGE_STYLE,
        script: SCRIPT,
        flame_script: FLAME_SCRIPT,
        version: env!("CARGO_PKG_VERSION"),
        scenario: visible(data.scenario),
        is_virtual: data.board.basis == FigureBasis::Simulated,
        origin: summary::origin(data),
        is_measured: data.board.basis == FigureBasis::Measured,
        headline: summary::headline(data),
        notes: data.notes.iter().map(|note| visible(note)).collect(),
        facts: summary::facts(data),
        cards: summary::cards(data),
        most_expensive: most_expensive::most_expensive_methods(data, &links),
        explained: summary::explained(data),
        ledger: summary::ledger(data),
        rounds: fit::rounds(data.cv),
        cross_validation: fit::cross_validation(data),
        verdict: fit::verdict(data),
        scatter: scatter::scatter_plot(&points),
        residuals: residuals::residuals_plot(&points),
        groups: scatter::groups(&points).into_iter().map(visible).collect(),
        operations: accounts::operations(data),
        operations_sentence: accounts::operations_sentence(data),
        flame: flame::flame(data, &links),
        calls: calls::call_views(data, &links),
        tree: tree::tree(data, &links),
        source: &source,
        legend: blocks::legend(data),
        blocks_of_half: accounts::blocks_of_half(data),
        in_application: blocks::in_application(data, &links),
        three_thousand_times: blocks::three_thousand_times(data, &links),
        whiskers: whiskers::whiskers(data, &links),
        lines: accounts::lines(data, &links),
        methods: accounts::methods(data, &links),
        hints: hints::hint_views(data, &links),
        hint_count: data.hints.len(),
        no_hints: data.no_hints.to_string(),
        withheld: data.withheld.iter().map(ToString::to_string).collect(),
        joint: data.joint.map(hints::joint_sentence),
        estimability: fit::estimability(data),
        estimability_sentence: fit::estimability_sentence(data),
        evaluation: fit::evaluation(data),
        unseen: fit::unseen(data),
        unseen_sentence: fit::unseen_sentence(data),
        simulated_model: summary::simulated_model(data.board),
        unmatched: unmatched(data),
        findings: findings(data),
        provenance: provenance(data),
        parts: data.parts,
    };
    page.render().expect("templates only write to a String, which can't fail")
}

/// Largest entries of the ground truth without a match in the accounts: name and energy.
fn unmatched(data: &ReportData<'_>) -> Vec<(String, String)> {
    let entries = data.evaluation.map_or(&[][..], |evaluation| &evaluation.unmatched);
    let text = |label: &str| visible(&format::truncate(label, 100));
    entries
        .iter()
        .take(20)
        .map(|entry| {
            (format!("{}: {}", entry.level, text(&entry.label)), format::energy(entry.energy))
        })
        .collect()
}

/// Number of findings by kind, as text.
fn findings(data: &ReportData<'_>) -> Vec<(String, String)> {
    let sorts = data.findings.iter();
    sorts.map(|(kind, count)| (visible(kind), format::count(*count as u64))).collect()
}

/// Origin of the model: solver, data and versions.
fn provenance(data: &ReportData<'_>) -> Vec<(&'static str, String)> {
    let provenance = &data.model.provenance;
    vec![
        ("Tool version", visible(&provenance.tool_version)),
        ("Data set (SHA-256)", visible(&provenance.data_sha256)),
        ("Seed", provenance.seed.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_page_tells_the_whole_story_without_the_network() {
        let sample = sample::report();
        let page = report_page(&sample.data());
        for part in [
            "virtual board",
            "whose energies add up by operation",
            "Ledger",
            "the best baseline",
            "the top 30 first",
            "Flame graph",
            "class=\"heat-5\"",
            "3000 executions",
            "Bulk",
            "Glossary",
            "prefers-color-scheme",
            "<caption>",
            "scope=\"col\"",
            "href=\"#phases\"",
            "id=\"phases\"",
            ".phase { color: var(--ink)",
        ] {
            assert!(
                page.contains(part) || page.to_lowercase().contains(&part.to_lowercase()),
                "{part}"
            );
        }
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf "));
        if let Ok(path) = std::env::var("WATTLINE_RENDER") {
            std::fs::write(path, &page).unwrap();
        }
    }

    #[test]
    fn hostile_names_and_source_are_inert() {
        let sample = sample::hostile();
        let page = report_page(&sample.data());
        assert!(!page.contains("<script>alert"), "escaped");
        assert!(!page.contains("onerror=\"") && !page.contains('\u{202e}'));
        assert!(page.contains("&#60;script&#62;alert") || page.contains("&lt;script&gt;alert"));
    }

    #[test]
    fn an_empty_campaign_still_makes_a_page() {
        let sample = sample::empty();
        let page = report_page(&sample.data());
        assert!(page.contains("none") && page.ends_with("</html>\n"));
    }
}
