//! For every node the picture of power and activities, and the tables as text: light and
//! dark, readable without colours.

use askama::Template;

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::duty_cycles::duty_cycle_tables;
use super::matrices::matrix_tables;
use super::palette::Palette;
use super::shown::ShownTable;
use super::svg::picture;
use super::{TOTAL, UNEXPLAINED, payer_name, row_name};
use wattline_units::format::{counted, counted_as, energy, percent, visible};
use wattline_units::units::{Amperes, Joules, Seconds, Watts};

/// The style rules of the pictures, beside those of the page around them.
pub const TIMELINE_STYLE: &str = include_str!("../../../templates/timeline.css");

/// What the pictures show.
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
    pub sections: &'a [(String, Vec<ShownTable>)],
}

/// Pictures and tables of all nodes.
#[derive(Template)]
#[template(path = "timeline.html")]
struct Timeline<'a> {
    /// Element of the heads.
    heading: &'a str,
    /// What a node is called.
    what: &'a str,
    nodes: Vec<NodeSummary>,
    activities: Vec<(String, String)>,
    sections: Vec<(String, Vec<ShownTable>)>,
}

/// A node in words.
struct NodeSummary {
    name: String,
    sentence: String,
    svg: Option<String>,
    layers: Vec<(String, String)>,
    tables: Vec<ShownTable>,
    /// Name, power, current and interval.
    powers: Vec<[String; 4]>,
    has_currents: bool,
    components: Vec<[String; 3]>,
    activities: Vec<[String; 4]>,
    findings: Vec<(String, String)>,
}

/// Markup with the picture and the tables of every node; text in it is escaped.
#[must_use]
pub fn timelines(analyses: &[Analysis], labels: &Labels, options: &PictureOptions<'_>) -> String {
    let mut palette = Palette::default();
    let nodes: Vec<NodeSummary> =
        analyses.iter().map(|analysis| node(analysis, labels, &mut palette, options)).collect();
    let activities = palette.legend(labels);
    let of_page = |(head, tables): &(String, Vec<ShownTable>)| {
        (visible(head), tables.iter().map(ShownTable::of_page).collect())
    };
    let sections = options.sections.iter().map(of_page).collect();
    let (heading, what) = (options.heading, options.what);
    let view = Timeline { heading, what, nodes, activities, sections };
    view.render().expect("templates only write to a String, which can't fail")
}

fn node(
    analysis: &Analysis,
    labels: &Labels,
    palette: &mut Palette,
    options: &PictureOptions<'_>,
) -> NodeSummary {
    let shown = picture(analysis, labels, palette, (options.from_ns, options.to_ns));
    let (svg, layers) = shown.map_or((None, Vec::new()), |(svg, layers)| (Some(svg), layers));
    NodeSummary {
        name: visible(&analysis.log.node),
        sentence: sentence(analysis),
        svg,
        layers,
        tables: tables(analysis, labels),
        powers: powers(analysis),
        has_currents: analysis.log.supply_v.is_some(),
        components: components(analysis),
        activities: activities(analysis, labels),
        findings: analysis
            .remarks
            .iter()
            .map(|remark| (remark.kind.to_string(), visible(&remark.message)))
            .collect(),
    }
}

fn sentence(analysis: &Analysis) -> String {
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

fn watts(power: f64) -> String {
    Watts(power).to_string().replace(" u", " µ").replace('-', "\u{2212}")
}

fn current(amperes: Option<f64>) -> String {
    let amperes = amperes.map(|amperes| Amperes(amperes).to_string());
    amperes.map_or("none".into(), |of| of.replace(" u", " µ").replace('-', "\u{2212}"))
}

/// Duty cycles and matrices.
fn tables(analysis: &Analysis, labels: &Labels) -> Vec<ShownTable> {
    let matrices = matrix_tables(analysis, labels);
    duty_cycle_tables(analysis, labels).iter().chain(&matrices).map(ShownTable::of_page).collect()
}

fn powers(analysis: &Analysis) -> Vec<[String; 4]> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let row = |name: &str, power: Option<super::super::FittedPower>| {
        let interval = power.and_then(|power| power.interval_w);
        [
            visible(name),
            power.map_or("not determined".into(), |power| watts(power.w)),
            current(power.and_then(|power| analysis.log.current_a(Some(power.w)))),
            interval.map_or("none".into(), |(lo, hi)| format!("{} to {}", watts(lo), watts(hi))),
        ]
    };
    let constant = row("(constant)", Some(powers.constant));
    let states = super::state_powers(analysis).into_iter().map(|(name, of)| row(&name, of));
    std::iter::once(constant).chain(states).collect()
}

fn components(analysis: &Analysis) -> Vec<[String; 3]> {
    let Some(account) = &analysis.account else { return Vec::new() };
    let total = account.split.total_j();
    let row = |name: String, of: f64| [visible(&name), energy(Joules(of)), percent(of / total)];
    let rows = account.by_row().into_iter().map(|(at, of)| row(row_name(analysis, at), of));
    let rest = [(UNEXPLAINED, account.split.unattributed_j()), (TOTAL, total)];
    rows.chain(rest.into_iter().map(|(name, of)| row(name.into(), of))).collect()
}

fn activities(analysis: &Analysis, labels: &Labels) -> Vec<[String; 4]> {
    let Some(account) = &analysis.account else { return Vec::new() };
    let total = account.split.total_j();
    let row = |name: String, of: f64, interval: Option<(f64, f64)>| {
        let interval = interval.map_or("none".into(), |(lo, hi)| {
            format!("{} to {}", energy(Joules(lo)), energy(Joules(hi)))
        });
        [visible(&name), energy(Joules(of)), interval, percent(of / total)]
    };
    let mut rows: Vec<[String; 4]> = account
        .by_payer()
        .into_iter()
        .map(|(payer, of)| row(payer_name(payer, labels), of, account.payer_interval(payer)))
        .collect();
    rows.push(row(UNEXPLAINED.into(), account.split.unattributed_j(), None));
    rows.push(row(TOTAL.into(), total, None));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::simulated::blink;
    use super::super::super::{AnalysisOptions, NodeNames, analyse, read_quanto};
    use super::*;

    #[test]
    fn the_page_shows_power_activities_and_tables() {
        let mut run = blink(0, 0.5);
        let mut labels = Labels::default();
        let names = NodeNames::parse(run.names).unwrap();
        let log = read_quanto(&run.node.buffer.dump(), &names, &mut labels).unwrap();
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
