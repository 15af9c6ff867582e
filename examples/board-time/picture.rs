//! Line errors against board time, both on logarithmic axes: median and 90th percentile
//! side by side.

use std::fmt::Write as _;

use crate::protocol::{Curve, Point};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 56.0;
const PANEL: f64 = 390.0;
const GAP: f64 = 74.0;
const DEPTH: f64 = 340.0;
/// Told apart by colour-blind readers as well (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#d55e00", "#e69f00", "#999999", "#0072b2", "#56b4e9", "#009e73", "#000000", "#cc79a7"];

/// The picture.
pub fn svg(curves: &[Curve]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\"><title>Error of line energies \
         against board time</title><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">Error of line energies against board time \
         (virtual board, simulated)</text>"
    );
    panel(&mut text, "median over lines", curves, LEFT, |point| point.errors.line.0);
    panel(&mut text, "90th percentile", curves, LEFT + PANEL + GAP, |point| point.errors.line.1);
    for (index, curve) in curves.iter().enumerate() {
        let x = LEFT + (index % 2) as f64 * (PANEL + GAP);
        let y = TOP + DEPTH + 66.0 + (index / 2) as f64 * 22.0;
        let colour = COLOURS[index % COLOURS.len()];
        let _ = write!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            y - 4.0,
            x + 12.0,
            curve.name
        );
    }
    text + "</svg>\n"
}

fn panel(text: &mut String, title: &str, curves: &[Curve], left: f64, of: impl Fn(&Point) -> f64) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let hours = Axis::over(points().map(|point| point.board_s / 3600.0));
    let percent = Axis::over(points().map(|point| 100.0 * of(point)));
    let x = |value: f64| left + PANEL * hours.part(value);
    let y = |value: f64| TOP + DEPTH * (1.0 - percent.part(value));
    let bottom = TOP + DEPTH;
    let _ = write!(
        text,
        "<text x=\"{left}\" y=\"{:.1}\">{title}, %</text>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">board time, hours</text>",
        TOP - 8.0,
        left + PANEL,
        bottom + 36.0
    );
    for tick in hours.ticks() {
        let at = x(tick);
        let _ = write!(
            text,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>",
            bottom + 16.0
        );
    }
    for tick in percent.ticks() {
        let at = y(tick);
        let _ = write!(
            text,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            left + PANEL,
            left - 6.0,
            at + 4.0
        );
    }
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let place = |point: &Point| (x(point.board_s / 3600.0), y(100.0 * of(point)));
        let path: Vec<String> =
            curve.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
            path.join(" ")
        );
        for (x, y) in curve.points.iter().map(place) {
            let _ = write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
        }
    }
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// With some room at both ends.
    fn over(values: impl Iterator<Item = f64>) -> Axis {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let (low, high) = positive.fold((f64::INFINITY, 0.0), |(low, high), value| {
            (f64::min(low, value), f64::max(high, value))
        });
        Axis { low: low / 1.3, high: high * 1.3 }
    }

    /// Where a value lies, 0 to 1.
    fn part(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// 1, 2 and 5 times powers of ten.
    fn ticks(&self) -> Vec<f64> {
        let decades = -6..9;
        let ticks = decades.flat_map(|power: i32| {
            [1.0, 2.0, 5.0].map(|step: f64| {
                let text = format!("{step}e{power}");
                text.parse().unwrap_or(step)
            })
        });
        ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}
