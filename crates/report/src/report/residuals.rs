//! Plot of a model's residuals as inline SVG: residual in percent of the measured energy against
//! that energy. A slope or a bend is a systematic error of the model.

use askama::Template;

use crate::format;
use crate::px::Px;
use crate::report::scatter::{Dot, Point, group_colour, groups, ticks};
use crate::units::Joules;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 76.0;
const BOTTOM: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Least range of the residual axis: residuals of a hundredth of a percent look flat.
const SMALLEST: f64 = 1e-4;

#[derive(Template)]
#[template(path = "residuals.svg")]
struct ResidualPlot {
    left: Px,
    right: Px,
    bottom: Px,
    top: Px,
    /// Vertical position of residual zero.
    zero: Px,
    energies: Vec<(Px, String)>,
    /// Ticks of the residual axis: position and percent.
    residuals: Vec<(Px, f64)>,
    dots: Vec<Dot>,
}

/// Draws the plot; empty without a case of positive energy.
pub fn residuals_plot(points: &[Point]) -> String {
    let residual = |point: &Point| (point.predicted.0 - point.measured.0) / point.measured.0;
    let shown: Vec<(&Point, f64)> = points
        .iter()
        .filter(|point| point.measured.0 > 0.0)
        .map(|point| (point, residual(point)))
        .filter(|(_, residual)| residual.is_finite())
        .collect();
    if shown.is_empty() {
        return String::new();
    }
    let highest = shown.iter().fold(0.0f64, |high, (point, _)| high.max(point.measured.0));
    let widest = shown.iter().fold(SMALLEST, |wide, (_, residual)| wide.max(residual.abs()));
    let frame = PlotArea { highest: highest * 1.05, widest: widest * 1.1 };
    let groups = groups(points);
    let dot = |(point, residual): &(&Point, f64)| Dot {
        group: group_colour(&groups, point),
        x: frame.x(point.measured.0),
        y: frame.y(*residual),
        title: format!(
            "{}: {}, off by {:+.2} %",
            format::visible(&point.case),
            format::energy(point.measured),
            100.0 * residual
        ),
    };
    let plot = frame.plot(shown.iter().map(dot).collect());
    plot.render().expect("templates only write to a String, which can't fail")
}

/// Ranges of the axes: energies from 0 to `highest`, residuals between `-widest` and `widest`.
struct PlotArea {
    highest: f64,
    widest: f64,
}

impl PlotArea {
    fn x(&self, energy: f64) -> Px {
        Px(LEFT + energy / self.highest * (WIDTH - LEFT - MARGIN))
    }

    fn y(&self, residual: f64) -> Px {
        let height = HEIGHT - BOTTOM - MARGIN;
        Px(MARGIN + height / 2.0 * (1.0 - residual / self.widest))
    }

    fn plot(&self, dots: Vec<Dot>) -> ResidualPlot {
        let energy = |energy| (self.x(energy), format::energy(Joules(energy)));
        let residual = |residual| (self.y(residual), without_noise(100.0 * residual));
        ResidualPlot {
            left: Px(LEFT),
            right: Px(WIDTH - MARGIN),
            bottom: Px(HEIGHT - BOTTOM),
            top: Px(MARGIN),
            zero: self.y(0.0),
            energies: ticks(0.0, self.highest).into_iter().map(energy).collect(),
            residuals: ticks(-self.widest, self.widest).into_iter().map(residual).collect(),
            dots,
        }
    }
}

/// A number rounded to remove noise of its last digits.
fn without_noise(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(measured: f64, predicted: f64) -> Point {
        let (measured, predicted) = (Joules(measured), Joules(predicted));
        Point { case: "<c>".into(), group: "g".into(), measured, predicted }
    }

    /// 10 % too much lies above the line, 5 % too little below, half as far.
    #[test]
    fn residuals_are_relative() {
        let frame = PlotArea { highest: 2.0, widest: 0.11 };
        let off = |residual| frame.y(0.0).0 - frame.y(residual).0;
        assert!((off(0.1) + 2.0 * off(-0.05)).abs() < 1e-9 && off(0.1) > 0.0);
        let text = residuals_plot(&[point(1.0, 1.1), point(2.0, 1.9), point(0.0, 1.0)]);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("+10.00 %") && text.contains("-5.00 %"), "{text}");
        assert!(!text.contains("<c>") && !text.contains("NaN"));
    }

    #[test]
    fn without_energy_there_is_no_plot() {
        assert_eq!(residuals_plot(&[]), "");
        assert_eq!(residuals_plot(&[point(0.0, 1.0)]), "");
        assert!(!residuals_plot(&[point(1.0, 1.0)]).contains("NaN"));
    }
}
