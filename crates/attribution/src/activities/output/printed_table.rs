//! A table as people read it: a name and figures in each row, for a terminal and for a page.

use wattline_units::format::{visible, visible_name};

/// Text in place of a missing figure.
pub(super) const NO_FIGURE: &str = "-";

/// Smallest width of the column of names in a terminal.
const NAME_WIDTH: usize = 28;

/// Numbers of columns with figures, and of rows, that fit into a terminal.
const TERMINAL_COLUMNS: usize = 8;
const TERMINAL_ROWS: usize = 40;

/// Table of text: a caption, and rows of a name with figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedTable {
    /// What it shows.
    pub caption: String,
    /// Heads of its columns; the first one is that of the names.
    pub columns: Vec<String>,
    /// A name and the figures.
    pub rows: Vec<(String, Vec<String>)>,
}

impl PrintedTable {
    /// Creates a table without rows.
    pub(super) fn new(caption: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Whether the table fits into a terminal.
    pub(super) fn fits_terminal(&self) -> bool {
        self.columns.len() <= TERMINAL_COLUMNS + 1 && self.rows.len() <= TERMINAL_ROWS
    }

    /// Returns the lines for a terminal, the caption first, with figures aligned right.
    #[must_use]
    pub fn text(&self) -> String {
        // Heads may be names from a log, cells are figures.
        let columns: Vec<String> = self.columns.iter().map(|head| visible_name(head)).collect();
        let width = |at: usize| {
            let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(at));
            let head = columns.get(at + 1);
            cells.chain(head).map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let names = self.rows.iter().map(|(name, _)| visible_name(name).chars().count());
        let of_names = names.max().unwrap_or_default().max(NAME_WIDTH);
        let widths: Vec<usize> = (1..self.columns.len()).map(|at| width(at - 1)).collect();
        let line = |name: &str, cells: &[String]| {
            let mut line = format!("    {name:<of_names$}");
            for (cell, width) in cells.iter().zip(&widths) {
                line += &format!("  {cell:>width$}");
            }
            format!("{}\n", line.trim_end())
        };
        let mut text = format!("  {}\n", visible_name(&self.caption));
        if let [name, heads @ ..] = columns.as_slice() {
            text += &line(name, heads);
        }
        self.rows.iter().for_each(|(name, cells)| text += &line(&visible_name(name), cells));
        text
    }

    /// Returns the table for a page, with typographic signs.
    #[must_use]
    pub fn to_page(&self) -> Self {
        let figure = |cell: &String| match cell.as_str() {
            NO_FIGURE => "\u{2013}".to_owned(),
            cell => cell.replace(" u", " µ").replace('-', "\u{2212}"),
        };
        let row = |(name, cells): &(String, Vec<String>)| {
            (visible(name), cells.iter().map(figure).collect())
        };
        let mut caption = self.caption.clone();
        if let Some(first) = caption.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let columns = self.columns.iter().map(|column| visible(column)).collect();
        Self { caption, columns, rows: self.rows.iter().map(row).collect() }
    }
}

/// Returns a figure as text, or the dash.
pub(super) fn figure_or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NO_FIGURE.to_owned(), |value| value.to_string())
}

/// Returns a share in percent with two decimals, without a sign where all digits are zeros.
pub(super) fn percent_text(part: f64) -> String {
    let percent = 100.0 * part;
    format!("{:.2} %", if percent.abs() < 0.005 { 0.0 } else { percent })
}

/// Returns an interval as text, or the dash.
pub(super) fn interval_or_dash<T: std::fmt::Display>(
    interval: Option<(f64, f64)>,
    unit: impl Fn(f64) -> T,
) -> String {
    figure_or_dash(interval.map(|(lo, hi)| format!("{} to {}", unit(lo), unit(hi))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_below_each_other_and_pages_have_the_signs_of_print() {
        let mut table = PrintedTable::new("times", &["state", "time", "share"]);
        assert!(!PrintedTable::new("a\n", &["b\u{1b}", "c\u{1b}"]).text().contains('\u{1b}'));
        table.rows.push(("CPU:on".into(), vec!["-1.5 us".into(), NO_FIGURE.into()]));
        table.rows.push(("a\u{1b}".into(), vec!["200 s".into(), "5.58 %".into()]));
        let text = table.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  times");
        assert_eq!(lines[1], "    state                            time   share");
        assert_eq!(lines[2], "    CPU:on                        -1.5 us       -");
        assert!(lines[3].ends_with("    200 s  5.58 %") && !text.contains('\u{1b}'), "{text}");
        assert!(table.fits_terminal());
        let page = table.to_page();
        assert_eq!(page.caption, "Times");
        table.rows = vec![table.rows[0].clone(); TERMINAL_ROWS + 1];
        assert!(!table.fits_terminal());
        assert_eq!(page.rows[0].1, ["\u{2212}1.5 µs", "\u{2013}"]);
    }
}
