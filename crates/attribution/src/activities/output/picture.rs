//! For every node the picture of power and activities, and the tables as text: light and
//! dark, readable without colours.

use askama::Template;

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::duty_cycles::duty_cycle_tables;
use super::matrices::matrix_tables;
use super::palette::Palette;
use super::printed_table::PrintedTable;
use super::svg::draw_timeline;
use super::{TOTAL_NAME, UNEXPLAINED_NAME, payer_name, row_name};
use wattline_units::format::{counted, counted_as, energy, percent, visible};
use wattline_units::units::{Amperes, Joules, Seconds, Watts};

/// Style rules of the pictures, beside those of the page around them.
pub const TIMELINE_STYLE: &str = include_str!("../../../templates/timeline.css");

/// Options of the pictures: shown time and further tables.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PictureOptions<'a> {
    /// Element of the heads.
    pub heading: &'a str,
    /// What a node is called.
    pub what: &'a str,
    /// Start of the pictures in nanoseconds; the logs' if not given.
    pub from_ns: Option<i64>,
    /// Their end.
    pub to_ns: Option<i64>,
    /// What follows the nodes: heads with their tables.
    pub sections: &'a [(String, Vec<PrintedTable>)],
}

/// Template with the pictures and tables of all nodes.
#[derive(Template)]
#[template(path = "timeline.html")]
struct Timeline<'a> {
    /// Element of the heads.
    heading: &'a str,
    /// What a node is called.
    what: &'a str,
    nodes: Vec<NodeSummary>,
    activities: Vec<(String, String)>,
    sections: Vec<(String, Vec<PrintedTable>)>,
}

/// Picture and tables of a node as text for the template.
struct NodeSummary {
    name: String,
    sentence: String,
    svg: Option<String>,
    layers: Vec<(String, String)>,
    tables: Vec<PrintedTable>,
    /// Name, power, current and interval.
    powers: Vec<[String; 4]>,
    has_currents: bool,
    components: Vec<[String; 3]>,
    activities: Vec<[String; 4]>,
    findings: Vec<(String, String)>,
}

/// Returns markup with the picture and the tables of every node; text in it is escaped.
#[must_use]
pub fn timelines(analyses: &[Analysis], labels: &Labels, options: &PictureOptions<'_>) -> String {
    let mut palette = Palette::default();
    let nodes: Vec<NodeSummary> = analyses
        .iter()
        .map(|analysis| node_summary(analysis, labels, &mut palette, options))
        .collect();
    let activities = palette.legend(labels);
    let of_page = |(head, tables): &(String, Vec<PrintedTable>)| {
        (visible(head), tables.iter().map(PrintedTable::to_page).collect())
    };
    let sections = options.sections.iter().map(of_page).collect();
    let (heading, what) = (options.heading, options.what);
    let view = Timeline { heading, what, nodes, activities, sections };
    view.render().expect("templates only write to a String, which can't fail")
}

fn node_summary(
    analysis: &Analysis,
    labels: &Labels,
    palette: &mut Palette,
    options: &PictureOptions<'_>,
) -> NodeSummary {
    let shown = draw_timeline(analysis, labels, palette, (options.from_ns, options.to_ns));
    let (svg, layers) = shown.map_or((None, Vec::new()), |(svg, layers)| (Some(svg), layers));
    NodeSummary {
        name: visible(&analysis.log.node),
        sentence: summary_sentence(analysis),
        svg,
        layers,
        tables: usage_tables(analysis, labels),
        powers: power_rows(analysis),
        has_currents: analysis.log.supply_v.is_some(),
        components: component_rows(analysis),
        activities: activity_rows(analysis, labels),
        findings: analysis
            .remarks
            .iter()
            .map(|remark| (remark.kind.to_string(), visible(&remark.message)))
            .collect(),
    }
}

fn summary_sentence(analysis: &Analysis) -> String {
    match (&analysis.account, &analysis.powers) {
        (Some(account), Some(powers)) => format!(
            "{} measured in {}, in {} {}. {} of it is not explained by the powers of the states.",
            energy(Joules(account.split.total_j())),
            Seconds(account.metered_s),
            counted_as(analysis.equations.intervals, "interval that makes", "intervals that make"),
            counted(powers.equations, "equation"),
            account.reconstruction_error().map_or("none".into(), percent),
        ),
        _ => "No energy was measured: the picture shows times only.".into(),
    }
}

