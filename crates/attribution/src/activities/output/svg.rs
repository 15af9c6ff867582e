//! The picture of one node: measured and reconstructed power, stacked by component, above
//! lanes that show for whom each component worked.

use std::fmt::Write as _;

use askama::Template;

use super::super::analysis::Analysis;
use super::super::equations::distinct_readings;
use super::super::label::Labels;
use super::super::log::nanoseconds_to_seconds;
use super::lanes::{BAR_HEIGHT, Lane, component_lane};
use super::palette::{COLOUR_COUNT, Palette};
use super::time_view::{COLUMN_COUNT, LANE_HEIGHT, LEFT_MARGIN, TimeView};
use wattline_units::format::visible;
use wattline_units::px::Px;
use wattline_units::units::{Seconds, Watts};

const WIDTH: f64 = 1180.0;
const RIGHT_MARGIN: f64 = 12.0;
const TOP_MARGIN: f64 = 14.0;
const POWER_HEIGHT: f64 = 230.0;
const AXIS_HEIGHT: f64 = 34.0;

/// Layer of the stacked powers: name, and mean power in watts in each column.
struct PowerLayer {
    /// None for the constant.
    component: Option<usize>,
    name: String,
    power_w: Vec<f64>,
}

/// Template of the picture.
#[derive(Template)]
#[template(path = "timeline.svg")]
struct TimelinePicture {
    node: String,
    height: f64,
    span: Seconds,
    /// None without powers.
    stack: Option<PowerStack>,
    lanes: Vec<Lane>,
    /// Where the time axis is.
    axis: Px,
    times: Vec<(Px, String)>,
}

/// Stacked powers with their axis, as drawn.
struct PowerStack {
    ticks: Vec<(Px, String)>,
    layers: Vec<DrawnLayer>,
    /// The path of the meter's power.
    measured: String,
}

/// Layer as it is drawn: style class, name and path.
struct DrawnLayer {
    class: String,
    path: String,
    name: String,
}

/// Returns the picture of a node's powers and activities; `None` if there is nothing to show.
/// `window_ns` limits the time.
pub(super) fn draw_timeline(
    analysis: &Analysis,
    labels: &Labels,
    palette: &mut Palette,
    window_ns: (Option<i64>, Option<i64>),
) -> Option<(String, Vec<(String, String)>)> {
    let (first, last) = analysis.log.metered_span().or(analysis.log.span())?;
    let view = TimeView {
        start_ns: window_ns.0.unwrap_or(first).max(first),
        end_ns: window_ns.1.unwrap_or(last).min(last),
    };
    if view.start_ns >= view.end_ns {
        return None;
    }
    let layers = power_layers(analysis, view);
    let components: Vec<usize> = (0..analysis.log.components.len())
        .filter(|c| analysis.periods.activities[*c].iter().any(|p| !p.charged.is_empty()))
        .collect();
    let lanes_y = TOP_MARGIN + if layers.is_empty() { 0.0 } else { POWER_HEIGHT };
    let axis_y = lanes_y + LANE_HEIGHT * components.len() as f64;
    let mut lane = |(at, component): (usize, &usize)| {
        let layer = layers.iter().position(|layer| layer.component == Some(*component));
        let y = lanes_y + LANE_HEIGHT * at as f64;
        let key = layer.map(layer_class);
        Lane { key, ..component_lane(analysis, *component, y, view, labels, palette) }
    };
    let picture = TimelinePicture {
        node: visible(&analysis.log.node),
        height: axis_y + AXIS_HEIGHT,
        span: Seconds(nanoseconds_to_seconds(view.end_ns - view.start_ns)),
        stack: (!layers.is_empty())
            .then(|| stack_layers(&layers, &measured_power_w(analysis, view))),
        lanes: components.iter().enumerate().map(&mut lane).collect(),
        axis: Px(axis_y),
        times: time_marks(view),
    };
    let legend =
        layers.iter().enumerate().map(|(at, layer)| (layer_class(at), visible(&layer.name)));
    let svg = picture.render().expect("templates only write to a String, which can't fail");
    Some((svg, legend.collect()))
}

fn layer_class(at: usize) -> String {
    if at == 0 { "idle-fill".into() } else { format!("layer-{}", (at - 1) % COLOUR_COUNT) }
}

/// Returns the layers: the constant, then each component with a fitted power.
fn power_layers(analysis: &Analysis, view: TimeView) -> Vec<PowerLayer> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let power_w = vec![powers.constant.w; COLUMN_COUNT];
    let constant = PowerLayer { component: None, name: "(constant)".into(), power_w };
    let mut layers = vec![constant];
    for (component, states) in analysis.periods.states.iter().enumerate() {
        let power_w = vec![0.0; COLUMN_COUNT];
        let mut layer = PowerLayer { component: Some(component), name: String::new(), power_w };
        for period in states.iter().filter(|p| p.end_ns > view.start_ns && p.start_ns < view.end_ns)
        {
            let column = period.state.and_then(|state| analysis.columns.of[component][state]);
            let fitted = column.and_then(|column| powers.fitted_column(column));
            let Some((fitted, power)) = fitted.filter(|(fitted, _)| Some(*fitted) == column) else {
                continue;
            };
            if powers.twins(fitted).len() > 1 && layer.name.is_empty() {
                layer.name = powers.column_name(fitted, &analysis.columns);
            }
            for (at, part) in view.columns(period.start_ns, period.end_ns) {
                layer.power_w[at] += part * power.w;
            }
        }
        if layer.power_w.iter().any(|power| *power != 0.0) {
            if layer.name.is_empty() {
                layer.name = analysis.log.components[component].name.clone();
            }
            layers.push(layer);
        }
    }
    layers
}

