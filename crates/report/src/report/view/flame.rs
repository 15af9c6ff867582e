//! Flame graph by code location: package, class, method, block, each as wide as its energy. The
//! flame graph by calls is in `calls`.

use std::collections::BTreeMap;

use crate::format;
use crate::report::data::ReportData;
use crate::report::view::links::SourceLinks;
use crate::units::Joules;

/// Width of the flame graph in its own units.
pub(super) const WIDTH: f64 = 1200.0;
/// Height of a level in these units.
pub(super) const ROW: f64 = 20.0;
/// Least width of a box.
const NARROWEST: f64 = 0.6;
/// Number of colours for levels.
const COLOURS: usize = 4;
/// Width of a letter in these units.
const LETTER: f64 = 6.6;

/// A box of a flame graph.
pub(crate) struct BoxView {
    /// Left edge.
    pub x: String,
    /// Its width.
    pub width: String,
    /// Its top.
    pub y: String,
    /// Horizontal position of the label.
    pub text_x: String,
    /// Vertical position of the label.
    pub text_y: String,
    /// Class of its colour: `level-0` everything, `level-1` package, `level-2` class, `level-3`
    /// method, `level-4` block; by calls the colours alternate, in a comparison they are those of
    /// changes.
    pub class: String,
    /// Name, shortened to the width.
    pub label: String,
    /// Tooltip: name, energy, change if it is known, and share.
    pub title: String,
    /// Link into the page; empty without one.
    pub href: String,
}

/// A flame graph: boxes and size.
pub(crate) struct FlameView {
    /// Boxes from the top.
    pub boxes: Vec<BoxView>,
    /// Its height.
    pub height: String,
    /// Number of narrow boxes that are left out.
    pub left_out: usize,
    /// Energy above idle in joules, which shares are relative to.
    whole_j: f64,
}

impl FlameView {
    /// A flame graph without boxes, whose shares are relative to `whole_j` joules.
    pub(super) fn new(whole_j: f64) -> FlameView {
        FlameView { boxes: Vec::new(), height: String::new(), left_out: 0, whole_j }
    }
}

/// Subject of a box: name and link, and in a comparison its change.
#[derive(Default)]
pub(super) struct FlameTarget {
    /// Name before shortening.
    pub name: String,
    /// Link into the page; empty without one.
    pub href: String,
    /// Change of its energy; absent outside of a comparison.
    pub change: Option<FlameChange>,
}

/// Change of a box's energy.
pub(super) struct FlameChange {
    /// Class of the box's colour, instead of that of its level.
    pub class: String,
    /// Text in the tooltip, between energy and share; without `: `, at which the page's script cuts
    /// a name off.
    pub text: String,
}

impl FlameTarget {
    /// Subject of the box above all others.
    pub(super) fn everything() -> FlameTarget {
        FlameTarget {
            name: "everything that the model explains".into(),
            href: "#source".into(),
            change: None,
        }
    }
}

/// A node of the tree that the boxes are laid out from.
#[derive(Default)]
struct FlamePart {
    energy: f64,
    href: String,
    parts: BTreeMap<String, FlamePart>,
}

/// Flame graph of the blocks.
pub fn flame(data: &ReportData<'_>, links: &SourceLinks<'_>) -> FlameView {
    let mut whole = FlamePart::default();
    for block in &data.accounts.blocks {
        let energy = block.entry.joules().0;
        if energy <= 0.0 {
            continue;
        }
        let (package, class) =
            block.class.rsplit_once('.').unwrap_or(("(no package)", &block.class));
        let simple = class.rsplit('$').next().unwrap_or(class);
        let stem = format!("{simple}.{}", block.method);
        let own = block.name.rsplit_once(&stem).map_or("", |(_, rest)| rest);
        let own = match own.trim_start_matches('.') {
            "" => "entry",
            own => own,
        };
        let path = [
            (package, links.package(package)),
            (class, links.class(&block.class)),
            (&block.method, links.method(&block.class, &block.method)),
            (own, links.line(&block.file, block.start_line)),
        ];
        whole.add(energy, &path);
    }
    let mut view = FlameView::new(data.accounts.ledger.above_idle().joules().0);
    if whole.energy > 0.0 {
        let scale = WIDTH / whole.energy;
        place(&mut view, &FlameTarget::everything(), &whole, (0.0, 0), scale);
    }
    view.height = format!("{:.0}", ROW * 5.0);
    view
}

impl FlamePart {
    fn add(&mut self, energy: f64, path: &[(&str, String)]) {
        self.energy += energy;
        if let Some(((name, href), rest)) = path.split_first() {
            let part = self.parts.entry((*name).to_string()).or_default();
            part.href.clone_from(href);
            part.add(energy, rest);
        }
    }
}

/// Adds one box; returns whether it is wide enough to be drawn.
pub(super) fn draw(
    view: &mut FlameView,
    named: &FlameTarget,
    energy: f64,
    (x, level): (f64, usize),
    scale: f64,
) -> bool {
    let width = energy * scale;
    if width < NARROWEST {
        view.left_out += 1;
        return false;
    }
    let share = format::percent(energy / view.whole_j);
    let shown = format::visible(&named.name);
    let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
    let top = ROW * level as f64;
    let (class, change) = match &named.change {
        Some(change) => (change.class.clone(), format!("change {}, ", change.text)),
        None => (level_class(level), String::new()),
    };
    view.boxes.push(BoxView {
        x: format!("{x:.1}"),
        width: format!("{:.1}", (width - 0.5).max(0.3)),
        y: format!("{top:.0}"),
        text_x: format!("{:.1}", x + 3.0),
        text_y: format!("{:.0}", top + 14.0),
        class,
        label: if letters >= 3 { format::truncate(&shown, letters) } else { String::new() },
        title: format!("{shown}: {}, {change}{share}", format::energy(Joules(energy))),
        href: named.href.clone(),
    });
    true
}

/// Class of a level's colour.
fn level_class(level: usize) -> String {
    let shown_level = if level == 0 { 0 } else { (level - 1) % COLOURS + 1 };
    format!("level-{shown_level}")
}

/// Lays out a node and its children, the widest first.
fn place(
    view: &mut FlameView,
    named: &FlameTarget,
    part: &FlamePart,
    (x, level): (f64, usize),
    scale: f64,
) {
    if !draw(view, named, part.energy, (x, level), scale) {
        return;
    }
    let mut parts: Vec<(&String, &FlamePart)> = part.parts.iter().collect();
    parts.sort_by(|a, b| b.1.energy.total_cmp(&a.1.energy));
    let mut left = x;
    for (name, part) in parts {
        let named =
            FlameTarget { name: name.clone(), href: part.href.clone(), ..FlameTarget::default() };
        place(view, &named, part, (left, level + 1), scale);
        left += part.energy * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_level_is_as_wide_as_what_it_spends() {
        let sample = sample::report();
        let view = flame(&sample.data(), &SourceLinks::default());
        for level in 0..5 {
            let boxes = view.boxes.iter().filter(|one| one.class == format!("level-{level}"));
            let width: f64 = boxes.map(|one| one.width.parse::<f64>().unwrap() + 0.5).sum();
            assert!((1150.0..=1201.0).contains(&width), "level {level}: {width}");
        }
        assert!(view.boxes.iter().any(|one| one.title.starts_with("for_1")), "a block's own name");
    }
}
