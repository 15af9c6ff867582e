//! The page: for every node the picture of power and activities, and the tables as text. One
//! file, no network, light and dark, readable without colours. A campaign's report has the
//! same as a part.

use askama::Template;

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::svg::{Palette, picture};
use super::tables::{payer_interval, row_name};
use super::{TOTAL, UNEXPLAINED, payer_name};
use crate::report::Part;
use crate::report::format::{energy, percent, visible};
use crate::units::{Joules, Seconds, Watts};

/// The house's style sheet.
const STYLE: &str = include_str!("../../../report/templates/style.css");
/// What the pictures need beside it.
const TIMELINE_STYLE: &str = include_str!("../../../report/templates/timeline.css");

/// What the picture shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PictureOptions {
    /// What the page is about, below its title; says so if it is simulated.
    pub subtitle: String,
    /// Start of the pictures in nanoseconds; the logs' if not given.
    pub from_ns: Option<i64>,
    /// Their end.
    pub to_ns: Option<i64>,
}

#[derive(Template)]
#[template(path = "activities.html")]
struct Page<'a> {
    style: &'a str,
    timeline_style: &'a str,
    version: &'a str,
    subtitle: String,
    timeline: String,
}

/// Pictures and tables of all nodes.
#[derive(Template)]
#[template(path = "timeline.html")]
struct Timeline<'a> {
    /// Element of the heads.
    heading: &'a str,
    /// What a node is called.
    what: &'a str,
    nodes: Vec<NodeView>,
    activities: Vec<(String, String)>,
}

/// A node in words.
struct NodeView {
    name: String,
    sentence: String,
    svg: Option<String>,
    layers: Vec<(String, String)>,
    powers: Vec<[String; 3]>,
    components: Vec<[String; 3]>,
    activities: Vec<[String; 4]>,
    findings: Vec<(String, String)>,
}

/// The text of the page.
#[must_use]
pub fn html(analyses: &[Analysis], labels: &Labels, options: &PictureOptions) -> String {
    let page = Page {
        style: STYLE,
        timeline_style: TIMELINE_STYLE,
        version: env!("CARGO_PKG_VERSION"),
        subtitle: visible(&options.subtitle),
        timeline: timeline(analyses, labels, options, ("h2", "Node")),
    };
    page.render().expect("templates only write to a String, which can't fail")
}

/// The same as a part of a campaign's report: a picture for each input sequence.
#[must_use]
pub fn part(analyses: &[Analysis], labels: &Labels) -> Part {
    Part {
        id: "activities",
        title: "Activities",
        sentence: "Which component drew the power in one power run of each input, and for which \
                   activity of the application it worked.",
        style: TIMELINE_STYLE,
        html: timeline(analyses, labels, &PictureOptions::default(), ("h3", "Input")),
    }
}

fn timeline(
    analyses: &[Analysis],
    labels: &Labels,
    options: &PictureOptions,
    (heading, what): (&str, &str),
) -> String {
    let mut palette = Palette::default();
    let nodes: Vec<NodeView> =
        analyses.iter().map(|analysis| node(analysis, labels, &mut palette, options)).collect();
    let view = Timeline { heading, what, nodes, activities: palette.legend(labels) };
    view.render().expect("templates only write to a String, which can't fail")
}

fn node(
    analysis: &Analysis,
    labels: &Labels,
    palette: &mut Palette,
    options: &PictureOptions,
) -> NodeView {
    let shown = picture(analysis, labels, palette, (options.from_ns, options.to_ns));
    let (svg, layers) = shown.map_or((None, Vec::new()), |(svg, layers)| (Some(svg), layers));
    NodeView {
        name: visible(&analysis.log.node),
        sentence: sentence(analysis),
        svg,
        layers,
        powers: powers(analysis),
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
            "{} measured in {}, in {} intervals that make {} equations. {} of it is not explained \
             by the powers of the states.",
            energy(Joules(account.split.total_j())),
            Seconds(account.metered_s),
            analysis.equations.intervals,
            powers.equations,
            account.reconstruction_error().map_or("none".into(), percent),
        ),
        _ => "No energy was measured: the picture shows times only.".into(),
    }
}

fn watts(power: f64) -> String {
    Watts(power).to_string().replace(" u", " µ").replace('-', "\u{2212}")
}

fn powers(analysis: &Analysis) -> Vec<[String; 3]> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let row = |name: &str, power: Option<super::super::Power>| {
        let interval = power.and_then(|power| power.interval_w);
        [
            visible(name),
            power.map_or("not determined".into(), |power| watts(power.w)),
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
        .map(|(payer, of)| row(payer_name(payer, labels), of, payer_interval(account, payer)))
        .collect();
    rows.push(row(UNEXPLAINED.into(), account.split.unattributed_j(), None));
    rows.push(row(TOTAL.into(), total, None));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::simulated::blink;
    use super::super::super::{Names, Options, analyse, read_quanto};
    use super::*;

    #[test]
    fn the_page_shows_power_activities_and_tables() {
        let mut run = blink(0, 0.5);
        let mut labels = Labels::default();
        let names = Names::parse(run.names).unwrap();
        let log = read_quanto(&run.node.buffer.dump(), &names, &mut labels).unwrap();
        let analysis = analyse(log, &labels, &Options::default()).unwrap();
        let part = part(std::slice::from_ref(&analysis), &labels);
        assert!(part.html.contains("<svg") && part.html.contains("<h3>Input <bdi>1</bdi></h3>"));
        let subtitle = "a <script> & more".to_owned();
        let page = html(&[analysis], &labels, &PictureOptions { subtitle, ..Default::default() });
        for text in ["class=\"measured\"", ">LED0<", "1:Green", "(unexplained)", "521 mJ"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("<script>") && !page.contains("NaN"));
        assert!(!page.contains("http://") && !page.contains("https://"));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    }
}