fn power_text(power: f64) -> String {
    Watts(power).to_string().replace(" u", " µ").replace('-', "\u{2212}")
}

fn current_text(amperes: Option<f64>) -> String {
    let amperes = amperes.map(|amperes| Amperes(amperes).to_string());
    amperes.map_or("none".into(), |of| of.replace(" u", " µ").replace('-', "\u{2212}"))
}

/// Returns the printed tables of duty cycles and matrices.
fn usage_tables(analysis: &Analysis, labels: &Labels) -> Vec<PrintedTable> {
    let matrices = matrix_tables(analysis, labels);
    duty_cycle_tables(analysis, labels).iter().chain(&matrices).map(PrintedTable::to_page).collect()
}

fn power_rows(analysis: &Analysis) -> Vec<[String; 4]> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let row = |name: &str, power: Option<super::super::FittedPower>| {
        let interval = power.and_then(|power| power.interval_w);
        [
            visible(name),
            power.map_or("not determined".into(), |power| power_text(power.w)),
            current_text(power.and_then(|power| analysis.log.current_a(Some(power.w)))),
            interval.map_or("none".into(), |(lo, hi)| {
                format!("{} to {}", power_text(lo), power_text(hi))
            }),
        ]
    };
    let constant = row("(constant)", Some(powers.constant));
    let states = super::state_powers(analysis).into_iter().map(|(name, of)| row(&name, of));
    std::iter::once(constant).chain(states).collect()
}

fn component_rows(analysis: &Analysis) -> Vec<[String; 3]> {
    let Some(account) = &analysis.account else { return Vec::new() };
    let total = account.split.total_j();
    let row = |name: String, of: f64| [visible(&name), energy(Joules(of)), percent(of / total)];
    let rows =
        account.energies_by_row().into_iter().map(|(at, of)| row(row_name(analysis, at), of));
    let rest = [(UNEXPLAINED_NAME, account.split.unattributed_j()), (TOTAL_NAME, total)];
    rows.chain(rest.into_iter().map(|(name, of)| row(name.into(), of))).collect()
}

fn activity_rows(analysis: &Analysis, labels: &Labels) -> Vec<[String; 4]> {
    let Some(account) = &analysis.account else { return Vec::new() };
    let total = account.split.total_j();
    let row = |name: String, of: f64, interval: Option<(f64, f64)>| {
        let interval = interval.map_or("none".into(), |(lo, hi)| {
            format!("{} to {}", energy(Joules(lo)), energy(Joules(hi)))
        });
        [visible(&name), energy(Joules(of)), interval, percent(of / total)]
    };
    let mut rows: Vec<[String; 4]> = account
        .energies_by_payer()
        .into_iter()
        .map(|(payer, of)| row(payer_name(payer, labels), of, account.payer_interval(payer)))
        .collect();
    rows.push(row(UNEXPLAINED_NAME.into(), account.split.unattributed_j(), None));
    rows.push(row(TOTAL_NAME.into(), total, None));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::simulated::run_blink;
    use super::super::super::{AnalysisOptions, NodeNames, analyse, read_quanto};
    use super::*;

    #[test]
    fn the_page_shows_power_activities_and_tables() {
        let mut run = run_blink(0, 0.5);
        let mut labels = Labels::default();
        let names = NodeNames::parse(run.names).unwrap();
        let log = read_quanto(&run.node.buffer.take_bytes(), &names, &mut labels).unwrap();
        let analysis = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let options = PictureOptions { heading: "h3", what: "Input", ..Default::default() };
        let page = timelines(&[analysis], &labels, &options);
        assert!(page.contains("<h3>Input <bdi>1</bdi></h3>"));
        for text in ["class=\"measured\"", ">LED0<", "1:Green", "(unexplained)", "521 mJ"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("<script>") && !page.contains("NaN"));
        assert!(!page.contains("http://") && !page.contains("https://"));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
}
