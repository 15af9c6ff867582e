//! What a model is off by, case by case, as an inline SVG: residual in percent of the
//! measured energy against that energy. A slope or a bend is what the model can't say.

use std::fmt::Write as _;

use crate::report::format;
use crate::report::scatter::{GROUPS, Point, groups, ticks};
use crate::units::Joules;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 76.0;
const BOTTOM: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Least height of the plot: residuals of a hundredth of a percent look flat.
const SMALLEST: f64 = 1e-4;

/// The plot; empty without a case of positive energy.
pub fn svg(points: &[Point]) -> String {
    let groups = groups(points);
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
    let frame = Frame { highest: highest * 1.05, widest: widest * 1.1 };
    let mut text = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"residual-title\" \
         class=\"scatter\"><title id=\"residual-title\">Residuals of {} cases in percent of their \
         measured energy; on the line the model is right.</title>",
        shown.len()
    );
    text += &frame.grid();
    for (point, residual) in shown {
        let group = groups.iter().position(|group| *group == point.group).unwrap_or(0) % GROUPS;
        write!(
            text,
            "<circle class=\"group-{group}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}: {}, off \
             by {:+.2} %</title></circle>",
            frame.x(point.measured.0),
            frame.y(residual),
            format::escaped(&point.case),
            format::energy(point.measured),
            100.0 * residual
        )
        .expect("writing to a String can't fail");
    }
    text + "</svg>"
}

/// Energies from 0 to `highest`, residuals between `-widest` and `widest`.
struct Frame {
    highest: f64,
    widest: f64,
}

impl Frame {
    fn x(&self, energy: f64) -> f64 {
        LEFT + energy / self.highest * (WIDTH - LEFT - MARGIN)
    }

    fn y(&self, residual: f64) -> f64 {
        let height = HEIGHT - BOTTOM - MARGIN;
        MARGIN + height / 2.0 * (1.0 - residual / self.widest)
    }

    /// Grid lines with labels, the line of no residual, and the axes' names.
    fn grid(&self) -> String {
        let (right, bottom) = (WIDTH - MARGIN, HEIGHT - BOTTOM);
        let mut text = String::from("<g class=\"grid\">");
        for energy in ticks(0.0, self.highest) {
            let (x, label) = (self.x(energy), format::energy(Joules(energy)));
            text += &format!(
                "<line x1=\"{x:.1}\" y1=\"{bottom:.1}\" x2=\"{x:.1}\" y2=\"{MARGIN:.1}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                bottom + 18.0
            );
        }
        for residual in ticks(-self.widest, self.widest) {
            let y = self.y(residual);
            text += &format!(
                "<line x1=\"{LEFT:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} %</text>",
                LEFT - 8.0,
                y + 4.0,
                short(100.0 * residual)
            );
        }
        let zero = self.y(0.0);
        text + &format!(
            "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">measured</text>\
             <text class=\"name\" transform=\"translate(14 {zero:.1}) rotate(-90)\" \
             text-anchor=\"middle\">residual</text></g><line class=\"diagonal\" x1=\"{LEFT:.1}\" \
             y1=\"{zero:.1}\" x2=\"{right:.1}\" y2=\"{zero:.1}\"/>",
            (LEFT + right) / 2.0,
            HEIGHT - 8.0
        )
    }
}

/// A round number without the noise of its last digits.
fn short(value: f64) -> f64 {
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
        let frame = Frame { highest: 2.0, widest: 0.11 };
        let off = |residual| frame.y(0.0) - frame.y(residual);
        assert!((off(0.1) + 2.0 * off(-0.05)).abs() < 1e-9 && off(0.1) > 0.0);
        let text = svg(&[point(1.0, 1.1), point(2.0, 1.9), point(0.0, 1.0)]);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("+10.00 %") && text.contains("-5.00 %"), "{text}");
        assert!(!text.contains("<c>") && !text.contains("NaN"));
    }

    #[test]
    fn without_energy_there_is_no_plot() {
        assert_eq!(svg(&[]), "");
        assert_eq!(svg(&[point(0.0, 1.0)]), "");
        assert!(!svg(&[point(1.0, 1.0)]).contains("NaN"));
    }
}
