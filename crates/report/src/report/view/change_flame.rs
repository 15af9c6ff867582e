//! Flame graph of a comparison: package, class and method, each as wide as its new energy and
//! coloured by its change. A change whose interval contains zero, or without an interval, is grey.

use std::collections::BTreeMap;

use super::flame::{FlameChange, FlameTarget, FlameView, ROW, WIDTH, draw};
use crate::compare::text::{TextCells, text_cells};
use crate::compare::{ChangeRow, Comparison, Subject};
use crate::format;
use crate::units::Joules;

/// Number of levels: everything, package, class, method.
const LEVELS: f64 = 4.0;

/// Relative changes from which a box has the second and the third shade.
const SHADES: [f64; 2] = [0.05, 0.25];

/// Name of the box of what is in no changed class.
const REST: &str = "what has not changed, and what belongs to no method";

/// Direction of a change by its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeDirection {
    /// The whole interval is above zero.
    More,
    /// The whole interval is below zero.
    Less,
    /// The interval contains zero, or is unknown.
    NotToldApart,
}

impl ChangeDirection {
    fn of(row: &ChangeRow) -> Self {
        match row.change.interval {
            Some(interval) if interval.lo.0 > 0.0 => Self::More,
            Some(interval) if interval.hi.0 < 0.0 => Self::Less,
            _ => Self::NotToldApart,
        }
    }

    /// Mark before the name of a box, for those who do not see its colour.
    fn mark(self) -> &'static str {
        match self {
            Self::More => "\u{25b2} ",
            Self::Less => "\u{25bc} ",
            Self::NotToldApart => "",
        }
    }
}

/// A class with its changed methods.
struct ChangedClass<'c> {
    row: &'c ChangeRow,
    methods: Vec<&'c ChangeRow>,
}

/// Flame graph of the new energies; without boxes where no changed class has one.
pub(crate) fn change_flame(comparison: &Comparison) -> FlameView {
    let packages = packages(comparison);
    let of_classes: f64 = packages.values().flatten().map(|class| new_energy_j(class.row)).sum();
    let measured = comparison.headline.change.new.map_or(0.0, |energy| energy.0);
    let whole_j = measured.max(of_classes);
    let mut view = FlameView::new(whole_j);
    view.height = format!("{:.0}", ROW * LEVELS);
    if of_classes > 0.0 {
        let scale = WIDTH / whole_j;
        draw_row(&mut view, &comparison.headline, &name_of(&comparison.headline), (0.0, 0), scale);
        // The first box is as wide as the picture, also where costs exceed the measurement.
        if let Some(first) = view.boxes.first_mut() {
            first.width = format!("{WIDTH:.1}");
        }
        let left = draw_packages(&mut view, &packages, scale);
        draw_rest(&mut view, whole_j - of_classes, left, scale);
    }
    view
}

/// Changed classes that spend energy now, by their packages, with their methods.
fn packages(comparison: &Comparison) -> BTreeMap<&str, Vec<ChangedClass<'_>>> {
    let mut packages: BTreeMap<&str, Vec<ChangedClass<'_>>> = BTreeMap::new();
    for row in comparison.classes.iter().filter(|row| new_energy_j(row) > 0.0) {
        let Subject::Class(class) = &row.subject else { continue };
        let is_of_class =
            |of: &&ChangeRow| matches!(&of.subject, Subject::Method(key) if key.class == *class);
        let methods = comparison.methods.iter().filter(is_of_class);
        let methods = methods.filter(|row| new_energy_j(row) > 0.0).collect();
        let package = class.rsplit_once('.').map_or("(no package)", |(package, _)| package);
        packages.entry(package).or_default().push(ChangedClass { row, methods });
    }
    packages
}

/// Draws the packages with what is in them; returns the right edge of the last one.
fn draw_packages(
    view: &mut FlameView,
    packages: &BTreeMap<&str, Vec<ChangedClass<'_>>>,
    scale: f64,
) -> f64 {
    let mut left = 0.0;
    for (package, classes) in packages {
        let energy: f64 = classes.iter().map(|class| new_energy_j(class.row)).sum();
        let named = changed((*package).to_owned(), GREY, "no interval a sum of classes");
        if draw(view, &named, energy, (left, 1), scale) {
            draw_classes(view, classes, left, scale);
        }
        left += energy * scale;
    }
    left
}

