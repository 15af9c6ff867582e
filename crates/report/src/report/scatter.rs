//! Measured against predicted energy of the cases, as an inline SVG. Colours come from
//! the page's style sheet, so the plot follows light and dark.

use askama::Template;

use crate::account::IndexedModel;
use crate::format;
use crate::model::Model;
use crate::model::table::Table;
use crate::px::Px;
use crate::units::Joules;

/// One case of the plot: measured and predicted energy.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Name of the case.
    pub case: String,
    /// Its group: the input sequence.
    pub group: String,
    /// Measured energy above idle.
    pub measured: Joules,
    /// Predicted energy: counts x costs.
    pub predicted: Joules,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const BOTTOM: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Least range of the axes in joules: one femtojoule.
const SMALLEST: f64 = 1e-15;
/// Number of group colours in the style sheet.
const GROUPS: usize = 6;

/// The cases of a table with measured and predicted energies.
pub fn points(table: &Table, model: &Model) -> Vec<Point> {
    let costs = IndexedModel::new(model);
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

/// A dot in a plot with its position and tooltip.
pub(super) struct Dot {
    /// Index of its group's colour.
    pub group: usize,
    pub x: Px,
    pub y: Px,
    pub title: String,
}

/// A tick for both axes.
struct Tick {
    x: Px,
    y: Px,
    label: String,
}

#[derive(Template)]
#[template(path = "scatter.svg")]
struct ScatterPlot {
    left: Px,
    right: Px,
    bottom: Px,
    top: Px,
    ticks: Vec<Tick>,
    dots: Vec<Dot>,
}

/// Draws the plot; empty without points.
pub fn scatter_plot(points: &[Point]) -> String {
    let values = points.iter().flat_map(|point| [point.measured.0, point.predicted.0]);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if points.is_empty() || !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    let axis = Axis::over(low.min(0.0), high.max(low.min(0.0) + SMALLEST));
    let groups = groups(points);
    let dot = |point: &Point| Dot {
        group: group_colour(&groups, point),
        x: axis.x(point.measured.0),
        y: axis.y(point.predicted.0),
        title: format!(
            "{}: measured {}, predicted {}",
            format::visible(&point.case),
            format::energy(point.measured),
            format::energy(point.predicted)
        ),
    };
    let plot = ScatterPlot {
        left: axis.x(axis.low),
        right: axis.x(axis.high),
        bottom: axis.y(axis.low),
        top: axis.y(axis.high),
        ticks: axis.ticks(),
        dots: points.iter().map(dot).collect(),
    };
    plot.render().expect("templates only write to a String, which can't fail")
}

/// Index of the colour of a point's group.
pub(super) fn group_colour(groups: &[&str], point: &Point) -> usize {
    groups.iter().position(|group| *group == point.group).unwrap_or(0) % GROUPS
}

/// Names of the groups in the order of their first case.
pub fn groups(points: &[Point]) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for point in points {
        if !groups.contains(&point.group.as_str()) {
            groups.push(&point.group);
        }
    }
    groups
}

/// Scale of both axes: range and step.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// An axis with about five round ticks between `low` and `high`.
    fn over(low: f64, high: f64) -> Axis {
        let rough = (high - low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power).into_iter();
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Horizontal position of an energy.
    fn x(&self, value: f64) -> Px {
        Px(LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - LEFT - MARGIN))
    }

    /// Vertical position of an energy.
    fn y(&self, value: f64) -> Px {
        let height = HEIGHT - BOTTOM - MARGIN;
        Px(HEIGHT - BOTTOM - (value - self.low) / (self.high - self.low) * height)
    }

    fn ticks(&self) -> Vec<Tick> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        let tick = |i: u32| {
            let value = self.low + f64::from(i) * self.step;
            let is_zero = i == 0 && value == 0.0;
            let label = if is_zero { "0".into() } else { format::energy(Joules(value)) };
            Tick { x: self.x(value), y: self.y(value), label }
        };
        (0..=count).map(tick).collect()
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
        let (x, y) = (axis.x(5.0).0 - LEFT, HEIGHT - BOTTOM - axis.y(5.0).0);
        let ratio = (WIDTH - LEFT - MARGIN) / (HEIGHT - BOTTOM - MARGIN);
        assert!((x / y - ratio).abs() < 1e-9);
    }

    #[test]
    fn strange_points_make_no_broken_plot() {
        assert_eq!(scatter_plot(&[]), "");
        let text = scatter_plot(&[point("<script>", 0.0, 0.0)]);
        assert!(!text.contains("<script>") && !text.contains("NaN"), "{text}");
        let text = scatter_plot(&[point("a", -1.0, 2.0), point("b", 3.0, 2.5)]);
        assert_eq!(text.matches("<circle").count(), 2);
    }
}