/// Returns the meter's mean power in watts in each column; `None` where it has no reading.
fn measured_power_w(analysis: &Analysis, view: TimeView) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); COLUMN_COUNT];
    for pair in distinct_readings(&analysis.log.readings).windows(2) {
        let (start, end) = (pair[0].at_ns, pair[1].at_ns);
        if pair[1].after_gap || end <= start || end <= view.start_ns || start >= view.end_ns {
            continue;
        }
        let power = (pair[1].energy_j - pair[0].energy_j) / nanoseconds_to_seconds(end - start);
        for (at, part) in view.columns(start, end) {
            sums[at] = (sums[at].0 + part * power, sums[at].1 + part);
        }
    }
    sums.into_iter().map(|(sum, part)| (part > 1e-9).then(|| sum / part)).collect()
}

fn stack_layers(layers: &[PowerLayer], measured: &[Option<f64>]) -> PowerStack {
    let total = |at: usize| layers.iter().map(|layer| layer.power_w[at].max(0.0)).sum::<f64>();
    let highest = (0..COLUMN_COUNT).map(total).fold(0.0, f64::max);
    let highest = measured.iter().flatten().copied().fold(highest, f64::max);
    let bottom = TOP_MARGIN + POWER_HEIGHT - 12.0;
    let scale = (bottom - TOP_MARGIN) / if highest > 0.0 { highest * 1.04 } else { 1.0 };
    let mut below = vec![0.0; COLUMN_COUNT];
    let mut area = |(at, layer): (usize, &PowerLayer)| {
        let above: Vec<f64> =
            below.iter().zip(&layer.power_w).map(|(b, power)| b + power.max(0.0)).collect();
        let mut path = String::new();
        add_edge(&mut path, &above, bottom, scale, false);
        add_edge(&mut path, &below, bottom, scale, true);
        path.push('Z');
        below = above;
        DrawnLayer { class: layer_class(at), path, name: visible(&layer.name) }
    };
    let tick = |value: f64| {
        let watts = || Watts(value).to_string().replace(" u", " µ");
        (Px(bottom - value * scale), if value == 0.0 { "0".to_owned() } else { watts() })
    };
    PowerStack {
        ticks: round_ticks(0.0, highest, 4.0).into_iter().map(tick).collect(),
        layers: layers.iter().enumerate().map(&mut area).collect(),
        measured: power_path(measured, bottom, scale),
    }
}

/// Returns the meter's power as a path, with gaps where it has no readings.
fn power_path(measured: &[Option<f64>], bottom: f64, scale: f64) -> String {
    let mut path = String::new();
    let mut last = None;
    for (at, power) in measured.iter().enumerate() {
        if let Some(power) = power {
            let (x, y) = (LEFT_MARGIN + at as f64, bottom - power.max(0.0) * scale);
            let command = if last.is_some_and(|last| last + 1 == at) { 'L' } else { 'M' };
            push_text(&mut path, format_args!("{command}{x} {y:.1}H{}", x + 1.0));
            last = Some(at);
        }
    }
    path
}

/// Adds one edge of a layer to a path as steps, forwards or (to close it) backwards.
fn add_edge(path: &mut String, power_w: &[f64], bottom: f64, scale: f64, is_backwards: bool) {
    let y = |at: usize| bottom - power_w[at] * scale;
    let x = |at: usize| LEFT_MARGIN + at as f64;
    if is_backwards {
        push_text(path, format_args!("L{} {:.1}", x(COLUMN_COUNT), y(COLUMN_COUNT - 1)));
        for at in (1..COLUMN_COUNT).rev().filter(|at| power_w[*at] != power_w[*at - 1]) {
            push_text(path, format_args!("H{}V{:.1}", x(at), y(at - 1)));
        }
        push_text(path, format_args!("H{}", x(0)));
    } else {
        push_text(path, format_args!("M{} {:.1}", x(0), y(0)));
        for at in (1..COLUMN_COUNT).filter(|at| power_w[*at] != power_w[*at - 1]) {
            push_text(path, format_args!("H{}V{:.1}", x(at), y(at)));
        }
        push_text(path, format_args!("H{}", x(COLUMN_COUNT)));
    }
}

/// Returns the positions and texts of the marks on the time axis.
fn time_marks(view: TimeView) -> Vec<(Px, String)> {
    let (start, end) = (nanoseconds_to_seconds(view.start_ns), nanoseconds_to_seconds(view.end_ns));
    let all = round_ticks(start, end, 8.0);
    let step = all.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
    let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let time = |value: f64| {
        let x = LEFT_MARGIN + (value - start) / (end - start) * COLUMN_COUNT as f64;
        (Px(x), format!("{value:.digits$} s"))
    };
    all.into_iter().map(time).collect()
}

/// Returns about `count` round numbers from `low` to `high`.
fn round_ticks(low: f64, high: f64, count: f64) -> Vec<f64> {
    let rough = (high - low) / count;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![low];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Appends formatted text, which cannot fail.
fn push_text(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a String");
}