fn draw_classes(view: &mut FlameView, classes: &[ChangedClass<'_>], left: f64, scale: f64) {
    let mut left = left;
    for class in classes {
        let name = name_of(class.row);
        let simple = name.rsplit('.').next().unwrap_or(&name).to_owned();
        if draw_row(view, class.row, &simple, (left, 2), scale) {
            draw_methods(view, class, left, scale);
        }
        left += new_energy_j(class.row) * scale;
    }
}

/// Draws the changed methods of a class, within its width: costs of methods and of their class
/// have errors of their own.
fn draw_methods(view: &mut FlameView, class: &ChangedClass<'_>, left: f64, scale: f64) {
    let sum: f64 = class.methods.iter().map(|row| new_energy_j(row)).sum();
    let scale = scale * (new_energy_j(class.row) / sum).min(1.0);
    let mut left = left;
    for row in &class.methods {
        let name = match &row.subject {
            Subject::Method(key) => key.method.clone(),
            other => other.name(),
        };
        draw_row(view, row, &name, (left, 3), scale);
        left += new_energy_j(row) * scale;
    }
}

fn draw_rest(view: &mut FlameView, energy: f64, left: f64, scale: f64) {
    if energy > 0.0 {
        draw(view, &changed(REST.to_owned(), GREY, "no change is known"), energy, (left, 1), scale);
    }
}

/// Draws the box of a row with its colour; returns whether it is wide enough to be drawn.
fn draw_row(
    view: &mut FlameView,
    row: &ChangeRow,
    name: &str,
    at: (f64, usize),
    scale: f64,
) -> bool {
    let direction = ChangeDirection::of(row);
    let TextCells { share, share_interval, .. } = text_cells(row);
    let change = match direction {
        ChangeDirection::NotToldApart => {
            format!("{share} ({share_interval}), not told apart from zero")
        }
        ChangeDirection::More | ChangeDirection::Less => format!("{share} ({share_interval})"),
    };
    let name = format!("{}{name}", direction.mark());
    let named = changed(name, &colour(direction, row.change.share()), &change);
    draw(view, &named, new_energy_j(row), at, scale)
}

/// Class of a box by direction and relative size of its change.
fn colour(direction: ChangeDirection, share: Option<f64>) -> String {
    let size = share.map_or(f64::INFINITY, f64::abs);
    let shade = 1 + SHADES.iter().filter(|from| size >= **from).count();
    match direction {
        ChangeDirection::More => format!("more-{shade}"),
        ChangeDirection::Less => format!("less-{shade}"),
        ChangeDirection::NotToldApart => GREY.to_owned(),
    }
}

/// Class of a box whose change is not told apart from zero.
const GREY: &str = "same";

/// Subject of a box with the class of its colour and its change as text.
fn changed(name: String, class: &str, text: &str) -> FlameTarget {
    let change = FlameChange { class: class.to_owned(), text: text.to_owned() };
    FlameTarget { name, change: Some(change), ..FlameTarget::default() }
}

fn name_of(row: &ChangeRow) -> String {
    format::visible(&row.subject.name()).replace('\n', " ")
}

/// New energy of a row in joules; 0 where it is unknown or negative.
fn new_energy_j(row: &ChangeRow) -> f64 {
    row.change.new.map_or(0.0, |Joules(energy)| energy.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::compare_page::sample::comparison;

    #[test]
    fn widths_are_new_energies_and_colours_are_changes_by_intervals() {
        let comparison = comparison();
        let view = change_flame(&comparison);
        let named = |name: &str| {
            let found = view.boxes.iter().find(|one| one.title.contains(name));
            found.unwrap_or_else(|| panic!("no box {name}"))
        };
        // 10 J of the scenario are 1200 wide.
        for (name, energy_j, class) in [
            ("Grid: ", 4.0, "more-3"),
            ("blit(int): ", 3.0, "more-3"),
            ("copy(): ", 1.0, "same"),
            ("Sum: ", 2.0, "less-2"),
            (REST, 4.0, "same"),
        ] {
            let one = named(name);
            let width: f64 = one.width.parse().unwrap();
            assert!((width + 0.5 - 120.0 * energy_j).abs() < 0.11, "{name}: {width}");
            assert_eq!(one.class, class, "{name}: {}", one.title);
        }
        assert!(named("copy(): ").title.contains("not told apart from zero"));
        assert!(named("blit(int): ").title.starts_with('\u{25b2}'));
        assert!(!view.boxes.iter().any(|one| one.title.contains("gone()")), "it spends nothing");
    }

    #[test]
    fn costs_over_the_measurement_stay_within_the_picture() {
        let mut comparison = comparison();
        comparison.headline.change.new = Some(Joules(1.0));
        let view = change_flame(&comparison);
        for one in &view.boxes {
            let edge = one.x.parse::<f64>().unwrap() + one.width.parse::<f64>().unwrap();
            assert!(edge <= WIDTH + 0.2, "{edge}: {}", one.title);
        }
    }

    #[test]
    fn nothing_known_is_an_empty_picture() {
        let mut comparison = comparison();
        comparison.classes.clear();
        assert!(change_flame(&comparison).boxes.is_empty());
    }
}
