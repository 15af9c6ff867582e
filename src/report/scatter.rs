//! Measured against predicted energy of the cases, as an inline SVG. Colours come from
//! the page's style sheet, so the plot follows light and dark.

use std::fmt::Write as _;

use crate::account::Costs;
use crate::dataset::Table;
use crate::model::Model;
use crate::report::format;
use crate::units::Joules;

/// One case.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Name of the case.
    pub case: String,
    /// Its group: the input sequence.
    pub group: String,
    /// Measured energy above idle.
    pub measured: Joules,
    /// Counts x costs.
    pub predicted: Joules,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const BOTTOM: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Least range of the axes in joules: one femtojoule.
const SMALLEST: f64 = 1e-15;
/// Colours that the style sheet has for groups.
pub(super) const GROUPS: usize = 6;

/// The cases of a table with the model's predictions.
pub fn points(table: &Table, model: &Model) -> Vec<Point> {
    let costs = Costs::new(model);
    let columns: Vec<f64> = table
        .features
        .iter()
        .map(|name| costs.of(name).map_or(0.0, |cost| costs.cost(cost).0))
        .collect();
    let predict = |row: &[f64]| row.iter().zip(&columns).map(|(n, c)| n * c).sum();
    table
        .cases
        .iter()
        .enumerate()
        .map(|(i, case)| Point {
            case: case.name.clone(),
            group: case.group.clone(),
            measured: Joules(case.energy_j),
            predicted: Joules(predict(table.row(i))),
        })
        .filter(|point| point.measured.0.is_finite() && point.predicted.0.is_finite())
        .collect()
}

/// The plot; empty without points.
pub fn svg(points: &[Point]) -> String {
    let values = points.iter().flat_map(|point| [point.measured.0, point.predicted.0]);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if points.is_empty() || !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    let axis = Axis::over(low.min(0.0), high.max(low.min(0.0) + SMALLEST));
    let mut text = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"scatter-title\" \
         class=\"scatter\"><title id=\"scatter-title\">Predicted against measured energy of {} \
         cases; on the diagonal both are equal.</title>",
        points.len()
    );
    text += &axis.grid();
    text += &format!(
        "<line class=\"diagonal\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
        axis.x(axis.low),
        axis.y(axis.low),
        axis.x(axis.high),
        axis.y(axis.high)
    );
    let groups = groups(points);
    for point in points {
        let group = groups.iter().position(|group| *group == point.group).unwrap_or(0) % GROUPS;
        write!(
            text,
            "<circle class=\"group-{group}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}: measured \
             {}, predicted {}</title></circle>",
            axis.x(point.measured.0),
            axis.y(point.predicted.0),
            format::escaped(&point.case),
            format::energy(point.measured),
            format::energy(point.predicted)
        )
        .expect("writing to a String can't fail");
    }
    text + "</svg>"
}

/// The groups in the order of their first case.
pub fn groups(points: &[Point]) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for point in points {
        if !groups.contains(&point.group.as_str()) {
            groups.push(&point.group);
        }
    }
    groups
}

/// One scale for both directions.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// An axis with about five round ticks.
    fn over(low: f64, high: f64) -> Axis {
        let rough = (high - low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power).into_iter();
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Horizontal position of an energy.
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - LEFT - MARGIN)
    }

    /// Vertical position of an energy.
    fn y(&self, value: f64) -> f64 {
        let height = HEIGHT - BOTTOM - MARGIN;
        HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * height
    }

    /// Grid lines with labels, and the axes' names.
    fn grid(&self) -> String {
        let mut text = String::from("<g class=\"grid\">");
        let (left, right) = (self.x(self.low), self.x(self.high));
        let (bottom, top) = (self.y(self.low), self.y(self.high));
        for i in 0..=((self.high - self.low) / self.step).round() as u32 {
            let value = self.low + f64::from(i) * self.step;
            let (x, y) = (self.x(value), self.y(value));
            let label =
                if i == 0 && value == 0.0 { "0".into() } else { format::energy(Joules(value)) };
            text += &format!(
                "<line x1=\"{x:.1}\" y1=\"{bottom:.1}\" x2=\"{x:.1}\" y2=\"{top:.1}\"/>\
                 <line x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                bottom + 18.0,
                left - 8.0,
                y + 4.0
            );
        }
        text += &format!(
            "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">measured</text>\
             <text class=\"name\" transform=\"translate(14 {:.1}) rotate(-90)\" \
             text-anchor=\"middle\">predicted</text></g>",
            (left + right) / 2.0,
            HEIGHT - 8.0,
            (bottom + top) / 2.0
        );
        text
    }
}

/// About five round numbers from `low` to `high`.
pub(super) fn ticks(low: f64, high: f64) -> Vec<f64> {
    let step = Axis::over(low, high).step;
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|at| at as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(case: &str, measured: f64, predicted: f64) -> Point {
        Point {
            case: case.into(),
            group: "g".into(),
            measured: Joules(measured),
            predicted: Joules(predicted),
        }
    }

    #[test]
    fn equal_energies_lie_on_the_diagonal() {
        let axis = Axis::over(0.0, 9.3);
        assert_eq!((axis.low, axis.high, axis.step), (0.0, 10.0, 2.0));
        let (x, y) = (axis.x(5.0) - LEFT, HEIGHT - BOTTOM - axis.y(5.0));
        let ratio = (WIDTH - LEFT - MARGIN) / (HEIGHT - BOTTOM - MARGIN);
        assert!((x / y - ratio).abs() < 1e-9);
    }

    #[test]
    fn strange_points_make_no_broken_plot() {
        assert_eq!(svg(&[]), "");
        let text = svg(&[point("<script>", 0.0, 0.0)]);
        assert!(!text.contains("<script>") && !text.contains("NaN"), "{text}");
        let text = svg(&[point("a", -1.0, 2.0), point("b", 3.0, 2.5)]);
        assert_eq!(text.matches("<circle").count(), 2);
    }
}
